"""The values of calls of some hands against a strategy, by best responses of each hand alone."""

from __future__ import annotations

from tests.oracles.best_response import contract_values
from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, Strategy
from towerlab.solver.towers_and_bowers.whole_hand.call_values import values_of_calls


def call_values(game: HandGame, up_rank: int, strategy: Strategy, hands: Ints) -> Floats:
    """As `values_of_calls`."""
    own, dealers = (contract_values(game, up_rank, strategy, seat, hands) for seat in (0, 1))
    return values_of_calls(game, strategy.bidding, hands, own, dealers)
