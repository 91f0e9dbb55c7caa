"""Study `rule-options`: what each rule option changes in towers between two novices, the first dealer fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from towerlab.analysis.players import Player
from towerlab.analysis.simulation.rule_options import Played, rule_options_study
from towerlab.analysis.towers_and_bowers.simulation import play_batch
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.batch import BatchRequest
from towerlab.sim.own import PlayerError

MEASURE: Final = "towers that the first dealer wins, of a hundred"
CHANGES: Final = {
    "tie_to=bidder": "ties: the bidder deals next",
    "allow_discard_upcard=true": "the up-card may be discarded",
    "force_dealer_to_name=false": "four passes: thrown in",
    "first_n=5": "towers begin with five cards",
    "first_n=6": "towers begin with six cards",
    "early_stop=false": "settled hands are played out",
}


def play(
    players: Sequence[Player], options: TowersAndBowersOptions, seed: np.random.SeedSequence, games: int
) -> Played:
    """Towers, each from a seed of its own, the players taking turns to deal first; 100 where the first dealer wins."""
    fixed = replace(options, starter="fixed")
    given = tuple(players)
    played = [
        play_batch(BatchRequest(given, number, 1, child, "tower", None, fixed))
        for number, child in enumerate(seed.spawn(games))
    ]
    if failure := next((games.failure for games in played if games.failure), ""):
        raise PlayerError(failure)
    won = np.concatenate([games.winners for games in played])
    first = won == np.arange(games) % 2
    return Played(100.0 * first, first[:, None].astype(np.int64), won)


RULE_OPTIONS: Final = rule_options_study(
    "towers-and-bowers", TowersAndBowersOptions, play, MEASURE, CHANGES, players=2, games=40_000
)
