"""What does the page of Towers & Bowers show? The rule for the table, every kind of hand by the equilibrium, what rules
cost, play.

page      the first screen, charts by hand size, choices after the first call
explorer  a page of its own, which answers any question of up to four cards
"""

from __future__ import annotations

from typing import Final

from towerlab.analysis.report.studies import Report, ReportStudy
from towerlab.analysis.towers_and_bowers.report.explorer import EXPLORER_PAGE
from towerlab.analysis.towers_and_bowers.report.page import build_page
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import CLAIMING, RULE_OPTIONS, RULES_OF_THUMB

__all__ = ["PLAYED", "REPORT", "build_page"]

# Some minutes on two cores together; what is exact ships with the package.
PLAYED: Final = (
    ReportStudy(CLAIMING, small={"chunks": 1, "deals": 2}),
    ReportStudy(RULES_OF_THUMB, small={"chunks": 2, "hands": 1, "matches": 1}),
    ReportStudy(RULE_OPTIONS, small={"games": 400}),
)

REPORT: Final = Report(
    CLAIMING.game,
    lambda runs, seed, command: build_page(runs, command),
    PLAYED,
    pages={EXPLORER_PAGE.page: EXPLORER_PAGE},
)
