"""What the section ``bidding.md`` of a page says of the costs of bidding rules, and what in it has to add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.report.bidding.costs import PLAYER, shortest_good_list
from analysis.report.checks import Check, holds
from analysis.report.intervals import in_intervals
from analysis.report.prose import one_row
from analysis.report.studies import Run


def by_kind(run: Run) -> list[dict[str, Any]]:
    """By kind of decision: the cheapest rule of thumb and of how many, the shortest good decision list, pimc."""
    rules, found = run.tables["rules"], []
    for kind, lists in run.tables["lists"].groupby("kind", sort=False):
        rows = rules[rules["kind"] == kind].sort_values("cost", kind="stable")
        thumbs = rows[~rows["rule"].str.startswith(PLAYER)]
        found.append(
            {"name": str(kind), "thumbs": len(thumbs), "best": thumbs.iloc[0].to_dict(),
             "good": shortest_good_list(lists), "constant": lists.iloc[0].to_dict(),
             "pimc": one_row(rows, rule=f"{PLAYER}pimc")}
        )  # fmt: skip
    return found


def checks_of_costs(run: Run) -> tuple[Check, ...]:
    """That costs lie in their intervals, and what fitting gains."""
    rules, lists = run.tables["rules"], run.tables["lists"]
    return (
        in_intervals("every cost lies in its interval", rules, lists, key="cost"),
        holds(
            "no clause raises the cost where it was fitted",
            all((rows["fitted_cost"].diff().dropna() <= 1e-9).all() for _, rows in lists.groupby("kind")),
        ),
    )


def make_up(rules: pd.DataFrame, whole: str) -> tuple[Check, ...]:
    """That the decisions of the other kinds make up those of all together, and so do their costs, rule by rule."""
    sums = rules.assign(total=rules["cost"] * rules["decisions"]).groupby([rules["kind"] == whole, "rule"])
    every, parts = (sums[["decisions", "total"]].sum().loc[key] for key in (True, False))
    return (
        holds(f"the parts' decisions make up those of {whole}", (every["decisions"] == parts["decisions"]).all()),
        holds("so do their costs", np.allclose(every["total"], parts["total"])),
    )
