"""The Towers & Bowers report: accept or pass at seven cards over every hand and up-card, and studies of played matches.

view      the up-card book with the columns that the report groups and counts by
figures   accept charts, closeness, outcomes, how often, W(n)
tables    ledger, habits, when to pass, striking hands
leaks     what bidding rules cost, what ways of claiming get wrong
played    who wins, how far the model is from play
findings  the numbers that its sentences quote
page      the findings in words, and the sections
sums      what has to add up

Pages of their own: `equilibrium`, what the deal is worth when hands are hidden; `explorer`, which answers any question;
`exploitability`, how good the players are, exactly.
"""

from __future__ import annotations

import dataclasses
from typing import Final

import pandas as pd

from analysis.report.page import Page, rules_in_force
from analysis.report.studies import Part, Report, Runs
from analysis.towers_and_bowers.report.equilibrium import EQUILIBRIUM_PAGE
from analysis.towers_and_bowers.report.exploitability import EXPLOITABILITY_PAGE
from analysis.towers_and_bowers.report.explorer import EXPLORER_PAGE
from analysis.towers_and_bowers.report.page import build_page
from analysis.towers_and_bowers.solutions.deal_value import deal_values
from analysis.towers_and_bowers.studies.bidding_accuracy import BIDDING
from analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING
from analysis.towers_and_bowers.studies.double_dummy_gap import GAP
from analysis.towers_and_bowers.studies.tournament import TOURNAMENT
from analysis.towers_and_bowers.upcard.book import BOOK
from games.towers_and_bowers import TowersAndBowersOptions

__all__ = ["PLAYED", "REPORT", "build_page"]

# The book takes some minutes on two cores and samples nothing; the studies of played matches about two together.
PLAYED: Final = (
    Part(TOURNAMENT, {"chunks": 5}),
    Part(BIDDING, {"chunk_pairs": 5}),
    Part(GAP, {"chunks": 5}),
    Part(CLAIMING, {"chunks": 6, "matches": 3}),
)


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the book and the studies of played matches, once they have been run."""
    values = pd.DataFrame([dataclasses.asdict(value) for value in deal_values()])
    rules = rules_in_force(TowersAndBowersOptions())
    played = {name: run for name, run in runs.items() if name != BOOK.name}
    return build_page(runs[BOOK.name].tables["book"], values, played, rules, command)


REPORT: Final = Report(
    BOOK.game,
    build,
    (Part(BOOK, seed=None), *PLAYED),
    pages={page.page: page for page in (EQUILIBRIUM_PAGE, EXPLORER_PAGE, EXPLOITABILITY_PAGE)},
)
