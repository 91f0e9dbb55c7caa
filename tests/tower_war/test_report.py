"""The Tower War report and its studies, on a small scale."""

from __future__ import annotations

import json
from html import unescape

import numpy as np
import pandas as pd
import pytest

from towerlab.analysis.stats import bootstrap_errors
from towerlab.analysis.study import parse_parameters, run_study
from towerlab.analysis.tower_war.drafting import split_cards
from towerlab.analysis.tower_war.report import REPORT, split_losses
from towerlab.analysis.tower_war.studies import (
    DRAFT,
    HELD_OUT,
    IN_PLAY,
    STACK,
    TIES,
    VALUE_MODEL,
    arm_chunks,
    logistic_fit,
    play_arm,
    rank_counts,
    rank_values,
)
from towerlab.games.cards import DECK_54, parse_mask
from towerlab.solver.tower_war.model import WarModel, shipped_model

SIZES = {part.study.name: part.small for part in REPORT.parts}
SMALL = {"scale": 0.04, "options": {}}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Of small studies, by name."""
    work = tmp_path_factory.mktemp("studies")
    made = {}
    for study in (part.study for part in REPORT.parts):
        parameters = parse_parameters(study, [], []) | SIZES[study.name]
        made[study.name] = run_study(study, work / study.name, seed=2, jobs=1, quiet=True, parameters=parameters)
    return made


@pytest.fixture
def made_before(results, monkeypatch):
    """Reports take the small studies for theirs; what was asked of each."""
    asked = {}

    def run(study, out, **how):
        asked[study.name] = how
        return results[study.name]

    monkeypatch.setattr("towerlab.analysis.report.studies.run_study", run)
    return asked


@pytest.mark.slow
def test_the_report_says_what_was_found(tmp_path, made_before):
    REPORT.write(tmp_path / "report", seed=2, jobs=1, quiet=True, work=tmp_path / "work", sizes=SIZES)
    assert sorted(how["seed"] for how in made_before.values()) == [103, 104, 105]  # none that the rule was found on
    page = unescape((tmp_path / "report" / "index.html").read_text())
    assert (
        DRAFT[1:] in page
        and TIES in page
        and IN_PLAY in page
        and STACK in page
        and "Split off" in page
        and "Steady hands" in page
        and "ever came up in" in page
    )
    values = pd.read_csv(tmp_path / "report" / "tables" / "card-values.csv").set_index("name")
    assert values.loc["joker", "mean"] > values.loc["A", "mean"] > values.loc["5", "mean"]
    assert (values["interval_low"] < values["mean"]).all()


def test_single_splits_lose_what_the_question_says_they_do():
    found = split_losses(3, 40)
    assert found["n"].sum() == 40 and (found["cost"] > 0).all()
    for row in found.to_dict("records"):
        values = {frozenset(split.piles): split.value for split in split_cards(row["hand"]).splits}
        hand = parse_mask(row["hand"], DECK_54)
        said, best = (
            values[frozenset((pile, hand & ~pile))]
            for pile in (parse_mask(row[name], DECK_54) for name in ("said", "best"))
        )
        assert best == max(values.values()) and row["worst"] == pytest.approx(100 * (best - said))


def test_resampled_wars_give_the_errors_of_a_fit():
    decks = np.array([split_of(seed) for seed in range(400)])
    rng = np.random.default_rng(1)
    ranks = rank_counts(decks[:, 0]) - rank_counts(decks[:, 1])
    truth = np.linspace(-0.3, 0.6, 14)
    won = (rng.random(400) < 1 / (1 + np.exp(-ranks @ truth))).astype(float)
    assert ranks.sum(axis=1) == pytest.approx(np.zeros(400))
    error = bootstrap_errors(lambda rows: rank_values(logistic_fit(ranks[rows], won[rows])[0]), 400, 60)
    off = np.abs(rank_values(logistic_fit(ranks, won)[0]) - rank_values(truth))
    assert (off < 4 * error).all() and (error > 5).all()


def split_of(seed):
    cards = np.random.default_rng(seed).permutation(54)
    return [sum(1 << int(card) for card in part) for part in (cards[:15], cards[15:30])]


def test_a_paired_arm_deals_each_pack_twice():
    split = [name for name, _, _ in arm_chunks(SMALL)].index("even split")
    rows = play_arm(split, np.random.SeedSequence(5), SMALL)
    assert len(rows) == 5  # ten games
    assert set(rows["won"].unique()) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    pd.testing.assert_frame_equal(rows, play_arm(split, np.random.SeedSequence(5), SMALL))


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
    model = scores["decks and pyramids"]
    points = scores["sum of points (baseline)"]
    assert model["wars"] == HELD_OUT * made["wars"]
    assert model["log_loss"] < points["log_loss"] < scores["constant (baseline)"]["log_loss"]
    assert 0.8 < model["calibration_slope"] < 1.2


@pytest.mark.exhaustive
def test_the_value_model_can_be_made_again(tmp_path):
    result = run_study(
        VALUE_MODEL, tmp_path / "study", seed=3, jobs=2, quiet=True, parameters={"chunks": 8, "games_per_chunk": 250}
    )
    assert result.summary["held_out_wars"] == 500
    assert result.summary["log_loss_decks"] < result.summary["log_loss_constant"]
    model = WarModel.from_json(json.loads((tmp_path / "study" / "summary.json").read_text())["model"])
    assert model.frequencies == pytest.approx(shipped_model().frequencies, abs=0.02)
