"""How does a player bid with each hand? Classes of hands, strategies of both seats by class, and the numbers that ship.

Swapping the two colours, or the two suits of a colour, changes nothing in Towers & Bowers: a group of order 8. Of each
class of (hand, up-card) `up_card_classes` keeps one member: its up-card is a spade and its hearts, as a set of ranks,
are not above its diamonds.

The up-card is public, so each of its six ranks is a game of its own, with a spade turned up (`Deals`). The one renaming
that leaves spades and clubs alone swaps diamonds and hearts, the *mirror*. Of two mirrored hands one stands for both,
its class; a hand that is its own mirror image is a class by itself. Strategies of such hands are symmetric, too.

`BiddingStrategies` has both seats by class: the non-dealer a first and a second call, the dealer a discard for each
accepter, an answer to a pass, and the suit named when left to. `NondealerBids` and `DealerBids` are one seat's, with
many hands: an equilibrium's or a player's. `layout_counts` counts layouts by them.

Strategies ship as small whole numbers, a row a class, probabilities in parts of `COARSE`, or of `FINE` (`pack`).

Columns, n being the hand size::

    accept                          1   the non-dealer accepts
    name_C name_D name_H name_pass  4   the second call
    discard_1 .. discard_n          n   the dealer's discard when the non-dealer has accepted, from the lowest card
    answer                          1   the dealer accepts after a pass
    own_discard_1 .. own_discard_n  n   the discard then
    left_C left_D left_H            3   the suit named after two passes

Rows stand in the order of `up_card_classes`. In parts of `COARSE` what is played less often than `RARE` is left out:
remains of the first steps of learning. Some rounds of bidding are reached only through floors; there a call of
probability 1/1000 decides which hands arrive: `FINE` has a twentieth of a floor. Of a choice between more than two the
numbers add up to about one; reading divides by their sum.

>>> classes = up_card_classes(1)
>>> len(classes.hands), int(classes.weights.sum())  # of 24 up-cards and the 23 other cards
(102, 552)
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import DECK_24, SUIT_BITS, mask_cards, to_play_order
from towerlab.games.towers_and_bowers.rules import HandRules, hand_result, result_value
from towerlab.solver.two_hands.tablebase import subsets

_SPADES = 3


class UpCardClasses(NamedTuple):
    """One entry a class, sorted by up-card, then hand.

    Attributes:
        hands: int64, printed masks.
        ups: int64, up-cards (spades).
        weights: int64, how many (hand, up-card) pairs the class stands for: 4 or 8.
    """

    hands: Ints
    ups: Ints
    weights: Ints


@functools.cache
def up_card_classes(cards: int) -> UpCardClasses:
    """Return all classes at one hand size: 752,862 of them at seven cards, 102 at one."""
    spades = mask_cards(DECK_24 & SUIT_BITS << 13 * _SPADES)
    every = [hands_from(mask_cards(DECK_24 & ~(1 << up)), cards) for up in spades]
    parts = [hands[(hands >> 13 & SUIT_BITS) >= (hands >> 26 & SUIT_BITS)] for hands in every]
    hands = np.concatenate(parts)
    ups = np.repeat(np.array(spades, dtype=np.int64), list(map(len, parts)))
    diamonds = hands >> 13 & SUIT_BITS
    hearts = hands >> 26 & SUIT_BITS
    weights = np.where(diamonds == hearts, 4, 8).astype(np.int64)
    return UpCardClasses(hands, ups, weights)


def hands_from(cards: Sequence[int], count: int) -> Ints:
    """int64[hands]: every hand of so many of some cards (ids, rising), printed masks, ascending."""
    places = subsets(len(cards), count)
    hands = np.zeros(len(places), dtype=np.int64)
    for place, card in enumerate(cards):
        hands |= (places >> place & 1) << card
    return hands


def suit_renamings() -> list[tuple[int, int, int, int]]:
    """Return the eight renamings of C D H S = 0..3 that keep the two colours apart."""
    return [
        (first, second, 3 - second, 3 - first)
        for first in range(4)
        for second in range(4)
        if second not in (first, 3 - first)
    ]


def rename(hands: Ints, names: Iterable[int | Ints]) -> Ints:
    """Printed masks with their suits C D H S renamed, all alike or each its own way."""
    renamed = np.zeros_like(hands)
    for suit, name in enumerate(names):
        renamed |= (hands >> 13 * suit & SUIT_BITS) << 13 * name
    return renamed


SPADES: Final = 3
MIRRORED_SUITS: Final = np.array([0, 2, 1, 3], dtype=np.int64)  # diamonds and hearts swapped


class Deals(NamedTuple):
    """The hands of n cards that either player can hold beside one up-card.

    *Hands* are all of them, *classes* those that stand for themselves and their mirror image.

    Attributes:
        cards: hand size n.
        up: the up-card, a spade.
        hands: int64[hands], printed masks.
        row: int64[hands], the class of each.
        mirrored: bool[hands], whether the hand is the mirror image of the one that stands for its class.
        classes: int64[classes], the hand that stands for the class, ascending.
        weights: float64[classes], 1 or 2: how many hands it stands for.
    """

    cards: int
    up: int
    hands: Ints
    row: Ints
    mirrored: Bools
    classes: Ints
    weights: Floats


def up_cards() -> list[int]:
    """Return the spades of the pack: one for each rank of the up-card."""
    return mask_cards(DECK_24 & SUIT_BITS << 13 * SPADES)


@functools.lru_cache(maxsize=6)
def make_deals(cards: int, up: int) -> Deals:
    """Return all hands of that size beside an up-card.

    Args:
        cards: hand size, 1..7.
        up: the up-card, a spade.
    """
    hands = hands_from(mask_cards(DECK_24 & ~(1 << up)), cards)
    standing = standing_hands(hands)
    mirrored = standing != hands
    classes = hands[~mirrored]
    weights = np.where(mirror(classes) == classes, 1.0, 2.0)
    return Deals(cards, up, hands, np.searchsorted(classes, standing), mirrored, classes, weights)


def standing_hands(hands: Ints) -> Ints:
    """int64[hands]: the hand that stands for each printed mask, itself or its mirror image."""
    return np.where((hands >> 13 & SUIT_BITS) >= (hands >> 26 & SUIT_BITS), hands, mirror(hands))


def mirror(hands: Ints) -> Ints:
    """int64[hands]: printed masks with diamonds and hearts swapped."""
    both = SUIT_BITS << 13 | SUIT_BITS << 26
    return (hands & ~both) | (hands >> 13 & SUIT_BITS) << 26 | (hands >> 26 & SUIT_BITS) << 13


def in_play_order(hands: Ints, trump: int) -> Ints:
    """int64[hands]: `games.cards.to_play_order` with bowers, of printed masks; every card is moved once."""
    moved = np.zeros_like(hands)
    for card in mask_cards(DECK_24):
        moved |= (hands >> card & 1) * int(to_play_order(1 << card, trump, True))
    return moved


def symmetrize_suits(hands: Ints, choice: Floats) -> Floats:
    """Return the choice of each hand, with self-mirrored hands choosing mirrored suits equally often.

    Args:
        hands: int64[hands], printed masks.
        choice: float64[hands, 3 or 4], of clubs, diamonds, hearts and perhaps a pass.
    """
    own = np.flatnonzero(mirror(hands) == hands)
    even = choice.copy()
    even[own] = (choice[own] + choice[own][:, MIRRORED_SUITS[: choice.shape[1]]]) / 2
    return even


def symmetrize_cards(hands: Ints, choice: Floats) -> Floats:
    """As `symmetrize_suits` for a choice of cards, float64[hands, n], from the lowest."""
    own = np.flatnonzero(mirror(hands) == hands)
    even = choice.copy()
    held = np.array([mask_cards(hand) for hand in hands[own].tolist()], dtype=np.int64).reshape(-1, choice.shape[1])
    mirrored = MIRRORED_SUITS[held // 13] * 13 + held % 13
    even[own] = (choice[own] + np.take_along_axis(choice[own], np.argsort(np.argsort(mirrored, axis=1), axis=1), 1)) / 2
    return even


class Paths(NamedTuple):
    """How likely the opponent's bids lead to each situation that the asker may meet, by layout.

    The asker's own calls are not counted.

    Attributes:
        first, second: float64[layouts], the asker's first and second decision.
        accepted: float64[layouts], the up-card accepted by the opponent.
        named: float64[layouts, 3], each suit named by the opponent, in order of id.
    """

    first: Floats
    second: Floats
    accepted: Floats
    named: Floats

    def likelihood(self, second_round: bool) -> float:
        """Return how often the opponent's bids lead to the asker's first, or second, decision."""
        return float((self.second if second_round else self.first).mean())


@dataclass(frozen=True)
class NondealerBids:
    """The bidding of a non-dealing opponent, by layout.

    Attributes:
        accepts: float64[layouts], P(accepts).
        names: float64[layouts, 4], in the second round: the suits that can be named in order of id, then a pass.
    """

    accepts: Floats
    names: Floats

    def paths(self) -> Paths:
        """Return the paths to a dealing asker's decisions."""
        passes = 1 - self.accepts
        return Paths(passes, passes * self.names[:, 3], self.accepts, passes[:, None] * self.names[:, :3])


