"""The study `answer-book`: what `towerlab upcard` says of every class of hands of 1..4 cards, and of a sample above.

`analysis.towers_and_bowers.explorer.answers` has the columns; a row a class, by number of cards, up-card and hand. Of
five to seven cards there are `hands` classes of every kind, each call played out on `deals` deals. P(win the tower)
and chances are rounded to `DIGITS`. The tables that ship for the report (`table_rules.csv`, `kinds.csv` …) come with it
(see `analysis.towers_and_bowers.explorer.rules` and `.kinds`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.explorer.answers import (
    QUESTIONS,
    answer_classes,
    count_classes,
    sample_answers,
)
from towerlab.analysis.towers_and_bowers.explorer.kinds import kinds
from towerlab.analysis.towers_and_bowers.explorer.rules import best_rules, table_rules
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.bidding import up_cards
from towerlab.solver.two_hands.tablebase import MOST_CARDS

DIGITS: Final = 6
TABLE: Final = "answer-book"


def _chunks(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    """(cards, up-card) of every chunk."""
    most = int(parameters["most_cards"])
    if not 1 <= most <= MOST_CARDS:
        raise TowerlabError(f"most_cards={most} is no hand size; expected 1 to {MOST_CARDS}")
    return list(itertools.product(range(1, most + 1), up_cards()))


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    cards, up = _chunks(parameters)[chunk]
    if cards <= LARGEST_STORED:
        answers = answer_classes(cards, up, 0, count_classes(cards))
    else:
        number = int(seed.generate_state(1)[0])
        answers = sample_answers(cards, up, int(parameters["hands"]), int(parameters["deals"]), number)
    answers.insert(0, "cards", np.int8(cards))
    return answers


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    book = pd.concat(tables, ignore_index=True).round(DIGITS)
    rules = table_rules(book)
    best = {
        f"{row['cards']} cards, {row['seat']}": {"trumps": row["trumps"], "cost_mt": row["cost_mt"]}
        for row in best_rules(rules).to_dict("records")
    }
    drawn = {name: int(parameters[name]) for name in ("hands", "deals")}
    summary = {"classes": len(book), "questions": len(QUESTIONS), "above_four_cards": drawn, "accept_with": best}
    return StudyResult({TABLE: book, "table-rules": rules, "kinds": kinds(book)}, summary)


ANSWER_BOOK: Final = Study(
    game="towers-and-bowers",
    name="answer-book",
    help="What `towerlab upcard` says of every class of hands of 1..4 cards, and of a sample of five to seven.",
    parameters={"most_cards": MOST_CARDS, "hands": 100, "deals": 200},
    count_chunks=lambda parameters: len(_chunks(parameters)),
    run_chunk=_run_chunk,
    combine=_combine,
)
