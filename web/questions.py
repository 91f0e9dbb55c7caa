"""How is a question asked in the browser? As a form: a command, its page, its answer and what is wrong.

Example:
    towerlab serve
"""

import functools
import itertools
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.catalog import GAMES
from towerlab.games.cards import DECK_54, parse_cards
from towerlab.games.errors import CardError, TowerlabError, fields_of
from towerlab.web.pages import render

LONGEST_ANSWER = 400  # rows of a table
_NOT_ASKED: Final = ("json", "quiet", "jobs", "source", "out", "resume", "certificate", "game", "at", "policy")
_SIZES: Final = ("kitties", "layouts", "deals")  # of samples, which examples take smaller than is usual
MOST_SECONDS: Final = 45.0  # that may be asked for


class QuestionError(TowerlabError):
    """A refusal of the answers to a form, and in which field (empty: not one field's fault)."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class QuestionForm:
    """A command as a form: names, help and types are read off its options.

    Attributes:
        path: ``"upcard"``, ``"claim/bowers"``.
        load: a function that returns the command that answers it; it can be pickled.
        game: the name of the game that the command belongs to.
    """

    path: str
    load: Callable[[], click.Command]
    game: str

    @functools.cached_property
    def command(self) -> click.Command:
        return self.load()

    @property
    def title(self) -> str:
        name = self.path.partition("/")[0].replace("upcard", "up-card")
        return f"{name.capitalize()}, {GAMES[self.game].title}"

    @property
    def help(self) -> str:
        return " ".join((self.command.help or "").split())

    @functools.cached_property
    def fields(self) -> dict[str, click.Option]:
        """The options that are asked for, by name, those of the example first."""
        parameters = [option for option in self.command.params if option.name not in _NOT_ASKED]
        options = [option for option in parameters if isinstance(option, click.Option)]
        options.sort(key=lambda option: not (option.required or self._example.get(option.name)))
        return {_name(option): option for option in options}

    @functools.cached_property
    def first_values(self) -> dict[str, str]:
        """Return the values with which the form is filled in at first."""
        example = {name: self._example.get(option.name) for name, option in self.fields.items() if name not in _SIZES}
        return {name: value for name, value in example.items() if value}

    @functools.cached_property
    def _example(self) -> dict[str | None, str]:
        """The values of the first example of the command's help, by parameter."""
        text = (self.command.epilog or "").replace("\\\n", " ").partition("Example:")[2].strip()
        words = shlex.split(text.splitlines()[0]) if text else []
        options = list(itertools.dropwhile(lambda word: not word.startswith("-"), words))
        made = self.command.make_context(self.path, options, resilient_parsing=True, help_option_names=["-h", "--help"])
        return {
            name: " ".join(map(str, value)) if isinstance(value, tuple) else "1" if value is True else str(value)
            for name, value in made.params.items()
            if made.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
        }

    def answer(self, values: Mapping[str, str], brought: Collection[str]) -> present.Shown:
        """Return the command's answer.

        Args:
            values: the values of the fields, by name.
            brought: players of the user's that may be named besides ours.

        Raises:
            QuestionError: what is wrong, and in which field.
        """
        given = {_name(part) for part in self.command.params}
        words = [word for word in ("--quiet", "--jobs=1") if word[2:].partition("=")[0] in given]
        for name, value in values.items():
            option = self.fields[name]
            if option.is_flag:
                words.append(f"--{name}")
            else:
                words += [f"--{name}={part}" for part in (value.split() if option.multiple else [value])]
        try:
            with self.command.make_context(self.command.name, words, obj=tuple(brought)) as context:
                if (context.params.get("seconds") or 0) > MOST_SECONDS:
                    raise click.BadParameter(f"expected at most {MOST_SECONDS:.0f}", param=self.fields["seconds"])
                answer: present.Shown = self.command.invoke(context)
        except (click.UsageError, TowerlabError) as error:
            message = error.format_message() if isinstance(error, click.UsageError) else str(error)
            raise QuestionError(message, self._at_fault(error, values)) from error
        return answer

    def _at_fault(self, error: Exception, values: Mapping[str, str]) -> str:
        """Return the name of the field that the error blames, or whose text should name cards and does not."""
        if isinstance(option := getattr(error, "param", None), click.Option):
            return _name(option)
        named = [name.replace("_", "-") for name in fields_of(error)]
        strange = [name for name in values if (self.fields[name].metavar or "").startswith("CARD")]
        unread = [name for name in strange if isinstance(error, CardError) and not _holds_cards(values[name])]
        return next((name for name in (*named, *unread) if name in self.fields), "")


def _name(option: click.Parameter) -> str:
    return max(option.opts, key=len).lstrip("-")


def _holds_cards(text: str) -> bool:
    try:
        parse_cards(text, DECK_54)
    except CardError:
        return False
    return True


def question_page(
    question: QuestionForm, values: Mapping[str, str], parts: Sequence[dict[str, Any]], error: QuestionError | None
) -> str:
    """Return the form with what was filled in, and the answer or what is wrong."""
    fields = [_field(name, option) for name, option in question.fields.items()]
    shown = question.first_values.keys() | {name for name, value in values.items() if value}
    wanted = [field for field in fields if field["required"] or field["name"] in shown]
    return render(
        "question.html.j2",
        title=f"{question.title} – towerlab",
        question=question,
        groups=[("", wanted), ("More", [field for field in fields if field not in wanted])],
        values=values,
        error=error,
        parts=parts,
    )


def _field(name: str, option: click.Option) -> dict[str, Any]:
    """Return a field of the form: ``kind`` is "text", "number", "choice" or "flag", ``hint`` what may be written."""
    choices = tuple(map(str, option.type.choices)) if isinstance(option.type, click.Choice) else ()
    is_text = isinstance(option.type, click.types.StringParamType)
    kind = "flag" if option.is_flag else "choice" if choices else "text" if is_text else "number"
    has_default = option.show_default and option.default is not None and kind != "flag"
    hints = (
        option.metavar if kind in ("text", "number") else None,
        f"left empty: {option.default}" if has_default else None,
        "several are separated by blanks" if option.multiple else None,
    )
    return {
        "name": name,
        "label": name.replace("-", " "),
        "help": " ".join((option.help or "").replace("`", "").split()),
        "kind": kind,
        "choices": choices,
        "hint": "; ".join(filter(None, hints)),
        "required": option.required,
    }


def answer_parts(answer: present.Shown) -> list[dict[str, Any]]:
    """Return an answer as the terminal shows it, as paragraphs and tables."""
    return list(_parts(answer.__rich__()))


def _parts(shown: RenderableType) -> Iterator[dict[str, Any]]:
    """Yield what the terminal shows, as paragraphs and tables."""
    if isinstance(shown, Group):
        for part in shown.renderables:
            yield from _parts(part)
    elif isinstance(shown, Table):
        rows = list(zip(*([_plain(cell) for cell in column.cells] for column in shown.columns), strict=True))
        yield {
            "title": _plain(shown.title or ""),
            "columns": [(_plain(column.header), column.justify == "right") for column in shown.columns],
            "rows": rows[:LONGEST_ANSWER],
        }
    elif text := _plain(shown).strip("\n"):
        yield {"text": text}


def _plain(shown: Any) -> str:
    if isinstance(shown, str):
        return shown
    return shown.plain if isinstance(shown, Text) else present.as_text(shown)
