"""Which cards to bury, without sight of the other hands.

Two of twelve cards can be buried in 66 ways (three of thirteen in 286). Burying one or the other of two neighbours,
cards between which nobody else can hold one, comes to the same, so that about 32 ways remain; `keep_values` puts them
in an order at the cost of a few sums, and `choose_bury` plays out the first few of that order on common layouts.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.bowers.layouts import Contract
from games.arrays import Ints
from games.bowers import bid_trumps
from games.cards import NO_TRUMP_FIELD, SUIT_BITS, TRUMP_SHIFT, mask_cards
from solver.double_dummy import DoubleDummy

CANDIDATES: Final = 4
COMMON_LAYOUTS: Final = 4

# What a card that is kept adds to the tricks of best play. Least squares over every bury of 320 random hands with
# their kitties, 16 layouts each (R² 0.84 with trumps, 0.75 without). What it costs to try only the best four by these
# weights, on four layouts, instead of all on eight, is measured by the study `bids`: 0.01 tricks in the best suit,
# 0.04 at no trump.
_SUIT_WEIGHTS: Final = {
    "singleton": 0.22, "top": 0.48, "second": -0.19, "low": -0.47, "fourth": -0.08,
    "trump": 0.18, "top trump": 0.86, "second trump": 0.41, "void": 0.0, "void and trump": 0.12,
}  # fmt: skip
_NO_TRUMP_WEIGHTS: Final = {
    "singleton": 0.0, "top": 0.72, "second": -0.21, "low": -0.51, "fourth": 0.14,
    "trump": 0.18, "top trump": 0.86, "second trump": 0.41, "void": -0.14, "void and trump": 0.0,
}  # fmt: skip


def fields_of(trumps: int) -> list[int]:
    """The fields of play order with these trumps; the trumps come last."""
    plain = [SUIT_BITS << 13 * field for field in range(3)]
    return [*plain, SUIT_BITS << TRUMP_SHIFT, trumps] if trumps == NO_TRUMP_FIELD else [*plain, trumps]


def distinct_buries(own: int, unseen: int, trumps: int, count: int) -> dict[int, list[int]]:
    """Every bury, those together that come to the same.

    Args:
        own: hand and kitty in play order.
        unseen: cards that the others may hold, all of which they do.
        trumps: the trump field.
        count: cards to bury.

    Returns:
        buries (masks) by the one of them that stands for all: of each run of neighbours the lowest.
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


def keep_values(kept: Ints, unseen: int, trumps: int) -> NDArray[np.float64]:
    """A quick guess at what hands are worth, for putting them in order only.

    Args:
        kept: hands in play order [number].
        unseen: cards that the others hold.
        trumps: the trump field.

    Returns:
        float [number], in tricks up to a constant.
    """
    weights = _NO_TRUMP_WEIGHTS if trumps == NO_TRUMP_FIELD else _SUIT_WEIGHTS
    values = np.zeros(len(kept))
    voids = np.zeros(len(kept))
    *plain, _ = fields_of(trumps)
    for field in plain:
        length = popcount_of(kept & field)
        voids += length == 0
        values += weights["singleton"] * (length == 1)
        for card in mask_cards(field):
            held = kept >> card & 1
            higher = field & ~((2 << card) - 1)
            above = (unseen & higher).bit_count()
            if above == 0:
                values += held * weights["top"]
            else:  # the second highest is worth something beside another card
                values += held * np.where((above == 1) & (length >= 2), weights["second"], weights["low"])
            values += held * weights["fourth"] * (popcount_of(kept & higher) >= 3)
    for card in mask_cards(trumps):
        above = (unseen & trumps & ~((2 << card) - 1)).bit_count()
        worth_of_trump = weights["trump"] + (weights["top trump"], weights["second trump"], 0.0)[min(above, 2)]
        values += (kept >> card & 1) * worth_of_trump
    return values + voids * (weights["void"] + weights["void and trump"] * popcount_of(kept & trumps))


def choose_bury(
    own: int,
    unseen: int,
    contract: Contract,
    hands: Ints,
    solver: DoubleDummy,
    count: int,
    candidates: int = CANDIDATES,
) -> int:
    """The bury with the most tricks on common layouts, among those that `keep_values` likes best.

    Args:
        own: hand and kitty in the bid's play order.
        unseen: the other two hands together, in play order.
        contract: how it is played.
        hands: layouts [number, 2] in play order.
        solver: whose memory is used.
        count: cards to bury.
        candidates: how many are tried.

    Returns:
        the cards to bury, a mask in play order; of equal ones the first in the order of `keep_values`.
    """
    trumps = int(bid_trumps(contract.call))
    ways = np.array(list(distinct_buries(own, unseen, trumps, count)), dtype=np.int64)
    order = np.argsort(-keep_values(own & ~ways, unseen, trumps), kind="stable")[:candidates]
    tricks = contract.tricks(solver, own & ~ways[order], hands).sum(axis=1)
    return int(ways[order[int(np.argmax(tricks))]])


def popcount_of(masks: Ints) -> Ints:
    """Cards of each mask."""
    return np.bitwise_count(masks).astype(np.int64)
