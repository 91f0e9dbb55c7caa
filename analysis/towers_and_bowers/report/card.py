"""The first screen: what the rule for the table costs by the equilibrium, and hands in order of what to do."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from markupsafe import Markup

from towerlab.analysis.report.page import Check, holds
from towerlab.analysis.report.wording import hand_html
from towerlab.analysis.towers_and_bowers.questions.answers import SEATS
from towerlab.analysis.towers_and_bowers.questions.upcard import UpcardQuestion
from towerlab.analysis.towers_and_bowers.report.view import SEAT_NAMES
from towerlab.analysis.towers_and_bowers.studies.call_rules import THE_RULE, accepts, best_rules, stored_rules
from towerlab.analysis.towers_and_bowers.studies.kinds import stored
from towerlab.games.cards import parse_card, parse_mask
from towerlab.solver.towers_and_bowers.bidding.deals import SPADES

MT_A_POINT: Final = 10.0  # a percentage point is ten thousandths
_FREE: Final = 1.0  # mt a decision: what the rule may lose on the best number of trumps to accept with
_SHOWN: Final = np.array([0.03, 0.2, 0.4, 0.6, 0.8, 0.97])  # of a seat's hands in order, those that are drawn


class TableCard:
    """The rule and what it costs, in mt."""

    def __init__(self) -> None:
        rules = stored_rules()
        self._rules: dict[Any, Any] = rules.set_index(["cards", "seat", "trumps"]).to_dict("index")
        self._best = best_rules(rules).set_index(["cards", "seat"])["cost_mt"]
        self.sizes = sorted(rules["cards"].unique().tolist())
        self.hands = int(rules.drop_duplicates(["cards", "seat"])["hands"].sum())

    def accepting(self, cards: int, seat: str, trumps: int = 0) -> float:
        """Return the cost a decision of accepting with so many trumps or more; with more than `cards` it is passing."""
        return float(self._rules[cards, seat, min(trumps, cards + 1)]["cost_mt"])

    def cost(self, cards: int, seat: str) -> float:
        """Return the cost of the rule a decision, over every hand."""
        return self.accepting(cards, seat, THE_RULE)

    def worst_to_accept(self, cards: int) -> tuple[int, int]:
        """The non-dealer's hand, printed mask, and up-card with which accepting costs most."""
        row = self._rules[cards, "nondealer", 0]
        return parse_mask(row["worst_hand"]), parse_card(row["worst_up"])

    def frame(self) -> pd.DataFrame:
        """Return the cost of the rule, mean and worst, and of doing always the same; points, a row a size and seat."""
        rows = []
        for cards, seat in ((cards, seat) for cards in self.sizes for seat in SEATS):
            of = self._rules[cards, seat, THE_RULE]
            rows.append({
                "cards": cards, "seat": SEAT_NAMES[seat], "cost": of["cost_mt"] / MT_A_POINT, "over": 100 * of["over"],
                "worst": of["worst_mt"] / MT_A_POINT, "worst_hand": f"{of['worst_hand']} up {of['worst_up']}",
                "accepting": self.accepting(cards, seat) / MT_A_POINT,
                "passing": self.accepting(cards, seat, cards + 1) / MT_A_POINT,
            })  # fmt: skip
        return pd.DataFrame(rows)

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


def hands_in_order(cards: int) -> pd.DataFrame:
    """Hands of a size from clear accept to clear pass: those of every seat that stand at `_SHOWN` of its kinds.

    Returns:
        ``hand`` (with its up-card), ``seat``, ``gap`` (percentage points that accepting gains with this hand), ``best``
        and ``rule`` (calls).
    """
    parts = []
    for seat in SEATS:
        kinds = stored().query("cards == @cards and seat == @seat").sort_values("gap", ascending=False)
        kinds = kinds.iloc[np.searchsorted(kinds["pairs"].cumsum() / kinds["pairs"].sum(), _SHOWN)]
        hands = np.array([parse_mask(hand) for hand in kinds["example"]], dtype=np.int64)
        ups = np.array([parse_card(f"{up}S") for up in kinds["up"]], dtype=np.int64)
        deals = zip(hands.tolist(), ups.tolist(), strict=True)
        gaps = np.array([100 * UpcardQuestion(*pair, dealer=seat == SEATS[0]).answer().margin for pair in deals])
        calls = {"best": gaps >= 0, "rule": accepts(seat, cards, hands, ups)}
        named = {name: np.where(accepting, "accept", "pass") for name, accepting in calls.items()}
        about = {"hand": kinds["example"] + " up " + kinds["up"] + "S", "seat": SEAT_NAMES[seat]}
        parts.append(pd.DataFrame({**about, "gap": gaps, **named}).sort_values("gap", ascending=False, kind="stable"))
    return pd.concat(parts, ignore_index=True)


def draw(text: str) -> Markup:
    """A hand with its up-card drawn as cards, from ``"9S JH up QS"``."""
    hand, _, up = text.partition(" up ")
    return hand_html(parse_mask(hand), parse_card(up), SPADES, True)
