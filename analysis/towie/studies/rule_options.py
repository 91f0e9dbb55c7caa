"""What does each rule option of Towie change? The study `rule-options` compares games between three novices.

Example:
    towerlab study towie rule-options --out folder
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from towerlab.analysis.simulation.rule_options import LEAD, Played, rule_options_study, winners_lead
from towerlab.games.towie import TowieOptions
from towerlab.sim.towie.games import simulate_games

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


def play(players: Sequence[str], options: TowieOptions, seed: np.random.SeedSequence, games: int) -> Played:
    """Return whole games; an outcome is the points and the deals."""
    played = simulate_games(players, games, seed, options, same_cards=False)
    return Played(winners_lead(played.points), np.hstack([played.points, played.deals]), played.winners)


RULE_OPTIONS: Final = rule_options_study("towie", TowieOptions, play, LEAD, CHANGES, players=3, games=4_000)
