"""`towerlab claim` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from tests.conftest import Answer
from towerlab.analysis.claims.present import MOST_TREE_LINES
from towerlab.analysis.present import console
from towerlab.analysis.towers_and_bowers.claims import judge_claim

Run = Callable[..., Answer]

GUESS = {"hand": "AS AH", "trump": "C", "lead": "them", "tricks": 1}
GUESS_SEEN = "9C TC KC AC JC JS KS QS JS TS JH QH KH 9H 9D TD JD QD KD AD".replace(" JS", "", 1)


def words(answer: Any) -> str:
    """What people read, without styles."""
    made = console()
    with made.capture() as captured:
        made.print(answer)
    return captured.get()


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
