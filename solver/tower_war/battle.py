"""A battle with both hands known, as a zero-sum game for P(win the war): exact minimax over at most 36 lines.

The tree is a matrix of the leader's and the follower's ways; rows and columns that begin
alike are one node. A decision of size is the loser's who adds first; until then a node has one value, afterwards one
for each size, so that every cell carries three numbers.

There are at most six ways to play a hand of three cards, orders and jokers' copies together. A side of a battle is an
int64 array [WAY_ROOM, WAY_SIZE] with one way a row:

    0..2    the cards, NO_CARD where a skirmish is forfeited
    3..5    the same as played
    6..15   their profile (games/tower_war/battle.py)
    16..19  class after 0, 1, 2, 3 cards: the lowest row that begins alike
"""

from __future__ import annotations

import numpy as np

from towerlab.games.bits import lowest_index
from towerlab.games.cards import JOKER_1
from towerlab.games.jit import kernel
from towerlab.games.tower_war.battle import (
    LEADER,
    NO_CARD,
    PROFILE_SIZE,
    SKIRMISHES,
    Array,
    battle_outcome,
    profile_cards,
)
from towerlab.games.tower_war.seats import CARD, PLAYED, SHOWN
from towerlab.solver.tower_war.war_value import size_chooser

WAY_CARD = 0
WAY_SHOWN = 3
WAY_PROFILE = 6
WAY_CLASS = 16
WAY_SIZE = 20
MAX_WAYS = 6
WAY_ROOM = 16  # the ways and, while they are made, their beginnings


@kernel
def ways_to_play(hand: int, played: int, ways: Array) -> int:
    """All ways to go on with a hand.

    Args:
        hand: mask of the cards not played yet.
        played: how many cards are played; row 0 of `ways` holds them, as cards and as played.
        ways: filled from row 0.

    Returns:
        Number of ways, 1..MAX_WAYS.

    Arrays: ways int64[WAY_ROOM, WAY_SIZE].
    """
    first = 0
    end = 1
    for k in range(played, SKIRMISHES):
        stop = end
        for row in range(first, stop):
            end = _extend_way(hand, k, row, end, ways)
        first = stop
    count = end - first
    for row in range(count):
        for column in range(WAY_PROFILE):
            ways[row, column] = ways[first + row, column]
        profile_cards(
            ways[row, WAY_SHOWN : WAY_SHOWN + SKIRMISHES], ways[row, WAY_PROFILE : WAY_PROFILE + PROFILE_SIZE]
        )
    for row in range(count):
        for k in range(SKIRMISHES + 1):
            ways[row, WAY_CLASS + k] = _first_alike(ways, row, k)
    return count


@kernel
def _extend_way(hand: int, k: int, row: int, end: int, ways: Array) -> int:
    """Append every continuation of a beginning of k cards; returns the new end of the list."""
    left = hand
    for j in range(k):
        if ways[row, WAY_CARD + j] != NO_CARD:
            left &= ~(1 << ways[row, WAY_CARD + j])
    start = end
    while left:
        card = lowest_index(left)
        left &= left - 1
        if card < JOKER_1:
            end = _append_way(ways, row, k, card, card, end)
            continue
        for j in range(k):
            copy = ways[row, WAY_SHOWN + j]
            if copy != NO_CARD and not (j == 1 and copy == ways[row, WAY_SHOWN]):
                end = _append_way(ways, row, k, card, copy, end)
    return end if end > start else _append_way(ways, row, k, NO_CARD, NO_CARD, end)


@kernel
def _append_way(ways: Array, row: int, k: int, card: int, shown: int, end: int) -> int:
    for j in range(k):
        ways[end, WAY_CARD + j] = ways[row, WAY_CARD + j]
        ways[end, WAY_SHOWN + j] = ways[row, WAY_SHOWN + j]
    ways[end, WAY_CARD + k] = card
    ways[end, WAY_SHOWN + k] = shown
    return end + 1


@kernel
def _first_alike(ways: Array, row: int, k: int) -> int:
    """The lowest row whose first k cards are those of `row`."""
    for other in range(row):
        alike = True
        for j in range(k):
            alike &= ways[other, WAY_CARD + j] == ways[row, WAY_CARD + j]
            alike &= ways[other, WAY_SHOWN + j] == ways[row, WAY_SHOWN + j]
        if alike:
            return other
    return row


