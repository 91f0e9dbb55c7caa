"""What bidding rules cost: the costliest mistakes, and the checks of the study `bidding-accuracy`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.report.bidding.page import checks_of_costs, make_up
from analysis.report.checks import Check, adds_up, agrees
from analysis.report.studies import Run
from analysis.towers_and_bowers.studies.bidding_accuracy import BOTH


def mistakes(run: Run) -> pd.DataFrame:
    """The players' ten costliest decisions."""
    frame = run.tables["mistakes"]
    frame = frame[frame["cost_mt"] > 0].reset_index(drop=True)
    return frame.assign(seat=np.where(frame.pop("dealer"), "dealer", "non-dealer"))


def checks_of_the_bidding(run: Run) -> tuple[Check, ...]:
    """The seats make up both, and the two constant rules make up all decisions."""
    rules = run.tables["rules"]
    constant = rules[(rules["kind"] == BOTH) & rules["rule"].isin(("always accept", "never accept"))]
    first = run.tables["lists"].iloc[0]
    return (
        *checks_of_costs(run),
        *make_up(rules, BOTH),
        adds_up("always and never accepting lose nothing in every decision together", constant["no_worse"], 1.0),
        agrees(
            "the list of one clause costs what that constant rule costs",
            first["cost"],
            constant.set_index("rule")["cost"]["always accept" if "accept" in first["rule"] else "never accept"],
        ),
    )
