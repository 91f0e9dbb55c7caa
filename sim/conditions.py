"""Conditions on a deal, written as a small expression and checked before anything is dealt.

    trumps(me) >= 3 and holds(me, JS) and not holds(them, AS)
    length(N, S) >= 5 and 12 <= points(N) <= 14 or length(N, H) >= 6

    trumps(seat)                 how many trumps they hold (the left bower is one, TB-17)
    length(seat, suit)           how many cards of a suit, S H D C, as they are followed
    holds(seat, card, …)         whether they hold all of these cards
    count(seat, card, …)         how many of these cards they hold
    points(seat)                 4 an ace, 3 a king, 2 a queen, 1 a jack

joined by `and`, `or`, `not`, comparisons and + − *. Python's own parser reads the text; nothing but the above passes.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import NDArray

from towerlab.games.cards import DECK_54, NO_TRUMP, card_text, effective_suit, mask_cards, parse_card, parse_suit
from towerlab.games.errors import CardError, DealError, did_you_mean

Masks = Mapping[str, NDArray[np.int64]]
Values = NDArray[Any]

_FUNCTIONS = ("trumps", "length", "holds", "count", "points")
_COMPARISONS: dict[type[ast.cmpop], Callable[[Values, Values], Values]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Values, Values], Values]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_CARD = re.compile(r"""(?<!["'\w])(10|[2-9TJQKA])([SHDC♠♥♦♣])(?!["'\w])|(?<!["'\w])(X[12])(?!["'\w])""", re.I)
_HONOURS = tuple(sum(1 << (13 * suit + rank) for suit in range(4)) for rank in (12, 11, 10, 9))  # A K Q J


@dataclass(frozen=True)
class CardRange:
    """Between `low` and `high` of the cards of `mask` lie in the hand of `seat`."""

    seat: str
    mask: int
    low: int
    high: int


@dataclass(frozen=True)
class Condition:
    """A checked condition.

    Attributes:
        text: as written.
        ranges: the part that is a plain "so many of these cards", which dealing fulfils without trying.
        test: the rest: hands by seat, each an int64 array [deals] → bool array [deals]; None when there is no rest.
    """

    text: str
    ranges: tuple[CardRange, ...]
    test: Callable[[Masks], NDArray[np.bool_]] | None


def parse_condition(
    text: str, seats: tuple[str, ...], trump: int = NO_TRUMP, bowers: bool = False, deck: int = DECK_54
) -> Condition:
    """A condition from its text.

    Args:
        text: the expression; may be empty.
        seats: names that may stand first in the brackets.
        trump, bowers: what `trumps` and `length` count by.
        deck: the pack the named cards must belong to.

    Raises:
        DealError: it cannot be read, or names what does not exist.

    >>> condition = parse_condition("trumps(me) >= 3 and holds(me, JS)", ("me", "them"), trump=3, bowers=True)
    >>> [(found.seat, found.low) for found in condition.ranges], condition.test
    ([('me', 3), ('me', 1)], None)
    """
    if not text.strip():
        return Condition("", (), None)
    try:
        return _read_condition(text, seats, trump, bowers, deck)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, DealError):
            raise
        raise DealError(
            f"the condition {shorten(text, 200)!r} cannot be read; expected one like "
            '"trumps(me) >= 3 and holds(me, JS)"'
        ) from None


def _read_condition(text: str, seats: tuple[str, ...], trump: int, bowers: bool, deck: int) -> Condition:
    quoted = _CARD.sub(lambda found: repr(found.group(0)), text)
    tree = ast.parse(quoted.strip(), mode="eval").body
    reader = _Reader(text, seats, trump, bowers, deck)
    ranges: list[CardRange] = []
    rest: list[Callable[[Masks], Values]] = []
    for part in _joined_by_and(tree):
        test = reader.test(part)  # checks every part, also those that become ranges
        found = reader.ranges(part)
        if found is None:
            rest.append(test)
        else:
            ranges += found
    if not rest:
        return Condition(text, tuple(ranges), None)
    return Condition(text, tuple(ranges), lambda hands: np.logical_and.reduce([test(hands) for test in rest]))


