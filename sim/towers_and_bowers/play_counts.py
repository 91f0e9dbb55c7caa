"""The value of each card to a player who sees only one side, in counts: the reference of a review.

As `perfect_information.best_of` compares plays, but for all of them, and in whole numbers, hence exact: for each play
and each number of tricks, how many of the hands that the opponent can hold give it, all cards seen afterwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.bits import lowest_bit, popcount
from games.jit import kernel
from sim.towers_and_bowers.knowledge import InfoState, opponent_cards
from sim.towers_and_bowers.perfect_information import (
    MOST_GAPS,
    distinct_plays,
    gaps_between,
    list_layouts,
    tricks_of_play,
)
from solver.two_hands.tablebase import TableArrays, leader_tricks


@kernel
def count_plays(tables: TableArrays, state: InfoState, layouts: Any, weights: Any, counts: Any) -> int:
    """Count the hands of the opponent's by the tricks that each play takes; the player is to play.

    Args:
        layouts, weights: int64, workspace for the opponent's possible hands.
        counts: int64[8, 8], overwritten: a row each of `distinct_plays`, lowest first, by tricks from this one on.

    Returns:
        How many hands the opponent can hold; each row adds up to it.
    """
    gaps = np.empty(MOST_GAPS, dtype=np.int64)
    gap_count, found = _list_hands(state, gaps, layouts, weights)
    plays, row = distinct_plays(state), 0
    counts[:] = 0
    while plays:
        play = lowest_bit(plays)
        plays ^= play
        for layout in range(found):
            tricks = tricks_of_play(tables, state, layouts[layout], play, gaps, gap_count)
            counts[row, tricks] += weights[layout]
        row += 1
    return int(weights[:found].sum())


@kernel
def count_when_opponent_leads(tables: TableArrays, state: InfoState, layouts: Any, weights: Any, counts: Any) -> int:
    """As `count_plays` when the opponent is about to lead; only the first row is used."""
    gaps = np.empty(MOST_GAPS, dtype=np.int64)
    _, found = _list_hands(state, gaps, layouts, weights)
    counts[:] = 0
    for layout in range(found):
        tricks = popcount(state.hand) - leader_tricks(tables, layouts[layout], state.hand)
        counts[0, tricks] += weights[layout]
    return int(weights[:found].sum())


@kernel
def _list_hands(state: InfoState, gaps: Any, layouts: Any, weights: Any) -> tuple[int, int]:
    """Fill in gaps and layouts; returns how many of either, one empty hand where the opponent has no card left."""
    gap_count = gaps_between(state.sure | state.pool, state.hand | state.led, gaps)
    if opponent_cards(state) == 0:
        layouts[0], weights[0] = 0, 1
        return gap_count, 1
    return gap_count, list_layouts(state, gaps, gap_count, layouts, weights)
