"""Tower War on the command line, bad input included."""

from __future__ import annotations

import pytest
from towerlab.analysis.tower_war import step_battle
from towerlab.games.errors import TowerlabError


def test_step_scores_the_example_of_the_sheet(inside):
    answer = inside("step", "tower-war", "--mine", "AH TC 6C", "--theirs", "9S 4S 2S", "--json").own
    assert answer == {
        "skirmishes": [
            {"my_card": "AH", "mine": 10, "their_card": "9S", "theirs": 9, "winner": "me", "adds": "them"},
            {"my_card": "TC", "mine": 10, "their_card": "4S", "theirs": 36, "winner": "them", "adds": "me"},
            {"my_card": "6C", "mine": 60, "their_card": "2S", "theirs": 72, "winner": "them", "adds": "me"},
        ],
        "totals": {"mine": 70, "theirs": 72},
        "loser": "me",
    }


def test_step_takes_jokers_doubles_and_ties(inside):
    answer = inside(
        "step", "tower-war", "--mine", "TC 9C X1=TC", "--theirs", "TS TD 2D", "--leader", "them", "--json"
    ).json
    assert [one["mine"] for one in answer["skirmishes"]] == [10, 90, 900]
    assert [one["winner"] for one in answer["skirmishes"]] == ["tie", "me", "me"]
    assert [one["adds"] for one in answer["skirmishes"]] == [None, None, "them"]
    assert (answer["totals"], answer["loser"]) == ({"mine": 900, "theirs": 30}, "them")


def test_step_knows_the_tie_break_option(inside):
    cards = ("--mine", "9H 2H 4C", "--theirs", "6C 3C 4D")
    assert inside("step", "tower-war", *cards, "--json").json["skirmishes"][1]["winner"] == "them"
    ties = inside("step", "tower-war", *cards, "--option", "tie_break=tens_only", "--json").json
    assert (ties["skirmishes"][1]["winner"], ties["loser"]) == ("tie", "tie")


def test_step_prints_a_table_for_people(inside):
    answer = inside("step", "tower-war", "--mine", "AH TC 6C", "--theirs", "9S 4S 2S")
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
def test_step_refuses_a_battle_that_cannot_be(mine, theirs, words):
    with pytest.raises(TowerlabError) as caught:
        step_battle(mine, theirs)
    for word in words:
        assert word in str(caught.value)


def test_step_tells_a_refusal_in_one_line(inside):
    cards = ("--mine", "X1=TC TC 6C", "--theirs", "9S 4S 2S")
    for flags in ((), ("--json",)):
        inside("step", "tower-war", *cards, *flags).assert_refused("X1", "first", "TW-13")


def test_step_refuses_an_unknown_leader_and_game(inside):
    inside("step", "tower-war", "--mine", "AH", "--theirs", "9S", "--leader", "nobody").assert_refused("nobody")
    inside("step", "tower-wa", "--mine", "AH").assert_refused("did you mean 'tower-war'?")
    inside(
        "step", "tower-war", "--mine", "AH TC", "--theirs", "9S 4S 2S", "--option", "short_hand=lose"
    ).assert_refused("fewer than three", "TW-9")


# ------------------------------------------------------------------------------------------------------- the draft


def test_split_lists_fifteen_divisions_the_best_first(inside):
    answer = inside(
        "split", "tower-war", "--cards", "AH TC 6C 9S X1", "--mine", "KC QC", "--theirs", "AS 9H 2D", "--json"
    ).json
    assert (answer["game"], answer["round"], answer["cards"]) == ("tower-war", 2, 5)
    assert answer["dealt"] == ["X1", "9S", "AH", "TC", "6C"]
    assert len(answer["splits"]) == 15
    values = [split["value"] for split in answer["splits"]]
    assert values == sorted(values, reverse=True)
    for split in answer["splits"]:
        chances = [split["values"]["first_taken"], split["values"]["second_taken"]]
        assert split["value"] == chances[split["take"]] == min(chances)
        assert sorted([*split["piles"][0], *split["piles"][1]]) == sorted(answer["dealt"])
    assert answer["recommend"] == answer["splits"][0]["piles"]


def test_split_offers_pyramids_in_the_advanced_draft_only(inside):
    cards = ("--cards", "AH TC 6C 9S X1")
    basic = inside("split", "tower-war", *cards, "--json").json
    assert all(sum(split["pyramids"].values()) == 0 for split in basic["splits"])
    advanced = inside("split", "tower-war", *cards, "--option", "advanced=true", "--third-stash", "LLMS", "--json").json
    assert any(sum(split["pyramids"].values()) > 0 for split in advanced["splits"])
    assert advanced["splits"][0]["value"] >= basic["splits"][0]["value"]
    inside("split", "tower-war", *cards, "--third-stash", "L").assert_refused("advanced", "TW-6")
    inside("split", "tower-war", *cards, "--option", "advanced=true", "--third-stash", "XX").assert_refused(
        "'XX'", "TW-6"
    )


