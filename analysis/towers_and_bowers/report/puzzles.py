"""`towerlab report towers-and-bowers --page puzzles`: puzzles in one file that needs no server and no network.

It holds the study `puzzles`, easy ones first, and asks as `towerlab train` does: what was answered wrongly comes back;
the browser keeps the answers. A theme and a reason follow an answer.
"""

from __future__ import annotations

import json
from typing import Any, Final

import numpy as np
import pandas as pd
from markupsafe import Markup

from towerlab.analysis.decision import CHANCES
from towerlab.analysis.report.page import Check, holds, run_checks
from towerlab.analysis.report.studies import Report, ReportStudy
from towerlab.analysis.report.write import SingleFile, render_file
from towerlab.analysis.tables import records
from towerlab.analysis.towers_and_bowers.move import ask_link
from towerlab.analysis.towers_and_bowers.studies.puzzles import MOST, PUZZLES, TABLE, chances_of
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import PRINTED_DISCARD, PRINTED_LEAD
from towerlab.games.cards import DECK_24, SUITS, card_text, sorted_cards

_PACKAGE: Final = "towerlab.analysis.towers_and_bowers.report"
PAGE_LIMIT: Final = 300_000  # bytes
TITLE: Final = "Puzzles"
QUESTION: Final = "Towers & Bowers with two to four cards: accept or pass, what to discard, what to lead?"
_LEAST: Final = CHANCES.number(CHANCES.mistake)
_ASKED: Final = 5  # puzzles that are answered again when the page is built
_ROUNDING: Final = 0.0051  # percentage points


def build_page(puzzles: pd.DataFrame, seed: int, command: str) -> SingleFile:
    """The page.

    Args:
        puzzles: table of the study `puzzles`.
        seed: of the puzzles that are answered again.
        command: makes the page again.

    Raises:
        ReportError: a puzzle is not what it should be, or the page is too large.
    """
    rows = records(puzzles)
    checks = _checks(puzzles, rows, seed)
    run_checks(checks)
    return render_file(
        _PACKAGE,
        "puzzles",
        PAGE_LIMIT,
        TITLE,
        QUESTION,
        command,
        {"puzzles": len(rows)},
        data=Markup(json.dumps(_data(rows), separators=(",", ":"), ensure_ascii=False)),
        puzzles=len(rows),
        mistake=f"{_LEAST:g} {CHANCES.noun}",
        blunder=f"{CHANCES.number(CHANCES.blunder):g} {CHANCES.noun}",
        discard=str(PRINTED_DISCARD),
        lead=str(PRINTED_LEAD),
        checks=checks,
    )


def _data(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the script needs; the trumps of each suit from the top stand in it, so that it knows no rule."""
    trumps = {SUITS[suit]: [card_text(card) for card in sorted_cards(DECK_24, suit, True)[:7]] for suit in range(4)}
    right = sum(bool({*row["rule"].split()} & {*row["right"].split()}) for row in rows)
    names = ("kind", "link", "right", "rule", "open_cards", "theme", "difficulty", "reason")
    listed = [[*(row[name] for name in names), json.loads(row["chances"])] for row in rows]
    marks = [[name, CHANCES.number(least)] for name, least in CHANCES.marks.items()]
    return {"trumps": trumps, "ruleRight": right, "marks": marks, "noun": CHANCES.noun, "puzzles": listed}


def _checks(puzzles: pd.DataFrame, rows: list[dict[str, Any]], seed: int) -> tuple[Check, ...]:
    chosen = np.random.default_rng(seed).choice(len(rows), min(_ASKED, len(rows)), replace=False).tolist()
    wrong = []
    for row in (rows[number] for number in chosen):
        chances = chances_of(ask_link(row["link"]))
        stated = json.loads(row["chances"])
        if stated.keys() != chances.keys() or any(
            abs(stated[name] - 100 * chances[name]) > _ROUNDING for name in stated
        ):
            wrong.append(row["link"])
    answers = [({*row["rule"].split()}, row["open_cards"], {*row["right"].split()}) for row in rows]
    missed = all(not rule & right or open_cards not in right for rule, open_cards, right in answers)
    gaps = puzzles["gap_points"]
    return (
        holds("no position is asked twice", puzzles["link"].is_unique),
        holds(f"the best answer leads by {_LEAST:g} to {MOST:g} points", gaps.between(_LEAST, MOST).all()),
        holds("the printed rule or open cards miss every puzzle", missed),
        holds(
            "puzzles answered again have the same chances", not wrong, f"not so: {wrong}" if wrong else f"seed {seed}"
        ),
    )


PUZZLES_PAGE: Final = Report(
    PUZZLES.game,
    lambda runs, seed, command: build_page(runs[PUZZLES.name].tables[TABLE], seed, command),
    (ReportStudy(PUZZLES),),
    page="puzzles",
    file="puzzles.html",
    about=TITLE,
)
