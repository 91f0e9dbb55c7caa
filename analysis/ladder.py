"""The rule ladder: rules of a few clauses, and what each further clause saves.

A rule is a list of clauses (condition, action); a later clause goes before all earlier ones, so that the last one that
fits decides. The rule of k + 1 clauses is the rule of k clauses with the one clause more that gains most, found
greedily; a condition is one of those given, or two of them joined by *and*. Fit on some decisions, score on others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.stats import mean_interval
from games.arrays import Bools, Floats, Ints

ANY_HAND: Final = "any hand"
MOST_CLAUSES: Final = 5
_AND: Final = " and "

Clause = tuple[str, int]
"""Words of the condition, and the action: its column in the values."""


def with_opposites(conditions: Mapping[str, Any]) -> dict[str, Bools]:
    """The conditions and their opposites, as arrays."""
    both = {words: np.asarray(places, dtype=np.bool_) for words, places in conditions.items()}
    return both | {f"not {words}": ~places for words, places in both.items()}


def fit_clauses(values: Floats, conditions: Mapping[str, Bools], most: int = MOST_CLAUSES) -> list[Clause]:
    """Clauses in the order they were added.

    Args:
        values: what each action is worth in each decision, [decisions, actions].
        conditions: words → where they hold [decisions]; see `with_opposites`.
        most: clauses, the first of which holds for any hand.
    """
    wheres = dict(conditions)
    wheres |= {_AND.join(pair): conditions[pair[0]] & conditions[pair[1]] for pair in combinations(conditions, 2)}
    first = int(values.sum(axis=0).argmax())
    clauses, chosen = [(ANY_HAND, first)], np.full(len(values), first)
    for _ in range(most - 1):
        gained = values - np.take_along_axis(values, chosen[:, None], axis=1)
        gains = {words: gained[where].sum(axis=0) for words, where in wheres.items()}
        words = max(gains, key=lambda name: float(gains[name].max()))
        action = int(gains[words].argmax())
        clauses.append((words, action))
        chosen = np.where(wheres[words], action, chosen)
    return clauses


def apply_clauses(clauses: Sequence[Clause], conditions: Mapping[str, Bools], decisions: int) -> Ints:
    """The action that a rule takes in each decision."""
    chosen = np.zeros(decisions, dtype=np.int64)
    for words, action in clauses:
        where = np.ones(decisions, dtype=np.bool_)
        for condition in words.split(_AND) if words != ANY_HAND else ():
            where &= conditions[condition]
        chosen = np.where(where, action, chosen)
    return chosen


def rule_text(clauses: Sequence[Clause], actions: Sequence[str]) -> str:
    """The rule in words, the clause that decides first first."""
    return "; ".join(f"{words}: {actions[action]}" for words, action in reversed(clauses))


def ladder_table(
    values: Floats,
    reference: Floats,
    conditions: Mapping[str, Bools],
    fitted: Bools,
    actions: Sequence[str],
    most: int = MOST_CLAUSES,
) -> pd.DataFrame:
    """One row a rung: its clauses, the rule in words, its cost with interval where it was not fitted, and where it was.

    Args:
        values: what each action is worth in each decision, [decisions, actions]; may be sampled.
        reference: what the reference scores in each decision, on samples that did not choose its action [decisions].
        conditions: words → where they hold [decisions].
        fitted: the decisions on which clauses are chosen; the others score them [decisions].
        actions: names of the actions.
        most: clauses of the longest rule.

    Returns:
        columns clauses, rule, cost, low, high (Student's t), decisions, fitted_cost; in the unit of `values`.
    """
    clauses = fit_clauses(values[fitted], {words: where[fitted] for words, where in conditions.items()}, most)
    rows = []
    for count in range(1, len(clauses) + 1):
        chosen = apply_clauses(clauses[:count], conditions, len(values))
        costs = reference - np.take_along_axis(values, chosen[:, None], axis=1)[:, 0]
        cost = mean_interval(costs[~fitted])
        rows.append(
            {"clauses": count, "rule": rule_text(clauses[:count], actions), **cost.row("cost", bare=True),
             "decisions": cost.n, "fitted_cost": float(costs[fitted].mean())}
        )  # fmt: skip
    return pd.DataFrame(rows)


def shortest_good_rung(ladder: pd.DataFrame, cost: str = "cost") -> dict[Any, Any]:
    """The rule of fewest clauses whose scored cost lies in the interval of the cheapest one."""
    rungs = ladder.to_dict("records")
    cheapest = min(rungs, key=lambda rung: float(rung[cost]))
    return next(rung for rung in rungs if rung[cost] <= cheapest["high"])
