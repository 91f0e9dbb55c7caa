"""`towerlab value`: what dealing is worth, hands hidden, by hand size.

Up to the hand size that has been solved exactly the numbers are the game's; above it the bidding is that of hidden
hands and the play is with all cards seen: the double-dummy model. At odd n that model's value is the accepted
game's alone, since somebody always has the majority.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.progress import open_progress
from towerlab.analysis.towers_and_bowers.solutions.bidding import (
    DOUBLE_DUMMY,
    WHOLE_HAND,
    check_solved,
    load_model_bidding,
    none_at_hand,
)
from towerlab.analysis.towers_and_bowers.solutions.deal_value import open_deal_values
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import (
    Floored,
    bidding_value,
    hidden_value,
    whole_hand_bounds,
    whole_hand_values,
)
from towerlab.analysis.towers_and_bowers.solutions.value_bounds import value_bounds
from towerlab.analysis.towers_and_bowers.solutions.whole_hand import SIZES, measure_whole_hand
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.written import Record
from towerlab.solver.towers_and_bowers.bidding import evaluate, exploitability, make_deals, payoffs, up_cards
from towerlab.solver.towers_and_bowers.bidding.strategies import blocks_of
from towerlab.solver.two_hands.tablebase import MOST_CARDS

if TYPE_CHECKING:
    import pandas as pd

GAME: Final = "towers-and-bowers"
METHODS: Final = {
    WHOLE_HAND: "bidding, discard and play with hidden hands, solved",
    DOUBLE_DUMMY: "bidding and discard with hidden hands, solved; double-dummy play",
}
_TOO_LONG: Final = "takes minutes: ask for it with --cards"


@dataclass(frozen=True)
class ValueOfDeal(
    Record, keys="cards dealer nondealer lower upper exploitability exploitability_of method by_up floored? checked?"
):
    """One hand size.

    Attributes:
        cards: n.
        dealer, nondealer: P(each wins the tower).
        lower, upper: bounds of the game's own W(n) (`analysis.towers_and_bowers.solutions.value_bounds`), None where
        there are none.
        exploitability: what best responses of both sides gain.
        exploitability_of: ``"game"`` or ``"double-dummy model"``.
        method: how it was got.
        by_up: the dealer's value by rank letter of the up-card.
        floored: the same with a floor on every call, which is the solution that answers; None of a model.
        checked: exploitability of what ships as measured now, where that was asked for.
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
    floored: Floored | None = None
    checked: float | None = None


@dataclass(frozen=True)
class ValueAnswer(
    Answer,
    game=GAME,
    shown_by="towerlab.analysis.towers_and_bowers.present.value:value_report",
    table="values",
    keys="values unchecked?",
):
    """What `towerlab value` answers."""

    values: tuple[ValueOfDeal, ...]
    unchecked: Mapping[int, str] = field(default_factory=dict)  # by hand size, why it was not checked though asked for
    cards: int | None = None  # the one that was asked for


def ask_value(
    cards: int | None = None, check: bool = False, quiet: bool = True, options: TowersAndBowersOptions | None = None
) -> ValueAnswer:
    """What dealing a hand of `cards` is worth, or of every size that is at hand.

    Args:
        cards: 1..7, None for all.
        check: compute the best responses again; without `cards` of the sizes where that takes seconds.
        quiet: no progress on stderr.
        options: of the rules; only those that change no solution.

    Raises:
        TowerlabError: an impossible hand size, or one that is not at hand or cannot be checked; rules not solved.
    """
    check_solved(options)
    if cards is not None and not 1 <= cards <= MOST_CARDS:
        raise TowerlabError(f"{cards} is no hand size; expected 1 to {MOST_CARDS}")
    sizes = range(1, MOST_CARDS + 1) if cards is None else [cards]
    values = [value for value in map(_value, sizes) if value is not None]
    if cards is not None and not values:
        raise TowerlabError(none_at_hand(f"W({cards}) of hidden hands", cards))
    if not check:
        return ValueAnswer(tuple(values), cards=cards, options=options)
    unchecked = {} if cards is not None else {value.cards: _TOO_LONG for value in values if value.cards not in SIZES}
    checked = [value if value.cards in unchecked else _checked(value, quiet) for value in values]
    return ValueAnswer(tuple(checked), unchecked, cards, options=options)


def _value(cards: int) -> ValueOfDeal | None:
    value = hidden_value(cards)
    if value is None:
        return None
    lower = upper = None
    bounds = value_bounds(cards)
    if value.exploitability_of == WHOLE_HAND:
        lower, upper = whole_hand_bounds(cards)
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
        value.floored,
    )


def _checked(value: ValueOfDeal, quiet: bool) -> ValueOfDeal:
    """With its exploitability computed again."""
    whole = value.exploitability_of == WHOLE_HAND
    steps = len(up_cards()) * (1 if whole else len(blocks_of(make_deals(value.cards, up_cards()[0]))))
    with open_progress(f"best responses, {value.cards} cards", steps, quiet) as advance:
        measure = measure_whole_hand if whole else measure_bidding
        return replace(value, checked=measure(value.cards, advance))


def measure_bidding(cards: int, done: Callable[[], None] | None = None) -> float:
    """Exploitability of the stored bidding in the double-dummy model, by best responses over every pair of hands.

    Args:
        cards: 1..7.
        done: told of every one of `blocks_of` an up-card's deals.

    Raises:
        TowerlabError: no bidding of that size is at hand.
    """
    gains = []
    for up in up_cards():
        stored = load_model_bidding(cards, up % 13)
        if stored is None:
            raise TowerlabError(none_at_hand(f"equilibrium of {cards} cards", cards))
        deals = make_deals(cards, up)
        worth = evaluate(deals, stored.strategies, payoffs(cards, stored.next_deal or 0.0), done)
        gains.append(exploitability(deals, stored.strategies, worth).total)
    return float(np.mean(gains))


def price_of_models(most_cards: int = 3) -> pd.DataFrame:
    """W(n) of the game and of its models side by side, each chained from its own W(n - 1).

    Returns:
        A row a hand size: cards, exact, double_dummy, perfect_information, and both models less the exact value. What
        is not at hand is NaN.
    """
    import pandas as pd

    sizes = range(1, most_cards + 1)
    found = {"exact": map(whole_hand_values().get, sizes), "double_dummy": map(bidding_value, sizes)}
    hidden = {name: [value.dealer if value else np.nan for value in values] for name, values in found.items()}
    hidden["perfect_information"] = [value.dealer for value in open_deal_values()[:most_cards]]
    table = pd.DataFrame({"cards": list(sizes), **hidden})
    for name in ("double_dummy", "perfect_information"):
        table[f"{name}_less_exact"] = table[name] - table["exact"]
    return table
