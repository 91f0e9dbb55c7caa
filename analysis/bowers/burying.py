"""Which cards to bury, without sight of the other hands.

Two of twelve cards can be buried in 66 ways (three of thirteen in 286). Two cards are neighbours if nobody else can
hold one between them; burying either is equivalent, so that about 32 ways remain. `keep_values` orders them by a few
sums, and `choose_buries` plays out the first few of that order on common layouts.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

import numpy as np

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.bowers import bid_trumps
from towerlab.games.cards import NO_TRUMP_FIELD, SUIT_BITS, TRUMP_SHIFT, mask_cards
from towerlab.sim.bowers.continuation import PlayedBid

CANDIDATES: Final = 4
COMMON_LAYOUTS: Final = 4

# Tricks that a kept card adds with best play: least squares over every bury of 320 random hands with their kitties,
# 16 layouts each (R² 0.84 with trumps, 0.75 without). Trying only the best four by these weights on four layouts,
# instead of all on eight, costs 0.01 tricks in the best suit and 0.04 at no trump (measured).
_SUIT_WEIGHTS: Final = {
    "singleton": 0.22, "top": 0.48, "second": -0.19, "low": -0.47, "fourth": -0.08,
    "trump": 0.18, "top trump": 0.86, "second trump": 0.41, "void": 0.0, "void and trump": 0.12,
}  # fmt: skip
_NO_TRUMP_WEIGHTS: Final = {
    "singleton": 0.0, "top": 0.72, "second": -0.21, "low": -0.51, "fourth": 0.14,
    "trump": 0.18, "top trump": 0.86, "second trump": 0.41, "void": -0.14, "void and trump": 0.0,
}  # fmt: skip


def draw_hands(unseen: int, number: int, rng: np.random.Generator, hand_size: int | None = None) -> Ints:
    """The hands on the left and on the right, masks [number, 2], all layouts equally likely.

    Args:
        unseen: cards that the two may hold.
        number: layouts.
        rng: random numbers.
        hand_size: cards of each; None for all of them, half each.
    """
    cards = np.tile(np.array([1 << card for card in mask_cards(unseen)], dtype=np.int64), (number, 1))
    size = cards.shape[1] // 2 if hand_size is None else hand_size
    shuffled = rng.permuted(cards, axis=1)
    left = np.bitwise_or.reduce(shuffled[:, :size], axis=1)
    return np.stack((left, np.bitwise_or.reduce(shuffled[:, size : 2 * size], axis=1)), axis=1)


def fields_of(trumps: int) -> list[int]:
    """The fields of play order with these trumps; the trumps come last."""
    plain = [SUIT_BITS << 13 * field for field in range(3)]
    return [*plain, SUIT_BITS << TRUMP_SHIFT, trumps] if trumps == NO_TRUMP_FIELD else [*plain, trumps]


def distinct_buries(own: int, unseen: int, trumps: int, count: int) -> dict[int, list[int]]:
    """Return every bury, equivalent ones together.

    Args:
        own: hand and kitty in play order.
        unseen: cards that the others may hold, all of which they do.
        trumps: the trump field.
        count: cards to bury.

    Returns:
        buries (masks) by their representative: of each run of neighbours the lowest.
    """
    fields = fields_of(trumps)
    runs = []
    for card in mask_cards(own):
        place = next(number for number, field in enumerate(fields) if field >> card & 1)
        runs.append((place, (unseen & fields[place] & ((1 << card) - 1)).bit_count(), 1 << card))
    classes: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for chosen in combinations(runs, count):
        mask = sum(card for _, _, card in chosen)
        classes.setdefault(tuple(run[:2] for run in chosen), []).append(mask)
    return {same[0]: same for same in classes.values()}


def standing_buries(own: Ints, unseen: Ints, trumps: int, count: int) -> tuple[Ints, Bools]:
    """Every bury of several hands, and which of them `distinct_buries` has as keys.

    Args:
        own: hands and kitties in play order [hands], equally many cards in each.
        unseen: cards that the others hold, for each hand [hands].
        trumps: the trump field.
        count: cards to bury.

    Returns:
        buries, masks [hands, buries], and whether each represents its class.
    """
    cards = np.array([[1 << card for card in mask_cards(hand)] for hand in own.tolist()], dtype=np.int64)
    lower, upper = cards[:, :-1], cards[:, 1:]
    together = sum((lower & field != 0) & (upper & field != 0) for field in fields_of(trumps))
    neighbours = (together > 0) & (unseen[:, None] & (upper - lower) == 0)
    ways = np.array(list(combinations(range(cards.shape[1]), count)), dtype=np.int64)
    taken = (ways[:, :, None] == np.arange(cards.shape[1])).any(axis=1)
    passed_over = taken[:, 1:] & ~taken[:, :-1]  # a card goes, and the one below it stays
    return cards[:, ways].sum(axis=2), ~(neighbours[:, None] & passed_over).any(axis=2)


def keep_values(remaining: Ints, unseen: int | Ints, trumps: int) -> Floats:
    """Return a quick guess at the value of hands, for putting them in order only.

    Args:
        remaining: hands without the bury, in play order, int64 of any shape.
        unseen: cards that the others hold: one mask for all hands, or an array that broadcasts with them.
        trumps: the trump field.

    Returns:
        float of the shape of `kept`, in tricks up to a constant.
    """
    weights = _NO_TRUMP_WEIGHTS if trumps == NO_TRUMP_FIELD else _SUIT_WEIGHTS
    unseen = np.asarray(unseen, dtype=np.int64)
    cards_seen = int(np.bitwise_or.reduce(remaining, axis=None))
    values = np.zeros(remaining.shape)
    voids = np.zeros(remaining.shape)
    *plain, _ = fields_of(trumps)
    for field in plain:
        length = popcount_of(remaining & field)
        voids += length == 0
        values += weights["singleton"] * (length == 1)
        for card in mask_cards(field & cards_seen):
            held = remaining >> card & 1
            higher = field & ~((2 << card) - 1)
            above = popcount_of(unseen & higher)
            second = (above == 1) & (length >= 2)  # the second highest counts with another card
            values += held * np.where(above == 0, weights["top"], np.where(second, weights["second"], weights["low"]))
            values += held * weights["fourth"] * (popcount_of(remaining & higher) >= 3)
    trump_weights = weights["trump"] + np.array([weights["top trump"], weights["second trump"], 0.0])
    for card in mask_cards(trumps & cards_seen):
        above = popcount_of(unseen & trumps & ~((2 << card) - 1))
        values += (remaining >> card & 1) * trump_weights[np.minimum(above, 2)]
    return values + voids * (weights["void"] + weights["void and trump"] * popcount_of(remaining & trumps))


def choose_buries(
    own: Ints,
    unseen: Ints,
    contract: PlayedBid,
    hands: Ints,
    count: int,
    candidates: int = CANDIDATES,
) -> Ints:
    """For each hand the bury with the most tricks on common layouts, among those that `keep_values` likes best.

    Args:
        own: hands and kitties in the bid's play order [hands].
        unseen: the cards of the other two hands, for each hand, in play order [hands].
        contract: how it is played.
        hands: layouts for each hand, in play order [hands, layouts, 2].
        count: cards to bury.
        candidates: how many are tried.

    Returns:
        the cards to bury [hands], masks in play order; of equal ones the first in the order of `keep_values`.
    """
    trumps = int(bid_trumps(contract.call))
    ways, standing = standing_buries(own, unseen, trumps, count)
    values = np.where(standing, keep_values(own[:, None] & ~ways, unseen[:, None], trumps), -np.inf)
    order = np.argsort(-values, axis=1, kind="stable")[:, :candidates]
    tried = np.take_along_axis(ways, order, axis=1)
    tricks = contract.tricks(own[:, None] & ~tried, hands).sum(axis=2)
    best: Ints = np.take_along_axis(tried, tricks.argmax(axis=1)[:, None], axis=1)[:, 0]
    return best


def popcount_of(masks: Ints) -> Ints:
    """Cards of each mask."""
    return np.bitwise_count(masks).astype(np.int64)
