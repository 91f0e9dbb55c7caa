"""How do hands of five to seven cards end between two players of the learned policy? W(5) to W(7) follow.

It makes ``data/self_play_values.csv``, read by `analysis.towers_and_bowers.solutions.hidden_values`: a row a hand size
and rank of the up-card, with ``hands`` dealt at random, ``won`` and ``lost`` (the dealer takes the tower, or loses it)
and ``deals`` (the dealer deals next).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.rules import stamped
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.games.cards import RANKS
from towerlab.games.towers_and_bowers import LARGEST_HAND
from towerlab.solver.towers_and_bowers.self_play.environment import CARDS, deal, next_dealer, tower_winner
from towerlab.solver.towers_and_bowers.self_play.network import stored_policy
from towerlab.solver.towers_and_bowers.self_play.playouts import draw_numbers, play_out

SIZES: Final = range(LARGEST_STORED + 1, LARGEST_HAND + 1)
HANDS: Final = 5_000  # of a chunk
KEYS: Final = ["cards", "up"]
_LOWEST_RANK: Final = RANKS.index("9")


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Play some hands of one size."""
    del parameters
    cards = SIZES[chunk % len(SIZES)]
    random = np.random.default_rng(seed)
    dealt = deal(random.random((HANDS, CARDS)), np.full(HANDS, cards))
    ended = play_out(stored_policy(), dealt, draw_numbers(HANDS, random), to_end=False)
    winner = tower_winner(ended)
    ranks = np.bitwise_count(dealt.up - 1).astype(np.int64)
    hands = pd.DataFrame(
        {
            "cards": cards,
            "up": [RANKS[_LOWEST_RANK + rank] for rank in ranks.tolist()],
            "hands": 1,
            "won": (winner == 1).astype(np.int64),
            "lost": (winner == 0).astype(np.int64),
            "deals": ((winner < 0) & (next_dealer(ended) == 1)).astype(np.int64),
        }
    )
    return hands.groupby(KEYS, as_index=False).sum()


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    del parameters
    values = pd.concat(tables).groupby(KEYS, as_index=False).sum()
    return StudyResult({"self_play_values": values}, {"hands": int(values["hands"].sum())}, stamped("self_play_values"))


SELF_PLAY_VALUES: Final = Study(
    game="towers-and-bowers",
    name="self-play-values",
    help="How hands of five to seven cards end between two players of the learned policy: W(5) to W(7).",
    parameters={"chunks": 80},
    count_chunks=lambda parameters: len(SIZES) * int(parameters["chunks"]),
    run_chunk=run_chunk,
    combine=_combine,
)
