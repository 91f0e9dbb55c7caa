"""`towerlab compare`: other rules in the same games, by the study `rule-options` itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import towerlab as tl
from tests.conftest import Answer
from towerlab.analysis.catalog import GAMES, find_study
from towerlab.analysis.simulation.rule_options import CHUNKS, FEWEST_CHANGED, combine_changes
from towerlab.analysis.study import run_study
from towerlab.analysis.study.definition import default_parameters
from towerlab.analysis.study.workers import chunk_seed
from towerlab.games.towers import TowersOptions
from towerlab.sim.towers.games import simulate_games


def test_it_is_the_study_of_rule_options(tmp_path) -> None:
    study = find_study("towers", "rule-options")
    parameters = default_parameters(study) | {"games": 200}
    frame = run_study(study, tmp_path / "study", seed=5, jobs=1, quiet=True, parameters=parameters).tables["changes"]
    found = tl.compare("towers", games=200, seed=5, jobs=1, quiet=True)
    pd.testing.assert_frame_equal(found.to_frame().drop(columns="rule"), frame.drop(columns="rule"), check_dtype=False)
    assert list(found.to_frame()["rule"]) == list(frame["rule"])
    square = found.changes[0]
    again = tl.compare("towers", {"layout": ["square"]}, games=200, seed=5, jobs=1, quiet=True).changes[0]
    assert {**again, "rule": square["rule"]} == square


def test_a_change_is_the_mean_difference_between_the_same_games() -> None:
    asked = {"layout": ["line", "square"], "landing": "any_end"}
    (row,) = tl.compare("towers", asked, games=240, seed=9, jobs=1, quiet=True).changes

    def points(layout: str, chunk: int) -> Any:
        rules = TowersOptions(layout=layout)
        seed = chunk_seed(9, chunk)
        return simulate_games(("novice",) * 2, 240 // CHUNKS, seed, rules, same_pack=False).points.sum(axis=1)

    line, square = (np.concatenate([points(layout, chunk) for chunk in range(CHUNKS)]) for layout in ("line", "square"))
    differences = square - line
    half = 1.959964 * differences.std(ddof=1) / math.sqrt(240)
    assert row["option"] == "layout=square"
    assert row["usual"] == pytest.approx(line.mean())
    assert row["change"] == pytest.approx(differences.mean())
    assert (row["low"], row["high"]) == pytest.approx((differences.mean() - half, differences.mean() + half), rel=1e-6)
    assert row["came_up"] >= (differences != 0).mean() > 0  # other events may leave the points alike


def test_rare_changes_have_no_interval_and_what_never_came_up_is_said() -> None:
    columns = ["option", "rule", "measure", "games", "before", "added", "squares", "changed"]
    rows = [
        ("a=1", "never", "points", 400, 800.0, 0.0, 0.0, 0),
        ("b=1", "rare", "points", 400, 800.0, 12.0, 90.0, FEWEST_CHANGED - 1),
        ("c=1", "common", "points", 400, 800.0, 12.0, 90.0, FEWEST_CHANGED),
        ("d=1", "alike", "points", 400, 800.0, 0.0, 0.0, 400),  # was "+0 to +0" (issue 40, 17)
    ]
    frame = combine_changes([pd.DataFrame(rows, columns=columns)], {}).tables["changes"].set_index("rule")
    assert frame["low"].isna().tolist() == frame["high"].isna().tolist() == [True, True, False, True]
    assert frame.loc["never", "came_up"] == 0 and 0 < frame.loc["never", "most"] < 0.01
    shown = str(tl.compare("towers", {"uneven_level": "higher"}, games=80, jobs=1, quiet=True))
    assert "Never" in shown and "came up in 80 games: uneven_level=higher" in shown


def test_different_players_win_other_shares(inside: Callable[..., Answer]) -> None:
    words = "compare towers --players greedy,novice --option layout=square --games 80 --jobs 1 --quiet --json"
    found = inside(*words.split()).json
    greedy, novice = found["wins"]
    assert (greedy["player"], novice["player"], greedy["n"]) == ("greedy", "novice", 80)
    assert greedy["usual"] > novice["usual"] and greedy["low"] <= greedy["change"] <= greedy["high"]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_games_options_are_compared_by_any_players(game: str) -> None:
    players = {"towie": 3, "bowers": 3}.get(game, 2)
    options = find_study(game, "rule-options").parameters["changes"][0].split("=")
    found = tl.compare(game, dict([options]), ["random"] + ["novice"] * (players - 1), games=80, jobs=1, quiet=True)
    assert len(found.wins) == 2 and found.games == 80


@pytest.mark.exhaustive
def test_intervals_cover_a_run_a_hundred_times_as_long() -> None:
    """At 95 % fewer than 17 of 20 seeds cover in 1.6 % of all sets of seeds; these are fixed."""
    options = {"layout": "square"}
    true = tl.compare("towers", options, games=20_000, seed=1_000, quiet=True).changes[0]["change"]
    rows = [tl.compare("towers", options, games=200, seed=seed, jobs=1, quiet=True).changes[0] for seed in range(20)]
    assert sum(row["low"] <= true <= row["high"] for row in rows) >= 17