def _joined_by_and(node: ast.expr) -> list[ast.expr]:
    """The parts of which all have to hold, those in brackets too."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [part for value in node.values for part in _joined_by_and(value)]
    return [node]


class _Reader:
    """Turns a syntax tree into functions of the hands, refusing whatever is not in the little language."""

    def __init__(self, text: str, seats: tuple[str, ...], trump: int, bowers: bool, deck: int) -> None:
        self._text, self._seats, self._trump, self._bowers, self._deck = text, seats, trump, bowers, deck

    # ------------------------------------------------------------------------------------------------------- meaning

    def test(self, node: ast.expr) -> Callable[[Masks], Values]:
        """The truth of an expression for every deal."""
        if isinstance(node, ast.BoolOp):
            tests = [self.test(value) for value in node.values]
            join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            return lambda hands: join.reduce([test(hands) for test in tests])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            test = self.test(node.operand)
            return lambda hands: ~test(hands)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if self._function(node) == "holds":
            seat, mask = self._counted(node)
            return lambda hands: (hands[seat] & mask) == mask
        raise self._refusal(node, "a comparison, holds(…), and, or, not")

    def _comparison(self, node: ast.Compare) -> Callable[[Masks], Values]:
        numbers = [self._number(value) for value in (node.left, *node.comparators)]
        for sign in node.ops:
            if type(sign) not in _COMPARISONS:
                raise self._refusal(node, "one of < <= > >= == !=")
        compare = [_COMPARISONS[type(sign)] for sign in node.ops]

        def test(hands: Masks) -> Values:
            values = [number(hands) for number in numbers]
            truths = [holds(values[place], values[place + 1]) for place, holds in enumerate(compare)]
            return np.asarray(np.logical_and.reduce(truths))

        return test

    def _number(self, node: ast.expr) -> Callable[[Masks], Values]:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            value = np.int64(node.value)
            return lambda hands: np.full(next(iter(hands.values())).shape, value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = self._number(node.operand)
            return lambda hands: -number(hands)
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            left, right, combine = self._number(node.left), self._number(node.right), _ARITHMETIC[type(node.op)]
            return lambda hands: combine(left(hands), right(hands))
        name = self._function(node)
        if name == "points":
            seat = self._only_seat(node)
            return lambda hands: sum((4 - place) * _size(hands[seat] & mask) for place, mask in enumerate(_HONOURS))  # type: ignore[return-value]
        if name in ("trumps", "length", "count"):
            seat, mask = self._counted(node)
            return lambda hands: _size(hands[seat] & mask)
        raise self._refusal(node, "a whole number, trumps(…), length(…), count(…), points(…)")

    # -------------------------------------------------------------------------------------------------------- ranges

    def ranges(self, node: ast.expr) -> list[CardRange] | None:
        """What an expression demands, when it demands no more than so many of some cards; else None."""
        if self._function(node) == "holds":
            seat, mask = self._counted(node)
            return [CardRange(seat, mask, mask.bit_count(), mask.bit_count())]
        if isinstance(node, ast.UnaryOp) and self._function(node.operand) == "holds":
            seat, mask = self._counted(node.operand)
            return [CardRange(seat, mask, 0, mask.bit_count() - 1)]
        if not isinstance(node, ast.Compare):
            return None
        found = []
        values = [node.left, *node.comparators]
        for place, sign in enumerate(node.ops):
            one = self._range(values[place], type(sign), values[place + 1])
            if one is None:
                return None
            found.append(one)
        return found

    def _range(self, left: ast.expr, sign: type[ast.cmpop], right: ast.expr) -> CardRange | None:
        if isinstance(left, ast.Constant) and sign in _MIRRORED:
            left, sign, right = right, _MIRRORED[sign], left
        if self._function(left) not in ("trumps", "length", "count"):
            return None
        if not isinstance(right, ast.Constant) or sign not in _MIRRORED:
            return None
        seat, mask = self._counted(left)
        size, bound = mask.bit_count(), int(str(right.value))
        low, high = {
            ast.Lt: (0, bound - 1),
            ast.LtE: (0, bound),
            ast.Gt: (bound + 1, size),
            ast.GtE: (bound, size),
            ast.Eq: (bound, bound),
        }[sign]
        return CardRange(seat, mask, max(0, low), min(size, high))

    # -------------------------------------------------------------------------------------------------------- pieces

    def _function(self, node: ast.expr) -> str | None:
        """The name of a call; None for anything else."""
        if not isinstance(node, ast.Call):
            return None
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        if name not in _FUNCTIONS:
            raise DealError(f"unknown function {name!r} in {self._text!r}; {did_you_mean(name, _FUNCTIONS)}")
        if node.keywords or not node.args:
            raise self._refusal(node, f"{name}(seat{'' if name in ('trumps', 'points') else ', …'})")
        return name

    def _seat(self, node: ast.expr) -> str:
        name = _word(node)
        if name not in self._seats:
            raise DealError(f"unknown seat {name!r} in {self._text!r}; expected one of: {', '.join(self._seats)}")
        return name

    def _only_seat(self, node: ast.expr) -> str:
        assert isinstance(node, ast.Call)
        if len(node.args) != 1:
            raise self._refusal(node, "only a seat in the brackets")
        return self._seat(node.args[0])

    def _counted(self, node: ast.expr) -> tuple[str, int]:
        """(seat, cards counted) of a call."""
        assert isinstance(node, ast.Call)
        name = self._function(node)
        if name == "trumps":
            if self._trump == NO_TRUMP:
                raise DealError(f"{self._text!r} counts trumps; expected a trump suit to be given")
            return self._only_seat(node), self._suit_mask(self._trump)
        seat, rest = self._seat(node.args[0]), node.args[1:]
        try:
            if name == "length" and len(rest) == 1:
                return seat, self._suit_mask(parse_suit(_word(rest[0])))
            if name != "length" and rest:
                return seat, self._named_cards(rest)
        except CardError as error:
            raise DealError(f"{error}, in {self._text!r}") from None
        raise self._refusal(node, "length(seat, suit)" if name == "length" else f"{name}(seat, card, …)")

    def _named_cards(self, nodes: list[ast.expr]) -> int:
        mask = 0
        for node in nodes:
            card = parse_card(_word(node))
            if not self._deck >> card & 1:
                raise CardError(f"{card_text(card)} is not in the pack of {self._deck.bit_count()} cards")
            mask |= 1 << card
        return mask

    def _suit_mask(self, suit: int) -> int:
        cards = mask_cards(self._deck)
        return sum(1 << card for card in cards if effective_suit(card, self._trump, self._bowers) == suit)

    def _refusal(self, node: ast.expr, expected: str) -> DealError:
        return DealError(f"{ast.unparse(node)!r} in {self._text!r} cannot be; expected {expected}")


def _word(node: ast.expr) -> str:
    """A seat, suit or card as written."""
    if isinstance(node, ast.Name):
        return node.id
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)


def _size(masks: Values) -> Values:
    return np.bitwise_count(masks).astype(np.int64)
