"""Study `rule-options`: what each rule option changes in games between three novices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.bowers.simulation import warm_up
from analysis.simulation.rule_options import changed_games, rule_options_study
from games.arrays import Floats
from games.bowers import BowersOptions
from sim.bowers import simulate_units

CHANGES: Final = {
    "target=100": "a game to 100",
    "min_bid=6": "bids from six on",
    "misere_value=20": "20 for a misère",
    "misere_fail_opponents=zero": "nothing to the others for a failed misère",
    "passout_dealer=same": "the same dealer after three passes",
    "compound_doubling=true": "passed deals double again and again",
    "first_lead=left_of_dealer": "the dealer's left leads first",
    "opponents_score_when_made=true": "opponents always score their tricks",
    "joker=replace_7c": "a joker for the seven of clubs",
    "joker=add": "a joker as a 33rd card",
    "joker_names_suit=false": "a joker led at no trump names no suit",
}


def play_novices(options: BowersOptions, seed: np.random.SeedSequence, games: int) -> tuple[Floats, Floats]:
    """The winner's lead over the mean of the others in each game, each from a seed of its own, and all scores."""
    points = np.concatenate(
        [simulate_units("match", 0, 1, ("novice",) * 3, options, child).points for child in seed.spawn(games)]
    )
    best = points.max(axis=1)
    lead: Floats = best - (points.sum(axis=1) - best) / 2
    return lead, points


def compare_rules(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """See `analysis.simulation.rule_options.changed_games`."""
    usual = BowersOptions(**parameters["options"])
    return changed_games(usual, CHANGES, play_novices, chunk, seed, int(parameters["games"]))


RULE_OPTIONS: Final = rule_options_study(
    "bowers", BowersOptions, CHANGES, run_chunk=compare_rules, parameters={"games": 4_000}, warm_up=warm_up
)
