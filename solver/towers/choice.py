"""Choose an action at random, or the one with the most points now: the policies of playouts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from towerlab.games.bits import lowest_index, nth_bit
from towerlab.games.jit import kernel
from towerlab.games.towers.rules import (
    COLUMNS,
    KING,
    capacity,
    meets_equal,
    open_columns,
    open_spans,
    resolve,
)
from towerlab.games.towers.table import HANDS, ON_TURN, copy_board, legal_actions

Array = NDArray[Any]


@kernel
def choose_at_random(table: Array, rules: Array, rng: np.random.Generator) -> int:
    """An action drawn uniformly from the legal ones (equal cards count once); a column when forced to raze.

    Arrays: table int64[6 + players, 53], rules int64[9].
    """
    hand = table[HANDS + table[ON_TURN, 0]]
    spans = open_spans(table, rules)
    bridges = (spans >> 4 & 1) + (spans >> 5 & 1) + (spans >> 6 & 1) + (spans >> 7 & 1)
    most_0 = capacity(table, 0)
    most_1 = capacity(table, 1)
    most_2 = capacity(table, 2)
    most_3 = capacity(table, 3)
    total = 0
    for value in range(1, KING + 1):  # without branches: this loop decides how fast random games are
        places = bridges + (most_0 >= value) + (most_1 >= value) + (most_2 >= value) + (most_3 >= value)
        total += (hand[value] > 0) * places
    if total == 0:
        return int(rng.random() * COLUMNS)
    left = int(rng.random() * total)
    for value in range(1, KING + 1):
        places = bridges + (most_0 >= value) + (most_1 >= value) + (most_2 >= value) + (most_3 >= value)
        places *= hand[value] > 0
        if left < places:
            return 8 * value + lowest_index(nth_bit(open_columns(table, value) | spans, left))
        left -= places
    return -1


@kernel
def points_of(board: Array, action: int, rules: Array, scratch: Array, log: Array) -> int:
    """Return the sections that an action would collect now; the board stays as it is, `scratch` is overwritten.

    Arrays: board int64[4, 53], rules int64[9], scratch int64[4, 53], log int64[54, 3] or int64[0, 3].
    """
    if action >= 8 and not meets_equal(board, action & 7, action >> 3, rules):
        return 0
    copy_board(board, scratch)
    return resolve(scratch, action, rules, log)


@kernel
def choose_greedily(
    table: Array,
    low_first: bool,
    rules: Array,
    rng: np.random.Generator,
    scratch: Array,
    actions: Array,
    log: Array,
) -> int:
    """The action with the most points now; equal ones at random, with `low_first` only the lowest cards.

    Arrays: table int64[6 + players, 53], rules int64[9], scratch int64[4, 53], actions int64[MOST_ACTIONS],
        log int64[54, 3] or int64[0, 3].
    """
    count = legal_actions(table, rules, actions)
    best = actions[0]
    most = -1
    ties = 0
    for i in range(count):
        points = points_of(table, actions[i], rules, scratch, log)
        if points > most:
            best = actions[i]
            most = points
            ties = 1
        elif points == most and not (low_first and actions[i] >> 3 > best >> 3):
            ties += 1
            if rng.random() * ties < 1.0:
                best = actions[i]
    return int(best)
