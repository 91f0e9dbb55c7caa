"""The values of contracts and calls against a strategy by the solver's passes, which recursions on card texts check."""

from __future__ import annotations

from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, Strategy
from towerlab.solver.towers_and_bowers.whole_hand.solve import PlayPasses, empty_play, values_of_calls


def contract_values(game: HandGame, strategy: Strategy, responder: int) -> Floats:
    """`PlayPasses.best_plays` against a strategy."""
    passes = PlayPasses(game, empty_play(game, compact=False)._replace(averages=strategy.play))
    return passes.best_plays(strategy.bidding, responder)


def call_values(game: HandGame, strategy: Strategy, hands: Ints) -> Floats:
    """`values_of_calls` of some hands."""
    own, dealers = (contract_values(game, strategy, seat)[hands] for seat in (0, 1))
    return values_of_calls(game, strategy.bidding, hands, own, dealers)
