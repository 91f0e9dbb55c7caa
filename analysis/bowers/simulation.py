"""Who wins at Bowers? `towerlab simulate bowers`: the players of `sim.bowers` against each other, three at a table."""

from typing import Final

from towerlab.games.bowers.engine import BowersGame
from towerlab.sim.batch import BatchRequest, BatchResult, GameSimulation
from towerlab.sim.bowers import UNITS, simulate_units
from towerlab.sim.bowers.seats import SeatedPlayer, streams


def play_batch(request: BatchRequest) -> BatchResult:
    """Play a batch of games to the target, or of single deals."""
    played = simulate_units(
        request.unit, request.first_unit, request.units, request.players, request.options, request.seed
    )
    return BatchResult(played.winners, played.points)


SIMULATION: Final = GameSimulation(
    play_batch,
    start=BowersGame,
    decider=lambda name, options: SeatedPlayer(name, options).choose,
    streams=streams,
    units=UNITS,
    table_sizes=(3,),
    units_per_chunk={"match": 120, "deal": 1200},
    searched_units_per_chunk={"match": 3, "deal": 12},
)
