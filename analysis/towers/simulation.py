"""Who wins at Towers? `towerlab simulate towers`: the players of `sim.towers` against each other in whole games."""

import functools

from towerlab.games.towers import TowersGame
from towerlab.sim.batch import GameSimulation, play_whole_games
from towerlab.sim.towers.games import simulate_games
from towerlab.sim.towers.seats import SeatedPlayer, streams

SIMULATION = GameSimulation(
    functools.partial(play_whole_games, simulate_games),  # a rotation of the seats has the same cards
    start=TowersGame,
    decider=lambda name, options: SeatedPlayer(name, options).choose,
    streams=streams,
    units=("game",),
    table_sizes=tuple(range(2, 11)),
    units_per_chunk={"game": 120},
    players_option="n_players",
)
