"""Advice from samples: every action judged on the same layouts, so that differences are paired."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.advice import Advice, Advised, Choice
from towerlab.analysis.decision import Scale, exact_costs, paired_costs
from towerlab.analysis.stats import LEVEL


def rank_samples(
    scale: Scale,
    choices: Sequence[Choice],
    scores: NDArray[np.float64],
    basis: str,
    *,
    model: str,
    draws: str = "layout",
    notes: Sequence[str] = (),
    kinds: Sequence[int] = (),
    exact: bool = False,
    level: float = LEVEL,
) -> Advice:
    """Return the actions by their mean score, and what each costs against the best.

    Args:
        scale: of the game.
        choices: the actions.
        scores: points, [samples, kinds].
        basis, model, draws: as of `Advice`.
        notes: one a kind.
        kinds: the column of each action; actions that are the same share one. Without any each has its own.
        exact: whether that is all there are.
        level: of the intervals.
    """
    means = scores.mean(axis=0)
    costs = exact_costs(means.tolist()) if exact else paired_costs(scores, level)
    columns = kinds or range(len(choices))
    order = sorted(range(len(choices)), key=lambda place: (-round(float(means[columns[place]]), 9), columns[place]))
    ranked = []
    for choice, column in ((choices[place], columns[place]) for place in order):
        note = notes[column] if notes else f"{means[column]:+.2f}"
        ranked.append(Advised(choice.text, float(means[column]), costs[column], choice.action, note))
    return Advice(tuple(ranked), scale, basis, 0 if exact else len(scores), draws, model=model)
