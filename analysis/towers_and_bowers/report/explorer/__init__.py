"""`towerlab report towers-and-bowers --page explorer`: one file that answers any bidding question by itself.

It holds the study `answer-book`, packed by `analysis.towers_and_bowers.explorer.packed`; its script ranks a hand into
its class and looks it up.
"""

from __future__ import annotations

from typing import Final

from analysis.report.studies import Part, Report
from analysis.towers_and_bowers.report.explorer.page import build_page
from analysis.towers_and_bowers.studies.answer_book import ANSWER_BOOK, TABLE

__all__ = ["EXPLORER_PAGE", "build_page"]

EXPLORER_PAGE: Final = Report(
    ANSWER_BOOK.game,
    lambda runs, seed, command: build_page(runs[ANSWER_BOOK.name].tables[TABLE], seed, command),
    (Part(ANSWER_BOOK, seed=None),),
    page="explorer",
    file="explorer.html",
    about="Look your hand up",
)
