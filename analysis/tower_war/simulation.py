"""`towerlab simulate tower-war`: players of sim/tower_war against each other over whole games."""

from __future__ import annotations

import numpy as np

from towerlab.analysis.tower_war.drafting import build_deck, split_cards
from towerlab.analysis.tower_war.step import step_battle
from towerlab.games.tower_war import TowerWar, TowerWarOptions
from towerlab.sim.batch import BatchRequest, BatchResult, GameSimulation
from towerlab.sim.tower_war import KINDS, play_batch_of_games, setting_of
from towerlab.sim.tower_war.seats import SeatedPlayer, streams


def play_batch(request: BatchRequest) -> BatchResult:
    """Play whole games (draft, decks, war); a point is a war won."""
    first, second = (KINDS[name] for name in request.players)
    rng = np.random.default_rng(request.seed)
    batch = play_batch_of_games(
        (first, second), request.units, setting_of(request.options, players=(first, second)), rng, request.first_unit
    )
    points = (batch.winners[:, None] == np.arange(2)).astype(np.float64)
    return BatchResult(batch.winners, points)


def warm_up() -> None:
    """Compile every kernel of the game."""
    players = KINDS["pimc"], KINDS["novice"]
    play_batch_of_games(players, 1, setting_of(TowerWarOptions()), np.random.default_rng(0))
    split_cards("AH TC 6C 9S X1")
    build_deck("AC KC QC TC 8C 5C AH KH 9H 8H 7S 5S 4D 3D TD 9D")
    step_battle("AH TC 6C", "9S 4S 2S")


SIMULATION = GameSimulation(
    play_batch,
    start=TowerWar,
    decider=lambda name, options: SeatedPlayer(name, options).choose,
    streams=streams,
    units=("match",),
    warm_up=warm_up,
    counts="wars",
)
