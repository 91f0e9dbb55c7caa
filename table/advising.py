"""Advice from samples: every action judged on the same layouts, so that differences are paired."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.advice import Advice, Advised, Choice
from towerlab.analysis.stats import LEVEL, Estimate, paired_difference


def rank_samples(
    choices: Sequence[Choice],
    scores: NDArray[np.float64],
    basis: str,
    model: str,
    notes: Sequence[str] = (),
    exact: bool = False,
    level: float = LEVEL,
) -> Advice:
    """The actions by their mean score, what each costs against the best with its paired interval.

    Args:
        choices: the actions.
        scores: points, [samples, actions].
        basis, model: as of `Advice`.
        notes: one an action.
        exact: whether that is all there are.
        level: of the intervals.
    """
    means = scores.mean(axis=0)
    order = sorted(range(len(choices)), key=lambda place: -round(float(means[place]), 9))
    best = order[0]
    ranked = []
    for place in order:
        choice = choices[place]
        if place == best or len(scores) < 2 or np.array_equal(scores[:, place], scores[:, best]):
            gap = float(means[best] - means[place])
            loss = Estimate(gap, gap, gap, len(scores))
        else:
            loss = paired_difference(scores[:, best], scores[:, place], level)
        note = notes[place] if notes else f"{means[place]:+.2f}"
        ranked.append(Advised(choice.action, choice.text, float(means[place]), loss, note))
    return Advice(tuple(ranked), "points", basis, model, drawn=0 if exact else len(scores))