@dataclass(frozen=True)
class DealerBids:
    """How a dealing opponent bids, by layout; cards are counted from the lowest id.

    Attributes:
        discards: float64[layouts, n], the discard when the asker has accepted.
        answers: float64[layouts], P(accepts) after a pass.
        own_discards: float64[layouts, n], the discard then.
        left: float64[layouts, 3], the suit named after two passes.
    """

    discards: Floats
    answers: Floats
    own_discards: Floats
    left: Floats

    def paths(self) -> Paths:
        """Return the paths to the decisions of a non-dealer who faces this opponent."""
        passes = 1 - self.answers
        return Paths(np.ones(len(passes)), passes, self.answers, passes[:, None] * self.left)


@dataclass(frozen=True)
class BiddingStrategies:
    """Both players' strategies, float64 arrays whose first axis is the class; each row of a choice adds up to one.

    Attributes:
        accepts: [classes], P(the non-dealer accepts).
        names: [classes, 4], the non-dealer's choice in the second round: clubs, diamonds, hearts, pass.
        discards: [classes, n], the dealer's discard when the non-dealer has accepted; cards from the lowest id.
        answers: [classes], P(the dealer accepts) after a pass.
        own_discards: [classes, n], the dealer's discard after accepting.
        left: [classes, 3], the suit the dealer names after two passes of the non-dealer.
    """

    accepts: Floats
    names: Floats
    discards: Floats
    answers: Floats
    own_discards: Floats
    left: Floats

    def arrays(self) -> Iterator[tuple[str, Floats]]:
        """Return the name and the array of each field."""
        return ((field.name, getattr(self, field.name)) for field in fields(self))


