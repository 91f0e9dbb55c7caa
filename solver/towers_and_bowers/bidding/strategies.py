"""Strategies of the bidding game of one up-card, the values of their actions, and what a best response gains.

Everything is by class (`deals.Deals.classes`). Both sides have a strategy for every class: the non-dealer a first and
a second call, the dealer a discard for each accepter, an answer to a pass, and the suit named when left to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.towers_and_bowers.rules import hand_result, result_value
from towerlab.solver.towers_and_bowers.bidding.deals import Deals
from towerlab.solver.towers_and_bowers.bidding.pairs import (
    ACCEPT,
    NAME,
    NONDEALER_COLUMNS,
    PASS,
    dealer_values,
    make_pairs,
    nondealer_values,
)

PAIRS_AT_ONCE: Final = 4_000_000  # 8 bytes each


@dataclass(frozen=True)
class BiddingStrategies:
    """Both players' strategies, float64 arrays whose first axis is the class; each row of a choice adds up to one.

    Attributes:
        accepts: [classes], P(the non-dealer accepts).
        names: [classes, 4], what the non-dealer does in the second round: clubs, diamonds, hearts, pass.
        discards: [classes, n], the dealer's discard when the non-dealer has accepted; cards from the lowest id.
        answers: [classes], P(the dealer accepts) after a pass.
        own_discards: [classes, n], the dealer's discard after accepting.
        left: [classes, 3], the suit the dealer names after two passes of the non-dealer.
    """

    accepts: Floats
    names: Floats
    discards: Floats
    answers: Floats
    own_discards: Floats
    left: Floats

    def arrays(self) -> Iterator[tuple[str, Floats]]:
        """Return the name and the array of each field."""
        return ((field.name, getattr(self, field.name)) for field in fields(self))


@dataclass(frozen=True)
class ActionValues:
    """Values of each action to the non-dealer in P(win the tower), given the cards of who acts; nothing rounded.

    Attributes:
        nondealer: float64[classes, 6], columns of `pairs`: of a first pass only the part where the dealer accepts.
        dealer: float64[classes, 2 n + 4]: see `pairs.dealer_values`; the opponent's bids so far are weighted in.
    """

    nondealer: Floats
    dealer: Floats


@dataclass(frozen=True)
class Exploitability:
    """Measured exactly: a best response of either side against the strategies.

    Attributes:
        value: P(the non-dealer wins the tower) when both follow the strategies.
        nondealer_gain, dealer_gain: what a best response wins above it.
    """

    value: float
    nondealer_gain: float
    dealer_gain: float

    @property
    def total(self) -> float:
        return self.nondealer_gain + self.dealer_gain


def payoffs(cards: int, next_deal: float, tie_to_bidder: bool = False) -> tuple[Floats, Floats]:
    """The non-dealer's P(win the tower) by tricks when the non-dealer, or the dealer, is the bidder: two float64[8].

    Args:
        cards: n.
        next_deal: W(n - 1), not read at n = 1.
        tie_to_bidder: option `tie_to`.
    """
    as_bidder, as_defender = np.zeros(8), np.zeros(8)
    for tricks in range(cards + 1):
        as_bidder[tricks] = result_value(hand_result(cards, tricks, tie_to_bidder), True, next_deal)
        as_defender[tricks] = result_value(hand_result(cards, cards - tricks, tie_to_bidder), False, next_deal)
    return as_bidder, as_defender


# ----------------------------------------------------------------------------------------------------------- reaches


def nondealer_reach(strategies: BiddingStrategies) -> Floats:
    """float64[classes, 6]: the non-dealer's probabilities of accepting, passing, and passing and each second call."""
    reach = np.empty((len(strategies.accepts), NONDEALER_COLUMNS))
    reach[:, ACCEPT] = strategies.accepts
    reach[:, PASS] = 1 - strategies.accepts
    reach[:, NAME:] = reach[:, PASS, None] * strategies.names
    return reach


def dealer_reach(strategies: BiddingStrategies) -> Floats:
    """float64[classes, 2 n + 4]: the dealer's probabilities of each discard, own discard, pass, and pass and suit."""
    passes = 1 - strategies.answers[:, None]
    own = strategies.answers[:, None] * strategies.own_discards
    return np.concatenate([strategies.discards, own, passes, passes * strategies.left], axis=1)


