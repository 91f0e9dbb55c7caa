"""What the studies of Towers found, as the page reads it."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.report import Sampled
from analysis.report.intervals import is_finding


@dataclass(frozen=True)
class StudyTables:
    """Results of one study: `means` and `cascades` of `analysis.towers.studies`, and its seed."""

    means: pd.DataFrame
    cascades: pd.DataFrame
    seed: int

    def of(self, cell: str, measure: str) -> Measured:
        """One mean with its interval."""
        row = self.means[(self.means["cell"] == cell) & (self.means["measure"] == measure)].iloc[0]
        return Measured(float(row["mean"]), float(row["low"]), float(row["high"]), int(row["n"]))

    def rows(self, measure: str) -> pd.DataFrame:
        """All cells that have this measure, in the order of the study."""
        return self.means[self.means["measure"] == measure].drop(columns="measure").reset_index(drop=True)


@dataclass(frozen=True)
class Measured:
    """A sampled mean, its 95 % interval and the number of observations."""

    mean: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ({self.low:+.2f} to {self.high:+.2f})"

    @property
    def share(self) -> str:
        """As percents."""
        return f"{100 * self.mean:.1f} % ({100 * max(0.0, self.low):.1f} to {100 * min(1.0, self.high):.1f})"

    def settled(self, of: int, null: float = 0.0) -> bool:
        """Whether it is a finding, picked from so many comparisons."""
        return is_finding({"mean": self.mean, "low": self.low, "high": self.high}, null=null, of=of)


def sampled(study: StudyTables, n: int, of: str, interval: str = "normal") -> Sampled:
    """How sure a study's numbers are."""
    return Sampled(n, of, study.seed, interval)


def simulated(who: str) -> str:
    """The model of a simulated number: who played."""
    return f"simulated: {who}"
