"""The tricks of each card against each hand that the opponent can hold, all cards seen afterwards: for a review.

As `perfect_information.best_of` compares plays, but for all of them, and hand by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from towerlab.games.bits import lowest_bit, popcount
from towerlab.games.jit import kernel
from towerlab.sim.towers_and_bowers.knowledge import InfoState, opponent_cards
from towerlab.sim.towers_and_bowers.perfect_information import (
    MOST_GAPS,
    distinct_plays,
    gaps_between,
    list_layouts,
    tricks_of_play,
)
from towerlab.solver.two_hands.tablebase import TableArrays, leader_tricks


@kernel
def list_hands(state: InfoState, gaps: Any, layouts: Any, weights: Any) -> tuple[int, int]:
    """Fill in gaps and layouts; returns how many of either, one empty hand where the opponent has no card left.

    Args:
        gaps: int64[MOST_GAPS].
        layouts, weights: int64[MOST_LAYOUTS]: a hand, and for how many that differ inside gaps it stands.
    """
    gap_count = gaps_between(state.sure | state.pool, state.hand | state.led, gaps)
    if opponent_cards(state) == 0:
        layouts[0], weights[0] = 0, 1
        return gap_count, 1
    return gap_count, list_layouts(state, gaps, gap_count, layouts, weights)


@kernel
def tricks_of_plays(tables: TableArrays, state: InfoState, layouts: Any, tricks: Any) -> None:
    """The player's tricks, from this one on, by each play in each layout; the player is to play.

    Args:
        layouts: int64[layouts], of `list_hands`.
        tricks: int64[layouts, plays], filled: a column each of `distinct_plays`, lowest first.
    """
    gaps = np.empty(MOST_GAPS, dtype=np.int64)
    gap_count = gaps_between(state.sure | state.pool, state.hand | state.led, gaps)
    plays, column = distinct_plays(state), 0
    while plays:
        play = lowest_bit(plays)
        plays ^= play
        for layout in range(layouts.shape[0]):
            tricks[layout, column] = tricks_of_play(tables, state, layouts[layout], play, gaps, gap_count)
        column += 1


@kernel
def tricks_when_opponent_leads(tables: TableArrays, state: InfoState, layouts: Any, tricks: Any) -> None:
    """As `tricks_of_plays` when the opponent is about to lead: int64[layouts, 1]."""
    for layout in range(layouts.shape[0]):
        tricks[layout, 0] = popcount(state.hand) - leader_tricks(tables, layouts[layout], state.hand)
