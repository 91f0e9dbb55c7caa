"""Players and batch simulation of Tower War: `players` decides, `war` plays and runs batches."""

from towerlab.sim.tower_war.players import PLAYERS
from towerlab.sim.tower_war.war import play_batch_of_games, setting_of

__all__ = ["PLAYERS", "play_batch_of_games", "setting_of"]
