"""Who plays Towers & Bowers how, and who wins? Players, and whole games between them.

players      `PLAYERS`, the kernels that call each by its number, players of habit
info_state   the information state of a player at a decision, and the arrays it decides with
pimc         `pimc`, `cautious`; the tricks of every play, for a review
equilibrium  `equilibrium`, from stored solutions
learned      `learned`, from a network
seats        players in a seat of the engine; the `Views` of players with arrays; how any player bids with many hands
match        hands, towers and matches in kernels
user_players the same games for players of the user's: side by side, or card by card
whole_strategy  a player's action in every information state of a hand
openspiel, openspiel_game  a hand as a game of OpenSpiel
"""

from towerlab.sim.towers_and_bowers.match import UNITS, simulate_units
from towerlab.sim.towers_and_bowers.players import PLAYERS
from towerlab.sim.towers_and_bowers.seats import KernelPlayer

__all__ = ["PLAYERS", "UNITS", "KernelPlayer", "simulate_units"]
