"""How many layouts end with how many tricks? Of each hand of a batch, contract by contract, as both seats count them.

A layout counts once, as all cards seen has it (the fields ``open_…``), and, where the other bids in a known way, with
the weight with which that leads to a contract. Layouts that differ only inside a run of equal cards share one look-up,
and so do those after whose discard the dealer keeps the same cards.

    towerlab upcard --hand "JS AS" --up 9S --seat nondealer --method pimc
"""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.bits import popcount
from towerlab.games.cards import DECK_24, to_play_order
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.rules import HandRules
from towerlab.solver.towers_and_bowers.bidding import DealerBids, NondealerBids, UpCardClasses, hands_from
from towerlab.solver.towers_and_bowers.upcard import (
    THROWN_IN,
    TRICK_COUNTS,
    OpenBidding,
    pool_masks,
    pool_runs,
    set_places,
    subset_in_play_order,
    tricks_in_named_suits,
    unseen_cards,
)
from towerlab.solver.two_hands.tablebase import MOST_CARDS, TablebaseArrays, leader_tricks, load_tablebase, subsets


class NondealerViews(NamedTuple):
    """Layout counts for hands of the non-dealer: one row a hand, by the non-dealer's tricks.

    Attributes:
        accepted: float64[rows, 8], the non-dealer accepts; weights add up to the number of layouts.
        answered: float64[rows, 8], the dealer accepts after a pass.
        named: float64[rows, 3, 8], the non-dealer names each suit (`named_suits`) after both have passed.
        left: float64[rows, 3, 8], the dealer names each suit after two passes.
        open_accepted: int64[rows, 8], both seeing all cards from then on: somebody accepts.
        open_passed: int64[rows, endings], how the hand ends after a first pass: the five ways of
            `solver.towers_and_bowers.upcard`.
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
    """Layout counts for hands of the dealer: one row a hand, by the non-dealer's tricks.

    Attributes:
        own: float64[rows, n, 8], the dealer accepts after a pass, by the discard, lowest card first.
        theirs: float64[rows, n, 8], the non-dealer has accepted, by the dealer's discard.
        named: float64[rows, 3, 8], the non-dealer names each suit (`named_suits`) after both have passed.
        left: float64[rows, 3, 8], the dealer names each suit after two passes.
        open_own: int64[rows, discards, 8], both seeing all cards from then on: somebody accepts, by the discard; after
            the n cards the up-card, where it can be discarded.
        open_accepted: int64[rows, 8], the same after the best discard for each layout.
        open_passed: int64[rows, 5], how the hand ends after a pass (`solver.towers_and_bowers.upcard`).
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
    """`DealerBids` as the kernel reads them; discards that are never made are left out.

    Attributes:
        later: float64[layouts, 4], P(the dealer passes), and P(passes and names) each suit; empty if nothing is known.
        start: int64[layouts + 1], where the discards of each layout begin.
        gone: int64[discards], the card, counted from the lowest of the pool.
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


class Groups(NamedTuple):
    """Subsets of the pool in groups that differ inside runs of equal cards only.

    Attributes:
        of: int32[2 ** pool], the group of each subset that was put into one.
        members: int64[..], the subset that stands for each group.
        counts: int64[..], how many are in it.
    """

    of: NDArray[np.int32]
    members: Ints
    counts: Ints


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
        bids: the dealer's bidding, for a single hand, by its layouts (`layout_hands`) that fit; None if not known.
        bidding: the bidding of that hand size with all cards seen.
        rules: the rules of the hand.
        fits: bool[layouts], the layouts that are counted, for a single hand.
    """
    hands, cards = np.ascontiguousarray(hands), int(hands[0]).bit_count()
    pool = _pool(cards).among(fits)
    codes = np.ascontiguousarray(bidding.dealer_answers.code)
    bid = _dealer_bid_arrays(bids, cards, pool)
    return view_nondealers(load_tablebase(), hands, up, bid, pool, codes, ENDINGS, rules)


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
    pool = _pool(cards).among(fits)
    reach = np.zeros((0, 6))
    if bids is not None:
        passes = 1 - bids.accepts[:, None]
        reach = np.concatenate([bids.accepts[:, None], passes, passes * bids.names], axis=1)
    codes = np.ascontiguousarray(bidding.second_round.code)
    return view_dealers(load_tablebase(), hands, up, reach, pool, codes, rules)


