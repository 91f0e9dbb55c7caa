"""The study `card-values`: the value of each rank in a deck, fitted on simulated wars.

Decks are drafted at random and by points (`value_model.STYLES`), the wars played by `pimc`. A logistic regression of
the winner has one free term a rank, so that no form is laid upon the ranks. Intervals come from whole wars drawn again
(`analysis.stats.bootstrap_errors`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from towerlab.analysis.stats import LEVEL, bootstrap_errors, normal_quantile
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.tower_war.studies.value_model import STYLES, logistic_fit
from towerlab.games.cards import JOKER_1, RANKS
from towerlab.games.tower_war import TowerWarOptions
from towerlab.games.tower_war.battle import Array
from towerlab.sim.tower_war.players import MODEL, RANDOM, Player
from towerlab.sim.tower_war.war import play_batch_of_games, setting_of

PACK: Final = 54
RANK_NAMES: Final = (*(rank.replace("T", "10") for rank in RANKS), "joker")


def play_wars(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row a war: both decks as masks, and 1 if player one won, 0 if player two did, 0.5 for a draw."""
    take, build = STYLES[chunk % len(STYLES)]
    player = Player(RANDOM, take, build, MODEL, "")
    setting = setting_of(TowerWarOptions(**parameters["options"]))
    batch = play_batch_of_games((player, player), parameters["wars_per_chunk"], setting, np.random.default_rng(seed))
    won = np.where(batch.winning_seat < 0, 0.5, batch.winning_seat == 0)
    return pd.DataFrame({"one": batch.decks[:, 0], "two": batch.decks[:, 1], "won": won})


def combine_wars(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the values of cards in thousandths of P(win the war), with their intervals."""
    wars = pd.concat(list(chunks), ignore_index=True)
    won = wars["won"].to_numpy()
    ranks = rank_counts(wars["one"].to_numpy()) - rank_counts(wars["two"].to_numpy())

    def values_of(rows: NDArray[np.int64]) -> Array:
        return rank_values(logistic_fit(ranks[rows], won[rows])[0])

    mean = values_of(np.arange(len(wars)))
    error = bootstrap_errors(values_of, len(wars), int(parameters["resamples"]))
    half = normal_quantile(LEVEL) * error
    table = pd.DataFrame({"name": RANK_NAMES, "mean": mean, "low": mean - half, "high": mean + half, "n": len(wars)})
    return StudyResult({"values": table}, {"wars": len(wars)})


def rank_counts(decks: Array) -> Array:
    """How many cards of each rank are in some decks, jokers last: float [decks, 14]."""
    rank_of_card = np.where(np.arange(PACK) >= JOKER_1, 13, np.arange(PACK) % 13)
    held = (decks[:, None] >> np.arange(PACK)) & 1
    return np.asarray(held.astype(float) @ (rank_of_card[:, None] == np.arange(14)).astype(float))


def rank_values(weights: Array) -> Array:
    """Return the gain of a card of each rank over an average card, in thousandths of P(win the war), at even chances.

    Arrays: weights float64[14], log-odds of the war.
    """
    return np.asarray(1000 * (special.expit(weights - np.average(weights, weights=[4] * 13 + [2])) - 0.5))


CARD_VALUES = Study(
    game="tower-war",
    name="card-values",
    help="what cards add to a deck, fitted on simulated wars with a free term a rank",
    parameters={"chunks": 40, "wars_per_chunk": 500, "resamples": 200},
    run_chunk=play_wars,
    combine=combine_wars,
    rule_options=TowerWarOptions,
)
