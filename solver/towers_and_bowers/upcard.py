"""Which hands can the opponent hold for an up-card, and how many tricks does each take? And the bidding with all cards
seen (TB-9..13).

One player's view: the dealt hand and the up-card are known, the pool is the rest of the pack, every n cards of it
are one *layout*. `solver.towers_and_bowers.layout_counts` counts them.

Cards of the pool that stand next to each other in a suit, jacks apart, have equal value whatever is trumps: only
how many of such a *run* the opponent holds matters.

`open_bidding` is the bidding of two players who see all cards from the first bid on, the model behind `pimc` and W(n).
A layout then matters only through the non-dealer's tricks in three contracts: the accepted one,
and the named suits with most and fewest of them (`solver.towers_and_bowers.layout_counts`). The value of each bid then
follows by backward induction over the four bids (TB-10, TB-12). All values are the *non-dealer's* P(win the tower).

Ties go to the earlier call: a player who gains nothing by passing bids.

>>> named_suits(up=50)  # a spade was turned down
(0, 1, 2)
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_bit, lowest_index, popcount
from towerlab.games.cards import DECK_24, JACK, suit_of, to_play_order
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.rules import (
    BIDDER_DEALS,
    BIDDER_SWEEPS,
    DEFENDER_SWEEPS,
    HandRules,
    hand_result,
    result_value,
)
from towerlab.solver.two_hands.tablebase import MOST_CARDS, TablebaseArrays, leader_tricks

TRICK_COUNTS: Final = MOST_CARDS + 1  # 0..7 tricks
LOW_PLACES: Final = 10  # a subset of the pool is looked up in two parts: its first ten cards and the rest


def named_suits(up: int) -> tuple[int, int, int]:
    """Return the three suits that can be named once the up-card is turned down."""
    first, second, third = (suit for suit in range(4) if suit != suit_of(up))
    return first, second, third


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def unseen_cards(hand: int, up: int) -> Ints:
    """int64 array of the cards that the opponent's hand is dealt from."""
    return set_places(DECK_24 & ~hand & ~(1 << up))


@kernel
def set_places(mask: int) -> Ints:
    """int64 array of the cards of a mask, lowest first."""
    places = np.empty(popcount(mask), dtype=np.int64)
    for index in range(places.shape[0]):
        places[index] = lowest_index(mask)
        mask &= mask - 1
    return places


@kernel
def tricks_in_named_suits(
    tablebase: TablebaseArrays, hand: int, up_suit: int, pool: Ints, layouts: Ints, hand_leads: bool
) -> NDArray[np.int8]:
    """int8[3, layouts]: tricks of the leader with each other suit as trumps and no exchange.

    Args:
        tablebase: the arrays of the tablebase.
        hand, up_suit: a printed mask, and the suit turned down.
        pool: int64[unseen], the cards that `unseen_cards` returns.
        layouts: int64[layouts], subsets of the pool as the other hand.
        hand_leads: whether the hand leads, else the other.
    """
    tricks = np.empty((3, layouts.shape[0]), dtype=np.int8)
    row = 0
    for trump in range(4):
        if trump == up_suit:
            continue
        low, high = pool_masks(pool, trump)
        own = to_play_order(hand, trump, True)
        for layout in range(layouts.shape[0]):
            other = subset_in_play_order(layouts[layout], low, high)
            if hand_leads:
                tricks[row, layout] = leader_tricks(tablebase, own, other)
            else:
                tricks[row, layout] = leader_tricks(tablebase, other, own)
        row += 1
    return tricks


@kernel
def contract_tricks(tablebase: TablebaseArrays, hand: int, up: int, layouts: Ints, is_dealer: bool) -> NDArray[np.int8]:
    """int8[layouts, 4 or 3 + n]: the non-dealer's tricks with all cards seen, by contract.

    First the suits that can be named, by id; then the up-card accepted: by a dealing player's discard, from the lowest
    card, else after the dealer's best discard.

    Args:
        tablebase: the arrays of the tablebase.
        hand, up: a printed mask of n dealt cards, and the up-card.
        layouts: int64[layouts], printed masks of the other hand.
        is_dealer: whether the hand is the dealer's.
    """
    up_suit = up // 13
    own_cards = set_places(hand)
    own_leads = to_play_order(hand, up_suit, True)
    taken = to_play_order(1 << up, up_suit, True)
    tricks = np.empty((layouts.shape[0], 3 + (own_cards.shape[0] if is_dealer else 1)), dtype=np.int8)
    column = 0
    for trump in range(4):
        if trump == up_suit:
            continue
        own = to_play_order(hand, trump, True)
        for layout in range(layouts.shape[0]):
            other = to_play_order(layouts[layout], trump, True)
            leader, follower = (other, own) if is_dealer else (own, other)
            tricks[layout, column] = leader_tricks(tablebase, leader, follower)
        column += 1
    for layout in range(layouts.shape[0]):
        other = to_play_order(layouts[layout], up_suit, True)
        if is_dealer:
            for place in range(own_cards.shape[0]):
                gone = to_play_order(1 << own_cards[place], up_suit, True)
                tricks[layout, column + place] = leader_tricks(tablebase, other, own_leads & ~gone | taken)
            continue
        fewest = MOST_CARDS
        left = other
        while left:
            gone = lowest_bit(left)
            left ^= gone
            fewest = min(fewest, leader_tricks(tablebase, own_leads, other & ~gone | taken))
        tricks[layout, column] = fewest
    return tricks


