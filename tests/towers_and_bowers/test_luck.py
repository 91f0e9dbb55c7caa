"""Luck apart from skill: nought on average by enumeration, and what a review says of both adds up."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT, Answer
from tests.oracles import naive
from towerlab.analysis.towers_and_bowers.equity import dealt_values, hand_tricks
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_outcomes, deal_value
from towerlab.games.cards import parse_card, parse_mask
from towerlab.games.towers_and_bowers import Match, TowersAndBowersOptions
from towerlab.table.towers_and_bowers.review import grade

OPTIONS = TowersAndBowersOptions()
GOLDEN = ROOT / "tests" / "golden" / "towers-and-bowers-match.jsonl"


def triple_of_one_card(nondealer: str, dealer: str, up: str) -> tuple[int, int, int]:
    """The trick counts of a deal of one card: who accepts, the dealer is left with the up-card."""
    named = [int(naive.leader_wins(nondealer, dealer, suit)) for suit in "SHDC" if suit != up[1]]
    return int(naive.leader_wins(nondealer, up, up[1])), max(named), min(named)


def test_the_luck_of_every_deal_of_one_card_adds_up_to_nought() -> None:
    """All 12,144 deals, by a naive count."""
    deals = list(itertools.permutations(naive.PACK, 3))
    values = [1 - dealt_values(1, OPTIONS)[triple_of_one_card(*deal)] for deal in deals]
    assert len(deals) == 12_144
    assert np.mean(values) - deal_value(1) == pytest.approx(0, abs=1e-12)
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


@pytest.mark.parametrize("changed", [{}, {"tie_to": "bidder"}, {"force_dealer_to_name": False}])
def test_luck_is_nought_on_average_in_every_hand_size(changed: dict[str, Any]) -> None:
    options = TowersAndBowersOptions(**changed)
    for cards in range(1, 8):
        deals, values = deal_outcomes(cards), dealt_values(cards, options)
        assert 1 - (deals * values).sum() / deals.sum() == pytest.approx(deal_value(cards, options), abs=1e-12)
        assert ((values[deals > 0] >= 0) & (values[deals > 0] <= 1)).all()


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
