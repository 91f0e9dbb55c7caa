"""Kernels of the bidding game: the tricks of pairs of hands, and the values of either side's actions.

A pair is a class of the non-dealer and a hand of the dealer that share no card. Its *code* holds the non-dealer's
tricks in every contract, three bits each: after each of the dealer's n discards, then with clubs, diamonds, hearts
named. All values are the non-dealer's P(win the tower).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.bidding.deals import Deals
from towerlab.solver.two_hands.tablebase import TableArrays, leader_tricks, load_tables

# Columns of the non-dealer's values, and of the probabilities of playing to there.
ACCEPT: Final = 0
PASS: Final = 1  # value: of the layouts in which the dealer then accepts
NAME: Final = 2  # 2, 3, 4: clubs, diamonds, hearts
NONDEALER_COLUMNS: Final = 6


class Pairs(NamedTuple):
    """Pairs of some classes of the non-dealer with some hands of the dealer.

    Attributes:
        rows: int64[rows], the non-dealer's classes.
        start: int64[rows + 1], where the pairs of each begin.
        other: int32[pairs], the dealer's hand.
        code: int32[pairs], tricks.
    """

    rows: Ints
    start: Ints
    other: NDArray[np.int32]
    code: NDArray[np.int32]


def make_pairs(deals: Deals, rows: Ints, others: Ints, keep_one_in: int = 1) -> Pairs:
    """The pairs of classes `rows` with hands `others`.

    Args:
        deals: the hands.
        rows: int64[rows], classes of the non-dealer.
        others: int64[..], hands of the dealer, as places in `Deals.hands`.
        keep_one_in: take one hand in so many, beginning at a pseudo-random one: a fixed sample.
    """
    start = np.zeros(len(rows) + 1, dtype=np.int64)
    held, others_held = deals.classes[rows], deals.hands[others]
    _count_pairs(held, others_held, keep_one_in, start)
    other, code = np.empty((2, start[-1]), dtype=np.int32)
    own = np.stack([deals.plain[rows], *deals.named[np.searchsorted(deals.hands, held)].T], axis=1)
    pairs = Pairs(rows, start, other, code)
    _fill_pairs(load_tables(), deals, held, others, others_held, own, keep_one_in, pairs)
    return pairs


@kernel
def first_place(held: int, keep_one_in: int) -> int:
    """Return where to begin when one hand in so many is looked at: a fixed choice that differs between hands."""
    mixed = ((held >> 7) * 2654435761 + (held & 127) * 40503) & 0x7FFFFFFF
    mixed = ((mixed ^ (mixed >> 13)) * 1274126177) & 0x7FFFFFFF
    return (mixed ^ (mixed >> 16)) % keep_one_in


@kernel
def _count_pairs(held: Any, others_held: Any, keep_one_in: int, start: Any) -> None:
    for index in range(held.shape[0]):
        count = 0
        for place in range(first_place(held[index], keep_one_in), others_held.shape[0], keep_one_in):
            count += held[index] & others_held[place] == 0
        start[index + 1] = start[index] + count


@kernel
def _fill_pairs(
    tables: TableArrays,
    deals: Deals,
    held: Ints,
    others: Ints,
    others_held: Ints,
    own: Ints,
    keep_one_in: int,
    pairs: Pairs,
) -> None:
    """Fill `other` and `code` of pairs whose `start` is known; `own` are the classes' hands in every play order."""
    cards = deals.kept.shape[1]
    for index in range(held.shape[0]):
        pair, hand = pairs.start[index], held[index]
        plain = own[index, 0]
        for place in range(first_place(hand, keep_one_in), others_held.shape[0], keep_one_in):
            if hand & others_held[place]:
                continue
            seen = others[place]
            tricks = 0
            for discard in range(cards):
                tricks |= leader_tricks(tables, plain, deals.kept[seen, discard]) << (3 * discard)
            for suit in range(3):
                tricks |= leader_tricks(tables, own[index, 1 + suit], deals.named[seen, suit]) << (3 * (cards + suit))
            pairs.other[pair] = seen
            pairs.code[pair] = tricks
            pair += 1