def layout_hands(hand: int, up: int) -> Ints:
    """int64[layouts]: every hand that the other can hold, printed masks."""
    return hands_from(unseen_cards(hand, up).tolist(), hand.bit_count())


def count_classes(classes: UpCardClasses, rules: HandRules) -> Ints:
    """Return the joint counts of all deals in which the non-dealer holds one of these classes, each with its weight.

    Because a hand's value never falls with one's tricks, a layout matters to the bidding with all cards seen only
    through these three numbers, whatever the value of a deal.

    Returns:
        int64[8, 8, 8], by the non-dealer's tricks in the accepted contract (after the dealer's best discard for that
        layout), most and fewest tricks over the three suits that can be named.
    """
    total = np.zeros(TRICK_COUNTS**3, dtype=np.int64)
    places = np.arange(len(total)).reshape(TRICK_COUNTS, TRICK_COUNTS, TRICK_COUNTS)
    for up in np.unique(classes.ups).tolist():
        chosen = classes.ups == up
        hands = classes.hands[chosen]
        weights = classes.weights[chosen]
        pool = _pool(int(hands[0]).bit_count())
        views = view_nondealers(load_tablebase(), hands, up, unknown_bids(), pool, places, len(total), rules)
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
    places = places_of(pool.layouts, cards)
    later = np.concatenate([passes, passes * bids.left], axis=1)
    return DealerBidArrays(later, start, places[made], bids.discards[made], answered[made])


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
def unknown_bids() -> DealerBidArrays:
    """Return the bids of a dealer of whom nothing is known."""
    none = np.zeros(0)
    return DealerBidArrays(np.zeros((0, 4)), np.zeros(1, np.int64), np.zeros(0, np.int64), none, none)


@kernel
def view_nondealers(
    tablebase: TablebaseArrays,
    hands: Ints,
    up: int,
    bids: DealerBidArrays,
    pool: Pool,
    codes: NDArray[Any],
    endings: int,
    rules: HandRules,
) -> NondealerViews:
    """Return the views of hands of the non-dealer.

    Args:
        tablebase: the arrays of the tablebase.
        hands, up: int64[rows], printed masks of one size, and the up-card.
        bids: the dealer's bidding, by layout.
        pool: the layouts.
        codes: int[8, 8, 8], the ending after a pass, by tricks if accepted, most and fewest over the suits.
        endings: the number of endings.
        rules: the rules of the hand.
    """
    rows = hands.shape[0]
    views = NondealerViews(
        np.zeros((rows, TRICK_COUNTS)),
        np.zeros((rows, TRICK_COUNTS)),
        np.zeros((rows, 3, TRICK_COUNTS)),
        np.zeros((rows, 3, TRICK_COUNTS)),
        np.zeros((rows, TRICK_COUNTS), np.int64),
        np.zeros((rows, endings), np.int64),
        np.zeros((rows, 3, TRICK_COUNTS), np.int64),
        np.zeros((rows, TRICK_COUNTS), np.int64),
    )
    up_suit = up // 13
    size = unseen_cards(hands[0], up).shape[0]
    reads_bids = bids.later.shape[0] > 0
    groups = _new_groups(size, pool.layouts.shape[0])
    left_groups = _new_groups(size, pool.left.shape[0])
    weights = np.empty((pool.layouts.shape[0], 4))
    left_weights = np.empty((pool.left.shape[0], 2))
    after_discard = np.empty(pool.left.shape[0], dtype=np.int64)
    for row in range(hands.shape[0]):
        hand = hands[row]
        cards = unseen_cards(hand, up)
        linked = pool_runs(cards) & pool.shared
        left_count = _fill_groups(pool.left, linked, left_groups)
        count = _fill_groups(pool.layouts, linked, groups)
        if reads_bids:
            weights[:count] = 0.0
            left_weights[:left_count] = 0.0
            _weigh_dealer_bids(bids, pool, groups.of, left_groups.of, weights, left_weights)
        own = to_play_order(hand, up_suit, True)
        taken = to_play_order(1 << up, up_suit, True)
        low, high = pool_masks(cards, up_suit)
        for group in range(left_count):
            tricks = leader_tricks(tablebase, own, subset_in_play_order(left_groups.members[group], low, high) | taken)
            after_discard[group] = tricks
            if reads_bids:
                views.accepted[row, tricks] += left_weights[group, 0]
                views.answered[row, tricks] += left_weights[group, 1]
        in_suit = tricks_in_named_suits(tablebase, hand, up_suit, cards, groups.members[:count], True)
        for group in range(count):
            dealt = groups.members[group]
            fewest_accepted = MOST_CARDS
            if rules.allow_discard_upcard:
                fewest_accepted = leader_tricks(tablebase, own, subset_in_play_order(dealt, low, high))
            fewest_accepted = _best_discard(dealt, linked, left_groups.of, after_discard, fewest_accepted)
            most, fewest = _count_named(in_suit, group, groups.counts[group], views.open_named, row)
            if reads_bids:
                for suit in range(3):
                    tricks = in_suit[suit, group]
                    views.named[row, suit, tricks] += weights[group, 0]
                    views.left[row, suit, tricks] += weights[group, 1 + suit]
            views.open_accepted[row, fewest_accepted] += groups.counts[group]
            views.open_passed[row, codes[fewest_accepted, most, fewest]] += groups.counts[group]
            views.open_fewest[row, fewest] += groups.counts[group]
    return views


