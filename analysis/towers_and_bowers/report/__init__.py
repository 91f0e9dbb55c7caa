"""The Towers & Bowers report: accept or pass at seven cards over every hand and up-card, and studies of played matches.

view      the up-card book with the columns that the report groups and counts by
figures   accept charts, closeness, outcomes, how often, W(n)
tables    ledger, habits, when to pass, striking hands
runs      the studies of played matches, in the report's sizes
leaks     what bidding rules cost, what ways of claiming get wrong
played    who wins, how far the model is from play
findings  the numbers that its sentences quote
page      the findings in words, and the sections
sums      what has to add up

`equilibrium` is a page of its own: what the deal is worth when hands are hidden.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pandas as pd

from analysis.report.page import rules_in_force
from analysis.report.write import write_report as write_folder
from analysis.study import run_study
from analysis.towers_and_bowers.report.equilibrium import write_page
from analysis.towers_and_bowers.report.page import build_page
from analysis.towers_and_bowers.report.runs import run_studies
from analysis.towers_and_bowers.solutions.deal_value import deal_values
from analysis.towers_and_bowers.upcard.book import BOOK
from games.towers_and_bowers import TowersAndBowersOptions

__all__ = ["BOOK_FOLDER", "PAGES", "build_page", "write_report"]

BOOK_FOLDER: Final = Path(f"{BOOK.game}-{BOOK.name}")  # where `towerlab study` puts the book by itself
COMMAND: Final = f"towerlab report {BOOK.game}"
PAGES: Final[Mapping[str, Callable[..., Path]]] = {"equilibrium": write_page}


def write_report(
    folder: Path, book: Path | None = None, *, seed: int = 0, jobs: int | None = None, quiet: bool = False
) -> Path:
    """Write the page and its tables, and return the path of the page.

    Args:
        folder: where to.
        book: folder of the study `upcard-book` (some minutes on two cores); what is missing there is built first, and
            so are the studies of played matches, in folders beside it. None for `BOOK_FOLDER` in the current folder.
        seed: of the studies of played matches.
        jobs: processes that build what is missing; None for all cores.
        quiet: no progress on stderr.

    Raises:
        TowerlabError: a study's folder holds another study, or one of another seed or version.
        ReportError: the page does not add up.
        OSError: a folder cannot be written.
    """
    book = book or BOOK_FOLDER
    tables = run_study(BOOK, book, jobs=jobs, resume=True, quiet=quiet).tables
    runs = run_studies(book, seed=seed, jobs=jobs, quiet=quiet)
    values = pd.DataFrame([dataclasses.asdict(value) for value in deal_values()])
    command = f"{COMMAND} --seed {seed}" if seed else COMMAND
    page = build_page(tables["book"], values, runs, rules_in_force(TowersAndBowersOptions()), command)
    return write_folder(folder, page)
