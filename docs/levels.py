"""Write the losses in table/levels.csv: of each opponent of the table to the expert, a hand, deal, game or war.

``python -m docs.levels [GAME…]`` takes a quarter of an hour of processor time for all games; the units are those of
`towerlab simulate` with seed 1. A test makes some rows again.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.catalog import find_game
from towerlab.analysis.players import find_player
from towerlab.analysis.stats import Estimate, ratio_interval
from towerlab.analysis.study import map_chunks
from towerlab.analysis.towers_and_bowers.deal_value import deal_value
from towerlab.sim.batch import BatchRequest, GameSimulation
from towerlab.sim.towie import simulate_games
from towerlab.table.commanding import table_of
from towerlab.table.game import LEVELS, level_rows

MEASURED: Final = {  # the simulator's unit, how many, the name of a hand, the unit of the loss
    "towers-and-bowers": ("hand", 20_000, "hand of 7", "percentage points"),
    "bowers": ("deal", 1500, "deal", "points"),
    "towie": ("match", 60, "deal", "points"),
    "towers": ("game", 300, "game", "points"),
    "tower-war": ("match", 1000, "war", "percentage points"),
}
EXPERT: Final = "expert"


def values(game: str, request: BatchRequest) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return each player's result in each unit, float64[units, players], and the hands of each unit."""
    hands = np.ones(request.units)
    if game == "towie":
        games = simulate_games(request.players, request.units, request.seed, first_game=request.first_unit)
        return games.points.astype(np.float64), games.deals[:, 1].astype(np.float64)
    batch = find_game(game).load("simulate").play_batch(request)
    points = batch.points
    if game == "towers-and-bowers":  # the chance to win the tower, W(6) for the next dealer
        dealing = np.where(batch.winners[:, None] == np.arange(2), deal_value(6), 1 - deal_value(6))
        points = points + (1 - points.sum(axis=1, keepdims=True)) * dealing
    return (100 * points if MEASURED[game][3] != "points" else points), hands


def _chunk(chunk: int, seed: np.random.SeedSequence, parameters: dict[str, Any]) -> tuple[NDArray[np.float64], ...]:
    size, unit, units = parameters["size"], *MEASURED[parameters["game"]][:2]
    options = find_game(parameters["game"]).load("options")()
    first = chunk * size
    request = BatchRequest(parameters["players"], first, min(size, units - first), seed, unit, None, options)
    return values(parameters["game"], request)


def measure(game: str, player: str) -> Estimate:
    """Return how much less a player makes a hand than the experts in the other seats; n counts hands.

    With two players and chances it is the loss against an even chance. Intervals are Student's t over rotations of the
    seats.
    """
    simulation: GameSimulation = find_game(game).load("simulate")
    seats = simulation.table_sizes[0]
    known = find_game(game).load("players")
    names = (player, *[table_of(game).levels[EXPERT][0]] * (seats - 1))
    players = tuple(find_player(name, game) for name in names)
    unit, units, _, lost = MEASURED[game]
    size = simulation.chunk_size(unit, players, known)
    parameters = {"game": game, "players": players, "size": size}
    points, hands = map(
        np.concatenate, zip(*map_chunks(_chunk, -(-units // size), seed=1, parameters=parameters), strict=True)
    )
    behind = points[:, 1:].mean(axis=1) - points[:, 0]
    if lost != "points":
        behind = behind / 2  # chances of two players add up to 1
    loss = ratio_interval(behind.reshape(-1, seats).sum(axis=1), hands.reshape(-1, seats).sum(axis=1))
    return loss._replace(n=int(hands.sum()))


def write(games: Sequence[str]) -> None:
    """Measure the levels of some games, and write them with those of the others."""
    rows = [dict(row) for row in level_rows()]
    for row in rows:
        if row["game"] in games and row["level"] != EXPERT:
            loss = measure(row["game"], row["player"])
            _, _, hand, unit = MEASURED[row["game"]]
            ends = {"mean": loss.mean, "low": loss.low, "high": loss.high}
            row |= {"hand": hand, "lost": unit, "n": str(loss.n)}
            row |= {name: f"{number:.4g}" for name, number in ends.items()}
    with LEVELS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    write(sys.argv[1:] or list(MEASURED))
