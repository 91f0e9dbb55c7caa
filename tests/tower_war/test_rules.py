"""Tower War: every worked situation by its id, and the battle kernels against the naive oracle."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from tests.oracles import naive_tower_war as naive
from towerlab.games.cards import parse_mask
from towerlab.games.tower_war import TowerWarOptions, rules
from towerlab.games.tower_war.records import parse_played, pile_splits, pyramid_offers
from towerlab.games.tower_war.rules import (
    FOLLOWER,
    IS_DOUBLE,
    LEADER,
    NO_SIDE,
    TOTAL,
    VALUE,
    battle_loser,
    battle_outcome,
    outcome_adder,
    outcome_loser,
    profile_of,
    skirmish_adder,
    skirmish_winner,
)

SIDES = {"leader": LEADER, "follower": FOLLOWER, None: NO_SIDE}
L = rules.LARGE
M = rules.MEDIUM
S = rules.SMALL


def profile(text: str):
    return profile_of(parse_played(text)[1])


def values(text: str) -> list[int]:
    return [int(value) for value in profile(text)[VALUE : VALUE + 3]][: len(text.split())]


# ----------------------------------------------------------------------------------------------- worked situations


@pytest.mark.parametrize(
    ("lead", "follow", "tens_only", "worth", "totals", "winners", "adders"),
    [
        pytest.param("JS", "AD", False, ([10], [10]), (10, 10), "f", "l", id="tw-v1 of equal points the ace wins"),
        pytest.param("AC KD", "9H 2H", False, ([10, 10], [9, 18]), (20, 18), "lf", "fl", id="tw-v2 a suit multiplies"),
        pytest.param("TC 8C 5C", "2D", False, ([10, 80, 400], [2]), (400, 2), "lll", "fff", id="tw-v3 cumulative"),
        pytest.param("TS TD", "9H 5H", False, ([10, 10], [9, 45]), (20, 45), "lf", "f-", id="tw-v4 a double"),
        pytest.param("AH TC 6C", "9S 4S 2S", False, ([10, 10, 60], [9, 36, 72]), (70, 72), "lff", "fll", id="tw-v5"),
        pytest.param("TC 9C X1:TC", "2D", False, ([10, 90, 900], [2]), (900, 2), "lll", "fff", id="tw-v7 a joker"),
        pytest.param("TC X1:TC X2:TC", "2C 2D 2H", False, ([10, 100, 1000], [2, 2, 2]), (1000, 6), "lll", "f--",
                     id="tw-v8 the most and the least"),
        pytest.param("7S", "7D", False, ([7], [7]), (7, 7), "-", "-", id="tw-v9 same value and rank"),
        pytest.param("9H 2H", "6C 3C", False, ([9, 18], [6, 18]), (18, 18), "lf", "fl", id="tw-v10 rank breaks a tie"),
        pytest.param("9H 2H", "6C 3C", True, ([9, 18], [6, 18]), (18, 18), "l-", "f-", id="tw-v10 tens only"),
    ],
)  # fmt: skip
def test_tw_12_to_17_cards_count_win_and_add_as_in_the_vector(lead, follow, tens_only, worth, totals, winners, adders):
    leader, follower = profile(lead), profile(follow)
    assert (values(lead), values(follow)) == worth
    assert (leader[TOTAL], follower[TOTAL]) == totals
    for k, (winner, adder) in enumerate(zip(winners, adders, strict=True)):
        assert skirmish_winner(leader, follower, k, tens_only) == "lf-".index(winner)
        assert skirmish_adder(leader, follower, k, tens_only) == "lf-".index(adder)
    assert battle_loser(leader, follower) == (NO_SIDE if totals[0] == totals[1] else int(totals[0] > totals[1]))
    for side, played in ((leader, lead), (follower, follow)):
        ranks = [card.split(":")[-1][0] for card in played.split()]
        assert list(side[IS_DOUBLE : IS_DOUBLE + len(ranks)]) == [rank in ranks[:k] for k, rank in enumerate(ranks)]


@pytest.mark.parametrize(
    ("action", "size", "levels", "expected"),
    [(rules.PLACE, S, 3, 0.0142968), (rules.PLACE, L, 10, 0.0353597), (rules.STACK, M, 3, 0.0295545)],
)
def test_tw_w12_the_hazards_of_rules_2_4_each_player_having_hands_of_their_own(action, size, levels, expected):
    hazard = TowerWarOptions(kappa_two=3.0).hazard()
    for player, chance in enumerate((expected, 1 - (1 - expected) ** 3)):
        assert rules.fall_probability(hazard, player, action, size, levels) == pytest.approx(chance, abs=2e-7)
        assert rules.fall_chances(hazard)[player, action, size, levels] == pytest.approx(chance, abs=2e-7)


def test_tw_21_every_factor_of_a_hazard_is_the_option_of_its_name():
    options = TowerWarOptions(
        kappa_one=0.5, kappa_two=1.5, alpha_place=0.01, alpha_remove=0.02, alpha_stack=0.04, sigma_large=0.7,
        sigma_medium=1.1, sigma_small=1.3, beta=0.8,
    )  # fmt: skip
    values = rules.fall_chances(options.hazard())
    hands = (options.kappa_one, options.kappa_two)
    handled = (options.alpha_place, options.alpha_remove, options.alpha_stack)
    sizes = (options.sigma_large, options.sigma_medium, options.sigma_small)
    for player, action, size in itertools.product(range(2), range(3), range(3)):
        for levels in (1, 4, 10):
            rate = hands[player] * handled[action] * sizes[size] * levels**options.beta
            assert values[player, action, size, levels] == pytest.approx(1 - np.exp(-rate))


def test_tw_w12_ten_levels_of_medium_survive_with_thirty_percent():
    values = rules.fall_chances(TowerWarOptions().hazard())
    standing = np.prod(
        [(1 - values[0, rules.PLACE, M, k]) ** 3 * (1 - values[0, rules.STACK, M, k]) for k in range(1, 11)]
    )
    assert -np.log(standing) == pytest.approx(1.21)
    assert standing == pytest.approx(0.298, abs=0.001)


# -------------------------------------------------------------------------------------------- kernels == naive oracle


@pytest.mark.parametrize("tens_only", [False, True])
def test_tw_12_to_18_the_battle_kernels_equal_the_naive_battle(tens_only):
    dice = random.Random(8)
    jokers = ties = 0
    for _ in range(4_000):
        lead, follow = naive.random_battle(dice)
        leader, follower = profile(" ".join(lead)), profile(" ".join(follow))
        for k in range(3):
            assert leader[VALUE + k] == naive.value_when_played(lead, k), lead
            assert bool(follower[IS_DOUBLE + k]) == naive.is_double(follow, k), follow
            winner = naive.winner(lead, follow, k, tens_only)
            assert skirmish_winner(leader, follower, k, tens_only) == SIDES[winner], (lead, follow)
            assert skirmish_adder(leader, follower, k, tens_only) == SIDES[naive.adder(lead, follow, k, tens_only)]
        assert (leader[TOTAL], follower[TOTAL]) == (naive.total(lead), naive.total(follow))
        code = battle_outcome(leader, follower, tens_only)
        assert outcome_loser(code) == SIDES[naive.loser_of_battle(lead, follow)]
        assert [outcome_adder(code, k) for k in range(3)] == [
            SIDES[naive.adder(lead, follow, k, tens_only)] for k in range(3)
        ]
        jokers += "X" in str(lead + follow)
        ties += naive.winner(lead, follow, 2, tens_only) is None
    assert jokers > 800 and ties > 20  # the sample holds what it is meant to test


# --------------------------------------------------------------------------------------------------- rule by rule


def test_tw_3_five_cards_have_fifteen_splits():
    splits = pile_splits(parse_mask("AH TC 6C 9S 2D"))
    assert len({frozenset(split) for split in splits}) == 15
    assert sum(pile.bit_count() in (2, 3) for pile, _ in splits) == 10


def test_tw_6_a_full_third_stash_has_216_offers():
    assert len(set(pyramid_offers((5, 5, 5)))) == 216
    assert pyramid_offers((0, 0, 0)) == [(0, 0, 0)]
