"""Luck apart from skill: nought on average by enumeration; that reviews add up is in `test_review`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracles import naive
from towerlab.analysis.towers_and_bowers.deal_value import deal_outcomes, deal_value
from towerlab.analysis.towers_and_bowers.open_hands import dealt_values, hand_tricks
from towerlab.games.cards import parse_card, parse_mask
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES

OPTIONS = TowersAndBowersOptions()


def test_the_trick_counts_of_deals_are_those_of_a_naive_search() -> None:
    random = np.random.default_rng(2)
    for _ in range(40):
        n = int(random.integers(1, 4))
        cards = [naive.PACK[place] for place in random.permutation(24)[: 2 * n + 1]]
        first = frozenset(cards[:n])
        second = frozenset(cards[n : 2 * n])
        up = cards[-1]
        kept = [second - {card} | {up} for card in second]
        named = [naive.leader_tricks(first, second, suit) for suit in "SHDC" if suit != up[1]]
        accepted = min(naive.leader_tricks(first, cards, up[1]) for cards in kept)
        masks = (parse_mask(" ".join(first)), parse_mask(" ".join(second)))
        assert hand_tricks(*masks, parse_card(up), OPTIONS) == (accepted, max(named), min(named))


@pytest.mark.parametrize("changed", [{}, {"tie_to": "bidder"}, {"force_dealer_to_name": False}])
def test_luck_is_nought_on_average_in_every_hand_size(changed: dict[str, Any]) -> None:
    options = TowersAndBowersOptions(**changed)
    for cards in range(1, 8):
        deals = deal_outcomes(cards, DEFAULT_RULES)
        values = dealt_values(cards, options)
        assert 1 - (deals * values).sum() / deals.sum() == pytest.approx(deal_value(cards, options), abs=1e-12)
        assert ((values[deals > 0] >= 0) & (values[deals > 0] <= 1)).all()
