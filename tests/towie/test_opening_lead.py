"""`towerlab move towie --role leader`: equal to another solver's count over the layouts drawn, and to the table."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.dds import dds_cards
from towerlab.analysis.towie.move import ask_move
from towerlab.games.cards import card_text, mask_cards, mask_text
from towerlab.games.towie.dealing import DUMMY
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.scoring import deal_score
from towerlab.sim.towie.sampling import sample_layouts

CONTRACTS = ("3NT", "4H", "4SX", "5C", "6D", "2NTX", "1SXX")


def test_to_8_opening_leads_are_counted_over_the_layouts_drawn() -> None:
    """A deal a contract: hands are the leader's and dummy's six with 33 others, each card's tricks are DDS's."""
    random = np.random.default_rng(7)
    for number in range(len(CONTRACTS)):
        cards = random.permutation(52)
        hand, six = (sum(1 << int(card) for card in part) for part in (cards[:13], cards[13:19]))
        contract = CONTRACTS[number % len(CONTRACTS)]
        vulnerable = bool(number % 2)
        asked = {"contract": contract, "role": "leader", "shown": mask_text(six), "vulnerable": vulnerable}
        answer = ask_move(mask_text(hand), **asked, layouts=6, seed=number)
        deals = sample_layouts(1, hand, six, 6, np.random.default_rng(number))
        assert all(
            sum(deal) == (1 << 52) - 1 and deal[1] == hand and deal[DUMMY] & six == six for deal in deals.tolist()
        )
        strain = "CDHSN".index(contract[1])
        level = int(contract[0])
        doubling = 2 ** contract.count("X")
        points = dict.fromkeys(mask_cards(hand), 0.0)
        makes = dict.fromkeys(mask_cards(hand), 0.0)
        for declarer, leader, partner, dummy in deals.tolist():
            for card, tricks in dds_cards((declarer, leader, dummy, partner), strain, 1).items():
                bid = 5 * (level - 1) + strain + 1
                ours, theirs = deal_score(bid, doubling, int(vulnerable), tricks, 0, 0, TowieOptions().rules())
                points[card] += (theirs - ours) / 6
                makes[card] += (tricks >= 6 + level) / 6
        assert {one.card: one.value for one in answer.plays} == pytest.approx(
            {card_text(c): v for c, v in points.items()}
        )
        assert {one.card: one.make for one in answer.plays} == pytest.approx(
            {card_text(c): v for c, v in makes.items()}
        )
        assert answer.best.value == pytest.approx(max(points.values())) and not answer.exact and answer.proved is None
