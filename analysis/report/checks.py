"""Checks of a page's statements, run when it is built.

A builder states each one next to the number it publishes; a check that fails stops the build, and those that hold
are listed on the page::

    checks = (
        adds_up("every class of hands is counted once", frame["weight"], 5_883_768),
        holds("every probability lies between 0 and 1", frame["value"].between(0, 1).all()),
    )
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np


class ReportError(RuntimeError):
    """A report that must not be published: a check fails, it is too large, or it lacks a part of every page."""


@dataclass(frozen=True)
class Check:
    """One statement, whether it holds, and the figures behind it."""

    claim: str
    holds: bool
    detail: str


def holds(claim: str, condition: Any, detail: str = "") -> Check:
    """A statement that is true or not."""
    return Check(claim, bool(condition), detail)


def adds_up(claim: str, parts: Iterable[float], whole: float, within: float = 1e-9) -> Check:
    """Parts and the whole they make; NaN makes nothing."""
    total = math.fsum(parts)
    detail = f"{_number(total)} against {_number(whole)}, within {_number(within)}"
    return holds(claim, abs(total - whole) <= within, _number(whole) if total == whole else detail)


def vanishes(claim: str, differences: Any, within: float = 1e-9) -> Check:
    """Two columns that say the same: the largest of their differences is next to nothing; NaN is not."""
    largest = float(np.max(np.abs(np.asarray(differences, dtype=float))))
    close = largest <= within
    return Check(claim, close, f"largest difference {'at most ' + _number(within) if close else _number(largest)}")


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