@kernel
def _weigh_dealer_bids(
    bids: DealerBidArrays,
    pool: Pool,
    groups: NDArray[np.int32],
    left_groups: NDArray[np.int32],
    weights: Floats,
    left_weights: Floats,
) -> None:
    """Add up how the dealer bids: by group of layouts, float64[.., 4], and of what a discard leaves, float64[.., 2]."""
    for index in range(pool.layouts.shape[0]):
        dealt = pool.layouts[index]
        group = groups[dealt]
        for column in range(4):
            weights[group, column] += bids.later[index, column]
        for place in range(bids.start[index], bids.start[index + 1]):
            left = left_groups[dealt ^ 1 << bids.gone[place]]
            left_weights[left, 0] += bids.accepted[place]
            left_weights[left, 1] += bids.answered[place]


@kernel
def _best_discard(dealt: int, linked: int, left_groups: NDArray[np.int32], after_discard: Ints, tricks: int) -> int:
    """Return the fewest tricks after any of the dealer's discards, at most `tricks`."""
    rest = dealt & ~((dealt >> 1) & linked)  # of a run the highest card held may as well go
    while rest:
        tricks = min(tricks, after_discard[left_groups[dealt ^ (rest & -rest)]])
        rest &= rest - 1
    return tricks


@kernel
def view_dealers(
    tablebase: TablebaseArrays,
    hands: Ints,
    up: int,
    reach: Floats,
    pool: Pool,
    codes: NDArray[np.int8],
    rules: HandRules,
) -> DealerViews:
    """Return the views of hands of the dealer; `reach`, float64[layouts, 6], says how the non-dealer bids."""
    rows = hands.shape[0]
    cards_held = popcount(hands[0])
    views = DealerViews(
        np.zeros((rows, cards_held, TRICK_COUNTS)),
        np.zeros((rows, cards_held, TRICK_COUNTS)),
        np.zeros((rows, 3, TRICK_COUNTS)),
        np.zeros((rows, 3, TRICK_COUNTS)),
        np.zeros((rows, cards_held + rules.allow_discard_upcard, TRICK_COUNTS), np.int64),
        np.zeros((rows, TRICK_COUNTS), np.int64),
        np.zeros((rows, ENDINGS), np.int64),
        np.zeros((rows, 3, TRICK_COUNTS), np.int64),
    )
    up_suit = up // 13
    size = unseen_cards(hands[0], up).shape[0]
    reads_bids = reach.shape[0] > 0
    groups = _new_groups(size, pool.layouts.shape[0])
    accepted = np.empty(pool.layouts.shape[0], dtype=np.int64)
    weights = np.empty((pool.layouts.shape[0], 6))
    for row in range(hands.shape[0]):
        hand = hands[row]
        cards = unseen_cards(hand, up)
        count = _fill_groups(pool.layouts, pool_runs(cards) & pool.shared, groups)
        if reads_bids:
            weights[:count] = 0.0
            for index in range(pool.layouts.shape[0]):
                group = groups.of[pool.layouts[index]]
                for column in range(6):
                    weights[group, column] += reach[index, column]
        low, high = pool_masks(cards, up_suit)
        accepted[:count] = MOST_CARDS
        discards = set_places(hand)
        for place in range(views.open_own.shape[1]):
            gone = 1 << (discards[place] if place < discards.shape[0] else up)
            own = to_play_order((hand | (1 << up)) ^ gone, up_suit, True)
            for group in range(count):
                tricks = leader_tricks(tablebase, subset_in_play_order(groups.members[group], low, high), own)
                views.open_own[row, place, tricks] += groups.counts[group]
                accepted[group] = min(accepted[group], tricks)
                if reads_bids and place < discards.shape[0]:
                    views.theirs[row, place, tricks] += weights[group, 0]
                    views.own[row, place, tricks] += weights[group, 1]
        in_suit = tricks_in_named_suits(tablebase, hand, up_suit, cards, groups.members[:count], False)
        for group in range(count):
            most, fewest = _count_named(in_suit, group, groups.counts[group], views.open_named, row)
            if reads_bids:
                for suit in range(3):
                    tricks = in_suit[suit, group]
                    views.named[row, suit, tricks] += weights[group, 2 + suit]
                    views.left[row, suit, tricks] += weights[group, 5]
            views.open_passed[row, codes[most, fewest]] += groups.counts[group]
            views.open_accepted[row, accepted[group]] += groups.counts[group]
    return views


