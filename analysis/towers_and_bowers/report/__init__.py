"""The Towers & Bowers report: the rule for the table, every kind of hand by the equilibrium, what rules cost, play.

card      the first screen: the rule, what it costs, a worked hand
lookup    charts by hand size, what decides in cells that disagree, striking hands
choices   discards, suits, first leads, the last three cards
bidding   what bidding rules cost
played    who wins, how far the model is from play
hidden_play  whether a call turns round when cards are hidden
page      the sections

Pages of their own: `equilibrium`, what the deal is worth when hands are hidden; `explorer`, which answers any question;
`exploitability`, how good the players are, exactly.
"""

from __future__ import annotations

from typing import Final

from analysis.report.page import Page, rules_in_force
from analysis.report.studies import Part, Report, Runs
from analysis.towers_and_bowers.report.equilibrium import EQUILIBRIUM_PAGE
from analysis.towers_and_bowers.report.exploitability import EXPLOITABILITY_PAGE
from analysis.towers_and_bowers.report.explorer import EXPLORER_PAGE
from analysis.towers_and_bowers.report.page import build_page
from analysis.towers_and_bowers.studies.bidding_accuracy import BIDDING
from analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING
from analysis.towers_and_bowers.studies.double_dummy_gap import GAP
from analysis.towers_and_bowers.studies.rules_of_thumb import RULES_OF_THUMB
from analysis.towers_and_bowers.studies.tournament import TOURNAMENT
from games.towers_and_bowers import TowersAndBowersOptions

__all__ = ["PLAYED", "REPORT", "build_page"]

# Some minutes on two cores together; what is exact ships with the package.
PLAYED: Final = (
    Part(TOURNAMENT, {"chunks": 5}),
    Part(BIDDING, {"chunk_pairs": 5}),
    Part(GAP, {"chunks": 20}),
    Part(CLAIMING, {"chunks": 6, "deals": 3}),
    Part(RULES_OF_THUMB, {"chunks": 10}),
)


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the shipped tables and of the sampled studies, once they have been run."""
    return build_page(runs, rules_in_force(TowersAndBowersOptions()), command)


REPORT: Final = Report(
    GAP.game, build, PLAYED, pages={page.page: page for page in (EQUILIBRIUM_PAGE, EXPLORER_PAGE, EXPLOITABILITY_PAGE)}
)
