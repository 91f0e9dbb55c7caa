"""W(n): the stored counts are made again where that is quick, and small hand sizes equal brute force."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import exhaustive, slow
from tests.oracles import naive, naive_upcard
from towerlab.analysis.towers_and_bowers.deal_value import deal_outcomes, deal_value, deal_values, open_deal_values
from towerlab.analysis.towers_and_bowers.move import Reference, ask_move
from towerlab.analysis.towers_and_bowers.upcard import ask_upcard
from towerlab.analysis.towers_and_bowers.whole_strategies import ask_value
from towerlab.games.cards import card_text, mask_cards
from towerlab.games.towers_and_bowers import DEFAULT_RULES, HandRules, TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding import UpCardClasses, up_card_classes
from towerlab.solver.towers_and_bowers.layout_counts import count_classes
from towerlab.solver.towers_and_bowers.upcard import open_bidding

FULL_DEALS = {
    7: 67_310_305_920,
    6: 29_983_681_728,
    5: 6_919_311_168,
    4: 823_727_520,
    3: 48_454_560,
    2: 1_275_120,
    1: 12_144,
}
UP_CARD_RULES = [TowersAndBowersOptions(allow_discard_upcard=allowed).hand_rules for allowed in (False, True)]


@pytest.mark.parametrize("cards", range(1, 8))
@pytest.mark.parametrize("rules", UP_CARD_RULES)
def test_every_deal_is_counted(cards: int, rules: HandRules) -> None:
    counts = deal_outcomes(cards, rules)
    assert counts.sum() == FULL_DEALS[cards]
    accepted, most, fewest = np.nonzero(counts)
    assert max(accepted.max(), most.max()) <= cards
    assert (fewest <= most).all()


@pytest.mark.parametrize("cards", [1, 2, 3])
@pytest.mark.parametrize("rules", UP_CARD_RULES)
def test_small_counts_are_made_again(cards: int, rules: HandRules) -> None:
    assert (count_classes(up_card_classes(cards), rules) == deal_outcomes(cards, rules)).all()


@pytest.mark.parametrize("cards", [slow(4), exhaustive(5)])
def test_larger_counts_are_made_again(cards: int) -> None:
    assert (count_classes(up_card_classes(cards), DEFAULT_RULES) == deal_outcomes(cards, DEFAULT_RULES)).all()


def test_one_card_equals_brute_force_over_every_deal() -> None:
    wins = [
        1 - naive_upcard.OpenGame(1, up, 0.0).value(frozenset({one}), frozenset({other}))
        for one, other, up in itertools.permutations(naive.PACK, 3)
    ]
    assert len(wins) == 12_144
    assert deal_value(1) == pytest.approx(sum(wins) / len(wins), abs=1e-14)
    assert deal_value(1) == pytest.approx(59 / 69, abs=1e-14)


@pytest.mark.parametrize(("cards", "hands"), [(2, 60), (3, 4)])
def test_hands_of_a_class_equal_brute_force(cards: int, hands: int) -> None:
    rng = random.Random(cards)
    classes = up_card_classes(cards)
    bidding = open_bidding(cards, deal_values(), DEFAULT_RULES)
    for row in rng.sample(range(len(classes.ups)), hands):
        part = UpCardClasses(*(column[row : row + 1] for column in classes))
        counts = count_classes(part, DEFAULT_RULES) / part.weights[0]
        found = 1 - float((counts * bidding.first_round.value).sum() / counts.sum())
        hand = frozenset(map(card_text, mask_cards(int(part.hands[0]))))
        up = card_text(int(part.ups[0]))
        others = naive.hands_of(frozenset(naive.PACK) - hand - {up}, cards)
        game = naive_upcard.OpenGame(cards, up, deal_value(cards - 1))
        wins = [1 - game.value(hand, other) for other in others]
        assert found == pytest.approx(sum(wins) / len(wins), abs=1e-12)


def test_dealing_is_an_advantage_at_every_size() -> None:
    assert [value.cards for value in open_deal_values()] == list(range(1, 8))
    assert all(0.5 < value.dealer < 1 for value in open_deal_values())  # so that worth never falls with one's tricks


def test_a_hand_that_may_be_thrown_in_is_worth_its_own_fixed_point() -> None:
    options = TowersAndBowersOptions(force_dealer_to_name=False)
    for cards in (1, 2, 5):
        value = deal_value(cards, options)
        bidding = open_bidding(cards, deal_values(options), options.hand_rules)
        counts = deal_outcomes(cards, options.hand_rules)
        again = 1 - float((counts * bidding.first_round.value).sum() / counts.sum())
        assert again == pytest.approx(value, abs=1e-12)


def test_every_answer_counts_with_the_same_value_of_dealing() -> None:
    """The game's up to four cards, the model's from five on (`towerlab value`), whoever asks and by what method."""
    reference = Reference(TowersAndBowersOptions())
    values = {one.cards: one.dealer for one in ask_value().values}
    assert deal_values() == pytest.approx((0.0, *values.values()), abs=0)
    assert deal_value(4) == pytest.approx(0.6389, abs=5e-5)
    pack = ["9C", "TC", "JC", "QC", "KC", "AC", "9D"]
    for cards in (2, 4, 5, 7):
        hand = " ".join(pack[:cards])
        below = values[cards - 1]
        for words in ({}, {"method": "pimc"}, {"against": "family"}, {"opponent_holds": "AS"}):
            assert ask_upcard(hand, "QH", "dealer", **words).deal_value == below  # type: ignore[arg-type]
        play = ask_move(hand, "H", "me", lead="me", cards=cards)
        assert f"the next dealer wins the tower {100 * below:.1f} %" in play.model
        made = [below if 2 * tricks > cards else 1 - below for tricks in range(1, cards)]
        assert reference.payoff(cards, True)[1:cards].tolist() == pytest.approx(made, abs=1e-15)


def test_other_rules_count_with_perfect_information() -> None:
    options = TowersAndBowersOptions(tie_to="bidder")
    assert deal_values(options)[1:] == tuple(value.dealer for value in open_deal_values(options))


def test_the_document_states_the_values_that_ship() -> None:
    """Every row of the table in docs/methods/deal-value.md, but for its measured bounds."""
    text = (Path(__file__).parents[2] / "docs/methods/deal-value.md").read_text(encoding="utf8")
    rows = re.findall(r"^\| (\d) \| (.*) \| (.*) \| .* \| (.*) \| (.*) \|$", text, re.M)
    values = {value.cards: value for value in ask_value().values}
    assert [int(cards) for cards, *_ in rows] == sorted(values)
    for cards, *said in rows:
        value = values[int(cards)]
        hidden = f"{100 * value.dealer:.2f}"
        if value.sampled is not None:
            hidden += f" ({100 * value.sampled.low:.2f} to {100 * value.sampled.high:.2f})"
        seen = f"{100 * open_deal_values()[int(cards) - 1].dealer:.2f}"
        assert said == [hidden, seen, f"{100 * value.by_up['9']:.1f}", f"{100 * value.by_up['J']:.1f}"]
