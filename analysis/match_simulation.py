"""`towerlab simulate towers-and-bowers`: the players of `sim.towers_and_bowers`, who believe the exact W(n)."""

from __future__ import annotations

import dataclasses
from typing import Final

import numpy as np

from analysis.deal_value import deal_values
from analysis.simulation import BatchRequest, BatchResult, GameSimulation
from games.errors import TowerlabError
from games.towers_and_bowers import LARGEST_HAND, TowersAndBowersOptions
from sim.towers_and_bowers import PLAYERS, UNITS, simulate_deals, simulate_units


def believed_deal_values(options: TowersAndBowersOptions) -> tuple[float, ...]:
    """W(0), …, W(7) as simulated players believe: the perfect-information model; W(0) stands for nothing."""
    return (0.0, *(value.dealer for value in deal_values(options)))


def play_batch(request: BatchRequest) -> BatchResult:
    """Play a batch. `cards` is the size of a hand, or of the first hand of each tower.

    Raises:
        TowerlabError: rules the players cannot play (``renege_mode=enforced``), or a condition on more than a hand.
        DealError: a condition that cannot be read, or that no deal fits.
    """
    options: TowersAndBowersOptions = request.options
    if request.cards is not None:
        options = dataclasses.replace(options, first_n=request.cards)
    first, second = request.players
    table = (request.first_unit, request.units, (first, second), options, believed_deal_values(options), request.seed)
    if request.where:
        if request.unit != "hand":
            raise TowerlabError(f"a condition fits single hands, not a {request.unit}; expected --unit hand with it")
        winners, towers = simulate_deals(request.where, *table)
    else:
        winners, towers = simulate_units(request.unit, *table)
    return BatchResult(winners, towers)


def warm_up() -> None:
    """Compile the simulator and all its players."""
    options = TowersAndBowersOptions(first_n=2)
    for player in PLAYERS:
        simulate_units(
            "hand", 0, 1, (player, player), options, believed_deal_values(options), np.random.SeedSequence(0)
        )


SIMULATION: Final = GameSimulation(
    play_batch,
    units=UNITS,
    warm_up=warm_up,
    units_per_chunk={"match": 50, "tower": 150, "hand": 500},
    hand_sizes=tuple(range(1, LARGEST_HAND + 1)),
    takes_conditions=True,
)
