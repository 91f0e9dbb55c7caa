"""Who wins at Tower War? `towerlab simulate tower-war`: players of sim/tower_war in whole games."""

import numpy as np

from towerlab.games.tower_war import TowerWar
from towerlab.sim.batch import BatchRequest, BatchResult, GameSimulation
from towerlab.sim.tower_war import PLAYERS, play_batch_of_games, setting_of
from towerlab.sim.tower_war.seats import SeatedPlayer, streams


def play_batch(request: BatchRequest) -> BatchResult:
    """Play whole games (draft, decks, war); a point is a war won."""
    first, second = (PLAYERS[name] for name in request.players)
    rng = np.random.default_rng(request.seed)
    batch = play_batch_of_games(
        (first, second), request.units, setting_of(request.options, players=(first, second)), rng, request.first_unit
    )
    points = (batch.winners[:, None] == np.arange(2)).astype(np.float64)
    return BatchResult(batch.winners, points)


SIMULATION = GameSimulation(
    play_batch,
    start=TowerWar,
    decider=lambda name, options: SeatedPlayer(name, options).choose,
    streams=streams,
    units=("match",),
    counts="wars",
)
