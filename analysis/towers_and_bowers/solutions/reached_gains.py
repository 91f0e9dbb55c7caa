"""What a best reply gains against the stored bidding of 4 to 7 cards, given that it comes to a decision.

``data/reached_gains.csv`` is the table of ``towerlab study towers-and-bowers reached-gains``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from analysis.towers_and_bowers.solutions.shipped import shipped_rows


@functools.lru_cache(maxsize=1)
def reached_gains() -> Mapping[tuple[int, str, int], float]:
    """P(win the tower) by hand size, seat and round (1 or 2); the non-dealer's first call is always reached."""
    rows = shipped_rows("reached_gains.csv")
    return {(int(row["cards"]), row["seat"], int(row["round"])): float(row["gain_mt"]) / 1000 for row in rows}
