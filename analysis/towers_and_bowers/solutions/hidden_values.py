"""What dealing is worth when hands are hidden: W(n) of the whole hand where it has been solved, else of the bidding.

The *whole hand* (n = 1 to 4) is bidding, discard and play with hidden hands; the *bidding* has all cards seen once it
is over (`analysis.towers_and_bowers.solutions.bidding`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from towerlab.analysis.towers_and_bowers.solutions.bidding import DOUBLE_DUMMY, WHOLE_HAND, none_at_hand, up_card_rows
from towerlab.analysis.towers_and_bowers.solutions.rules import SHIPPED, is_current
from towerlab.analysis.towers_and_bowers.solutions.shipped import shipped_rows
from towerlab.games.errors import TowerlabError
from towerlab.games.written import Record


@dataclass(frozen=True)
class Floored(Record):
    """W(n) in the game where every call is made at least with a small probability.

    Attributes:
        floor: that probability.
        dealer, exploitability: as `HiddenValue` has them, in that game.
        without_floor: exploitability in the game without floors of the solution that ships.
    """

    floor: float
    dealer: float
    exploitability: float
    without_floor: float


@dataclass(frozen=True)
class HiddenValue:
    """W(n) of hands that are hidden at least in the bidding.

    Attributes:
        cards: n.
        dealer: P(the dealer wins the tower) when both follow the strategies that were found.
        exploitability: what best responses of both sides gain, added up.
        exploitability_of: ``"game"`` or ``"double-dummy model"``.
        by_up: the dealer's value by rank letter of the up-card.
        next_deal: the W(n - 1) used, where it is known.
        floored: of the whole hand with a floor on every call, which is the solution that answers; else None.
    """

    cards: int
    dealer: float
    exploitability: float
    exploitability_of: str
    by_up: Mapping[str, float]
    next_deal: float | None = None
    floored: Floored | None = None


@functools.lru_cache(maxsize=1)
def whole_hand_values() -> Mapping[int, HiddenValue]:
    """W(n) of the whole hand by n, for the hand sizes that ``data/exact_values.csv`` has a row ``all`` of."""
    rows, found = shipped_rows("exact_values.csv"), {}
    for row in rows:
        if row["up"] == "all":
            cards = int(row["cards"])
            parts = [part for part in rows if int(part["cards"]) == cards and part["up"] != "all"]
            by_up = {part["up"].replace("10", "T"): float(part["dealer"]) for part in parts}
            dealer, gain, floored = float(row["dealer"]), float(row["exploitability"]), _floored(cards)
            found[cards] = HiddenValue(cards, dealer, gain, WHOLE_HAND, by_up, floored=floored)
    return found


def _floored(cards: int) -> Floored | None:
    """The mean over the up-cards of what ships, None where that was solved without floors."""
    rows = up_card_rows(f"exact-bidding-{cards}")
    if not rows or "floored_nondealer" not in rows[0]:
        return None
    floor, value, floored, gain = (
        sum(sum(float(row[name]) for name in names) for row in rows) / len(rows)
        for names in (
            ("floor",),
            ("floored_nondealer",),
            ("floored_nondealer_gain", "floored_dealer_gain"),
            ("nondealer_gain", "dealer_gain"),
        )
    )
    return Floored(floor, 1 - value, max(floored, 0.0), max(gain, 0.0))


def whole_hand_bounds(cards: int) -> tuple[float, float]:
    """Between what W(cards) of a solved size lies, by its measured exploitability.

    A value is the middle of what both best responses leave. What W(n - 1) was off in turn moves W(n) by no more.
    """
    solved = whole_hand_values()
    half = sum(solved[size].exploitability for size in range(1, cards + 1)) / 2
    return solved[cards].dealer - half, solved[cards].dealer + half


def bidding_value(cards: int) -> HiddenValue | None:
    """W(cards) of the bidding from the files at hand, None without them."""
    rows = up_card_rows(f"bidding-{cards}")
    if not rows:
        return None
    dealer = {row["up"][0]: 1 - float(row["nondealer"]) for row in rows}
    gains = [float(row["nondealer_gain"]) + float(row["dealer_gain"]) for row in rows]
    next_deal = float(rows[0]["next_deal"]) if cards > 1 else None
    mean = sum(dealer.values()) / len(dealer)
    return HiddenValue(cards, mean, sum(gains) / len(gains), DOUBLE_DUMMY, dealer, next_deal)


@functools.cache
def hidden_value(cards: int) -> HiddenValue | None:
    """The best W(cards) at hand: of the whole hand, else of the bidding; None if there is neither."""
    whole = whole_hand_values().get(cards) if is_current(SHIPPED, "exact_values.csv") else None
    return whole or bidding_value(cards)


def best_deal_value(cards: int) -> HiddenValue:
    """As `hidden_value`.

    Raises:
        TowerlabError: neither is at hand.
    """
    found = hidden_value(cards)
    if found is None:
        raise TowerlabError(none_at_hand(f"W({cards}) of hidden hands", cards))
    return found


def next_deal_of(parameters: Mapping[str, Any]) -> float:
    """The W(n - 1) that a study of hands of n cards goes on with: its parameter `next_deal`, else the best at hand.

    Raises:
        TowerlabError: none is given and none is at hand.
    """
    given, cards = parameters["next_deal"], int(parameters["cards"])
    if given is not None:
        return float(given)
    return best_deal_value(cards - 1).dealer if cards > 1 else 0.0
