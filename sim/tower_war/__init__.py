"""Who plays Tower War how, and who wins? Players, and whole games between them.

players  how each splits, picks, builds, plays
war      whole wars and games, in batches
seats    the same players in the interactive engine
"""

from towerlab.sim.tower_war.players import PLAYERS
from towerlab.sim.tower_war.war import play_batch_of_games, setting_of

__all__ = ["PLAYERS", "play_batch_of_games", "setting_of"]
