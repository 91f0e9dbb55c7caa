"""The study `value-bounds`: what players of habits are sure of against an opponent who sees all cards, sampled.

It makes ``data/value_bounds.csv``; `analysis.towers_and_bowers.solutions.value_bounds` tells what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.study import Study, StudyResult
from analysis.towers_and_bowers.solutions.value_bounds import SEATS
from games.towers_and_bowers import LARGEST_HAND, TowersAndBowersOptions
from sim.towers_and_bowers.guarantee import ENDINGS, count_guarantees
from sim.towers_and_bowers.hand import DEALER, NONDEALER
from sim.towers_and_bowers.knowledge import rules_of
from sim.towers_and_bowers.players import PLAYER_IDS

HABITS: Final = ("novice", "family")
COLUMNS: Final = ("cards", "player", "seat", "always_accepts", "ending", "deals")
_DEALS: Final = {1: 5_000, 2: 5_000, 3: 5_000, 4: 20_000, 5: 8_000, 6: 2_000, 7: 600}  # a chunk


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    """Chunks of the study: so many for each hand size."""
    return LARGEST_HAND * int(parameters["chunks"])


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Deal one chunk's hands and count every player's endings over the same deals."""
    cards = chunk // int(parameters["chunks"]) + 1
    rules = rules_of(TowersAndBowersOptions())
    rows = []
    for player in HABITS:
        counts = np.zeros((2, 2, ENDINGS), dtype=np.int64)
        count_guarantees(PLAYER_IDS[player], cards, _DEALS[cards], rules, np.random.default_rng(seed), counts)
        for seat in (NONDEALER, DEALER):
            for always, ending in np.ndindex(2, ENDINGS):
                rows.append((cards, player, SEATS[seat], always, ending, int(counts[seat, always, ending])))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Add the chunks up: table ``value_bounds`` is the data file."""
    added = pd.concat(tables).groupby(list(COLUMNS[:-1]), as_index=False).sum()
    deals = added[(added["player"] == HABITS[0]) & (added["seat"] == "dealer") & (added["always_accepts"] == 0)]
    sizes = {str(size): int(part["deals"].sum()) for size, part in deals.groupby("cards")}
    return StudyResult({"value_bounds": added}, {"deals": sizes})


def _warm_up() -> None:
    """Compile the kernels."""
    counts = np.zeros((2, 2, ENDINGS), dtype=np.int64)
    rules = rules_of(TowersAndBowersOptions())
    count_guarantees(PLAYER_IDS["family"], 1, 1, rules, np.random.default_rng(0), counts)


VALUE_BOUNDS: Final = Study(
    game="towers-and-bowers",
    name="value-bounds",
    help="Bounds of W(n): players of habits against an opponent who sees all cards, in sampled deals.",
    parameters={"chunks": 12},
    count_chunks=_count_chunks,
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=_warm_up,
)
