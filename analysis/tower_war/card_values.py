"""The study `card-values`: by the fitted model, what cards and pairs add to a deck, and what an even cut costs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from analysis.stats import mean_interval
from analysis.study import Study, StudyResult
from games.cards import JOKER_1, RANKS, cards_mask
from games.tower_war.battle import Array
from games.tower_war.draft import ROUND_CARDS, ROUNDS, pile_splits
from sim.tower_war.players import sum_points
from solver.tower_war.decks import deck_worth
from solver.tower_war.model import shipped_model, shipped_worths
from solver.tower_war.pools import pile_gains

DECK = 15
PAIRS: dict[str, Callable[[int, int], bool]] = {
    "two ten-pointers of a suit": lambda a, b: _plain(a, b) and _tens(a, b) and a // 13 == b // 13,
    "two ten-pointers of two suits, unlike": lambda a, b: _plain(a, b) and _tens(a, b) and _strange(a, b),
    "7 to 9, two of a suit": lambda a, b: _plain(a, b) and _middle(a, b) and a // 13 == b // 13,
    "2 to 6, two of a suit": lambda a, b: _plain(a, b) and _low(a, b) and a // 13 == b // 13,
    "a pair of ten-pointers": lambda a, b: _plain(a, b) and _tens(a, b) and a % 13 == b % 13,
    "a pair from 2 to 6": lambda a, b: _plain(a, b) and _low(a, b) and a % 13 == b % 13,
    "a joker and a ten-pointer": lambda a, b: b >= JOKER_1 > a and a % 13 >= 8,
    "both jokers": lambda a, b: a >= JOKER_1 and b >= JOKER_1,
}


def _plain(a: int, b: int) -> bool:
    return max(a, b) < JOKER_1


def _tens(a: int, b: int) -> bool:
    return min(a % 13, b % 13) >= 8


def _middle(a: int, b: int) -> bool:
    return min(a % 13, b % 13) >= 5 and max(a % 13, b % 13) <= 7


def _low(a: int, b: int) -> bool:
    return max(a % 13, b % 13) <= 4


def _strange(a: int, b: int) -> bool:
    return a // 13 != b // 13 and a % 13 != b % 13


def value_cards(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Observations of three kinds in columns kind, name, value (0.001 of P(win the war))."""
    rng = np.random.default_rng(seed)
    worths = shipped_worths()
    rows: list[dict[str, Any]] = []
    for _ in range(parameters["decks_per_chunk"]):
        rows += _card_rows(rng, worths)
        rows += _pair_rows(rng, worths)
    for _ in range(parameters["drafts_per_chunk"]):
        rows += _draft_rows(rng, worths)
    return pd.DataFrame(rows)


def _card_rows(rng: np.random.Generator, worths: Array) -> list[dict[str, Any]]:
    """Each card as the fifteenth of a random deck, against the mean of all cards that could be."""
    pack = [int(card) for card in rng.permutation(54)]
    deck, others = cards_mask(pack[: DECK - 1]), sorted(pack[DECK - 1 :])
    added = np.array([float(deck_worth(deck | 1 << card, worths)) for card in others])
    gains = 1000 * (special.expit(added - added.mean()) - 0.5)
    named = pd.Series(gains, index=["joker" if card >= JOKER_1 else RANKS[card % 13] for card in others])
    return [{"kind": "card", "name": name, "value": value} for name, value in named.groupby(level=0).mean().items()]


def _pair_rows(rng: np.random.Generator, worths: Array) -> list[dict[str, Any]]:
    """What two cards are worth together beyond what they are worth singly, in a random deck."""
    pack = [int(card) for card in rng.permutation(54)]
    deck, others = cards_mask(pack[: DECK - 2]), sorted(pack[DECK - 2 :])
    fillers = [1 << card for card in rng.choice([card for card in others if card < JOKER_1], 2, replace=False)]
    rows = []
    for name, belongs in PAIRS.items():
        fitting = [pair for pair in itertools.combinations(others, 2) if belongs(*pair)]
        fitting = [pair for pair in fitting if not (1 << pair[0] | 1 << pair[1]) & (fillers[0] | fillers[1])]
        if not fitting:
            continue
        a, b = (1 << card for card in fitting[rng.integers(len(fitting))])
        x, y = fillers
        together = [float(deck_worth(deck | more, worths)) for more in (a | b, a | x, y | b, x | y)]
        gain = 1000 * (special.expit(together[0] - together[1] - together[2] + together[3]) - 0.5)
        rows.append({"kind": "pair", "name": name, "value": gain})
    return rows


def _draft_rows(rng: np.random.Generator, worths: Array) -> list[dict[str, Any]]:
    """A draft in which both split and pick by the model: what the even cut would have cost in each round."""
    pack = [int(card) for card in rng.permutation(54)]
    pools = np.zeros(2, np.int64)
    weights = shipped_model().pool_weights
    rows = []
    for number in range(ROUNDS):
        splitter = number % 2
        dealt = cards_mask(pack[ROUND_CARDS * number : ROUND_CARDS * (number + 1)])
        splits = pile_splits(dealt)
        gains = [pile_gains(pools, splitter, *split, DECK, worths, weights) for split in splits]
        values = special.expit(np.min(gains, axis=1))
        uneven = [
            abs(sum_points(one) - sum_points(two)) + (0 if one.bit_count() in (2, 3) else 1000) for one, two in splits
        ]
        best = int(np.argmax(values))
        cost = 1000 * float(values[best] - values[int(np.argmin(uneven))])
        rows.append({"kind": "even cut", "name": f"round {number + 1}", "value": cost})
        rows.append({"kind": "alone", "name": "all rounds", "value": float(splits[best][0].bit_count() in (1, 4))})
        keep = int(np.argmin(gains[best]))  # the pile that is left to the splitter
        pools[splitter] |= splits[best][keep]
        pools[1 - splitter] |= splits[best][1 - keep]
    return rows


def combine_values(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Means with intervals by kind and name."""
    observations = pd.concat(list(chunks), ignore_index=True)
    rows = []
    for (kind, name), values in observations.groupby(["kind", "name"], sort=False)["value"]:
        estimate = mean_interval(values.to_numpy())
        rows.append({"kind": kind, "name": name, **dict(zip(("mean", "low", "high", "n"), estimate, strict=True))})
    return StudyResult({"values": pd.DataFrame(rows)}, {"model_wars": shipped_model().made["wars"]})


CARD_VALUES = Study(
    game="tower-war",
    name="card-values",
    help="by the fitted model: what cards and pairs are worth, and what cutting evenly costs",
    parameters={"chunks": 8, "decks_per_chunk": 250, "drafts_per_chunk": 25},
    count_chunks=lambda parameters: int(parameters["chunks"]),
    run_chunk=value_cards,
    combine=combine_values,
)
