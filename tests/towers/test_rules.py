"""The rules of Towers: the vectors of RULES 4.6 and 4.7, legality, boards that cannot stand."""

from __future__ import annotations

import pytest
from towerlab.analysis.towers import step
from towerlab.games.errors import CardError, TowerlabError
from towerlab.games.options import OptionError
from towerlab.games.towers import Board, StandingError, TowersOptions, resolve_play

SHEET = "J Qb | K Qb Kb | 9 7 Kb K | -"
SHEET_AND_4 = "J Qb | K Qb Kb | 9 7 Kb K | 4"


def assert_play(board, play, after, collected, log, **options):
    """One play gives this board, these points and these steps of the log after the pair."""
    answer = step(board, play=play, options=TowersOptions(**options))
    assert answer.legal, answer.reason
    rank = play.partition(":")[0]
    assert (str(answer.after), " ".join(answer.collected)) == (after, collected)
    assert answer.removed == (rank, rank)
    assert [(entry.step, " ".join(entry.cards)) for entry in answer.log] == [("match", f"{rank} {rank}"), *log]


def assert_raze(board, column, after, removed, collected, log):
    answer = step(board, raze=column)
    assert (str(answer.after), " ".join(answer.removed), " ".join(answer.collected)) == (after, removed, collected)
    assert [(entry.step, " ".join(entry.cards)) for entry in answer.log] == [("raze", removed), *log]


# ---------------------------------------------------------------------------------------------------------- vectors


def test_tr_v1_sheet_example():
    assert_play(SHEET, "J:4", "- | K Kb | 9 Kb K | -", "Q 7", [("landing", "Q"), ("crushing", "7")])


def test_tr_v1_board_is_reached_by_legal_plays():
    board = Board.parse("- | - | - | -")
    for place, value in ((0, 11), (1, 13), (2, 9), (2, 7), (4, 12), (5, 13), (2, 13)):
        board = resolve_play(board, place, value, TowersOptions()).after
    assert str(board) == SHEET


def test_tr_v2_light_bridge_stays_uneven():
    assert_play("8 5 3b | Q 9 3b | K | -", "5:3", "8 3b | Q 9 3b | K | -", "", [])


def test_tr_v3_bridge_crushes_what_its_higher_end_lies_on():
    assert_play("8 5 Tb | Q 9 Tb | K | -", "5:3", "8 Tb | Q Tb | K | -", "9", [("crushing", "9")])


def test_tr_v4_bridge_lands_on_a_bridge():
    before, after = "8 2b A Kb | 9 2b 2 Kb | K Q | -", "8 2b | 9 2b 2 | K Q | -"
    assert_play(before, "A:3", after, "K", [("landing", "K")])


def test_tr_v5_no_bridge_crushes_an_ace():
    assert_play("8 5 Kb | Q A Kb | K | -", "5:3", "8 Kb | Q A Kb | K | -", "", [])


def test_tr_v5_kings_crush_an_ace_of_strength_13():
    before, after = "8 5 Kb | Q A Kb | K | -", "8 Kb | Q Kb | K | -"
    assert_play(before, "5:3", after, "A", [("crushing", "A")], ace_strength=13)


def test_tr_v6_bridge_uneven_by_two_goes_and_its_load_falls_through():
    before, after = "9 8 Jb T | K K Q Jb | - | J", "T | K K Q | - | J"
    assert_play(before, "8:4", after, "J 9", [("instability", "J"), ("support", "9")])


def test_tr_v7_equal_cards_become_level():
    assert_play("9 5 4 | K 4 | 8 | -", "5:3", "9 | K | 8 | -", "4 4", [("equal level", "4 4")])


def test_tr_v8_tower_card_meets_a_bridge():
    assert_play("9 7b | 8 7b | K | -", "7:3", "9 | 8 | K | -", "", [])


def test_tr_v9_bridge_meets_a_tower_card():
    assert_play("9 7 | K | Q | -", "7:2-3", "9 | K | Q | -", "", [])


def test_tr_v10_bridge_crushes_a_bridge():
    assert_play("9 5b | 8 5b Tb | 7 3 Tb | K", "3:4", "9 | 8 Tb | 7 Tb | K", "5", [("crushing", "5")])


def test_tr_v11_raze_and_crush():
    assert_raze(SHEET_AND_4, 1, "- | K Kb | 9 Kb K | 4", "J Q", "7", [("crushing", "7")])


