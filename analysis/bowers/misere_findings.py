"""Misère in the study `bids`: how often it succeeds, and at which value it pays."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.stats import mean_interval, share_interval
from games.bowers import MOST_TRICKS

LEADERS: Final = {"me": "the bidder", "left": "the player on the left", "right": "the player on the right"}
VALUES: Final = (4, 6, 8, 10, 12, 14, 16, 20, 25)
LOW_CARDS: Final = (4, 5, 6, 7, 8)  # 7s, 8s and 9s in hand; fewer and more count with the ends


def misere_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Success by pack and leader, by low cards, and the worth of misère by its value."""
    return {
        "misere-success": success_table(rows),
        "misere-hands": hands_table(rows[rows["joker"] == "none"]),
        "misere-values": values_table(rows),
    }


def success_table(rows: pd.DataFrame) -> pd.DataFrame:
    """How often a random hand survives a misère, by pack and leader."""
    found = []
    for joker, part in rows.groupby("joker", sort=False):
        for leader, who in LEADERS.items():
            estimate = mean_interval(_first(part, leader))
            found.append({"joker": joker, "leader": who, **estimate.within(0.0)._asdict()})
    return pd.DataFrame(found)


def hands_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Success of hands without an ace, or with one, by their cards below the ten; the bidder leads."""
    found = []
    low = rows["low"].clip(LOW_CARDS[0], LOW_CARDS[-1])
    for aces, named in ((0, "no ace"), (1, "an ace or more")):
        for cards in LOW_CARDS:
            part = rows[(low == cards) & ((rows["aces"] > 0) == bool(aces))]
            if len(part) < 2:
                continue
            estimate = mean_interval(_first(part, "me"))
            found.append({"aces": named, "low_cards": _low_name(cards), **estimate.within(0.0)._asdict()})
    return pd.DataFrame(found)


def values_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Who bids misère, makes it and gains by it, by its value m, pack and leader.

    A hand is picked on its first layouts and judged on fresh ones. `needed` is the success at which misère
    breaks even, with the mean tricks of those that fail: m p = (1 − p)(m + 10 − tricks).
    """
    found = []
    rows = rows.reindex(columns=[*rows.columns.drop("failed_tricks", errors="ignore"), "failed_tricks"])
    for joker, part in rows.groupby("joker", sort=False):
        lost = float(MOST_TRICKS - part["failed_tricks"].mean())
        for leader, who in LEADERS.items():
            if leader != "me" and joker != "none":
                continue
            for value in VALUES:
                found.append({"joker": joker, "leader": who, "value": value, **_worth(part, leader, value, lost)})
    return pd.DataFrame(found)


def needed_success(value: float, lost: float) -> float:
    """The success at which misère is worth as much as a pass.

    Args:
        value: V(misère).
        lost: what each opponent scores when it fails, on average.
    """
    return (value + lost) / (2 * value + lost)


def _worth(part: pd.DataFrame, leader: str, value: int, lost: float) -> dict[str, Any]:
    needed = needed_success(value, lost)
    judged = (part["fresh"] > 0).to_numpy()
    bids = judged & (_first(part, leader) >= needed)
    fresh = part["fresh"].to_numpy().astype(float)
    success = np.divide(part[f"fresh_{leader}"].to_numpy().astype(float), fresh, out=np.zeros(len(part)), where=judged)
    worth = np.where(bids, success * value - (1 - success) * (value + lost), 0.0)
    share, made = share_interval(int(bids.sum()), len(bids)), mean_interval(success[bids]).within(0.0, 1.0)
    gain = mean_interval(worth).row("points_a_deal", bare=True)
    return {
        "needed": needed, **share.row("share"), **made.row("made"), **gain, "n": len(part), "bids": int(bids.sum()),
    }  # fmt: skip


def _first(part: pd.DataFrame, leader: str) -> NDArray[np.float64]:
    from analysis.bowers.observations import MISERE_FIRST

    return part[f"first_{leader}"].to_numpy().astype(float) / MISERE_FIRST


def _low_name(cards: int) -> str:
    if cards == LOW_CARDS[0]:
        return f"{cards} or fewer"
    return f"{cards} or more" if cards == LOW_CARDS[-1] else str(cards)
