"""How are questions read and answers shown? Tables of questions, sentences, colours, progress, the rules of a game.

answers     the base of all records that answer a question
questions   tables of questions in, tables of answers out
open_hands  answers about open hands, in any game
progress    notes and progress on stderr
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from towerlab.analysis.present.progress import note
from towerlab.games.cards import NO_TRUMP, SYMBOLS, card_symbol, sorted_cards
from towerlab.games.rulebook import Rule

if TYPE_CHECKING:
    from towerlab.analysis.stats import Estimate


SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
SUIT_STYLES = {"♣": "green", "♦": "bright_blue", "♥": "red", "♠": "bold"}  # four colours: suits differ at a glance
_CARD = re.compile(f"((?:10|[2-9JQKA])?[{''.join(SUIT_STYLES)}])")  # or a suit
_WIDTH = 110
_LONGEST_WORD = 16  # letters; links are broken
_PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}  # names are no markup
_NOTEBOOK = '<pre style="white-space:pre;overflow-x:auto;line-height:normal;font-family:monospace">{code}</pre>'


_MINUS = re.compile(r"(?<![\w\-=.,/])-(?=\d[\d,.]*+(?![A-Za-z]))")  # of a number: no range, option or card
_SIGNED_ZERO = re.compile(r"(?<![\w\-=.,/])[−-](?=0(?:\.0+)?(?![\d.]))")
_PADDED_ZERO = re.compile(r"(?:(?<=  )|^)[−-](?=0(?:\.0+)?(?![\d.]))")
_PERCENT = re.compile(r"(?<=\d) ?%")
_POINTS = re.compile(r"(?<![\w.])([+−]\d[\d,.]*)\s?%")
_JSON_ZERO = re.compile(r'"(?:[^"\\]|\\.)*+"|-0\.0(?![\deE])')  # texts stay as they are


def signed(text: object) -> str:
    """Return a text with true minus signs and zeros without a sign.

    >>> signed("you -13 (-4 to -0.0), seed=-1, without -9CTC")
    'you −13 (−4 to 0.0), seed=-1, without -9CTC'
    """
    return _MINUS.sub("−", _SIGNED_ZERO.sub("", str(text)))


def capital(sentence: str) -> str:
    """A sentence that may begin with a player's name, as it is written."""
    return sentence[:1].upper() + sentence[1:]


def printed(text: object) -> str:
    """Return a text with numbers as pages print them: `signed`, shares with a thin space, their differences in points.

    >>> printed("-2.3 mt (-4 to -0.0), 41%, 96.3 %, +4.7% more").replace("\u202f", "_")
    '−2.3 mt (−4 to 0.0), 41_%, 96.3_%, +4.7_pp more'
    """
    return _PERCENT.sub("\u202f%", _POINTS.sub("\\1\u202fpp", signed(text)))


class _Console(Console):
    """A console that sets numbers by `signed`, in columns with their width, and cards in the colours of their suits."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for part in super().render(renderable, options):
            if part.control:
                yield part
                continue
            for word in filter(None, _CARD.split(signed(_PADDED_ZERO.sub(" ", part.text)))):
                yield Segment(word, (part.style or Style()) + Style.parse(SUIT_STYLES.get(word[-1], "")))


def console(stderr: bool = False) -> Console:
    """Return a console that drops colour in pipes and under NO_COLOR, and keeps at least 60 columns."""
    console = _Console(stderr=stderr, soft_wrap=not sys.stdout.isatty(), **_PLAIN)
    return console if console.width >= 60 else _Console(stderr=stderr, width=60, **_PLAIN)


class Shown(Protocol):
    """An answer that prints itself (`analysis.present.answers.Answer`)."""

    def to_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""

    def __rich__(self) -> RenderableType:
        """Return the text for people."""


def show(answer: Shown, as_json: bool) -> None:
    """Print an answer as a JSON object or as text."""
    if as_json:
        print_json(answer.to_json())
    else:
        console().print(answer)


class Listing(NamedTuple):
    """A list as an answer: for programs, and for people."""

    content: Mapping[str, Any]
    shown: RenderableType = Group()

    def to_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return dict(self.content)

    def __rich__(self) -> RenderableType:
        return self.shown


def join_answers(answers: Sequence[Shown]) -> Shown:
    """Return the only answer of a file, or several as one: an object with a list, and the texts one under another."""
    if len(answers) == 1:
        return answers[0]
    shown = [part for answer in answers for part in ("", answer.__rich__())][1:]
    return Listing({"games": [answer.to_json() for answer in answers]}, Group(*shown))


def as_text(shown: RenderableType) -> str:
    """Return the text that a pipe would get."""
    console = _Console(file=io.StringIO(), width=_WIDTH, soft_wrap=True, color_system=None, **_PLAIN)
    console.print(shown)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def as_html(shown: RenderableType) -> str:
    """Return the HTML that a notebook shows, in colour."""
    console = _Console(file=io.StringIO(), record=True, width=_WIDTH, force_jupyter=False, **_PLAIN)
    console.print(shown)
    return console.export_html(inline_styles=True, code_format=_NOTEBOOK)


def print_json(answer: dict[str, Any]) -> None:
    """One JSON object on stdout and nothing else; signs that its encoding does not have are escaped."""
    print(json_text(answer, ascii_only=not (sys.stdout.encoding or "utf-8").lower().startswith("utf")))


def json_text(answer: dict[str, Any], ascii_only: bool = False) -> str:
    """Return an answer as JSON: numpy's numbers become plain ones, zeros have no sign, NaN is refused."""
    text = json.dumps(answer, ensure_ascii=ascii_only, allow_nan=False, default=json_value)
    return _JSON_ZERO.sub(lambda part: part[0].removeprefix("-"), text)


