"""What every call and discard of a hand is worth against a strategy of the whole hand, with the best play after it.

It is `solver.towers_and_bowers.whole_hand.best_response` stopped at a decision of the bidding: the same walk over the
other's hands, each as likely as the calls so far make it.
"""

from __future__ import annotations

import numpy as np

from games.arrays import Floats, Ints
from solver.towers_and_bowers.whole_hand.best_response import Strategy, contract_values
from solver.towers_and_bowers.whole_hand.hand import ACCEPT, ANSWER, FIRST_CALL, PASS, SECOND_CALL, SECOND_PASS
from solver.towers_and_bowers.whole_hand.hand_game import (
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
    count = int(game.sets[game.cards])
    masks = game.set_masks[game.cards, :count]
    others = ((masks[hands, None] & masks) == 0) & (game.dealt[:count] > 0)
    first, answer, second = (strategy.bidding[decision] for decision in (FIRST_CALL, ANSWER, SECOND_CALL))
    passes_twice = first[:, PASS] * second[:, SECOND_PASS]
    every, answered, accepted, passed, left = (
        (others @ shares)[:, None]
        for shares in (np.ones(count), answer[:, PASS], first[:, ACCEPT], first[:, PASS], passes_twice)
    )
    own, dealers = (contract_values(game, up_rank, strategy, seat, hands) for seat in (NONDEALER, DEALER))
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
