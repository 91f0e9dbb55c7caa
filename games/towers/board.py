"""How are boards of Towers written, and can a board stand at all?

>>> board = Board.parse("J Qb | K Qb Kb | 9 7 Kb K | -")
>>> str(board)
'J Qb | K Qb Kb | 9 7 Kb K | -'
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from towerlab.games.arrays import Array
from towerlab.games.engine import make_can
from towerlab.games.errors import CardError, IllegalAction
from towerlab.games.towers.options import SPANS, SUPPORT_ALWAYS, SUPPORT_CHECK, TowersOptions
from towerlab.games.towers.rules import ACE, COLUMNS, are_level_equals, new_board, other_end, span_of, value_of

RANKS: Final = "A23456789TJQK"
BRIDGE_TAGS: Final = "abcd"
_EMPTY_COLUMN = ("", "-", "∅", ".")
_MOST_READINGS = 64  # far more than four cards of a rank can give on a board that stands
_SECTION = re.compile(r"(10|[A23456789TJQK])(?:(B)([A-Z])?)?")


class StandingError(IllegalAction):
    """A board that the rules do not let stand; names the rule."""


class _Token(NamedTuple):
    """One section as written in one column; equal labels of bridges may be one bridge."""

    value: int
    is_bridge: bool
    tag: str


_Tokens: TypeAlias = "tuple[tuple[_Token, ...], ...]"
_Spans: TypeAlias = "tuple[tuple[int, ...], ...]"


def rank_text(value: int) -> str:
    """``"A"`` for 1, ``"T"`` for 10, …"""
    return RANKS[value - 1]


def parse_rank(text: str) -> int:
    """Value 1..13 of ``A 2 … 9 T J Q K`` (``10`` too).

    Raises:
        CardError: not a rank.
    """
    upper = text.strip().upper().replace("10", "T")
    if len(upper) != 1 or upper not in RANKS:
        raise CardError(f"{text!r} is not a card of Towers; expected a rank A 2 .. 9 T J Q K without a suit (TR-1)")
    return RANKS.index(upper) + 1


def parse_ranks(text: str) -> list[int]:
    """Return values of ranks separated by spaces or commas.

    Raises:
        CardError: something among them is not a rank.
    """
    return [parse_rank(word) for word in text.replace(",", " ").split()]


@dataclass(frozen=True)
class BoardSection:
    """One section of a board and where it stands.

    Attributes:
        value: the value of the card, 1..13.
        ends: (column, level) of the card, from 0 and from 1; two of them for a bridge, its left column first.
    """

    value: int
    ends: tuple[tuple[int, int], ...]

    @property
    def is_bridge(self) -> bool:
        return len(self.ends) == 2

    @property
    def rank(self) -> str:
        return rank_text(self.value)


@dataclass(frozen=True)
class Board:
    """Four columns of section codes (see `games.towers.rules`), from the ground up.

    Attributes:
        columns: the section codes of each column.
        spans: the number of pairs of adjacent columns: 3 in a line, 4 in a square.
    """

    columns: tuple[tuple[int, ...], ...]
    spans: int = 3

    @classmethod
    def parse(cls, text: str, options: TowersOptions | None = None) -> Board:
        """A board from notation: columns separated by ``|``, bottom to top, a bridge marked ``b`` in both columns.

        Raises:
            CardError: a card that does not exist.
            StandingError: not four columns, a bridge without its other end, or a board that cannot stand.
        """
        options = options or TowersOptions()
        words = [column.replace(",", " ").split() for column in text.split("|")]
        if len(words) != COLUMNS:
            raise StandingError(f"a board has 4 columns separated by '|'; found {len(words)}", "TR-2")
        tokens = tuple(tuple(_read_section(word) for word in column if word not in _EMPTY_COLUMN) for column in words)
        spans = int(options.rules()[SPANS])
        _check_tokens(tokens)
        boards = [cls(_codes(tokens, reading), spans) for reading in _readings(tokens, spans, limit=_MOST_READINGS)]
        standing = [board for board in boards if make_can(board.check)(options)]
        if len(standing) > 1:
            raise StandingError(
                "the columns leave open which bridge is which; tell equal bridges apart by letters: 3ba, 3bb", "TR-5"
            )
        if not boards:
            raise StandingError("the bridges do not join: no order of laying them gives these columns", "TR-5")
        if not standing:
            boards[0].check(options)
        return standing[0]

    @classmethod
    def from_array(cls, array: Array, spans: int = 3) -> Board:
        """Return a board from the kernel's int64[4, 53]."""
        return cls(tuple(tuple(int(s) for s in column[1 : column[0] + 1]) for column in array), spans)

    def to_array(self) -> Array:
        """Return a fresh int64[4, 53] for the kernels."""
        array = new_board()
        for index, column in enumerate(self.columns):
            array[index, 0] = len(column)
            array[index, 1 : len(column) + 1] = column
        return array

    def __str__(self) -> str:
        tokens = tuple(tuple(_Token(value_of(s), span_of(s) >= 0, "") for s in column) for column in self.columns)
        spans = tuple(tuple(span_of(s) for s in column if span_of(s) >= 0) for column in self.columns)
        readings = _readings(tokens, self.spans, limit=2)
        tags = self._tags() if readings != (spans,) else {}
        return " | ".join(
            " ".join(_write_section(section, tags.get((c, i), "")) for i, section in enumerate(column, 1)) or "-"
            for c, column in enumerate(self.columns)
        )

    @property
    def heights(self) -> tuple[int, ...]:
        """The number of sections of each column."""
        return tuple(len(column) for column in self.columns)

    def sections(self) -> Iterator[BoardSection]:
        """Return every section once, column by column from the ground up; a bridge in its first column."""
        array = self.to_array()
        for c, column in enumerate(self.columns):
            for level, code in enumerate(column, 1):
                span = span_of(code)
                if span < 0:
                    yield BoardSection(value_of(code), ((c, level),))
                elif span == c:
                    yield BoardSection(value_of(code), ((c, level), ((c + 1) % COLUMNS, other_end(array, c, level))))

    def values(self) -> Counter[int]:
        """Return the number of cards of each value on the board."""
        return Counter(section.value for section in self.sections())

    def check(self, options: TowersOptions) -> None:
        """Check that the board could stand between two turns (TR-10).

        Raises:
            StandingError: what is wrong with it, and the rule.
        """
        array = self.to_array()
        rules = options.rules()
        for section in self.sections():
            if section.is_bridge:
                self._check_bridge(section)
        for c, column in enumerate(self.columns):
            for level in range(2, len(column) + 1 if rules[SUPPORT_CHECK] == SUPPORT_ALWAYS else 0):
                above, below = column[level - 1], column[level - 2]
                if span_of(above) < 0 and value_of(below) != ACE and value_of(below) < value_of(above):
                    raise StandingError(
                        f"{rank_text(value_of(above))} at level {level} of column {c + 1} rests on a weaker "
                        f"{rank_text(value_of(below))}",
                        "TR-10",
                    )
            for other in range(c + 1, COLUMNS):
                for level in range(1, min(len(column), len(self.columns[other])) + 1):
                    if are_level_equals(array, c, other, level, rules):
                        raise StandingError(
                            f"two equal cards level: {rank_text(value_of(column[level - 1]))} at level {level} of "
                            f"columns {c + 1} and {other + 1}",
                            "TR-10",
                        )

    def _check_bridge(self, section: BoardSection) -> None:
        (left, low), (right, high) = section.ends
        name = f"bridge {section.rank} over columns {left + 1} and {right + 1}"
        if min(low, high) == 1:
            raise StandingError(f"{name} lies on the ground; a bridge needs a section under both ends", "TR-10")
        if abs(low - high) > 1:
            raise StandingError(f"{name} is uneven by {abs(low - high)}; at most 1 can stand", "TR-10")
        if span_of(self.columns[left][low - 2]) == span_of(self.columns[right][high - 2]) == left:
            raise StandingError(f"{name} rests with both ends on one and the same bridge", "TR-5")

    def _tags(self) -> dict[tuple[int, int], str]:
        """Return a letter for each end of the bridges whose value is not theirs alone."""
        seen: dict[int, list[BoardSection]] = {}
        for section in self.sections():
            if section.is_bridge:
                seen.setdefault(section.value, []).append(section)
        return {
            end: BRIDGE_TAGS[index]
            for equal in seen.values()
            if len(equal) > 1
            for index, section in enumerate(equal)
            for end in section.ends
        }


