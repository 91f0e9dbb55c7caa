"""How is a scene drawn in a terminal? In lines of 60 to 80 columns, readable without colour.

Example:
    towerlab play towers
"""

import shutil
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rich.text import Text

from towerlab.analysis.advice import Advice, AdvisedAction, Choice
from towerlab.analysis.decision import without_verb
from towerlab.table.game import Prompt
from towerlab.table.scene import FACE_DOWN, LEFT, RIGHT, Block, Cards, Facts, Scene, Towers

_SYMBOLS: Final = dict(zip("CDHS", "♣♦♥♠", strict=True))


def card_words(card: str) -> str:
    """A card with its suit symbol: ``"10♥"`` for ``"TH"``; a bare rank and a joker as they are."""
    if len(card) == 2 and card[1] in _SYMBOLS:
        return ("10" if card[0] == "T" else card[0]) + _SYMBOLS[card[1]]
    return {"X1": "Joker1", "X2": "Joker2", "T": "10"}.get(card, card)


def line_width() -> int:
    """Return the width of a line: the terminal's, at most 79."""
    return min(79, max(39, shutil.get_terminal_size().columns - 1))


def card_numbers(prompt: Prompt) -> dict[str, int]:
    """Return the number that is typed for each card of the hand: its place in a set of cards, else of its action."""
    if prompt.pick is not None:
        return {card: place for place, card in enumerate(prompt.pick.cards, 1)}
    return {choice.card: number for number, choice in enumerate(prompt.choices, 1) if choice.is_card}


def draw_scene(scene: Scene, prompt: Prompt | None = None) -> list[Text]:
    """The lines of a scene; with a prompt the cards of the hand are numbered as they are typed."""
    numbers = {} if prompt is None else card_numbers(prompt)
    lines = [Text(scene.heading, style="bold")]
    for part in scene.parts:
        if isinstance(part, Facts):
            facts = _wrap([f"{name}: {value}" for name, value in part.facts], "   ")
            lines += [Text(line) for fact in facts for line in textwrap.wrap(fact, line_width(), drop_whitespace=True)]
        elif isinstance(part, Cards):
            part = _explained(part, scene.trumps)
            lines += _numbered_row(part, numbers) if part.own and numbers.keys() & {*part.cards} else _row(part)
        else:
            lines += _towers(part)
    if scene.verdict:
        lines += [Text(line, style="bold") for line in textwrap.wrap(scene.verdict, line_width())]
    return lines


def _explained(row: Cards, trumps: Mapping[str, str]) -> Cards:
    """Return a row with what only its place and the drawing of its cards say in the browser: its side, and bowers."""
    side = {LEFT: ", on your left", RIGHT: ", on your right"}.get(row.area, "")
    bowers = [card for card in row.cards if row.own and trumps.get(card, "").endswith("bower")]
    note = ", ".join(filter(None, [row.note, *(f"{card_words(card)} is the {trumps[card]}" for card in bowers)]))
    return replace(row, title=f"{row.title}{side}", note=note)


