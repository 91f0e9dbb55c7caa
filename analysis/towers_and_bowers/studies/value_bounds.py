"""Proven bounds of W(n) where the game itself has not been solved.

Who sees everything is at least as well off as who does not, and a fixed strategy at most as good as the best one. So a
player who keeps to simple habits is sure of what he gets against an opponent who sees all cards and answers best, and
his seat is worth at least that (`sim.towers_and_bowers.guarantee`). As non-dealer he bounds W(n) from above, as dealer
from below. Of the habits tried the best counts. The deals are sampled; bounds carry the far ends of their 95 %
intervals, and W(n - 1) enters as an interval too: exact where that is at hand, else from the bounds one size below.

The counts are kept in ``data/value_bounds.csv`` and made again by ``towerlab study towers-and-bowers value-bounds``.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.towers_and_bowers.solutions.hidden_values import whole_hand_values
from games.arrays import Ints
from games.towers_and_bowers import LARGEST_HAND, TowersAndBowersOptions
from sim.towers_and_bowers.guarantee import ENDINGS, count_guarantees
from sim.towers_and_bowers.hand import DEALER, NONDEALER
from sim.towers_and_bowers.knowledge import rules_of
from sim.towers_and_bowers.players import PLAYER_IDS

if TYPE_CHECKING:
    import pandas as pd

    from analysis.study import StudyResult

PLAYERS: Final = ("novice", "family")
COLUMNS: Final = ("cards", "player", "seat", "always_accepts", "ending", "deals")
_SEATS: Final = ("nondealer", "dealer")
_DEALS: Final = {1: 5_000, 2: 5_000, 3: 5_000, 4: 20_000, 5: 8_000, 6: 2_000, 7: 600}  # a chunk
_Z: Final = 1.959964


@dataclass(frozen=True)
class Bounds:
    """Bounds of W(n).

    Attributes:
        lower, upper: with the sampling error of 95 % intervals included.
        deals: how many were sampled for each.
    """

    lower: float
    upper: float
    deals: int


def value_bounds(cards: int) -> Bounds | None:
    """Bounds of W(cards); None without counts."""
    below = (0.5, 0.5)
    if cards > 1:
        exact = whole_hand_values().get(cards - 1)
        if exact is not None:
            below = exact.dealer - exact.exploitability, exact.dealer + exact.exploitability
        else:
            bounds = value_bounds(cards - 1)
            if bounds is None:
                return None
            below = bounds.lower, bounds.upper
    counts = _stored_counts(cards)
    if not counts:
        return None
    sure = {seat: max(_guarantee(part, below) for (_, at), part in counts.items() if at == seat) for seat in _SEATS}
    return Bounds(sure["dealer"], 1 - sure["nondealer"], int(next(iter(counts.values())).sum(1).max()))


def _guarantee(counts: Ints, below: tuple[float, float]) -> float:
    """The lower end of what a player of habits is sure to get, whatever W(n - 1) in between: the better way to bid."""
    means = []
    for row in counts:
        deals = row.sum()
        ends = []
        for deal in (max(below[0], 0.5), max(below[1], 0.5)):
            worth = np.array([0.0, 1 - deal, deal, 1.0])
            mean = row @ worth / deals
            ends.append(mean - _Z * np.sqrt((row @ (worth - mean) ** 2) / deals / (deals - 1)))
        means.append(min(ends))
    return float(max(means))


@functools.lru_cache(maxsize=8)
def _stored_counts(cards: int) -> dict[tuple[str, str], Ints]:
    """int64[2, 4] by player and seat: deals by whether he always accepts and by ending."""
    path = files("analysis.towers_and_bowers").joinpath("data/value_bounds.csv")
    if not path.is_file():
        return {}
    counts: dict[tuple[str, str], Ints] = {}
    for line in path.read_text(encoding="utf-8").split()[1:]:
        size, player, seat, always, ending, deals = line.split(",")
        if int(size) == cards:
            table = counts.setdefault((player, seat), np.zeros((2, ENDINGS), dtype=np.int64))
            table[int(always), int(ending)] = int(deals)
    return counts


# --------------------------------------------------------------------------------------------------------- the study


def count_chunks(parameters: Mapping[str, Any]) -> int:
    """Chunks of the study: so many for each hand size."""
    return LARGEST_HAND * int(parameters["chunks"])


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Deal one chunk's hands and count every player's endings over the same deals."""
    import pandas as pd

    cards = chunk // int(parameters["chunks"]) + 1
    rules = rules_of(TowersAndBowersOptions())
    rows = []
    for player in PLAYERS:
        counts = np.zeros((2, 2, ENDINGS), dtype=np.int64)
        count_guarantees(PLAYER_IDS[player], cards, _DEALS[cards], rules, np.random.default_rng(seed), counts)
        for seat in (NONDEALER, DEALER):
            for always, ending in np.ndindex(2, ENDINGS):
                rows.append((cards, player, _SEATS[seat], always, ending, int(counts[seat, always, ending])))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Add the chunks up: table ``value_bounds`` is the data file of this module."""
    import pandas as pd

    from analysis.study import StudyResult

    added = pd.concat(tables).groupby(list(COLUMNS[:-1]), as_index=False).sum()
    deals = added[(added["player"] == PLAYERS[0]) & (added["seat"] == "dealer") & (added["always_accepts"] == 0)]
    sizes = {str(size): int(part["deals"].sum()) for size, part in deals.groupby("cards")}
    return StudyResult({"value_bounds": added}, {"deals": sizes})


def warm_up() -> None:
    """Compile the kernels."""
    counts = np.zeros((2, 2, ENDINGS), dtype=np.int64)
    rules = rules_of(TowersAndBowersOptions())
    count_guarantees(PLAYER_IDS["family"], 1, 1, rules, np.random.default_rng(0), counts)
