"""What has to add up in the Towers & Bowers report; see `analysis.report.checks`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.report.checks import Check, adds_up, agrees, holds, vanishes
from analysis.report.page import Figure, Table
from analysis.towers_and_bowers.report.figures import ENDINGS
from analysis.towers_and_bowers.report.findings import Findings
from analysis.towers_and_bowers.report.view import SEAT_NAMES, SEATS, Scope, mean


def checks_of_the_book(view: pd.DataFrame, scope: Scope, deal: dict[int, float]) -> list[Check]:
    """The book is complete, and its endings give its values.

    Args:
        deal: W by hand size.
    """
    checks = [
        holds("somebody always takes the majority: the hand size is odd", scope.cards % 2 == 1, f"n = {scope.cards}"),
        agrees("the book has every class", scope.classes, scope.all_classes),
        adds_up("the classes stand for every hand with every up-card", view["weight"], scope.all_pairs),
        holds("no class stands twice", not view.duplicated(["hand", "up"]).any()),
        agrees(
            f"the non-dealer's mean value of accepting is 1 − W({scope.cards}), which was counted separately",
            mean(view, view["nondealer_accept"]),
            1 - deal[scope.cards],
        ),
    ]
    next_deal = deal[scope.cards - 1]
    for seat in SEATS:
        for action, names in ENDINGS.items():
            sweep, ahead, behind, swept = (view[f"{seat}_{name}"].to_numpy(float) for name in names)
            value = sweep + next_deal * ahead + (1 - next_deal) * behind
            who = f"{SEAT_NAMES[seat]}, {action}"
            checks.append(
                vanishes(f"the endings of every class add up to one ({who})", sweep + ahead + behind + swept - 1)
            )
            checks.append(
                vanishes(f"the endings of every class give its value ({who})", value - view[f"{seat}_{action}"])
            )
    return checks


def checks_of_the_findings(view: pd.DataFrame, found: Findings) -> tuple[Check, ...]:
    """What the sentences take for granted."""
    gap = view["dealer_gap"].to_numpy(float)
    worths = [[found.accept_worth[seat][card] for card in ("ace", "king", "queen")] for seat in SEATS]
    told = "; ".join(", ".join(f"{worth:.1f}" for worth in row) for row in worths)
    return (
        holds("no pass of the non-dealer gains", found.least_gap >= 0, f"least gap {found.least_gap:g} mt"),
        holds(
            "an ace, a king and a queen outside trumps add to the value of accepting about as 3 : 2 : 1",
            all(_is_three_two_one(*row) for row in worths),
            f"{told} mt",
        ),
        agrees(
            "always accepting costs the dealer what his passes gain",
            found.always_accept,
            mean(view, np.maximum(gap, 0)) - mean(view, gap),
            within=1e-6,
        ),
    )


def _is_three_two_one(ace: float, king: float, queen: float) -> bool:
    """Whether the scale is nearer to 3 : 2 : 1 than to any other small whole numbers below an ace of 3."""
    return ace > 0 and 1.5 <= 3 * king / ace < 2.5 and 0.5 <= 3 * queen / ace < 1.5


def check_chart(view: pd.DataFrame, seat: str, chart: Figure) -> Check:
    """Cells, weighted by how often they come, give the mean over all hands."""
    return agrees(
        f"the cells of the {SEAT_NAMES[seat]}'s chart average to the book's mean gap",
        float(np.average(chart.frame["gap"], weights=chart.frame["share"])),
        mean(view, view[f"{seat}_gap"]),
        within=1e-6,
    )


def checks_of_the_ledger(view: pd.DataFrame, shown: Table) -> list[Check]:
    """Rows, weighted by how often they come, give the means over all hands."""
    shares = shown.frame["share"]
    checks = [adds_up("the ledger's shares add up to one", shares, 1.0)]
    for seat in SEATS:
        for action in ENDINGS:
            stated = float(np.average(shown.frame[f"{seat}_{action}"], weights=shares))
            claim = f"the ledger's mean value is the book's ({SEAT_NAMES[seat]}, {action})"
            checks.append(agrees(claim, stated, mean(view, view[f"{seat}_{action}"])))
    return checks
