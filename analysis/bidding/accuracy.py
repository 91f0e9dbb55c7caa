"""What does a bidding rule cost? The study `bidding-accuracy` of Bowers and Towie: what rules get in the same
decisions, in points a deal.

A rule is found on other seeds than those it is measured on.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.printed_rules import loss_on_halves
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


def decision_scores(
    points: Floats, calls: Sequence[int], chosen: Mapping[str, int], rule: str, folds: int
) -> dict[str, Any]:
    """Return what each rule and the reference get in one decision, and what one rule loses (`loss_on_halves`).

    Args:
        points: of each call, float64[layouts, calls].
        calls: that are judged.
        chosen: the call of each rule; NaN is got by one that is not among them.
        rule: that is asked what it loses.
        folds: as of `score_by_other_layouts`.
    """
    values = dict(zip(calls, points.mean(axis=0).tolist(), strict=True))
    got = {name: values.get(call, np.nan) for name, call in chosen.items()}
    return got | {REFERENCE: score_by_other_layouts(points, folds), **loss_on_halves(points, calls.index(chosen[rule]))}


def rule_rows(kinds: Mapping[str, Bools], decisions: pd.DataFrame, rules: Iterable[str]) -> pd.DataFrame:
    """Return kind, rule, cost (less than the reference gets) and gain (more than a pass), 95 % intervals, and n.

    Args:
        kinds: which decisions are of each kind, bool[decisions].
        decisions: points of each rule, of `PASSING` and of `REFERENCE`; NaN where a rule says nothing.
        rules: which to score.
    """
    rows = []
    for kind, of_kind in kinds.items():
        for rule in rules:
            part = decisions[of_kind & decisions[rule].notna()]
            if len(part):
                cost = mean_interval(part[REFERENCE] - part[rule]).row("cost")
                gain = mean_interval(part[rule] - part[PASSING]).row("gain")
                rows.append({"kind": kind, "rule": rule, **cost, **gain, "n": len(part)})
    return pd.DataFrame(rows)
