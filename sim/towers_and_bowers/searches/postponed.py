"""EPIMC: some further actions are chosen without seeing the other's cards, then all are opened.

Extended perfect information Monte Carlo (Arjonilla, Saffidine and Cazenave 2024) solves, at every decision, the game of
the next actions, whose leaves are worth what they are with open cards; with none after one's own it is PIMC. In
that game the searcher holds the cards he holds, so that the other sees all; he himself mixes, the same in all
layouts. It is a linear program: of his plans the weights, of every layout what the other leaves him.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.arrays import Floats
from games.errors import TowerlabError
from sim.towers_and_bowers.searches.trees import Around, View, open_values, steps

_Sum = dict[int, float]  # of variables: number → coefficient


class _Program:
    """Rows and columns of a linear program as they are found."""

    def __init__(self) -> None:
        self.columns, self.free = 1, set[int]()  # column 0 is the weight of the root, one
        self.least: list[_Sum] = []  # each is at most zero
        self.equal: list[_Sum] = [{0: 1.0}]  # the first is one, all others zero

    def column(self, free: bool = False) -> int:
        self.columns += 1
        if free:
            self.free.add(self.columns - 1)
        return self.columns - 1


def postponed_values(table: Around, view: View, weights: Floats, postponed: int) -> Floats:
    """What each action is worth to the player whose turn it is.

    Args:
        table, view: where the hand stands.
        weights: float64[worlds].
        postponed: how many actions, of either player, come between his own and the opening of the cards.

    Returns:
        float64[actions], by the order of `steps`.
    """
    means = [_value(table, step.view, weights, postponed) for step in steps(table, view)]
    return np.asarray(np.array(means) / weights.sum())


def _value(table: Around, view: View, weights: Floats, depth: int) -> float:
    if not _he_meets_a_choice(table, view, depth):
        return float(_fixed(table, view, depth) @ weights)
    program = _Program()
    sums = _sums(table, view, depth, 0, program)
    objective = np.zeros(program.columns)
    for world, weight in zip(sums, weights, strict=True):
        for column, share in world.items():
            objective[column] -= weight * share
    return -_solve(program, objective)


def _he_meets_a_choice(table: Around, view: View, depth: int) -> bool:
    if depth == 0 or view.is_forced():
        return False
    own = view.mover() == view.seat
    following = steps(table, view)
    return (own and len(following) > 1) or any(_he_meets_a_choice(table, step.view, depth - 1) for step in following)


def _fixed(table: Around, view: View, depth: int) -> Floats:
    """The values where only the other chooses: he sees everything, in every world for itself."""
    if depth == 0 or view.is_forced():
        return open_values(table, view)
    least = np.full(len(view.worlds), np.inf)
    for step in steps(table, view):
        np.minimum.at(least, step.worlds, _fixed(table, step.view, depth - 1))
    return least


def _sums(table: Around, view: View, depth: int, comes: int, program: _Program) -> list[_Sum]:
    """What each world contributes, as a sum of variables; `comes` is the weight of his plans that lead here."""
    if depth == 0 or view.is_forced():
        return [{comes: value} for value in open_values(table, view).tolist()]
    following = steps(table, view)
    if view.mover() == view.seat:
        total: list[_Sum] = [{} for _ in view.worlds]
        shares: _Sum = {comes: -1.0}
        for step in following:
            share = program.column()
            shares[share] = 1.0
            for world, part in zip(total, _sums(table, step.view, depth - 1, share, program), strict=True):
                world.update(part)
        program.equal.append(shares)
        return total
    ways: list[list[_Sum]] = [[] for _ in view.worlds]
    for step in following:
        for world, part in zip(step.worlds.tolist(), _sums(table, step.view, depth - 1, comes, program), strict=True):
            ways[world].append(part)
    found = []
    for parts in ways:
        if len(parts) == 1:
            found.append(parts[0])
            continue
        least = program.column(free=True)
        program.least += [{least: 1.0} | {column: -share for column, share in part.items()} for part in parts]
        found.append({least: 1.0})
    return found


def _solve(program: _Program, objective: Floats) -> float:
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    def matrix(rows: list[_Sum]) -> Any:
        places = [(row, column) for row, terms in enumerate(rows) for column in terms]
        values = [share for terms in rows for share in terms.values()]
        return coo_array((values, tuple(zip(*places, strict=True))), (len(rows), program.columns))

    equal = np.zeros(len(program.equal))
    equal[0] = 1.0
    bounds = [(None, None) if column in program.free else (0.0, None) for column in range(program.columns)]
    less = {"A_ub": matrix(program.least), "b_ub": np.zeros(len(program.least))} if program.least else {}
    found = linprog(objective, **less, A_eq=matrix(program.equal), b_eq=equal, bounds=bounds, method="highs")
    if found.status:
        raise TowerlabError(f"a linear program of EPIMC was not solved: {found.message}")
    return float(found.fun)
