"""What the Towers & Bowers report says in words: numbers computed from the book, never written down."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.report.page import Table
from analysis.towers_and_bowers.report.view import CLOSE, SEATS, card_worth, share


@dataclass(frozen=True)
class Passes:
    """Of the hands that the dealer should pass: shares without a trump, and with a jack of the other colour."""

    without_trump: float
    with_jack: float


@dataclass(frozen=True)
class Findings:
    """The numbers that the page's sentences quote; shares are of all deals, costs in mt a decision.

    Attributes:
        least_gap: smallest gap of the non-dealer, mt.
        indifferent: share of the non-dealer's decisions without any gap.
        close: share of each seat's decisions below `CLOSE`.
        always_pass: cost to the non-dealer.
        dealer_accepts: share of the dealer's decisions in which a pass is not better.
        always_accept, with_two, with_three: cost to the dealer of accepting all hands, those of two trumps, of three.
        two_trumps_accept: share of the dealer's hands of two trumps or more in which a pass is not better.
        passes: what the dealer's passes hold; None if no hand should pass.
        accept_worth: what cards add to the value of accepting, mt, by seat.
        gap_worth: what cards add to the dealer's gap, mt.
    """

    least_gap: float
    indifferent: float
    close: dict[str, float]
    always_pass: float
    dealer_accepts: float
    always_accept: float
    with_two: float
    with_three: float
    two_trumps_accept: float
    passes: Passes | None
    accept_worth: dict[str, dict[str, float]]
    gap_worth: dict[str, float]


def find(view: pd.DataFrame, shown_habits: Table) -> Findings:
    """Everything the page says in words."""
    nondealer, dealer = view["nondealer_gap"], view["dealer_gap"]
    costs = shown_habits.frame.set_index("habit")
    passes, two = dealer < 0, view["trumps"] >= 2
    return Findings(
        least_gap=float(nondealer.min()),
        indifferent=share(view, nondealer == 0),
        close={seat: share(view, view[f"{seat}_gap"].abs() < CLOSE) for seat in SEATS},
        always_pass=_cost(costs, "nondealer", "never accept"),
        dealer_accepts=share(view, ~passes),
        always_accept=_cost(costs, "dealer", "always accept"),
        with_two=_cost(costs, "dealer", "accept with 2 trumps or more"),
        with_three=_cost(costs, "dealer", "accept with 3 trumps or more"),
        two_trumps_accept=share(view, two & ~passes) / share(view, two),
        passes=_passes(view[passes]) if passes.any() else None,
        accept_worth={seat: card_worth(view, 1000 * view[f"{seat}_accept"]) for seat in SEATS},
        gap_worth=card_worth(view, dealer),
    )


def _passes(passed: pd.DataFrame) -> Passes:
    return Passes(share(passed, passed["trumps"] == 0), share(passed, passed["other_jacks"] > 0))


def _cost(costs: pd.DataFrame, seat: str, habit: str) -> float:
    return float(costs[seat].to_dict()[habit])
