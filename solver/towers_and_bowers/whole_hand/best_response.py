"""Best responses to a whole strategy, exact, of all hands at once: a pass of the solver in which nothing is learnt.

A best response knows the opponent's strategy, not the opponent's cards.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    DEALER,
    NONDEALER,
    HandGame,
    deals,
    decisions,
    entries_at,
    list_sets,
    new_sets,
    paying,
)
from towerlab.solver.towers_and_bowers.whole_hand.solve import REPLY, PlayPasses, empty_play
from towerlab.solver.towers_and_bowers.whole_hand.strategies import ROUNDING, Strategy, best_calls

_KEEP_VALUES: Final = REPLY._replace(evens=False, keeps_values=True)


class BestResponse(NamedTuple):
    """A best response.

    Attributes:
        values: float64[sets], P(the responder wins the tower) with each hand, summed over the opponent's hands.
        strategy: one call and one card everywhere, the first of equal ones; zeros for the opponent, and where the
            opponent never comes.
    """

    values: Floats
    strategy: Strategy


def best_response(game: HandGame, strategy: Strategy, responder: int) -> BestResponse:
    """Return the best response of a player to a strategy.

    Args:
        game: a hand that is not mirrored.
        strategy: the opponent's; the other half is not read.
        responder: 0 for the non-dealer, 1 for the dealer.
    """
    best_plays, card_values = _respond(game, strategy, responder)
    values, bidding = best_calls(game, best_plays, responder)
    bidding[:, game.dealt == 0] = 0.0
    play = np.zeros(game.play_size)
    _choose_best(game, decisions(game), card_values, opponent_reach(game, strategy, responder), play)
    return BestResponse(np.where(game.dealt > 0, values, 0.0), Strategy(bidding, play))


def best_response_values(game: HandGame, strategy: Strategy, responder: int) -> Floats:
    """Return `BestResponse.values`; the game may be mirrored."""
    values = best_calls(game, _respond(game, strategy, responder)[0], responder)[0]
    return np.where(game.dealt > 0, values, 0.0)


def exploitability(game: HandGame, strategy: Strategy) -> float:
    """Return how much the best responses of both players win together beyond the whole (which is 1), per deal."""
    total = sum(best_response_values(game, strategy, player).sum() for player in (NONDEALER, DEALER))
    return float(total / deals(game) - 1.0)


def opponent_reach(game: HandGame, strategy: Strategy, player: int) -> Floats:
    """Return how far the opponent's choices lead to each of a player's information sets of the play.

    Args:
        game: a hand that is not mirrored.
        strategy: the opponent's; the other half is not read.
        player: 0 for the non-dealer, 1 for the dealer.

    Returns:
        float64[play_size], summed over the opponent's hands, at every card of the set.
    """
    certain_win = np.full_like(game.payoffs, 1.0 if player == NONDEALER else -1.0)  # a dealer's payoffs are negated
    return _respond(paying(game, certain_win), strategy, player)[1]


def _respond(game: HandGame, strategy: Strategy, responder: int) -> tuple[Floats, Floats]:
    """float64[sets, 8, n] of `PlayPasses.best_plays`, and float64[play_size], the values of the responder's cards."""
    passes = PlayPasses(game, empty_play(game, compact=False)._replace(averages=strategy.play))
    best_plays = passes.best_plays(strategy.bidding, responder, _KEEP_VALUES)
    return best_plays, passes.play.regrets


@kernel
def _choose_best(game: HandGame, nodes: Ints, values: Floats, reach: Floats, play: Floats) -> None:
    """Write ones at the best card of every information set that the opponent reaches."""
    sets = new_sets(game)
    for node in range(len(nodes)):
        contract = nodes[node, 0]
        depth = nodes[node, 1]
        history = nodes[node, 2]
        for place in range(list_sets(game, contract, depth, history, sets)):
            choices = entries_at(game, contract, depth, history, place, sets)
            if choices == 0 or reach[sets.entries[0]] <= ROUNDING:
                continue
            best = sets.entries[0]
            for entry in sets.entries[1:choices]:
                if values[entry] > values[best] + ROUNDING:
                    best = entry
            play[best] = 1.0
