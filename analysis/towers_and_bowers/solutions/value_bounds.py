"""Sampled bounds (95 %) of W(n) where the game itself has not been solved.

A fixed strategy is at most as good as the best one, so a seat is worth at least what a player gets there against the
best response to them. The player bids by the stored equilibrium of the double-dummy model and plays as `pimc`; as
non-dealer they bound W(n) from above, as dealer from below. The best response knows all they do but not their cards
(`sim.towers_and_bowers.best_response`): for each of its hands it is exact up to four cards; from five on the layouts
beside a hand are drawn, and a response fitted to those drawn wins more on average, which can only widen the bounds. The
hands of who responds are drawn as well; bounds carry the far ends of 95 % intervals.

W(n - 1) enters as an interval, exact where it is at hand, else from the bounds one size below. What a response leaves
is a concave function of it (the least of many straight lines), so chords between the values that were played for lie
below; beyond them it falls by at most as much as W(n - 1) changes.

Errors are those of a sample stratified by the rank of the up-card. Where all hands are known, the 95 % intervals of 40
seeds and both seats held their mean in 76 of 80 samples at n = 3 (60 hands a rank; 78 with ten, 77 with six) and in 74
of 80 at n = 2 (40 hands a rank; 69 with ten, since few hands differ from the model there at all).

The means are kept in ``data/value_bounds.csv``: the tables of ``towerlab study towers-and-bowers value-bounds --set
cards=n``, one after the other, of a player that chose otherwise between cards of equal value.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from towerlab.analysis.towers_and_bowers.solutions.hidden_values import whole_hand_bounds, whole_hand_values
from towerlab.analysis.towers_and_bowers.solutions.shipped import shipped_rows

SEATS: Final = ("nondealer", "dealer")  # of who responds
_Z: Final = 1.959964


@dataclass(frozen=True)
class Bounds:
    """Bounds of W(n).

    Attributes:
        lower, upper: with the sampling error of 95 % intervals included.
        hands: how many of either seat were drawn.
        layouts: the player's hands listed beside each.
    """

    lower: float
    upper: float
    hands: int
    layouts: int


@functools.cache
def value_bounds(cards: int) -> Bounds | None:
    """Bounds of W(cards); None without a study of it and of all sizes between it and those that are solved."""
    rows = [row for row in shipped_rows("value_bounds.csv") if row["cards"] == str(cards)]
    below = _next_deal(cards)
    if not rows or below is None:
        return None
    lower, beyond = (_left([row for row in rows if row["seat"] == seat], below) for seat in SEATS)
    return Bounds(lower, 1 - beyond, int(rows[0]["hands"]), int(rows[0]["layouts"]))


def _next_deal(cards: int) -> tuple[float, float] | None:
    """Between what W(cards - 1) lies; nothing depends on it at one card."""
    if cards == 1:
        return 0.0, 0.0
    if cards - 1 in whole_hand_values():
        return whole_hand_bounds(cards - 1)
    bounds = value_bounds(cards - 1)
    return (bounds.lower, bounds.upper) if bounds else None


def _left(rows: list[Mapping[str, str]], below: tuple[float, float]) -> float:
    """The least that the best response from one seat leaves the player, whatever W(n - 1) in between."""
    deals, won, error = (np.array([float(row[name]) for row in rows]) for name in ("next_deal", "won", "error"))
    ends = np.array(below)
    beyond = np.maximum(0.0, np.maximum(deals[0] - ends, ends - deals[-1]))
    return float((np.interp(ends, deals, 1 - won - _Z * error) - beyond).min())
