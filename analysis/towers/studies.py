"""What wins in Towers, and what does each rule change? Three studies: the gain of the printed rule, the advantage of
seats, and the effect of each rule option.

Every study is a list of *cells* (players, rules, habits) played in chunks. A chunk returns moments (n, sum and sum of
squares) of its measures, so that results of any size combine exactly and every mean has its interval. An observation is
a rotation: the same pack played once from every seat, or a single game where all players are alike.

    towerlab study towers rule --out folder
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from towerlab.analysis.simulation.rule_options import SUM, Played, rule_options_study
from towerlab.analysis.stats import NORMAL_95
from towerlab.analysis.study import Study, StudyResult
from towerlab.games.towers import TowersOptions
from towerlab.sim.towers.games import ANY_REPLY, BUILDER_WEIGHTS, CARD, OWN_NEXT, PLACE, GameResults, simulate_games

TABLE_SIZES: Final = range(2, 11)


@dataclass(frozen=True)
class Measurement:
    """One thing to be measured.

    Attributes:
        name: the name of the cell within its study.
        players: the first is measured. Different players play each pack from every seat.
        games: the number of games, all chunks together.
        measure: results → named observations, one value a rotation or game.
        weights: the weights of the builder.
    """

    name: str
    players: tuple[str, ...]
    games: int
    measure: Callable[[GameResults], dict[str, NDArray[np.float64]]]
    weights: tuple[float, ...] = BUILDER_WEIGHTS


# ----------------------------------------------------------------------------------------------------- observations


def duel_measures(results: GameResults) -> dict[str, NDArray[np.float64]]:
    """Return the first of two players' lead and shares of games won alone and lost, float64[rotations] each."""
    lead = results.points[:, 0] - results.points[:, 1]
    observed = {"lead": lead, "won": lead > 0, "lost": lead < 0}
    return {name: values.reshape(-1, 2).mean(axis=1) for name, values in observed.items()}


def seat_measures(results: GameResults) -> dict[str, NDArray[np.float64]]:
    """Return counts of events in each game, float64[games] each.

    Returns:
        The share of wins by seat, a shared win counting in parts; turns, razes and whether there are any, points of all
        players and those by razing.
    """
    by_seat = np.zeros_like(results.points)
    points = results.points.sum(axis=1).astype(np.float64)
    np.put_along_axis(by_seat, results.seats, results.points, axis=1)
    best = by_seat == by_seat.max(axis=1, keepdims=True)
    wins = {f"wins {seat}": shares for seat, shares in enumerate((best / best.sum(axis=1, keepdims=True)).T)}
    turns, _, razes, razed = results.events.T.astype(np.float64)
    events = {"turns": turns, "razes": razes, "any raze": (razes > 0) * 1.0, "points": points, "raze points": razed}
    return wins | events


# ------------------------------------------------------------------------------------------------------------ cells


def seat_cells(parameters: Mapping[str, Any]) -> list[Measurement]:
    """Return the cells of tables with 2 to 10 greedy players."""
    games = parameters["games"]
    return [Measurement(f"{players} greedy", ("greedy",) * players, games, seat_measures) for players in TABLE_SIZES]


# The rule for the table: each clause as it is printed, and what a builder weighs for it. A clause decides between plays
# that are equal by those before it: no difference of one weight (52 points, 13 cards, 7 places) reaches the one before.
RULE: Final[tuple[tuple[str, dict[int, float]], ...]] = (
    ("take the most points", {}),
    ("leave the next player as little as possible to score, whichever card they hold", {ANY_REPLY: 0.018}),
    ("leave your own hand as much as possible to score", {OWN_NEXT: 3.3e-4}),
    ("play the lowest card", {CARD: -2.4e-5, PLACE: -3e-6}),
)
TIES: Final = (
    "Still equal, a tower before a bridge, the one farthest left. If you have to raze, choose the tower in the same "
    "way. The next player is taken to hold the unseen card that scores most; your own hand is without the card just "
    "played and before you draw"
)
"""The choices left open by the clauses, as they are printed and played."""


def weights_of(clauses: int) -> tuple[float, ...]:
    """Return the builder's weights for the first `clauses` clauses of the rule."""
    weights = {place: weight for _, part in RULE[:clauses] for place, weight in part.items()}
    return tuple(weights.get(place, 0.0) for place in range(len(BUILDER_WEIGHTS)))


