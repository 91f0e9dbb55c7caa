"""Simulated games of Tower War: the same rules, reproducible, and players in the order of their skill."""

from __future__ import annotations

import numpy as np
import pytest

from towerlab.analysis.catalog import find_game
from towerlab.analysis.simulation import simulate
from towerlab.games.cards import DECK_54
from towerlab.games.tower_war import TowerWarOptions
from towerlab.games.tower_war.rules import STASH
from towerlab.sim.tower_war import PLAYERS, play_batch_of_games, setting_of

GAME = find_game("tower-war")


def batch(one: str, two: str, games: int, first_unit: int = 0, seed: int = 1, **options):
    setting = setting_of(TowerWarOptions(**options), players=(PLAYERS[one], PLAYERS[two]))
    return play_batch_of_games((PLAYERS[one], PLAYERS[two]), games, setting, np.random.default_rng(seed), first_unit)


@pytest.mark.parametrize("options", [{}, {"advanced": True}])
def test_tw_1_simulated_drafts_conserve_cards_and_pyramids(options):
    played = batch("random", "novice", 120, **options)
    assert (played.drafted[:, -1, 0] & played.drafted[:, -1, 1] == 0).all()
    sizes = np.array([[int(pool).bit_count() for pool in row] for row in played.drafted[:, -1]])
    assert (sizes.sum(axis=1) == 50).all() and sizes.min() >= 10
    for pools, decks in zip(played.drafted[:, -1], played.decks, strict=True):
        for pool, deck in zip(pools, decks, strict=True):
            assert int(deck).bit_count() == min(15, int(pool).bit_count())
            assert int(deck) & ~int(pool) == 0 and int(pool) & ~DECK_54 == 0
    began = played.towers[:, STASH : STASH + 6].sum(axis=1)
    assert (began == 30).all() if "advanced" not in options else (began.max() <= 45 and began.max() > 30)


def test_simulate_ranks_pimc_over_novice_over_random():
    strong = simulate(GAME, ["pimc", "novice"], 300, seed=3, jobs=1, quiet=True)
    assert strong.interval[0][0] > 0.55
    assert strong.games == sum(strong.wins) + strong.draws == 300
    weak = simulate(GAME, ["random", "novice"], 300, seed=3, jobs=1, quiet=True)
    assert weak.interval[0][1] < 0.2
