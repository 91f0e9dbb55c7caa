"""The views of a batch of hands: the layouts of the other hand by the non-dealer's tricks, contract by contract.

A layout counts once, as all cards seen has it (the fields ``open_…``), and, where the other bids in a known way, with
the weight with which that leads to a contract. Weights are read from arrays over all hands of that size, by
colexicographic rank, or for a single hand over its layouts. Layouts that differ only inside a run of equal cards share
one look-up, and so do those after whose discard the dealer keeps the same cards.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.bits import popcount
from towerlab.games.cards import DECK_24, mask_cards, to_play_order
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.rules import HandRules
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals, up_cards
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from towerlab.solver.towers_and_bowers.classes import UpCardClasses, hands_from
from towerlab.solver.towers_and_bowers.open_bidding import THROWN_IN, OpenBidding
from towerlab.solver.towers_and_bowers.upcard import (
    LOW_PLACES,
    OUTCOMES,
    placed,
    pool_masks,
    pool_runs,
    set_places,
    tricks_in_named_suits,
    unseen_cards,
)
from towerlab.solver.two_hands.tablebase import MOST_CARDS, TableArrays, leader_tricks, load_tables, subsets


class NondealerViews(NamedTuple):
    """Of hands of the non-dealer: layouts by the non-dealer's tricks, a row a hand.

    Attributes:
        accepted: float64[rows, 8], the non-dealer accepts; weights add up to the number of layouts.
        answered: float64[rows, 8], the dealer accepts after a pass.
        named: float64[rows, 3, 8], the non-dealer names each suit (`named_suits`) after both have passed.
        left: float64[rows, 3, 8], the dealer names each suit after two passes.
        open_accepted: int64[rows, 8], both seeing all cards from then on: somebody accepts.
        open_passed: int64[rows, endings], how the hand ends after a first pass: the five ways of
            `solver.towers_and_bowers.open_bidding`.
        open_named: int64[rows, 3, 8], a suit is named.
        open_fewest: int64[rows, 8], fewest tricks over the suits, which the dealer names after a second pass.
    """

    accepted: Floats
    answered: Floats
    named: Floats
    left: Floats
    open_accepted: Ints
    open_passed: Ints
    open_named: Ints
    open_fewest: Ints


class DealerViews(NamedTuple):
    """Of hands of the dealer: layouts by the non-dealer's tricks, a row a hand.

    Attributes:
        own: float64[rows, n, 8], the dealer accepts after a pass, by the discard, lowest card first.
        theirs: float64[rows, n, 8], the non-dealer has accepted, by the dealer's discard.
        named: float64[rows, 3, 8], the non-dealer names each suit (`named_suits`) after both have passed.
        left: float64[rows, 3, 8], the dealer names each suit after two passes.
        open_own: int64[rows, discards, 8], both seeing all cards from then on: somebody accepts, by the discard; after
            the n cards the up-card, where it can be discarded.
        open_accepted: int64[rows, 8], the same after the best discard for each layout.
        open_passed: int64[rows, 5], how the hand ends after a pass (`solver.towers_and_bowers.open_bidding`).
        open_named: int64[rows, 3, 8], a suit is named.
    """

    own: Floats
    theirs: Floats
    named: Floats
    left: Floats
    open_own: Ints
    open_accepted: Ints
    open_passed: Ints
    open_named: Ints


class DealerBidArrays(NamedTuple):
    """`DealerBids` of hands of one size as the kernel reads them; discards that are never made are left out.

    Attributes:
        later: float64[hands, 4], P(the dealer passes), and P(passes and names) each suit; empty if nothing is known.
        start: int64[hands + 1], where the discards of each hand begin.
        gone: int64[discards], the card, counted from the lowest among those beside the up-card, or in the pool.
        accepted, answered: float64[discards], P(this discard once the other has accepted), P(accepts and makes it).
    """

    later: Floats
    start: Ints
    gone: Ints
    accepted: Floats
    answered: Floats


class Pool(NamedTuple):
    """How to enumerate the layouts of one hand size.

    Attributes:
        layouts, left: int64[..], subsets of the pool as the opponent's hand and as what a discard leaves of it.
        shared: -1, or 0 if layouts that differ inside runs only are looked up each for itself.
    """

    layouts: Ints
    left: Ints
    shared: int = -1

    def among(self, fits: Bools | None) -> Pool:
        """Only the layouts that fit, of all of them: then the neighbours of some may be missing."""
        return self if fits is None else self._replace(layouts=self.layouts[fits], shared=0)


class _Classes(NamedTuple):
    """The classes of all hands of n cards beside an up-card, a spade; cards are counted from the lowest beside it.

    Attributes:
        row: int32[hands], the class of each hand in ascending order, ``~class`` of one that is its mirror image.
        places: int64[classes, n], the cards of the hand that stands for each.
    """

    row: NDArray[np.int32]
    places: Ints


_PLACES: Final = DECK_24.bit_count() - 1
_CHOOSE: Final = np.array([[math.comb(size, count) for count in range(MOST_CARDS + 1)] for size in range(24)])
_NO_ROWS: Final = np.zeros(0, dtype=np.int32)
ENDINGS: Final = THROWN_IN + 1


def nondealer_views(
    hands: Ints,
    up: int,
    bids: DealerBids | None,
    bidding: OpenBidding,
    rules: HandRules,
    fits: Bools | None = None,
) -> NondealerViews:
    """Return the views of hands of the non-dealer.

    Args:
        hands: int64[rows], printed masks of one size n.
        up: the up-card.
        bids: how the dealer bids, by class, the up-card being a spade; of a single hand by its layouts (`layout_hands`)
            that fit; None if nothing is known.
        bidding: of that size, with all cards seen.
        rules: of the hand.
        fits: bool[layouts], of a single hand: those that are counted.
    """
    hands, cards = np.ascontiguousarray(hands), int(hands[0]).bit_count()
    views = new_nondealer_views(len(hands), ENDINGS)
    pool = _pool(cards).among(fits)
    codes = np.ascontiguousarray(bidding.dealer_answers.code)
    bid_arrays = _dealer_bid_arrays(bids, cards, pool)
    alone = bids is not None and len(bids.answers) == len(pool.layouts)
    class_rows = _classes(cards).row if bids is not None and not alone else _NO_ROWS
    view_nondealers(load_tables(), hands, up, bid_arrays, class_rows, pool, codes, rules, views)
    return views


def dealer_views(
    hands: Ints,
    up: int,
    bids: NondealerBids | None,
    bidding: OpenBidding,
    rules: HandRules,
    fits: Bools | None = None,
) -> DealerViews:
    """Return the views of hands of the dealer; the arguments are those of `nondealer_views`."""
    hands, cards = np.ascontiguousarray(hands), int(hands[0]).bit_count()
    views = new_dealer_views(len(hands), cards, rules)
    pool = _pool(cards).among(fits)
    reach = np.zeros((0, 6))
    if bids is not None:
        passes = 1 - bids.accepts[:, None]
        reach = np.concatenate([bids.accepts[:, None], passes, passes * bids.names], axis=1)
    codes = np.ascontiguousarray(bidding.second_round.code)
    alone = len(reach) == len(pool.layouts)
    class_rows = _classes(cards).row if bids is not None and not alone else _NO_ROWS
    view_dealers(load_tables(), hands, up, reach, class_rows, pool, codes, views)
    return views


def layout_hands(hand: int, up: int) -> Ints:
    """int64[layouts]: every hand that the other can hold, printed masks."""
    return hands_from(unseen_cards(hand, up).tolist(), hand.bit_count())


def count_classes(classes: UpCardClasses, rules: HandRules) -> Ints:
    """The joint counts of all deals in which the non-dealer holds one of these classes, each with its weight.

    Because a hand's value never falls with one's tricks, a layout matters to the bidding with all cards seen only
    through these three numbers, whatever the value of a deal.

    Returns:
        int64[8, 8, 8], by the non-dealer's tricks in the accepted contract (after the dealer's best discard for that
        layout), most and fewest tricks over the three suits that can be named.
    """
    total = np.zeros(OUTCOMES**3, dtype=np.int64)
    places = np.arange(len(total)).reshape(OUTCOMES, OUTCOMES, OUTCOMES)
    for up in np.unique(classes.ups).tolist():
        chosen = classes.ups == up
        hands = classes.hands[chosen]
        weights = classes.weights[chosen]
        views = new_nondealer_views(len(hands), len(total))
        pool = _pool(int(hands[0]).bit_count())
        bid_arrays = load_tables(), hands, up, unknown_bids(), _NO_ROWS, pool, places, rules
        view_nondealers(*bid_arrays, views)
        total += weights @ views.open_passed
    return total.reshape(places.shape)


@functools.cache
def _pool(cards: int) -> Pool:
    unseen = DECK_24.bit_count() - 1 - cards
    return Pool(subsets(unseen, cards), subsets(unseen, cards - 1))


def _dealer_bid_arrays(bids: DealerBids | None, cards: int, pool: Pool) -> DealerBidArrays:
    if bids is None:
        return unknown_bids()
    passes = 1 - bids.answers[:, None]
    answered = bids.answers[:, None] * bids.own_discards
    made = (bids.discards > 0) | (answered > 0)
    start = np.concatenate([[0], np.cumsum(made.sum(1))]).astype(np.int64)
    alone = len(passes) == len(pool.layouts)
    places = places_of(pool.layouts, cards) if alone else _classes(cards).places
    later = np.concatenate([passes, passes * bids.left], axis=1)
    return DealerBidArrays(later, start, places[made], bids.discards[made], answered[made])


@functools.cache
def _classes(cards: int) -> _Classes:
    deals = make_deals(cards, up_cards()[-1])  # whose order is that beside any other spade
    row = np.where(deals.mirrored, ~deals.row, deals.row)
    places = np.searchsorted(mask_cards(DECK_24), places_of(deals.classes, cards))
    return _Classes(row.astype(np.int32), places)


def places_of(masks: Ints, cards: int) -> Ints:
    """int64[len(masks), cards]: the bits of every mask, int64[..] of as many bits each, from the lowest."""
    places = np.empty((len(masks), cards), dtype=np.int64)
    left = masks.copy()
    for place in range(cards):
        low = left & -left
        places[:, place] = np.frexp(low.astype(np.float64))[1] - 1
        left ^= low
    return places


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def new_nondealer_views(rows: int, endings: int) -> NondealerViews:
    """Return views of so many hands, filled with zeros."""
    return NondealerViews(
        np.zeros((rows, OUTCOMES)),
        np.zeros((rows, OUTCOMES)),
        np.zeros((rows, 3, OUTCOMES)),
        np.zeros((rows, 3, OUTCOMES)),
        np.zeros((rows, OUTCOMES), np.int64),
        np.zeros((rows, endings), np.int64),
        np.zeros((rows, 3, OUTCOMES), np.int64),
        np.zeros((rows, OUTCOMES), np.int64),
    )


@kernel
def new_dealer_views(rows: int, cards: int, rules: HandRules) -> DealerViews:
    """Return views of so many hands of n cards, filled with zeros."""
    return DealerViews(
        np.zeros((rows, cards, OUTCOMES)),
        np.zeros((rows, cards, OUTCOMES)),
        np.zeros((rows, 3, OUTCOMES)),
        np.zeros((rows, 3, OUTCOMES)),
        np.zeros((rows, cards + rules.allow_discard_upcard, OUTCOMES), np.int64),
        np.zeros((rows, OUTCOMES), np.int64),
        np.zeros((rows, ENDINGS), np.int64),
        np.zeros((rows, 3, OUTCOMES), np.int64),
    )


@kernel
def unknown_bids() -> DealerBidArrays:
    """Return the bids of a dealer of whom nothing is known."""
    none = np.zeros(0)
    return DealerBidArrays(np.zeros((0, 4)), np.zeros(1, np.int64), np.zeros(0, np.int64), none, none)


@kernel
def view_nondealers(
    tables: TableArrays,
    hands: Ints,
    up: int,
    bids: DealerBidArrays,
    rows: NDArray[np.int32],
    pool: Pool,
    codes: NDArray[Any],
    rules: HandRules,
    views: NondealerViews,
) -> None:
    """Fill in the views of hands of the non-dealer.

    Args:
        tables: of the tablebase.
        hands, up: int64[rows], printed masks of one size, and the up-card.
        bids: how the dealer bids.
        rows: int32[..], of `_Classes` where `bids` is by class, else empty.
        pool: the layouts.
        codes: int[8, 8, 8], the ending after a pass, by tricks if accepted, most and fewest over the suits.
        rules: of the hand.
        views: zeros, filled.
    """
    up_suit = up // 13
    size = unseen_cards(hands[0], up).shape[0]
    reads_bids = bids.later.shape[0] > 0
    groups = np.empty(1 << size, dtype=np.int32)
    left_groups = np.empty(1 << size, dtype=np.int32)
    members = np.empty(pool.layouts.shape[0], dtype=np.int64)
    left_members = np.empty(pool.left.shape[0], dtype=np.int64)
    counts = np.empty(members.shape[0], dtype=np.int64)
    weights = np.empty((members.shape[0], 4))
    left_weights = np.empty((left_members.shape[0], 2))
    after_discard = np.empty(left_members.shape[0], dtype=np.int64)
    for row in range(hands.shape[0]):
        hand = hands[row]
        cards = unseen_cards(hand, up)
        linked = pool_runs(cards) & pool.shared
        low_rank, high_rank = _ranks(cards, up) if rows.shape[0] else _no_ranks()
        bits = _bits_of(cards, up) if rows.shape[0] else np.int64(1) << np.arange(size)
        left_count = 0
        for index in range(pool.left.shape[0]):
            left_count = _join(pool.left[index], linked, left_groups, left_members, left_count)
        left_weights[:left_count] = 0.0
        count = 0
        for index in range(pool.layouts.shape[0]):
            dealt = pool.layouts[index]
            before = count
            count = _join(dealt, linked, groups, members, count)
            if count > before:
                counts[before] = 0
                weights[before] = 0.0
            group = groups[dealt]
            counts[group] += 1
            if not reads_bids:
                continue
            seen = index
            swapped = False
            if rows.shape[0]:
                seen, swapped = _standing(rows, _rank(dealt, low_rank, high_rank))
            for column in range(4):
                weights[group, column] += bids.later[seen, 5 - column if swapped and column >= 2 else column]
            for place in range(bids.start[seen], bids.start[seen + 1]):
                gone = bids.gone[place]
                if swapped and 6 <= gone < 18:
                    gone += 6 if gone < 12 else -6
                group_left = left_groups[dealt ^ bits[gone]]
                left_weights[group_left, 0] += bids.accepted[place]
                left_weights[group_left, 1] += bids.answered[place]
        own = to_play_order(hand, up_suit, True)
        taken = to_play_order(1 << up, up_suit, True)
        low, high = pool_masks(cards, up_suit)
        for group in range(left_count):
            tricks = leader_tricks(tables, own, placed(left_members[group], low, high) | taken)
            after_discard[group] = tricks
            views.accepted[row, tricks] += left_weights[group, 0]
            views.answered[row, tricks] += left_weights[group, 1]
        in_suit = tricks_in_named_suits(tables, hand, up_suit, cards, members[:count], True)
        for group in range(count):
            dealt = members[group]
            layouts = counts[group]
            fewest_accepted = MOST_CARDS
            if rules.allow_discard_upcard:
                fewest_accepted = leader_tricks(tables, own, placed(dealt, low, high))
            rest = dealt & ~((dealt >> 1) & linked)  # of a run the highest card held may as well go
            while rest:
                fewest_accepted = min(fewest_accepted, after_discard[left_groups[dealt ^ (rest & -rest)]])
                rest &= rest - 1
            most = 0
            fewest = MOST_CARDS
            for suit in range(3):
                tricks = in_suit[suit, group]
                most, fewest = max(most, tricks), min(fewest, tricks)
                if reads_bids:
                    views.named[row, suit, tricks] += weights[group, 0]
                    views.left[row, suit, tricks] += weights[group, 1 + suit]
                views.open_named[row, suit, tricks] += layouts
            views.open_accepted[row, fewest_accepted] += layouts
            views.open_passed[row, codes[fewest_accepted, most, fewest]] += layouts
            views.open_fewest[row, fewest] += layouts


@kernel
def view_dealers(
    tables: TableArrays,
    hands: Ints,
    up: int,
    reach: Floats,
    rows: NDArray[np.int32],
    pool: Pool,
    codes: NDArray[np.int8],
    views: DealerViews,
) -> None:
    """Fill in the views of hands of the dealer; `reach`, float64[.., 6], says how the non-dealer bids, by `rows`."""
    up_suit = up // 13
    size = unseen_cards(hands[0], up).shape[0]
    reads_bids = reach.shape[0] > 0
    groups = np.empty(1 << size, dtype=np.int32)
    members = np.empty(pool.layouts.shape[0], dtype=np.int64)
    counts, accepted = np.empty((2, members.shape[0]), dtype=np.int64)
    weights = np.empty((members.shape[0], 6))
    for row in range(hands.shape[0]):
        hand = hands[row]
        cards = unseen_cards(hand, up)
        linked = pool_runs(cards) & pool.shared
        low_rank, high_rank = _ranks(cards, up) if rows.shape[0] else _no_ranks()
        count = 0
        for index in range(pool.layouts.shape[0]):
            dealt = pool.layouts[index]
            before = count
            count = _join(dealt, linked, groups, members, count)
            if count > before:
                counts[before] = 0
                weights[before] = 0.0
            group = groups[dealt]
            counts[group] += 1
            if not reads_bids:
                continue
            seen = index
            swapped = False
            if rows.shape[0]:
                seen, swapped = _standing(rows, _rank(dealt, low_rank, high_rank))
            for column in range(6):
                weights[group, column] += reach[seen, 7 - column if swapped and 3 <= column <= 4 else column]
        low, high = pool_masks(cards, up_suit)
        accepted[:count] = MOST_CARDS
        discards = set_places(hand)
        for place in range(views.open_own.shape[1]):
            gone = 1 << (discards[place] if place < discards.shape[0] else up)
            own = to_play_order((hand | (1 << up)) ^ gone, up_suit, True)
            for group in range(count):
                tricks = leader_tricks(tables, placed(members[group], low, high), own)
                views.open_own[row, place, tricks] += counts[group]
                accepted[group] = min(accepted[group], tricks)
                if reads_bids and place < discards.shape[0]:
                    views.theirs[row, place, tricks] += weights[group, 0]
                    views.own[row, place, tricks] += weights[group, 1]
        in_suit = tricks_in_named_suits(tables, hand, up_suit, cards, members[:count], False)
        for group in range(count):
            most = 0
            fewest = MOST_CARDS
            layouts = counts[group]
            for suit in range(3):
                tricks = in_suit[suit, group]
                most, fewest = max(most, tricks), min(fewest, tricks)
                if reads_bids:
                    views.named[row, suit, tricks] += weights[group, 2 + suit]
                    views.left[row, suit, tricks] += weights[group, 5]
                views.open_named[row, suit, tricks] += layouts
            views.open_passed[row, codes[most, fewest]] += layouts
            views.open_accepted[row, accepted[group]] += layouts


@kernel
def _join(places: int, linked: int, groups: NDArray[np.int32], members: Ints, count: int) -> int:
    """Put a subset into the group of those that differ from it inside runs only; subsets come in ascending order."""
    movable = (places >> 1) & linked & ~places
    if movable == 0:
        groups[places], members[count] = count, places
        return count + 1
    groups[places] = groups[places ^ 3 * (movable & -movable)]
    return count


@kernel
def _places_beside(cards: Ints, up: int) -> Ints:
    """int64[pool]: the place of each card of the pool among all beside the up-card."""
    places = np.empty(cards.shape[0], dtype=np.int64)
    for place in range(cards.shape[0]):
        places[place] = popcount(DECK_24 & ~(1 << up) & (1 << cards[place]) - 1)
    return places


@kernel
def _bits_of(cards: Ints, up: int) -> Ints:
    """int64[23]: for each card beside the up-card its bit in the pool, 0 if it is not there."""
    bits = np.zeros(_PLACES, dtype=np.int64)
    bits[_places_beside(cards, up)] = np.int64(1) << np.arange(cards.shape[0])
    return bits


@kernel
def _ranks(cards: Ints, up: int) -> tuple[Ints, Ints]:
    """Colexicographic rank of a subset of the pool among all hands, as the sum of two look-ups."""
    place_of = _places_beside(cards, up)
    low = np.zeros(1 << LOW_PLACES, dtype=np.int64)
    high = np.zeros((MOST_CARDS + 1, 1 << (cards.shape[0] - LOW_PLACES)), dtype=np.int64)
    for bit in range(LOW_PLACES):
        for below in range(1 << bit):
            held = popcount(below) + 1
            low[1 << bit | below] = low[below] + (_CHOOSE[place_of[bit], held] if held <= MOST_CARDS else 0)
    for bit in range(cards.shape[0] - LOW_PLACES):
        for below in range(1 << bit):
            for already in range(MOST_CARDS + 1):
                held = already + popcount(below) + 1
                if held <= MOST_CARDS:
                    more = _CHOOSE[place_of[LOW_PLACES + bit], held]
                    high[already, 1 << bit | below] = high[already, below] + more
    return low, high


@kernel
def _no_ranks() -> tuple[Ints, Ints]:
    """Return what stands for `_ranks` where nothing is by class."""
    return np.zeros(0, np.int64), np.zeros((0, 0), np.int64)


@kernel
def _standing(rows: NDArray[np.int32], hand: int) -> tuple[int, bool]:
    """The class of a hand, and whether it is the mirror image."""
    row = int(rows[hand])
    return (~row, True) if row < 0 else (row, False)


@kernel
def _rank(places: int, low_rank: Ints, high_rank: Ints) -> int:
    low = places & ((1 << LOW_PLACES) - 1)
    return low_rank[low] + high_rank[popcount(low), places >> LOW_PLACES]  # type: ignore[no-any-return]
