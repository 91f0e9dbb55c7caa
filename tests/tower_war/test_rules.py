"""Tower War, RULES 2: every vector of 2.6 by its id, and the battle kernels against the naive oracle."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from tests.oracles import naive_tower_war as naive
from towerlab.games.cards import DECK_54, cards_mask, mask_cards, parse_card, parse_mask
from towerlab.games.errors import CardError, IllegalAction, OptionError
from towerlab.games.tower_war import TowerWar, TowerWarOptions, seats, tower
from towerlab.games.tower_war.battle import (
    DOUBLE,
    FOLLOWER,
    LEADER,
    NOBODY,
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
from towerlab.games.tower_war.draft import pile_splits, pyramid_offers
from towerlab.games.tower_war.notation import parse_played

SIDES = {"leader": LEADER, "follower": FOLLOWER, None: NOBODY}
L, M, S = tower.LARGE, tower.MEDIUM, tower.SMALL


def profile(text: str):
    return profile_of(parse_played(text)[1])


def values(text: str) -> list[int]:
    return [int(value) for value in profile(text)[VALUE : VALUE + 3]][: len(text.split())]


def war(deck_one: str, deck_two: str, **options) -> TowerWar:
    """A war between two decks of any size whose chances are told."""
    game = TowerWar(TowerWarOptions(**options))
    game.decks([parse_mask(deck, DECK_54) for deck in (deck_one, deck_two)])
    return game


def draw_both(game: TowerWar, one: str, two: str) -> None:
    for _ in range(2):
        game.draw([parse_card(card) for card in (one, two)[game.state().player].split()])


def sheet_battle(**options) -> TowerWar:
    """The sheet's example up to its first pyramid, which the follower adds."""
    game = war("AH TC 6C", "9S 4S 2S", deck_size=3, **options)
    draw_both(game, "AH TC 6C", "9S 4S 2S")
    assert play(game, "AH", "9S") == 1
    return game


def play(game: TowerWar, *cards: str) -> int | None:
    """Play cards, and who has to add a pyramid then."""
    for text in cards:
        card, _, copied = text.partition("=")
        game.play(parse_card(card), parse_card(copied) if copied else None)
    return game.to_act if game.phase == "ADD" else None


# ----------------------------------------------------------------------------------------------- vectors of RULES 2.6


