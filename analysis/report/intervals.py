"""An estimate with the ends of its interval, written, tabled and drawn the same way on every page.

A row holds the ends with the estimate: ``made``, ``made_low``, ``made_high``; of what the whole row is about they are
``low`` and ``high``.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

import pandas as pd

from towerlab.analysis.report.checks import Check, holds
from towerlab.analysis.stats import LEVEL, normal_quantile

FINDING: Final = (
    "What counts as a finding: the 95 % interval, widened for the number of comparisons that it is picked from "
    "(Bonferroni), leaves out the null. Intervals are shown as they are, not widened."
)


def ends_of(key: str, names: Container[Any]) -> tuple[str, str]:
    """Which of a row's names are the ends of an estimate.

    >>> ends_of("made", ["made", "made_low", "made_high", "low", "high"]), ends_of("mean", ["mean", "low", "high"])
    (('made_low', 'made_high'), ('low', 'high'))
    """
    return (f"{key}_low", f"{key}_high") if f"{key}_low" in names else ("low", "high")


def estimate(row: Mapping[Any, Any], form: str, key: str = "mean") -> str:
    """The estimate and its interval in words; no interval where it has no width or no ends.

    >>> estimate({"mean": 0.123, "low": 0.11, "high": 0.136}, ".1%")
    '12.3% (11.0% to 13.6%)'
    >>> estimate({"mean": 1.0, "low": 1.0, "high": 1.0}, ".0%")
    '100%'
    >>> estimate({"mean": 2.0, "low": float("-inf"), "high": float("inf")}, "g")
    '2'
    """
    low, high = (f"{row[end]:{form}}" for end in ends_of(key, row))
    mean = f"{row[key]:{form}}"
    return mean if low == high or "inf" in low + high else f"{mean} ({low} to {high})"


def error_bars(frame: pd.DataFrame, key: str = "mean") -> list[Any]:
    """How far intervals reach below and above their estimates, as matplotlib takes it."""
    low, high = ends_of(key, frame.columns)
    return [frame[key] - frame[low], frame[high] - frame[key]]


def in_intervals(claim: str, *frames: pd.DataFrame, key: str = "mean") -> Check:
    """Check that every estimate of some tables is within its interval."""
    distances = (reach for frame in frames for reach in error_bars(frame, key))
    return holds(claim, all((reach >= -1e-12).all() for reach in distances))


def findings(frame: pd.DataFrame, key: str = "mean") -> pd.DataFrame:
    """Return the rows of a table whose intervals, widened for as many comparisons as it has rows, leave out zero.

    >>> table = pd.DataFrame({"mean": [0.10] * 9, "low": [0.01] * 9, "high": [0.20] * 9})
    >>> len(findings(table[:1])), len(findings(table))
    (1, 0)
    """
    wider = normal_quantile(1 - (1 - LEVEL) / max(len(frame), 1)) / normal_quantile(LEVEL)
    low, high = (frame[key] + wider * (frame[end] - frame[key]) for end in ends_of(key, frame))
    return frame[(low > 0) | (high < 0)]
