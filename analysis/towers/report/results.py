"""What the studies of Towers found, as the page reads it."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.report.intervals import is_finding, told
from analysis.report.page import DEFAULT_RULES, Sampled
from analysis.stats import Estimate


@dataclass(frozen=True)
class StudyTables:
    """Results of one study: `means` and `cascades` of `analysis.towers.studies`, its seed, its rules in words."""

    means: pd.DataFrame
    cascades: pd.DataFrame
    seed: int
    rules: str = DEFAULT_RULES

    def has(self, cell: str) -> bool:
        """Whether this cell was played."""
        return bool((self.means["cell"] == cell).any())

    def of(self, cell: str, measure: str) -> Measured:
        """One mean with its interval."""
        row = self.means[(self.means["cell"] == cell) & (self.means["measure"] == measure)].iloc[0]
        return Measured(float(row["mean"]), float(row["low"]), float(row["high"]), int(row["n"]))

    def rows(self, measure: str) -> pd.DataFrame:
        """All cells that have this measure, in the order of the study."""
        return self.means[self.means["measure"] == measure].drop(columns="measure").reset_index(drop=True)


class Measured(Estimate):
    """A sampled mean with its 95 % interval, in words."""

    def __str__(self) -> str:
        return told(self.row(), "+.2f")

    @property
    def share(self) -> str:
        """As percents."""
        return told(self.within(0.0, 1.0).row(), ".1%")

    def settled(self, of: int, null: float = 0.0) -> bool:
        """Whether it is a finding, picked from so many comparisons."""
        return is_finding(self.row(), null=null, of=of)


def sampled(study: StudyTables, n: int, of: str, interval: str = "normal") -> Sampled:
    """How sure a study's numbers are."""
    return Sampled(n, of, study.seed, interval)


def simulated(who: str) -> str:
    """The model of a simulated number: who played."""
    return f"simulated: {who}"
