"""What are the rules of Tower War? The draft, the decks, the battles and a tower that may fall.

options   which rules can be chosen
rules     cards as played; pyramids and their falls
turns     decks and hands; what a war waits for
records   a game as frozen records; the splits of the draft
view      what one player sees
engine    the game step by step, over the same kernels
"""

from towerlab.games.tower_war.engine import TowerWar
from towerlab.games.tower_war.options import BASIC_STASH, TowerWarOptions

__all__ = ["BASIC_STASH", "TowerWar", "TowerWarOptions"]
