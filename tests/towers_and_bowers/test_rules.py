"""Rule kernels of Towers & Bowers against naive twins, results of hands, packets."""

from __future__ import annotations

import ast
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.oracles import naive
from tests.oracles.replayed_deals import OPTIONS_OF_A_HAND
from towerlab.games.cards import DECK_24, SUITS, card_text, cards_mask, mask_cards, parse_suit
from towerlab.games.towers_and_bowers import (
    BIDDER_DEALS,
    BIDDER_SWEEPS,
    DEFAULT_RULES,
    DEFENDER_DEALS,
    DEFENDER_SWEEPS,
    HandRules,
    TowersAndBowersOptions,
    card_led_wins,
    hand_is_over,
    hand_result,
    is_renege,
    legal_replies,
    majority,
    packet_schedules,
    result_value,
    tricks_to_deal_next,
)

RESULTS = {  # of the naive twin, as codes
    naive.Result(True, True): BIDDER_SWEEPS,
    naive.Result(False, True): DEFENDER_SWEEPS,
    naive.Result(True, False): BIDDER_DEALS,
    naive.Result(False, False): DEFENDER_DEALS,
}


def all_hand_rules() -> list[HandRules]:
    """Every combination of the options of a hand."""
    values = itertools.product(*OPTIONS_OF_A_HAND.values())
    return [TowersAndBowersOptions(**dict(zip(OPTIONS_OF_A_HAND, chosen, strict=True))).hand_rules for chosen in values]


# ---------------------------------------------------------------------------------------- following (TB-V1 .. TB-V5)


@given(
    st.permutations(mask_cards(DECK_24)).flatmap(lambda pack: st.tuples(st.just(pack), st.integers(1, 7))),
    st.sampled_from("SHDC"),
)
def test_tb_18_tb_22_kernels_equal_the_naive_rules(dealt: tuple[list[int], int], trump: str) -> None:
    pack, size = dealt
    hand = pack[:size]
    led = pack[-1]
    words = naive.legal_replies(frozenset(map(card_text, hand)), card_text(led), trump)
    legal = legal_replies(cards_mask(hand), 1 << led, parse_suit(trump))
    assert sorted(map(card_text, mask_cards(legal))) == words
    for card in hand:
        arguments = (cards_mask(hand), 1 << led, 1 << card, parse_suit(trump))
        assert is_renege(*arguments) == (card_text(card) not in words)


def test_tb_19_every_trick_of_two_cards_is_won_as_the_naive_rules_say() -> None:
    for trump in SUITS:
        for led, reply in itertools.permutations(mask_cards(DECK_24), 2):
            expected = naive.leader_wins(card_text(led), card_text(reply), trump)
            assert card_led_wins(1 << led, 1 << reply, parse_suit(trump)) == expected, (led, reply, trump)


# ----------------------------------------------------------------------------------------------- results of a hand


def test_tb_13_majority() -> None:
    assert [majority(n) for n in range(7, 0, -1)] == [4, 4, 3, 3, 2, 2, 1]


@pytest.mark.parametrize(
    "n, bidder_tricks, result",
    [
        pytest.param(7, 4, BIDDER_DEALS, id="n7-4-3"),
        pytest.param(6, 3, DEFENDER_DEALS, id="n6-3-3"),
        pytest.param(7, 0, DEFENDER_SWEEPS, id="n7-0-7"),
        pytest.param(2, 1, DEFENDER_DEALS, id="n2-1-1"),
        pytest.param(1, 1, BIDDER_SWEEPS, id="n1-1-0"),
        pytest.param(4, 2, DEFENDER_DEALS, id="n4-2-2"),
    ],
)
def test_tb_20_results_of_hands(n: int, bidder_tricks: int, result: int) -> None:
    assert hand_result(n, bidder_tricks, DEFAULT_RULES) == result


def test_tb_20_tb_21_results_and_early_stops_equal_the_naive_rules_under_every_option() -> None:
    for rules, n in itertools.product(all_hand_rules(), range(1, 8)):
        deals_next = []
        for bidder in range(n + 1):
            expected = RESULTS[naive.hand_result(n, bidder, rules)]
            assert hand_result(n, bidder, rules) == expected, (n, bidder, rules)
            deals_next.append(expected in (BIDDER_SWEEPS, BIDDER_DEALS))
            for defender in range(n - bidder + 1):
                is_over = naive.hand_is_over(n, bidder, defender, rules)
                assert hand_is_over(n, bidder, defender, rules) == is_over, (n, bidder, defender, rules)
        assert tricks_to_deal_next(n, rules) == deals_next.index(True)


def test_every_option_of_a_hand_is_read_by_a_naive_twin() -> None:
    twins = ("tests/oracles/naive.py", "tests/oracles/naive_upcard.py")
    trees = (ast.parse((ROOT / name).read_text(encoding="utf-8")) for name in twins)
    read = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for name in HandRules._fields:
        assert name in read, (
            f"no naive twin reads rules.{name}; expected it in hand_result or hand_is_over of {twins[0]}, or, of an "
            f"option of the bidding or the discard, in OpenGame of {twins[1]}"
        )


def test_tb_21_early_stop_is_off_where_reneges_are_enforced() -> None:
    assert hand_is_over(7, 4, 1, DEFAULT_RULES)
    assert not hand_is_over(7, 4, 1, TowersAndBowersOptions(renege_mode="enforced").hand_rules)


def test_tb_20_values_of_results_are_towers_and_the_worth_of_dealing_next() -> None:
    deal_value = 0.55
    bidder = [result_value(result, True, deal_value) for result in range(4)]
    defender = [result_value(result, False, deal_value) for result in range(4)]
    assert bidder == pytest.approx([1.0, 0.0, 0.55, 0.45])
    assert defender == pytest.approx([0.0, 1.0, 0.45, 0.55])


# ------------------------------------------------------------------------------------------------------ the dealing


@pytest.mark.parametrize("n", range(1, 8))
def test_tb_8_packets_are_of_two_or_three_cards_but_of_a_last_card(n: int) -> None:
    every = {packets for count in range(1, 4) for packets in itertools.product((2, 3), repeat=count)}
    assert set(packet_schedules(n)) == ({packets for packets in every if sum(packets) == n} or {(1,)})