def rule_cells(parameters: Mapping[str, Any]) -> list[Measurement]:
    """Return the cells of the rule against greedy, each with a clause more, and those of players who look further."""
    duel = ("builder", "greedy")
    games = parameters["games"]
    cells = [
        Measurement(words, duel, games, duel_measures, weights_of(count)) for count, (words, _) in enumerate(RULE, 1)
    ]
    further = ("search", "builder")
    rule = weights_of(len(RULE))
    return [
        *cells,
        Measurement("the builder against greedy", duel, games, duel_measures),
        Measurement("search against the rule", further, parameters["search_games"], duel_measures, rule),
    ]


# ----------------------------------------------------------------------------------------------------- rule options

CHANGES: Final = {
    "layout=square": "a square of towers, not a line",
    "ace_strength=13": "bridges of kings crush aces",
    "landing=both_ends_on_bridge": "bridges fall on bridges only with both ends",
    "support_check=after_bridge_loss": "weak supports fail only where a bridge went",
    "support_check=off": "supports never fail",
    "equal_supports=false": "a cascade destroys a card under its equal",
    "equal_group=pair": "equal cards leave one pair at a time",
    "uneven_level=higher": "uneven bridges count at their higher end",
    "uneven_level=lower": "uneven bridges count at their lower end",
    "first_player=random": "who begins is drawn",
}


def play(players: Sequence[str], options: TowersOptions, seed: np.random.SeedSequence, games: int) -> Played:
    """Play whole games; the outcome is the record of their events."""
    if {*players} == {"novice"}:  # novices never randomise
        played = [simulate_games(players, games, seed, options, same_pack=False)]
    else:
        children = enumerate(seed.spawn(games))
        played = [simulate_games(players, 1, child, options, first_game=number) for number, child in children]
    points, events, winners = (
        np.concatenate([getattr(result, part) for result in played]) for part in ("points", "events", "winners")
    )
    return Played(points.sum(axis=1).astype(np.float64), np.hstack([points, events]), winners)


# ----------------------------------------------------------------------------------------------------------- studies

Cells = Callable[[Mapping[str, Any]], list[Measurement]]


def run_chunk(cells: Cells, chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return moments of each measure in a part of a cell's games: columns cell, measure, n, total, squares."""
    chunks = int(parameters["chunks"])
    cell = cells(parameters)[chunk // chunks]
    games = cell.games // chunks // len(cell.players) * len(cell.players)
    rules = TowersOptions(**parameters["options"])
    differ = len({*cell.players}) > 1
    results = simulate_games(cell.players, games, seed, rules, same_pack=differ, weights=cell.weights)
    observed = cell.measure(results)
    rows = [(cell.name, name, len(of), float(of.sum()), float((of * of).sum())) for name, of in observed.items()]
    return pd.DataFrame(rows, columns=["cell", "measure", "n", "total", "squares"])


def combine(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return means with 95 % intervals by cell and measure."""
    moments = pd.concat(list(chunks)).groupby(["cell", "measure"], sort=False).sum().reset_index()
    mean, half = mean_of_moments(*moments[["n", "total", "squares"]].to_numpy(np.float64).T)
    numbers = {"mean": mean, "low": mean - half, "high": mean + half, "n": moments["n"].astype(np.int64)}
    table = moments[["cell", "measure"]].assign(**numbers)
    return StudyResult({"means": table}, {"cells": int(table["cell"].nunique())})


def mean_of_moments(n: Any, total: Any, squares: Any) -> tuple[Any, Any]:
    """Return means and half of their 95 % intervals (normal approximation; n is in the hundreds at least).

    Args:
        n, total, squares: numbers, or float64[means]: observations, their sum, the sum of their squares.
    """
    mean = total / n
    variance = np.maximum(0.0, squares - n * mean * mean) / np.maximum(1, n - 1)
    return mean, NORMAL_95 * np.sqrt(variance / n)


def _study(name: str, help: str, cells: Cells, **parameters: Any) -> Study:
    return Study(
        game="towers",
        name=name,
        help=help,
        parameters=parameters,
        count_chunks=lambda parameters: len(cells(parameters)) * int(parameters["chunks"]),
        run_chunk=functools.update_wrapper(functools.partial(run_chunk, cells), run_chunk),
        combine=combine,
        rule_options=TowersOptions,
    )


STUDIES: Final = {
    study.name: study
    for study in (
        _study(
            "rule",
            "what each clause of the rule for the table is worth",
            rule_cells,
            games=4_000,
            search_games=400,
            chunks=4,
        ),
        _study("seats", "first-player advantage at tables of 2 to 10", seat_cells, games=20_000, chunks=4),
        rule_options_study("towers", TowersOptions, play, SUM, CHANGES, players=2, games=20_000),
    )
}
