"""Decision lists: rules of a few clauses, and what each further clause saves.

A clause is a condition and an action; a later clause goes before all earlier ones, so that the last one that fits
decides. The list of k + 1 clauses is the list of k with the one clause more that gains most, found greedily; a
condition is one of those given, or two of them joined by *and*. Fit on some decisions, score on others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np

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
        values: value of each action in each decision, float64[decisions, actions].
        conditions: words → where they hold, bool[decisions]; see `with_opposites`.
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
    """The action that a list takes in each decision, int64[decisions]."""
    chosen = np.zeros(decisions, dtype=np.int64)
    for words, action in clauses:
        where = np.ones(decisions, dtype=np.bool_)
        for condition in words.split(_AND) if words != ANY_HAND else ():
            where &= conditions[condition]
        chosen = np.where(where, action, chosen)
    return chosen


def list_text(clauses: Sequence[Clause], actions: Sequence[str]) -> str:
    """The list in words, the clause that decides first first."""
    return "; ".join(f"{words}: {actions[action]}" for words, action in reversed(clauses))
