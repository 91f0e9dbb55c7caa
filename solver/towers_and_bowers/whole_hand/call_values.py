"""What every call and discard of a hand is worth against a strategy of the whole hand, with the best play after it.

It is `solver.towers_and_bowers.whole_hand.best_response` stopped at a decision of the bidding: the same walk over the
other's hands, each as likely as his calls so far make it.
"""

from __future__ import annotations

import numpy as np

from games.arrays import Floats, Ints
from games.jit import kernel
from solver.towers_and_bowers.bidding.packed import value_columns
from solver.towers_and_bowers.whole_hand.best_response import (
    Opponents,
    Strategy,
    contract_value,
    play_order_of,
    room_for_opponents,
)
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
    """P(win the tower) after each call or discard, for him who makes it, with best play from there on.

    Args:
        game, up_rank: which game.
        strategy: how the other bids, discards and plays.
        hands: int64[hands], numbers of the sets of n cards (`HandGame.members`) to be evaluated.

    Returns:
        float64[hands, 2 n + 11] by `value_columns`: means over the other's hands, each as likely as his calls so far;
        nan where he never calls so.
    """
    values = np.full((len(hands), len(value_columns(game.cards))), np.nan)
    _value_calls(game, play_order_of(up_rank), strategy, hands, values)
    return values


@kernel
def _value_calls(game: HandGame, play_order: Ints, strategy: Strategy, hands: Ints, values: Floats) -> None:
    opponents, n = room_for_opponents(game), game.cards
    for row in range(len(hands)):
        _value_nondealer(game, play_order, strategy, hands[row], opponents, values[row, :6])
        _value_dealer(game, play_order, strategy, hands[row], opponents, values[row, 6 : 11 + 2 * n])


@kernel
def _value_nondealer(
    game: HandGame, play_order: Ints, strategy: Strategy, hand: int, opponents: Opponents, values: Floats
) -> None:
    """Accept, pass; then clubs, diamonds, hearts, pass."""
    mask, bidding, unread = game.set_masks[game.cards, hand], strategy.bidding, np.zeros(0)
    every, passes = 0.0, 0.0
    for other in range(game.sets[game.cards]):
        if game.set_masks[game.cards, other] & mask == 0:
            every += game.dealt[other]
            passes += game.dealt[other] * bidding[ANSWER, other, PASS]
    later, best = 0.0, 0.0
    for suit in range(3):
        later += contract_value(game, play_order, strategy, DEALER_NAMES + suit, NONDEALER, mask, -1, opponents, unread)
        named = contract_value(
            game, play_order, strategy, NONDEALER_NAMES + suit, NONDEALER, mask, -1, opponents, unread
        )
        best = max(best, named)
        if passes > 0.0:
            values[2 + suit] = named / passes
    if passes > 0.0:
        values[5] = later / passes
    accepts = contract_value(game, play_order, strategy, NONDEALER_ACCEPTS, NONDEALER, mask, -1, opponents, unread)
    answered = contract_value(game, play_order, strategy, DEALER_ACCEPTS, NONDEALER, mask, -1, opponents, unread)
    values[0], values[1] = accepts / every, (answered + max(later, best)) / every


@kernel
def _value_dealer(
    game: HandGame, play_order: Ints, strategy: Strategy, hand: int, opponents: Opponents, values: Floats
) -> None:
    """His discards for the other; accept, pass, and his own discards; then clubs, diamonds, hearts."""
    n, mask, bidding, unread = game.cards, game.set_masks[game.cards, hand], strategy.bidding, np.zeros(0)
    accepts, passes, passes_twice = 0.0, 0.0, 0.0
    for other in range(game.sets[n]):
        if game.set_masks[n, other] & mask == 0 and game.dealt[other] > 0.0:
            accepts += bidding[FIRST_CALL, other, ACCEPT]
            passes += bidding[FIRST_CALL, other, PASS]
            passes_twice += bidding[FIRST_CALL, other, PASS] * bidding[SECOND_CALL, other, SECOND_PASS]
    best = 0.0
    for place in range(n):
        gone = game.members[n, hand, place]
        kept = mask & ~(1 << gone)
        if accepts > 0.0:
            contract = NONDEALER_ACCEPTS
            his = contract_value(game, play_order, strategy, contract, DEALER, kept, gone, opponents, unread)
            values[place] = his / accepts
        if passes > 0.0:
            own = contract_value(game, play_order, strategy, DEALER_ACCEPTS, DEALER, kept, gone, opponents, unread)
            values[n + 2 + place] = own / passes
            best = max(best, own)
    if passes == 0.0:
        return
    named, left = 0.0, 0.0
    for suit in range(3):
        named += contract_value(game, play_order, strategy, NONDEALER_NAMES + suit, DEALER, mask, -1, opponents, unread)
        last = contract_value(game, play_order, strategy, DEALER_NAMES + suit, DEALER, mask, -1, opponents, unread)
        left = max(left, last)
        if passes_twice > 0.0:
            values[2 * n + 2 + suit] = last / passes_twice
    values[n], values[n + 1] = best / passes, (named + left) / passes
