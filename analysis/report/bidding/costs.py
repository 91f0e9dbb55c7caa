"""The tables of the studies `bidding-accuracy`: what rules of bidding cost, and decision lists of one clause and more.

A decision is a row of a table with these columns, all values in one unit:

fitted       whether rules may be fitted on it; rules are scored on the others
reference    what the reference gets
value 0 …    what each action gets, in the order of the actions' names
rule NAME    what a rule gets; missing where it says nothing. ``player NAME`` calls as that player does

A rule costs what the reference gets more in the same decisions. Decisions count as independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.bidding.decision_lists import MOST_CLAUSES, apply_clauses, fit_clauses, list_text
from analysis.stats import Estimate, mean_interval
from games.arrays import Bools, Floats

RULE: Final = "rule "
PLAYER: Final = "player "
"""Begins the names of rules that no person could follow."""


@dataclass(frozen=True)
class Kind:
    """Decisions that are scored together.

    Attributes:
        name: such as ``"nobody has bid"``.
        where: which decisions, bool[decisions].
        actions: their names, where decision lists are fitted.
        conditions: of those lists: words → where they hold, bool[decisions].
    """

    name: str
    where: Bools
    actions: tuple[str, ...] = ()
    conditions: Mapping[str, Bools] = field(default_factory=dict)


def cost_tables(decisions: pd.DataFrame, kinds: Sequence[Kind], most: int = MOST_CLAUSES) -> dict[str, pd.DataFrame]:
    """The tables ``rules`` and ``lists``.

    Args:
        decisions: as above.
        kinds: of decisions, those that the finding is about first.
        most: clauses of the longest list.

    Returns:
        ``rules``: kind, rule, cost, low, high (Student's t), decisions, no_worse (share in which it costs nothing).
        ``lists``: kind, clauses, rule, cost, low, high, decisions, fitted_cost.
    """
    fitted = decisions["fitted"].to_numpy(dtype=np.bool_)
    reference = decisions["reference"].to_numpy(dtype=np.float64)
    rules, lists = [], []
    for kind in kinds:
        scored = kind.where & ~fitted
        for name in decisions.columns[decisions.columns.str.startswith(RULE)]:
            got = decisions[name].to_numpy(dtype=np.float64)
            lost = (reference - got)[scored & ~np.isnan(got)]
            if len(lost):
                row = _cost(lost) | {"decisions": len(lost), "no_worse": float((lost <= 0).mean())}
                rules.append({"kind": kind.name, "rule": name.removeprefix(RULE), **row})
        if kind.actions:
            lists += _list_rows(kind, decisions, reference, fitted, most)
    return {"rules": pd.DataFrame(rules), "lists": pd.DataFrame(lists)}


def _list_rows(
    kind: Kind, decisions: pd.DataFrame, reference: Floats, fitted: Bools, most: int
) -> list[dict[str, Any]]:
    values = decisions[[f"value {place}" for place in range(len(kind.actions))]].to_numpy(dtype=np.float64)
    fit, scored = kind.where & fitted, kind.where & ~fitted
    clauses = fit_clauses(values[fit], {words: where[fit] for words, where in kind.conditions.items()}, most)
    rows = []
    for count in range(1, len(clauses) + 1):
        chosen = apply_clauses(clauses[:count], kind.conditions, len(values))
        lost = reference - np.take_along_axis(values, chosen[:, None], axis=1)[:, 0]
        rows.append(
            {"kind": kind.name, "clauses": count, "rule": list_text(clauses[:count], kind.actions),
             **_cost(lost[scored]), "decisions": int(scored.sum()), "fitted_cost": float(lost[fit].mean())}
        )  # fmt: skip
    return rows


def _cost(lost: Floats) -> dict[str, float]:
    """The mean with its interval; where nothing can be gained on the reference, none below zero."""
    cost = mean_interval(lost)
    return (cost.within(0.0) if (lost >= 0).all() else cost).row("cost", bare=True)


def shortest_good_list(lists: pd.DataFrame) -> dict[str, Any]:
    """The list of fewest clauses whose scored cost lies in the interval of the cheapest one."""
    rows = [{str(key): value for key, value in row.items()} for row in lists.to_dict("records")]
    cheapest = min(rows, key=lambda row: float(row["cost"]))
    return next(row for row in rows if row["cost"] <= cheapest["high"])


def finding(tables: Mapping[str, pd.DataFrame], kind: str, unit: str, form: str) -> str:
    """Of one kind of decisions the cheapest rule that a person can follow, pimc, and the shortest good decision list.

    Args:
        tables: of `cost_tables`.
        kind: which.
        unit: such as ``"points a deal"``.
        form: of the numbers.
    """

    def words(row: Mapping[Any, Any]) -> str:
        cost = Estimate(row["cost"], row["low"], row["high"], 0)
        return f"{cost.mean:{form}} {unit} (95 % {cost.low:{form}} to {cost.high:{form}})"

    rules, lists = (tables[name][tables[name]["kind"] == kind] for name in ("rules", "lists"))
    ours = rules[~rules["rule"].str.startswith(PLAYER)].sort_values("cost", kind="stable").iloc[0].to_dict()
    pimc, good = rules[rules["rule"] == f"{PLAYER}pimc"].iloc[0].to_dict(), shortest_good_list(lists)
    return (
        f"Of the decisions “{kind}”: the cheapest rule of thumb, “{ours['rule']}”, costs {words(ours)} against the "
        f"reference; to bid as pimc {words(pimc)}. A decision list of {good['clauses']} clauses, “{good['rule']}”, "
        f"costs {words(good)}; no longer one is shown to be better ({int(good['decisions'])} decisions)."
    )
