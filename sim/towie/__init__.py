"""Players of Towie and whole games between them, over the rule kernels of `games.towie`."""

from sim.towie.games import ROW_NAMES, GameResults, simulate_games
from sim.towie.pimc import SAMPLES
from sim.towie.players import PLAYERS
from sim.towie.sampling import goulash_pool, sample_layouts

__all__ = ["PLAYERS", "ROW_NAMES", "SAMPLES", "GameResults", "goulash_pool", "sample_layouts", "simulate_games"]
