"""Every player against every other: hands on duplicate deals, towers, matches.

A hand of seven cards is played twice with the same cards, the seats swapped: the pair is one observation, and a
player's score in it is the mean of their two hands (1 for winning: the tower, else the next deal). Towers and matches
have cards of their own, seats rotating.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.players import find_player
from towerlab.analysis.stats import Estimate, mean_interval, wilson
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.simulation import play_units
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.own import PlayerError
from towerlab.sim.towers_and_bowers import PLAYERS

SCORES: Final = (0.0, 0.5, 1.0)  # of one player in an observation
UNITS: Final = {"hand": "pairs", "tower": "tower_units", "match": "match_units"}  # how many of each a chunk plays
RESULTS: Final = "results"
_COUNTS: Final = ["lost", "split", "won"]  # by `SCORES`


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    if len(set(parameters["players"])) < 2:
        raise TowerlabError("a tournament of fewer than two players; expected --set players=NAME,NAME…")
    return int(parameters["chunks"])


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Counts of the first player's scores, one row a unit and pairing."""
    rows = []
    for unit, name in UNITS.items():
        for players in combinations(parameters["players"], 2):
            # The same seed deals the same cards; the first unit's number decides who sits where.
            starts = (0, 1) if unit == "hand" else (0,)
            won = [_won(unit, start, int(parameters[name]), players, seed) for start in starts]
            counts = np.bincount((2 * np.mean(won, axis=0)).astype(int), minlength=len(SCORES))
            rows.append((unit, *players, *counts.tolist()))
    return pd.DataFrame(rows, columns=["unit", "a", "b", *_COUNTS])


def _won(unit: str, first: int, count: int, players: tuple[str, ...], seed: np.random.SeedSequence) -> Any:
    """bool[units]: whether the first player wins."""
    rivals = tuple(find_player(player, "towers-and-bowers") for player in players)
    played = play_units(unit, first, count, rivals, TowersAndBowersOptions(), seed)
    if played.failure:
        raise PlayerError(played.failure)
    return played.winners == 0


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``results``: a row a unit and pairing, the share that a wins with its interval."""
    counts = pd.concat(tables, ignore_index=True).groupby(["unit", "a", "b"], as_index=False, sort=False).sum()
    results = pd.DataFrame([_row(row) for row in counts.to_dict("records")])
    every = both_ways(results)
    shares = every[every["unit"] == "match"].groupby("a")["share"].mean()
    ranking = sorted(dict.fromkeys(parameters["players"]), key=lambda player: -shares[player])
    summary = {"ranking": ranking, "match_share": {player: float(shares[player]) for player in ranking}}
    return StudyResult({RESULTS: results}, summary)


def _row(row: Mapping[Any, Any]) -> dict[str, Any]:
    score = mean_interval(np.repeat(SCORES, [int(row[name]) for name in _COUNTS]))
    if row["unit"] != "hand" or not 0 < score.width < 1:  # pairs that all ended alike say nothing of their spread
        score = Estimate(score.mean, *wilson(round(score.mean * score.n), score.n), score.n)
    named = {"unit": row["unit"], "a": row["a"], "b": row["b"], "count": score.n}
    return named | score.row("share", bare=True)


def both_ways(results: pd.DataFrame) -> pd.DataFrame:
    """Rows of pairings, then all of them the other way round: the share of a against b with its interval."""
    ends = {"share": 1 - results["share"], "low": 1 - results["high"], "high": 1 - results["low"]}
    return pd.concat([results, results.rename(columns={"a": "b", "b": "a"}).assign(**ends)], ignore_index=True)


TOURNAMENT: Final = Study(
    game="towers-and-bowers",
    name="tournament",
    help="Every player against every other: hands of seven cards on duplicate deals, towers, matches.",
    parameters={"players": list(PLAYERS), "chunks": 20, "pairs": 100, "tower_units": 20, "match_units": 20},
    choices={"players": PLAYERS},
    players=("players",),
    count_chunks=_count_chunks,
    run_chunk=_run_chunk,
    combine=_combine,
)
