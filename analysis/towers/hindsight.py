"""How an ending of Towers still goes: two players, the source empty, so that all cards are known."""

from __future__ import annotations

import numpy as np

from analysis.table.hindsight import OpenCards
from games.towers.engine import TowersGame
from games.towers.records import Phase
from games.towers.rules import KING
from solver.towers.ending import ending_table, solve_ending


def open_cards(game: TowersGame, seat: int) -> OpenCards | None:
    """How many points a player will be ahead; before the source is empty no search reaches the end."""
    state = game.state()
    if len(state.points) != 2 or state.source or state.phase == Phase.DEAL:
        return None
    ahead, is_over = state.points[seat] - state.points[1 - seat], state.phase == Phase.OVER
    if state.player is not None and not is_over:
        hands = np.array([[held.count(value) for value in range(1, KING + 1)] for held in state.hands])
        solved = solve_ending(ending_table(state.board.to_array(), hands, state.player), game.options.rules())
        if solved is None:
            return None
        ahead += solved.value if state.player == seat else -solved.value
    words = f"{abs(ahead)} point{'s' * (abs(ahead) != 1)} {'ahead' if ahead >= 0 else 'behind'}"
    return OpenCards("the ending, source empty", ahead > 0, words, is_over)
