"""Studies of Towers: who plays better, who begins, what falls, what each rule and each habit is worth.

Every study is a list of *cells* (players, rules, habits) played in chunks. A chunk returns moments (n, sum and sum of
squares) of what it measured, so that results of any size combine exactly and every mean has its interval. One
observation is a rotation: the same pack played once from every seat, or a single game where all players are alike.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.study import Study, StudyResult
from analysis.towers.simulation import warm_up as warm_up
from games.options import changed_options, parse_options
from games.towers import TowersOptions
from sim.towers.games import BUILDER_WEIGHTS, PLAYERS, RAZE_POINTS, RAZES, TURNS, GameResults, simulate_games

Z_95: Final = 1.959964
TABLE_SIZES: Final = range(2, 11)


@dataclass(frozen=True)
class Cell:
    """One thing to be measured.

    Attributes:
        name: of the cell within its study.
        players: who plays; the first is the one looked at.
        options: rule options that differ from the defaults.
        weights: of the builder.
        games: how many, all chunks together.
        measure: results → named observations, one value a rotation or game.
        same_pack: see `sim.towers.games.simulate_games`.
        against: measure the paired difference to a cell with these options instead.
    """

    name: str
    players: tuple[str, ...]
    games: int
    measure: Callable[[GameResults], dict[str, NDArray[np.float64]]]
    options: Mapping[str, Any] = field(default_factory=dict)
    weights: tuple[float, ...] = BUILDER_WEIGHTS
    same_pack: bool = True
    against: Mapping[str, Any] | None = None


# ----------------------------------------------------------------------------------------------------- observations


def by_rotation(values: NDArray[Any], players: int) -> NDArray[np.float64]:
    """Means over rotations of so many games."""
    whole = len(values) - len(values) % players
    means: NDArray[np.float64] = values[:whole].reshape(-1, players).mean(axis=1)
    return means


def duel_measures(results: GameResults) -> dict[str, NDArray[np.float64]]:
    """Two players: the first one's lead in points, share of games won alone, share of games lost, points."""
    lead = results.points[:, 0] - results.points[:, 1]
    return {
        "lead": by_rotation(lead, 2),
        "won": by_rotation(lead > 0, 2),
        "lost": by_rotation(lead < 0, 2),
        "points": by_rotation(results.points[:, 0], 2),
    }


def seat_measures(results: GameResults) -> dict[str, NDArray[np.float64]]:
    """Points and share of wins by seat, a shared win counting in parts; razes a game."""
    points = np.zeros_like(results.points)
    np.put_along_axis(points, results.seats, results.points, axis=1)
    best = points == points.max(axis=1, keepdims=True)
    wins = best / best.sum(axis=1, keepdims=True)
    measures = {f"wins {seat}": wins[:, seat] for seat in range(points.shape[1])}
    measures |= {f"points {seat}": points[:, seat].astype(np.float64) for seat in range(points.shape[1])}
    return measures | event_measures(results)


def event_measures(results: GameResults) -> dict[str, NDArray[np.float64]]:
    """What happens in a game: turns, razes and whether any, points in all and by razing, the lead of the first seat."""
    points, events = results.points.sum(axis=1), results.events
    first = np.take_along_axis(results.points, np.argmin(results.seats, axis=1)[:, None], axis=1)[:, 0]
    others = np.where(results.seats > 0, results.points, -1).max(axis=1)
    return {
        "turns": events[:, TURNS].astype(np.float64),
        "razes": events[:, RAZES].astype(np.float64),
        "any raze": (events[:, RAZES] > 0).astype(np.float64),
        "points": points.astype(np.float64),
        "raze points": events[:, RAZE_POINTS].astype(np.float64),
        "first lead": (first - others).astype(np.float64),
    }


# ------------------------------------------------------------------------------------------------------------ cells


def strength_cells(parameters: Mapping[str, Any]) -> list[Cell]:
    """Every pair of players who look at their cards."""
    pairs = itertools.combinations(list(PLAYERS)[1:], 2)  # who plays at random loses to all
    games = {pair: parameters["search_games" if "search" in pair else "games"] for pair in pairs}
    return [
        Cell(f"{better} v {worse}", (better, worse), games[worse, better], duel_measures, parameters["options"])
        for worse, better in games
    ]


def seat_cells(parameters: Mapping[str, Any]) -> list[Cell]:
    """Tables of 2 to 10 greedy players."""
    games, options = parameters["games"], parameters["options"]
    return [
        Cell(f"{players} greedy", ("greedy",) * players, games, seat_measures, options, same_pack=False)
        for players in TABLE_SIZES
    ]


RULE_CHANGES: Final = {
    "layout=square": "a square of towers, not a line",
    "ace_strength=13": "bridges of kings crush aces",
    "landing=both_ends_on_bridge": "bridges fall on bridges only with both ends",
    "support_check=after_bridge_loss": "weak supports fail only where a bridge went",
    "support_check=off": "supports never fail",
    "equal_supports=false": "a cascade destroys a card under its equal",
    "equal_group=pair": "equal cards leave one pair at a time",
    "uneven_level=higher": "uneven bridges count at their higher end",
    "uneven_level=lower": "uneven bridges count at their lower end",
}
"""What each changed rule means."""


def rule_cells(parameters: Mapping[str, Any]) -> list[Cell]:
    """Each rule option changed alone: greedy against greedy on the same packs, as a difference to the default."""
    options, alike = parameters["options"], ("greedy", "greedy")
    default = Cell("default", alike, parameters["games"], event_measures, options, same_pack=False)
    changes = {change: changed_options(parse_options(TowersOptions, [change])) for change in RULE_CHANGES}
    changed = [
        replace(default, name=name, options={**options, **change}, against=options) for name, change in changes.items()
    ]
    duel = Cell("", ("builder", "greedy"), parameters["builder_games"], duel_measures)
    layouts = [
        replace(duel, name=f"builder v greedy, {layout}", options={**options, "layout": layout})
        for layout in ("line", "square")
    ]
    return [default, *changed, *layouts]


