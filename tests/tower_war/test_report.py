"""The Tower War report and its studies, on a small scale."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from analysis.study import run_study
from analysis.tower_war.report import REPORT
from analysis.tower_war.strategy import ARMS, STRATEGY, TOURNAMENT, play_arm
from analysis.tower_war.value_model import HELD_OUT, VALUE_MODEL, logistic_fit, write_model
from solver.tower_war.model import WarModel, shipped_model


def test_the_report_says_what_was_found_and_draws_towers(tmp_path):
    sizes = {"strategy": {"scale": 0.01}, "card-values": {"chunks": 1}}
    REPORT.write(tmp_path / "report", seed=2, jobs=1, quiet=True, work=tmp_path / "work", sizes=sizes)
    page = (tmp_path / "report" / "index.html").read_text()
    assert "a joker may well lie alone" in page and "In the first round you split" in page
    assert "<polygon" in page  # the towers
    arms = pd.read_csv(tmp_path / "report" / "player-pairs.csv")
    assert len(arms) == 8 and (arms["won_low"] <= arms["won_high"]).all()


def test_a_paired_arm_deals_each_pack_twice():
    split = list(ARMS).index("split")
    rows = play_arm(split, np.random.SeedSequence(5), {"arms": "strategy", "scale": 0.02})
    assert len(rows) == 5  # ten games
    assert set(rows["won"].unique()) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    again = play_arm(split, np.random.SeedSequence(5), {"arms": "strategy", "scale": 0.02})
    pd.testing.assert_frame_equal(rows, again)


def test_the_study_of_strategy_does_not_depend_on_chunk_order():
    parameters = {"arms": "strategy", "scale": 0.001}
    chunks = [play_arm(n, seed, parameters) for n, seed in enumerate(np.random.SeedSequence(1).spawn(40)[:4])]
    assert all(chunk["won"].between(0, 1).all() for chunk in chunks)
    assert STRATEGY.count_chunks(parameters) == sum(arm.chunks for arm in ARMS.values())


def test_the_logistic_fit_finds_the_weights_of_its_own_model():
    rng = np.random.default_rng(1)
    features = rng.normal(size=(20_000, 2)) * [1.0, 5.0]
    won = rng.random(20_000) < 1 / (1 + np.exp(-(features @ [0.8, -0.1] + 0.3)))
    weights, intercept = logistic_fit(features, won.astype(float))
    assert weights == pytest.approx([0.8, -0.1], abs=0.05)
    assert intercept == pytest.approx(0.3, abs=0.05)


def test_the_shipped_model_was_scored_on_wars_it_was_not_fitted_on():
    made = shipped_model().made
    scores = {score["predictor"]: score for score in made["scores"]}
    model, points = scores["decks and pyramids"], scores["sum of points (baseline)"]
    assert model["wars"] == HELD_OUT * made["wars"]
    assert model["log_loss"] < points["log_loss"] < scores["constant (baseline)"]["log_loss"]
    assert 0.8 < model["calibration_slope"] < 1.2


def test_a_tournament_is_every_player_against_every_other(tmp_path):
    result = run_study(
        TOURNAMENT, tmp_path / "study", seed=1, jobs=1, quiet=True, parameters={"arms": "tournament", "scale": 0.02}
    )
    arms = result.tables["arms"]
    assert len(arms) == 6 and arms["paired"].all() and (arms["observations"] == 10).all()
    assert result.summary["random against novice"][0] < 0.5


@pytest.mark.slow
def test_the_value_model_can_be_made_again(tmp_path):
    result = run_study(
        VALUE_MODEL, tmp_path / "study", seed=3, jobs=2, quiet=True, parameters={"chunks": 8, "games_per_chunk": 250}
    )
    assert result.summary["held_out_wars"] == 500
    assert result.summary["log_loss_decks"] < result.summary["log_loss_constant"]
    write_model(tmp_path / "study", tmp_path / "model.json")
    model = WarModel.from_json(json.loads((tmp_path / "model.json").read_text()))
    assert model.frequencies == pytest.approx(shipped_model().frequencies, abs=0.02)
