"""Mixes that can be followed: no call is made, beyond its floor, that loses over `losing.MOST_LOSS` where it is asked.

An average of iterations holds traces of what was tried. Second and last calls and discards that lose are forbidden and
the hand is learnt on (`losing_calls`, `HandSolver.forbid`), so that all others answer that. What still loses then is
dropped, the rest scaled to one and all measured anew, in turn, until nothing is left or `ROUNDS` times. Accepting and
passing are left as they are learnt: of those who pass on purpose in rounds that are met by floors few hands are most,
the others' calls turn on how often they do, and dropping them goes round in circles.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Bools, Floats
from towerlab.solver.towers_and_bowers.bidding.losing import MOST_LOSS, ROOM, losing, purified
from towerlab.solver.towers_and_bowers.bidding.packed import FINE, pack, unfloored, unpack
from towerlab.solver.towers_and_bowers.bidding.strategies import BiddingStrategies, symmetric
from towerlab.solver.towers_and_bowers.whole_hand.by_class import as_strategy, by_class, numbers_of
from towerlab.solver.towers_and_bowers.whole_hand.call_values import values_of_calls
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    ANSWER,
    DISCARD,
    FIRST_CALL,
    LAST_CALL,
    SECOND_CALL,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import DEALER, NONDEALER, HandGame
from towerlab.solver.towers_and_bowers.whole_hand.strategies import Strategy

ROUNDS: Final = 12
_ABOVE: Final = 1.01  # of the floor
_TURNS: Final = (("discards", "own_discards"), ("names",), ("left",))


def losing_calls(game: HandGame, bidding: Floats, floor: float, best_plays: Callable[[Floats, int], Floats]) -> Bools:
    """bool[6, sets, 4]: second and last calls and discards that are made above the floor though they lose.

    Accepting and passing are left out: what few hands do there says who comes to the second round at all.

    Args:
        game: the hand.
        bidding: float64[6, sets, 4], as it was learnt, floors included.
        floor: least probability of every call.
        best_plays: `PlayPasses.best_plays`.
    """
    plays, every = [best_plays(bidding, seat) for seat in (NONDEALER, DEALER)], np.arange(bidding.shape[1])
    values, found, first = values_of_calls(game, bidding, every, *plays), np.zeros(bidding.shape, dtype=bool), 0
    for decision, calls in (
        (FIRST_CALL, 2),
        (SECOND_CALL, 4),
        (DISCARD, game.cards),
        (ANSWER, 2),
        (DISCARD + 1, game.cards),
        (LAST_CALL, 3),
    ):
        loss = values[:, first : first + calls].max(1, keepdims=True) - values[:, first : first + calls]
        if decision not in (FIRST_CALL, ANSWER):
            least = _ABOVE * floor * (decision < DISCARD)
            found[decision, :, :calls] = (loss > ROOM * MOST_LOSS) & (bidding[decision, :, :calls] > least)
        first += calls
    return found


class Settled(NamedTuple):
    """Bidding by class that can be followed.

    Attributes:
        strategies: as `packed.pack` stores them.
        bidding: float64[6, sets, 4], the same of every hand, each call made at least with the floor.
        values: float64[classes, 2 n + 11], `values_of_calls` against it.
        plays: float64[sets, 8, n] of both seats, `PlayPasses.best_plays` against it.
    """

    strategies: BiddingStrategies
    bidding: Floats
    values: Floats
    plays: Sequence[Floats]


def settle(
    game: HandGame, rank: int, bidding: Floats, floor: float, best_plays: Callable[[Floats, int], Floats]
) -> Settled:
    """Drop calls until what is left loses next to nothing against itself.

    Args:
        game, rank: which game.
        bidding: float64[6, sets, 4], as it was learnt, floors included.
        floor: least probability of every call.
        best_plays: `PlayPasses.best_plays`.
    """
    deals, learnt = by_class(game, rank, Strategy(bidding, np.zeros(0)))
    numbers = numbers_of(game, rank)
    hands = np.array([numbers[int(hand)] for hand in deals.classes])

    def measured(strategies: BiddingStrategies) -> Settled:
        stored = unpack(pack(symmetric(deals, strategies), FINE), game.cards, FINE)
        made = as_strategy(game, rank, deals, stored, np.zeros(0), floor).bidding
        plays = [best_plays(made, seat) for seat in (NONDEALER, DEALER)]
        return Settled(stored, made, values_of_calls(game, made, hands, *(of[hands] for of in plays)), plays)

    settled = measured(unfloored(learnt, floor))
    for turn in itertools.islice(itertools.cycle(_TURNS), len(_TURNS) * ROUNDS):
        if not any(losing(settled.strategies, settled.values)[name].any() for name in turn):
            continue
        settled = measured(purified(settled.strategies, settled.values, turn))
    return settled
