"""The rule for the table: accept with so many trumps or more, and what that costs against the answers of the book.

``data/table_rules.csv`` has it for every number of cards, seat and threshold; the study `answer-book` makes it again,
under the name ``table-rules``. Every hand and up-card weighs alike; the dealer's decision is that after a pass.

- ``cards``, ``seat``, ``trumps``: accept with at least so many; 0 is always, one more than the cards is never;
- ``accepts``: the share of hands that do;
- ``cost_mt``: mean loss a decision in mt against always making the better call, the other bidding as in equilibrium;
- ``hands``: pairs of hand and up-card counted.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from towerlab.analysis.towers_and_bowers.explorer.packed import MT
from towerlab.analysis.towers_and_bowers.solutions.shipped import shipped_frame
from towerlab.games.arrays import Ints
from towerlab.games.cards import TRUMP_FIELD
from towerlab.solver.towers_and_bowers.bidding.deals import SPADES, in_play_order, mirror

SEATS = ("dealer", "nondealer")
RENAMINGS = 4  # of the up-card's suit


def table_rules(book: pd.DataFrame) -> pd.DataFrame:
    """What every threshold costs, from the table of the study `answer-book`."""
    rows = [
        _rule(part, int(cards), seat, trumps)
        for cards in sorted(book["cards"].unique())
        for part in [book[book["cards"] == cards]]
        for seat in SEATS
        for trumps in range(int(cards) + 2)
    ]
    return pd.DataFrame(rows)


def best_rules(rules: pd.DataFrame) -> pd.DataFrame:
    """The cheapest threshold of every number of cards and seat; of equals the one that accepts more."""
    return rules.sort_values(["cost_mt", "trumps"], kind="stable").groupby(["cards", "seat"], as_index=False).first()


def stored_rules() -> pd.DataFrame:
    """What ships."""
    return shipped_frame("table_rules.csv")


def _rule(part: pd.DataFrame, cards: int, seat: str, trumps: int) -> dict[str, object]:
    hands = part["hand"].to_numpy(np.int64)
    pairs = np.where(mirror(hands) == hands, RENAMINGS, 2 * RENAMINGS)
    accepts = trumps_held(hands) >= trumps
    margin = MT * part[f"{seat}_1_margin"].to_numpy()
    lost = np.maximum(np.where(accepts, -margin, margin), 0)
    return {
        "cards": cards,
        "seat": seat,
        "trumps": trumps,
        "accepts": round(float(pairs @ accepts / pairs.sum()), 6),
        "cost_mt": round(float(pairs @ lost / pairs.sum()), 4),
        "hands": int(pairs.sum()),
    }


def trumps_held(hands: Ints) -> Ints:
    """How many trumps hands hold, the left bower included, spades being trumps."""
    held: Ints = np.bitwise_count(in_play_order(hands, SPADES) & TRUMP_FIELD).astype(np.int64)
    return held