def cards(mask: int, trump: int = NO_TRUMP, bowers: bool = False) -> str:
    """Return cards as a player holds them: trumps first."""
    return " ".join(map(card_symbol, sorted_cards(mask, trump, bowers)))


def suit(number: int) -> str:
    """Return a suit symbol, or ``NT``."""
    return "NT" if number == NO_TRUMP else SYMBOLS[number]


def number_of(count: int, noun: str) -> str:
    """Return ``"1 layout"``, ``"11,440 layouts"``, ``"2 kitties"``."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return ``"layouts"``, ``"kitties"``, ``"matches"``."""
    return noun.removesuffix("y") + "ies" if noun.endswith("ty") else noun + ("es" if noun.endswith("ch") else "s")


def percent(probability: float, digits: int = 1) -> str:
    """Return ``"61.3 %"``."""
    return f"{round(100 * probability, digits) + 0.0:.{digits}f} %"  # without the sign of a zero


def interval(estimate: Estimate, form: str, between: str = " to ") -> str:
    """Return ``"-3 to +4"``, its ends in a format; a text that says so where there is none."""
    return between.join(f"{end:{form}}" for end in estimate.interval) if estimate.interval else "no interval"


def table(
    *columns: str, rows: Iterable[Iterable[RenderableType]] = (), title: str | None = None, texts: int = 1
) -> Table:
    """Return a plain table: the first `texts` columns on the left, numbers on the right, nothing broken."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    lines = [tuple(row) for row in rows]
    for index, column in enumerate(columns):
        words = [word for line in lines if index < len(line) for word in re.findall(r"^ *\S+|\S+", str(line[index]))]
        words = column.split() + [word for word in words if index >= texts or len(word) <= _LONGEST_WORD]
        table.add_column(
            column,
            justify="left" if index < texts else "right",
            min_width=max(map(len, words), default=0),
            overflow="fold",  # a longer text is broken, never cut
        )
    for line in lines:
        table.add_row(*line)
    return table


def closing_lines(*lines: tuple[str, str]) -> Table:
    """Return the last lines of an answer: what was counted, the model, the accuracy."""
    grid = Table.grid(padding=(0, 2))
    for name, words in lines:
        grid.add_row(name, words, style="dim")
    return grid


def stack_parts(*parts: RenderableType | None) -> Group:
    """Return the parts of an answer with an empty line between them; None is no part."""
    return Group(*[line for part in parts if part is not None for line in ("", part)][1:])


def json_value(value: Any) -> Any:
    """Return numpy's numbers and arrays, and records, as JSON can write them."""
    for convert in ("tolist", "to_json"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    raise TypeError(f"{type(value).__name__} does not belong in an answer")


def rules_text(rules: Sequence[Rule]) -> RenderableType:
    """Return the rules under their headings, each with its id."""
    parts: list[RenderableType] = []
    for section, entries in groupby(rules, key=lambda rule: rule.section):
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        for rule in entries:
            grid.add_row(Text(rule.id, style="bold"), Text(rule.text))
        parts += [Text(section, style="bold"), Padding(grid, (0, 0, 1, 0))]
    return Group(*parts)