# A habit = a builder who looks at the points now and at one thing more: (name, weights).
HABITS: Final[tuple[tuple[str, tuple[float, ...]], ...]] = (
    ("nothing but the points now", (0.0, 0.0, 0.0, 0.0, 0.0)),
    ("give the next player little", (0.5, 0.0, 0.0, 0.0, 0.0)),
    ("keep points for the next turn", (0.0, 0.3, 0.0, 0.0, 0.0)),
    ("keep cards playable", (0.0, 0.0, 0.05, 0.0, 0.0)),
    ("lay bridges", (0.0, 0.0, 0.0, 0.05, 0.0)),
    ("avoid bridges", (0.0, 0.0, 0.0, -0.05, 0.0)),
    ("high cards first", (0.0, 0.0, 0.0, 0.0, 0.01)),
    ("low cards first", (0.0, 0.0, 0.0, 0.0, -0.01)),
    ("give little and keep points", (0.5, 0.3, 0.0, 0.0, 0.0)),
    ("all of it: the builder", BUILDER_WEIGHTS),
)


def habit_cells(parameters: Mapping[str, Any]) -> list[Cell]:
    """Greedy with one habit more, against greedy."""
    return [
        Cell(name, ("builder", "greedy"), parameters["games"], duel_measures, parameters["options"], weights=weights)
        for name, weights in HABITS
    ]


# ----------------------------------------------------------------------------------------------------------- studies

CELLS: Final = {"strength": strength_cells, "seats": seat_cells, "rules": rule_cells, "habits": habit_cells}
_SIZES = ("meeting", "raze")


def count_chunks(parameters: Mapping[str, Any]) -> int:
    """So many chunks for every cell of the study."""
    return len(CELLS[parameters["cells"]](parameters)) * int(parameters["chunks"])


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Moments of what one part of a cell's games shows: columns cell, measure, n, total, squares."""
    cells = CELLS[parameters["cells"]](parameters)
    chunks = int(parameters["chunks"])
    cell = cells[chunk // chunks]
    games = cell.games // chunks // len(cell.players) * len(cell.players)

    def play(options: Mapping[str, Any]) -> GameResults:
        again = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)  # the same packs whatever the rules
        rules = TowersOptions(**options)
        return simulate_games(cell.players, games, again, rules, same_pack=cell.same_pack, weights=cell.weights)

    results = play(cell.options)
    observed = cell.measure(results)
    if cell.against is not None:
        base = cell.measure(play(cell.against))
        observed = {name: values - base[name] for name, values in observed.items()}
    rows = [
        (cell.name, name, len(values), float(values.sum()), float((values * values).sum()))
        for name, values in observed.items()
    ]
    for kind, counts in zip(_SIZES, results.sizes, strict=True):
        rows += [(cell.name, f"{kind} of {size}", int(n), 0.0, 0.0) for size, n in enumerate(counts) if n]
    return pd.DataFrame(rows, columns=["cell", "measure", "n", "total", "squares"])


def combine(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Means with 95 % intervals by cell and measure, and how often cascades of each size occurred."""
    moments = pd.concat(list(chunks)).groupby(["cell", "measure"], sort=False).sum().reset_index()
    is_size = moments["measure"].str.match(r"(?:meeting|raze) of \d+$")
    sizes = moments[is_size]
    parts = sizes["measure"].str.extract(r"(\w+) of (\d+)")
    cascades = pd.DataFrame(
        {"cell": sizes["cell"], "kind": parts[0], "sections": parts[1].astype(int), "times": sizes["n"].astype(int)}
    ).sort_values(["cell", "kind", "sections"], kind="stable", ignore_index=True)
    means = moments[~is_size]
    estimates = [mean_of_moments(*row) for row in zip(means["n"], means["total"], means["squares"], strict=True)]
    table = pd.DataFrame(
        {
            "cell": means["cell"].to_numpy(),
            "measure": means["measure"].to_numpy(),
            "mean": [mean for mean, _ in estimates],
            "low": [mean - half for mean, half in estimates],
            "high": [mean + half for mean, half in estimates],
            "n": means["n"].to_numpy(dtype=np.int64),
        }
    )
    return StudyResult({"means": table, "cascades": cascades}, {"cells": int(table["cell"].nunique())})


def mean_of_moments(n: int, total: float, squares: float) -> tuple[float, float]:
    """Mean and half of its 95 % interval (normal approximation; n is in the hundreds at least)."""
    mean = total / n
    variance = max(0.0, squares - n * mean * mean) / max(1, n - 1)
    return mean, Z_95 * math.sqrt(variance / n)


def _study(name: str, help: str, **parameters: Any) -> Study:
    return Study(
        game="towers",
        name=name,
        help=help,
        parameters={"cells": name, "options": {}, **parameters},
        count_chunks=count_chunks,
        run_chunk=run_chunk,
        combine=combine,
        warm_up=warm_up,
        rule_options=TowersOptions,
        choices={"cells": (name,)},
    )


STUDIES: Final = {
    study.name: study
    for study in (
        _study("strength", "every pair of players on the same packs", games=4_000, search_games=400, chunks=8),
        _study("seats", "first-player advantage at tables of 2 to 10", games=20_000, chunks=4),
        _study("rules", "what each rule option changes, same packs", games=20_000, builder_games=4_000, chunks=4),
        _study("habits", "what one habit beside the points now is worth", games=4_000, chunks=4),
    )
}
