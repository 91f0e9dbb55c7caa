"""Bidding when both players see all cards from the first bid on: the model behind `pimc` and W(n).

With all cards in sight a layout matters only through the non-dealer's tricks in three contracts: the accepted one,
and the named suits with most and fewest of them (`solver.towers_and_bowers.bidding.views`). The value of each bid then
follows by backward induction over the four bids of RULES 1.3. All values are the *non-dealer's* P(win the tower).

Ties go to the earlier call: a player who gains nothing by passing bids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.towers_and_bowers.rules import (
    BIDDER_DEALS,
    BIDDER_SWEEPS,
    DEFENDER_SWEEPS,
    HandRules,
    hand_result,
    result_value,
)
from towerlab.solver.towers_and_bowers.upcard import OUTCOMES

OutcomeCodes = NDArray[np.int8]

# How a hand ends for the non-dealer, best first. A hand can be thrown in only without `force_dealer_to_name`.
SWEEP: Final = 0
DEALS_NEXT: Final = 1
OPPONENT_DEALS_NEXT: Final = 2
SWEPT: Final = 3
THROWN_IN: Final = 4


class NodeValues(NamedTuple):
    """The value of a node of the bidding to the non-dealer, and how the hand ends, arrays of one shape.

    Attributes:
        value: P(the non-dealer wins the tower).
        code: `SWEEP` … `THROWN_IN`.
    """

    value: Floats
    code: OutcomeCodes


class OpenBidding(NamedTuple):
    """Every node of the bidding, by the non-dealer's tricks (axes 0..7; beyond the hand size meaningless).

    Attributes:
        nondealer_bids: [8], the non-dealer is the bidder of a contract and takes so many tricks.
        dealer_bids: [8], the dealer is.
        dealer_names: [8], after two passes of the non-dealer; axis: fewest tricks over the suits.
        second_round: [8, 8], the non-dealer is to name or pass; axes: most and fewest tricks over the suits.
        dealer_answers: [8, 8, 8], after one pass; axes: tricks if accepted, most, fewest.
        first_round: [8, 8, 8], the non-dealer is to accept or pass.
    """

    nondealer_bids: NodeValues
    dealer_bids: NodeValues
    dealer_names: NodeValues
    second_round: NodeValues
    dealer_answers: NodeValues
    first_round: NodeValues


def open_bidding(cards: int, deal_values: Sequence[float], rules: HandRules) -> OpenBidding:
    """Solve the bidding of a hand size.

    Args:
        cards: hand size n.
        deal_values: W(0), W(1), … as far as W(n): W(n - 1) of the next hand, any number at n = 1, where every hand is a
            sweep; W(n) is read only where the dealer may pass too and then deals again (`force_dealer_to_name` off).
        rules: of the hand.
    """
    nondealer_bids = _contract(cards, deal_values[cards - 1], rules, nondealer_is_bidder=True)
    dealer_bids = _contract(cards, deal_values[cards - 1], rules, nondealer_is_bidder=False)
    dealer_names = dealer_bids
    if not rules.force_dealer_to_name:
        thrown_in = NodeValues(np.full(OUTCOMES, 1 - deal_values[cards]), np.full(OUTCOMES, THROWN_IN, dtype=np.int8))
        dealer_names = _dealer_chooses(dealer_bids, thrown_in)
    second_round = _nondealer_chooses(_along(nondealer_bids, 0, 2), _along(dealer_names, 1, 2))
    second_round_later = NodeValues(second_round.value[None], second_round.code[None])
    dealer_answers = _dealer_chooses(_along(dealer_bids, 0, 3), second_round_later)
    first_round = _nondealer_chooses(_along(nondealer_bids, 0, 3), dealer_answers)
    return OpenBidding(nondealer_bids, dealer_bids, dealer_names, second_round, dealer_answers, first_round)


def count_endings(counts: Ints, ending: NodeValues) -> Ints:
    """int64[5]: counts of layouts, int64 of the shape of `ending`, added up by how the hand ends."""
    codes = np.broadcast_to(ending.code, counts.shape)
    return np.array([counts[codes == code].sum() for code in range(THROWN_IN + 1)])


def value_of_endings(endings: Ints, cards: int, deal_values: Sequence[float]) -> Floats:
    """The non-dealer's P(win the tower) from counts of endings; equal counts give equal values to the last bit.

    Args:
        endings: int64[..., 5].
        cards, deal_values: as for `open_bidding`; W(n) counts as often as a hand is thrown in.

    Returns:
        float64[...].
    """
    next_deal = deal_values[cards - 1]
    won = (
        endings[..., SWEEP] + endings[..., DEALS_NEXT] * next_deal + endings[..., OPPONENT_DEALS_NEXT] * (1 - next_deal)
    )
    value: Floats = (won + endings[..., THROWN_IN] * (1 - deal_values[cards])) / endings.sum(-1)
    return value


def _contract(cards: int, next_deal: float, rules: HandRules, nondealer_is_bidder: bool) -> NodeValues:
    """Endings of a contract by the non-dealer's tricks 0..7; beyond the hand size they repeat its sweep."""
    value = np.zeros(OUTCOMES)
    code = np.zeros(OUTCOMES, dtype=np.int8)
    for place in range(OUTCOMES):
        tricks = min(place, cards)
        result = int(hand_result(cards, tricks if nondealer_is_bidder else cards - tricks, rules))
        value[place] = result_value(result, nondealer_is_bidder, next_deal)
        if result in (BIDDER_SWEEPS, DEFENDER_SWEEPS):
            code[place] = SWEEP if tricks == cards else SWEPT
        else:
            code[place] = DEALS_NEXT if (result == BIDDER_DEALS) == nondealer_is_bidder else OPPONENT_DEALS_NEXT
    return NodeValues(value, code)


def _along(ending: NodeValues, axis: int, axes: int) -> NodeValues:
    shape = [OUTCOMES if place == axis else 1 for place in range(axes)]
    return NodeValues(ending.value.reshape(shape), ending.code.reshape(shape))


def _nondealer_chooses(bid: NodeValues, later: NodeValues) -> NodeValues:
    bids = bid.value >= later.value
    return NodeValues(np.where(bids, bid.value, later.value), np.where(bids, bid.code, later.code).astype(np.int8))


def _dealer_chooses(bid: NodeValues, later: NodeValues) -> NodeValues:
    bids = bid.value <= later.value
    return NodeValues(np.where(bids, bid.value, later.value), np.where(bids, bid.code, later.code).astype(np.int8))
