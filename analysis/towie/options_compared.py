"""Study `rule-options`: what each rule option changes in games between three novices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.simulation.rule_options import changed_games, rule_options_study
from analysis.towie.simulation import warm_up
from games.arrays import Floats, Ints
from games.towie import TowieOptions
from sim.towie.games import simulate_games

CHANGES: Final = {
    "doubled_counts=false": "a doubled low contract is no game",
    "honours=false": "no honours",
    "slam_bonus=none": "no bonus for slams",
    "insult=parlett": "100 for a redoubled contract made",
    "overtrick_undoubled=30": "30 for an overtrick",
    "max_goulash=1": "one goulash in a row at most",
    "goulash_sort=rank_desc": "suits sorted for a goulash",
    "goulash_cut=26": "the stack cut in the middle",
    "goulash_open=true": "all have seen the old dummy",
    "retiree_waits=true": "who retired may come in at once",
}


def play_novices(options: TowieOptions, seed: np.random.SeedSequence, games: int) -> tuple[Floats, Ints]:
    """The winner's lead over the mean of the others in each game, and points and deals."""
    played = simulate_games(["novice"] * 3, games, seed, options, same_cards=False)
    best = played.points.max(axis=1)
    lead: Floats = best - (played.points.sum(axis=1) - best) / 2
    return lead, np.hstack([played.points, played.deals])


def compare_rules(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """See `analysis.simulation.rule_options.changed_games`."""
    usual = TowieOptions(**parameters["options"])
    return changed_games(usual, CHANGES, play_novices, chunk, seed, int(parameters["games"]))


RULE_OPTIONS: Final = rule_options_study(
    "towie", TowieOptions, CHANGES, run_chunk=compare_rules, parameters={"games": 4_000}, warm_up=warm_up
)