def blocks_of(deals: Deals) -> list[Ints]:
    """Return the classes of the non-dealer, int64[..] each, as many at a time as their pairs fit into memory."""
    size = max(1, PAIRS_AT_ONCE // deals.opponents)
    return np.split(rows_of(deals.classes), range(size, len(deals.classes), size))


def all_sums(
    deals: Deals, strategies: BiddingStrategies, payoff: tuple[Floats, Floats], done: Callable[[], None] | None = None
) -> tuple[Floats, Floats]:
    """Return the values of all actions, summed over all pairs.

    Args:
        deals, strategies: of which hands, and what is followed.
        payoff: two float64[8], of `payoffs`.
        done: called after each of `blocks_of`.

    Returns:
        float64[classes, 6] of `pairs.nondealer_values` and float64[classes, 2 n + 4] of `pairs.dealer_values`.
    """
    nondealer = np.zeros((len(deals.classes), NONDEALER_COLUMNS))
    dealer = np.zeros((len(deals.classes), 2 * deals.cards + 4))
    for rows in blocks_of(deals):
        pairs = make_pairs(deals, rows, rows_of(deals.hands))
        nondealer_values(pairs, deals, dealer_reach(strategies), payoff, nondealer)
        dealer_values(pairs, deals, nondealer_reach(strategies), payoff, dealer)
        if done is not None:
            done()
    return nondealer, dealer


def per_deal(deals: Deals, nondealer: Floats, dealer: Floats, opponents: float) -> ActionValues:
    """Return sums over pairs as means over the hands the other can hold.

    Args:
        deals: the hands.
        nondealer: float64[classes, 6], as of `all_sums`.
        dealer: float64[classes, 2 n + 4], as of `all_sums`.
        opponents: how many hands the other can hold.
    """
    means = dealer / (deals.weights[:, None] * opponents)
    own, cards = deals.own_mirror, deals.cards
    if len(own):  # only one of the two mirrored ways to meet such a hand has been looked at
        partner = deals.mirror_discard
        for first in (0, cards):
            block = means[own, first : first + cards]
            means[own, first : first + cards] = (block + np.take_along_axis(block, partner, 1)) / 2
        both = means[own, 2 * cards + 2 : 2 * cards + 4].mean(1)
        means[own, 2 * cards + 2] = means[own, 2 * cards + 3] = both
    return ActionValues(nondealer / opponents, means)


def evaluate(
    deals: Deals, strategies: BiddingStrategies, payoff: tuple[Floats, Floats], done: Callable[[], None] | None = None
) -> ActionValues:
    """Return the value of every action against the strategies, over all pairs of hands; arguments as for `all_sums`."""
    return per_deal(deals, *all_sums(deals, strategies, payoff, done), deals.opponents)


# ---------------------------------------------------------------------------------------------------- best responses


def exploitability(deals: Deals, strategies: BiddingStrategies, values: ActionValues) -> Exploitability:
    """Return what best responses gain, given the values of every action against the strategies (`evaluate`)."""
    share = deals.weights / deals.weights.sum()
    value = (share * nondealer_value(strategies, values)).sum()
    best = (share * best_nondealer_value(values)).sum()
    least = (share * best_dealer_value(deals.cards, values)).sum()
    return Exploitability(float(value), float(best - value), float(value - least))


def nondealer_value(strategies: BiddingStrategies, values: ActionValues) -> Floats:
    """float64[classes]: the value to the non-dealer of following the strategy."""
    value: Floats = (nondealer_reach(strategies) * values.nondealer).sum(1)
    return value


def dealer_value(strategies: BiddingStrategies, values: ActionValues) -> Floats:
    """float64[classes]: the non-dealer's value when the dealer follows the strategy, by the dealer's class."""
    value: Floats = (dealer_reach(strategies) * values.dealer).sum(1)
    return value


def best_nondealer_value(values: ActionValues, floor: float = 0.0) -> Floats:
    """float64[classes]: the most the non-dealer can get, making every bid at least with a floor."""
    own = values.nondealer
    passing = own[:, PASS] + _most(own[:, NAME:], floor)
    return _most(np.stack([own[:, ACCEPT], passing], axis=1), floor)


def best_dealer_value(cards: int, values: ActionValues, floor: float = 0.0) -> Floats:
    """float64[classes]: the least the dealer can leave the non-dealer, making every bid at least with a floor."""
    own = -values.dealer
    passing = own[:, 2 * cards] + _most(own[:, 2 * cards + 1 :], floor)
    answers = np.stack([own[:, cards : 2 * cards].max(1), passing], axis=1)
    least: Floats = -(own[:, :cards].max(1) + _most(answers, floor))
    return least


def _most(values: Floats, floor: float) -> Floats:
    """Value of the best of some bids when every other is made with probability `floor`."""
    most: Floats = floor * values.sum(1) + (1 - floor * values.shape[1]) * values.max(1)
    return most


# -------------------------------------------------------------------------------------------------- ready strategies


def uniform(deals: Deals) -> BiddingStrategies:
    """Every legal action alike."""
    size, cards = len(deals.classes), deals.cards
    half, discards = np.full(size, 0.5), np.full((size, cards), 1 / cards)
    return BiddingStrategies(half, np.full((size, 4), 0.25), discards, half, discards, np.full((size, 3), 1 / 3))


def symmetric(deals: Deals, strategies: BiddingStrategies) -> BiddingStrategies:
    """The same with self-mirrored hands playing mirrored actions alike."""
    own = deals.own_mirror
    if not len(own):
        return strategies
    changed = {name: array.copy() for name, array in strategies.arrays()}
    for name in ("names", "left"):
        both = changed[name][own, 1:3].mean(1)
        changed[name][own, 1] = changed[name][own, 2] = both
    for name in ("discards", "own_discards"):
        block = changed[name][own]
        changed[name][own] = (block + np.take_along_axis(block, deals.mirror_discard, 1)) / 2
    return replace(strategies, **changed)


def rows_of(hands: Ints) -> Ints:
    """int64[len(hands)]: all places of an array."""
    return np.arange(len(hands))