@kernel
def pool_runs(pool: Ints) -> int:
    """Bit i: cards i and i + 1 of a pool, int64[unseen], are neighbours in a suit, no jacks, hence equal in value."""
    linked = 0
    for place in range(pool.shape[0] - 1):
        card = pool[place]
        following = pool[place + 1]
        same_suit = card // 13 == following // 13
        if following == card + 1 and same_suit and card % 13 != JACK and following % 13 != JACK:
            linked |= 1 << place
    return linked


@kernel
def pool_masks(pool: Ints, trump: int) -> tuple[Ints, Ints]:
    """Return play-order masks of every subset of either part of the pool: any subset of it is two look-ups.

    Args:
        pool: int64[unseen], of `unseen_cards`.
        trump: a suit.

    Returns:
        int64[2 ** 10] of the first ten cards (of fewer where the pool has fewer), and int64[2 ** rest] of the rest.
    """
    half = min(LOW_PLACES, pool.shape[0])
    low = np.zeros(1 << half, dtype=np.int64)
    high = np.zeros(1 << (pool.shape[0] - half), dtype=np.int64)
    for places in range(1, low.shape[0]):
        card = pool[lowest_index(places)]
        low[places] = low[places & (places - 1)] | to_play_order(1 << card, trump, True)
    for places in range(1, high.shape[0]):
        card = pool[half + lowest_index(places)]
        high[places] = high[places & (places - 1)] | to_play_order(1 << card, trump, True)
    return low, high


@kernel
def subset_in_play_order(places: int, low: Ints, high: Ints) -> int:
    """Return the play-order mask of a subset of the pool; `low` and `high` of `pool_masks`."""
    return low[np.uint64(places & ((1 << LOW_PLACES) - 1))] | high[np.uint64(places >> LOW_PLACES)]  # type: ignore[no-any-return]


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
        nondealer_bids: [8], the node where the non-dealer is the bidder of a contract and takes so many tricks.
        dealer_bids: [8], the node where the dealer is.
        dealer_names: [8], the node after two passes of the non-dealer; axis: fewest tricks over the suits.
        second_round: [8, 8], the node where the non-dealer names or passes; axes: most, fewest tricks over the suits.
        dealer_answers: [8, 8, 8], the node after one pass; axes: tricks if accepted, most, fewest.
        first_round: [8, 8, 8], the node where the non-dealer accepts or passes.
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
        rules: the rules of the hand.
    """
    nondealer_bids = _contract(cards, deal_values[cards - 1], rules, nondealer_is_bidder=True)
    dealer_bids = _contract(cards, deal_values[cards - 1], rules, nondealer_is_bidder=False)
    dealer_names = dealer_bids
    if not rules.force_dealer_to_name:
        thrown_in = NodeValues(
            np.full(TRICK_COUNTS, 1 - deal_values[cards]), np.full(TRICK_COUNTS, THROWN_IN, dtype=np.int8)
        )
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
    """Return the non-dealer's P(win the tower) from counts of endings; equal counts give equal values to the last bit.

    Args:
        endings: int64[..., 5].
        cards, deal_values: the arguments of `open_bidding`; W(n) counts as often as a hand is thrown in.

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
    value = np.zeros(TRICK_COUNTS)
    code = np.zeros(TRICK_COUNTS, dtype=np.int8)
    for place in range(TRICK_COUNTS):
        tricks = min(place, cards)
        result = int(hand_result(cards, tricks if nondealer_is_bidder else cards - tricks, rules))
        value[place] = result_value(result, nondealer_is_bidder, next_deal)
        if result in (BIDDER_SWEEPS, DEFENDER_SWEEPS):
            code[place] = SWEEP if tricks == cards else SWEPT
        else:
            code[place] = DEALS_NEXT if (result == BIDDER_DEALS) == nondealer_is_bidder else OPPONENT_DEALS_NEXT
    return NodeValues(value, code)


def _along(ending: NodeValues, axis: int, axes: int) -> NodeValues:
    shape = [TRICK_COUNTS if place == axis else 1 for place in range(axes)]
    return NodeValues(ending.value.reshape(shape), ending.code.reshape(shape))


def _nondealer_chooses(bid: NodeValues, later: NodeValues) -> NodeValues:
    bids = bid.value >= later.value
    return NodeValues(np.where(bids, bid.value, later.value), np.where(bids, bid.code, later.code).astype(np.int8))


def _dealer_chooses(bid: NodeValues, later: NodeValues) -> NodeValues:
    bids = bid.value <= later.value
    return NodeValues(np.where(bids, bid.value, later.value), np.where(bids, bid.code, later.code).astype(np.int8))
