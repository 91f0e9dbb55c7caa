"""Writes table/levels.csv: what each opponent of the table loses a hand, a deal, a game or a war to the expert.

``python -m docs.levels [GAME…]``, a quarter of an hour of processor time for all; the units are those of
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
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.sim.batch import BatchRequest, GameSimulation
from towerlab.sim.towie import simulate_games
from towerlab.table.commanding import table_of
from towerlab.table.game import LEVELS, measured_levels

MEASURED: Final = {  # the simulator's unit, how many, what they are called, what is lost
    "towers-and-bowers": ("hand", 20_000, "hand of 7", "percentage points"),
    "bowers": ("deal", 1500, "deal", "points"),
    "towie": ("match", 60, "deal", "points"),
    "towers": ("game", 300, "game", "points"),
    "tower-war": ("match", 1000, "war", "percentage points"),
}
EXPERT: Final = "expert"


def values(game: str, request: BatchRequest) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What each player made in each unit, float64[units, players], and how many hands each unit had."""
    hands = np.ones(request.units)
    if game == "towie":
        found = simulate_games(request.players, request.units, request.seed, first_game=request.first_unit)
        return found.points.astype(np.float64), found.deals[:, 1].astype(np.float64)
    batch = find_game(game).load("simulate").play_batch(request)
    made = batch.points
    if game == "towers-and-bowers":  # the chance to win the tower, which who deals next has with probability W(6)
        dealing = np.where(batch.winners[:, None] == np.arange(2), deal_value(6), 1 - deal_value(6))
        made = made + (1 - made.sum(axis=1, keepdims=True)) * dealing
    return (100 * made if MEASURED[game][3] != "points" else made), hands


def _chunk(chunk: int, seed: np.random.SeedSequence, given: dict[str, Any]) -> tuple[NDArray[np.float64], ...]:
    size, unit, units = given["size"], *MEASURED[given["game"]][:2]
    options = find_game(given["game"]).load("options")()
    first = chunk * size
    request = BatchRequest(given["players"], first, min(size, units - first), seed, unit, None, options)
    return values(given["game"], request)


def measure(game: str, player: str) -> Estimate:
    """How much less a player makes a hand than the experts beside it, of a chance than half; n counts hands.

    Intervals are Student's t of rotations of the seats.
    """
    simulation: GameSimulation = find_game(game).load("simulate")
    seats = simulation.table_sizes[0]
    names = (player, *[table_of(game).levels[EXPERT][0]] * (seats - 1))
    players = tuple(find_player(name, game) for name in names)
    unit, units, _, lost = MEASURED[game]
    size = simulation.chunk_size(unit, players)
    given = {"game": game, "players": players, "size": size}
    made, hands = map(
        np.concatenate, zip(*map_chunks(_chunk, -(-units // size), seed=1, parameters=given), strict=True)
    )
    behind = made[:, 1:].mean(axis=1) - made[:, 0]
    if lost != "points":
        behind = behind / 2  # of two players: what one has more the other has less
    found = ratio_interval(behind.reshape(-1, seats).sum(axis=1), hands.reshape(-1, seats).sum(axis=1))
    return found._replace(n=int(hands.sum()))


def write(games: Sequence[str]) -> None:
    """Measure the levels of some games, and write them with those of the others."""
    rows = {game: [row for row in measured_levels() if row["game"] == game] for game in MEASURED}
    for game in games:
        levels = dict.fromkeys(player for player, _ in table_of(game).levels.values())
        rows[game] = []
        for player in [one for one in levels if one != table_of(game).levels[EXPERT][0]]:
            found, (_, _, hand, lost) = measure(game, player), MEASURED[game]
            ends = {"mean": found.mean, "low": found.low, "high": found.high}
            row = {"game": game, "player": player, "hand": hand, "lost": lost, "n": str(found.n)}
            rows[game].append(row | {name: f"{number:.4g}" for name, number in ends.items()})
    with LEVELS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(
            file, ["game", "player", "hand", "lost", "n", "mean", "low", "high"], lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(row for game in MEASURED for row in rows[game])


if __name__ == "__main__":
    write(sys.argv[1:] or list(MEASURED))
