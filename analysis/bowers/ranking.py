"""Several actions tried on the same layouts: their means, their differences, and when one is surely the best."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.stats import LEVEL, Estimate, SequentialMean
from games.arrays import Floats

_EXACT: Final = 1e-9


class Race:
    """Actions with one value each a layout; everything may be looked at after every layout.

    Args:
        low, high: bounds of every action's values [actions].
        gap_low, gap_high: bounds of the differences value of i − value of j on one layout [actions, actions]; by
            default what follows from the bounds.
    """

    def __init__(self, low: Floats, high: Floats, gap_low: Floats | None = None, gap_high: Floats | None = None):
        self._low, self._high = low, high
        self._gap_low = low[:, None] - high[None, :] if gap_low is None else gap_low
        self._gap_high = high[:, None] - low[None, :] if gap_high is None else gap_high
        self._values: list[Floats] = []

    @property
    def values(self) -> Floats:
        """All values so far [layouts, actions]."""
        return np.concatenate(self._values) if self._values else np.empty((0, len(self._low)))

    def add(self, values: Floats) -> None:
        """Take the values of further layouts [layouts, actions]."""
        self._values.append(np.asarray(values, dtype=np.float64))

    def best(self, tie_break: Floats | None = None) -> int:
        """The action with the highest mean; of equal ones the one with the highest `tie_break`, then the first."""
        means = self.values.mean(axis=0)
        leaders = np.flatnonzero(means >= means.max() - _EXACT)
        return int(leaders[0] if tie_break is None else leaders[int(np.argmax(tie_break[leaders]))])

    def runner_up(self, best: int) -> int | None:
        """The action with the highest mean but one; None where there is no other."""
        if len(self._low) < 2:
            return None
        means = self.values.mean(axis=0)
        means[best] = -np.inf
        return int(np.argmax(means))

    def estimate(self, action: int) -> Estimate:
        """The mean of an action with an interval that holds at every look."""
        return _estimate(self.values[:, action], float(self._low[action]), float(self._high[action]), LEVEL)

    def difference(self, one: int, other: int, level: float = LEVEL) -> Estimate:
        """Mean of one action minus that of another on the same layouts, with an interval that holds at every look."""
        values = self.values
        low, high = float(self._gap_low[one, other]), float(self._gap_high[one, other])
        return _estimate(values[:, one] - values[:, other], low, high, level)

    def is_decided(self, best: int, same: NDArray[np.bool_] | None = None) -> bool:
        """Whether `best` beats every other action, at 95 % for all comparisons together.

        Args:
            best: the action.
            same: actions [actions] that need not be beaten, because they come to the same.
        """
        rivals = [
            action for action in range(len(self._low)) if action != best and not (same is not None and same[action])
        ]
        level = 1 - (1 - LEVEL) / max(1, len(rivals))  # Bonferroni: the truly best one meets each of the others
        means = self.values.mean(axis=0)
        rivals.sort(key=lambda rival: -means[rival])  # the closest first: mostly one look is enough
        return all(self.difference(best, rival, level).low > 0 for rival in rivals)


def _estimate(values: Floats, low: float, high: float, level: float) -> Estimate:
    if high - low < _EXACT:  # a value that does not depend on the layout
        return Estimate(low, low, low, len(values))
    running = SequentialMean(low, high, level)
    running.add(values)
    return running.estimate
