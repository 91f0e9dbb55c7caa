"""Proven bounds of W(n) where the game itself has not been solved.

Who sees everything is at least as well off as who does not, and a fixed strategy at most as good as the best one. So a
player who keeps to simple habits is sure of what he gets against an opponent who sees all cards and answers best, and
his seat is worth at least that (`sim.towers_and_bowers.guarantee`). As non-dealer he bounds W(n) from above, as dealer
from below. Of the habits tried the best counts. The deals are sampled; bounds carry the far ends of their 95 %
intervals, and W(n - 1) enters as an interval too: exact where that is at hand, else from the bounds one size below.

The counts are kept in ``data/value_bounds.csv`` and made by ``towerlab study towers-and-bowers value-bounds``.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import numpy as np

from analysis.towers_and_bowers.solutions.hidden_values import whole_hand_values
from games.arrays import Ints
from sim.towers_and_bowers.guarantee import ENDINGS

SEATS: Final = ("nondealer", "dealer")
_Z: Final = 1.959964


@dataclass(frozen=True)
class Bounds:
    """Bounds of W(n).

    Attributes:
        lower, upper: with the sampling error of 95 % intervals included.
        deals: how many were sampled for each.
    """

    lower: float
    upper: float
    deals: int


def value_bounds(cards: int) -> Bounds | None:
    """Bounds of W(cards); None without counts."""
    below = (0.5, 0.5)
    if cards > 1:
        exact = whole_hand_values().get(cards - 1)
        if exact is not None:
            below = exact.dealer - exact.exploitability, exact.dealer + exact.exploitability
        else:
            bounds = value_bounds(cards - 1)
            if bounds is None:
                return None
            below = bounds.lower, bounds.upper
    counts = _stored_counts(cards)
    if not counts:
        return None
    sure = {seat: max(_guarantee(part, below) for (_, at), part in counts.items() if at == seat) for seat in SEATS}
    return Bounds(sure["dealer"], 1 - sure["nondealer"], int(next(iter(counts.values())).sum(1).max()))


def _guarantee(counts: Ints, below: tuple[float, float]) -> float:
    """The lower end of what a player of habits is sure to get, whatever W(n - 1) in between: the better way to bid."""
    means = []
    for row in counts:
        deals = row.sum()
        ends = []
        for deal in (max(below[0], 0.5), max(below[1], 0.5)):
            worth = np.array([0.0, 1 - deal, deal, 1.0])
            mean = row @ worth / deals
            ends.append(mean - _Z * np.sqrt((row @ (worth - mean) ** 2) / deals / (deals - 1)))
        means.append(min(ends))
    return float(max(means))


@functools.lru_cache(maxsize=8)
def _stored_counts(cards: int) -> dict[tuple[str, str], Ints]:
    """int64[2, 4] by player and seat: deals by whether he always accepts and by ending."""
    path = files("analysis.towers_and_bowers").joinpath("data/value_bounds.csv")
    if not path.is_file():
        return {}
    counts: dict[tuple[str, str], Ints] = {}
    for line in path.read_text(encoding="utf-8").split()[1:]:
        size, player, seat, always, ending, deals = line.split(",")
        if int(size) == cards:
            table = counts.setdefault((player, seat), np.zeros((2, ENDINGS), dtype=np.int64))
            table[int(always), int(ending)] = int(deals)
    return counts
