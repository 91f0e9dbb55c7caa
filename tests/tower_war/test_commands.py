"""Tower War on the command line: what people read, and bad input; answers as JSON: tests/golden/answers.jsonl."""

from __future__ import annotations

import pytest

from towerlab.analysis.tower_war import step_battle
from towerlab.games.errors import TowerlabError


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("step", "--mine", "AH TC 6C", "--theirs", "9S 4S 2S"), ["Totals: mine 70, theirs 72. I lose the battle"]),
        (("split", "--cards", "AH TC 6C 9S X1"), ["Split "]),
        (("pick", "--piles", "AH AS TC | 2S 3D"), ["Take A♠ A♥ 10♣"]),
        (("battle", "--mine", "AH TC 6C", "--their-deck", "9S 4S 2S KD", "--leader", "them"),
         ["They lead", "equilibrium over 4 pairs of hands", "thousandths"]),
    ],
)  # fmt: skip
def test_answers_speak_to_people(inside, asked, words):
    answer = inside(asked[0], "tower-war", *asked[1:])
    assert answer.status == 0 and all(word in answer.stdout for word in words)


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
def test_step_refuses_a_battle_that_cannot_be(mine, theirs, words):
    with pytest.raises(TowerlabError) as caught:
        step_battle(mine, theirs)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("step", "tower-war", "--mine", "X1=TC TC 6C", "--theirs", "9S 4S 2S"), ("X1", "first", "TW-13")),
        (("step", "tower-war", "--mine", "AH", "--theirs", "9S", "--leader", "nobody"), ("nobody",)),
        (("step", "tower-wa", "--mine", "AH"), ("did you mean 'tower-war'?",)),
        (("step", "tower-war", "--mine", "AH TC", "--theirs", "9S 4S 2S", "--option", "short_hand=lose"),
         ("fewer than three", "TW-9")),
        (("split", "tower-war", "--cards", "AH TC 6C 9S"), ("4 cards", "five", "TW-3")),
        (("split", "tower-war", "--cards", "AH TC 6C 9S AH"), ("AH stands twice", "TW-1")),
        (("split", "tower-war", "--cards", "AH TC 6C 9S 2D", "--mine", "AH"), ("AH is in", "my pool", "TW-1")),
        (("split", "tower-war", "--cards", "AH TC 6C 9S X1", "--third-stash", "L"), ("advanced", "TW-6")),
        (("split", "tower-war", "--cards", "AH TC 6C 9S X1", "--option", "advanced=true", "--third-stash", "XX"),
         ("'XX'", "TW-6")),
        (("pick", "tower-war", "--piles", "AH TC 6C 9S 2D"), ("1 piles", "TW-3")),
        (("pick", "tower-war", "--piles", "AH TC 6C 9S 2D |"), ("5 and 0", "TW-3")),
        (("pick", "tower-war", "--piles", "AH TC | 9S 2D"), ("2 and 2", "TW-3")),
        (("pick", "tower-war", "--piles", "AH TC | 9S 2D 3D", "--pyramids", "L"), ("advanced", "TW-6")),
        (("build", "tower-war", "--pool", "AH AH TC"), ("AH stands twice", "TW-1")),
        (("build", "tower-war", "--pool", "AH"), ("pool of 1", "TW-7")),
        (("battle", "tower-war", "--mine", "AH TC 6C"), ("expected either the hand they hold or the deck",)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_commands_refuse_what_cannot_be_in_one_line(inside, arguments, words, flags):
    inside(*arguments, *flags).assert_refused(*words)


def test_the_worse_half_of_a_division_is_its_value_and_pyramids_can_only_help_the_splitter(inside):
    cards = ("split", "tower-war", "--cards", "AH TC 6C 9S X1", "--json")
    basic, advanced = inside(*cards).json, inside(*cards, "--option", "advanced=true", "--third-stash", "LLMS").json
    for answer in (basic, advanced):
        values = [split["value"] for split in answer["splits"]]
        assert len(values) == 15 and values == sorted(values, reverse=True)
        assert answer["recommend"] == answer["splits"][0]["piles"]
        for split in answer["splits"]:
            chances = [split["values"]["first_taken"], split["values"]["second_taken"]]
            assert split["value"] == chances[split["take"]] == min(chances)
            assert sorted([*split["piles"][0], *split["piles"][1]]) == sorted(answer["dealt"])
    assert all(sum(split["pyramids"].values()) == 0 for split in basic["splits"])
    assert advanced["splits"][0]["value"] >= basic["splits"][0]["value"]


def test_tw_6_battle_takes_stashes_of_the_advanced_game(inside):
    """Where no pyramid was drafted both games are the same; those that were drafted count."""
    hands: tuple[str, ...] = ("battle", "tower-war", "--mine", "AH TC 6C", "--theirs", "9S 4S 2S")
    hands += ("--their-stash", "LLMMSS")
    basic = inside(*hands, "--my-stash", "LLMMSS", "--json").json
    hands += ("--option", "advanced=true")
    same = inside(*hands, "--my-stash", "LLMMSS", "--json").json
    assert basic["levels"] == same["levels"] == 7 and same["win"] == pytest.approx(basic["win"], abs=1e-9)
    more = inside(*hands, "--my-stash", "LLLMMMSSS", "--levels", "7", "--json").json
    assert more["levels"] == 7 and more["win"] > basic["win"] + 0.01
    assert "Cards in the tower: 6." in inside(*hands, "--my-stash", "LLLMMMSSS").stdout
