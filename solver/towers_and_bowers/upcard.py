"""The tricks of every contract that an up-card can lead to, over every hand the opponent can hold (TB-9..13).

One player's view: the dealt hand and the up-card are known, the pool is the rest of the pack, every n cards of it
are one *layout*. For each layout the tablebase gives the tricks of the non-dealer (who always leads, TB-18) in the
accepted contract, after the dealer's exchange, and in each of the three suits that can be named. All counts are of
layouts and exact.

Cards of the pool that stand next to each other in a suit, jacks apart, have equal value whatever is trumps: only
how many of such a *run* the opponent holds matters. One layout stands for all that differ inside runs, with their
number as its weight.

Because a hand's value never falls with one's tricks, a layout matters to the bidding only through three numbers:
tricks when the up-card is accepted, most and fewest tricks over the three suits (the non-dealer names the one, the
dealer the other). The joint counts of these three are all that `analysis` needs, whatever the value of a deal.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index, popcount
from towerlab.games.cards import DECK_24, JACK, suit_of, to_play_order
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.classes import UpCardClasses
from towerlab.solver.two_hands.tablebase import MOST_CARDS, TableArrays, leader_tricks, load_tables, subsets

OUTCOMES: Final = MOST_CARDS + 1  # 0..7 tricks
LOW_PLACES: Final = 10  # a subset of the pool is looked up in two parts: its first ten cards and the rest


def named_suits(up: int) -> tuple[int, int, int]:
    """The three suits that can be named once the up-card is turned down."""
    first, second, third = (suit for suit in range(4) if suit != suit_of(up))
    return first, second, third


def count_classes(classes: UpCardClasses, allow_discard_upcard: bool = False) -> Ints:
    """The joint counts of all deals in which the non-dealer holds one of these classes, each with its weight.

    Returns:
        int64[8, 8, 8], by the non-dealer's tricks in the accepted contract (after the dealer's best discard for that
        layout), most and fewest tricks over the three suits that can be named.
    """
    total = np.zeros((OUTCOMES, OUTCOMES, OUTCOMES), dtype=np.int64)
    if len(classes.hands):
        cards = int(classes.hands[0]).bit_count()
        unseen = DECK_24.bit_count() - cards - 1
        _count_classes(
            load_tables(), *classes, subsets(unseen, cards), subsets(unseen, cards - 1), allow_discard_upcard, total
        )
    return total


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def count_for_nondealer(
    tables: TableArrays,
    hand: int,
    up: int,
    layouts: Ints,
    left: Ints,
    allow_discard_upcard: bool,
    after_discard: NDArray[np.int8],
    joint: Ints,
    named: Ints,
) -> None:
    """Add one non-dealer's view to `joint` and `named`.

    Args:
        tables: of the tablebase.
        hand, up: the non-dealer's printed mask, and the up-card.
        layouts, left: int64[..], subsets of the pool as the dealer's hand and as what is kept of it.
        allow_discard_upcard: option `allow_discard_upcard`.
        after_discard: int8[2 ** len(pool)] or longer, workspace.
        joint: int64[8, 8, 8], added to: as of `count_classes`.
        named: int64[3, 8], added to: layouts by suit that can be named and the non-dealer's tricks.
    """
    up_suit, pool = up // 13, unseen_cards(hand, up)
    linked = pool_runs(pool)
    layouts, left = _distinct(layouts, linked), _distinct(left, linked)
    # The cards left to the dealer, with the up-card, decide the play; the discard does not matter.
    low, high = pool_masks(pool, up_suit)
    own = to_play_order(hand, up_suit, True)
    taken = to_play_order(1 << up, up_suit, True)
    for place in range(left.shape[0]):
        after_discard[left[place]] = leader_tricks(tables, own, placed(left[place], low, high) | taken)
    accepted = np.empty(layouts.shape[0], dtype=np.int8)
    for layout in range(layouts.shape[0]):
        dealt = layouts[layout]
        fewest = leader_tricks(tables, own, placed(dealt, low, high)) if allow_discard_upcard else MOST_CARDS
        rest = dealt & ~((dealt >> 1) & linked)  # of each run the highest card held may as well go
        while rest:
            fewest = min(fewest, after_discard[dealt ^ (rest & -rest)])
            rest &= rest - 1
        accepted[layout] = fewest
    in_suit = tricks_in_named_suits(tables, hand, up_suit, pool, layouts, True)
    _add_counts(accepted, in_suit, _weights(layouts, linked, pool.shape[0]), joint, named)


@kernel
def count_for_dealer(
    tables: TableArrays, hand: int, up: int, layouts: Ints, discards: Ints, joint: Ints, named: Ints, exchanged: Ints
) -> None:
    """Add one dealer's view to `joint`, `named` and `exchanged`.

    Args:
        tables: of the tablebase.
        hand, up: the dealer's printed mask, and the up-card.
        layouts: int64[..], subsets of the pool as the non-dealer's hand.
        discards: int64[discards], card ids.
        joint, named: as for `count_for_nondealer`.
        exchanged: int64[discards, 8], added to: layouts by discard and the non-dealer's tricks.
    """
    up_suit, pool = up // 13, unseen_cards(hand, up)
    linked = pool_runs(pool)
    layouts = _distinct(layouts, linked)
    weights = _weights(layouts, linked, pool.shape[0])
    low, high = pool_masks(pool, up_suit)
    accepted = np.full(layouts.shape[0], MOST_CARDS, dtype=np.int8)
    for row in range(discards.shape[0]):
        own = to_play_order((hand | (1 << up)) & ~(1 << discards[row]), up_suit, True)
        for layout in range(layouts.shape[0]):
            tricks = leader_tricks(tables, placed(layouts[layout], low, high), own)
            exchanged[row, tricks] += weights[layout]
            accepted[layout] = min(accepted[layout], tricks)
    in_suit = tricks_in_named_suits(tables, hand, up_suit, pool, layouts, False)
    _add_counts(accepted, in_suit, weights, joint, named)


@kernel
def _count_classes(
    tables: TableArrays,
    hands: Ints,
    ups: Ints,
    weights: Ints,
    layouts: Ints,
    left: Ints,
    allow_discard_upcard: bool,
    total: Ints,
) -> None:
    """Add the joint counts of all classes, each times its weight, to `total`."""
    joint = np.empty((OUTCOMES, OUTCOMES, OUTCOMES), dtype=np.int64)
    named = np.empty((3, OUTCOMES), dtype=np.int64)
    after_discard = np.empty(1 << unseen_cards(hands[0], ups[0]).shape[0], dtype=np.int8)
    for row in range(hands.shape[0]):
        joint[:] = 0
        view = (tables, hands[row], ups[row], layouts, left)
        count_for_nondealer(*view, allow_discard_upcard, after_discard, joint, named)
        total += weights[row] * joint


@kernel
def best_discard_row(discards: Ints, up: int, exchanged: Ints, nondealer_values: Floats) -> int:
    """The place of the dealer's one discard for all layouts.

    Least for the non-dealer in P(win the tower), then in tricks, then the lowest card in play order.

    Args:
        discards: int64[discards], card ids.
        up: the up-card.
        exchanged: int64[discards, 8], layouts by the non-dealer's tricks.
        nondealer_values: float64[8], P(the non-dealer wins the tower) by tricks.
    """
    best, best_value, best_tricks, best_place = -1, 0.0, 0, 0
    for row in range(discards.shape[0]):
        value, tricks = 0.0, 0
        for outcome in range(OUTCOMES):
            value += exchanged[row, outcome] * nondealer_values[outcome]
            tricks += exchanged[row, outcome] * outcome
        place = to_play_order(1 << discards[row], up // 13, True)
        # Sums of products in floating point: what differs by less than a millionth of a layout is equal.
        better = best < 0 or value < best_value - 1e-6
        if not better and value <= best_value + 1e-6:
            better = tricks < best_tricks or (tricks == best_tricks and place < best_place)
        if better:
            best, best_value, best_tricks, best_place = row, value, tricks, place
    return best


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
    tables: TableArrays, hand: int, up_suit: int, pool: Ints, layouts: Ints, hand_leads: bool
) -> NDArray[np.int8]:
    """int8[3, layouts]: tricks of the leader with each other suit as trumps and no exchange.

    Args:
        tables: of the tablebase.
        hand, up_suit: a printed mask, and the suit turned down.
        pool: int64[unseen], of `unseen_cards`.
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
            other = placed(layouts[layout], low, high)
            if hand_leads:
                tricks[row, layout] = leader_tricks(tables, own, other)
            else:
                tricks[row, layout] = leader_tricks(tables, other, own)
        row += 1
    return tricks


