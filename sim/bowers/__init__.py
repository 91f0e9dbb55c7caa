"""Players of Bowers and whole games between them."""

from towerlab.sim.bowers.continuation import OTHERS, result_values
from towerlab.sim.bowers.games import MOST_DEALS, PLAYERS, UNITS, seat_player, simulate_units
from towerlab.sim.bowers.pimc import SAMPLES, Pimc
