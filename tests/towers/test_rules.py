"""The rules of Towers: the vectors of RULES 4.6 and 4.7, legality, boards that cannot stand."""

from __future__ import annotations

import pytest

from towerlab.analysis.towers import step
from towerlab.games.errors import CardError, TowerlabError
from towerlab.games.options import OptionError
from towerlab.games.towers import Board, StandingError, TowersOptions, resolve_play

SHEET = "J Qb | K Qb Kb | 9 7 Kb K | -"
SHEET_AND_4 = "J Qb | K Qb Kb | 9 7 Kb K | 4"


def entries(log):
    return [(entry.step, " ".join(entry.cards)) for entry in log]


# ---------------------------------------------------------------------------------------------------------- vectors

V4, V5, V6 = "8 2b A Kb | 9 2b 2 Kb | K Q | -", "8 5 Kb | Q A Kb | K | -", "9 8 Jb T | K K Q Jb | - | J"


@pytest.mark.parametrize(
    ("before", "play", "after", "collected", "log", "options"),
    [
        pytest.param(SHEET, "J:4", "- | K Kb | 9 Kb K | -", "Q 7", ["landing Q", "crushing 7"], {}, id="tr-v1 sheet"),
        pytest.param("8 5 3b | Q 9 3b | K | -", "5:3", "8 3b | Q 9 3b | K | -", "", [], {}, id="tr-v2 stays uneven"),
        pytest.param(
            "8 5 Tb | Q 9 Tb | K | -", "5:3", "8 Tb | Q Tb | K | -", "9", ["crushing 9"], {}, id="tr-v3 crushes"
        ),
        pytest.param(V4, "A:3", "8 2b | 9 2b 2 | K Q | -", "K", ["landing K"], {}, id="tr-v4 lands on a bridge"),
        pytest.param(V5, "5:3", "8 Kb | Q A Kb | K | -", "", [], {}, id="tr-v5 no bridge crushes an ace"),
        pytest.param(V5, "5:3", "8 Kb | Q Kb | K | -", "A", ["crushing A"], {"ace_strength": 13}, id="tr-v5 kings do"),
        pytest.param(
            V6, "8:4", "T | K K Q | - | J", "J 9", ["instability J", "support 9"], {}, id="tr-v6 uneven by two"
        ),
        pytest.param("9 5 4 | K 4 | 8 | -", "5:3", "9 | K | 8 | -", "4 4", ["equal level 4 4"], {}, id="tr-v7 level"),
        pytest.param("9 7b | 8 7b | K | -", "7:3", "9 | 8 | K | -", "", [], {}, id="tr-v8 card meets bridge"),
        pytest.param("9 7 | K | Q | -", "7:2-3", "9 | K | Q | -", "", [], {}, id="tr-v9 bridge meets card"),
        pytest.param("9 5b | 8 5b Tb | 7 3 Tb | K", "3:4", "9 | 8 Tb | 7 Tb | K", "5", ["crushing 5"], {}, id="tr-v10"),
    ],
)
def test_tr_8_a_play_gives_the_board_points_and_log_of_its_vector(before, play, after, collected, log, options):
    answer = step(before, play=play, options=TowersOptions(**options))
    assert answer.legal, answer.reason
    rank = play.partition(":")[0]
    assert (str(answer.after), " ".join(answer.collected)) == (after, collected)
    assert answer.removed == (rank, rank)
    assert [" ".join(entry) for entry in entries(answer.log)] == [f"match {rank} {rank}", *log]


@pytest.mark.parametrize(
    ("column", "after", "removed", "collected", "log"),
    [
        pytest.param(1, "- | K Kb | 9 Kb K | 4", "J Q", "7", [("crushing", "7")], id="tr-v11"),
        pytest.param(2, "J | - | K | 4", "Q K K", "7 9", [("support", "7"), ("support", "9")], id="tr-v12"),
    ],
)
def test_tr_11_a_raze_gives_the_board_points_and_log_of_its_vector(column, after, removed, collected, log):
    answer = step(SHEET_AND_4, raze=column)
    assert (str(answer.after), " ".join(answer.removed), " ".join(answer.collected)) == (after, removed, collected)
    assert entries(answer.log) == [("raze", removed), *log]


