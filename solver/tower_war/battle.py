"""Who wins the war from here? A battle with both hands known, exactly; between battles by backward induction.

A battle is a zero-sum game for P(win the war), minimax over at most 36 lines. The tree is a matrix of the leader's and
the follower's ways; rows and columns that begin alike are one node. A decision of size is the loser's who adds first;
until then a node has one value, afterwards one for each size, so that every cell carries three numbers.

There are at most six ways to play a hand of three cards, orders and jokers' copies together. A side of a battle is an
int64 array [WAY_ROOM, WAY_SIZE] with one way a row:

    0..2    the cards, NO_CARD where a skirmish is forfeited
    3..5    the same as played
    6..15   their profile (games/tower_war/rules.py)
    16..19  class after 0, 1, 2, 3 cards: the lowest row that begins alike

Between battles the model is: the cards of a battle are forgotten; its outcome (who adds after each skirmish, who loses)
is drawn from frequencies measured in simulated wars between equal players (solver/tower_war/data). Pyramids, sizes,
stashes and falls follow the rules. The first player to add to an empty level chooses its best size, knowing the battle
so far but not its rest. Because a decided battle uses up three pyramids, the number of levels follows from the
stashes::

    towerlab step tower-war --mine "AH TC 6C" --theirs "9S 4S 2S"
"""

import math
from typing import NamedTuple

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.bits import lowest_index
from towerlab.games.cards import JOKER_1
from towerlab.games.jit import kernel
from towerlab.games.tower_war.rules import (
    LEADER,
    LEVEL_PYRAMIDS,
    LEVELS,
    NO_CARD,
    NO_SIDE,
    OUTCOMES,
    PLACE,
    PLACED,
    PROFILE_SIZE,
    REMOVE,
    SKIRMISHES,
    STACK,
    STASH,
    TOP_COUNT,
    TOWER_SIZE,
    add_pyramid,
    addable_sizes,
    battle_outcome,
    outcome_adder,
    outcome_loser,
    profile_cards,
    reset_tower,
    stack_card,
    take_pyramid_back,
)
from towerlab.games.tower_war.turns import CARD, PLAYED, SHOWN

# The choice of a battle's level size: 2 · (skirmish of the first pyramid, 3 for the filling) + the side that chooses.
CHOICES = 9
NO_CHOICE = 8
_TIE_PASSES = 60

WAY_CARD = 0
WAY_SHOWN = 3
WAY_PROFILE = 6
WAY_CLASS = 16
WAY_SIZE = 20
MAX_WAYS = 6
WAY_ROOM = 16  # the ways and, while they are made, their beginnings

SIZES = 3


class Stakes(NamedTuple):
    """Everything that decides the value of a battle's outcome.

    Attributes:
        bases, wins: the argument `bases` of `war_chances`, and the array that it returns for it.
        falls: the chances of a fall, `games.tower_war.rules.fall_chances`.
        tens_only: the option `tie_break`.
    """

    bases: Array
    wins: Array
    falls: Array
    tens_only: bool


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
        tower: the tower when the battle began; afterwards as it is when nothing fell.
        outcome: the code of the outcome, see games/tower_war/rules.py.
        size: the size of the battle's level; a size that the first to add does not have loses the war and is
            never preferred.
        leader: the player who leads.
        falls: `games.tower_war.rules.fall_chances`.
        settled: skirmishes whose pyramids are placed for good.
        chances: output, [P(player 0 has won by a fall or an empty stash), P(the war goes on)].

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
    """Return the place of a tower's stashes in `war_chances`; counts above a base's last are taken for the last.

    Args:
        bases: int64 [6], one more than the pyramids of each kind at the start.

    Arrays: tower int64[TOWER_SIZE].
    """
    position = 0
    for kind in range(6):
        position = position * bases[kind] + min(tower[STASH + kind], bases[kind] - 1)
    return position


@kernel
def war_chances(bases: Array, frequencies: Array, falls: Array, levels: int) -> Array:
    """P(player 0 wins) before a battle, for every pair of stashes and either leader.

    Args:
        bases: int64 [6], one more than the pyramids of each kind at the start.
        frequencies: float [OUTCOMES], how often each outcome of a battle occurs; they add up to 1.
        falls: `games.tower_war.rules.fall_chances`.
        levels: cards in the tower at the start, 1 where the war begins.

    Returns:
        float [product of bases, 2]: by `stash_position` and leader; 0.5 where no war can be.

    Arrays: falls float64[2, 3, 3, MAX_LEVELS + 2].
    """
    positions = bases.prod()
    most = (bases - 1).sum()
    wins = np.full((positions, 2), 0.5)
    tower = np.zeros(TOWER_SIZE, np.int64)
    sums = np.zeros((2, CHOICES, 3, 2))
    for position in range(positions):
        left = _set_stashes(tower, position, bases)
        if (most - left) % LEVEL_PYRAMIDS:
            continue
        height = levels + (most - left) // LEVEL_PYRAMIDS
        for leader in range(2):
            _sum_outcomes(tower, height, leader, bases, frequencies, falls, wins, sums)
        _settle_ties(sums, wins[position])
    return wins


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
    start: Array, levels: int, leader: int, bases: Array, frequencies: Array, falls: Array, wins: Array, sums: Array
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
                cell[0] += frequencies[outcome] * chances[1] * wins[stash_position(tower, bases), 1 - leader]


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
        tower: the tower now; pyramids placed in this battle are taken back first.
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
                value += chances[1] * stakes.wins[stash_position(after, stakes.bases), 1 - leader]
            payoffs[outcome, size] = value if leader == 0 else 1.0 - value
    return payoffs


def stash_bases(stash_one: tuple[int, ...], stash_two: tuple[int, ...]) -> Array:
    """Return the bases of `war_chances` for two stashes: int64[6]."""
    return np.array([count + 1 for count in (*stash_one, *stash_two)], np.int64)


@kernel
def ways_to_play(hand: int, played: int, ways: Array) -> int:
    """All ways to go on with a hand.

    Args:
        hand: mask of the cards not played yet.
        played: the number of cards played; row 0 of `ways` holds them, as cards and as played.
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
    """Return the lowest row whose first k cards are those of `row`."""
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


@kernel
def solve_battle(
    leader: Array, leaders: int, follower: Array, followers: int, payoffs: Array, tens_only: bool,
    ply: int, choosing: bool, cells: Array,
) -> None:  # fmt: skip
    """Back up a battle's values to the decision at hand.

    Args:
        leader, follower: ways of the two sides from here on, `leaders` and `followers` of them.
        payoffs: float [OUTCOMES, 3], P(the leader wins the war).
        tens_only: the option `tie_break`.
        ply: the number of cards played so far, 0..6; the leader plays at even plies.
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