def test_tr_v12_raze_and_fall_through_twice():
    assert_raze(SHEET_AND_4, 2, "J | - | K | 4", "Q K K", "7 9", [("support", "7"), ("support", "9")])


# --------------------------------------------------------------------------------------------------------- legality


@pytest.mark.parametrize(
    ("board", "play", "options", "words"),
    [
        ("A | - | - | -", "K:1", {}, None),
        ("8 | - | - | -", "8:1", {}, None),
        ("8 | - | - | -", "9:1", {}, "cannot stand on 8"),
        ("8 | - | - | -", "8:1", {"equal_supports": False}, None),  # the option is about supports, not placing
        ("9 5b | 8 5b | - | -", "2:1-2", {}, "one and the same bridge"),
        ("9 5b | 8 5b | 7 3 | -", "2:2-3", {}, None),
        ("9 5b | 8 5b | 7 4b | 6 4b", "K:2-3", {}, None),
        ("- | - | K | Q", "2:1-2", {}, "on the ground"),
        ("9 | 8 | 7 | 6", "2:1-3", {}, "not adjacent"),
        ("9 | 8 | 7 | 6", "2:4-1", {}, "only in a square"),
        ("9 | 8 | 7 | 6", "2:4-1", {"layout": "square"}, None),
        ("9 8 | 8 7 3 | - | -", "2:1-2", {}, "equal heights"),
    ],
)
def test_tr_5_legality(board, play, options, words):
    answer = step(board, play=play, options=TowersOptions(**options))
    assert answer.legal == (words is None)
    assert words is None or (words in answer.reason and "TR-" in answer.reason)


def test_tr_5_an_illegal_play_leaves_the_board_as_it_was():
    answer = step(SHEET, play="K:1")
    assert answer.before == answer.after
    assert answer.to_json()["after"] == SHEET


def test_tr_7_an_uneven_bridge_meets_its_equal_at_the_level_the_option_says():
    board = "8 3b | Q 9 3b | K | -"  # 3b lies at level 2 in column 1, at level 3 in column 2
    met = {
        option: step(board, play="3:3", options=TowersOptions(uneven_level=option)).removed
        for option in ("both", "higher", "lower")
    }
    assert met == {"both": ("3", "3"), "higher": (), "lower": ("3", "3")}


def test_tr_8_landing_may_need_both_ends_on_bridges():
    board = "8 2b A Kb | 9 2b 2 Kb | K Q | -"
    answers = {
        landing: step(board, play="A:3", options=TowersOptions(landing=landing))
        for landing in ("any_end", "both_ends_on_bridge")
    }
    assert answers["any_end"].collected == ("K",)
    assert answers["both_ends_on_bridge"].collected == ("2", "K")  # crushes the 2, then both ends lie on 2b


def test_tr_8_support_check_off_leaves_a_card_on_too_weak_a_support():
    answer = step(SHEET_AND_4, raze=2, options=TowersOptions(support_check="off"))
    assert str(answer.after) == "J | - | 9 7 K | 4"


def test_tr_8_support_check_after_bridge_loss_looks_only_at_unstable_bridges():
    options = TowersOptions(support_check="after_bridge_loss")
    assert step(SHEET_AND_4, raze=2, options=options).collected == ()
    assert step("9 8 Jb T | K K Q Jb | - | J", play="8:4", options=options).collected == ("J", "9")


@pytest.mark.parametrize(("group", "equals"), [("all", "4 4 4"), ("pair", "4 4")])
def test_tr_8_of_three_equals_one_pair_goes_if_the_option_says_so(group, equals):
    board = "Q 8 6 4 | K Tb 5 8b 4 | 9 Tb Qb 8b A 4 | J 7 Qb"
    log = step(board, raze=4, options=TowersOptions(equal_group=group)).log
    assert [(entry.step, " ".join(entry.cards)) for entry in log[1:]] == [("landing", "8"), ("equal level", equals)]


# ----------------------------------------------------------------------------------------------- boards and notation


