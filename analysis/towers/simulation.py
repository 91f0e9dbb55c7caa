"""How the generic `towerlab simulate` plays Towers, and the kernels to compile beforehand."""

from __future__ import annotations

import numpy as np

from towerlab.analysis.towers.move import move
from towerlab.games.towers import TowersGame, TowersOptions
from towerlab.sim.batch import BatchRequest, BatchResult, GameSimulation
from towerlab.sim.towers.games import PLAYERS, simulate_games
from towerlab.sim.towers.seats import SeatedPlayer, streams


def play_batch(request: BatchRequest) -> BatchResult:
    """Play a batch of games; a rotation of the seats is played with one and the same pack."""
    results = simulate_games(
        request.players, request.units, request.seed, request.options, first_game=request.first_unit
    )
    return BatchResult(results.winners, results.points.astype(np.float64))


def warm_up() -> None:
    """Compile every kernel of Towers."""
    simulate_games(tuple(PLAYERS)[:2], 2, np.random.SeedSequence(0))
    move("- | - | - | -", "A", samples=2, options=TowersOptions())
    game = TowersGame()
    game.deal("A23456789TJQK" * 4)
    game.play("A", [1])


SIMULATION = GameSimulation(
    play_batch,
    start=TowersGame,
    decider=lambda name, options: SeatedPlayer(name, options).choose,
    streams=streams,
    units=("game",),
    warm_up=warm_up,
    table_sizes=tuple(range(2, 11)),
    units_per_chunk={"game": 120},
    players_option="n_players",
)
