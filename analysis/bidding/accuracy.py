"""What does a bidding rule cost? The study `bidding-accuracy` of Bowers and Towie compares rules in the same decisions,
in points a deal.

A rule is fitted with other seeds than those it is measured with.

    towerlab study bowers bidding-accuracy --set chunks=1 --out folder
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
    """Return the points of the best call, scored on layouts that did not choose it (cross-validation).

    Args:
        points: the points of each call, float64[layouts, calls].
        folds: number of parts of the layouts; each part scores the call that is best on all the others.
    """
    total = points.sum(axis=0)
    parts = [points[fold::folds] for fold in range(folds)]
    return float(np.mean([part[:, (total - part.sum(axis=0)).argmax()].mean() for part in parts]))


def decision_scores(
    points: Floats, calls: Sequence[int], chosen: Mapping[str, int], rule: str, folds: int
) -> dict[str, Any]:
    """Return the points of each rule and of the reference in one decision, and the loss of one rule (`loss_on_halves`).

    Args:
        points: the points of each call, float64[layouts, calls].
        calls: the calls that were valued.
        chosen: the call of each rule; a rule whose call was not valued gets NaN.
        rule: the rule whose loss is returned.
        folds: the same as in `score_by_other_layouts`.
    """
    values = dict(zip(calls, points.mean(axis=0).tolist(), strict=True))
    got = {name: values.get(call, np.nan) for name, call in chosen.items()}
    return got | {REFERENCE: score_by_other_layouts(points, folds), **loss_on_halves(points, calls.index(chosen[rule]))}


def rule_rows(kinds: Mapping[str, Bools], decisions: pd.DataFrame, rules: Iterable[str]) -> pd.DataFrame:
    """Return a row for each kind and rule: its cost against the reference, its gain over a pass, 95 % intervals, n.

    Args:
        kinds: which decisions are of each kind, bool[decisions] by the name of the kind.
        decisions: the points of each rule, of `PASSING` and of `REFERENCE`; NaN where a rule has no call.
        rules: the rules to score.
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
