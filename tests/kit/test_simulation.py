"""`towerlab simulate` and `towerlab players`, on a game of no rules: counting, seats, intervals, stopping, refusals."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.oracles.toy_game import GAME, SIMULATION, ToyOptions
from towerlab import cli
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.simulation import SimulationResult, simulate
from towerlab.analysis.simulation.present import verdict
from towerlab.analysis.stats import wilson
from towerlab.sim.batch import BatchRequest, BatchResult


def without_time(result: SimulationResult) -> SimulationResult:
    return dataclasses.replace(result, seconds=0.0)


def play(*players: str, games: int = 2000, **keywords: object) -> SimulationResult:
    return simulate(GAME, players, games, **({"jobs": 1, "quiet": True} | keywords))


def test_counts_add_up_and_the_interval_is_wilsons() -> None:
    result = play("fair", "strong", games=1234)
    assert sum(result.wins) + result.draws == result.games == 1234
    assert result.interval == tuple(wilson(wins, 1234) for wins in result.wins)
    assert result.mean == pytest.approx([wins / 1234 for wins in result.wins])  # a win is a point
    answer = result.to_json()
    assert {"game", "players", "games", "unit", "wins", "draws", "mean", "interval", "seed", "seconds"} <= answer.keys()
    assert answer["unit"] == "match"
    assert answer["games_per_second"] > 0


@pytest.mark.parametrize("how", [{"games": 950}, {"games": 100_000, "until_decided": True}])
def test_the_result_does_not_depend_on_the_number_of_workers(
    how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = play("fair", "strong", "stronger", seed=4, **how)
    monkeypatch.setattr("towerlab.analysis.study.runner.SECONDS_ALONE", 0.0)
    assert without_time(play("fair", "strong", "stronger", seed=4, jobs=2, **how)) == without_time(alone)
    assert play("fair", "strong", "stronger", seed=5, **how).wins != alone.wins


def test_batches_cover_every_unit_once_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[BatchRequest] = []

    def remember(request: BatchRequest) -> BatchResult:
        seen.append(request)
        return BatchResult(np.zeros(request.units, dtype=np.int64), np.zeros((request.units, 2)))

    simulation = dataclasses.replace(SIMULATION, play_batch=remember, units_per_chunk={"hand": 64})
    monkeypatch.setattr("tests.oracles.toy_game.SIMULATION", simulation)
    play("fair", "strong", games=200, unit="hand", cards=5, options=ToyOptions(stake=3))
    assert [(request.first_unit, request.units) for request in seen] == [(0, 64), (64, 64), (128, 64), (192, 8)]
    assert {(request.unit, request.cards, request.options.stake) for request in seen} == {("hand", 5, 3)}


def test_equal_players_are_not_decided_and_a_better_one_is() -> None:
    equal = play("fair", "fair", games=20_000, seed=1)
    assert equal.decided is None
    assert verdict(equal).startswith("Not decided")
    assert "fair (1)" in verdict(equal)
    better = play("fair", "stronger", games=20_000, seed=1)
    assert better.decided == 1
    assert verdict(better).startswith("stronger is better: its share of")


def test_games_that_all_end_alike_decide_nothing_before_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 40, 17: five games won by one player said "100 percentage points (100.0 to 100.0)"."""

    def always_second(request: BatchRequest) -> BatchResult:
        return BatchResult(np.ones(request.units, dtype=np.int64), np.zeros((request.units, 2)))

    monkeypatch.setattr("tests.oracles.toy_game.SIMULATION", dataclasses.replace(SIMULATION, play_batch=always_second))
    assert play("fair", "strong", games=1).decided is None
    few = play("fair", "strong", games=5)
    many = play("fair", "strong", games=100)
    assert few.decided is None and few.lead[2].ends == pytest.approx((2 * wilson(2, 2)[0] - 1, 1.0))
    assert verdict(few) == "Not decided: the interval of the difference between strong and fair includes 0."
    assert many.decided == 1 and "100.0 percentage points (85.7 to 100.0)" in verdict(many)


def test_swapping_the_seats_gives_what_statistics_says() -> None:
    """The rotation removes the first seat's advantage, so the order of the names does not matter."""
    one = play("fair", "strong", games=20_000, seed=1)
    other = play("strong", "fair", games=20_000, seed=2)
    assert one.interval[0][0] < other.wins[1] / other.games < one.interval[0][1]
    assert one.interval[1][0] < other.wins[0] / other.games < one.interval[1][1]


def test_until_decided_stops_early_and_says_that_its_interval_is_another() -> None:
    result = play("fair", "stronger", games=1_000_000, until_decided=True)
    assert result.games < 5000
    assert result.decided == 1
    assert result.interval_kind == "anytime"
    low, high = result.interval[1]
    assert high - low > np.diff(wilson(result.wins[1], result.games))[0]


def test_until_decided_rarely_decides_between_equals() -> None:
    decided = [play("fair", "fair", games=2000, seed=s, until_decided=True).decided for s in range(60)]
    assert sum(one is not None for one in decided) <= 6  # 5 % of 60 and two standard deviations


def test_until_width_stops_when_every_interval_is_narrow() -> None:
    result = play("fair", "strong", games=1_000_000, until_width=0.05)
    widths = [high - low for low, high in result.interval]
    assert max(widths) <= 0.05
    assert max(widths) > 0.045
    assert result.games < 20_000


# -------------------------------------------------------------------------------------------------------- the commands


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(GAMES, "toy", GAME)
    return lambda *arguments: CliRunner().invoke(cli.towerlab, arguments, catch_exceptions=False)


def test_command_simulate_prints_json_or_a_table_with_a_sentence(invoke) -> None:
    arguments = ("simulate", "toy", "--players", "fair, strong", "--games", "500", "--option", "stake=2", "--jobs", "1")
    answer = json.loads(invoke(*arguments, "--json").stdout)
    assert answer["players"] == ["fair", "strong"]
    assert answer["mean"] == [2 * wins / 500 for wins in answer["wins"]]
    text = invoke(*arguments).stdout
    assert "matches won" in text
    assert "nobody alone" in text
    assert "500 matches, seats rotating, intervals Wilson" in text and "seed 0" in text


def test_command_players_lists_them_with_a_line_each(invoke) -> None:
    assert "has a thumb on the scale" in invoke("players", "toy").stdout
    listed = json.loads(invoke("players", "toy", "--json").stdout)
    assert [player["name"] for player in listed["players"]] == ["fair", "strong", "stronger"]
