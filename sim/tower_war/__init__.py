"""Players and batch simulation of Tower War: `players` decides, `war` plays, `games` runs batches."""

from towerlab.sim.tower_war.games import GameBatch, play_batch_of_games, setting_of
from towerlab.sim.tower_war.players import KINDS, PLAYERS, Player

__all__ = ["KINDS", "PLAYERS", "GameBatch", "Player", "play_batch_of_games", "setting_of"]
