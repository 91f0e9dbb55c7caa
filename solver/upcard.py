"""What every contract that an up-card can lead to yields, over every hand the opponent can hold (TB-9..13).

One player's view: his dealt hand and the up-card are known, the pool is the rest of the pack, every n cards of it
are one *layout*. For each layout the tablebase gives the tricks of the non-dealer (who always leads, TB-18) in the
accepted contract, after the dealer's exchange, and in each of the three suits that can be named. All counts are of
layouts and exact.

Because a hand's worth never falls with one's tricks, a layout matters to the bidding only through three numbers:
tricks when the up-card is accepted, most and fewest tricks over the three suits (the non-dealer names the one, the
dealer the other). The joint counts of these three are all that `analysis` needs, whatever the deal is worth.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from games.bits import lowest_index
from games.cards import DECK_24, mask_cards, suit_of, to_play_order
from games.jit import kernel
from solver.tablebase import MOST_CARDS, TableArrays, leader_tricks, load_tables

Counts = NDArray[np.int64]
OUTCOMES: Final = MOST_CARDS + 1  # 0..7 tricks
_LOW_PLACES: Final = 10  # the pool is looked up in two parts: its first ten cards and the rest


@dataclass(frozen=True)
class LayoutCounts:
    """Counts of layouts by the tricks of the non-dealer.

    Attributes:
        layouts: how many layouts there are.
        joint: int64[8, 8, 8], by tricks in the accepted contract (dealer's best discard for that layout), most
            and fewest tricks over the three suits that can be named.
        named: int64[3, 8], by tricks in each named suit, in the order of `named_suits(up)`.
        discards: the cards (ids) the asking dealer can discard; empty for the non-dealer.
        exchanged: int64[len(discards), 8], by tricks in the accepted contract after that one discard.
    """

    layouts: int
    joint: Counts
    named: Counts
    discards: tuple[int, ...]
    exchanged: Counts


def named_suits(up: int) -> tuple[int, int, int]:
    """The three suits that can be named once the up-card is turned down."""
    first, second, third = (suit for suit in range(4) if suit != suit_of(up))
    return first, second, third


def count_layouts(hand: int, up: int, dealer: bool, may_discard_up: bool = False) -> LayoutCounts:
    """Count all layouts of one view.

    Args:
        hand: printed mask of the asker's 1..7 dealt cards.
        up: the up-card.
        dealer: whether the asker deals.
        may_discard_up: option `allow_discard_upcard` (A1).
    """
    cards = hand.bit_count()
    pool = np.array(mask_cards(DECK_24 & ~hand & ~(1 << up)), dtype=np.int64)
    layouts, kept = subsets(len(pool), cards), subsets(len(pool), cards - 1)
    discards = mask_cards(hand) + ([up] if may_discard_up else []) if dealer else []
    joint = np.zeros((OUTCOMES, OUTCOMES, OUTCOMES), dtype=np.int64)
    named = np.zeros((3, OUTCOMES), dtype=np.int64)
    exchanged = np.zeros((len(discards), OUTCOMES), dtype=np.int64)
    view = (load_tables(), hand, up, pool, layouts)
    if dealer:
        _count_for_dealer(*view, np.array(discards, dtype=np.int64), joint, named, exchanged)
    else:
        _count_for_nondealer(*view, kept, may_discard_up, joint, named)
    return LayoutCounts(len(layouts), joint, named, tuple(discards), exchanged)


@functools.cache
def subsets(size: int, count: int) -> NDArray[np.int64]:
    """All masks of `count` of `size` places, ascending."""
    masks = np.arange(1 << size, dtype=np.int64)
    chosen: NDArray[np.int64] = masks[np.bitwise_count(masks) == count]
    return chosen


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def _count_for_nondealer(
    tables: TableArrays,
    hand: int,
    up: int,
    pool: Any,
    layouts: Any,
    kept: Any,
    may_discard_up: bool,
    joint: Any,
    named: Any,
) -> None:
    """Add one non-dealer's view to `joint` and `named`."""
    up_suit = up // 13
    # What the dealer keeps of his hand, with the up-card, decides the play; his discard is merely gone.
    after_discard = np.empty(1 << pool.shape[0], dtype=np.int8)
    low, high = _place_pool(pool, up_suit)
    own = to_play_order(hand, up_suit, True)
    taken = to_play_order(1 << up, up_suit, True)
    for place in range(kept.shape[0]):
        after_discard[kept[place]] = leader_tricks(tables, own, _place(kept[place], low, high) | taken)
    accepted = np.empty(layouts.shape[0], dtype=np.int8)
    for layout in range(layouts.shape[0]):
        dealt = layouts[layout]
        fewest = leader_tricks(tables, own, _place(dealt, low, high)) if may_discard_up else MOST_CARDS
        rest = dealt
        while rest:
            fewest = min(fewest, after_discard[dealt ^ (rest & -rest)])
            rest &= rest - 1
        accepted[layout] = fewest
    in_suit = _tricks_in_named_suits(tables, hand, up_suit, pool, layouts, True)
    _add_counts(accepted, in_suit, joint, named)


@kernel
def _count_for_dealer(
    tables: TableArrays,
    hand: int,
    up: int,
    pool: Any,
    layouts: Any,
    discards: Any,
    joint: Any,
    named: Any,
    exchanged: Any,
) -> None:
    """Add one dealer's view to `joint`, `named` and, a row a discard, `exchanged`."""
    up_suit = up // 13
    low, high = _place_pool(pool, up_suit)
    accepted = np.full(layouts.shape[0], MOST_CARDS, dtype=np.int8)
    for row in range(discards.shape[0]):
        own = to_play_order((hand | (1 << up)) & ~(1 << discards[row]), up_suit, True)
        for layout in range(layouts.shape[0]):
            tricks = leader_tricks(tables, _place(layouts[layout], low, high), own)
            exchanged[row, tricks] += 1
            accepted[layout] = min(accepted[layout], tricks)
    in_suit = _tricks_in_named_suits(tables, hand, up_suit, pool, layouts, False)
    _add_counts(accepted, in_suit, joint, named)


@kernel
def _tricks_in_named_suits(
    tables: TableArrays, hand: int, up_suit: int, pool: Any, layouts: Any, hand_leads: bool
) -> Any:
    """int8[3, layouts]: tricks of the leader with each other suit as trumps and no exchange."""
    tricks = np.empty((3, layouts.shape[0]), dtype=np.int8)
    row = 0
    for trump in range(4):
        if trump == up_suit:
            continue
        low, high = _place_pool(pool, trump)
        own = to_play_order(hand, trump, True)
        for layout in range(layouts.shape[0]):
            other = _place(layouts[layout], low, high)
            if hand_leads:
                tricks[row, layout] = leader_tricks(tables, own, other)
            else:
                tricks[row, layout] = leader_tricks(tables, other, own)
        row += 1
    return tricks


@kernel
def _add_counts(accepted: Any, in_suit: Any, joint: Any, named: Any) -> None:
    for layout in range(accepted.shape[0]):
        first, second, third = in_suit[0, layout], in_suit[1, layout], in_suit[2, layout]
        named[0, first] += 1
        named[1, second] += 1
        named[2, third] += 1
        joint[accepted[layout], max(first, second, third), min(first, second, third)] += 1


@kernel
def _place_pool(pool: Any, trump: int) -> Any:
    """Play-order masks of every subset of either part of the pool: any subset of it is two look-ups."""
    half = min(_LOW_PLACES, pool.shape[0])
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
def _place(places: int, low: Any, high: Any) -> int:
    """The play-order mask of a subset of the pool."""
    return low[np.uint64(places & ((1 << _LOW_PLACES) - 1))] | high[np.uint64(places >> _LOW_PLACES)]  # type: ignore[no-any-return]
