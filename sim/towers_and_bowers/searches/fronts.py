"""αμ: M of one's own moves are the same in all layouts, while the other knows the cards and what one means to do.

Cazenave and Ventos (2019): the value of a position is not one number but a *front* of vectors, a number a layout, one
vector for each way of playing on that no other way beats in every layout. At the own turn a player may choose
between the fronts of the moves, so they are put together; at the other's turn every reply has to be met, so that ways
are combined, one for each reply, and in every layout the worst counts. After M own moves all cards are open. In the
end the move of the vector with the best mean is made. M = 1 is PIMC.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.jit import kernel
from towerlab.sim.towers_and_bowers.searches.trees import Around, Step, View, open_values, steps

_SAME: Final = 1e-12  # payoffs that differ by less differ by rounding only


def front_values(table: Around, view: View, weights: Floats, moves: int) -> Floats:
    """What each action is worth to the player whose turn it is.

    Args:
        table, view: where the hand stands.
        weights: float64[worlds].
        moves: M, the own moves before the cards are opened, from 1.

    Returns:
        float64[actions], by the order of `steps`.
    """
    means = [(front(table, step.view, moves - 1) @ weights).max() for step in steps(table, view)]
    return np.asarray(np.array(means) / weights.sum())


def front(table: Around, view: View, moves: int) -> Floats:
    """float64[vectors, worlds]: the front of a view, with so many own moves left."""
    if moves == 0 or view.is_forced():
        return open_values(table, view)[None]
    if view.mover() == view.seat:
        return undominated(np.concatenate([front(table, step.view, moves - 1) for step in steps(table, view)]))
    ways = np.full((1, len(view.worlds)), np.inf)
    for step in steps(table, view):
        answers = _in_worlds(step, front(table, step.view, moves), len(view.worlds))
        ways = undominated(np.minimum(ways[:, None], answers[None]).reshape(-1, len(view.worlds)))
    return ways


def _in_worlds(step: Step, vectors: Floats, worlds: int) -> Floats:
    """Vectors over the worlds of the step before: infinite where it cannot be taken, the least of several ways."""
    found = np.full((len(vectors), worlds), np.inf)
    starts = np.flatnonzero(np.diff(step.worlds, prepend=-1))
    found[:, step.worlds[starts]] = np.minimum.reduceat(vectors, starts, axis=1)
    return found


def undominated(vectors: Floats) -> Floats:
    """The vectors that no other one equals or beats in every world; of equal ones one, largest sums first."""
    order = np.argsort(-np.where(np.isinf(vectors), 0.0, vectors).sum(axis=1), kind="stable")
    kept = np.zeros(len(vectors), dtype=np.int64)
    return vectors[kept[: _keep(vectors, order, kept)]]


@kernel
def _keep(vectors: Floats, order: Ints, kept: Ints) -> int:
    """Fill in those that none kept before equals or beats; returns how many."""
    count = 0
    for place in order:
        beaten = False
        for one in range(count):
            beaten = True
            for world in range(vectors.shape[1]):
                if vectors[kept[one], world] < vectors[place, world] - _SAME:
                    beaten = False
                    break
            if beaten:
                break
        if not beaten:
            kept[count] = place
            count += 1
    return count
