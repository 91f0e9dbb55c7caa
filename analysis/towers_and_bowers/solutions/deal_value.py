"""What dealing is worth: W(n) = P(the player who deals the hand of n cards wins the tower).

There are three answers. The *exact* one, of the game with hidden hands (n = 1, 2, 3: `exact_values`); that of the
*double-dummy model*, hands hidden in the bidding and open in the play
(`analysis.towers_and_bowers.solutions.bidding`); and that of *perfect
information*, which is what the rest of this file counts and what `pimc` believes.

Model: *perfect information* — both see all cards from the first bid on. The value is exact under it: every deal is
counted, over the classes of (hand, up-card), and the counts are kept in ``data/deal_outcomes.csv`` beside this file.
A deal matters only through three trick counts (`solver.towers_and_bowers.open_bidding`), so the same counts give W(n)
for every rule option. The file is made again by::

    towerlab study towers-and-bowers deal-outcomes
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from games.errors import TowerlabError
from games.towers_and_bowers import TowersAndBowersOptions
from solver.towers_and_bowers.classes import UpCardClasses, up_card_classes
from solver.towers_and_bowers.open_bidding import open_bidding
from solver.towers_and_bowers.upcard import OUTCOMES, Counts, count_classes
from solver.two_hands.tablebase import MOST_CARDS

if TYPE_CHECKING:
    import pandas as pd

    from analysis.study import StudyResult

MODEL = "perfect information: both see all cards from the first bid on"
COLUMNS = ("cards", "discard_up_card", "accepted", "most", "fewest", "deals")
GAME_ITSELF = "game"
_CLASSES_A_CHUNK = 8_000
_CLOSE_ENOUGH = 1e-15


@dataclass(frozen=True)
class DealValue:
    """W(n) of one hand size.

    Attributes:
        cards: hand size n.
        dealer: P(the dealer of this hand wins the tower).
        deals: how many deals (hand, hand, up-card) the value was counted over.
    """

    cards: int
    dealer: float
    deals: int


def deal_value(cards: int, options: TowersAndBowersOptions | None = None) -> float:
    """W(cards) of the perfect-information model; see `deal_values`."""
    return deal_values(options)[cards - 1].dealer


def deal_values(options: TowersAndBowersOptions | None = None) -> tuple[DealValue, ...]:
    """W(1), …, W(7) of the perfect-information model, exact, under the given rule options."""
    options = options or TowersAndBowersOptions()
    return _chain(options.tie_to_bidder, options.allow_discard_upcard, options.force_dealer_to_name)


@functools.cache
def _chain(tie_to_bidder: bool, discard_up_card: bool, forced: bool) -> tuple[DealValue, ...]:
    values: list[DealValue] = []
    next_deal = 0.0  # never read: a hand of one card is always a sweep
    for cards in range(1, MOST_CARDS + 1):
        counts = deal_outcomes(cards, discard_up_card)
        next_deal = _value_of_dealing(counts, cards, next_deal, tie_to_bidder, forced)
        values.append(DealValue(cards, next_deal, int(counts.sum())))
    return tuple(values)


def _value_of_dealing(counts: Counts, cards: int, next_deal: float, tie_to_bidder: bool, forced: bool) -> float:
    """Mean over all deals; where the dealer may throw the hand in, the fixed point of W(n) in terms of itself."""
    weights = counts / counts.sum()
    same_deal = None if forced else 0.5
    while True:
        bidding = open_bidding(cards, next_deal, tie_to_bidder, same_deal)
        dealer = 1 - float((weights * bidding.first_round.value).sum())
        if same_deal is None or abs(dealer - same_deal) < _CLOSE_ENOUGH:
            return dealer
        same_deal = dealer


def deal_outcomes(cards: int, discard_up_card: bool = False) -> Counts:
    """How many deals there are by the non-dealer's tricks.

    Returns:
        int64[8, 8, 8], by tricks if the up-card is accepted, most and fewest over the suits that can be named.
    """
    counts = np.zeros((OUTCOMES, OUTCOMES, OUTCOMES), dtype=np.int64)
    rows = _stored_outcomes()
    rows = rows[(rows[:, 0] == cards) & (rows[:, 1] == discard_up_card)]
    counts[rows[:, 2], rows[:, 3], rows[:, 4]] = rows[:, 5]
    return counts


@functools.lru_cache(maxsize=1)
def _stored_outcomes() -> Counts:
    with files("analysis.towers_and_bowers").joinpath("data/deal_outcomes.csv").open() as lines:
        return np.loadtxt(lines, dtype=np.int64, delimiter=",", skiprows=1)


# ------------------------------------------------------------------------------------- hidden hands: what is at hand


@dataclass(frozen=True)
class HiddenValue:
    """W(n) of hands that are hidden at least in the bidding.

    Attributes:
        cards: n.
        dealer: P(the dealer wins the tower) when both follow the strategies that were found.
        exploitability: what best responses of both sides gain, added up.
        exploitability_of: ``"game"`` or ``"double-dummy model"``.
        by_up: the dealer's value by rank letter of the up-card.
        next_deal: the W(n - 1) used, where it is told.
    """

    cards: int
    dealer: float
    exploitability: float
    exploitability_of: str
    by_up: Mapping[str, float]
    next_deal: float | None = None


@functools.lru_cache(maxsize=1)
def exact_values() -> Mapping[int, HiddenValue]:
    """W(n) of the game itself by n, for the hand sizes that ``data/exact_values.csv`` has a row ``all`` of."""
    path = files("analysis.towers_and_bowers").joinpath("data/exact_values.csv")
    if not path.is_file():
        return {}
    lines = path.read_text().split()
    rows = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    found = {}
    for row in rows:
        if row["up"] == "all":
            cards = int(row["cards"])
            parts = [part for part in rows if int(part["cards"]) == cards and part["up"] != "all"]
            by_up = {part["up"].replace("10", "T"): float(part["dealer"]) for part in parts}
            found[cards] = HiddenValue(cards, float(row["dealer"]), float(row["exploitability"]), GAME_ITSELF, by_up)
    return found


def best_deal_value(cards: int) -> HiddenValue:
    """The best W(cards) at hand: exact, else of the double-dummy model.

    Raises:
        TowerlabError: neither is at hand.
    """
    from analysis.towers_and_bowers.solutions.bidding import HOW_TO_MAKE, model_value

    found = exact_values().get(cards) or model_value(cards)
    if found is None:
        raise TowerlabError(f"no W({cards}) of hidden hands is at hand; {HOW_TO_MAKE.format(cards=cards)}")
    return found


def next_deal_of(parameters: Mapping[str, Any]) -> float:
    """The W(n - 1) that a study of hands of n cards goes on with: its parameter `next_deal`, else the best at hand.

    Raises:
        TowerlabError: none is given and none is at hand.
    """
    given, cards = parameters["next_deal"], int(parameters["cards"])
    if given is not None:
        return float(given)
    return best_deal_value(cards - 1).dealer if cards > 1 else 0.0


# ------------------------------------------------------------------------------------------- the study that counts


def count_outcome_chunks(parameters: Mapping[str, Any]) -> int:
    """Chunks of the study: classes are counted a few thousand at a time, for each hand size."""
    return len(_chunks(parameters))


def count_outcomes(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Count the deals of one chunk of classes (nothing is sampled: the seed is not used)."""
    cards, first = _chunks(parameters)[chunk]
    classes = up_card_classes(cards)
    part = UpCardClasses(*(column[first : first + _CLASSES_A_CHUNK] for column in classes))
    return _as_rows(cards, {wide: count_classes(part, wide) for wide in (False, True)})


def combine_outcomes(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Add the chunks up: table ``deal_outcomes`` is the data file of this module."""
    import pandas as pd

    from analysis.study import StudyResult

    added = pd.concat(tables).groupby(list(COLUMNS[:-1]), as_index=False).sum()
    totals = added[added.discard_up_card == 0].groupby("cards").deals.sum()
    return StudyResult({"deal_outcomes": added}, {"deals": {str(cards): int(n) for cards, n in totals.items()}})


def _chunks(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    """(hand size, first class) of every chunk."""
    sizes = range(1, int(parameters["most_cards"]) + 1)
    return [(n, first) for n in sizes for first in range(0, len(up_card_classes(n).ups), _CLASSES_A_CHUNK)]


def _as_rows(cards: int, counts: Mapping[bool, Counts]) -> pd.DataFrame:
    import pandas as pd

    rows = [
        (cards, int(wide), *map(int, place), int(table[tuple(place)]))
        for wide, table in counts.items()
        for place in np.argwhere(table)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
