"""How the generic `towerlab simulate` plays Towers, and the kernels to compile beforehand."""

from __future__ import annotations

import functools

import numpy as np

from towerlab.analysis.towers.move import move
from towerlab.games.towers import TowersGame, TowersOptions
from towerlab.sim.batch import GameSimulation, play_whole_games
from towerlab.sim.towers.games import PLAYERS, simulate_games
from towerlab.sim.towers.seats import SeatedPlayer, streams


def warm_up() -> None:
    """Compile every kernel of Towers."""
    simulate_games(tuple(PLAYERS)[:2], 2, np.random.SeedSequence(0))
    move("- | - | - | -", "A", samples=2, options=TowersOptions())
    game = TowersGame()
    game.deal("A23456789TJQK" * 4)
    game.play("A", [1])


SIMULATION = GameSimulation(
    functools.partial(play_whole_games, simulate_games),  # a rotation of the seats has the same cards
    start=TowersGame,
    decider=lambda name, options: SeatedPlayer(name, options).choose,
    streams=streams,
    units=("game",),
    warm_up=warm_up,
    table_sizes=tuple(range(2, 11)),
    units_per_chunk={"game": 120},
    players_option="n_players",
)
