"""`towerlab claim` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.conftest import Answer
from towerlab.analysis.claims.present import MOST_TREE_LINES
from towerlab.analysis.present import console
from towerlab.analysis.towers_and_bowers.claims import judge_claim, judge_concession

Run = Callable[..., Answer]

C3 = ("--hand", "JH JD AH 9H AS", "--trump", "H", "--lead", "me")
GUESS = {"hand": "AS AH", "trump": "C", "lead": "them", "tricks": 1}
GUESS_SEEN = "9C TC KC AC JC JS KS QS JS TS JH QH KH 9H 9D TD JD QD KD AD".replace(" JS", "", 1)


def words(answer: Any) -> str:
    """What people read, without styles."""
    made = console()
    with made.capture() as captured:
        made.print(answer)
    return captured.get()


def test_json_keys_of_a_sound_claim(inside: Run) -> None:
    answer = inside("claim", *C3, "--tricks", "5", "--json")
    assert answer.own == {
        "claim": 5,
        "sound": True,
        "guaranteed": 5,
        "layouts": 11628,
        "proof": {"line": answer.json["proof"]["line"]},
        "refutation": None,
    }
    line = answer.json["proof"]["line"]
    assert len(line) == len(set(line)) == 10


def test_json_of_an_unsound_claim_has_a_refutation(inside: Run) -> None:
    answer = inside(
        "claim", "--hand", "JD 9H", "--trump", "h", "--lead", "me", "--tricks", "1",
        "--opponent-holds", "JH", "--opponent-holds", "TH", "--opponent-cards", "2",
        "--option", "towers_to_win=2", "--json",
    )  # fmt: skip
    assert answer.json["sound"] is False and answer.json["guaranteed"] == 0 and answer.json["layouts"] == 1
    assert answer.json["proof"] is None
    assert answer.json["refutation"] == {
        "kind": "layout",
        "layout": ["JH", "TH"],
        "line": ["JD", "JH", "TH", "9H"],
        "tree": None,
    }


def test_a_concession_and_a_history_with_an_unfinished_trick(inside: Run) -> None:
    answer = inside(
        "claim", "--hand", "KS QS JS", "--trump", "H", "--concede", "--json",
        "--history", "AS/9H 9D/", "--first-lead", "me",
    )  # fmt: skip
    assert answer.json["claim"] == 3
    assert {"possible", "best_play_takes_all"} <= answer.json.keys()


def test_people_get_a_sentence_and_the_line(inside: Run) -> None:
    answer = inside("claim", *C3, "--tricks", "5")
    assert answer.status == 0
    assert "Sound: you take 5 of 5 against all 11,628 hands the opponent can hold (exact)." in answer.stdout
    assert "J♥ J♦ A♥ keep 5, 9♥ A♠ keep 4." in answer.stdout


def test_people_get_the_hand_that_beats_the_claim() -> None:
    text = words(judge_claim("9H TH", "H", "me", 1))
    assert "Not sound: you claim 1 of 2, but none is certain" in text
    assert "One hand is enough" in text and "taken by" in text


def test_people_get_a_guess_as_a_tree_that_is_never_a_wall() -> None:
    answer = judge_claim(**GUESS, seen=GUESS_SEEN)  # type: ignore[arg-type]
    assert answer.refutation.kind == "guess"
    text = words(answer)
    assert "you have to guess" in text
    assert (
        "  they play Q♣" in text
        and "  you A♠: the opponent holds 9♠" in text
        and "  you A♥: the opponent holds 10♥" in text
    )
    assert len(text.splitlines()) <= MOST_TREE_LINES + 16


def test_json_of_a_guess_nests_as_documented() -> None:
    answer = judge_claim(**GUESS, seen=GUESS_SEEN).to_json()  # type: ignore[arg-type]
    refutation = answer["refutation"]
    assert refutation["kind"] == "guess"
    assert refutation["tree"]["opponent"] == ["QC"]
    assert refutation["tree"]["you"] == {
        "AS": {"layout": ["9S"], "line": ["9S", "AH"]},
        "AH": {"layout": ["TH"], "line": ["TH", "AS"]},
    }
    assert refutation["line"][0] == "QC" and refutation["layout"] in (["QC", "9S"], ["QC", "TH"])


def test_people_get_concessions() -> None:
    assert "whatever is played, you get no trick (all" in words(judge_concession("TS 9S 9C", "H", "them"))
    text = words(judge_concession("TS 9S 9C", "H", "me"))
    assert "3 tricks can still fall to you" in text and "For example, if the opponent holds" in text
    assert "you get at most 1 of 2 tricks" in words(judge_concession("AS 9S", "H", "them", 1, opponent_holds=["JH"]))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--hand", "JD 8H"), "8H in your hand"),
        (("--hand", "JD JD"), "JD stands twice"),
        (("--tricks", "3"), "3 tricks are claimed and 2 remain"),
        (("--tricks", "many"), "many"),
        (("--opponent-holds", "AS", "--seen", "AS"), "AS stands both"),
        (("--opponent-holds", "AS", "--opponent-void", "S"), "void in ♠"),
        (("--opponent-void", "S H", "--opponent-void", "D,C"), "only 0 unseen"),
        (("--history", "KH/9C", "--first-lead", "me"), "lead"),
        (("--history", "KS/KH KD/AD KC/QS", "--first-lead", "me", "--lead", "me"), "trick 1 of the history (KS/KH)"),
        (("--option", "first_m=3"), "first_m"),
        (("--lead", "it"), "it"),
        (("--trump", "NT"), "NT"),
        (("--out", "x.csv"), "--from"),
        (("--hnad", "JD"), "hnad"),
    ],
)
def test_bad_input_is_one_line_and_status_2(inside: Run, arguments: tuple[str, ...], expected: str) -> None:
    question = {"--hand": "JD 9H", "--trump": "H", "--lead": "them", "--tricks": "1"}
    for name in arguments[::2]:
        question.pop(name, None)
    if "--history" in arguments:
        question.pop("--lead", None)
    rest = [word for pair in question.items() for word in pair]
    if arguments == ("--history", "KH/9C", "--first-lead", "me"):
        rest += ["--lead", "them"]
    inside("claim", *rest, *arguments, "--json").assert_refused(expected)


def test_missing_parts_are_named(inside: Run) -> None:
    inside("claim", "--trump", "H", "--lead", "me", "--tricks", "1").assert_refused("no --hand")
    inside("claim", "--hand", "JH", "--lead", "me", "--tricks", "1").assert_refused("no --trump")


def test_a_table_of_questions(inside: Run, tmp_path: Path) -> None:
    questions, out = tmp_path / "questions.csv", tmp_path / "answers.json"
    questions.write_text(
        "id,hand,trump,lead,tricks,opponent-void,history,first-lead,concede\n"
        "C1,9H TH,H,,2,,AH/QC,me,\n"
        "broken,9H 9H,H,me,1,,,,\n"
        "C3,JH JD AH 9H AS,H,them,5,,,,no\n"
        "X1,TS 9S 9C,H,them,,,,,yes\n"
    )
    answer = inside("claim", "--from", str(questions), "--out", str(out))
    answer.assert_refused("row 2 (line 3): 9H stands twice in your hand", "the other 3 of 4 rows are answered")
    answers = json.loads(out.read_text())
    assert [entry.get("sound") for entry in answers] == [True, None, True, True]
    assert answers[0]["guaranteed_tricks"] == 2 and answers[3]["possible_tricks"] == 0
    table = tmp_path / "answers.csv"
    inside("claim", "--from", str(questions), "--out", str(table)).assert_refused("row 2")
    assert list(pd.read_csv(table)["guaranteed_tricks"].dropna()) == [2, 5, 0]


def test_a_table_on_stdout(inside: Run, tmp_path: Path) -> None:
    questions = tmp_path / "questions.csv"
    questions.write_text("hand,trump,lead,tricks\nJD 9H,H,them,1\n")
    done = inside("claim", "--from", str(questions))
    assert done.status == 0 and "guaranteed_tricks" in done.stdout.splitlines()[0]
    assert inside("claim", "--from", str(questions), "--json").json["answers"][0]["sound"] is True


def test_options_beside_a_table_fill_its_gaps(inside: Run, tmp_path: Path) -> None:
    questions = tmp_path / "questions.csv"
    questions.write_text("hand,trump,lead,tricks\nJD 9H,H,them,1\n")
    questions.write_text("hand,lead,tricks\nJD 9H,them,1\nJD 9H,them,2\n")
    filled = inside("claim", "--from", str(questions), "--trump", "H", "--json").json["answers"]
    assert [row["sound"] for row in filled] == [True, False]
    whole = ("--certificate", str(tmp_path / "whole.json"))
    inside("claim", "--from", str(questions), *whole).assert_refused("--certificate is for a single question")
    inside("claim", "--from", str(tmp_path / "none.csv")).assert_refused("none.csv")
    questions.write_text("hands,trump\nJD,H\n")
    inside("claim", "--from", str(questions)).assert_refused("unknown column 'hands'; did you mean 'hand'?")