@kernel
def _new_groups(pool_size: int, subsets: int) -> Groups:
    """Return room for the groups of so many subsets."""
    counts = np.empty(subsets, dtype=np.int64)
    return Groups(np.empty(1 << pool_size, dtype=np.int32), np.empty(subsets, dtype=np.int64), counts)


@kernel
def _fill_groups(subsets: Ints, linked: int, groups: Groups) -> int:
    """Put subsets, in ascending order, into groups that differ inside runs only; return the number of groups.

    Args:
        subsets: int64[..], the subsets of the pool.
        linked: the cards of the pool that are in a run with the next higher one, as bits.
        groups: the groups, filled.
    """
    count = 0
    for index in range(subsets.shape[0]):
        places = subsets[index]
        movable = (places >> 1) & linked & ~places
        if movable == 0:
            groups.of[places] = count
            groups.members[count] = places
            groups.counts[count] = 1
            count += 1
        else:
            group = groups.of[places ^ 3 * (movable & -movable)]
            groups.of[places] = group
            groups.counts[group] += 1
    return count


@kernel
def _count_named(in_suit: NDArray[Any], group: int, layouts: int, counts: Ints, row: int) -> tuple[int, int]:
    """Count layouts by the tricks in each suit that can be named; return the most and the fewest tricks of the group.

    Args:
        in_suit: int[3, groups].
        group: the number of the group of layouts.
        layouts: the number of layouts in the group.
        counts: int64[rows, 3, 8], counted in this row.
        row: the row of the hand.
    """
    most = 0
    fewest = MOST_CARDS
    for suit in range(3):
        tricks = in_suit[suit, group]
        counts[row, suit, tricks] += layouts
        most = max(most, tricks)
        fewest = min(fewest, tricks)
    return most, fewest
