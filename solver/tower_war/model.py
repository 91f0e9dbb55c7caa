"""Which numbers of Tower War's solver are fitted? Those of solver/tower_war/data/tower_war.json, read here.

The file is written by the study `value-model` (analysis/tower_war/studies.py), which also says how well it
predicts wars it was not fitted on.

>>> model = shipped_model()
>>> len(model.frequencies) == OUTCOMES
True
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.tower_war import BASIC_STASH, TowerWarOptions
from towerlab.games.tower_war.records import ROUNDS
from towerlab.games.tower_war.rules import LEVELS, OUTCOMES, PLACED, STASH, TOP_COUNT, TOP_SIZE, fall_chances
from towerlab.solver.tower_war.battle import Stakes, stash_bases, war_chances
from towerlab.solver.tower_war.decks import HAND_FEATURES, POOL_FEATURES, DraftValues, triple_features

_SHAPES: Final = {
    "frequencies": (OUTCOMES,),
    "hand_weights": (HAND_FEATURES,),
    "pool_weights": (ROUNDS, POOL_FEATURES),
    "pyramid_weights": (3,),
}


@dataclass(frozen=True)
class WarModel:
    """Frequencies and weights.

    Attributes:
        frequencies: float [OUTCOMES], how often each outcome of a battle occurs between equal players.
        hand_weights: float [HAND_FEATURES], log-odds of the war for a deck's mean hand features.
        pool_weights: float [ROUNDS, POOL_FEATURES].
        pyramid_weights: float [3], log-odds for one more pyramid of each size.
        made: a record of how the file was made.
    """

    frequencies: Array
    hand_weights: Array
    pool_weights: Array
    pyramid_weights: Array
    made: dict[str, Any]

    def hand_values(self) -> Array:
        """Return the value of every hand of three: float32 [TRIPLES]."""
        return (shared_triple_features() @ self.hand_weights).astype(
            np.float32
        )  # sums of doubles: alike on all machines

    def to_json(self) -> dict[str, Any]:
        """Return the file's content, fitted numbers to six digits."""
        return {"made": self.made} | {name: _six_digits(getattr(self, name).tolist()) for name in _SHAPES}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> WarModel:
        fitted = {name: np.array(stored[name]) for name in _SHAPES}
        if (shapes := {name: weights.shape for name, weights in fitted.items()}) != _SHAPES:
            raise ValueError(f"the value model has shapes {shapes}; make it again with the study value-model")
        fitted["frequencies"] /= fitted["frequencies"].sum()  # the file rounds them
        return cls(**fitted, made=stored["made"])


def _six_digits(value: Any) -> Any:
    return [_six_digits(item) for item in value] if isinstance(value, list) else float(f"{value:.6g}")


@functools.cache
def shipped_model() -> WarModel:
    """Return the model that towerlab comes with."""
    return WarModel.from_json(
        json.loads(files("towerlab.solver.tower_war").joinpath("data/tower_war.json").read_text(encoding="utf-8"))
    )


@functools.cache
def shipped_hand_values() -> Array:
    """Return `hand_values` of the shipped model: float32[TRIPLES]."""
    return shipped_model().hand_values()


def shipped_draft(options: TowerWarOptions) -> DraftValues:
    """Return the values of drafted cards under some options."""
    model = shipped_model()
    return DraftValues(options.deck_size, shipped_hand_values(), model.pool_weights, model.pyramid_weights)


@functools.lru_cache(maxsize=16)
def shipped_stakes(
    options: TowerWarOptions,
    has_wins: bool = True,
    stashes: tuple[tuple[int, ...], tuple[int, ...]] = (BASIC_STASH, BASIC_STASH),
    levels: int = 1,
) -> Stakes:
    """Return the values of a battle's outcomes under some options, by the shipped frequencies.

    Args:
        options: rule options.
        has_wins: whether `war_chances`, which takes half a second, is computed; else nothing may look at it.
        stashes: both players' pyramids (large, medium, small) when the tower had `levels` cards and no pyramid on top;
            the chances are known for stashes that follow from these.
    """
    bases = stash_bases(*stashes)
    falls = fall_chances(options.hazard())
    wins = war_chances(bases, shipped_model().frequencies, falls, levels) if has_wins else np.zeros((1, 2))
    return Stakes(bases, wins, falls, options.tens_only)


def battle_stakes(options: TowerWarOptions, tower: Array) -> Stakes:
    """Return the values of the outcomes of a tower's battle.

    In the basic game one array of chances serves the whole war; in the advanced game, with different stashes, each
    battle has an array of its own, which takes some seconds.

    Args:
        options: rule options.
        tower: int64 [TOWER_SIZE].
    """
    if not options.advanced:
        return shipped_stakes(options)
    stashes = tower[STASH : STASH + 6].reshape(2, 3).copy()
    if tower[TOP_COUNT]:
        stashes[:, tower[TOP_SIZE]] += tower[PLACED : PLACED + 2]
    first, second = map(tuple, stashes.tolist())
    return shipped_stakes(options, True, (first, second), int(tower[LEVELS]))


@functools.cache
def shared_triple_features() -> Array:
    """Return `triple_features`, computed once a process: float32[TRIPLES, HAND_FEATURES]."""
    features: Array = triple_features()
    return features
