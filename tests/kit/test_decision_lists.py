"""Decision lists: greedy clauses over any number of actions; what rules of bidding cost."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from analysis.report.bidding.costs import Kind, cost_tables, shortest_good_list
from analysis.report.bidding.decision_lists import ANY_HAND, apply_clauses, fit_clauses, list_text, with_opposites

CONDITIONS = with_opposites(
    {name: np.random.default_rng(place).random(300) < 0.4 for place, name in enumerate(("long", "strong", "first"))}
)
ACTIONS = ("pass", "bid", "double")


def naive_values_of(clauses: list[tuple[str, int]], values: np.ndarray) -> float:
    """The mean of a rule, decision by decision."""
    total = 0.0
    for row, worths in enumerate(values):
        fitting = [
            action
            for words, action in clauses
            if words == ANY_HAND or all(CONDITIONS[word][row] for word in words.split(" and "))
        ]
        total += float(worths[fitting[-1]])
    return total / len(values)


def test_every_clause_is_the_one_that_gains_most() -> None:
    values = np.random.default_rng(7).normal(size=(300, 3))
    clauses = fit_clauses(values, CONDITIONS, 4)
    everything = [*CONDITIONS, *(" and ".join(pair) for pair in combinations(CONDITIONS, 2))]
    for count in range(1, 4):
        best = max(
            naive_values_of([*clauses[:count], (words, action)], values) for words in everything for action in range(3)
        )
        assert naive_values_of(clauses[: count + 1], values) == pytest.approx(best)
    chosen = apply_clauses(clauses, CONDITIONS, 300)
    assert values[np.arange(300), chosen].mean() == pytest.approx(naive_values_of(clauses, values))


def lists_of(values: np.ndarray, fitted: np.ndarray, most: int = 5) -> pd.DataFrame:
    """The table of decision lists against a reference that always gets 1."""
    columns = {f"value {action}": values[:, action] for action in range(3)}
    decisions = pd.DataFrame({"fitted": fitted, "reference": 1.0, **columns})
    kind = Kind("all", np.ones(len(values), dtype=np.bool_), ACTIONS, CONDITIONS)
    return cost_tables(decisions, [kind], most)["lists"]


def test_a_list_is_fitted_on_one_part_and_scored_on_the_other() -> None:
    """What holds explains all: the second list costs nothing; noise that only the fitted part has gains nothing."""
    right = np.where(CONDITIONS["long"], 2, 0)
    values = np.where(np.arange(3) == right[:, None], 1.0, 0.0)
    fitted = np.arange(300) % 2 == 0
    table = lists_of(values, fitted, 2)
    assert table["cost"].tolist() == [pytest.approx(CONDITIONS["long"][~fitted].mean()), 0]
    assert table["rule"].tolist() == ["any hand: pass", "long: double; any hand: pass"]
    noise = values + np.random.default_rng(3).normal(size=values.shape) * fitted[:, None] * 5
    noisy = lists_of(noise, fitted)
    assert (noisy["fitted_cost"].diff().dropna() <= 1e-12).all()
    assert noisy["decisions"].unique().tolist() == [150] and (noisy["cost"] >= 0).all()


def test_rules_are_scored_by_kind_where_they_say_something() -> None:
    decisions = pd.DataFrame({"fitted": [True, False, False, False], "reference": [9.0, 1.0, 2.0, 4.0]})
    decisions["rule always"], decisions["rule sometimes"] = 0.0, [0.0, 1.0, np.nan, 5.0]
    first = np.array([True, True, True, False])
    rules = cost_tables(decisions, [Kind("first", first), Kind("last", ~first)])["rules"].set_index(["kind", "rule"])
    assert rules.loc[("first", "always"), ["cost", "decisions", "no_worse"]].tolist() == [1.5, 2, 0]
    assert rules.loc[("first", "always"), "low"] == 0  # nothing is gained on the reference
    assert rules.loc[("first", "sometimes"), ["cost", "decisions", "no_worse"]].tolist() == [0, 1, 1]
    assert rules.loc[("last", "sometimes"), "cost"] == -1


def test_the_list_shown_is_the_shortest_within_the_interval_of_the_cheapest() -> None:
    lists = pd.DataFrame({"clauses": [1, 2, 3], "cost": [20.0, 1.6, 1.5], "high": [22.0, 1.9, 1.8]})
    assert shortest_good_list(lists)["clauses"] == 2
    assert shortest_good_list(lists.assign(high=lists["cost"]))["clauses"] == 3


def test_a_rule_is_told_from_the_clause_that_decides_first() -> None:
    assert list_text([(ANY_HAND, 0), ("long and not strong", 1)], ACTIONS) == "long and not strong: bid; any hand: pass"
