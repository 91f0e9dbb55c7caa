"""Towers on the command line: what people read, and bad input; answers as JSON: tests/golden/answers.jsonl."""

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


def test_an_illegal_play_is_an_answer(inside):
    text = inside("step", "towers", "--board", SHEET, "--play", "2:1-3")
    assert text.status == 0
    assert "Illegal" in text.stdout and "TR-5" in text.stdout


def test_move_prints_the_best_and_how_it_is_known(inside):
    text = inside("move", "towers", "--board", SHEET, "--hand", "J 5", "--samples", "30").stdout
    assert "Best: " in text and "Counted   30 deals" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("step", "--board", "Kb | Kb | - | -", "--play", "J:4"), ("TR-10", "ground")),
        (("step", "--board", SHEET, "--play", "Z:4"), ("TR-1", "'Z'")),
        (("step", "--board", SHEET, "--play", "J:5"), ("TR-2", "column 5")),
        (("step", "--board", SHEET, "--raze", "x"), ("raze", "integer")),
        (("step", "--board", SHEET, "--play", "J:4", "--raze", "1"), ("expected either",)),
        (("step", "--board", SHEET, "--play", "J:4", "--option", "layout=ring"), ("layout", "line or square")),
        (("step", "--play", "J:4"), ("--board",)),
        (("move", "--board", SHEET, "--hand", "X"), ("TR-1", "'X'")),
        (("simulate", "--players", "greedy,gready", "--games", "2"), ("greedy",)),
    ],
)
def test_bad_input_names_the_rule(inside, arguments, words):
    inside(arguments[0], "towers", *arguments[1:], "--json").assert_refused(*words)


def test_tr_2_text_options_and_refusal_say_alike_how_many_may_play(inside):
    why = "five of the 52 cards"
    text = inside("rules", "towers", "TR-2").stdout
    assert "Two to ten may play" in text and why in " ".join(text.split())
    options = {one["name"]: one for one in inside("options", "towers", "--json").json["options"]}
    assert options["n_players"]["expected"] == f"a whole number from 2 to 10, as each is dealt {why}"
    inside("play", "towers", "--option", "n_players=11").assert_refused("n_players=11", "from 2 to 10", why)
    many = ",".join(["random"] * 11)
    inside("simulate", "towers", "--players", many, "--games", "1").assert_refused("11 players", "2 to 10")
