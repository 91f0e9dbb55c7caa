"""Who plays Bowers how, and who wins? Players, and whole games between them.

habits        how `random` and `novice` bid, bury and play
deciding      one decision of such a player
continuation  what a call leads to if the auction goes on by stated rules
pimc          `pimc`, who solves random layouts
games         whole games, in batches
seats         the same players in the interactive engine
"""

from towerlab.sim.bowers.continuation import CALL_RULES, result_values
from towerlab.sim.bowers.games import MOST_DEALS, PLAYERS, UNITS, seat_player, simulate_units
from towerlab.sim.bowers.pimc import SAMPLES, Pimc