def test_pick_takes_the_pile_that_is_worth_more(inside):
    answer = inside("pick", "tower-war", "--piles", "AH AS TC | 2S 3D", "--json").json
    assert (answer["take"], answer["recommend"]) == (0, ["AS", "AH", "TC"])
    values = [pile["value"] for pile in answer["piles"]]
    assert answer["margin"] == abs(values[0] - values[1]) > 0.05
    with_pyramids = inside(
        "pick", "tower-war", "--piles", "AH AS TC | 2S 3D", "--option", "advanced=true",
        "--pyramids", "LLS", "--beside", "second", "--json",
    ).json  # fmt: skip
    assert with_pyramids["piles"][1]["value"] > values[1]


def test_build_finds_fifteen_cards_and_says_how(inside):
    pool = "AC KC QC TC 8C 5C AH KH 9H 8H 7S 5S 4D 3D TD 9D 2S JS X1"
    answer = inside("build", "tower-war", "--pool", pool, "--json").json
    assert len(answer["deck"]) == 15 and len(answer["unused"]) == 4
    assert sorted(answer["deck"] + answer["unused"]) == sorted(pool.split())
    assert (answer["exact"], answer["subsets"]) == (True, 3876)
    assert "X1" in answer["deck"]
    assert 0.5 <= answer["beats_points"] < 1


def test_the_draft_speaks_to_people(inside):
    split = inside("split", "tower-war", "--cards", "AH TC 6C 9S X1")
    assert split.status == 0 and split.stdout.startswith("Split ")
    pick = inside("pick", "tower-war", "--piles", "AH AS TC | 2S 3D")
    assert pick.status == 0 and pick.stdout.startswith("Take A♠ A♥ 10♣")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("split", "tower-war", "--cards", "AH TC 6C 9S"), ("4 cards", "five", "TW-3")),
        (("split", "tower-war", "--cards", "AH TC 6C 9S AH"), ("AH stands twice", "TW-1")),
        (("split", "tower-war", "--cards", "AH TC 6C 9S 2D", "--mine", "AH"), ("AH is in", "my pool", "TW-1")),
        (("pick", "tower-war", "--piles", "AH TC 6C 9S 2D"), ("1 piles", "TW-3")),
        (("pick", "tower-war", "--piles", "AH TC 6C 9S 2D |"), ("5 and 0", "TW-3")),
        (("pick", "tower-war", "--piles", "AH TC | 9S 2D"), ("2 and 2", "TW-3")),
        (("pick", "tower-war", "--piles", "AH TC | 9S 2D 3D", "--pyramids", "L"), ("advanced", "TW-6")),
        (("build", "tower-war", "--pool", "AH AH TC"), ("AH stands twice", "TW-1")),
        (("build", "tower-war", "--pool", "AH"), ("pool of 1", "TW-7")),
    ],
)
def test_the_draft_refuses_what_cannot_be(inside, arguments, words):
    inside(*arguments, "--json").assert_refused(*words)


def test_players_and_simulate_know_tower_war(inside):
    assert {player["name"] for player in inside("players", "tower-war", "--json").json["players"]} >= {
        "random",
        "novice",
        "pimc",
    }
    answer = inside(
        "simulate", "tower-war", "--players", "novice,random", "--games", "200", "--jobs", "1", "--json"
    ).json
    assert answer["wins"][0] + answer["wins"][1] + answer["draws"] == 200
    assert answer["interval"][0][0] > 0.8


def test_battle_answers_both_ways(inside):
    known = inside("battle", "tower-war", "--mine", "AH TC 6C", "--theirs", "9S 4S 2S", "--json").json
    assert list(known)[7:] == [
        "leader", "mine", "theirs", "my_deck", "levels", "pairs", "win", "seen", "planned", "recommend", "plays",
        "line", "exploitability", "model",
    ]  # fmt: skip
    assert known["pairs"] == 1 and known["recommend"] == known["plays"][0]["card"] == known["line"][0]
    decks = ("--mine", "AH TC 6C", "--their-deck", "9S 4S 2S KD", "--leader", "them")
    shown = inside("battle", "tower-war", *decks).stdout
    assert "They lead" in shown and "equilibrium over 4 pairs of hands" in shown and "thousandths" in shown
    hidden = inside("battle", "tower-war", *decks, "--json").json
    assert hidden["pairs"] == 4 and {play["led"] for play in hidden["plays"]} == {"9S", "4S", "2S", "KD"}


def test_battle_refuses_what_cannot_be(inside):
    answer = inside("battle", "tower-war", "--mine", "AH TC 6C")
    answer.assert_refused("expected either the hand they hold or the deck it comes from")


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