@pytest.mark.parametrize(
    ("board", "rule", "words"),
    [
        ("9 | 8 | 7", "TR-2", "4 columns"),
        ("Kb | Kb | - | -", "TR-10", "on the ground"),
        ("9 8 7 Kb | K Kb | - | -", "TR-10", "uneven by 2"),
        ("9 8 | K 8 | - | -", "TR-10", "two equal cards level"),
        ("7 K | - | - | -", "TR-10", "rests on a weaker 7"),
        ("9 Kb | 8 Kb | K K | K K", "TR-1", "5 cards of rank K"),
        ("9 Kb | 8 | 7 | -", "TR-5", "no second end"),
        ("9 Kb | 8 | 7 Kb | -", "TR-5", "do not join"),
        ("9 Kb | 8 | 7 | 6 Kb", "TR-5", "do not join"),
        ("9 5b Kb | 8 5b Kb | - | -", "TR-5", "one and the same bridge"),
        ("9 Kb 3b | 8 3b Kb | - | -", "TR-5", "do not join"),
    ],
)
def test_boards_that_cannot_stand_name_the_rule(board, rule, words):
    with pytest.raises(StandingError, match=words) as refusal:
        Board.parse(board)
    assert refusal.value.rule == rule


@pytest.mark.parametrize("card", ["X", "1", "JS", "0", "b", "11", "Kbbb"])
def test_tr_1_unknown_cards_are_refused(card):
    with pytest.raises(CardError, match="TR-1"):
        Board.parse(f"9 {card} | - | - | -")


def test_a_bridge_over_the_last_side_of_a_square():
    square = TowersOptions(layout="square")
    assert str(Board.parse("9 Kb | 8 | 7 | 6 Kb", square)) == "9 Kb | 8 | 7 | 6 Kb"


def test_bridges_that_go_round_a_square_uphill_cannot_be_laid():
    """Each bridge lies on the one before, round all four sides: every neighbourhood stands, the whole does not."""
    with pytest.raises(StandingError, match="do not join"):
        Board.parse("K 5b 2b | Q 2b 3b | K 3b 4b | Q 4b 5b", TowersOptions(layout="square"))


@pytest.mark.parametrize("board", ["9 3b 2 3b | 8 3b A 3b | - | -", "9 3b | 8 3b | 7 6 3b | 5 2 3b"])
def test_equal_bridges_get_no_letters_where_the_columns_say_it_all(board):
    assert str(Board.parse(board)) == board


def test_equal_bridges_get_letters_where_the_columns_leave_them_open():
    board = Board.parse("9 3b | K 3b 3b | 8 7 3b | -")  # the other reading has two of the bridges level
    assert str(board) == "9 3ba | K 3ba 3bb | 8 7 3bb | -"
    assert Board.parse(str(board)) == board


def test_open_boards_are_refused_and_letters_settle_them():
    options = TowersOptions(uneven_level="higher")
    with pytest.raises(StandingError, match="letters"):
        Board.parse("9 3b | K 3b 3b | 8 3b | -", options)
    texts = ["9 3ba | K 3ba 3bb | 8 3bb | -", "9 3ba | K 3bb 3ba | 8 3bb | -"]
    boards = [Board.parse(text, options) for text in texts]
    assert boards[0] != boards[1]
    assert [str(board) for board in boards] == texts


def test_notation_is_read_in_any_dress():
    assert str(Board.parse("10 3Ba,a|9 3bA|∅|.")) == "T 3b A | 9 3b | - | -"


def test_tr_1_a_fifth_card_cannot_be_played():
    with pytest.raises(CardError, match="TR-1"):
        step("K K K K | - | - | -", play="K:2")


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({}, "expected either"),
        ({"play": "J:4", "raze": 1}, "expected either"),
        ({"play": "J"}, "'J' is not a play.*TR-5"),
        ({"play": "Z:4"}, "'Z' is not a card.*TR-1"),
        ({"play": "J:5"}, "column 5.*TR-2"),
        ({"raze": 0}, "column 0.*TR-2"),
    ],
)
def test_step_refuses_what_is_no_action(action, words):
    with pytest.raises(TowerlabError, match=words):
        step(SHEET, **action)


def test_tr_11_an_empty_column_cannot_be_razed():
    assert "TR-11" in step(SHEET, raze=4).reason


def test_options_refuse_what_they_cannot_be():
    with pytest.raises(OptionError, match="layout"):
        TowersOptions(layout="ring")
    with pytest.raises(OptionError, match="from 2 to 10"):
        TowersOptions(n_players=11)