# --------------------------------------------------------------------------------------------------------- notation


def _read_section(word: str) -> _Token:
    match = _SECTION.fullmatch(word.upper())
    if match is None:
        raise CardError(
            f"{word!r} is not a section; expected a rank A 2 .. 9 T J Q K, with b for a bridge: 7, Kb, 3ba (TR-1)"
        )
    return _Token(parse_rank(match[1]), match[2] is not None, (match[3] or "").lower())


def _write_section(section: int, tag: str) -> str:
    return rank_text(value_of(section)) + ("b" + tag if span_of(section) >= 0 else "")


def _codes(tokens: _Tokens, spans: _Spans) -> tuple[tuple[int, ...], ...]:
    """Section codes of columns whose bridges have these spans."""
    left = [iter(column) for column in spans]
    return tuple(
        tuple(token.value + 16 * (next(span) + 1 if token.is_bridge else 0) for token in column)
        for column, span in zip(tokens, left, strict=True)
    )


def _check_tokens(tokens: _Tokens) -> None:
    """There are four cards of a rank, and every bridge must be written in two columns at least.

    Raises:
        StandingError: it is not so.
    """
    ends: Counter[int] = Counter()
    for token in itertools.chain(*tokens):
        ends[token.value] += 1 if token.is_bridge else 2
        if token.is_bridge and sum(token in other for other in tokens) < 2:
            name = rank_text(token.value) + "b" + token.tag
            raise StandingError(f"bridge {name} has no second end in an adjacent column", "TR-5")
    for value, count in ends.items():
        if count > 8:
            raise StandingError(f"{(count + 1) // 2} cards of rank {rank_text(value)}; the pack has four", "TR-1")


def _readings(tokens: _Tokens, n_spans: int, limit: int) -> tuple[_Spans, ...]:
    """Return the spans of the bridges of each column, in the ways (at most `limit`) in which their ends fit together.

    They are laid again from the ground up: the next ones of two neighbours can be one where they are written alike.
    """
    bridges = [[token for token in column if token.is_bridge] for column in tokens]

    @functools.cache
    def still(counts: tuple[int, ...]) -> tuple[_Spans, ...]:
        """Return the spans of the bridges of each column above those that are laid."""
        if all(n == len(b) for n, b in zip(counts, bridges, strict=True)):
            return (((),) * COLUMNS,)
        spans: dict[_Spans, None] = {}
        for span in range(n_spans):
            ends = span, (span + 1) % COLUMNS
            left, other = (bridges[end][counts[end] : counts[end] + 1] for end in ends)
            if left and left == other:
                for above in still(tuple(n + (column in ends) for column, n in enumerate(counts))):
                    spans[tuple((span, *s) if column in ends else s for column, s in enumerate(above))] = None
        return tuple(spans)[:limit]

    return still((0,) * COLUMNS)