def payoffs(cards: int, next_deal: float, rules: HandRules) -> tuple[Floats, Floats]:
    """The non-dealer's P(win the tower) by tricks when the non-dealer, or the dealer, is the bidder: two float64[8].

    Args:
        cards: hand size n.
        next_deal: W(n - 1), not read at n = 1.
        rules: the rules of the hand.
    """
    as_bidder = np.zeros(8)
    as_defender = np.zeros(8)
    for tricks in range(cards + 1):
        as_bidder[tricks] = result_value(hand_result(cards, tricks, rules), True, next_deal)
        as_defender[tricks] = result_value(hand_result(cards, cards - tricks, rules), False, next_deal)
    return as_bidder, as_defender


def symmetrize(deals: Deals, strategies: BiddingStrategies) -> BiddingStrategies:
    """Return the strategies with self-mirrored hands choosing mirrored actions equally often."""
    even = {
        "names": symmetrize_suits,
        "left": symmetrize_suits,
        "discards": symmetrize_cards,
        "own_discards": symmetrize_cards,
    }
    return replace(strategies, **{name: of(deals.classes, getattr(strategies, name)) for name, of in even.items()})


MOST_LOSS: Final = 1e-3  # P(win the tower) that a call in a mix may lose to the best one


def purify(strategies: BiddingStrategies, values: Floats) -> BiddingStrategies:
    """Return the strategies without the calls that lose more than `MOST_LOSS`.

    Args:
        strategies: the strategies of some classes.
        values: float64[classes, 2 n + 11 or more], `value_columns`.
    """
    changed = {}
    first = 0
    for name, part in strategies.arrays():
        mix = np.stack([part, 1 - part], axis=1) if part.ndim == 1 else part
        won = values[:, first : first + mix.shape[1]]
        first += mix.shape[1]
        loss = won.max(1, keepdims=True) - won
        mix = np.where(loss > MOST_LOSS, 0.0, mix)
        mix = np.where(mix.any(1, keepdims=True), mix, loss == 0.0)
        mix = mix / mix.sum(1, keepdims=True)
        changed[name] = mix[:, 0] if part.ndim == 1 else mix
    return replace(strategies, **changed)


