"""Games between players, played in the engine and recorded: `simulate --transcripts`, and players asked in Python.

The players are those of the simulator, asked through the engine's views, so a recorded game is slower and its cards are
others than without a record; every game that is counted is a game that is written.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass

import numpy as np

from towerlab.analysis.catalog import find_game
from towerlab.analysis.players import written_name
from towerlab.analysis.saved_games import header_line
from towerlab.sim.batch import BatchRequest, BatchResult, GameSimulation
from towerlab.sim.own import OwnPlayer, PlayerError
from towerlab.sim.seats import Seats


@dataclass(frozen=True)
class RecordedBatch(BatchResult):
    """A batch with the transcript of every unit: JSON lines, each with its line end."""

    transcripts: tuple[str, ...] = ()


def play_recorded(game: str, request: BatchRequest) -> RecordedBatch:
    """Play a batch of whole games in the engine; pure, as `GameSimulation.play_batch`.

    Where a player of the user's sits, the batch is a rotation: its games have the same cards and draws.

    Raises:
        TowerlabError: players that cannot sit down together.
    """
    simulation: GameSimulation = find_game(game).load("simulate")
    players, options = request.players, request.options
    if simulation.players_option:
        options = dataclasses.replace(options, **{simulation.players_option: len(players)})
    winners = np.full(request.units, -1, dtype=np.int64)
    points = np.zeros((request.units, len(players)))
    written: list[str] = []
    seeds = request.seed.generate_state(request.units, np.uint64)
    if any(isinstance(player, OwnPlayer) for player in players):
        seeds[:] = seeds[0]
    for place, seed in enumerate(seeds):
        turn = request.first_unit + place  # player p sits in seat p + turn
        seats = tuple(players[(seat - turn) % len(players)] for seat in range(len(players)))
        own = int(seed >> np.uint64(2))
        engine, table, chances = simulation.start(options), Seats(simulation.seat, seats, options, own), 0
        try:
            while engine.result is None:
                by_chance = engine.to_act is None
                engine.apply(table.next(engine, chances))
                chances += by_chance
        except PlayerError as error:
            return RecordedBatch(winners[:place], points[:place], str(error), transcripts=tuple(written))
        result = engine.result
        if result.winner is not None:
            winners[place] = (result.winner - turn) % len(players)
        points[place] = [result.scores[(player + turn) % len(players)] for player in range(len(players))]
        head = header_line(game, options, {"players": list(map(written_name, seats)), "seed": own})
        written.append("".join(f"{line}\n" for line in (head, *map(json.dumps, engine.actions))))
    return RecordedBatch(winners, points, transcripts=tuple(written))
