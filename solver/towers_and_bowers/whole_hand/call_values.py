"""What every call and discard of a hand is worth against a strategy of the whole hand, with the best play after it.

It is `solver.towers_and_bowers.whole_hand.best_response` stopped at a decision of the bidding: the same walk over the
other's hands, each as likely as the calls so far make it.
"""

from __future__ import annotations

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.whole_hand.best_response import Strategy, contract_values, over_others
from towerlab.solver.towers_and_bowers.whole_hand.hand import ACCEPT, ANSWER, FIRST_CALL, PASS, SECOND_CALL, SECOND_PASS
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    HandGame,
)


def call_values(game: HandGame, up_rank: int, strategy: Strategy, hands: Ints) -> Floats:
    """P(win the tower) after each call or discard, for the player who makes it, with best play from there on.

    Args:
        game, up_rank: which game.
        strategy: how the other bids, discards and plays.
        hands: int64[hands], numbers of the sets of n cards (`HandGame.members`) to be evaluated.

    Returns:
        float64[hands, 2 n + 11] by `solver.towers_and_bowers.bidding.packed.value_columns`: means over the other's
        hands, each as likely as the calls so far; nan where the other never calls so.
    """
    own, dealers = (contract_values(game, up_rank, strategy, seat, hands) for seat in (NONDEALER, DEALER))
    return values_of_calls(game, strategy.bidding, hands, own, dealers)


def values_of_calls(game: HandGame, bidding: Floats, hands: Ints, own: Floats, dealers: Floats) -> Floats:
    """As `call_values`, from what best play of every contract wins.

    Args:
        game, hands: as there.
        bidding: float64[6, sets, 4], how the other bids.
        own, dealers: float64[hands, 8, n], `contract_values` as the non-dealer and as the dealer.
    """
    first, answer, second = (bidding[decision] for decision in (FIRST_CALL, ANSWER, SECOND_CALL))
    passes_twice = first[:, PASS] * second[:, SECOND_PASS]
    every = np.ones(len(passes_twice))
    shares = np.stack((every, answer[:, PASS], first[:, ACCEPT], first[:, PASS], passes_twice), axis=1)
    every, answered, accepted, passed, left = np.split(over_others(game, shares)[hands], 5, axis=1)
    names, leaves = (slice(first_suit, first_suit + 3) for first_suit in (NONDEALER_NAMES, DEALER_NAMES))

    named, later = own[:, names, 0], own[:, leaves, 0].sum(axis=1, keepdims=True)
    best_second = np.maximum(later, named.max(axis=1, keepdims=True))
    takes = dealers[:, DEALER_ACCEPTS]
    last = dealers[:, leaves, 0]
    passes = dealers[:, names, 0].sum(axis=1, keepdims=True) + last.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):  # 0 / 0 where the other never calls so
        return np.hstack(
            (
                own[:, NONDEALER_ACCEPTS, :1] / every,
                (own[:, DEALER_ACCEPTS, :1] + best_second) / every,
                named / answered,
                later / answered,
                dealers[:, NONDEALER_ACCEPTS] / accepted,
                takes.max(axis=1, keepdims=True) / passed,
                passes / passed,
                takes / passed,
                last / left,
            )
        )
