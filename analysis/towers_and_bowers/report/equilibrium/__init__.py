"""`towerlab report towers-and-bowers --page equilibrium`: what the deal is worth when hands are hidden.

Everything is counted from the solutions at hand (`analysis.towers_and_bowers.solutions.bidding`,
`analysis.towers_and_bowers.solutions.deal_value`) when it is built, so better solutions make a better page.

data      decisions of every class of hands, how often each is reached, what bidding without mixing gives up
figures   values, mixes, accept charts
words     surprising decisions, odd and even hands
page      sections and checks
"""

from __future__ import annotations

from typing import Final

from analysis.report.studies import Report
from analysis.towers_and_bowers.report.equilibrium.page import build_page

__all__ = ["EQUILIBRIUM_PAGE", "build_page"]

EQUILIBRIUM_PAGE: Final = Report(
    "towers-and-bowers",
    lambda runs, seed, command: build_page(),
    page="equilibrium",
    file="equilibrium/index.html",
    about="What the deal is worth",
)