@kernel
def _add_counts(accepted: NDArray[np.int8], in_suit: NDArray[np.int8], weights: Ints, joint: Ints, named: Ints) -> None:
    for layout in range(accepted.shape[0]):
        first, second, third = in_suit[0, layout], in_suit[1, layout], in_suit[2, layout]
        weight = weights[layout]
        named[0, first] += weight
        named[1, second] += weight
        named[2, third] += weight
        joint[accepted[layout], max(first, second, third), min(first, second, third)] += weight


@kernel
def pool_runs(pool: Ints) -> int:
    """Bit i: cards i and i + 1 of a pool, int64[unseen], are neighbours in a suit, no jacks, hence equal in value."""
    linked = 0
    for place in range(pool.shape[0] - 1):
        card, following = pool[place], pool[place + 1]
        same_suit = card // 13 == following // 13
        if following == card + 1 and same_suit and card % 13 != JACK and following % 13 != JACK:
            linked |= 1 << place
    return linked


@kernel
def _distinct(chosen: Ints, linked: int) -> Ints:
    """Those subsets of the pool that hold the lowest cards of each run: one of all that differ inside runs."""
    left = np.empty(chosen.shape[0], dtype=np.int64)
    count = 0
    for index in range(chosen.shape[0]):
        places = chosen[index]
        left[count] = places
        count += (places >> 1) & linked & ~places == 0
    return left[:count]


@kernel
def _weights(layouts: Ints, linked: int, size: int) -> Ints:
    """int64[layouts]: how many subsets of the pool each one stands for, a product of binomials over the runs."""
    weights = np.ones(layouts.shape[0], dtype=np.int64)
    first = 0
    while first < size:
        last = first
        while linked >> last & 1:
            last += 1
        length = last - first + 1
        if length > 1:
            for layout in range(layouts.shape[0]):
                held = popcount(layouts[layout] >> first & ((1 << length) - 1))
                weights[layout] *= _choose(length, held)
        first = last + 1
    return weights


@kernel
def _choose(size: int, count: int) -> int:
    """Binomial coefficient; a run has at most three cards (Q K A)."""
    return 1 if count == 0 or count == size else size


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
def placed(places: int, low: Ints, high: Ints) -> int:
    """Return the play-order mask of a subset of the pool; `low` and `high` of `pool_masks`."""
    return low[np.uint64(places & ((1 << LOW_PLACES) - 1))] | high[np.uint64(places >> LOW_PLACES)]  # type: ignore[no-any-return]
