"""What is best in a battle with the opponent's hand hidden? Decisions against every hand the deck can still hold (at
most 455).

For each hand that the opponent may hold the battle is solved with both hands known, and the values are averaged
(PIMC). This is exact for its model, which lets both sides see the hands from here on. One strategy for all
hands, and equilibria, are in solver/tower_war/equilibrium.py.

>>> int(best_option(np.array([0.25, 0.5, 0.5]), 3))
1
"""

from typing import NamedTuple

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.bits import deposit_bits, next_subset, popcount
from towerlab.games.jit import kernel
from towerlab.games.tower_war.rules import TOP_COUNT, TOP_SIZE
from towerlab.games.tower_war.turns import BUILT, CERTAIN, DISCARD, HAND, PLAYED, SOURCE, cards_on_table
from towerlab.solver.tower_war.battle import (
    MAX_WAYS,
    WAY_CLASS,
    WAY_ROOM,
    WAY_SIZE,
    Stakes,
    battle_payoffs,
    solve_battle,
    ways_of_seat,
)
from towerlab.solver.tower_war.decks import believed_deck

OPTIONS = 6
_EQUAL = 1e-12


@kernel
def possible_hands(seats: Array, player: int, pool: int, size: int, guess: int, hands: Array) -> int:
    """Every set of cards that a player may hold now, as the opponent sees it; all are equally likely.

    Args:
        seats: the real seats; only public facts are used: counts, played, discarded and built-in cards.
        pool, size, guess: the arguments of `believed_deck`.
        hands: int64, workspace for the masks (C(size, 3) are enough).

    Returns:
        How many hands there are.

    Arrays: seats int64[2, SEAT_SIZE], hands int64[hands].
    """
    played = cards_on_table(seats, player)
    seen = played | seats[player, BUILT] | seats[player, DISCARD]
    if seats[player, CERTAIN]:
        seen |= seats[player, SOURCE]  # the old discards, which were shuffled in the middle of this draw
    deck = believed_deck(pool, seen, size, guess)
    hidden = deck & ~played & ~seats[player, BUILT] & ~seats[player, DISCARD]
    sure = hidden & ~seats[player, SOURCE] if seats[player, CERTAIN] else 0
    others = hidden & ~sure
    wanted = max(0, min(popcount(seats[player, HAND]) - popcount(sure), popcount(others)))
    count = 0
    subset = (1 << wanted) - 1
    end = 1 << popcount(others)
    while subset < end:
        hands[count] = sure | deposit_bits(subset, others)
        count += 1
        subset = next_subset(subset) if wanted else end
    return count


class Battle(NamedTuple):
    """The position of a battle: the seats and the tower (games/tower_war), and the player who leads it."""

    seats: Array
    tower: Array
    leader: int


@kernel
def average_options(
    battle: Battle, player: int, hands: Array, choosing: bool, stakes: Stakes, ways: Array, values: Array
) -> int:
    """The mean value of each option of a player over the hands the opponent may hold; there must be one at least.

    Args:
        battle: the position; of the opponent's seat only public facts are used.
        player: the player who decides.
        hands: the opponent's possible hands.
        choosing: False for a card, True for the size of an empty level.
        ways: overwritten with the player's own ways; row r is an option where it begins a class of its own.
        values: float [OPTIONS], overwritten with P(player wins the war) of each row, or of sizes 0..2; -1 for a row
            that plays the same next card as an earlier one.

    Returns:
        Number of own ways.

    Arrays: hands int64[hands].
    """
    seats = battle.seats
    tower = battle.tower
    opponent = 1 - player
    count = hands.size
    placed = min(seats[0, PLAYED], seats[1, PLAYED])
    settled = placed - 1 if choosing else placed
    payoffs = battle_payoffs(tower, battle.leader, settled, stakes)
    size = tower[TOP_SIZE] if tower[TOP_COUNT] else 0
    own = ways_of_seat(seats, player, seats[player, HAND], ways)
    other_ways = np.zeros((WAY_ROOM, WAY_SIZE), np.int64)
    cells = np.empty((MAX_WAYS, MAX_WAYS, 3))
    ply = seats[0, PLAYED] + seats[1, PLAYED]
    values[:] = 0.0
    leads = player == battle.leader
    first, second = (ways, other_ways) if leads else (other_ways, ways)
    for place in range(count):
        others = ways_of_seat(seats, opponent, hands[place], other_ways)
        firsts, seconds = (own, others) if leads else (others, own)
        solve_battle(first, firsts, second, seconds, payoffs, stakes.tens_only, ply, choosing, cells)
        for option in range(3 if choosing else own):
            if choosing:
                value = cells[0, 0, option]
            else:
                value = cells[option, 0, size] if leads else cells[0, option, size]
            values[option] += (value if leads else 1.0 - value) / count
    for row in range(1, 0 if choosing else own):
        if ways[row, WAY_CLASS + seats[player, PLAYED] + 1] != row:
            values[row] = -1.0
    return own


@kernel
def best_option(values: Array, count: int) -> int:
    """Return the best of some options; ties go to the first.

    Arrays: values float64[options].
    """
    best = 0
    for option in range(1, count):
        if values[option] > values[best] + _EQUAL:
            best = option
    return best
