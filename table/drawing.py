"""How is a scene drawn in a terminal? In lines of 60 to 80 columns, readable without colour."""

import shutil
import textwrap
from collections.abc import Sequence
from typing import Final

from rich.text import Text

from towerlab.analysis.advice import Advice, Choice
from towerlab.analysis.decision import Verdict
from towerlab.table.scene import FACE_DOWN, Block, Cards, Facts, Scene, Towers

_STRAINS: Final = ("♣", "♦", "♥", "♠", "NT")
_SYMBOLS: Final = dict(zip("CDHS", "♣♦♥♠", strict=True))


def card_words(card: str) -> str:
    """A card with its suit symbol: ``"10♥"`` for ``"TH"``; a bare rank and a joker as they are."""
    if len(card) == 2 and card[1] in _SYMBOLS:
        return ("10" if card[0] == "T" else card[0]) + _SYMBOLS[card[1]]
    return {"X1": "Joker1", "X2": "Joker2", "T": "10"}.get(card, card)


def line_width() -> int:
    """Of a line: what the terminal has, 79 at most."""
    return min(79, max(59, shutil.get_terminal_size().columns - 1))


def draw_scene(scene: Scene) -> list[Text]:
    """The lines of a scene."""
    lines = [Text(scene.heading, style="bold")]
    for part in scene.parts:
        if isinstance(part, Facts):
            lines += [Text(line) for line in _wrap([f"{name}: {value}" for name, value in part.facts], "   ")]
        elif isinstance(part, Cards):
            lines += _row(part)
        else:
            lines += _towers(part)
    if scene.verdict:
        lines.append(Text(scene.verdict, style="bold"))
    return lines


def bid_order(cell: tuple[str, str] | None) -> tuple[int, int]:
    """Return the place of a bid among bids, by level and suit; what is no bid comes before them."""
    return (-1, 0) if cell is None else (int(cell[0]), _STRAINS.index(cell[1]))


def draw_choices(choices: Sequence[Choice], advice: Advice | None = None) -> list[Text]:
    """The numbered actions, in as few lines as they fit; with advice one a line and what each costs."""
    numbered = [(number, choice) for number, choice in enumerate(choices, 1) if not choice.is_aside]
    numbered.sort(key=lambda item: bid_order(item[1].cell))
    said = [choice.words[0] for choice in choices if choice.is_aside]  # at any time, in a line
    asides = [f"Or say: {said[0]}" + ("" if len(said) == 1 else f" … {said[-1]}")] if said else []
    lines: list[str] = []
    if advice is not None:
        for number, choice in numbered:
            lines.append(f"{number:3} {choice.text}")
            if (known := advice.of(choice.action)) is not None:
                cost = advice.scale.cost_words(known.cost.mean).replace(advice.scale.noun, advice.scale.short)
                lines[-1] = f"{lines[-1]:34} {cost:>14}  {known.note}".rstrip()
        return [*map(Text, [*lines, *asides]), *advice_lines(advice, listed=True)]
    groups = [choice.cell[0] if choice.cell else choice.card if choice.label else "" for _, choice in numbered]
    words = [(f"{number} {choice.text}", group) for (number, choice), group in zip(numbered, groups, strict=True)]
    width = max((len(word) + 2 for word, _ in words), default=1)
    group = ""
    for word, own in words:  # places of one card, and bids of as many tricks, begin a new line
        if not lines or len(lines[-1]) + len(word) > line_width() or own != group:
            lines.append("")
        lines[-1] += word.ljust(width)
        group = own
    return [Text(line.rstrip()) for line in [*lines, *asides]]


def advice_lines(advice: Advice, listed: bool = False) -> list[Text]:
    """The advice in a few lines: what is best, how sure, by which model."""
    lines = [Text(line) for line in textwrap.wrap(advice.sentence, line_width())]
    for words, option in advice.lines[: 0 if listed else 4]:
        cost = advice.scale.cost_words(option.cost.mean)
        said = "" if cost == Verdict.BEST else cost
        lines.append(Text(f"{advice.label(option):8} {words:30} {said:14}  {option.note}".rstrip()))
    lines += map(Text, textwrap.wrap(advice.remark, line_width()))
    model = _wrap(advice.method.split(" "), " ")
    return [*lines, *(Text(line, style="dim") for line in model)]


def _row(row: Cards) -> list[Text]:
    if not row.cards:
        return [Text(f"{row.title}: {row.note or 'none'}")]
    words = (
        [_word(row, place) for place in range(len(row.cards))] if any(row.cards) else [f"{len(row.cards)} face down"]
    )
    note = [f"({row.note})"] if row.note else []
    return [Text(line) for line in _wrap([f"{row.title}:", *words, *note], " ")]


def _word(row: Cards, place: int) -> str:
    card = row.cards[place]
    word = "##" if card == FACE_DOWN else card_words(card)
    if row.labels:
        word = f"{row.labels[place]} {word}"
    word = f"[{word}]" if place in row.marked else word
    return word + "," * (bool(row.labels) and place < len(row.cards) - 1)


def _towers(towers: Towers) -> list[Text]:
    width = max([5, *(len(card_words(block.text)) + 3 for block in towers.blocks)])
    cells = {end: _cell(block, end) for block in towers.blocks for end in block.ends}
    lines = []
    for level in range(towers.height - 1, -1, -1):
        row = [cells.get((column, level), "").center(width) for column in range(len(towers.names))]
        lines.append(Text(f"{level + 1:3} " + "".join(row).rstrip()))
    ground = "    " + "".join(name.center(width, "_") for name in towers.names)
    return [Text(towers.title), *lines, Text(ground)]


def _cell(block: Block, end: tuple[int, int]) -> str:
    """A bridge's ends point at each other: ``"Q=>"`` and ``"<=Q"``."""
    word = card_words(block.text)
    if block.kind != "bridge":
        return word
    first, second = block.ends
    wraps = second[0] - first[0] != 1  # the last side of a square
    return f"{word}=>" if (end == first) != wraps else f"<={word}"


def _wrap(words: Sequence[str], between: str) -> list[str]:
    lines = [""]
    for word in words:
        line = f"{lines[-1]}{between}{word}" if lines[-1] else word
        if len(line) <= line_width():
            lines[-1] = line
        else:
            lines.append("  " + word)
    return lines
