"""A battle with both hands known, as a zero-sum game for P(win the war): exact minimax over at most 36 lines.

The tree is a matrix of the leader's and the follower's ways (solver/tower_war/ways.py); rows and columns that begin
alike are one node. A decision of size is the loser's who adds first; until then a node has one value, afterwards one
for each size, so that every cell carries three numbers.
"""

from __future__ import annotations

import numpy as np

from towerlab.games.jit import kernel
from towerlab.games.tower_war.battle import (
    LEADER,
    PROFILE_SIZE,
    SKIRMISHES,
    Array,
    battle_outcome,
)
from towerlab.solver.tower_war.war_value import size_chooser
from towerlab.solver.tower_war.ways import MAX_WAYS, WAY_CLASS, WAY_PROFILE

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
