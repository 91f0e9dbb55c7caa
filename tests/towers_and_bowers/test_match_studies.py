"""The studies of played matches: counts that add up, the same table whatever the workers, findings from the data."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.claims.accuracy import ALL, judged, top_tricks
from analysis.report.bidding.costs import cost_tables
from analysis.study import Study, StudyResult, run_study
from analysis.towers_and_bowers.claims import read_question
from analysis.towers_and_bowers.studies.bidding_accuracy import BIDDING, kinds_of, unforced
from analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING, positions_of_match
from analysis.towers_and_bowers.studies.tournament import TOURNAMENT
from games.errors import TowerlabError
from solver.claims.two_hands import parts
from tests.oracles.tb_claims import belief_of, refuted

SMALL: dict[str, dict[str, Any]] = {
    "tournament": {"chunks": 2, "pairs": 12, "tower_units": 2, "match_units": 4},
    "bidding-accuracy": {"chunk_pairs": 1, "deals": 20},
    "claim-accuracy": {"chunks": 2, "deals": 2},
}
DUEL = {"players": ["pimc", "novice"]}


def run(study: Study, folder: Path, **keywords: Any) -> StudyResult:
    parameters = dict(study.parameters) | SMALL[study.name] | keywords.pop("parameters", {})
    return run_study(study, folder, quiet=True, parameters=parameters, **({"jobs": 1, "seed": 1} | keywords))


@pytest.fixture(scope="module")
def tournament(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    return run(TOURNAMENT, tmp_path_factory.mktemp("tournament") / "study")


@pytest.fixture(scope="module")
def duel(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    """Without `equilibrium`, whose solutions every worker would load."""
    return run(TOURNAMENT, tmp_path_factory.mktemp("duel") / "study", parameters=DUEL)


@pytest.mark.parametrize(
    ("alone", "study", "parameters"),
    [
        pytest.param("duel", TOURNAMENT, DUEL, id="duel", marks=pytest.mark.slow),
        pytest.param("bidding", BIDDING, {}, id="bidding", marks=pytest.mark.slow),
        pytest.param("claiming", CLAIMING, {}, id="claiming"),
    ],
)
def test_tables_do_not_depend_on_the_number_of_workers(
    alone: str,
    study: Study,
    parameters: dict[str, Any],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = request.getfixturevalue(alone)
    monkeypatch.setattr("analysis.study.runner.SECONDS_ALONE", 0.0)
    two = run(study, tmp_path / "two", jobs=2, parameters=parameters)
    for name, table in one.tables.items():
        pd.testing.assert_frame_equal(table, two.tables[name])


def test_tournament_pairs_every_player_with_every_other_at_every_size(tournament: StudyResult) -> None:
    hands, units, dealer = (tournament.tables[name] for name in ("hands", "units", "dealer"))
    assert len(hands) == 15 * 7
    assert (hands["pairs"] == 24).all()
    assert len(units) == 15 * 2
    assert len(dealer) == 6 * 7
    assert ((hands["low"] <= hands["share"]) & (hands["share"] <= hands["high"])).all()


def test_tournament_ranks_by_matches_and_says_so(tournament: StudyResult) -> None:
    ranking = tournament.summary["ranking"]
    assert ranking[-1] == "random"
    assert set(ranking[:3]) == {"pimc", "cautious", "equilibrium"}
    assert ranking[0] in tournament.summary["finding"]
    assert sum(tournament.summary["match_share"].values()) == pytest.approx(3)  # 15 pairings, six players


def test_players_alike_on_the_same_cards_score_a_half_each(tmp_path: Path) -> None:
    """Two names for one way to play: with one card the play is forced, and pimc and cautious bid alike."""
    result = run(TOURNAMENT, tmp_path / "study", parameters={"players": ["pimc", "cautious"]})
    one_card = result.tables["hands"].query("cards == 1")
    assert one_card["share"].tolist() == [0.5]
    assert 0.3 < one_card["low"].iloc[0] < 0.5  # pairs that all ended alike do not make it certain


@pytest.fixture(scope="module")
def bidding(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    return run(BIDDING, tmp_path_factory.mktemp("bidding") / "study")


def test_bidding_costs_add_up_over_the_seats(bidding: StudyResult) -> None:
    rules = bidding.tables["rules"].pivot(index="rule", columns="kind", values=["cost", "decisions"])
    cost, count = rules["cost"], rules["decisions"]
    assert (count["both seats"] == count["dealer"] + count["non-dealer"]).all()
    total = cost["dealer"] * count["dealer"] + cost["non-dealer"] * count["non-dealer"]
    assert np.allclose(total, cost["both seats"] * count["both seats"])


def test_never_and_always_accepting_cost_the_whole_gap_between_them(bidding: StudyResult) -> None:
    """One of the two is wrong in every unforced decision, so that they agree with the reference 100 % together."""
    rules = bidding.tables["rules"].query("kind == 'both seats'").set_index("rule")
    assert rules.loc[["always accept", "never accept"], "no_worse"].sum() == pytest.approx(1)


def test_pimc_is_right_by_its_own_reference_and_pays_by_the_equilibrium(bidding: StudyResult, tmp_path: Path) -> None:
    searching = bidding.tables["rules"].query("rule == 'player pimc' and kind == 'both seats'").iloc[0]
    solved = bidding.summary["reference"]["equilibrium"]
    assert solved == sorted(solved) and set(range(1, 7)) <= set(solved)
    assert "pimc" not in bidding.summary["reference"]
    assert 0 < searching["cost"] < 5
    opened = run(BIDDING, tmp_path / "study", parameters={"reference": "pimc", "deals": 5})
    assert opened.summary["reference"] == {"pimc": list(range(1, 8))}
    assert opened.tables["rules"].query("rule == 'player pimc'")["cost"].tolist() == [0, 0, 0]
    assert "pimc, all cards seen after the decision (n = 1 to 7)" in opened.summary["finding"]


def test_calls_that_are_worth_the_same_are_no_decisions(bidding: StudyResult) -> None:
    """At odd sizes a first pass gains the non-dealer nothing, so that the dealer has far more to decide."""
    counts = bidding.tables["rules"].query("rule == 'always accept'").set_index("kind")["decisions"]
    assert counts["non-dealer"] < 0.8 * counts["dealer"]


def test_an_unknown_reference_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TowerlabError, match=r"unknown reference 'equilibium'.*equilibrium"):
        run(BIDDING, tmp_path / "study", parameters={"reference": "equilibium"})


def test_decision_lists_never_gets_worse_where_it_was_fitted(bidding: StudyResult) -> None:
    lists = bidding.tables["lists"]
    assert lists["clauses"].tolist() == [1, 2, 3, 4, 5]
    assert (lists["fitted_cost"].diff().dropna() <= 1e-9).all()
    assert "any hand" in lists["rule"].iloc[-1]
    assert any(rule in bidding.summary["finding"] for rule in lists["rule"])


def test_decision_lists_find_a_rule_that_explains_everything() -> None:
    random = np.random.default_rng(1)
    views = pd.DataFrame(
        {
            "cards": random.integers(1, 8, 400), "dealer": random.random(400) < 0.5,
            "points": random.integers(0, 60, 400), "trumps": random.integers(0, 7, 400),
            "right": random.random(400) < 0.3, "left": random.random(400) < 0.3,
            "jack_up": random.random(400) < 0.2, "side_aces": random.integers(0, 4, 400),
        }
    )  # fmt: skip
    accepts = (views["dealer"] & (views["trumps"] >= 3)).to_numpy()
    views["margin"] = np.where(accepts, 0.1, -0.3)
    views = unforced(
        views.assign(fitted=np.arange(400) % 2 == 0, **dict.fromkeys(("novice", "family", "pimc"), accepts))
    )
    lists = cost_tables(views.assign(reference=views["best"]), kinds_of(views))["lists"]
    assert lists["rule"].tolist()[:2] == ["any hand: pass", "dealer and 3+ trumps: accept; any hand: pass"]
    assert lists["cost"].tolist()[1] == lists["fitted_cost"].tolist()[1] == 0 < lists["cost"].tolist()[0]


def test_mistakes_are_the_ten_costliest_of_every_rule(bidding: StudyResult) -> None:
    mistakes = bidding.tables["mistakes"]
    for _, rows in mistakes.groupby("rule"):
        assert len(rows) == 10
        assert rows["cost_mt"].is_monotonic_decreasing


@pytest.fixture(scope="module")
def claiming(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    return run(CLAIMING, tmp_path_factory.mktemp("claiming") / "study")


def test_what_is_never_wrong_is_never_wrong(claiming: StudyResult) -> None:
    """Trumps above all unseen ones take a trick each; a proof never claims more than best play makes in any layout."""
    ways = claiming.tables["ways"].set_index("way")
    assert ways.loc["top trumps", "false"] == ways.loc["prover", "false"] == 0
    assert ways.loc["all layouts", "missed"] == 0
    concessions = claiming.tables["concessions"].set_index("way")
    assert concessions.loc["no trick in any layout", "missed"] == 0
    assert (claiming.tables["ways"]["unsettled"].fillna(0) == 0).all()


def test_claims_of_everything_are_claims_of_something(claiming: StudyResult) -> None:
    tricks = claiming.tables["tricks"]
    assert tricks["positions"].sum() == claiming.summary["positions"]
    assert (tricks["whole"] <= tricks["some"]).all() and (tricks["settled"] == 1).all()
    assert (tricks["proved"] <= tricks["200 layouts"]).all()
    assert (tricks["to_come"] >= 2).all()


def test_positions_of_a_match_are_what_their_commands_ask() -> None:
    """And what is asked is what the match knows, with the hands that are there."""
    positions = list(positions_of_match("novice", np.random.default_rng(1)))
    assert len(positions) > 20 and {one.role for one in positions} == {"player"}
    for one in positions:
        words = {name.replace("-", "_"): text for name, text in one.question.items()}
        assert read_question(**words, tricks=1).knowledge.belief == one.knowledge.belief  # type: ignore[arg-type]
        own, sure, pool, *_ = parts(one.knowledge.belief)
        assert own == one.hands[0] and sure & ~one.hands[1] == 0 and one.hands[1] & ~(sure | pool) == 0


def test_what_all_layouts_allow_and_the_proof_does_not_is_a_guess() -> None:
    """Until one turns up: best play makes more with every layout than one strategy can."""
    parameters = dict(CLAIMING.parameters)
    for seed in range(40):
        for one in positions_of_match("novice", np.random.default_rng(seed)):
            row = judged(one, random.Random(seed), parameters)
            if row[ALL] > row["high"]:
                found = refuted(one.knowledge.belief, int(row[ALL]))
                assert found is not None and found.kind == "guess" and found.tree is not None
                assert row["question"] == one.command
                return
    raise AssertionError("no guess in forty matches")


def test_top_tricks_are_above_all_that_may_be_out() -> None:
    heart_trumps = {"JH": 1 << 53, "AH": 1 << 51, "9H": 1 << 46}
    belief = belief_of(heart_trumps["JH"] | heart_trumps["9H"] | 1 << 12, heart_trumps["AH"], 1 << 11 | 1 << 13)
    assert top_tricks(belief) == 2 and top_tricks(belief, belief.trumps) == 1