@pytest.mark.parametrize(
    ("lead", "follow", "tens_only", "worth", "totals", "winners", "adders"),
    [
        pytest.param("JS", "AD", False, ([10], [10]), (10, 10), "f", "l", id="tw-v1 of equal points the ace wins"),
        pytest.param("AC KD", "9H 2H", False, ([10, 10], [9, 18]), (20, 18), "lf", "fl", id="tw-v2 a suit multiplies"),
        pytest.param("TC 8C 5C", "2D", False, ([10, 80, 400], [2]), (400, 2), "lll", "fff", id="tw-v3 cumulative"),
        pytest.param("TS TD", "9H 5H", False, ([10, 10], [9, 45]), (20, 45), "lf", "f-", id="tw-v4 a double"),
        pytest.param("AH TC 6C", "9S 4S 2S", False, ([10, 10, 60], [9, 36, 72]), (70, 72), "lff", "fll", id="tw-v5"),
        pytest.param("TC 9C X1=TC", "2D", False, ([10, 90, 900], [2]), (900, 2), "lll", "fff", id="tw-v7 a joker"),
        pytest.param("TC X1=TC X2=TC", "2C 2D 2H", False, ([10, 100, 1000], [2, 2, 2]), (1000, 6), "lll", "f--",
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
    assert battle_loser(leader, follower) == (NOBODY if totals[0] == totals[1] else int(totals[0] > totals[1]))
    for side, played in ((leader, lead), (follower, follow)):
        ranks = [card.split("=")[-1][0] for card in played.split()]
        assert list(side[DOUBLE : DOUBLE + len(ranks)]) == [rank in ranks[:k] for k, rank in enumerate(ranks)]


def test_tw_v6_the_whole_battle_of_v5():
    game = sheet_battle()
    game.add(M, falls=False)
    assert play(game, "TC", "4S") == 0
    game.add(M, falls=False)
    assert play(game, "6C", "2S") == 0
    game.add(M, falls=False)
    assert (game.phase, game.state().player, game.tower_array()[tower.TOP_COUNT]) == ("CAP", 0, 3)
    assert all(game.can_cap(parse_card(card)) for card in ("AH", "TC", "6C"))
    game.cap(parse_card("6C"), falls=False)
    assert list(game.tower_array()[tower.STASH : tower.STASH + 6]) == [5, 3, 5, 5, 4, 5]
    assert [int(mask).bit_count() for mask in game.seats_array()[:, seats.DISCARD]] == [2, 3]
    assert (game.tower_array()[tower.LEVELS], game.tower_array()[tower.TOP_COUNT], game.state().leader) == (2, 0, 1)


def test_tw_v11_equal_totals_return_every_pyramid():
    game = war("7S 8H 9D", "TC 9H 5S", deck_size=3)
    draw_both(game, "7S 8H 9D", "TC 9H 5S")
    for lead, reply in (("7S", "TC"), ("8H", "9H"), ("9D", "5S")):
        play(game, lead, reply)
        game.add(M, falls=False)
    assert [int(game.profile(player)[TOTAL]) for player in (0, 1)] == [24, 24]
    built = game.tower_array()
    assert (list(built[tower.PLACED : tower.PLACED + 2]), built[tower.TOP_COUNT]) == ([2, 1], 3)
    for player in (0, 0, 1):
        assert game.to_act == player
        game.take_back(falls=False)
    built = game.tower_array()
    assert list(built[tower.STASH : tower.STASH + 6]) == [5] * 6
    assert (built[tower.LEVELS], built[tower.TOP_COUNT], built[tower.TOP_SIZE]) == (1, 0, tower.EMPTY)
    assert [int(mask).bit_count() for mask in game.seats_array()[:, seats.DISCARD]] == [3, 3]
    assert (game.state().battle, game.state().leader) == (2, 1)


def test_tw_v12_without_the_size_of_the_level_the_loser_loses_the_war():
    game = TowerWar(TowerWarOptions(deck_size=3))
    game.decks([parse_mask("AH TC 6C"), parse_mask("9S 4S 2S")], ((5, 5, 0), (5, 5, 5)))
    draw_both(game, "AH TC 6C", "9S 4S 2S")
    play(game, "AH", "9S")
    game.add(S, falls=False)
    assert tower.addable_sizes(game.tower_array(), 0) == 0
    play(game, "TC", "4S")
    assert (game.phase, game.state().loser, game.result.winner, game.result.reason) == ("OVER", 0, 1, "stash")


def test_tw_v13_a_deck_of_two_is_drawn_before_the_discards_are_shuffled():
    cards = mask_cards(parse_mask("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"))
    table = seats.new_seats(cards_mask(cards[:2]), 0)
    table[0, seats.DISCARD] = cards_mask(cards[2:])
    seats.start_drawing(table, 0)
    for card in (cards[0], cards[1]):
        assert int(seats.drawable_cards(table, 0)) & (1 << card)
        assert not int(seats.drawable_cards(table, 0)) & cards_mask(cards[2:])
        seats.draw_card(table, 0, card)
    assert int(seats.drawable_cards(table, 0)) == cards_mask(cards[2:])
    seats.draw_card(table, 0, cards[5])
    assert [int(table[0, place]).bit_count() for place in (seats.DECK, seats.DISCARD, seats.HAND)] == [9, 0, 3]
    assert (int(table[0, seats.SURE]), int(table[0, seats.SOURCE])) == (cards_mask(cards[:2]), cards_mask(cards[2:]))


@pytest.mark.parametrize(
    ("action", "size", "levels", "expected"),
    [(tower.PLACE, S, 3, 0.0142968), (tower.PLACE, L, 10, 0.0353597), (tower.STACK, M, 3, 0.0295545)],
)
def test_tw_w12_the_hazards_of_rules_2_4(action, size, levels, expected):
    assert tower.fall_probability(TowerWarOptions().hazard(), 0, action, size, levels) == pytest.approx(
        expected, abs=5e-8
    )
    assert tower.fall_table(TowerWarOptions().hazard())[0, action, size, levels] == pytest.approx(expected, abs=5e-8)


def test_tw_w12_each_player_has_hands_of_their_own():
    hazard = TowerWarOptions(kappa_one=2.0, kappa_two=3.0).hazard()
    for player, kappa in enumerate((2.0, 3.0)):
        expected = 1 - (1 - 0.0142968) ** kappa
        assert tower.fall_probability(hazard, player, tower.PLACE, S, 3) == pytest.approx(expected, abs=5e-7)
        assert tower.fall_table(hazard)[player, tower.PLACE, S, 3] == pytest.approx(expected, abs=5e-7)


def test_tw_w12_ten_levels_of_medium_survive_with_thirty_percent():
    table = tower.fall_table(TowerWarOptions().hazard())
    standing = np.prod(
        [(1 - table[0, tower.PLACE, M, k]) ** 3 * (1 - table[0, tower.STACK, M, k]) for k in range(1, 11)]
    )
    assert -np.log(standing) == pytest.approx(1.21)
    assert standing == pytest.approx(0.298, abs=0.001)


@pytest.mark.parametrize("options", [{"kappa_one": 0.0, "kappa_two": 0.0}, {"collapse": "none"}])
def test_tw_w12_nothing_falls_without_hazard(options):
    assert not tower.fall_table(TowerWarOptions(**options).hazard()).any()
    game = sheet_battle(**options)
    assert not game.can_add(M, falls=True)
    assert game.can_add(M, falls=False)


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
            assert bool(follower[DOUBLE + k]) == naive.is_double(follow, k), follow
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


FIVE = "AH TC 6C 9S 2D"


def dealt_game(**options) -> TowerWar:
    game = TowerWar(TowerWarOptions(**options))
    game.deal(parse_mask(FIVE))
    return game


def piles(*texts: str) -> list[int]:
    return [parse_mask(text) for text in texts]


def assert_illegal(rule: str, act: Callable[..., object], *arguments: object) -> None:
    with pytest.raises(IllegalAction) as caught:
        act(*arguments)
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("rule", "split", "pyramids", "advanced"),
    [
        *(("TW-3", both, (0, 0, 0), False) for both in (("", FIVE), (FIVE, ""), ("AH KS", "TC 6C 9S 2D"))),
        ("TW-6", ("AH", "TC 6C 9S 2D"), (1, 0, 0), False),
        ("TW-6", ("AH", "TC 6C 9S 2D"), (6, 0, 0), True),
    ],
)
def test_tw_3_and_6_piles_hold_the_five_cards_and_pyramids_come_from_the_third_stash(rule, split, pyramids, advanced):
    assert_illegal(rule, dealt_game(advanced=advanced).split, piles(*split), pyramids, 0)


def test_tw_3_the_splitter_gets_the_other_pile_and_turns_alternate():
    game = dealt_game()
    assert game.to_act == 0
    game.split(piles("AH TC", "6C 9S 2D"))
    assert game.to_act == 1
    game.take(1)
    assert game.state().pools == (parse_mask("AH TC"), parse_mask("6C 9S 2D"))
    game.deal(parse_mask("AS KS QS JS TS"))
    assert game.state().player == 1


def test_tw_6_pyramids_beside_a_pile_go_to_its_taker():
    game = dealt_game(advanced=True)
    game.split(piles("AH", "TC 6C 9S 2D"), (1, 0, 2), 0)
    game.take(0)
    assert game.state().stashes == ((5, 5, 5), (6, 5, 7))
    assert game.state().third_stash == (4, 5, 3)


def test_tw_7_a_deck_is_fifteen_cards_of_the_own_pool():
    game, rng = TowerWar(), np.random.default_rng(5)
    while game.phase != "BUILD":
        game.apply(game.chance(rng) if game.to_act is None else game.legal()[-1])
    assert game.state().undealt.bit_count() == 4
    pool, other = (mask_cards(mask) for mask in game.state().pools)
    assert_illegal("TW-7", game.build, 0, cards_mask(pool[:14]))
    assert_illegal("TW-7", game.build, 0, cards_mask([*pool[:14], other[0]]))
    game.build(1, cards_mask(other[:15]))
    assert_illegal("TW-7", game.build, 1, cards_mask(other[:15]))
    game.build(0, cards_mask(pool[:15]))
    assert (game.phase, game.state().player, game.state().unused[0].bit_count()) == ("DRAW", 0, len(pool) - 15)


def test_tw_8_the_leader_alternates_and_leads_all_three_skirmishes():
    game = war("7S 8H 9D", "7D 8S 9H", deck_size=3)
    for leader in (0, 1, 0):
        draw_both(game, "7S 8H 9D", "7D 8S 9H")
        for lead, reply in (("7S", "7D"), ("8H", "8S"), ("9D", "9H")):
            assert game.state().player == leader
            play(game, *((lead, reply) if leader == 0 else (reply, lead)))
    assert game.state().battle == 4


def test_tw_9_only_cards_of_the_own_deck_are_drawn():
    game = war("7S 8H 9D 2C", "7D 8S 9H 3C", deck_size=4)
    assert_illegal("TW-9", game.draw, [parse_card("7D")])
    assert_illegal("TW-9", game.draw, [parse_card("7S"), parse_card("8H")])
    assert_illegal("TW-10", game.play, parse_card("7S"))


def test_tw_13_a_joker_is_never_first_and_copies_what_was_played():
    game = war("7S 8H X1", "7D 8S 9H", deck_size=3)
    draw_both(game, "7S 8H X1", "7D 8S 9H")
    assert_illegal("TW-13", game.play, parse_card("X1"))
    play(game, "7S", "7D")
    assert_illegal("TW-13", game.play, parse_card("X1"), parse_card("8H"))
    assert game.can_play(parse_card("X1"))  # only one card to copy: it need not be named
    play(game, "8H", "8S")
    assert_illegal("TW-13", game.play, parse_card("X1"))
    assert play(game, "X1=8H", "9H") == 1  # 8 of hearts twice: 64


def test_tw_15_the_size_of_a_level_is_fixed_by_its_first_pyramid():
    game = sheet_battle()
    game.add(L, falls=False)
    play(game, "TC", "4S")
    assert_illegal("TW-15", game.add, M)
    assert_illegal("TW-15", game.add, 7)
    game.add(L, falls=False)


def test_tw_17_only_an_own_card_of_the_battle_is_stacked():
    game = war("7S 8S 9S 2C", "2D 3H 4C 5D", deck_size=4)
    draw_both(game, "7S 8S 9S", "2D 3H 4C")
    for lead, reply in (("7S", "2D"), ("8S", "3H"), ("9S", "4C")):
        play(game, lead, reply)
        game.add(M, falls=False)
    assert_illegal("TW-17", game.cap, parse_card("5D"))
    assert_illegal("TW-17", game.cap, parse_card("9S"))
    game.cap(parse_card("3H"), falls=False)
    assert int(game.seats_array()[1, seats.BUILT]) == parse_mask("3H")


def test_tw_17_the_loser_fills_an_empty_level_with_one_size():
    game = war("7S 7H 7D", "8S 8H X1", deck_size=3)
    draw_both(game, "7S 7H 7D", "8S 8H X1")
    play(game, "7S", "8S")
    game.add(S, falls=False)
    assert play(game, "7H", "8H") is None  # doubles lose without adding
    play(game, "7D", "X1=8S")
    assert (game.phase, game.state().player) == ("ADD", 0)
    assert not game.can_add(M)
    game.add(S, falls=False)
    game.add(S, falls=False)
    assert game.phase == "CAP"


def test_tw_21_who_lets_it_fall_loses():
    game = sheet_battle()
    game.add(M, falls=True)
    assert (game.phase, game.result.winner, game.result.reason) == ("OVER", 0, "fall")
    assert_illegal("TW-10", game.play, parse_card("TC"))


def test_w5_two_jokers_and_no_other_card_forfeit_the_battle():
    game = war("X1 X2", "2C 3D 4H", collapse="none")
    draw_both(game, "X1 X2", "2C 3D 4H")
    for card in ("2C", "3D", "4H"):
        assert game.state().player == 1
        assert play(game, card) == 0  # who has nothing to play has lost the skirmish
        game.add(L)
    assert (game.phase, int(game.seats_array()[0, seats.HAND])) == ("CAP", parse_mask("X1 X2", DECK_54))


def test_w6_a_short_hand_plays_on_or_loses():
    game = war("AS KH", "2C 3D 4H", collapse="none")
    draw_both(game, "AS KH", "2C 3D 4H")
    play(game, "AS", "2C")
    game.add(L)
    play(game, "KH", "3D")
    game.add(L)
    assert game.state().player == 1  # nothing left to lead: the third skirmish is forfeited
    assert play(game, "4H") == 0
    game = war("AS KH", "2C 3D 4H", short_hand="lose")
    game.draw([parse_card("AS"), parse_card("KH")])
    assert (game.state().loser, game.result.reason) == (0, "short")


def test_w13_a_war_of_ties_is_drawn():
    game = war("7S", "7H", max_battles=2)
    for _ in range(2):
        draw_both(game, "7S", "7H")
        play(game, *(("7S", "7H") if game.state().leader == 0 else ("7H", "7S")))
    assert (game.phase, game.state().loser, game.result.reason) == ("OVER", None, "battles")


@pytest.mark.parametrize(("one", "two", "rule"), [("AS KS", "AS QS", "TW-1"), ("AS KS QS JS", "2C", "TW-7")])
def test_decks_that_cannot_be_are_refused(one, two, rule):
    with pytest.raises(CardError, match=rule):
        war(one, two, deck_size=3)


@pytest.mark.parametrize("option", [{"tie_break": "ranks"}, {"kappa_one": -1.0}])
def test_options_out_of_range_are_refused(option):
    with pytest.raises(OptionError, match=next(iter(option))):
        TowerWarOptions(**option)
