"""How are deals drawn that fit conditions? In batches: every deal that fits is equally likely.

Cards that a condition names as held (`holds`) are dealt first, the others at random; deals that do not fit are
thrown away. A condition is a small expression, checked before anything is dealt::

    trumps(me) >= 3 and holds(me, JS) and not holds(them, AS)
    length(N, S) >= 5 and 12 <= points(N) <= 14 or length(N, H) >= 6

    trumps(seat)                 how many trumps they hold (the left bower is one, TB-17)
    length(seat, suit)           how many cards of a suit, S H D C, as they are followed
    holds(seat, card, …)         whether they hold all of these cards
    count(seat, card, …)         how many of these cards they hold
    points(seat)                 4 an ace, 3 a king, 2 a queen, 1 a jack

joined by `and`, `or`, `not`, comparisons and + − *. Python's own parser reads the text; nothing but the above passes.

>>> from towerlab.games.cards import DECK_24
>>> condition = Condition("holds(me, JS) and trumps(me) >= 2", ("me",), 3, DECK_24)
>>> draw_deals(condition, {"me": 5}, 3, np.random.default_rng(1)).shape
(3, 1)
"""

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from textwrap import shorten
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Ints
from towerlab.games.cards import card_text, effective_suit, mask_cards, parse_card, parse_suit
from towerlab.games.errors import CardError, DealError, did_you_mean

