"""The rule for the table: what it costs by the equilibrium, by number of cards."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from analysis.report.checks import Check, holds
from analysis.towers_and_bowers.explorer.kinds import HOLDINGS, stored
from analysis.towers_and_bowers.explorer.rules import SEATS, best_rules, stored_rules

NEEDED: Final = 4  # trumps with which a non-dealer accepts at an even number of cards
EXCEPTED: Final = (4, 6)  # cards at which the dealer has an exception to the rule
_FREE: Final = 1.0  # mt a decision: what the rule may lose on the best threshold, except where the text says so
_SAID: Final = 6  # cards at which one trump is a better rule for the dealer, which the exception covers


class TableCard:
    """The rule and what it costs, from what every threshold of trumps costs."""

    def __init__(self) -> None:
        rules = stored_rules()
        self._rules = rules.set_index(["cards", "seat", "trumps"])["cost_mt"]
        self._best = best_rules(rules).set_index(["cards", "seat"])["cost_mt"]
        self.sizes = sorted(rules["cards"].unique().tolist())
        self.hands = int(rules.drop_duplicates(["cards", "seat"])["hands"].sum())

    def cost(self, cards: int, seat: str, trumps: int | None = None) -> float:
        """Mt a decision of accepting with so many trumps or more, by default the rule's."""
        if trumps is None:
            trumps = NEEDED if seat == "nondealer" and cards % 2 == 0 else 0
        return float(self._rules[cards, seat, min(trumps, cards + 1)])

    def excepting(self, cards: int) -> float:
        """The dealer's cost of passing without a trump but with a jack of the other colour, else accepting."""
        kinds = stored("kinds").query(f"seat == 'dealer' and cards == {cards}")
        passes = (kinds["holding"] == HOLDINGS[0]) & (kinds["other_jacks"] > 0)
        costs = np.where(passes, kinds["passing_costs"], kinds["accepting_costs"])
        return float(np.average(costs, weights=kinds["pairs"]))

    def frame(self) -> pd.DataFrame:
        """What to do and what it costs, a row a number of cards."""
        return pd.DataFrame(
            {
                "cards": cards,
                "dealer": "accept",
                "dealer_cost": self.cost(cards, "dealer"),
                "excepting": self.excepting(cards) if cards in EXCEPTED else np.nan,
                "nondealer": "accept" if cards % 2 else "pass" if cards < NEEDED else f"accept with {NEEDED} trumps",
                "nondealer_cost": self.cost(cards, "nondealer"),
                "accepting_all": self.cost(cards, "nondealer", 0),
                "passing_all": self.cost(cards, "nondealer", cards + 1),
            }
            for cards in self.sizes
        )

    def checks(self) -> tuple[Check, ...]:
        """That no other number of trumps is much better, and that what the sentences say of six cards is so."""
        every = [(cards, seat) for cards in self.sizes for seat in SEATS if (cards, seat) != (_SAID, "dealer")]
        worst = max(self.cost(*each) - float(self._best[each]) for each in every)
        saved = {cards: self.cost(cards, "dealer") - self.excepting(cards) for cards in self.sizes}
        return (
            holds(
                f"no other number of trumps does better than the rule for the table by {_FREE:g} mt, but for a dealer "
                f"of {_SAID} cards",
                worst < _FREE,
                f"at most {worst:.2f} mt better, of {len(every)} sizes and seats",
            ),
            holds(
                "the exception saves the dealer 3 mt and more where it is named, and costs at the other sizes",
                all(gain >= 3 if cards in EXCEPTED else gain < 0 for cards, gain in saved.items()),
                ", ".join(f"n = {cards}: {gain:+.1f}" for cards, gain in saved.items()),
            ),
        )
