"""`towerlab claim` as a user runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

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