Masks = Mapping[str, Ints]
"""Hands by seat, int64[deals]."""
_SIGNS: Final[Mapping[type[ast.AST], Callable[..., NDArray[Any]]]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip
_FUNCTIONS: Final = ("trumps", "length", "holds", "count", "points")
_CARD: Final = re.compile(r"""(?<!["'\w])(10|[2-9TJQKA])([SHDC♠♥♦♣])(?!["'\w])|(?<!["'\w])(X[12])(?!["'\w])""", re.I)
_HONOURS: Final = tuple(sum(1 << (13 * suit + rank) for suit in range(4)) for rank in (12, 11, 10, 9))  # A K Q J


class Condition:
    """A checked condition.

    Args:
        text: the expression.
        seats: names that may be first in the brackets.
        trump: the suit by which `trumps` and `length` count, its bowers among the trumps.
        deck: the pack the named cards must belong to.

    Raises:
        DealError: it cannot be read, or uses an unknown name.

    >>> from towerlab.games.cards import DECK_24
    >>> condition = Condition("holds(me, JS) and trumps(me) >= 2", ("me",), 3, DECK_24)
    >>> condition.certain_cards == {"me": 1 << 48}, condition.test({"me": np.array([1 << 48, 1 << 48 | 1 << 50])})
    (True, array([False,  True]))
    """

    def __init__(self, text: str, seats: tuple[str, ...], trump: int, deck: int) -> None:
        self.text = text
        self.seats = seats
        self.trump = trump
        self.deck = deck
        quoted = _CARD.sub(lambda match: repr(match.group(0)), text)
        try:
            self._tree = ast.parse(quoted.strip(), mode="eval").body
            self.test(dict.fromkeys(seats, np.zeros(0, np.int64)))  # reads every part
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
            if isinstance(error, DealError):
                raise
            raise DealError(
                f"the condition {shorten(text, 200)!r} cannot be read; expected one like "
                '"trumps(me) >= 3 and holds(me, JS)"'
            ) from None

    @property
    def certain_cards(self) -> dict[str, int]:
        """The cards of each seat that hold in every deal that fits: of all `holds` that `and` joins."""
        masks = dict.fromkeys(self.seats, 0)
        for part in _joined_by_and(self._tree):
            if isinstance(part, ast.Call):
                seat, mask = self._counted(part)
                masks[seat] |= mask
        return masks

    def test(self, hands: Masks) -> Bools:
        """Return which deals fit."""
        return np.asarray(self._truth(self._tree, hands))

    def _truth(self, node: ast.expr, hands: Masks) -> NDArray[Any]:
        match node:
            case ast.BoolOp(op=op, values=parts):
                join = np.logical_and if isinstance(op, ast.And) else np.logical_or
                return np.asarray(join.reduce([self._truth(part, hands) for part in parts]))
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return ~self._truth(part, hands)
            case ast.Compare(left=left, ops=signs, comparators=others):
                numbers = [self._number(term, hands) for term in (left, *others)]
                if not all(type(sign) in _SIGNS for sign in signs):
                    raise self._refusal(node, "one of < <= > >= == !=")
                each = zip(signs, numbers, numbers[1:], strict=False)
                return np.asarray(np.logical_and.reduce([_SIGNS[type(sign)](less, more) for sign, less, more in each]))
            case ast.Call() if self._function(node) == "holds":
                seat, mask = self._counted(node)
                return np.asarray((hands[seat] & mask) == mask)
        raise self._refusal(node, "a comparison, holds(…), and, or, not")

    def _number(self, node: ast.expr, hands: Masks) -> NDArray[Any]:
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return np.full(next(iter(hands.values())).shape, np.int64(value))
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return -self._number(part, hands)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _SIGNS:
                return _SIGNS[type(sign)](self._number(left, hands), self._number(right, hands))
            case ast.Call() if self._function(node) == "points":
                hand = hands[self._seat(node.args)]
                return np.asarray(sum((4 - place) * _size(hand & mask) for place, mask in enumerate(_HONOURS)))
            case ast.Call() if self._function(node) != "holds":
                seat, mask = self._counted(node)
                return _size(hands[seat] & mask)
        raise self._refusal(node, "a whole number, trumps(…), length(…), count(…), points(…)")

    def _function(self, node: ast.Call) -> str:
        name = _word(node.func)
        if name not in _FUNCTIONS:
            raise DealError(f"unknown function {name!r} in {self.text!r}; {did_you_mean(name, _FUNCTIONS)}")
        alone = name in ("trumps", "points")
        if node.keywords or not node.args or (alone and len(node.args) > 1):
            raise self._refusal(node, f"{name}(seat{'' if alone else ', …'})")
        return name

    def _seat(self, arguments: list[ast.expr]) -> str:
        if (name := _word(arguments[0])) not in self.seats:
            raise DealError(f"unknown seat {name!r} in {self.text!r}; expected one of: {', '.join(self.seats)}")
        return name

    def _counted(self, node: ast.Call) -> tuple[str, int]:
        """Return the seat of a call, and the cards that it counts."""
        name = self._function(node)
        seat = self._seat(node.args)
        words = [*map(_word, node.args[1:])]
        try:
            if name == "trumps":
                return seat, self._suit_mask(self.trump)
            if name == "length" and len(words) == 1:
                return seat, self._suit_mask(parse_suit(words[0]))
            if name != "length" and words:
                return seat, self._named_cards(words)
        except CardError as error:
            raise DealError(f"{error}, in {self.text!r}") from None
        raise self._refusal(node, "length(seat, suit)" if name == "length" else f"{name}(seat, card, …)")

    def _named_cards(self, words: Iterable[str]) -> int:
        mask = 0
        for card in map(parse_card, words):
            if not self.deck >> card & 1:
                raise CardError(f"{card_text(card)} is not in the pack of {self.deck.bit_count()} cards")
            mask |= 1 << card
        return mask

    def _suit_mask(self, suit: int) -> int:
        cards = mask_cards(self.deck)
        return sum(1 << card for card in cards if effective_suit(card, self.trump, True) == suit)

    def _refusal(self, node: ast.expr, expected: str) -> DealError:
        return DealError(f"{ast.unparse(node)!r} in {self.text!r} cannot be; expected {expected}")


def _joined_by_and(node: ast.expr) -> list[ast.expr]:
    """Return the parts that all have to hold, including those in brackets."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [part for value in node.values for part in _joined_by_and(value)]
    return [node]


def _word(node: ast.expr) -> str:
    """Return a seat, suit or card as written."""
    if isinstance(node, ast.Name):
        return node.id
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)


def _size(masks: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.bitwise_count(masks), dtype=np.int64)


MOST_TRIES = 2_000_000  # deals drawn for one that fits, before a condition counts as hopeless
_BATCH = 20_000


def draw_deals(condition: Condition, sizes: Mapping[str, int], n: int, random: np.random.Generator) -> Ints:
    """Draw deals, all that fit being equally likely, each independent of the others.

    Args:
        condition: the condition, with the pack.
        sizes: cards of each seat of the condition; the rest of the pack is not dealt.
        n: the number of deals.
        random: the generator that draws the cards.

    Returns:
        Hands as masks, int64[n, seats], in the order of `sizes`.

    Raises:
        DealError: no deal fits, or none of `MOST_TRIES` that were drawn.
    """
    sure = condition.certain_cards
    fitting = [np.empty((0, len(sizes)), dtype=np.int64)]
    tried = 0
    wanted = {seat: size - sure[seat].bit_count() for seat, size in sizes.items()}
    named = sum(sure.values())
    contradicts = min(wanted.values()) < 0 or named.bit_count() != sum(mask.bit_count() for mask in sure.values())
    rest = np.array(mask_cards(condition.deck & ~named), dtype=np.int64)
    while sum(map(len, fitting)) < n:
        if contradicts or (tried >= MOST_TRIES and len(fitting) == 1):
            hands = ", ".join(f"{seat} {size}" for seat, size in sizes.items())
            raise DealError(
                f"no deal fits {condition.text!r} with hands of {hands} cards, none of {tried:,} drawn; "
                "expected a condition that some deal fits"
            )
        shuffled = np.int64(1) << random.permuted(np.tile(rest, (_BATCH, 1)), axis=1)
        ends = np.cumsum([*wanted.values()])
        parts = np.split(shuffled, ends, axis=1)[: len(sizes)]
        hands_of = {seat: part.sum(axis=1) | sure[seat] for seat, part in zip(sizes, parts, strict=True)}
        fits, tried = condition.test(hands_of), tried + _BATCH
        if fits.any():
            fitting.append(np.stack([*hands_of.values()], axis=1)[fits])
    return np.concatenate(fitting)[:n]
