"""Study `rule-options`: what each rule option changes in towers between two novices, the first dealer fixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.simulation.rule_options import changed_games, rule_options_study
from analysis.towers_and_bowers.simulation import believed_deal_values, warm_up
from games.arrays import Floats, Ints
from games.towers_and_bowers import TowersAndBowersOptions
from sim.towers_and_bowers import simulate_units

CHANGES: Final = {
    "tie_to=bidder": "ties: the bidder deals next",
    "allow_discard_upcard=true": "the up-card may be discarded",
    "force_dealer_to_name=false": "four passes: thrown in",
    "first_n=5": "towers begin with five cards",
    "first_n=6": "towers begin with six cards",
    "early_stop=false": "settled hands are played out",
}


def play_novices(options: TowersAndBowersOptions, seed: np.random.SeedSequence, games: int) -> tuple[Floats, Ints]:
    """100 for each tower that its first dealer wins, else 0; and who wins, in towers each from a seed of its own."""
    fixed, values = replace(options, starter="fixed"), believed_deal_values(options)
    won = [
        simulate_units("tower", 0, 1, ("novice", "novice"), fixed, values, child)[0][0] for child in seed.spawn(games)
    ]
    first = np.array(won) == 0
    return 100.0 * first, first[:, None].astype(np.int64)


def compare_rules(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """See `analysis.simulation.rule_options.changed_games`."""
    usual = TowersAndBowersOptions(**parameters["options"])
    return changed_games(usual, CHANGES, play_novices, chunk, seed, int(parameters["games"]))


RULE_OPTIONS: Final = rule_options_study(
    "towers-and-bowers",
    TowersAndBowersOptions,
    CHANGES,
    run_chunk=compare_rules,
    parameters={"games": 40_000},
    warm_up=warm_up,
)
