"""Several actions tried on the same layouts: their means, their differences, and when one is surely the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Final, TypeVar

import numpy as np

from towerlab.analysis.stats import LEVEL, Estimate, SequentialMean
from towerlab.games.arrays import Floats

_EXACT: Final = 1e-9
Found = TypeVar("Found")


class Race:
    """Actions with one value each a layout; everything may be looked at after every layout.

    Args:
        low, high: bounds of every action's values [actions].
    """

    def __init__(self, low: Floats, high: Floats):
        self._low = low
        self._high = high
        self._values: list[Floats] = []

    @property
    def values(self) -> Floats:
        """All values so far [layouts, actions]."""
        return np.concatenate(self._values) if self._values else np.empty((0, len(self._low)))

    def add(self, values: Floats) -> None:
        """Take the values of further layouts [layouts, actions]."""
        self._values.append(np.asarray(values, dtype=np.float64))

    def run(self, chunks: Iterator[Found], values_of: Callable[[Found], Floats]) -> list[Found]:
        """Take chunks of layouts until an action is surely the best, end the others, and return those taken."""
        taken = []
        with closing(chunks):  # type: ignore[type-var]
            for results in chunks:
                taken.append(results)
                self.add(values_of(results))
                if self.is_decided(self.best()):
                    break
        return taken

    def best(self, tie_break: Floats | None = None) -> int:
        """The action with the highest mean; of equal ones the one with the highest `tie_break`, then the first."""
        means = self.values.mean(axis=0)
        leaders = np.flatnonzero(means >= means.max() - _EXACT)
        return int(leaders[0] if tie_break is None else leaders[int(np.argmax(tie_break[leaders]))])

    def runner_up(self, best: int) -> int | None:
        """The action with the highest mean but one; None where there is no other."""
        return next(iter(self._rivals(best)), None)

    def estimate(self, action: int) -> Estimate:
        """The mean of an action with an interval that holds at every look."""
        return bounded_mean(self.values[:, action], float(self._low[action]), float(self._high[action]))

    def difference(self, first: int, second: int, level: float = LEVEL) -> Estimate:
        """Mean of one action minus that of another on the same layouts, with an interval that holds at every look."""
        values = self.values
        if first == second:
            return Estimate(0.0, 0.0, 0.0, len(values))
        low = float(self._low[first] - self._high[second])
        high = float(self._high[first] - self._low[second])
        return bounded_mean(values[:, first] - values[:, second], low, high, level)

    def is_decided(self, best: int) -> bool:
        """Whether an action beats every other one, at 95 % for all comparisons together."""
        return next(self.as_good(best), None) is None

    def as_good(self, best: int) -> Iterator[int]:
        """Yield the other actions that one does not surely beat, the closest first, as `is_decided` counts."""
        rivals = self._rivals(best)
        level = 1 - (1 - LEVEL) / max(1, len(rivals))  # Bonferroni: the truly best one meets each of the others
        return (rival for rival in rivals if self.difference(best, rival, level).low <= 0)

    def _rivals(self, best: int) -> list[int]:
        """The other actions, the one with the highest mean first: mostly one look at it is enough."""
        means = self.values.mean(axis=0)
        return sorted((action for action in range(len(self._low)) if action != best), key=lambda rival: -means[rival])


def bounded_mean(values: Floats, low: float, high: float, level: float = LEVEL) -> Estimate:
    """Return the mean of values between two bounds, float64[layouts], with an interval that holds at every look."""
    if high - low < _EXACT:  # a value that does not depend on the layout
        return Estimate(low, low, low, len(values))
    running = SequentialMean(low, high, level)
    running.add(values)
    return running.estimate
