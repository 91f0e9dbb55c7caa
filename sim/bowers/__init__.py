"""Players of Bowers and whole games between them."""

from sim.bowers.continuation import OTHERS, worth_tables
from sim.bowers.games import COUNTED_PLAYERS, MOST_DEALS, PLAYERS, UNITS, seat_player, simulate_units
from sim.bowers.pimc import SAMPLES, Pimc