@kernel
def ways_of_seat(seats: Array, player: int, hand: int, ways: Array) -> int:
    """Fill in the ways of a player with the cards already played and `hand` (known or possible).

    Arrays: seats int64[2, SEAT_SIZE], ways int64[WAY_ROOM, WAY_SIZE].
    """
    played = seats[player, PLAYED]
    for k in range(played):
        ways[0, WAY_CARD + k] = seats[player, CARD + k]
        ways[0, WAY_SHOWN + k] = seats[player, SHOWN + k]
    return ways_to_play(hand, played, ways)


SIZES = 3


@kernel
def solve_battle(
    leader: Array, leaders: int, follower: Array, followers: int, payoffs: Array, tens_only: bool,
    ply: int, choosing: bool, cells: Array,
) -> None:  # fmt: skip
    """Back up a battle's values to the decision at hand.

    Args:
        leader, follower: ways of the two sides from here on, `leaders` and `followers` of them.
        payoffs: float [OUTCOMES, 3], P(the leader wins the war).
        tens_only: option `tie_break`.
        ply: cards played so far, 0..6; the leader plays at even plies.
        choosing: whether the decision is the size of the level, by the loser of the last skirmish (at ply 6 also by
            the loser of the battle).
        cells: float [MAX_WAYS, MAX_WAYS, 3], overwritten: cells[row, column, size] becomes the value of the node where
            the leader has begun like `row` and the follower like `column`, in classes that include the next card of
            the player on turn. Before the first pyramid the three sizes are equal.
    """
    outcomes = np.empty((MAX_WAYS, MAX_WAYS), np.int64)
    for row in range(leaders):
        for column in range(followers):
            outcome = battle_outcome(
                leader[row, WAY_PROFILE : WAY_PROFILE + PROFILE_SIZE],
                follower[column, WAY_PROFILE : WAY_PROFILE + PROFILE_SIZE],
                tens_only,
            )
            outcomes[row, column] = outcome
            for size in range(SIZES):
                cells[row, column, size] = payoffs[outcome, size]
    if ply == 2 * SKIRMISHES and choosing:
        return
    choose_sizes(cells, outcomes, leaders, followers, SKIRMISHES)
    for k in (2, 1, 0):
        if choosing and ply == 2 * k + 2:
            return
        choose_sizes(cells, outcomes, leaders, followers, k)
        if ply == 2 * k + 1:
            return
        _choose_card(cells, follower, followers, leaders, k, False)
        if ply == 2 * k and not choosing:
            return
        _choose_card(cells, leader, leaders, followers, k, True)


@kernel
def choose_sizes(cells: Array, outcomes: Array, leaders: int, followers: int, k: int) -> None:
    """Where the level's first pyramid comes after skirmish k (3: at the filling), its owner chooses the size.

    Arrays: cells float64[MAX_WAYS, MAX_WAYS, 3], outcomes int64[MAX_WAYS, MAX_WAYS].
    """
    for row in range(leaders):
        for column in range(followers):
            chooser = size_chooser(outcomes[row, column])
            if chooser // 2 != k:
                continue
            sizes = cells[row, column]
            best = max(sizes[0], sizes[1], sizes[2]) if chooser % 2 == LEADER else min(sizes[0], sizes[1], sizes[2])
            for size in range(SIZES):
                cells[row, column, size] = best


@kernel
def _choose_card(cells: Array, ways: Array, count: int, others: int, k: int, leads: bool) -> None:
    """Give each class of a side's ways of k cards the value of its best continuation, the k-th card.

    Args:
        cells: float [MAX_WAYS, MAX_WAYS, 3], changed.
        ways: int64 [WAY_ROOM, WAY_SIZE], `count` ways of the side; the other side has `others`.
        leads: whether the side leads and wants the most, or follows and wants the least.
    """
    for way in range(count):
        group = ways[way, WAY_CLASS + k]
        if group == way or ways[way, WAY_CLASS + k + 1] != way:
            continue
        for other in range(others):
            for size in range(SIZES):
                if leads:
                    cells[group, other, size] = max(cells[group, other, size], cells[way, other, size])
                else:
                    cells[other, group, size] = min(cells[other, group, size], cells[other, way, size])
