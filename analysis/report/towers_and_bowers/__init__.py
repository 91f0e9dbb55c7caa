"""The Towers & Bowers report: accept or pass at seven cards, over every hand and up-card.

view      the up-card book with the columns that the report groups and counts by
figures   accept charts, closeness, outcomes, how often, W(n)
tables    ledger, habits, when to pass, striking hands
findings  the numbers that its sentences quote
page      the findings in words, and the sections
sums      what has to add up
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Final

import pandas as pd

from analysis.deal_value import deal_values
from analysis.report.page import rules_in_force
from analysis.report.towers_and_bowers.page import build_page
from analysis.report.write import write_report as write_folder
from analysis.study import run_study
from analysis.upcard_book import BOOK
from games.towers_and_bowers import TowersAndBowersOptions

__all__ = ["BOOK_FOLDER", "build_page", "write_report"]

BOOK_FOLDER: Final = Path(f"{BOOK.game}-{BOOK.name}")  # where `towerlab study` puts the book by itself
COMMAND: Final = f"towerlab report {BOOK.game}"


def write_report(
    folder: Path, book: Path | None = None, *, seed: int = 0, jobs: int | None = None, quiet: bool = False
) -> Path:
    """Write the page and its tables, and return the path of the page.

    Args:
        folder: where to.
        book: folder of the study `upcard-book` (some minutes on two cores); what is missing there is built first.
            None for `BOOK_FOLDER` in the current folder.
        seed: not used, nothing here is sampled; the command of all games passes one.
        jobs: processes that build the book; None for all cores.
        quiet: no progress on stderr.

    Raises:
        TowerlabError: the book's folder holds another study, or one of another version.
        ReportError: the page does not add up.
        OSError: a folder cannot be written.
    """
    tables = run_study(BOOK, book or BOOK_FOLDER, jobs=jobs, resume=True, quiet=quiet).tables
    values = pd.DataFrame([dataclasses.asdict(value) for value in deal_values()])
    page = build_page(tables["book"], values, rules_in_force(TowersAndBowersOptions()), COMMAND)
    return write_folder(folder, page)
