"""The study `bidding-accuracy` of Bowers and Towie: what rules for bidding get in the same decisions, in points a deal.

A rule is found on other seeds than those it is measured on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd

from towerlab.analysis.stats import mean_interval
from towerlab.games.arrays import Bools, Floats

HELP: Final = "what rules for bidding cost, and gain over passing, in points a deal"
PASSING: Final = "always pass"
REFERENCE: Final = "the best call, by other layouts"


def score_by_other_layouts(points: Floats, folds: int) -> float:
    """Return what a call gets on layouts that did not choose it: so it is paid for no luck in its own sample.

    Args:
        points: of each call, float64[layouts, calls].
        folds: parts of the layouts; the call that is best on all others is scored on each.
    """
    total = points.sum(axis=0)
    parts = [points[fold::folds] for fold in range(folds)]
    return float(np.mean([part[:, (total - part.sum(axis=0)).argmax()].mean() for part in parts]))


def rules_table(kinds: Mapping[str, Bools], points: Mapping[str, Floats]) -> pd.DataFrame:
    """Return kind, rule, cost (less than the reference gets) and gain (more than a pass), 95 % intervals, and n.

    Args:
        kinds: which decisions are of each kind, bool[decisions].
        points: of each rule, of `PASSING` and of `REFERENCE`, float64[decisions]; NaN where a rule says nothing.
    """
    rows = []
    for kind, of_kind in kinds.items():
        for rule, got in points.items():
            where = of_kind & ~np.isnan(got)
            if where.any():
                cost = mean_interval((points[REFERENCE] - got)[where]).row("cost")
                gain = mean_interval((got - points[PASSING])[where]).row("gain")
                rows.append({"kind": kind, "rule": rule, **cost, **gain, "n": int(where.sum())})
    return pd.DataFrame(rows)
