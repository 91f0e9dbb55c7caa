"""The study `answer-book`: what `towerlab upcard` says of every class of hands of 1..7 cards, in one pass.

`analysis.towers_and_bowers.explorer.answers` has the columns; a row a class, by number of cards, up-card and hand.
P(win the tower) and chances are rounded to `DIGITS`. The tables that ship for the report (`table_rules.csv`,
`kinds.csv` …) come with it (see `analysis.towers_and_bowers.explorer.rules` and `.kinds`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.explorer.answers import QUESTIONS, answer_classes, count_classes
from towerlab.analysis.towers_and_bowers.explorer.kinds import kinds
from towerlab.analysis.towers_and_bowers.explorer.rules import best_rules, table_rules
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.bidding import up_cards
from towerlab.solver.two_hands.tablebase import MOST_CARDS

DIGITS: Final = 6
TABLE: Final = "answer-book"
_CLASSES_A_CHUNK = 6_000


def _chunks(parameters: Mapping[str, Any]) -> Iterator[tuple[int, int, int]]:
    """(cards, up-card, first class) of every chunk."""
    most = int(parameters["most_cards"])
    if not 1 <= most <= MOST_CARDS:
        raise TowerlabError(f"most_cards={most} is no hand size; expected 1 to {MOST_CARDS}")
    for cards in range(1, most + 1):
        firsts = range(0, count_classes(cards), _CLASSES_A_CHUNK)
        for up, first in itertools.product(up_cards(), firsts):
            yield cards, up, first


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    cards, up, first = next(itertools.islice(_chunks(parameters), chunk, None))
    last = min(first + _CLASSES_A_CHUNK, count_classes(cards))
    answers = answer_classes(cards, up, first, last)
    answers.insert(0, "cards", np.int8(cards))
    return answers


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    book = pd.concat(tables, ignore_index=True).round(DIGITS)
    rules = table_rules(book)
    best = {
        f"{row['cards']} cards, {row['seat']}": {"trumps": row["trumps"], "cost_mt": row["cost_mt"]}
        for row in best_rules(rules).to_dict("records")
    }
    summary = {"classes": len(book), "questions": len(QUESTIONS), "exact": True, "accept_with": best}
    return StudyResult({TABLE: book, "table-rules": rules, "kinds": kinds(book)}, summary)


ANSWER_BOOK: Final = Study(
    game="towers-and-bowers",
    name="answer-book",
    help="What `towerlab upcard` says of every class of hands of 1..7 cards: both seats, both rounds.",
    parameters={"most_cards": MOST_CARDS},
    count_chunks=lambda parameters: sum(1 for _ in _chunks(parameters)),
    run_chunk=_run_chunk,
    combine=_combine,
)
