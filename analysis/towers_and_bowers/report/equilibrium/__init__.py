"""`towerlab report towers-and-bowers --page equilibrium`: what the deal is worth when hands are hidden.

Everything is counted from the solutions at hand (`analysis.towers_and_bowers.solutions.bidding`,
`analysis.towers_and_bowers.solutions.deal_value`) when it is built, so better solutions make a better page.

data      decisions of every class of hands, how often each is reached, what bidding without mixing gives up
figures   values, mixes, accept charts
words     surprising decisions, odd and even hands
page      sections and checks
"""

from __future__ import annotations

from pathlib import Path

from analysis.report.write import write_report
from analysis.towers_and_bowers.report.equilibrium.page import build_page

__all__ = ["build_page", "write_page"]


def write_page(folder: Path, *, seed: int = 0, jobs: int | None = None, quiet: bool = False) -> Path:
    """Write the page and its tables, and return the path of the page.

    Args:
        folder: where to.
        seed, jobs, quiet: as every report takes them; nothing here is sampled or takes long.

    Raises:
        ReportError: the page does not add up.
        OSError: the folder cannot be written.
    """
    return write_report(folder, build_page())
