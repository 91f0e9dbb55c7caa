"""`towerlab simulate high-card`: its players against each other, in the engine."""

from __future__ import annotations

import functools

from towerlab.analysis.simulation import play_recorded
from towerlab.games.high_card import GAME, HighCardGame
from towerlab.sim.batch import GameSimulation
from towerlab.sim.high_card import SeatedPlayer

SIMULATION = GameSimulation(
    functools.partial(play_recorded, GAME),
    start=HighCardGame,
    decider=lambda name, options: SeatedPlayer(name).choose,
    units=("game",),
    counts="tricks",
)
