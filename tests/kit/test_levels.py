"""What the table's opponents lose to the expert: the published figures, and how they are counted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from docs import levels
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.simulation import simulate
from towerlab.table.commanding import table_of
from towerlab.table.game import level_rows


def test_every_opponent_weaker_than_the_expert_is_measured() -> None:
    published = {(row["game"], row["player"]) for row in level_rows() if row["n"]}
    for game in GAMES:
        players = {player for player, _ in table_of(game).levels.values()}
        left = players - {player for of, player in published if of == game}
        assert left <= {table_of(game).levels[levels.EXPERT][0]}


def test_the_levels_of_towers_and_bowers_are_two_points_apart() -> None:
    """Of the chance to win the tower, a hand of 7, whatever the intervals leave open."""
    rows = {row["player"]: row for row in level_rows() if row["game"] == "towers-and-bowers" and row["n"]}
    ladder = [rows[player] for player, _ in reversed(table_of("towers-and-bowers").levels.values()) if player in rows]
    assert len(ladder) == 3 and float(ladder[0]["low"]) > 2
    for better, worse in itertools.pairwise(ladder):
        assert float(worse["low"]) > float(better["high"]) + 2


@pytest.mark.slow
def test_a_published_row_is_what_the_command_measures() -> None:
    row = next(row for row in level_rows() if (row["game"], row["player"]) == ("tower-war", "novice"))
    found = levels.measure("tower-war", "novice")
    assert [row["n"], row["mean"], row["low"], row["high"]] == [str(found.n), *(f"{end:.4g}" for end in found[:3])]


@pytest.mark.parametrize(("game", "units", "of"), [("tower-war", 40, 50.0), ("towers", 4, 1.0)])
def test_losses_are_those_of_the_simulator(game: str, units: int, of: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(levels.MEASURED, game, (levels.MEASURED[game][0], units, *levels.MEASURED[game][2:]))
    found = levels.measure(game, "novice")
    played = simulate(game, ("novice", table_of(game).levels[levels.EXPERT][0]), units, seed=1, jobs=1, quiet=True)
    assert found.n == units and found.mean == pytest.approx(of * (played.mean[1] - played.mean[0]))


def test_a_hand_counts_by_the_chance_to_win_the_tower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(levels.MEASURED, "towers-and-bowers", ("hand", 400, "hand of 7", "percentage points"))
    swept = simulate("towers-and-bowers", ("novice", "learned"), 400, unit="hand", seed=1, jobs=1, quiet=True)
    monkeypatch.setattr(levels, "deal_value", lambda cards: 0.5)  # who deals next is no matter
    found = levels.measure("towers-and-bowers", "novice")
    assert found.mean == pytest.approx(50 * (swept.mean[1] - swept.mean[0]))
    assert np.isfinite([found.low, found.high]).all()
