"""`towerlab solve bowers` and `towerlab solve towie` as a user runs them."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest

from tests.conftest import Answer
from towerlab.analysis.bowers.open_hands import solve_open_hands as solve_bowers
from towerlab.analysis.bowers.present import hands_report as bowers_report
from towerlab.analysis.present import console
from towerlab.analysis.towie.open_hands import solve_open_hands as solve_towie
from towerlab.analysis.towie.present import hands_report as towie_report

Run = Callable[..., Answer]

BOWERS = ("--trump", "C", "--declarer", "JC JS AC 9H", "--left", "KC QC AH KH", "--right", "TC 7C AD 7H")
DEAL = "N:T986.832.K82.J95 K7.KT75.AT5.QT84 QJ53.QJ94.Q94.A2 A42.A6.J763.K763"
BLOCKED = "N:A2... KQ... 3.2.. 4.3.."


def test_bowers_keys_and_values(inside: Run) -> None:
    answer = inside("solve", "bowers", *BOWERS, "--json").json
    assert list(answer)[7:] == ["trump", "lead", "tricks", "leads", "line", "misere"]
    assert answer["tricks"] == {"declarer": 3, "defenders": 1}
    assert {lead["card"]: lead["tricks"] for lead in answer["leads"]} == {"JC": 3, "JS": 3, "AC": 3, "9H": 3}
    assert len(answer["line"]) == 12 and answer["line"][0] in ("JC", "JS", "AC", "9H")


def test_bowers_defenders_leads_count_their_tricks(inside: Run) -> None:
    answer = inside("solve", "bowers", *BOWERS, "--lead", "left", "--at-least", "4", "--json").json
    best = max(lead["tricks"] for lead in answer["leads"])
    assert best == answer["tricks"]["defenders"] == 4 - answer["tricks"]["declarer"]
    assert answer["at_least"] == {"tricks": 4, "made": answer["tricks"]["declarer"] >= 4}


def test_bowers_misere_counts_the_fewest(inside: Run) -> None:
    hands = ("--declarer", "AS 7S", "--left", "KS 8H", "--right", "QS 9H", "--lead", "left", "--trump", "NT", "--json")
    assert inside("solve", "bowers", *hands).json["tricks"] == {"declarer": 1, "defenders": 1}
    assert inside("solve", "bowers", *hands, "--misere").json["tricks"] == {"declarer": 0, "defenders": 2}


def test_bowers_left_bower_is_a_trump(inside: Run) -> None:
    hands = ("--declarer", "JS", "--left", "AC", "--right", "AS", "--json")
    assert inside("solve", "bowers", "--trump", "C", *hands).json["tricks"]["declarer"] == 1
    assert inside("solve", "bowers", "--trump", "S", *hands).json["tricks"]["declarer"] == 1
    assert inside("solve", "bowers", "--trump", "NT", *hands).json["tricks"]["declarer"] == 0


def test_bowers_led_joker_says_what_it_names(inside: Run) -> None:
    hands = ("--declarer", "X1 KS", "--left", "AS 7H", "--right", "7S 8H", "--trump", "NT", "--json")
    leads = inside("solve", "bowers", *hands).json["leads"]
    assert leads[0] == {"card": "X1", "tricks": 2, "names": "S"}
    assert {lead["names"] for lead in leads if lead["card"] == "X1"} == set("CDHS")


def test_towie_keys_table_and_line(inside: Run) -> None:
    answer = inside("solve", "towie", "--deal", DEAL, "--trump", "S", "--lead", "W", "--table", "--json").json
    assert list(answer)[7:] == ["trump", "lead", "tricks", "leads", "line", "table", "par"]
    assert answer["tricks"] == {"NS": 6, "EW": 7}
    assert len(answer["leads"]) == 13 and len(answer["line"]) == 52
    assert list(answer["table"]) == list("NESW") and list(answer["table"]["N"]) == ["NT", "S", "H", "D", "C"]
    assert answer["table"]["S"]["S"] == answer["tricks"]["NS"]  # West leads to a declarer in South
    assert answer["par"] == {"score": -400, "contracts": ["3NT EW="]}


def test_towie_blocked_suit(inside: Run) -> None:
    """North's ace takes the first spade and East's king the second, whoever leads."""
    answer = inside("solve", "towie", "--deal", BLOCKED, "--trump", "NT", "--lead", "N", "--json").json
    assert answer["tricks"] == {"NS": 1, "EW": 1}
    assert answer["leads"] == [{"card": "AS", "tricks": 1}, {"card": "2S", "tricks": 1}]


def test_reports_name_every_lead_and_the_model() -> None:
    shown = console()
    with shown.capture() as captured:
        shown.print(bowers_report(solve_bowers("JC JS AC 9H", "KC QC AH KH", "TC 7C AD 7H", trump="C", at_least=3)))
        shown.print(towie_report(solve_towie(BLOCKED, trump="S", lead="N", table=True)))
        shown.print(bowers_report(solve_bowers("X1", "7S", "8S", trump="NT", misere=True)))
    text = captured.get()
    for words in (
        "♣ trumps, declarer leads: the declarer takes 3, the defenders 1",
        "takes at least 3",
        "North-South take",
        "declarer  NT",
        "held to 1 at the fewest",
        "X1 naming ♣",
        "double-dummy",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('--trump X --declarer "AS" --left "KS" --right "QS"', "'X' is not a trump"),
        ('--trump S --declarer "AS 7H" --left "KS" --right "QS"', "declarer 2, left 1, right 1"),
        ('--trump S --declarer "" --left "" --right ""', "expected the same number, 1 to 10"),
        ('--trump S --declarer "AS" --left "AS" --right "QS"', "AS stands in declarer's and in left's hand"),
        ('--trump S --declarer "AS AS" --left "KS" --right "QS"', "AS stands twice in declarer's hand"),
        ('--trump S --declarer "2S" --left "KS" --right "QS"', "2S in declarer's hand is not in this game's pack"),
        ('--trump S --declarer "AS" --left "KS" --right "QS" --at-least 2', "expected 0 to 1 tricks"),
        ('--trump S --declarer "AS" --left "KS" --right "QS" --at-least 1 --misere', "expected one of them"),
        ('--trump S --declarer "AS" --left "KS" --right "QS" --lead north', "north"),
        ('--trump S --declarer "AS" --left "KS"', "--right"),
    ],
)
def test_bad_bowers_questions_are_refused(inside: Run, arguments: str, message: str) -> None:
    inside("solve", "bowers", *shlex.split(arguments)).assert_refused(message)
    inside("solve", "bowers", *shlex.split(arguments), "--json").assert_refused(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--deal", "N:A...", "--trump", "S", "--lead", "W"), "deal of 1 hands"),
        (("--deal", BLOCKED, "--trump", "S", "--lead", "X"), "'X' is not a seat; expected one of N, E, S, W"),
        (("--deal", BLOCKED, "--trump", "T", "--lead", "N"), "not a trump"),
    ],
)
def test_bad_towie_questions_are_refused(inside: Run, arguments: tuple[str, ...], message: str) -> None:
    inside("solve", "towie", *arguments).assert_refused(message)


def test_unknown_game_is_answered_with_the_nearest(inside: Run) -> None:
    inside("solve", "bower").assert_refused("did you mean 'bowers'?")
