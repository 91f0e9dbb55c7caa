"""The study `deal-outcomes`: all deals of 1..7 cards counted by what each contract yields, the data behind W(n).

It makes ``data/deal_outcomes.csv``, which `analysis.towers_and_bowers.solutions.deal_value` reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding.views import count_classes
from towerlab.solver.towers_and_bowers.classes import UpCardClasses, up_card_classes

COLUMNS: Final = ("cards", "discard_up_card", "accepted", "most", "fewest", "deals")
_CLASSES_A_CHUNK: Final = 8_000


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Count the deals of one chunk of classes (nothing is sampled: the seed is not used)."""
    cards, first = _chunks(parameters)[chunk]
    classes = up_card_classes(cards)
    part = UpCardClasses(*(column[first : first + _CLASSES_A_CHUNK] for column in classes))
    rows = [
        (cards, int(allowed), *map(int, place), int(counts[tuple(place)]))
        for allowed in (False, True)
        for counts in [count_classes(part, TowersAndBowersOptions(allow_discard_upcard=allowed).hand_rules)]
        for place in np.argwhere(counts)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Add the chunks up: table ``deal_outcomes`` is the data file."""
    added = pd.concat(tables).groupby(list(COLUMNS[:-1]), as_index=False).sum()
    totals = added[added.discard_up_card == 0].groupby("cards").deals.sum()
    return StudyResult({"deal_outcomes": added}, {"deals": {str(cards): int(n) for cards, n in totals.items()}})


def _chunks(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    """(hand size, first class) of every chunk."""
    sizes = range(1, int(parameters["most_cards"]) + 1)
    return [(n, first) for n in sizes for first in range(0, len(up_card_classes(n).ups), _CLASSES_A_CHUNK)]


DEAL_OUTCOMES: Final = Study(
    game="towers-and-bowers",
    name="deal-outcomes",
    help="Count all deals of 1..7 cards by what each contract yields: the data file behind W(n).",
    parameters={"most_cards": 7},
    count_chunks=lambda parameters: len(_chunks(parameters)),
    run_chunk=_run_chunk,
    combine=_combine,
)
