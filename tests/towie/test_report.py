"""The page of Towie from made-up decisions and small runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from towerlab.analysis.bidding.accuracy import PASSING, REFERENCE
from towerlab.analysis.report.render import render_page
from towerlab.analysis.report.studies import Run
from towerlab.analysis.study.definition import default_parameters
from towerlab.analysis.towie.report import REPORT, build
from towerlab.analysis.towie.studies.bidding_accuracy import (
    BID_OF_RULE,
    BIDDING_ACCURACY,
    DOUBLER,
    KINDS,
    MANY,
    OPENING,
    OVER,
    RULES_OF,
    THE_RULE,
    TIES,
)


def made_up_decisions() -> pd.DataFrame:
    """A bid gains twenty points a deal for every high-card point above thirteen."""
    random = np.random.default_rng(1)
    rows = []
    for kind in KINDS:
        for _ in range(300):
            points = random.integers(0, 16)
            six = random.integers(0, 12)
            bid = 20.0 * (points + six - 13) + random.normal(0, 80)
            ruled = bid if points + six >= RULES_OF[kind].least else 0.0
            row = {"kind": kind, "points": points, "six_points": six, PASSING: 0.0, THE_RULE: ruled, BID_OF_RULE: bid}
            row |= {DOUBLER: bid if kind == OVER else np.nan, "novice": 0.0, "pimc": max(bid, 0.0)}
            row[REFERENCE] = max(bid, 0.0)
            lost = max(bid, 0.0) - ruled
            about = {"hand": "K975.AT86.8.A653", "six": "AS 4S 2S QD 9D 7C", "auction": "", "said": "pass"}
            rows.append(row | about | dict.fromkeys(("seems", "lost", "lost_low", "lost_high"), lost))
    return pd.DataFrame(rows)


@pytest.mark.slow
def test_the_page_prints_the_rule_and_what_was_measured_of_it() -> None:
    decisions = made_up_decisions()
    runs = {"bidding-accuracy": Run(BIDDING_ACCURACY, 2, BIDDING_ACCURACY.combine([decisions], {"layouts": 16}), {})}
    for part in REPORT.parts[1:]:
        study = part.study
        parameters = default_parameters(study) | part.small
        seeds = np.random.SeedSequence(3).spawn(study.count_chunks(parameters))
        tables = [study.run_chunk(number, seed, parameters) for number, seed in enumerate(seeds)]
        runs[study.name] = Run(study, 3, study.combine(tables, parameters), {})
    html = " ".join(render_page(build(runs, 3, "towerlab report towie")).split()).replace("−", "-")
    rule = RULES_OF[OPENING]
    opening = decisions[decisions["kind"] == OPENING]
    assert f"from {rule.least} high-card points, the six included, bid {rule.words}." in html and TIES in html
    assert f"{RULES_OF[OVER].words} from {RULES_OF[OVER].least} points: " in html
    assert f"the rule gains {opening[THE_RULE].mean():+.0f} (" in html
    assert "of a hundred such claims" in html and "games" in html
    lost = opening["lost"]
    assert f"{(lost > MANY).mean():.0%} (".replace("%", " %") in html and f"the worst drawn {lost.max():.0f}:<" in html
