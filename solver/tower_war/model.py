"""The fitted parts of Tower War's solver, read from solver/tower_war/data/tower_war.json.

The file is written by the study `value-model` (analysis/tower_war/value_model.py), which also says how well it
predicts wars it was not fitted on.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from games.tower_war import BASIC_STASH, TowerWarOptions
from games.tower_war.battle import OUTCOMES, Array
from games.tower_war.draft import ROUNDS
from games.tower_war.tower import fall_table
from solver.tower_war.decks import HAND_FEATURES, triple_features
from solver.tower_war.pools import POOL_FEATURES
from solver.tower_war.war_value import stash_bases, war_table


@dataclass(frozen=True)
class WarModel:
    """Frequencies and weights.

    Attributes:
        frequencies: float [OUTCOMES], how often each outcome of a battle occurs between equal players.
        hand_weights: float [HAND_FEATURES], log-odds of the war for a deck's mean hand features.
        pool_weights: float [ROUNDS, POOL_FEATURES].
        pyramid_weights: float [3], log-odds for one more pyramid of each size.
        made: how the file was made.
    """

    frequencies: Array
    hand_weights: Array
    pool_weights: Array
    pyramid_weights: Array
    made: dict[str, Any]

    def hand_worths(self) -> Array:
        """Worth of every hand of three: float32 [TRIPLES]."""
        return (triple_features_table() @ self.hand_weights.astype(np.float32)).astype(np.float32)

    def to_json(self) -> dict[str, Any]:
        return {
            "made": self.made,
            "frequencies": [float(f"{value:.6g}") for value in self.frequencies],
            "hand_weights": [float(f"{value:.6g}") for value in self.hand_weights],
            "pool_weights": [[float(f"{value:.6g}") for value in row] for row in self.pool_weights],
            "pyramid_weights": [float(f"{value:.6g}") for value in self.pyramid_weights],
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> WarModel:
        frequencies = np.array(stored["frequencies"])
        model = cls(
            frequencies / frequencies.sum(),  # the file rounds them
            np.array(stored["hand_weights"]),
            np.array(stored["pool_weights"]),
            np.array(stored["pyramid_weights"]),
            stored["made"],
        )
        shapes = [model.frequencies.shape, model.hand_weights.shape, model.pool_weights.shape]
        if shapes != [(OUTCOMES,), (HAND_FEATURES,), (ROUNDS, POOL_FEATURES)]:
            raise ValueError(f"the value model has shapes {shapes}; make it again with the study value-model")
        return model


@functools.cache
def shipped_model() -> WarModel:
    """The model that towerlab comes with."""
    return WarModel.from_json(
        json.loads(files("solver.tower_war").joinpath("data/tower_war.json").read_text(encoding="utf-8"))
    )


@functools.cache
def shipped_worths() -> Array:
    """`hand_worths` of the shipped model."""
    return shipped_model().hand_worths()


@functools.cache
def shipped_table(
    options: TowerWarOptions, stash_one: tuple[int, ...] = BASIC_STASH, stash_two: tuple[int, ...] = BASIC_STASH
) -> Array:
    """The war table of the shipped frequencies for some options and stashes."""
    return war_table(stash_bases(stash_one, stash_two), shipped_model().frequencies, fall_table(options.hazard()))


@functools.cache
def triple_features_table() -> Array:
    """`triple_features`, computed once a process."""
    table: Array = triple_features()
    return table
