"""What does each rule option of Bowers change? The study `rule-options` compares games between three novices.

Example:
    towerlab study bowers rule-options --out folder
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from towerlab.analysis.simulation.rule_options import LEAD, Played, rule_options_study, winners_lead
from towerlab.games.bowers import BowersOptions
from towerlab.sim.bowers import simulate_units

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


def play(players: Sequence[str], options: BowersOptions, seed: np.random.SeedSequence, games: int) -> Played:
    """Return whole games, each from a seed of its own; an outcome is the scores."""
    first, second, third = players
    played = [simulate_units("match", 0, 1, (first, second, third), options, child) for child in seed.spawn(games)]
    points = np.concatenate([game.points for game in played])
    return Played(winners_lead(points), points, np.concatenate([game.winners for game in played]))


RULE_OPTIONS: Final = rule_options_study("bowers", BowersOptions, play, LEAD, CHANGES, players=3, games=4_000)