@kernel
def nondealer_values(pairs: Pairs, deals: Deals, dealer: Floats, payoff: tuple[Floats, Floats], values: Floats) -> None:
    """Add the value of each action of the non-dealer, summed over the pairs.

    Args:
        pairs, deals: of which hands.
        dealer: float64[classes, 2 n + 4], the probabilities of playing to each action (`strategies.dealer_reach`).
        payoff: two float64[8], the non-dealer's value by tricks when the non-dealer, or the dealer, is the bidder.
        values: float64[classes, 6], added to.
    """
    (rows, start, other, code), (as_bidder, as_defender) = pairs, payoff
    row_of, mirrored, cards = deals.row, deals.mirrored, deals.cards
    for index in range(rows.shape[0]):
        accepted, answered, first, second, third, again = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for pair in range(start[index], start[index + 1]):
            seen = other[pair]
            row, tricks = row_of[seen], np.int64(code[pair])
            for discard in range(cards):
                taken = tricks & 7
                tricks >>= 3
                accepted += dealer[row, discard] * as_bidder[taken]
                answered += dealer[row, cards + discard] * as_defender[taken]
            passed = dealer[row, 2 * cards]
            if passed > 0.0:
                clubs, diamonds, hearts = tricks & 7, tricks >> 3 & 7, tricks >> 6 & 7
                first += passed * as_bidder[clubs]
                second += passed * as_bidder[diamonds]
                third += passed * as_bidder[hearts]
                swap = 1 if mirrored[seen] else 0
                again += (
                    dealer[row, 2 * cards + 1] * as_defender[clubs]
                    + dealer[row, 2 * cards + 2 + swap] * as_defender[diamonds]
                    + dealer[row, 2 * cards + 3 - swap] * as_defender[hearts]
                )
        row = rows[index]
        values[row, 0] += accepted
        values[row, 1] += answered
        values[row, 2] += first
        values[row, 3] += second
        values[row, 4] += third
        values[row, 5] += again


@kernel
def dealer_values(pairs: Pairs, deals: Deals, nondealer: Floats, payoff: tuple[Floats, Floats], values: Floats) -> None:
    """Add what each action of the dealer leaves the non-dealer, summed over the pairs and the hands of a class.

    Args:
        pairs, deals, payoff: as for `nondealer_values`.
        nondealer: float64[classes, 6], the probabilities of playing to each action (`strategies.nondealer_reach`).
        values: float64[classes, 2 n + 4], added to: discards after the non-dealer's acceptance, discards after
            the dealer's own, a pass after which the non-dealer names, and each suit the dealer is left to name.
    """
    (rows, start, other, code), (as_bidder, as_defender) = pairs, payoff
    row_of, mirrored, weights, cards = deals.row, deals.mirrored, deals.weights, deals.cards
    accepted, passed = np.empty(8), np.empty(8)
    for index in range(rows.shape[0]):
        weight = weights[rows[index]]
        reach = nondealer[rows[index]]
        for taken in range(8):
            accepted[taken] = weight * reach[0] * as_bidder[taken]
            passed[taken] = weight * reach[1] * as_defender[taken]
        clubs_named, diamonds_named, hearts_named = weight * reach[2], weight * reach[3], weight * reach[4]
        left = weight * reach[5]
        passes, accepts = reach[1] > 0.0, reach[0] > 0.0
        for pair in range(start[index], start[index + 1]):
            seen = other[pair]
            row, tricks = row_of[seen], np.int64(code[pair])
            if accepts:
                for discard in range(cards):
                    values[row, discard] += accepted[tricks >> (3 * discard) & 7]
            if passes:
                for discard in range(cards):
                    values[row, cards + discard] += passed[tricks >> (3 * discard) & 7]
                tricks >>= 3 * cards
                clubs, diamonds, hearts = tricks & 7, tricks >> 3 & 7, tricks >> 6 & 7
                values[row, 2 * cards] += (
                    clubs_named * as_bidder[clubs]
                    + diamonds_named * as_bidder[diamonds]
                    + hearts_named * as_bidder[hearts]
                )
                swap = 1 if mirrored[seen] else 0
                values[row, 2 * cards + 1] += left * as_defender[clubs]
                values[row, 2 * cards + 2 + swap] += left * as_defender[diamonds]
                values[row, 2 * cards + 3 - swap] += left * as_defender[hearts]
