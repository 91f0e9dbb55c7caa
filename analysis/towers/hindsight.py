"""How an ending of Towers still goes: two players, the source empty, so that all cards are known."""

from __future__ import annotations

from towerlab.analysis.table.hindsight import OpenCards
from towerlab.games.towers.engine import TowersGame
from towerlab.games.towers.records import Phase
from towerlab.games.towers.table import table_of
from towerlab.solver.towers.ending import solve_ending


def open_cards(game: TowersGame, seat: int) -> OpenCards | None:
    """How many points a player will be ahead; before the source is empty no search reaches the end."""
    state = game.state()
    if len(state.points) != 2 or state.source or state.phase == Phase.DEAL:
        return None
    ahead, is_over = state.points[seat] - state.points[1 - seat], state.phase == Phase.OVER
    if state.player is not None and not is_over:
        table = table_of(state.board.to_array(), state.hands, (), state.player)
        solved = solve_ending(table, game.options.rules())
        if solved is None:
            return None
        ahead += solved.value if state.player == seat else -solved.value
    words = f"{abs(ahead)} point{'s' * (abs(ahead) != 1)} {'ahead' if ahead >= 0 else 'behind'}"
    return OpenCards("the ending, source empty", ahead > 0, words, is_over)
