"""Towers on the command line, as a user runs it."""

from __future__ import annotations

import pytest

SHEET = "J Qb | K Qb Kb | 9 7 Kb K | -"


def test_step_prints_both_boards_and_the_log(inside):
    answer = inside("step", "towers", "--board", SHEET, "--play", "J:4")
    assert answer.status == 0, answer.stderr
    assert "[═════Q══════]" in answer.stdout
    assert "crushed by an uneven bridge: 7" in answer.stdout
    assert "- | K Kb | 9 Kb K | -" in answer.stdout
    assert "Points: 2: Q 7" in answer.stdout


def test_step_json_has_the_keys_of_the_contract(inside):
    assert inside("step", "towers", "--board", SHEET, "--play", "J:4", "--json").own == {
        "legal": True,
        "reason": None,
        "before": SHEET,
        "after": "- | K Kb | 9 Kb K | -",
        "collected": ["Q", "7"],
        "removed": ["J", "J"],
        "log": [
            {"step": "match", "cards": ["J", "J"]},
            {"step": "landing", "cards": ["Q"]},
            {"step": "crushing", "cards": ["7"]},
        ],
    }


def test_step_raze_and_options(inside):
    square = ("--option", "layout=square")
    answer = inside("step", "towers", "--board", "9 | 8 | 7 | 6", "--play", "2:4-1", *square, "--json").json
    assert answer["after"] == "9 2b | 8 | 7 | 6 2b"
    answer = inside("step", "towers", "--board", SHEET, "--raze", "1", "--json").json
    assert (answer["removed"], answer["collected"]) == (["J", "Q"], ["7"])


def test_an_illegal_play_is_an_answer(inside):
    answer = inside("step", "towers", "--board", SHEET, "--play", "K:1", "--json").json
    assert answer["legal"] is False
    assert "TR-5" in answer["reason"]
    text = inside("step", "towers", "--board", SHEET, "--play", "2:1-3")
    assert text.status == 0
    assert "Illegal" in text.stdout and "TR-5" in text.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--board", "Kb | Kb | - | -", "--play", "J:4"), ("TR-10", "ground")),
        (("--board", SHEET, "--play", "Z:4"), ("TR-1", "'Z'")),
        (("--board", SHEET, "--play", "J:5"), ("TR-2", "column 5")),
        (("--board", SHEET, "--raze", "x"), ("raze", "integer")),
        (("--board", SHEET, "--play", "J:4", "--raze", "1"), ("expected either",)),
        (("--board", SHEET, "--play", "J:4", "--option", "layout=ring"), ("layout", "line or square")),
        (("--play", "J:4"), ("--board",)),
    ],
)
def test_bad_input_names_the_rule(inside, arguments, words):
    inside("step", "towers", *arguments, "--json").assert_refused(*words)


def test_options_of_towers_are_listed(inside):
    names = [option["name"] for option in inside("options", "towers", "--json").json["options"]]
    assert names == [
        "layout", "n_players", "ace_strength", "landing", "support_check", "equal_supports", "equal_group",
        "uneven_level", "first_player",
    ]  # fmt: skip


def test_tr_2_text_options_and_refusal_say_alike_how_many_may_play(inside):
    why = "five of the 52 cards"
    text = inside("rules", "towers", "TR-2").stdout
    assert "Two to ten may play" in text and why in " ".join(text.split())
    options = {one["name"]: one for one in inside("options", "towers", "--json").json["options"]}
    assert options["n_players"]["expected"] == f"a whole number from 2 to 10, as each is dealt {why}"
    inside("play", "towers", "--option", "n_players=11").assert_refused("n_players=11", "from 2 to 10", why)
    many = ",".join(["random"] * 11)
    inside("simulate", "towers", "--players", many, "--games", "1").assert_refused("11 players", "2 to 10")
