"""Calls and discards in a strategy that lose to the best one where they are asked, and a strategy without them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from towerlab.games.arrays import Bools, Floats
from towerlab.solver.towers_and_bowers.bidding.strategies import BiddingStrategies

MOST_LOSS: Final = 1e-3  # P(win the tower) that a call in a mix may lose to the best one


def losing(strategies: BiddingStrategies, values: Floats, least: float = 0.0) -> dict[str, Bools]:
    """bool[classes, calls] by decision: calls that are made though they lose more than `MOST_LOSS`.

    Args:
        strategies: of some classes.
        values: float64[classes, 2 n + 11 or more], `packed.value_columns`.
        least: how often a call is made at most that does not count.
    """
    return {name: (mix > least) & (loss > MOST_LOSS) for name, mix, loss in _mixes(strategies, values)}


def purified(strategies: BiddingStrategies, values: Floats) -> BiddingStrategies:
    """Return it without the calls that lose more than `MOST_LOSS`; arguments as of `losing`."""
    changed = {}
    for name, mix, loss in _mixes(strategies, values):
        mix_left = np.where(~(loss > MOST_LOSS), mix, 0.0)
        mix_left = np.where(mix_left.any(1, keepdims=True), mix_left, loss == 0.0)
        mix_left = mix_left / mix_left.sum(1, keepdims=True)
        changed[name] = mix_left[:, 0] if getattr(strategies, name).ndim == 1 else mix_left
    return replace(strategies, **changed)


def _mixes(strategies: BiddingStrategies, values: Floats) -> Iterator[tuple[str, Floats, Floats]]:
    """The name of each decision, its mix and what each call loses to the best one, float64[classes, calls]."""
    first = 0
    for name, part in strategies.arrays():
        mix = np.stack([part, 1 - part], axis=1) if part.ndim == 1 else part
        won = values[:, first : first + mix.shape[1]]
        first += mix.shape[1]
        yield name, mix, won.max(1, keepdims=True) - won
