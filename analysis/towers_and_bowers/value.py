"""`towerlab value`: what dealing is worth, hands hidden, by hand size.

Up to the hand size that has been solved exactly the numbers are the game's; above it the bidding is that of hidden
hands and the play is with all cards seen: the double-dummy model. At odd n that model's value is the accepted
game's alone, since somebody always has the majority (`solver.towers_and_bowers.bidding.accepted`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.answers import Answer
from analysis.towers_and_bowers.solutions import whole_hand as exact_strategy
from analysis.towers_and_bowers.solutions.bidding import DOUBLE_DUMMY, HOW_TO_MAKE, WHOLE_HAND, load_model_bidding
from analysis.towers_and_bowers.solutions.deal_value import deal_value
from analysis.towers_and_bowers.solutions.hidden_values import bidding_value, whole_hand_values
from analysis.towers_and_bowers.solutions.whole_hand import measure_game
from analysis.towers_and_bowers.studies.value_bounds import value_bounds
from games.errors import TowerlabError
from games.written import Record
from solver.towers_and_bowers.bidding import evaluate, exploitability, make_deals, payoffs, up_cards
from solver.two_hands.tablebase import MOST_CARDS

if TYPE_CHECKING:
    import pandas as pd

GAME: Final = "towers-and-bowers"
METHODS: Final = {
    WHOLE_HAND: "bidding, discard and play with hidden hands, solved",
    DOUBLE_DUMMY: "bidding and discard with hidden hands, solved; double-dummy play",
}
_QUICK: Final = 3  # hand sizes whose best responses are computed again within seconds


@dataclass(frozen=True)
class ValueOfDeal(Record):
    """One hand size.

    Attributes:
        cards: n.
        dealer, nondealer: P(each wins the tower).
        lower, upper: bounds of the game's own W(n) (`analysis.towers_and_bowers.studies.value_bounds`), None where
        there are none.
        exploitability: what best responses of both sides gain.
        exploitability_of: ``"game"`` or ``"double-dummy model"``.
        method: how it was got.
        by_up: the dealer's value by rank letter of the up-card.
        checked: exploitability as measured now, where that was asked for.
    """

    cards: int
    dealer: float
    nondealer: float
    lower: float | None
    upper: float | None
    exploitability: float
    exploitability_of: str
    method: str
    by_up: dict[str, float]
    checked: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The entry of `towerlab value --json`."""
        entry = asdict(self)
        if self.checked is None:
            del entry["checked"]
        return entry


@dataclass(frozen=True)
class ValueAnswer(Answer, shown_by="analysis.towers_and_bowers.present.value:value_report", table="values"):
    """What `towerlab value` answers."""

    values: tuple[ValueOfDeal, ...]

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab value --json`."""
        return {"game": GAME, "values": [value.to_json() for value in self.values]}


def ask_value(cards: int | None = None, check: bool = False) -> ValueAnswer:
    """What dealing a hand of `cards` is worth, or of every size that is at hand.

    Args:
        cards: 1..7, None for all.
        check: compute the best responses again; without `cards` of one, two and three cards only.

    Raises:
        TowerlabError: an impossible hand size, or one that is not at hand.
    """
    if cards is not None and not 1 <= cards <= MOST_CARDS:
        raise TowerlabError(f"{cards} is no hand size; expected 1 to {MOST_CARDS}")
    sizes = range(1, MOST_CARDS + 1) if cards is None else [cards]
    found = [value for n in sizes if (value := _value(n, check and (cards is not None or n <= _QUICK))) is not None]
    if cards is not None and not found:
        raise TowerlabError(f"no W({cards}) of hidden hands is at hand; {HOW_TO_MAKE.format(cards=cards)}")
    return ValueAnswer(tuple(found))


def _value(cards: int, check: bool) -> ValueOfDeal | None:
    value = whole_hand_values().get(cards) or bidding_value(cards)
    if value is None:
        return None
    lower = upper = None
    bounds = value_bounds(cards)
    if value.exploitability_of == WHOLE_HAND:
        lower, upper = value.dealer - value.exploitability, value.dealer + value.exploitability
    elif bounds is not None:
        lower, upper = bounds.lower, bounds.upper
    return ValueOfDeal(
        cards,
        value.dealer,
        1 - value.dealer,
        lower,
        upper,
        value.exploitability,
        value.exploitability_of,
        METHODS[value.exploitability_of],
        dict(value.by_up),
        _measure(cards, value.exploitability_of) if check else None,
    )


def _measure(cards: int, solved: str) -> float | None:
    """Exploitability computed again; None where the whole strategy does not ship."""
    if solved == DOUBLE_DUMMY:
        return measure_model(cards)
    return measure_game(cards) if cards in exact_strategy.SIZES else None


def measure_model(cards: int) -> float:
    """Exploitability of the stored bidding in the double-dummy model, by best responses over every pair of hands."""
    gains = []
    for up in up_cards():
        stored = load_model_bidding(cards, up % 13)
        if stored is None:
            raise TowerlabError(f"no equilibrium of {cards} cards is at hand; {HOW_TO_MAKE.format(cards=cards)}")
        deals = make_deals(cards, up)
        worth = evaluate(deals, stored.strategies, payoffs(cards, stored.next_deal or 0.0))
        gains.append(exploitability(deals, stored.strategies, worth).total)
    return float(np.mean(gains))


def price_of_models(most_cards: int = 3) -> pd.DataFrame:
    """W(n) of the game and of its models side by side, each chained from its own W(n - 1).

    Returns:
        A row a hand size: cards, exact, double_dummy, perfect_information, and both models less the exact value. What
        is not at hand is NaN.
    """
    import pandas as pd

    rows = []
    for cards in range(1, most_cards + 1):
        exact, model = whole_hand_values().get(cards), bidding_value(cards)
        rows.append(
            {
                "cards": cards,
                "exact": exact.dealer if exact else np.nan,
                "double_dummy": model.dealer if model else np.nan,
                "perfect_information": deal_value(cards),
            }
        )
    table = pd.DataFrame(rows)
    for name in ("double_dummy", "perfect_information"):
        table[f"{name}_less_exact"] = table[name] - table["exact"]
    return table
