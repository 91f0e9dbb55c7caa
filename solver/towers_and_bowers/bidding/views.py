"""Every hand beside one up-card at once, against an opponent who bids in a known way.

What `layouts` and `solver.towers_and_bowers.upcard` tell of one hand, this file tells of many in one pass: weights of
layouts by the non-dealer's tricks, one distribution a contract. A layout's weight is read from arrays over all hands of
that size, by its colexicographic rank; layouts that differ only inside a run of equal cards share one look-up, and so
do those after whose discard the dealer keeps the same cards.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from games.arrays import Floats, Ints
from games.bits import popcount
from games.cards import DECK_24, mask_cards, to_play_order
from games.jit import kernel
from solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from solver.towers_and_bowers.open_bidding import THROWN_IN, OpenBidding
from solver.towers_and_bowers.upcard import (
    OUTCOMES,
    placed,
    pool_masks,
    pool_runs,
    subsets,
    tricks_in_named_suits,
    unseen_cards,
)
from solver.two_hands.tablebase import MOST_CARDS, TableArrays, leader_tricks, load_tables

_LOW_PLACES = 10  # as in `pool_masks`: a subset of the pool is looked up in two parts


class NondealerViews(NamedTuple):
    """Of hands of the non-dealer: layouts by his tricks, a row a hand.

    Attributes:
        accepted: float64[rows, 8], he accepts; weights add up to the number of layouts.
        answered: float64[rows, 8], the dealer accepts after a pass.
        named: float64[rows, 3, 8], he names clubs, diamonds, hearts after both have passed.
        left: float64[rows, 8], the dealer names after his second pass.
        open_accepted: int64[rows, 8], both seeing all cards from then on: he accepts.
        open_passed: int64[rows, 5], how the hand ends after a first pass (`solver.towers_and_bowers.open_bidding`).
        open_named: int64[rows, 3, 8], he names.
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
        own: float64[rows, n, 8], he accepts after a pass, by his discard.
        theirs: float64[rows, n, 8], the non-dealer has accepted, by the dealer's discard.
        named: float64[rows, 8], the non-dealer names after both have passed.
        left: float64[rows, 3, 8], the dealer names clubs, diamonds, hearts after two passes.
        open_own: int64[rows, n, 8], both seeing all cards from then on: he accepts, by his discard.
        open_passed: int64[rows, 5], how the hand ends after his pass (`solver.towers_and_bowers.open_bidding`).
        open_named: int64[rows, 3, 8], he names.
    """

    own: Floats
    theirs: Floats
    named: Floats
    left: Floats
    open_own: Ints
    open_passed: Ints
    open_named: Ints


class _DealerWay(NamedTuple):
    """`DealerBids` of every hand of one size as the kernel reads them; discards that are never made are left out.

    Attributes:
        later: float64[hands, 4], P(he passes), and P(he passes and names) each suit.
        start: int64[hands + 1], where the discards of each hand begin.
        gone: int64[discards], the card among those beside the up-card, counted from the lowest.
        accepted, answered: float64[discards], P(this discard once the other has accepted), P(he accepts and makes it).
    """

    later: Floats
    start: Ints
    gone: Ints
    accepted: Floats
    answered: Floats


class _Pool(NamedTuple):
    """How to enumerate the layouts of one hand size.

    Attributes:
        layouts, kept: int64[..], subsets of the pool as the opponent's hand and as what he keeps of it.
        choose: int64[24, 9], binomial coefficients.
    """

    layouts: Ints
    kept: Ints
    choose: Ints


def nondealer_views(hands: Ints, up: int, way: DealerBids, bidding: OpenBidding) -> NondealerViews:
    """What hands of the non-dealer see.

    Args:
        hands: int64[rows], printed masks of one size n.
        up: the up-card.
        way: how the dealer bids, by all hands of n cards beside the up-card in ascending order.
        bidding: of that size, with all cards seen.
    """
    cards, rows = int(hands[0]).bit_count(), len(hands)
    floats = [np.zeros((rows, *shape)) for shape in ((OUTCOMES,), (OUTCOMES,), (3, OUTCOMES), (OUTCOMES,))]
    shapes = ((OUTCOMES,), (THROWN_IN + 1,), (3, OUTCOMES), (OUTCOMES,))
    ints = [np.zeros((rows, *shape), dtype=np.int64) for shape in shapes]
    views = NondealerViews(*floats, *ints)
    codes = np.ascontiguousarray(bidding.dealer_answers.code)
    _view_nondealers(load_tables(), hands, up, _dealer_way(way, up, cards), _pool(cards), codes, views)
    return views


def dealer_views(hands: Ints, up: int, way: NondealerBids, bidding: OpenBidding) -> DealerViews:
    """What hands of the dealer see; the arguments are those of `nondealer_views`."""
    cards, rows = int(hands[0]).bit_count(), len(hands)
    floats = [np.zeros((rows, *shape)) for shape in ((cards, OUTCOMES), (cards, OUTCOMES), (OUTCOMES,), (3, OUTCOMES))]
    shapes = ((cards, OUTCOMES), (THROWN_IN + 1,), (3, OUTCOMES))
    ints = [np.zeros((rows, *shape), dtype=np.int64) for shape in shapes]
    views = DealerViews(*floats, *ints)
    passes = 1 - way.accepts[:, None]
    reach = np.concatenate([way.accepts[:, None], passes, passes * way.names], axis=1)
    codes = np.ascontiguousarray(bidding.second_round.code)
    _view_dealers(load_tables(), hands, up, reach, _pool(cards), codes, views)
    return views


def _pool(cards: int) -> _Pool:
    unseen = DECK_24.bit_count() - 1 - cards
    choose = np.zeros((DECK_24.bit_count(), MOST_CARDS + 2), dtype=np.int64)
    choose[:, 0] = 1
    for size in range(1, len(choose)):
        choose[size, 1:] = choose[size - 1, 1:] + choose[size - 1, :-1]
    return _Pool(subsets(unseen, cards), subsets(unseen, cards - 1), choose)


def _dealer_way(way: DealerBids, up: int, cards: int) -> _DealerWay:
    passes = 1 - way.answers[:, None]
    answered = way.answers[:, None] * way.own_discards
    made = (way.discards > 0) | (answered > 0)
    start = np.concatenate([[0], np.cumsum(made.sum(1))]).astype(np.int64)
    places = _places_of_hands(len(mask_cards(DECK_24 & ~(1 << up))), cards)
    later = np.concatenate([passes, passes * way.left], axis=1)
    return _DealerWay(later, start, places[made], way.discards[made], answered[made])


def _places_of_hands(size: int, cards: int) -> Ints:
    """int64[hands, cards], the cards of every hand in ascending order of the hands, counted from the lowest."""
    masks = subsets(size, cards)
    places: Ints = np.nonzero(masks[:, None] >> np.arange(size) & 1)[1].reshape(len(masks), cards)
    return places


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def _view_nondealers(
    tables: TableArrays, hands: Any, up: int, way: _DealerWay, pool: _Pool, codes: Any, views: NondealerViews
) -> None:
    up_suit = up // 13
    size = unseen_cards(hands[0], up).shape[0]
    groups, kept_groups = np.empty(1 << size, dtype=np.int32), np.empty(1 << size, dtype=np.int32)
    members, kept_members = (
        np.empty(pool.layouts.shape[0], dtype=np.int64),
        np.empty(pool.kept.shape[0], dtype=np.int64),
    )
    weights, kept_weights = np.empty((members.shape[0], 5)), np.empty((kept_members.shape[0], 2))
    after_discard = np.empty(kept_members.shape[0], dtype=np.int64)
    for row in range(hands.shape[0]):
        hand = hands[row]
        cards = unseen_cards(hand, up)
        linked = pool_runs(cards)
        low_rank, high_rank = _ranks(cards, up, pool.choose)
        bits = _bits_of(cards, up)
        kept_count = 0
        for index in range(pool.kept.shape[0]):
            kept_count = _join(pool.kept[index], linked, kept_groups, kept_members, kept_count)
        kept_weights[:kept_count] = 0.0
        count = 0
        for index in range(pool.layouts.shape[0]):
            dealt = pool.layouts[index]
            before = count
            count = _join(dealt, linked, groups, members, count)
            if count > before:
                weights[before] = 0.0
            group = groups[dealt]
            seen = _rank(dealt, low_rank, high_rank)
            weights[group, 0] += 1.0
            for column in range(4):
                weights[group, 1 + column] += way.later[seen, column]
            for place in range(way.start[seen], way.start[seen + 1]):
                kept = kept_groups[dealt ^ bits[way.gone[place]]]
                kept_weights[kept, 0] += way.accepted[place]
                kept_weights[kept, 1] += way.answered[place]
        own, taken = to_play_order(hand, up_suit, True), to_play_order(1 << up, up_suit, True)
        low, high = pool_masks(cards, up_suit)
        for group in range(kept_count):
            tricks = leader_tricks(tables, own, placed(kept_members[group], low, high) | taken)
            after_discard[group] = tricks
            views.accepted[row, tricks] += kept_weights[group, 0]
            views.answered[row, tricks] += kept_weights[group, 1]
        in_suit = tricks_in_named_suits(tables, hand, up_suit, cards, members[:count], True)
        for group in range(count):
            dealt, layouts = members[group], np.int64(weights[group, 0])
            fewest_accepted = MOST_CARDS
            rest = dealt & ~((dealt >> 1) & linked)  # of a run he may as well discard the highest card he holds
            while rest:
                fewest_accepted = min(fewest_accepted, after_discard[kept_groups[dealt ^ (rest & -rest)]])
                rest &= rest - 1
            most, fewest = 0, MOST_CARDS
            for suit in range(3):
                tricks = in_suit[suit, group]
                most, fewest = max(most, tricks), min(fewest, tricks)
                views.named[row, suit, tricks] += weights[group, 1]
                views.left[row, tricks] += weights[group, 2 + suit]
                views.open_named[row, suit, tricks] += layouts
            views.open_accepted[row, fewest_accepted] += layouts
            views.open_passed[row, codes[fewest_accepted, most, fewest]] += layouts
            views.open_fewest[row, fewest] += layouts


@kernel
def _view_dealers(
    tables: TableArrays, hands: Any, up: int, reach: Any, pool: _Pool, codes: Any, views: DealerViews
) -> None:
    up_suit = up // 13
    size = unseen_cards(hands[0], up).shape[0]
    groups = np.empty(1 << size, dtype=np.int32)
    members = np.empty(pool.layouts.shape[0], dtype=np.int64)
    weights = np.empty((members.shape[0], 7))
    for row in range(hands.shape[0]):
        hand = hands[row]
        cards = unseen_cards(hand, up)
        linked = pool_runs(cards)
        low_rank, high_rank = _ranks(cards, up, pool.choose)
        count = 0
        for index in range(pool.layouts.shape[0]):
            dealt = pool.layouts[index]
            before = count
            count = _join(dealt, linked, groups, members, count)
            if count > before:
                weights[before] = 0.0
            group = groups[dealt]
            seen = _rank(dealt, low_rank, high_rank)
            weights[group, 0] += 1.0
            for column in range(6):
                weights[group, 1 + column] += reach[seen, column]
        low, high = pool_masks(cards, up_suit)
        rest, place = hand, 0
        while rest:
            gone = rest & -rest
            rest ^= gone
            own = to_play_order((hand | (1 << up)) ^ gone, up_suit, True)
            for group in range(count):
                tricks = leader_tricks(tables, placed(members[group], low, high), own)
                views.theirs[row, place, tricks] += weights[group, 1]
                views.own[row, place, tricks] += weights[group, 2]
                views.open_own[row, place, tricks] += np.int64(weights[group, 0])
            place += 1
        in_suit = tricks_in_named_suits(tables, hand, up_suit, cards, members[:count], False)
        for group in range(count):
            most, fewest, layouts = 0, MOST_CARDS, np.int64(weights[group, 0])
            for suit in range(3):
                tricks = in_suit[suit, group]
                most, fewest = max(most, tricks), min(fewest, tricks)
                views.named[row, tricks] += weights[group, 3 + suit]
                views.left[row, suit, tricks] += weights[group, 6]
                views.open_named[row, suit, tricks] += layouts
            views.open_passed[row, codes[most, fewest]] += layouts


@kernel
def _join(places: int, linked: int, groups: Any, members: Any, count: int) -> int:
    """Put a subset into the group of those that differ from it inside runs only; subsets come in ascending order."""
    movable = (places >> 1) & linked & ~places
    if movable == 0:
        groups[places], members[count] = count, places
        return count + 1
    groups[places] = groups[places ^ 3 * (movable & -movable)]
    return count


@kernel
def _bits_of(cards: Any, up: int) -> Any:
    """int64[23]: for each card beside the up-card its bit in the pool, 0 if it is not there."""
    every = unseen_cards(0, up)
    bits = np.zeros(every.shape[0], dtype=np.int64)
    place = 0
    for index in range(every.shape[0]):
        if place < cards.shape[0] and cards[place] == every[index]:
            bits[index] = 1 << place
            place += 1
    return bits


@kernel
def _ranks(cards: Any, up: int, choose: Any) -> Any:
    """Colexicographic rank of a subset of the pool among all hands, as the sum of two look-ups."""
    every = unseen_cards(0, up)
    place_of = np.empty(cards.shape[0], dtype=np.int64)
    place = 0
    for index in range(every.shape[0]):
        if place < cards.shape[0] and cards[place] == every[index]:
            place_of[place] = index
            place += 1
    low = np.zeros(1 << _LOW_PLACES, dtype=np.int64)
    high = np.zeros((MOST_CARDS + 1, 1 << (cards.shape[0] - _LOW_PLACES)), dtype=np.int64)
    for bit in range(_LOW_PLACES):
        for below in range(1 << bit):
            held = popcount(below) + 1
            low[1 << bit | below] = low[below] + (choose[place_of[bit], held] if held <= MOST_CARDS else 0)
    for bit in range(cards.shape[0] - _LOW_PLACES):
        for below in range(1 << bit):
            for already in range(MOST_CARDS + 1):
                held = already + popcount(below) + 1
                if held <= MOST_CARDS:
                    more = choose[place_of[_LOW_PLACES + bit], held]
                    high[already, 1 << bit | below] = high[already, below] + more
    return low, high


@kernel
def _rank(places: int, low_rank: Any, high_rank: Any) -> int:
    low = places & ((1 << _LOW_PLACES) - 1)
    return low_rank[low] + high_rank[popcount(low), places >> _LOW_PLACES]  # type: ignore[no-any-return]
