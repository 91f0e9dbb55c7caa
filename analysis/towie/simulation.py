"""Who wins at Towie? `towerlab simulate towie`: the players of `sim.towie` against each other in whole games."""

import functools
from typing import Final

from towerlab.games.towie.engine import Towie
from towerlab.games.towie.options import MOST_PLAYERS
from towerlab.sim.batch import GameSimulation, play_whole_games
from towerlab.sim.towie import simulate_games
from towerlab.sim.towie.seats import SeatedPlayer, streams

GAMES_AT_ONCE: Final = 12
"""Games of a chunk: with ``pimc`` at the table some minutes of work are cut fine enough for several workers."""


SIMULATION: Final = GameSimulation(
    functools.partial(play_whole_games, simulate_games),  # a rotation of the seats has the same cards
    start=Towie,
    decider=lambda name, options: SeatedPlayer(name, options).choose,
    streams=streams,
    units=("match",),
    table_sizes=tuple(range(3, MOST_PLAYERS + 1)),
    units_per_chunk={"match": GAMES_AT_ONCE},
    players_option="n_players",
)
