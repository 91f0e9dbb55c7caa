"""The rule for the table: its sentence, its calls, and what they cost by the equilibrium, by number of cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from towerlab.analysis.report.checks import Check, holds
from towerlab.analysis.towers_and_bowers.explorer.kinds import HOLDINGS, stored
from towerlab.analysis.towers_and_bowers.explorer.rules import SEATS, best_rules, stored_rules
from towerlab.games.arrays import Bools

MT_A_POINT: Final = 10.0  # a percentage point is ten thousandths
_FREE: Final = 1.0  # mt a decision: what the rule may lose on the best number of trumps to accept with


@dataclass(frozen=True)
class Clause:
    """Of a rule for the first call: what is read, when it applies, and what is done; the first that applies decides.

    Attributes:
        words: as it is printed.
        holds: a table of kinds of hands (`analysis.towers_and_bowers.explorer.kinds`) → bool[kinds].
        accept: else pass.
    """

    words: str
    holds: Callable[[pd.DataFrame], pd.Series[bool]]
    accept: bool


RULE: Final[Mapping[str, tuple[Clause, ...]]] = {
    "dealer": (
        Clause(
            "pass with four or six cards, no trump and a jack of the other colour",
            lambda kinds: kinds["cards"].isin((4, 6)) & (kinds["holding"] == HOLDINGS[0]) & (kinds["other_jacks"] > 0),
            False,
        ),
        Clause("else accept", lambda kinds: kinds["cards"] > 0, True),
    ),
    "nondealer": (
        Clause("accept with an odd number of cards", lambda kinds: kinds["cards"] % 2 == 1, True),
        Clause("pass with an even one", lambda kinds: kinds["cards"] > 0, False),
    ),
}


def sentence(seat: str) -> str:
    """The rule of a seat as it is printed.

    >>> sentence("nondealer")
    'accept with an odd number of cards, pass with an even one'
    """
    return ", ".join(clause.words for clause in RULE[seat])


def accepts(seat: str, kinds: pd.DataFrame) -> Bools:
    """Which kinds of hands the rule of a seat accepts with, bool[kinds]."""
    clauses = RULE[seat]
    return np.select([clause.holds(kinds).to_numpy(bool) for clause in clauses], [one.accept for one in clauses]) > 0


class TableCard:
    """The rule and what it costs, in mt."""

    def __init__(self) -> None:
        rules = stored_rules()
        self._rules = rules.set_index(["cards", "seat", "trumps"])["cost_mt"]
        self._best = best_rules(rules).set_index(["cards", "seat"])["cost_mt"]
        self.sizes = sorted(rules["cards"].unique().tolist())
        self.hands = int(rules.drop_duplicates(["cards", "seat"])["hands"].sum())

    def accepting(self, cards: int, seat: str, trumps: int = 0) -> float:
        """What accepting with so many trumps or more costs a decision; with more than there are cards it is passing."""
        return float(self._rules[cards, seat, min(trumps, cards + 1)])

    def cost(self, cards: int, seat: str) -> float:
        """What the rule costs a decision, over every kind of hand."""
        if cards % 2 and seat == "nondealer":  # these calls have no kinds: the rule does the same with every hand
            every = accepts(seat, pd.DataFrame({"cards": [cards]}))[0]
            return self.accepting(cards, seat, 0 if every else cards + 1)
        kinds = stored("kinds").query("seat == @seat and cards == @cards")
        costs = np.where(accepts(seat, kinds), kinds["accepting_costs"], kinds["passing_costs"])
        return float(np.average(costs, weights=kinds["pairs"]))

    def frame(self) -> pd.DataFrame:
        """What the rule costs in percentage points, and what doing always the same does, a row a number of cards."""
        return pd.DataFrame(
            {
                "cards": cards,
                "dealer": self.cost(cards, "dealer") / MT_A_POINT,
                "non_dealer": self.cost(cards, "nondealer") / MT_A_POINT,
                "dealer_who_passes": self.accepting(cards, "dealer", cards + 1) / MT_A_POINT,
                "non_dealer_who_accepts": self.accepting(cards, "nondealer") / MT_A_POINT,
            }
            for cards in self.sizes
        )

    def checks(self) -> tuple[Check, ...]:
        """That no number of trumps to accept with is much better at any size."""
        every = [(cards, seat) for cards in self.sizes for seat in SEATS]
        gained = {each: self.cost(*each) - float(self._best[each]) for each in every}
        worst = max(every, key=lambda each: gained[each])
        return (
            holds(
                f"no number of trumps to accept with gains {_FREE / MT_A_POINT:g} points on the rule for the table",
                gained[worst] < _FREE,
                f"at most {gained[worst] / MT_A_POINT:.2f} points, {worst[1]} of {worst[0]} cards, of {len(every)} "
                "sizes and seats",
            ),
        )
