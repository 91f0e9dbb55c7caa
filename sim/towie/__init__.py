"""Players of Towie and whole games between them, over the rule kernels of `games.towie`."""

from towerlab.sim.towie.games import GameResults, simulate_games
from towerlab.sim.towie.pimc import SAMPLES
from towerlab.sim.towie.players import PLAYERS
from towerlab.sim.towie.sampling import goulash_pool, sample_layouts

__all__ = ["PLAYERS", "SAMPLES", "GameResults", "goulash_pool", "sample_layouts", "simulate_games"]
