"""What the Bowers report is made of, and the words that its captions share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.report.page import Caption, Sampled

SIZE = "3 players, 10 cards each, kitty of 2"
MODEL = "double-dummy after a blind bury; the contract as bid"
BIDDING_MODEL = (
    "double-dummy; the auction goes on, the others as novices in layouts that fit their calls, you pass from then on; "
    "buried by habit"
)
PLAYED = "simulated deals between three of the same player"
MISERE_MODEL = "double-dummy misère; the contract as bid"
WARNING = (
    "Every number assumes that after the bid and the bury all three see all cards (double-dummy). The bury itself is "
    "chosen without sight of the others. At a "
    "table, where nobody sees through cards, bids may succeed more or less often. Points are the bidder's less the "
    "mean of the others'. What calls are worth in the section on bidding accuracy counts what follows them, a pass "
    "as the "
    "defence it leads to; the other sections tell what contracts make."
)
LEADING = ("the bidder", "the player on the left", "the player on the right")


@dataclass(frozen=True)
class ReportData:
    """What the page is made of.

    Attributes:
        tables: of the studies `bids` and `rungs`.
        summary: their summaries.
        rules: `rules_in_force`.
        seed: of the studies.
    """

    tables: Mapping[str, pd.DataFrame]
    summary: Mapping[str, Any]
    rules: str
    seed: int

    def row(self, table: str, **where: Any) -> dict[str, Any]:
        """The only row of a table with these values."""
        frame = self.tables[table]
        for name, value in where.items():
            frame = frame[frame[name] == value]
        return {str(name): value for name, value in frame.iloc[0].items()}

    def caption(
        self, text: str, n: float, of: str, interval: str = "Student", model: str = MODEL, rules: str = ""
    ) -> Caption:
        return Caption(text, rules or self.rules, SIZE, model, Sampled(int(n), of, self.seed, interval))

    @property
    def hands(self) -> int:
        """Random hands of the usual pack."""
        return int(self.summary["hands"])
