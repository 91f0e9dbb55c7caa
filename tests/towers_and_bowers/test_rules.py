"""Rule kernels of Towers & Bowers against naive twins, results of hands, packets."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import naive
from towerlab.games.cards import (
    DECK_24,
    SUITS,
    card_text,
    cards_mask,
    mask_cards,
    parse_suit,
)
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
    result_is_settled,
    result_value,
    tricks_to_deal_next,
)

TIES_WON = TowersAndBowersOptions(tie_to="bidder").hand_rules

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


@pytest.mark.parametrize("n", range(1, 8))
def test_tb_20_option_tie_to_bidder_changes_even_splits_only(n: int) -> None:
    for taken in range(n + 1):
        tied = hand_result(n, taken, TIES_WON)
        usual = hand_result(n, taken, DEFAULT_RULES)
        if 2 * taken == n:
            assert (tied, usual) == (BIDDER_DEALS, DEFENDER_DEALS)
        else:
            assert tied == usual
    assert tricks_to_deal_next(n, TIES_WON) == (n + 1) // 2


@pytest.mark.parametrize("rules", [DEFAULT_RULES, TIES_WON])
def test_tb_21_settled_exactly_when_every_ending_has_one_result(rules: HandRules) -> None:
    for n in range(1, 8):
        for bidder in range(n + 1):
            for defender in range(n - bidder + 1):
                left = n - bidder - defender
                endings = {hand_result(n, bidder + more, rules) for more in range(left + 1)}
                settled = result_is_settled(n, bidder, defender, rules)
                assert settled == (len(endings) == 1), (n, bidder, defender)
                if settled:
                    assert endings == {hand_result(n, bidder, rules)}


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


# --------------------------------------------------------------------------------------------- kernels and options


def test_tb_21_early_stop_is_off_where_reneges_are_enforced() -> None:
    assert hand_is_over(7, 4, 1, DEFAULT_RULES)
    assert not hand_is_over(7, 4, 1, TowersAndBowersOptions(early_stop=False).hand_rules)
    assert not hand_is_over(7, 4, 1, TowersAndBowersOptions(renege_mode="enforced").hand_rules)
