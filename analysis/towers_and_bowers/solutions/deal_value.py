"""The value of dealing: W(n) = P(the player who deals the hand of n cards wins the tower).

`deal_value` is what every answer, advice, review and player counts with. With hidden hands it is the game's own up to
four cards and that of the bidding from five on (`analysis.towers_and_bowers.solutions.hidden_values`). Under rules that
no solution is of it is that of *perfect information*: both see all cards from the first bid on.

The latter is exact: every deal is counted, over the classes of (hand, up-card), and the counts are kept in
``data/deal_outcomes.csv``, made by `analysis.towers_and_bowers.studies.deal_outcomes`. A deal matters only through
three trick counts (`solver.towers_and_bowers.open_bidding`), so the same counts give W(n) for every rule option.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

import numpy as np

from towerlab.analysis.towers_and_bowers.solutions.bidding import rules_are_solved
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import hidden_value
from towerlab.analysis.towers_and_bowers.solutions.rules import shipped_file
from towerlab.games.arrays import Ints
from towerlab.games.towers_and_bowers import HandRules, TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.open_bidding import open_bidding
from towerlab.solver.towers_and_bowers.upcard import OUTCOMES
from towerlab.solver.two_hands.tablebase import MOST_CARDS

MT: Final = 1000.0  # thousandths of a tower, in which research tables count
_CLOSE_ENOUGH: Final = 1e-15


@dataclass(frozen=True)
class DealValue:
    """W(n) of one hand size, all cards seen.

    Attributes:
        cards: hand size n.
        dealer: P(the dealer of this hand wins the tower).
        deals: how many deals (hand, hand, up-card) the value was counted over.
    """

    cards: int
    dealer: float
    deals: int


def deal_value(cards: int, options: TowersAndBowersOptions | None = None) -> float:
    """W(cards) under the given rule options, of perfect information where no solution is at hand; 0 of no cards."""
    hidden = hidden_value(cards) if options is None or rules_are_solved(options) else None
    return 0.0 if not cards else open_deal_values(options)[cards - 1].dealer if hidden is None else hidden.dealer


def deal_values(options: TowersAndBowersOptions | None = None) -> tuple[float, ...]:
    """W(0), W(1), …, W(7), see `deal_value`; W(0) is never read."""
    return tuple(deal_value(cards, options) for cards in range(MOST_CARDS + 1))


def open_deal_values(options: TowersAndBowersOptions | None = None) -> tuple[DealValue, ...]:
    """W(1), …, W(7) of the perfect-information model, exact, under the given rule options."""
    options = options or TowersAndBowersOptions()
    return _chain(options.hand_rules)


@functools.cache
def _chain(rules: HandRules) -> tuple[DealValue, ...]:
    values: list[DealValue] = []
    for cards in range(1, MOST_CARDS + 1):
        counts = deal_outcomes(cards, rules)
        below = [0.0, *(value.dealer for value in values)]
        values.append(DealValue(cards, _value_of_dealing(counts, below, rules), int(counts.sum())))
    return tuple(values)


def _value_of_dealing(counts: Ints, below: list[float], rules: HandRules) -> float:
    """Mean over all deals; where the dealer may throw the hand in, the fixed point of W(n) in terms of itself.

    Args:
        counts: int64[8, 8, 8], of `deal_outcomes`.
        below: W(0), …, W(n - 1); W(0) is never read: a hand of one card is always a sweep.
        rules: of the hand.
    """
    cards = len(below)
    weights = counts / counts.sum()
    same_deal = 0.5
    while True:
        bidding = open_bidding(cards, [*below, same_deal], rules)
        dealer = 1 - float((weights * bidding.first_round.value).sum())
        if rules.force_dealer_to_name or abs(dealer - same_deal) < _CLOSE_ENOUGH:
            return dealer
        same_deal = dealer


def deal_outcomes(cards: int, rules: HandRules) -> Ints:
    """How many deals there are by the non-dealer's tricks; rules change them by what may be discarded alone.

    Returns:
        int64[8, 8, 8], by tricks if the up-card is accepted, most and fewest over the suits that can be named.
    """
    counts = np.zeros((OUTCOMES, OUTCOMES, OUTCOMES), dtype=np.int64)
    rows = _stored_outcomes()
    rows = rows[(rows[:, 0] == cards) & (rows[:, 1] == rules.allow_discard_upcard)]
    counts[rows[:, 2], rows[:, 3], rows[:, 4]] = rows[:, 5]
    return counts


@functools.lru_cache(maxsize=1)
def _stored_outcomes() -> Ints:
    with shipped_file("deal_outcomes.csv").open() as lines:
        return np.loadtxt(lines, dtype=np.int64, delimiter=",", skiprows=1)