def test_tr_v1_board_is_reached_by_legal_plays():
    board = Board.parse("- | - | - | -")
    for place, value in ((0, 11), (1, 13), (2, 9), (2, 7), (4, 12), (5, 13), (2, 13)):
        board = resolve_play(board, place, value, TowersOptions()).after
    assert str(board) == SHEET


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


@pytest.mark.parametrize(
    ("board", "action", "options", "removed", "collected"),
    [
        # 3b lies at level 2 in column 1, at level 3 in column 2
        ("8 3b | Q 9 3b | K | -", {"play": "3:3"}, {"uneven_level": "both"}, "3 3", ""),
        ("8 3b | Q 9 3b | K | -", {"play": "3:3"}, {"uneven_level": "higher"}, "", ""),
        ("8 3b | Q 9 3b | K | -", {"play": "3:3"}, {"uneven_level": "lower"}, "3 3", ""),
        (V4, {"play": "A:3"}, {"landing": "any_end"}, "A A", "K"),
        # crushes the 2, then both ends lie on 2b
        (V4, {"play": "A:3"}, {"landing": "both_ends_on_bridge"}, "A A", "2 K"),
        (SHEET_AND_4, {"raze": 2}, {"support_check": "after_bridge_loss"}, "Q K K", ""),
        (V6, {"play": "8:4"}, {"support_check": "after_bridge_loss"}, "8 8", "J 9"),
        (SHEET_AND_4, {"raze": 2}, {"support_check": "off"}, "Q K K", ""),
    ],
)
def test_tr_8_a_cascade_goes_as_the_options_say(board, action, options, removed, collected):
    answer = step(board, **action, options=TowersOptions(**options))
    assert (" ".join(answer.removed), " ".join(answer.collected)) == (removed, collected)
    if options == {"support_check": "off"}:
        assert str(answer.after) == "J | - | 9 7 K | 4"  # a card stays on too weak a support


@pytest.mark.parametrize(("group", "equals"), [("all", "4 4 4"), ("pair", "4 4")])
def test_tr_8_of_three_equals_one_pair_goes_if_the_option_says_so(group, equals):
    board = "Q 8 6 4 | K Tb 5 8b 4 | 9 Tb Qb 8b A 4 | J 7 Qb"
    log = step(board, raze=4, options=TowersOptions(equal_group=group)).log
    assert entries(log[1:]) == [("landing", "8"), ("equal level", equals)]


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
        *((f"9 {card} | - | - | -", None, "TR-1") for card in ("X", "1", "JS", "0", "b", "11", "Kbbb")),
        # each bridge lies on the one before, round all four sides: every neighbourhood stands, the whole does not
        ("K 5b 2b | Q 2b 3b | K 3b 4b | Q 4b 5b", "TR-5", "do not join"),
    ],
)
def test_boards_that_cannot_stand_name_the_rule(board, rule, words):
    with pytest.raises(StandingError if rule else CardError, match=words) as refusal:
        Board.parse(board, TowersOptions(layout="square") if "4b 5b" in board else None)
    assert rule is None or refusal.value.rule == rule


def test_a_bridge_over_the_last_side_of_a_square():
    square = TowersOptions(layout="square")
    assert str(Board.parse("9 Kb | 8 | 7 | 6 Kb", square)) == "9 Kb | 8 | 7 | 6 Kb"


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


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"board": "K K K K | - | - | -", "play": "K:2"}, "TR-1"),  # a fifth king
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
        step(**{"board": SHEET, **action})


def test_tr_11_an_empty_column_cannot_be_razed():
    assert "TR-11" in step(SHEET, raze=4).reason


@pytest.mark.parametrize(("option", "words"), [({"layout": "ring"}, "layout"), ({"n_players": 11}, "from 2 to 10")])
def test_options_refuse_what_they_cannot_be(option, words):
    with pytest.raises(OptionError, match=words):
        TowersOptions(**option)