COARSE: Final = 10_000
FINE: Final = 60_000
RARE: Final = 0.002
Shares = NDArray[np.uint16]


def columns(cards: int) -> list[str]:
    """Names of the columns.

    >>> columns(1)[5:8]
    ['discard_1', 'answer', 'own_discard_1']
    """
    names = [f"name_{call}" for call in ("C", "D", "H", "pass")]
    discards = [f"discard_{place}" for place in range(1, cards + 1)]
    own = [f"own_{name}" for name in discards]
    return ["accept", *names, *discards, "answer", *own, *(f"left_{suit}" for suit in "CDH")]


def value_columns(cards: int) -> list[str]:
    """Names of the values of every call and discard, where they are known, in the order of
    `solver.towers_and_bowers.whole_hand.solve`.

    >>> value_columns(1)
    ['accept', 'pass', 'name_C', 'name_D', 'name_H', 'name_pass', 'discard_1', 'answer', 'answer_pass', \
'own_discard_1', 'left_C', 'left_D', 'left_H']
    """
    also = {"accept": ["accept", "pass"], "answer": ["answer", "answer_pass"]}
    return [name for column in columns(cards) for name in also.get(column, [column])]


def pack(strategies: BiddingStrategies, scale: int = COARSE) -> Shares:
    """uint16[classes, 2 n + 9]: strategies rounded to parts of `one`, in the order of `columns`."""
    parts = []
    rare = RARE if scale == COARSE else 0.0
    for _, array in strategies.arrays():
        choice = np.where(array < rare, 0.0, np.where(array > 1 - rare, 1.0, array))
        if array.ndim == 2:
            choice = choice / choice.sum(1, keepdims=True)
        parts.append(choice[:, None] if array.ndim == 1 else choice)
    packed: Shares = np.rint(np.concatenate(parts, axis=1) * scale).astype(np.uint16)
    return packed


def unpack(packed: Shares, cards: int, scale: int = COARSE) -> BiddingStrategies:
    """Return the inverse of `pack`, as far as rounding allows.

    Args:
        packed: uint16[classes, 2 n + 9].
        cards: hand size n.
        scale: the number of parts into which 1 is divided.
    """
    places = np.cumsum([0, 1, 4, cards, 1, cards, 3])
    accepts, names, discards, answers, own, left = (
        packed[:, first:last].astype(np.float64, order="C") for first, last in itertools.pairwise(places.tolist())
    )
    names, discards, own, left = (part / part.sum(1, keepdims=True) for part in (names, discards, own, left))
    return BiddingStrategies(accepts[:, 0] / scale, names, discards, answers[:, 0] / scale, own, left)


def remove_floor(strategies: BiddingStrategies, floor: float) -> BiddingStrategies:
    """Return the inverse of `apply_floor` for all calls; discards have no floor."""

    def without(calls: Floats, choices: int) -> Floats:
        taken: Floats = np.clip((calls - floor) / (1 - floor * choices), 0.0, 1.0)
        return taken / taken.sum(1, keepdims=True) if taken.ndim == 2 else taken

    return replace(
        strategies,
        accepts=without(strategies.accepts, 2),
        answers=without(strategies.answers, 2),
        names=without(strategies.names, 4),
        left=without(strategies.left, 3),
    )


def apply_floor(choice: Floats, floor: float) -> Floats:
    """Return probabilities of bids in the perturbed game, none below `floor`.

    Args:
        choice: float64[.., bids], adding up to one.
        floor: least probability of every bid.

    Returns:
        float64[.., bids].
    """
    raised: Floats = floor + (1 - floor * choice.shape[-1]) * choice
    return raised
