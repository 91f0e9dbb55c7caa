"""Batches of whole games of Tower War, for simulations and studies."""

from __future__ import annotations

import functools

import numpy as np

from towerlab.games.tower_war import TowerWarOptions
from towerlab.games.tower_war.battle import OUTCOMES
from towerlab.games.tower_war.draft import ROUNDS
from towerlab.games.tower_war.tower import TOWER_SIZE
from towerlab.sim.tower_war.players import MODEL, Player
from towerlab.sim.tower_war.war import RESULT_SIZE, GameBatch, Setting, play_games
from towerlab.solver.tower_war.model import shipped_draft, shipped_stakes

SIMULATED_WORLDS = 32  # hidden hands a simulated player looks at; the command line looks at all


@functools.lru_cache(maxsize=8)
def setting_of(
    options: TowerWarOptions, worlds: int = SIMULATED_WORLDS, *, players: tuple[Player, ...] = ()
) -> Setting:
    """Return the kernels' arguments for some options.

    Positions are valued by the table of the basic stashes; in the advanced game players take more than five
    pyramids of a size for five.

    Args:
        options: rule options.
        worlds: hidden hands a player looks at, 0 for all.
        players: the players; the war table (half a second) is left out if none of them uses it.
    """
    return Setting(
        stakes=shipped_stakes(options, not players or any(player.play == MODEL for player in players)),
        draft=shipped_draft(options),
        short_loses=options.short_hand == "lose",
        advanced=options.advanced,
        perfect_recall=options.recall == "perfect",
        max_battles=options.max_battles,
        worlds=worlds,
    )


def play_batch_of_games(
    players: tuple[Player, Player], games: int, setting: Setting, rng: np.random.Generator, first_unit: int = 0
) -> GameBatch:
    """Play whole games; in game u of the simulation player p sits in seat (p + u) % 2, seat 0 being player one."""
    batch = GameBatch(
        results=np.zeros((games, RESULT_SIZE), np.int64),
        drafted=np.zeros((games, ROUNDS, 2), np.int64),
        decks=np.zeros((games, 2), np.int64),
        towers=np.zeros((games, TOWER_SIZE), np.int64),
        outcomes=np.zeros((games, OUTCOMES), np.int64),
        first_unit=first_unit,
    )
    play_games(np.array([player.row() for player in players], np.int64), batch, setting, rng)
    return batch
