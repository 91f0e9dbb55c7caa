"""What a best reply gains against the stored solution of 4 to 7 cards, given that it comes to a decision.

``data/reached_gains.csv`` is the table of ``towerlab study towers-and-bowers reached-gains``: of the bidding, from five
cards on. Of four cards it is the most that both players' best replies win beside an up-card, in the game itself
(`solver.towers_and_bowers.whole_hand.call_values.gains_inside`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from towerlab.analysis.towers_and_bowers.solutions.bidding import FEWEST_STEPPED, up_card_rows
from towerlab.analysis.towers_and_bowers.solutions.shipped import shipped_rows

_SOLVED: Final = {
    ("dealer", 1): "passed_gain",
    ("dealer", 2): "passed_thrice_gain",
    ("nondealer", 2): "passed_twice_gain",
}


@functools.lru_cache(maxsize=1)
def reached_gains() -> Mapping[tuple[int, str, int], float]:
    """P(win the tower) by hand size, seat and round (1 or 2); the non-dealer's first call is always reached."""
    rows, cards = shipped_rows("reached_gains.csv"), FEWEST_STEPPED
    of_bidding = {(int(row["cards"]), row["seat"], int(row["round"])): float(row["gain_mt"]) / 1000 for row in rows}
    solved = up_card_rows(f"exact-bidding-{cards}")
    return of_bidding | {
        (cards, *decision): max(float(row[name]) for row in solved) for decision, name in _SOLVED.items() if solved
    }
