"""P(win the war) between battles, by backward induction over the pyramids that are left.

The model: the cards of a battle are forgotten; its outcome (who adds after each skirmish, who loses) is drawn from
frequencies measured in simulated wars between equal players (solver/data). Pyramids, sizes, stashes and falls follow
the rules. The first player to add to an empty level chooses its best size, knowing the battle so far but not its rest.
Because a decided battle uses up three pyramids, the number of levels follows from the stashes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from towerlab.games.jit import kernel
from towerlab.games.tower_war.battle import NO_SIDE, OUTCOMES, SKIRMISHES, Array, outcome_adder, outcome_loser
from towerlab.games.tower_war.tower import (
    LEVEL_PYRAMIDS,
    LEVELS,
    PLACE,
    PLACED,
    REMOVE,
    STACK,
    STASH,
    TOP_COUNT,
    TOWER_SIZE,
    add_pyramid,
    addable_sizes,
    reset_tower,
    stack_card,
    take_pyramid_back,
)


class Stakes(NamedTuple):
    """Everything that decides the value of a battle's outcome.

    Attributes:
        bases, table: of a war table.
        falls: `games.tower_war.tower.fall_table`.
        tens_only: option `tie_break`.
    """

    bases: Array
    table: Array
    falls: Array
    tens_only: bool


# The choice of a battle's level size: 2 · (skirmish of the first pyramid, 3 for the filling) + the side that chooses.
CHOICES = 9
NO_CHOICE = 8
_TIE_PASSES = 60


@kernel
def size_chooser(outcome: int) -> int:
    """Return when in a battle its size is chosen and by which side; `NO_CHOICE` if no pyramid is placed."""
    for k in range(SKIRMISHES):
        side = outcome_adder(outcome, k)
        if side != NO_SIDE:
            return 2 * k + side
    side = outcome_loser(outcome)
    return NO_CHOICE if side == NO_SIDE else 2 * SKIRMISHES + side


@kernel
def play_outcome(
    tower: Array, outcome: int, size: int, leader: int, falls: Array, settled: int, chances: Array
) -> None:
    """Handle the pyramids of a whole battle and add up its risks.

    Args:
        tower: as it was when the battle began; afterwards as it is when nothing fell.
        outcome: code of games/tower_war/battle.py.
        size: of the battle's level; a size that the first to add does not have loses the war and is
            never preferred.
        leader: player who leads.
        falls: `games.tower_war.tower.fall_table`.
        settled: skirmishes whose pyramids are placed for good.
        chances: overwritten with [P(player 0 has won by a fall or an empty stash), P(the war goes on)].

    Arrays: tower int64[TOWER_SIZE], falls float64[2, 3, 3, MAX_LEVELS + 2].
    """
    chances[0] = 0.0
    chances[1] = 1.0
    for k in range(SKIRMISHES):
        side = outcome_adder(outcome, k)
        if side != NO_SIDE:
            _risk_adding(tower, leader ^ side, size, falls, k >= settled, chances)
    side = outcome_loser(outcome)
    if side == NO_SIDE:
        for turn in range(2):
            player = leader ^ turn
            while tower[PLACED + player] > 0:
                _risk(player, falls[player, REMOVE, size, tower[LEVELS]], chances)
                take_pyramid_back(tower, player)
        return
    player = leader ^ side
    while tower[TOP_COUNT] < LEVEL_PYRAMIDS and chances[1] > 0.0:
        _risk_adding(tower, player, size, falls, True, chances)
    _risk(player, falls[player, STACK, size, tower[LEVELS]], chances)
    stack_card(tower)


@kernel
def _risk_adding(tower: Array, player: int, size: int, falls: Array, can_fall: bool, chances: Array) -> None:
    """A player adds a pyramid of a size: without one the war is lost (TW-21)."""
    if not (addable_sizes(tower, player) >> size) & 1:
        _risk(player, 1.0, chances)
        return
    if can_fall:
        _risk(player, falls[player, PLACE, size, tower[LEVELS]], chances)
    add_pyramid(tower, player, size)


@kernel
def _risk(player: int, loses: float, chances: Array) -> None:
    """The acting player loses with this chance, if the war still goes on."""
    if player == 1:
        chances[0] += chances[1] * loses
    chances[1] *= 1.0 - loses


@kernel
def stash_position(tower: Array, bases: Array) -> int:
    """The place of a tower's stashes in a war table; counts above a base's last are taken for the last.

    Args:
        bases: int64 [6], one more than the pyramids of each kind at the start.

    Arrays: tower int64[TOWER_SIZE].
    """
    position = 0
    for kind in range(6):
        position = position * bases[kind] + min(tower[STASH + kind], bases[kind] - 1)
    return position


@kernel
def war_table(bases: Array, frequencies: Array, falls: Array, levels: int) -> Array:
    """P(player 0 wins) before a battle, for every pair of stashes and either leader.

    Args:
        bases: int64 [6], one more than the pyramids of each kind at the start.
        frequencies: float [OUTCOMES], how often each outcome of a battle occurs; they add up to 1.
        falls: `games.tower_war.tower.fall_table`.
        levels: cards in the tower at the start, 1 where the war begins.

    Returns:
        float [product of bases, 2]: by `stash_position` and leader; 0.5 where no war can be.

    Arrays: falls float64[2, 3, 3, MAX_LEVELS + 2].
    """
    positions = bases.prod()
    most = (bases - 1).sum()
    table = np.full((positions, 2), 0.5)
    tower = np.zeros(TOWER_SIZE, np.int64)
    sums = np.zeros((2, CHOICES, 3, 2))
    for position in range(positions):
        left = _set_stashes(tower, position, bases)
        if (most - left) % LEVEL_PYRAMIDS:
            continue
        height = levels + (most - left) // LEVEL_PYRAMIDS
        for leader in range(2):
            _sum_outcomes(tower, height, leader, bases, frequencies, falls, table, sums)
        _settle_ties(sums, table[position])
    return table


@kernel
def _set_stashes(tower: Array, position: int, bases: Array) -> int:
    """Write the stashes of a position into a tower; returns how many pyramids they are."""
    left = 0
    for place in range(6):
        kind = 5 - place
        tower[STASH + kind] = position % bases[kind]
        left += tower[STASH + kind]
        position //= bases[kind]
    return left


@kernel
def _sum_outcomes(
    start: Array, levels: int, leader: int, bases: Array, frequencies: Array, falls: Array, table: Array, sums: Array
) -> None:
    """Fill sums[leader, chooser, size] with [P(0 wins) but for ties, P(a tie leads back here, the other leading)]."""
    sums[leader] = 0.0
    tower = np.empty(TOWER_SIZE, np.int64)
    chances = np.empty(2)
    for outcome in range(OUTCOMES):
        if frequencies[outcome] == 0.0:
            continue
        chooser = size_chooser(outcome)
        for size in range(3):
            tower[:] = start
            reset_tower(tower)
            tower[LEVELS] = levels
            play_outcome(tower, outcome, size, leader, falls, 0, chances)
            cell = sums[leader, chooser, size]
            cell[0] += frequencies[outcome] * chances[0]
            if outcome_loser(outcome) == NO_SIDE:
                cell[1] += frequencies[outcome] * chances[1]
            elif chances[1] > 0.0:
                cell[0] += frequencies[outcome] * chances[1] * table[stash_position(tower, bases), 1 - leader]


@kernel
def _settle_ties(sums: Array, values: Array) -> None:
    """Solve for the values of one position with either leader, which lead to each other through ties."""
    values[:] = 0.5
    for _ in range(_TIE_PASSES):
        before = values[0]
        for leader in range(2):
            total = 0.0
            for chooser in range(CHOICES):
                player = leader ^ (chooser % 2)
                best = -math.inf if player == 0 else math.inf
                for size in range(3):
                    value = sums[leader, chooser, size, 0] + sums[leader, chooser, size, 1] * values[1 - leader]
                    best = max(best, value) if player == 0 else min(best, value)
                total += best
            values[leader] = total
        if abs(values[0] - before) < 1e-12:
            break


@kernel
def battle_payoffs(tower: Array, leader: int, settled: int, stakes: Stakes) -> Array:
    """P(the leader wins the war) for every outcome of the running battle and every size of its level.

    Args:
        tower: now; pyramids placed in this battle are taken back first.
        leader: player who leads this battle.
        settled: skirmishes whose pyramids are placed.
        stakes: values of the outcomes.

    Returns:
        float [OUTCOMES, 3].

    Arrays: tower int64[TOWER_SIZE].
    """
    start = tower.copy()
    for player in range(2):
        while start[PLACED + player] > 0:
            take_pyramid_back(start, player)
    payoffs = np.empty((OUTCOMES, 3))
    after = np.empty(TOWER_SIZE, np.int64)
    chances = np.empty(2)
    for outcome in range(OUTCOMES):
        for size in range(3):
            after[:] = start
            play_outcome(after, outcome, size, leader, stakes.falls, settled, chances)
            value = chances[0]
            if chances[1] > 0.0:
                value += chances[1] * stakes.table[stash_position(after, stakes.bases), 1 - leader]
            payoffs[outcome, size] = value if leader == 0 else 1.0 - value
    return payoffs


def stash_bases(stash_one: tuple[int, ...], stash_two: tuple[int, ...]) -> Array:
    """Return the bases of a war table for two stashes: int64[6]."""
    return np.array([count + 1 for count in (*stash_one, *stash_two)], np.int64)
