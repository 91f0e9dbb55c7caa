"""Tower War (RULES 2): the draft, the decks, the battles and a tower that may fall.

`battle` scores cards as played, `tower` holds pyramids and their falls, `seats` the decks and hands, `turns` says what
a war waits for, `draft` has the splits; `engine` is the interactive game over the same kernels.
"""

from towerlab.games.tower_war.engine import GAME, TowerWar
from towerlab.games.tower_war.options import BASIC_STASH, TowerWarOptions
from towerlab.games.tower_war.records import GameState, Phase, View

__all__ = ["BASIC_STASH", "GAME", "GameState", "Phase", "TowerWar", "TowerWarOptions", "View"]
