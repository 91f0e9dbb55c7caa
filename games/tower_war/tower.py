"""The tower and the stashes: one int64 array, and the kernels that change it (TW-15..21, RULES 2.4).

    0  LEVELS     cards in the tower, the base included
    1  TOP_SIZE   size of the pyramids on the top level, EMPTY when there are none
    2  TOP_COUNT  how many they are, 0..3
    3..5, 6..8    stash of player 0 and of player 1: large, medium, small
    9, 10         pyramids each player has placed in this battle

Between battles the top level is always empty: a decided battle caps it, a tied one takes its pyramids back.
"""

from __future__ import annotations

import math

import numpy as np

from towerlab.games.errors import TowerlabError, shown
from towerlab.games.jit import kernel
from towerlab.games.tower_war.battle import Array

LARGE = 0
MEDIUM = 1
SMALL = 2
SIZE_LETTERS = "LMS"
EMPTY = -1
LEVEL_PYRAMIDS = 3

LEVELS = 0
TOP_SIZE = 1
TOP_COUNT = 2
STASH = 3
PLACED = 9
TOWER_SIZE = 11

# Actions that can make the tower fall.
PLACE = 0
REMOVE = 1
STACK = 2
ADJUST = 3  # all pyramids of the top level; the engine alone knows it (TW-20)
# 45 pyramids make fifteen levels above the base; one more index for what lies beyond.
MAX_LEVELS = 16

# Columns of the hazard parameters.
KAPPA = 0
ALPHA = 2
SIGMA = 5
BETA = 8


@kernel
def stack_card(tower: Array) -> None:
    """A card on the full top level is a new, empty level, and ends the battle (TW-17).

    Arrays: tower int64[TOWER_SIZE].
    """
    tower[LEVELS] += 1
    tower[TOP_SIZE] = EMPTY
    tower[TOP_COUNT] = 0
    tower[PLACED] = 0
    tower[PLACED + 1] = 0


@kernel
def reset_tower(tower: Array) -> None:
    """An empty base level and nothing placed; the stashes stay as they are.

    Arrays: tower int64[TOWER_SIZE].
    """
    tower[LEVELS] = 0
    stack_card(tower)


@kernel
def stash_index(player: int, size: int) -> int:
    """Where a tower array holds how many pyramids of a size a player has."""
    return STASH + 3 * player + size


@kernel
def addable_sizes(tower: Array, player: int) -> int:
    """The sizes a player could add now as a mask of bits 0..2; 0 if one must be added and cannot (TW-15, TW-21).

    Arrays: tower int64[TOWER_SIZE].
    """
    sizes = 0
    for size in range(3):
        if tower[stash_index(player, size)] > 0 and (tower[TOP_COUNT] == 0 or tower[TOP_SIZE] == size):
            sizes |= 1 << size
    return sizes


@kernel
def add_pyramid(tower: Array, player: int, size: int) -> None:
    """Move a pyramid from a stash to the top level (TW-15).

    Arrays: tower int64[TOWER_SIZE].
    """
    tower[stash_index(player, size)] -= 1
    tower[PLACED + player] += 1
    tower[TOP_SIZE] = size
    tower[TOP_COUNT] += 1


@kernel
def take_pyramid_back(tower: Array, player: int) -> None:
    """After equal totals a player takes one own pyramid of this battle back (TW-18).

    Arrays: tower int64[TOWER_SIZE].
    """
    tower[stash_index(player, tower[TOP_SIZE])] += 1
    tower[PLACED + player] -= 1
    tower[TOP_COUNT] -= 1
    if tower[TOP_COUNT] == 0:
        tower[TOP_SIZE] = EMPTY


@kernel
def fall_probability(hazard: Array, player: int, action: int, size: int, levels: int) -> float:
    """Chance that an action makes the tower fall (RULES 2.4).

    Args:
        hazard: `TowerWarOptions.hazard()`.
        player: whose hands.
        action: `PLACE`, `REMOVE` or `STACK`.
        size: of the pyramid handled, or of the three under the card stacked.
        levels: cards in the tower before the action.

    Arrays: hazard float64[9].
    """
    rate = hazard[KAPPA + player] * hazard[ALPHA + action] * hazard[SIGMA + size]
    return 1.0 - math.exp(-rate * float(levels) ** hazard[BETA])


@kernel
def fall_table(hazard: Array) -> Array:
    """`fall_probability` for every [player, action, size, levels].

    Arrays: hazard float64[9].
    """
    table = np.zeros((2, 3, 3, MAX_LEVELS + 2))
    for player in range(2):
        for action in range(3):
            for size in range(3):
                for levels in range(1, MAX_LEVELS + 2):
                    table[player, action, size, levels] = fall_probability(hazard, player, action, size, levels)
    return table


def parse_size(text: str) -> int:
    """0, 1, 2 of ``L``, ``M``, ``S``.

    Raises:
        TowerlabError: none of these.
    """
    if text not in tuple(SIZE_LETTERS):
        raise TowerlabError(f"there is no pyramid of size {shown(text)}; expected L, M or S")
    return SIZE_LETTERS.index(text)


def new_tower(stash_one: tuple[int, ...], stash_two: tuple[int, ...]) -> Array:
    """Return a base card with nothing on it, and two stashes (large, medium, small): int64[TOWER_SIZE]."""
    tower = np.zeros(TOWER_SIZE, np.int64)
    tower[STASH : STASH + 6] = (*stash_one, *stash_two)
    reset_tower(tower)
    return tower
