"""Tower War on the command line, bad input included."""

from __future__ import annotations

import pytest


def test_step_scores_the_example_of_the_sheet(towerlab):
    answer = towerlab("step", "tower-war", "--mine", "AH TC 6C", "--theirs", "9S 4S 2S", "--json").json
    assert answer == {
        "skirmishes": [
            {"mine": 10, "theirs": 9, "winner": "me", "adds": "them"},
            {"mine": 10, "theirs": 36, "winner": "them", "adds": "me"},
            {"mine": 60, "theirs": 72, "winner": "them", "adds": "me"},
        ],
        "totals": {"mine": 70, "theirs": 72},
        "loser": "me",
    }


def test_step_takes_jokers_doubles_and_ties(towerlab):
    answer = towerlab(
        "step", "tower-war", "--mine", "TC 9C X1=TC", "--theirs", "TS TD 2D", "--leader", "them", "--json"
    ).json
    assert [one["mine"] for one in answer["skirmishes"]] == [10, 90, 900]
    assert [one["winner"] for one in answer["skirmishes"]] == ["tie", "me", "me"]
    assert [one["adds"] for one in answer["skirmishes"]] == [None, None, "them"]
    assert (answer["totals"], answer["loser"]) == ({"mine": 900, "theirs": 30}, "them")


def test_step_knows_the_tie_break_option(towerlab):
    cards = ("--mine", "9H 2H 4C", "--theirs", "6C 3C 4D")
    assert towerlab("step", "tower-war", *cards, "--json").json["skirmishes"][1]["winner"] == "them"
    ties = towerlab("step", "tower-war", *cards, "--option", "tie_break=tens_only", "--json").json
    assert (ties["skirmishes"][1]["winner"], ties["loser"]) == ("tie", "tie")


def test_step_prints_a_table_for_people(towerlab):
    answer = towerlab("step", "tower-war", "--mine", "AH TC 6C", "--theirs", "9S 4S 2S")
    assert answer.status == 0
    assert "Totals: mine 70, theirs 72. I lose the battle" in answer.stdout


@pytest.mark.parametrize(
    ("mine", "theirs", "words"),
    [
        ("X1=TC TC 6C", "9S 4S 2S", ("X1", "first", "TW-13")),
        ("X1 TC 6C", "9S 4S 2S", ("X1", "first", "TW-13")),
        ("AH TC 6C 5C", "9S 4S 2S", ("4 cards", "three", "TW-9")),
        ("", "9S 4S 2S", ("0 cards", "TW-9")),
        ("AH X1=6C 6C", "9S 4S 2S", ("X1=6C", "not played before", "X1=AH", "TW-13")),
        ("AH X1 6C", "9S 4S 2S", ("copies nothing", "X1=AH", "TW-13")),
        ("AH TC=AH 6C", "9S 4S 2S", ("only a joker", "TW-13")),
        ("AH AH 6C", "9S 4S 2S", ("AH stands twice", "TW-1")),
        ("AH TC 6C", "9S TC 2S", ("TC", "both sides", "TW-1")),
        ("AH TC 6Z", "9S 4S 2S", ("'6Z' is not a card",)),
        ("AH X1=X2 6C", "9S 4S 2S", ("X2",)),
    ],
)
def test_step_refuses_a_battle_that_cannot_be(towerlab, mine, theirs, words):
    towerlab("step", "tower-war", "--mine", mine, "--theirs", theirs, "--json").assert_refused(*words)


def test_step_refuses_an_unknown_leader_and_game(towerlab):
    towerlab("step", "tower-war", "--mine", "AH", "--theirs", "9S", "--leader", "nobody").assert_refused("nobody")
    towerlab("step", "tower-wa", "--mine", "AH").assert_refused("did you mean 'tower-war'?")
    towerlab(
        "step", "tower-war", "--mine", "AH TC", "--theirs", "9S 4S 2S", "--option", "short_hand=lose"
    ).assert_refused("fewer than three", "W6")