def bid_table(cells: Collection[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Return the levels and the suits of a table of bids, the suits as they rank: as the highest level lists them."""
    levels = sorted({level for level, _ in cells}, key=int)
    suits = dict.fromkeys(suit for level, suit in cells if level == levels[-1])
    return levels, list(suits)


def draw_choices(choices: Sequence[Choice], advice: Advice | None = None, *, lists_cards: bool = True) -> list[Text]:
    """The numbered actions, in as few lines as they fit; with advice one a line and what each costs.

    Args:
        lists_cards: whether the cards of the hand are listed too, which may be numbered there.
    """
    numbered = [(number, choice) for number, choice in enumerate(choices, 1) if not choice.is_aside]
    said = [choice.words[0] for choice in choices if choice.is_aside]  # at any time, in a line
    asides = [f"Or say: {said[0]}" + ("" if len(said) == 1 else f" … {said[-1]}")] if said else []
    if advice is not None:
        known = ((f"{number:3}", choice.text, advice.of(choice.action)) for number, choice in numbered)
        rows = [(number, words, advised) for number, words, advised in known if advised is not None]
        return [*advice_lines(advice, rows), *map(Text, asides)]
    bids = {choice.cell: f"{number} {choice.text}" for number, choice in numbered if choice.cell}
    places = {(choice.card, choice.label): str(number) for number, choice in numbered if choice.label}
    labels = sorted({label for _, label in places}, key=lambda label: (len(label), label))
    is_table = len(labels) > 1
    listed = [
        f"{number} {choice.button or choice.text}"
        for number, choice in numbered
        if not choice.cell and not (choice.label and is_table) and (lists_cards or not choice.is_card)
    ]
    lines = _in_columns(listed)
    if bids:
        levels, suits = bid_table(bids)
        lines += _aligned([[bids.get((level, suit), "") for suit in suits] for level in levels])
    if is_table:
        cards = dict.fromkeys(card for card, _ in places)
        columns = [["card", *map(card_words, cards)]]
        for label in labels:
            columns.append([f"on {label}", *(places.get((card, label), "–") for card in cards)])
        lines += _side_by_side(columns)
    return [Text(line) for line in [*lines, *asides]]


def _in_columns(words: Sequence[str]) -> list[str]:
    """Return words in as many columns of one width as fit a line."""
    width = max((len(word) + 2 for word in words), default=1)
    count = max(1, (line_width() + 2) // width)
    rows = (words[start : start + count] for start in range(0, len(words), count))
    return ["".join(word.ljust(width) for word in row).rstrip() for row in rows]


def _side_by_side(columns: Sequence[Sequence[str]]) -> list[str]:
    """Return columns as a table; those that no longer fit a line follow below, the first column before them again."""
    first, *others = columns
    lines = list[str]()
    while others:
        count = len(others)
        while count > 1 and len(_aligned(list(zip(first, *others[:count], strict=True)))[0]) > line_width():
            count -= 1
        lines += _aligned(list(zip(first, *others[:count], strict=True)))
        del others[:count]
    return lines


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table as lines, its columns as wide as they need."""
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    return ["".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def advice_lines(advice: Advice, rows: Sequence[tuple[str, str, AdvisedAction]] | None = None) -> list[Text]:
    """The advice: what is best, why, a line an action, and how that was worked out.

    Args:
        rows: the actions, each with its number, its words and what is known of it; those that cost least for None.
    """
    scale = advice.scale
    lines = [line for sentence in (advice.headline, advice.remark) for line in textwrap.wrap(sentence, line_width())]
    listed = [("", *line) for line in advice.lines[:4]] if rows is None else rows
    if listed:
        lines += textwrap.wrap(f"Each choice: {scale.value}, and its cost in {scale.noun}", line_width())
        lines += _aligned([(number, words, known.note, advice.cost_cell(known)) for number, words, known in listed])
    names = without_verb([words for _, words, _ in listed])
    intervals = (scale.interval_words(known.cost) for _, _, known in listed)
    ends = [f"{name} {interval}" for name, interval in zip(names, intervals, strict=True) if interval]
    sure = f"95 %: {'; '.join(ends)}. " if ends else ""
    method = _wrap(f"{sure}{advice.method}".split(" "), " ")
    return [*map(Text, lines), *(Text(line, style="dim") for line in method)]


def _row(row: Cards) -> list[Text]:
    if not row.cards:
        return [Text(f"{row.title}: {row.note or 'none'}")]
    words = [_word(row, place) for place, card in enumerate(row.cards) if card != FACE_DOWN]
    hidden = len(row.cards) - len(words)
    words += [f"{'and ' * bool(words)}{hidden} face down"] * bool(hidden)
    note = f"({row.note})".split(" ") if row.note else []
    return [Text(line) for line in _wrap([f"{row.title}:", *words, *note], " ")]


def _numbered_row(row: Cards, numbers: Mapping[str, int]) -> list[Text]:
    """Return the cards of a hand, below each the number that is typed for it."""
    cells = []
    for place, card in enumerate(row.cards):
        word = _word(row, place)
        number = str(numbers.get(card, ""))
        width = max(len(word), len(number)) + 2
        cells.append((word.ljust(width), number.ljust(width)))
    lines = textwrap.wrap(f"{row.title}:{f' ({row.note})' if row.note else ''}", line_width())
    heading = len(lines)
    for words, typed in cells:
        if len(lines) == heading or len(lines[-2]) + len(words) > line_width():
            lines += ["  ", "  "]
        lines[-2] += words
        lines[-1] += typed
    return [Text(line.rstrip()) for line in lines]


def _word(row: Cards, place: int) -> str:
    card = row.cards[place]
    word = card_words(card)
    if row.labels:  # names of players and numbers of tricks stand before their cards, what a card counts behind it
        label = row.labels[place]
        word = f"{label} {word}" if row.areas or label.isdecimal() else f"{word} {label}"
    word += " (takes it)" * (place in row.marked and bool(row.areas))
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
