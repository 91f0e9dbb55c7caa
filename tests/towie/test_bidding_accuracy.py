"""What rules of Towie's bidding cost, and what `pimc` gains by looking ahead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.oracles.naive_towie import CALLS, naive_contract
from tests.oracles.towie_auctions import card_words, naive_novice_call
from towerlab.analysis.bidding.accuracy import PASSING, score_by_other_layouts
from towerlab.analysis.study import parse_parameters, run_study
from towerlab.analysis.towie.studies import STUDIES
from towerlab.analysis.towie.studies.bidding_accuracy import (
    BID_OF_RULE,
    DOUBLER,
    GOULASH,
    KINDS,
    OPENING,
    OVER,
    RULES_OF,
    TIES,
    action_calls,
    bid_of_rule,
    call_of,
    draw_decision,
)
from towerlab.games.cards import parse_mask
from towerlab.games.pbn import parse_hand
from towerlab.games.towie.auction import BID, DOUBLE, PASS, auction_of, parse_call
from towerlab.games.towie.dealing import deal_singly
from towerlab.games.towie.options import TowieOptions
from towerlab.sim.towie.outcomes import Outcomes
from towerlab.sim.towie.players import high_card_points


def test_decisions_are_reached_by_novices() -> None:
    random = np.random.default_rng(1)
    longest = {}
    for kind in KINDS:
        held = []
        for _ in range(40):
            hands, exposed, calls = draw_decision(kind, random)
            assert (np.bitwise_count(hands) == 13).all() and exposed & int(hands[3]) == exposed
            told: list[str] = []
            for call in calls:
                said = naive_novice_call(card_words(int(hands[len(told) % 3])), card_words(exposed), told)
                assert CALLS[call] == said
                told.append(said)
            assert (naive_contract(told) is not None) == (kind == OVER) == bool(auction_of(calls)[BID])
            held.append(max(int(hands[0]) >> 13 * suit & 0x1FFF for suit in range(4)).bit_count())
        longest[kind] = np.mean(held)
    assert longest[GOULASH] > longest[OPENING]


def test_actions_are_calls_a_person_thinks_of() -> None:
    hand = parse_hand("AKQ94.AK3.QJ7.82")
    six = parse_mask("JS 6S QH JH AC 4D")
    names = ["pass", "3NT", "4S", "5D", "6S"]
    assert action_calls(OPENING, hand, six, 0) == [parse_call(name) for name in names]
    assert action_calls(OVER, hand, six, parse_call("4H")) == [PASS, DOUBLE, parse_call("4S")]
    assert action_calls(OVER, hand, six, parse_call("7NT")) == [PASS, DOUBLE, PASS]


def test_the_rule_that_is_measured_bids_what_the_sentences_say() -> None:
    assert RULES_OF[OPENING].words == "four of a major of 7 cards or more, else three no trump"
    assert RULES_OF[OVER].words == "the lowest game left in your longest suit"
    assert [RULES_OF[kind].least for kind in KINDS] == [16, 16, 14]
    assert "of equal ones that of which you hold more, then spades before hearts, diamonds, clubs. With" in TIES
    random = np.random.default_rng(2)
    for number in range(300):
        kind = KINDS[number % 3]
        hands, six, calls = draw_decision(kind, random)
        hand = int(hands[len(calls) % 3])
        standing = int(auction_of(calls)[BID])
        held = card_words(hand)
        seen = [*card_words(hand), *card_words(six)]
        shown = {
            suit: (sum(card[1] == suit for card in seen), sum(card[1] == suit for card in held)) for suit in "SHDC"
        }
        points = sum("JQKA".index(card[0]) + 1 for card in seen if card[0] in "JQKA")
        if kind == OVER:
            suit = max(shown, key=shown.__getitem__)
            games = [parse_call(f"{level}{suit}") for level in range(4 if suit in "SH" else 5, 8)]
            said = next((game for game in games if game > standing), PASS)
        else:
            major = max("SH", key=shown.__getitem__)
            said = parse_call(f"4{major}" if shown[major][0] >= 7 else "3NT")
        assert points == high_card_points(hand) + high_card_points(six)
        assert bid_of_rule(kind, hand, six, standing) == said


def test_the_reference_is_not_paid_for_luck_in_its_own_sample() -> None:
    points = np.array([[0.0, 900.0], [0.0, -100.0], [0.0, -100.0]])
    assert score_by_other_layouts(points, 3) == pytest.approx((0 - 100 - 100) / 3)  # each time by the two others


def test_players_call_by_what_they_see() -> None:
    hands, exposed, calls = draw_decision(GOULASH, np.random.default_rng(5))
    asker = len(calls) % 3
    others = [place for place in range(3) if place != asker]
    swapped = hands.copy()
    swapped[others] = hands[others[::-1]]
    for name in ("novice", "pimc"):
        assert call_of(name, hands, exposed, calls, 1) == call_of(name, swapped, exposed, calls, 1)


def test_a_contract_of_their_own_is_doubled_as_often_as_is_expected() -> None:
    dealt = np.zeros((4, 4), dtype=np.int64)
    for number, hands in enumerate(dealt):
        deal_singly(np.random.default_rng(number).permutation(52), hands)
    bid = parse_call("3NT")
    vulnerable = np.array([0, 1, 0])
    made = set()
    outcomes = Outcomes(dealt, 0)
    rules = TowieOptions().rules()
    for doubling, declarer in ((1, 1), (1, 2), (2, 1)):
        contracts = np.array([[bid, doubling, declarer]] * len(dealt))
        twice = np.array([[bid, 2, declarer]] * len(dealt))
        points = outcomes.points(contracts, 1, vulnerable, rules, (0.25, 0.75))
        alone = (outcomes.points(these, 1, vulnerable, rules) for these in (contracts, twice))
        for found, plain, doubled in zip(points, *alone, strict=True):
            made.add(bool(doubled > plain))
            share = 0.0 if declarer == 2 or doubling == 2 else 0.25 if doubled > plain else 0.75
            assert found == pytest.approx((1 - share) * plain + share * doubled)
    assert made == {True, False}


@pytest.mark.slow
def test_the_study_says_what_rules_cost(tmp_path: Path) -> None:
    sizes = ["chunks=2", "decisions=2", "layouts=3"]
    study = STUDIES["bidding-accuracy"]
    result = run_study(study, tmp_path / "rules", seed=2, jobs=1, quiet=True, parameters=parse_parameters(study, sizes))
    rules = result.tables["rules"]
    decisions = result.tables["decisions"]
    assert len(decisions) == 12 and set(rules["kind"]) == set(KINDS)
    over = decisions[decisions["kind"] == OVER]
    assert (rules["rule"] == DOUBLER).sum() == 1
    of_kind = rules[rules["kind"] == OVER].set_index("rule")["gain"]
    assert of_kind["novice"] == pytest.approx((over["novice"] - over[PASSING]).mean())
    bids = over["points"] + over["six_points"] >= RULES_OF[OVER].least
    assert of_kind["the rule"] == pytest.approx(((over[BID_OF_RULE] - over[PASSING]) * bids).mean())
    single = result.tables["single"]
    assert single["kind"].tolist() == list(KINDS) and (single["n"] == 4).all()
    for row in decisions.itertuples():
        rule = RULES_OF[row.kind]
        bids = row.points + row.six_points >= rule.least
        assert (row.said == "pass") or bids
        assert row.seems >= 0  # the best call of the layouts that chose it
