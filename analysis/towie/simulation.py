"""How the generic `towerlab simulate` plays Towie, and the kernels to compile beforehand."""

from __future__ import annotations

from typing import Final

import numpy as np

from towerlab.games.towie.engine import Towie
from towerlab.games.towie.options import MOST_PLAYERS
from towerlab.sim.batch import BatchRequest, BatchResult, GameSimulation
from towerlab.sim.towie import simulate_games
from towerlab.sim.towie.seats import SeatedPlayer, streams

GAMES_AT_ONCE: Final = 12
"""Games of a chunk: with ``pimc`` at the table some minutes of work are cut fine enough for several workers."""


def play_batch(request: BatchRequest) -> BatchResult:
    """Play whole games, until somebody has two; a rotation of the seats is played with the same cards."""
    results = simulate_games(
        request.players, request.units, request.seed, request.options, first_game=request.first_unit
    )
    return BatchResult(results.winners, results.points.astype(np.float64))


def warm_up() -> None:
    """Compile the players' kernels."""
    simulate_games(("pimc", "novice", "random"), 1, np.random.SeedSequence(1), samples=1)  # a short game with goulashes


SIMULATION: Final = GameSimulation(
    play_batch,
    start=Towie,
    decider=lambda name, options: SeatedPlayer(name, options).choose,
    streams=streams,
    units=("match",),
    warm_up=warm_up,
    table_sizes=tuple(range(3, MOST_PLAYERS + 1)),
    units_per_chunk={"match": GAMES_AT_ONCE},
    players_option="n_players",
)
