"""How the player `equilibrium` bids and discards: drawn from the mixes of a solved game.

The mixes are stored by class of (hand, up-card) with the up-card a spade (`solver.towers_and_bowers.classes`): the
suits are renamed on the way there, and bids and discards on the way back. A later decision is drawn whatever was drawn
before: its probabilities are conditional on having come so far, and what an earlier draw made impossible is drawn in
vain.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index, popcount
from towerlab.games.cards import SUIT_BITS
from towerlab.games.jit import kernel
from towerlab.sim.choices import draw_share
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, NO_MIXES, PASS, BidMixes, BidPlan, Model, Rules
from towerlab.sim.towers_and_bowers.perfect_information import pimc_bids

_NOT_STORED = -1


def stack_mixes(parts: Mapping[tuple[int, int], tuple[Ints, Floats]]) -> BidMixes:
    """Return mixes as kernels take them.

    Args:
        parts: by hand size and rank of the up-card: int64[classes], the hands that stand for them, ascending, and
            float64[classes, 2 n + 9], the columns of `solver.towers_and_bowers.bidding.packed`.
    """
    if not parts:
        return NO_MIXES
    rows = np.zeros_like(NO_MIXES.rows)
    classes = sum(len(hands) for hands, _ in parts.values())
    shares = np.zeros((classes, max(mix.shape[1] for _, mix in parts.values())), dtype=np.float32)
    first = 0
    for (cards, rank), (hands, mix) in parts.items():
        rows[cards, rank] = first, first + len(hands)
        shares[first : first + len(hands), : mix.shape[1]] = mix
        first += len(hands)
    return BidMixes(rows, np.concatenate([hands for hands, _ in parts.values()]), shares)


@kernel
def equilibrium_bids(hand: int, up: int, is_dealer: bool, rules: Rules, model: Model, random: Any) -> BidPlan:
    """Bids drawn from the mix of a hand and an up-card, or those of `pimc` where none is stored."""
    suits = renamed_suits(hand, up)
    row = find_mix(hand, up, suits, model.solution.mixes)
    if row == _NOT_STORED:
        return pimc_bids(hand, up, is_dealer, rules, model)
    mix, n = model.solution.mixes.shares[row], popcount(hand)
    if not is_dealer:
        accepts = random.random() < mix[0]
        named = draw_share(mix, 1, 4, random)
        return BidPlan(accepts, PASS if named == 3 else suits[named], NO_CARD, NO_CARD)
    # Columns: the discard for the other n from 5 on, the answer, the dealer's own discard n, the suit left 3.
    for_other = nth_card(hand, suits, draw_share(mix, 5, n, random))
    accepts = random.random() < mix[5 + n]
    discard = nth_card(hand, suits, draw_share(mix, 6 + n, n, random))
    return BidPlan(accepts, suits[draw_share(mix, 6 + 2 * n, 3, random)], discard, for_other)


@kernel
def renamed_suits(hand: int, up: int) -> tuple[int, int, int, int]:
    """The suits that are called clubs, diamonds, hearts and spades in the class of a hand and an up-card."""
    suit = up // 13
    low = 1 if suit == 0 or suit == 3 else 0
    high = 3 - low
    if (hand >> 13 * high & SUIT_BITS) > (hand >> 13 * low & SUIT_BITS):
        low, high = high, low  # the diamonds of a class are not below its hearts
    return 3 - suit, low, high, suit


@kernel
def find_mix(hand: int, up: int, suits: tuple[int, int, int, int], mixes: BidMixes) -> int:
    """The row of a hand and an up-card, −1 if it is not stored."""
    standing = 0
    for place in range(4):
        standing |= (hand >> 13 * suits[place] & SUIT_BITS) << 13 * place
    n, rank = popcount(hand), up % 13
    first, past = mixes.rows[n, rank, 0], mixes.rows[n, rank, 1]
    if first == past:
        return _NOT_STORED
    row = first + np.searchsorted(mixes.hands[first:past], standing)
    return row if row < past and mixes.hands[row] == standing else _NOT_STORED


@kernel
def nth_card(hand: int, suits: tuple[int, int, int, int], place: int) -> int:
    """The card (id) that is this one from the lowest, counted from 0, once suits are renamed."""
    for suit in suits:
        held = hand >> 13 * suit & SUIT_BITS
        if place < popcount(held):
            for _ in range(place):
                held &= held - 1
            return 13 * suit + lowest_index(held)
        place -= popcount(held)
    return NO_CARD
