"""Who plays Towie how, and who wins? Players, and whole games between them, over the rule kernels of `games.towie`.

state     a game as arrays, which kernels take from action to action
players   how `random` and `novice` call and play
auctions  the rest of an auction by stated rules
sampling  layouts that fit a player's view
outcomes  what calls lead to on common layouts
pimc      `pimc`, who solves random layouts
games     whole games, in batches
seats     the same players in the interactive engine
"""

from towerlab.sim.towie.games import GameResults, simulate_games
from towerlab.sim.towie.pimc import SAMPLES
from towerlab.sim.towie.players import PLAYERS
from towerlab.sim.towie.sampling import goulash_pool, sample_layouts

__all__ = ["PLAYERS", "SAMPLES", "GameResults", "goulash_pool", "sample_layouts", "simulate_games"]
