"""Games between players, played in the engine and recorded: `simulate --transcripts`, and players asked in Python.

The players are those of the simulator, asked through the engine's views and drawing as its kernels draw: the games are
the same with and without a record, which only takes longer.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, Final

import numpy as np

from towerlab.analysis.catalog import find_game
from towerlab.analysis.players import written_name
from towerlab.analysis.saved_games import header_line
from towerlab.games.transcript import Action
from towerlab.sim.batch import BatchRequest, BatchResult, GameSimulation
from towerlab.sim.own import PlayerError, some_asked
from towerlab.sim.seats import Seats

MOST_ACTIONS: Final = (
    20_000  # of a game: players may never end one; of a million games at random some hundred are as long
)
_ENDLESS: Final = "expected players that end their games"


def play_recorded(game: str, request: BatchRequest) -> BatchResult:
    """Play a batch of whole games in the engine; pure, as `GameSimulation.play_batch`.

    Where a player is asked in Python, the batch is a rotation: its games have the same cards and draws.

    Raises:
        TowerlabError: players that cannot sit down together.
    """
    simulation: GameSimulation = find_game(game).load("simulate")
    players = request.players
    options = request.options
    if simulation.players_option:
        options = dataclasses.replace(options, **{simulation.players_option: len(players)})
    winners = np.full(request.units, -1, dtype=np.int64)
    points = np.zeros((request.units, len(players)))
    written: list[str] = []
    seeds = seeds_of(request)
    streams = simulation.streams
    if some_asked(players):
        seeds = seeds[:1] * len(seeds)
    if some_asked(players) or streams is None:
        streams = lambda _: repeat(None)  # noqa: E731
    for place, (seed, stream) in enumerate(zip(seeds, streams(request), strict=False)):
        turn = request.first_unit + place  # player p sits in seat p + turn
        seats = seats_of(players, turn)
        engine = simulation.start(options)
        table = Seats(simulation.seat, seats, options, seed, stream)
        chances = actions = 0
        try:
            while engine.result is None:
                by_chance = engine.to_act is None
                engine.apply(table.next(engine, chances))
                chances, actions = chances + by_chance, actions + 1
                if actions == MOST_ACTIONS:
                    raise PlayerError(f"game {turn + 1} is not over after {MOST_ACTIONS:,} actions; {_ENDLESS}")
        except PlayerError as error:
            return BatchResult(winners[:place], points[:place], str(error), tuple(written))
        result = engine.result
        if result.winner is not None:
            winners[place] = (result.winner - turn) % len(players)
        points[place] = [result.scores[(player + turn) % len(players)] for player in range(len(players))]
        written.append(transcript(game, options, seats, seed, engine.actions))
    return BatchResult(winners, points, transcripts=tuple(written))


def seeds_of(request: BatchRequest) -> list[int]:
    """A seed for each unit of a batch, as its transcript names it."""
    return [int(seed >> np.uint64(2)) for seed in request.seed.generate_state(request.units, np.uint64)]


def seats_of(players: Sequence[Any], unit: int) -> tuple[Any, ...]:
    """The players of a unit by seat: player p sits in seat p + unit."""
    return tuple(players[(seat - unit) % len(players)] for seat in range(len(players)))


def transcript(game: str, options: Any, seats: Sequence[Any], seed: int, actions: Iterable[Action]) -> str:
    """A game as lines of a file of transcripts."""
    head = header_line(game, options, {"players": list(map(written_name, seats)), "seed": seed})
    return "".join(f"{line}\n" for line in (head, *map(json.dumps, actions)))
