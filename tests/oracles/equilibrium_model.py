"""What the player `equilibrium` knows of one hand size."""

from __future__ import annotations

import functools

from tests.oracles.replayed_deals import STANDARD
from towerlab.analysis.towers_and_bowers.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.simulation import stored_solution
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.info_state import Model, make_model


@functools.cache
def model_of(cards: int, options: TowersAndBowersOptions = STANDARD) -> Model:
    """What they think with in hands of up to so many cards."""
    whole = TowersAndBowersOptions(first_n=cards)
    return make_model(options, deal_values(options), stored_solution(("equilibrium",), "tower", whole))
