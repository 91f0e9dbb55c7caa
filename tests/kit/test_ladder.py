"""The rule ladder: greedy clauses over any number of actions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from analysis.ladder import ANY_HAND, apply_clauses, fit_clauses, ladder_table, rule_text, with_opposites

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


def test_a_ladder_is_fitted_on_one_part_and_scored_on_the_other() -> None:
    """What holds explains all: the second rung costs nothing; noise that only the fitted part has gains nothing."""
    right = np.where(CONDITIONS["long"], 2, 0)
    values = np.where(np.arange(3) == right[:, None], 1.0, 0.0)
    fitted = np.arange(300) % 2 == 0
    table = ladder_table(values, np.ones(300), CONDITIONS, fitted, ACTIONS, 2)
    assert table["cost"].tolist() == [pytest.approx(CONDITIONS["long"][~fitted].mean()), 0]
    assert table["rule"].tolist() == ["any hand: pass", "long: double; any hand: pass"]
    noise = values + np.random.default_rng(3).normal(size=values.shape) * fitted[:, None] * 5
    noisy = ladder_table(noise, np.ones(300), CONDITIONS, fitted, ACTIONS)
    assert (noisy["fitted_cost"].diff().dropna() <= 1e-12).all()
    assert noisy["decisions"].unique().tolist() == [150] and (noisy["cost"] >= 0).all()


def test_a_rule_is_told_from_the_clause_that_decides_first() -> None:
    assert rule_text([(ANY_HAND, 0), ("long and not strong", 1)], ACTIONS) == "long and not strong: bid; any hand: pass"
