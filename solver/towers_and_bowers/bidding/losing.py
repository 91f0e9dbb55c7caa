"""A bidding strategy without the calls and discards that lose to the best one where they are made."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from towerlab.games.arrays import Floats
from towerlab.solver.towers_and_bowers.bidding.strategies import BiddingStrategies

MOST_LOSS: Final = 1e-3  # P(win the tower) that a call in a mix may lose to the best one


def purified(strategies: BiddingStrategies, values: Floats) -> BiddingStrategies:
    """Return it without the calls that lose more than `MOST_LOSS`.

    Args:
        strategies: of some classes.
        values: float64[classes, 2 n + 11 or more], `packed.value_columns`.
    """
    changed = {}
    first = 0
    for name, part in strategies.arrays():
        mix = np.stack([part, 1 - part], axis=1) if part.ndim == 1 else part
        won = values[:, first : first + mix.shape[1]]
        first += mix.shape[1]
        loss = won.max(1, keepdims=True) - won
        mix = np.where(loss > MOST_LOSS, 0.0, mix)
        mix = np.where(mix.any(1, keepdims=True), mix, loss == 0.0)
        mix = mix / mix.sum(1, keepdims=True)
        changed[name] = mix[:, 0] if part.ndim == 1 else mix
    return replace(strategies, **changed)
