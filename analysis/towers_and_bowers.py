"""What the generic commands find of Towers & Bowers: its studies, its report and its kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis import claims, match_simulation, review
from analysis.deal_value import combine_outcomes, count_outcome_chunks, count_outcomes
from analysis.match_studies import BIDDING, CLAIMING, GAP, TOURNAMENT
from analysis.study import Study
from analysis.upcard import ask_upcard
from analysis.upcard_book import BOOK

DEAL_OUTCOMES: Final = Study(
    game="towers-and-bowers",
    name="deal-outcomes",
    help="Count all deals of 1..7 cards by what each contract yields: the data file behind W(n).",
    parameters={"most_cards": 7},
    count_chunks=count_outcome_chunks,
    run_chunk=count_outcomes,
    combine=combine_outcomes,
)

STUDIES: Final[Mapping[str, Study]] = {
    study.name: study for study in (BOOK, DEAL_OUTCOMES, TOURNAMENT, BIDDING, CLAIMING, GAP)
}


def warm_up() -> None:
    """Compile every kernel that an answer of this game needs."""
    for seat in ("nondealer", "dealer"):
        ask_upcard("JS AH", "QS", seat)
    claims.warm_up()
    review.warm_up()
    match_simulation.warm_up()
