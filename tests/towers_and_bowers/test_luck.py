"""Luck apart from skill: nought on average by enumeration and on simulated matches, and what it saves."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT, Answer
from tests.oracles import naive
from towerlab.analysis.study import StudyResult, run_study
from towerlab.analysis.towers_and_bowers.equity import hand_tricks
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_outcomes, deal_value
from towerlab.analysis.towers_and_bowers.solutions.luck_baseline import luck_baseline, make_baseline
from towerlab.analysis.towers_and_bowers.studies.luck_correction import LUCK
from towerlab.games.cards import parse_card, parse_mask
from towerlab.games.towers_and_bowers import Match, TowersAndBowersOptions
from towerlab.table.towers_and_bowers.review import grade

OPTIONS = TowersAndBowersOptions()
GOLDEN = ROOT / "tests" / "golden" / "towers-and-bowers-match.jsonl"


def run(folder: Path, seed: int = 5, **parameters: Any) -> StudyResult:
    return run_study(LUCK, folder, quiet=True, parameters=dict(LUCK.parameters) | parameters, jobs=1, seed=seed)


def triple_of_one_card(nondealer: str, dealer: str, up: str) -> tuple[int, int, int]:
    """The trick counts of a deal of one card: who accepts, the dealer is left with the up-card."""
    named = [int(naive.leader_wins(nondealer, dealer, suit)) for suit in "SHDC" if suit != up[1]]
    return int(naive.leader_wins(nondealer, up, up[1])), max(named), min(named)


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_the_luck_of_every_deal_of_one_card_adds_up_to_nought(seed: int | None) -> None:
    """All 12,144 deals, by a naive count; also with a table of other values: it need not be right to be unbiased."""
    baseline = luck_baseline(OPTIONS)
    if seed is not None:
        played = np.random.default_rng(seed).integers(50, size=(8, 8, 8, 8, 5))
        played[..., 4] = 0
        baseline = make_baseline(OPTIONS, played)
    deals = list(itertools.permutations(naive.PACK, 3))
    values = [1 - baseline.nondealer[(1, *triple_of_one_card(*deal))] for deal in deals]
    assert len(deals) == 12_144
    assert np.mean(values) - baseline.dealer[1] == pytest.approx(0, abs=1e-12)
    assert np.std(values) > 0.1


def test_the_trick_counts_of_deals_are_those_of_a_naive_search() -> None:
    random = np.random.default_rng(2)
    for _ in range(40):
        n = int(random.integers(1, 4))
        cards = [naive.PACK[place] for place in random.permutation(24)[: 2 * n + 1]]
        first, second, up = frozenset(cards[:n]), frozenset(cards[n : 2 * n]), cards[-1]
        kept = [second - {card} | {up} for card in second]
        named = [naive.leader_tricks(first, second, suit) for suit in "SHDC" if suit != up[1]]
        accepted = min(naive.leader_tricks(first, cards, up[1]) for cards in kept)
        masks = (parse_mask(" ".join(first)), parse_mask(" ".join(second)))
        assert hand_tricks(*masks, parse_card(up), OPTIONS) == (accepted, max(named), min(named))


def test_the_baseline_is_near_the_model_and_exactly_it_under_other_rules() -> None:
    baseline = luck_baseline(OPTIONS)
    assert baseline.is_played and baseline.dealer[1] == pytest.approx(deal_value(1))
    for cards in range(1, 8):
        deals = deal_outcomes(cards)
        assert 1 - (deals * baseline.nondealer[cards]).sum() / deals.sum() == pytest.approx(baseline.dealer[cards])
        assert baseline.dealer[cards] == pytest.approx(deal_value(cards), abs=0.06)
        assert ((baseline.nondealer[cards] >= 0) & (baseline.nondealer[cards] <= 1)).all()
    for changed in ({"tie_to": "bidder"}, {"force_dealer_to_name": False}):
        options = TowersAndBowersOptions(**changed)
        other = luck_baseline(options)
        assert not other.is_played
        assert [*other.dealer[1:]] == pytest.approx([deal_value(n, options) for n in range(1, 8)], abs=1e-9)


def test_what_a_review_says_of_luck_and_skill_adds_up(inside: Any, tmp_path: Path) -> None:
    answer: Answer = inside("review", str(GOLDEN), "--json")
    match, hands = answer.json["match"], answer.json["hands"]
    assert (match["before"], match["after"]) == (0.5, 1)
    assert match["after"] - match["before"] == pytest.approx(match["luck"] + match["skill"])
    assert match["luck"] == pytest.approx(sum(hand["luck"] for hand in hands))
    told = answer.json["match"]
    low, high = told["skill_interval"]
    assert low < told["skill"] < high and told["skill"] == pytest.approx((low + high) / 2)
    (tmp_path / "begun.jsonl").write_text("".join(GOLDEN.read_text().splitlines(keepends=True)[:25]))
    assert "of skill (95 %:" in " ".join(inside("review", str(tmp_path / "begun.jsonl")).stdout.split())
    begun = Match.from_transcript(GOLDEN.read_text().splitlines()[:1])
    assert grade(begun, ("a", "b"), (0, 1), None, "equilibrium").ledger is None


def test_the_study_takes_luck_from_results(tmp_path: Path) -> None:
    found = run(tmp_path / "study", chunks=2, pairs=4, players=["novice", "cautious"])
    units, deals, outcomes = (found.tables[name] for name in ("units", "deals", "outcomes"))
    assert units["n"].tolist() == [16, outcomes["swept"].sum() + outcomes["sweep"].sum()]
    assert np.allclose(units["corrected"] - units["raw"], units["apart"])
    assert (units["ratio"] > 1).all() and deals.iloc[-1]["hands"] == found.summary["hands"]
    assert "95 % intervals: of a match raw" in found.summary["finding"]
    alone = run(tmp_path / "alone", chunks=1, pairs=4, players=["novice", "novice"])
    assert alone.summary["matches"] == 4


@pytest.mark.exhaustive
def test_5000_matches_are_corrected_without_bias_and_need_five_times_fewer_hands(tmp_path: Path) -> None:
    found = run(tmp_path / "study", seed=0).summary
    assert found["matches"] == 5_000
    for unit in ("match", "tower"):
        mean, low, high = found[unit]["apart_mt"]
        assert low <= 0 <= high and found[unit]["variance_ratio"][1] >= 5, (unit, mean)
    _, low, high = found["tower"]["apart_mt"]
    assert high - low <= 10
    _, low, high = found["luck_of_a_deal_mt"]
    assert low <= 0 <= high <= low + 10
    assert 0.9 <= found["covered"] <= 0.99
