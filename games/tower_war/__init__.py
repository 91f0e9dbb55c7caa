"""Tower War: the draft, the decks, the battles and a tower that may fall.

`rules` scores cards as played and holds pyramids and their falls, `turns` the decks and hands and what a war waits for,
`records` the splits of the draft; `engine` is the interactive game over the same kernels.
"""

from towerlab.games.tower_war.engine import TowerWar
from towerlab.games.tower_war.options import BASIC_STASH, TowerWarOptions

__all__ = ["BASIC_STASH", "TowerWar", "TowerWarOptions"]
