"""How do hands of five to seven cards end between two players of the learned policy: W(5) to W(7)?

The study leaves a bundle (`solver.towers_and_bowers.self_play.bundle`) with ``values.csv``: a row a hand size and rank
of the up-card, how many hands were dealt, and how many of them the dealer swept (`won`), the non-dealer swept (`lost`),
and the dealer deals on without a sweep (`deals`). Payoffs come in where the file is read: W(5) is needed for W(6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.games.cards import RANKS
from towerlab.games.towers_and_bowers import LARGEST_HAND
from towerlab.solver.towers_and_bowers.self_play.bundle import VALUES_FILE, Bundle, bundle_in_use, read_bundle
from towerlab.solver.towers_and_bowers.self_play.environment import CARDS, deal, next_dealer, tower_winner
from towerlab.solver.towers_and_bowers.self_play.playouts import draw_numbers, play_out

SIZES: Final = range(LARGEST_STORED + 1, LARGEST_HAND + 1)
HANDS: Final = 5_000  # of a chunk
KEYS: Final = ["cards", "up"]
_LOWEST_RANK: Final = RANKS.index("9")


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Play some hands of one size."""
    policy = bundle_of(parameters).policy
    cards = SIZES[chunk % len(SIZES)]
    random = np.random.default_rng(seed)
    dealt = deal(random.random((HANDS, CARDS)), np.full(HANDS, cards))
    ended = play_out(policy, dealt, draw_numbers(HANDS, random), to_end=False)
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
    values = pd.concat(tables).groupby(KEYS, as_index=False).sum()
    content = values.to_csv(index=False, lineterminator="\n").encode()
    files = bundle_of(parameters).with_file(VALUES_FILE, content)
    return StudyResult({}, {"hands": int(values["hands"].sum())}, files)


def bundle_of(parameters: Mapping[str, Any]) -> Bundle:
    """Return the bundle of the folder that a study's parameter `policy` names, by default the one in use."""
    folder = str(parameters["policy"])
    return read_bundle(Path(folder)) if folder else bundle_in_use()


SELF_PLAY_VALUES: Final = Study(
    game="towers-and-bowers",
    name="self-play-values",
    help="How hands of five to seven cards end between two players of the learned policy: W(5) to W(7).",
    parameters={"policy": "", "chunks": 80},
    count_chunks=lambda parameters: len(SIZES) * int(parameters["chunks"]),
    run_chunk=run_chunk,
    combine=_combine,
)
