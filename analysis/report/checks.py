"""What a page says has to add up: checks that are run when it is built.

A builder states each one next to the number it publishes; a check that fails stops the build, and those that hold
are listed on the page::

    checks = (
        adds_up("every class of hands is counted once", frame["weight"], 5_883_768),
        agrees("the mean on the first screen is that of the ledger", shown, recomputed, within=0.05),
        holds("every probability lies between 0 and 1", frame["value"].between(0, 1).all()),
    )
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

_TOLD: Final = re.compile(r"([+-]?\d[\d,]*(?:\.\d+)?) ?(%|pp)? \(([+-]?\d[\d,.]*)[ %p]* to ([+-]?\d[\d,]*(?:\.\d+)?)")


class ReportError(RuntimeError):
    """A report that must not be published: it does not add up, is too large, or lacks what every page has."""


@dataclass(frozen=True)
class Check:
    """One statement, whether it holds, and the figures behind it."""

    claim: str
    holds: bool
    detail: str


def holds(claim: str, condition: Any, detail: str = "") -> Check:
    """A statement that is true or not."""
    return Check(claim, bool(condition), detail)


def agrees(claim: str, stated: float, recomputed: float, within: float = 1e-9) -> Check:
    """A number that was got in two ways; NaN agrees with nothing."""
    close = math.isfinite(stated) and math.isfinite(recomputed) and abs(stated - recomputed) <= within
    if stated == recomputed:
        return Check(claim, close, _number(stated))
    return Check(claim, close, f"{_number(stated)} against {_number(recomputed)}, within {_number(within)}")


def adds_up(claim: str, parts: Iterable[float], whole: float, within: float = 1e-9) -> Check:
    """Parts and the whole they make."""
    return agrees(claim, math.fsum(parts), whole, within)


def vanishes(claim: str, differences: Any, within: float = 1e-9) -> Check:
    """Two columns that say the same: the largest of their differences is next to nothing; NaN is not."""
    largest = float(np.max(np.abs(np.asarray(differences, dtype=float))))
    close = largest <= within
    return Check(claim, close, f"largest difference {'at most ' + _number(within) if close else _number(largest)}")


def stand_in_tables(sentences: Iterable[str], tables: Iterable[pd.DataFrame]) -> Check:
    """Every estimate that is told with its interval stands so in a row of some table, to the digits shown.

    >>> table = pd.DataFrame({"lead": [1.234], "low": [1.1], "high": [1.36]})
    >>> stand_in_tables(["It leads by +1.23 (+1.10 to +1.36) points."], [table]).holds
    True
    >>> stand_in_tables(["It leads by +1.23 (+1.15 to +1.36) points."], [table]).detail
    'not in a table: +1.23 (+1.15 to +1.36'
    """
    rows = np.array([row for table in tables for row in _estimates(table)]).reshape(-1, 3)
    rows = np.vstack([rows, -rows[:, [0, 2, 1]]])  # a loss may be told as a gain
    missing, told = [], 0
    for found in _TOLD.finditer(" ".join(map(str, sentences)).replace("−", "-").replace("\u202f", " ")):
        told += 1
        numbers = np.array([float(found[place].replace(",", "")) for place in (1, 3, 4)])
        digits = len(found[1].partition(".")[2])
        scale = 100 if found[2] else 1
        if not (np.abs(scale * rows - numbers) <= 0.5000001 * 10.0**-digits).all(axis=1).any():
            missing.append(found[0])
    detail = f"not in a table: {'; '.join(missing)}" if missing else f"{told} of {told}"
    return Check("every estimate told with its interval stands in a table", not missing, detail)


def _estimates(table: pd.DataFrame) -> Iterator[list[float]]:
    """(estimate, low, high) of every numeric column whose interval is in the table."""
    numbers = table.select_dtypes("number")
    for key in numbers:
        low, high = (f"{key}_low", f"{key}_high") if f"{key}_low" in numbers else ("low", "high")
        if {low, high} <= set(numbers):
            yield from numbers[[key, low, high]].to_numpy(float).tolist()


def run_checks(checks: Iterable[Check]) -> None:
    """Stop the build unless every check holds.

    Raises:
        ReportError: names every check that fails, with its figures; also when there is no check at all.
    """
    checks = tuple(checks)
    if not checks:
        raise ReportError("a page needs at least one check that what it says adds up")
    broken = [f"{check.claim} ({check.detail or 'it is not so'})" for check in checks if not check.holds]
    if broken:
        raise ReportError("the page does not add up: " + "; ".join(broken))


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.9g}"
