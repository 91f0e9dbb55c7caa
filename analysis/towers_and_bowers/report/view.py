"""The up-card book as the report looks at it: gaps in mt, and what a player would call a hand.

mt = one thousandth of a tower: 0.001 of P(win the tower), a decision. The gap of a decision is the value of
accepting minus that of passing.

Side strength of a hand: 3 for an ace, 2 for a king, 1 for a queen outside trumps (the left bower is a trump). The
report checks this scale against the book itself, see `card_worth`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.report.page import Caption, Exact
from games.cards import DECK_24, JACK, RANKS, SUIT_BITS
from solver.towers_and_bowers.classes import up_card_classes

SEATS: Final = ("nondealer", "dealer")
SEAT_NAMES: Final = {"nondealer": "non-dealer", "dealer": "dealer"}
CLOSE: Final = 5.0  # mt; a smaller gap is a close decision, whatever the hand
UP_RANKS: Final = ("9", "T", "Q", "K", "A", "J")  # as trumps rank
SIDE_NAMES: Final = ("0–1", "2–3", "4–5", "6–7", "8–9", "10+")
HOLDING_NAMES: Final = (
    "none",
    "1",
    "1, a bower",
    "2",
    "2, a bower",
    "2, both",
    "3",
    "3, a bower",
    "3, both",
    "4",
    "4, a bower",
    "4, both",
    "5 or 6",
)
SPADES: Final = 3  # the up-card's suit in the book

_MATE, _DIAMONDS, _HEARTS, _TRUMPS = 0, 13, 26, 39  # first bits of the suits
_QUEEN, _KING, _ACE = 10, 11, 12
_DIGITS = 9  # of gaps in mt: less is an artefact of adding in floating point


@dataclass(frozen=True)
class Scope:
    """What the report is about, as its captions state it.

    Attributes:
        rules: `analysis.report.rules_in_force` of the options.
        cards: hand size n.
        classes: classes of (hand, up-card) in the book.
    """

    rules: str
    cards: int
    classes: int

    @property
    def layouts(self) -> int:
        """Hands that the opponent can hold."""
        return comb(DECK_24.bit_count() - 1 - self.cards, self.cards)

    @property
    def all_classes(self) -> int:
        """Classes in a complete book."""
        return len(up_card_classes(self.cards).ups)

    @property
    def all_pairs(self) -> int:
        """Every hand with every up-card."""
        return comb(DECK_24.bit_count(), self.cards) * (DECK_24.bit_count() - self.cards)

    def caption(self, text: str) -> Caption:
        """A caption for numbers of the book."""
        of = f"classes of (hand, up-card), each over {self.layouts:,} opponent's hands"
        model = "perfect information: after the decision both see all cards"
        return Caption(text, self.rules, f"n = {self.cards}", model, Exact(self.classes, of))


def view_book(book: pd.DataFrame) -> pd.DataFrame:
    """The book (see `analysis.towers_and_bowers.upcard.book`) with the columns that the report groups and counts by.

    Added: ``up_rank``, ``bowers`` (0..2 held), ``holding`` (one of `HOLDING_NAMES`), ``side`` (points), ``side_name``,
    ``other_jacks`` (jacks of the other colour, 0..2), and per seat ``{seat}_gap`` in mt.
    """
    view = book.copy()
    hands = view["hand"].to_numpy(np.int64)
    side = side_points(hands)
    view["up_rank"] = pd.Categorical(np.array(list(RANKS))[view["up"].to_numpy(np.int64) - _TRUMPS], UP_RANKS)
    view["bowers"] = _has(hands, _MATE, JACK) + _has(hands, _TRUMPS, JACK)
    view["side"] = side
    view["side_name"] = pd.Categorical(np.array(SIDE_NAMES)[np.minimum(side // 2, len(SIDE_NAMES) - 1)], SIDE_NAMES)
    view["other_jacks"] = _has(hands, _DIAMONDS, JACK) + _has(hands, _HEARTS, JACK)
    held = zip(view["trumps"].tolist(), view["bowers"].tolist(), strict=True)
    view["holding"] = pd.Categorical([holding_name(trumps, bowers) for trumps, bowers in held], HOLDING_NAMES)
    for seat in SEATS:
        view[f"{seat}_gap"] = (1000 * (view[f"{seat}_accept"] - view[f"{seat}_pass"])).round(_DIGITS) + 0.0  # no -0.0
    return view


def side_points(hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Side strength of hands (printed masks) when spades are trumps."""
    suits = (_MATE, _DIAMONDS, _HEARTS)
    honours = ((_ACE, 3), (_KING, 2), (_QUEEN, 1))
    points = sum(worth * _has(hands, suit, rank) for suit in suits for rank, worth in honours)
    return np.asarray(points, dtype=np.int64)


def side_aces(hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Aces of hands (printed masks) outside trumps when spades are trumps."""
    return np.asarray(sum(_has(hands, suit, _ACE) for suit in (_MATE, _DIAMONDS, _HEARTS)), dtype=np.int64)


def holding_name(trumps: int, bowers: int) -> str:
    """A row of the accept charts.

    >>> [holding_name(0, 0), holding_name(1, 1), holding_name(4, 2), holding_name(6, 1)]
    ['none', '1, a bower', '4, both', '5 or 6']
    """
    if trumps == 0:
        return HOLDING_NAMES[0]
    if trumps > 4:
        return HOLDING_NAMES[-1]
    return f"{trumps}{('', ', a bower', ', both')[bowers]}"


def trump_sets(hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """The trumps of hands, as printed masks: spades and the jack of clubs."""
    return hands & (SUIT_BITS << _TRUMPS | 1 << JACK)


def share(view: pd.DataFrame, chosen: Any) -> float:
    """P(a hand and up-card are among the chosen rows), every deal being equally likely."""
    return mean(view, np.asarray(chosen))


def mean(view: pd.DataFrame, values: Any) -> float:
    """Mean over deals of a value per row."""
    return float(np.average(np.asarray(values, dtype=float), weights=view["weight"].to_numpy(float)))


def means_by(view: pd.DataFrame, keys: Sequence[str], values: pd.DataFrame) -> pd.DataFrame:
    """Weighted means of `values` (rows as in `view`) by groups, with ``pairs`` and ``share`` of each group.

    Groups come in the order of their categories; in the result these are plain texts.
    """
    by = [view[key] for key in keys]
    weight = view["weight"].astype(float)
    sums = values.mul(weight, axis=0).groupby(by, observed=True, sort=True).sum()
    pairs = weight.groupby(by, observed=True, sort=True).sum()
    grouped = sums.div(pairs, axis=0)
    grouped.insert(0, "pairs", pairs.astype(np.int64))
    grouped.insert(1, "share", pairs / pairs.sum())
    table = grouped.reset_index()
    names = [key for key in keys if isinstance(table[key].dtype, pd.CategoricalDtype)]
    return table.astype(dict.fromkeys(names, str))


def decisions_by(view: pd.DataFrame, seat: str, keys: Sequence[str]) -> pd.DataFrame:
    """One seat's decisions by groups.

    Columns: the keys, ``pairs``, ``share``; ``accept``, ``pass`` (mean P(win the tower)), ``gap`` (mt); ``accepts``
    and ``passes`` (share of the group's hands for which that is right; the rest is indifferent); ``matters`` (share
    for which accepting gains `CLOSE` or more); ``against`` (share for which the opposite of the group's mean is
    right).
    """
    gap = view[f"{seat}_gap"]
    values = pd.DataFrame(
        {
            "accept": view[f"{seat}_accept"],
            "pass": view[f"{seat}_pass"],
            "gap": gap,
            "accepts": (gap > 0).astype(float),
            "passes": (gap < 0).astype(float),
            "matters": (gap >= CLOSE).astype(float),
        }
    )
    table = means_by(view, keys, values)
    table["against"] = np.where(table["gap"] >= 0, table["passes"], table["accepts"])
    return table


def card_worth(view: pd.DataFrame, values: Any) -> dict[str, float]:
    """What cards add to a value, in its unit: weighted least squares over all rows.

    Keys: ``trump`` (each), ``right bower``, ``left bower`` (on top of a trump), ``ace``, ``king``, ``queen`` (outside
    trumps, each) and ``other jack``, each against a small card.
    """
    hands = view["hand"].to_numpy(np.int64)
    suits = (_MATE, _DIAMONDS, _HEARTS)
    terms: dict[str, Any] = {
        "trump": view["trumps"],
        "right bower": _has(hands, _TRUMPS, JACK),
        "left bower": _has(hands, _MATE, JACK),
        "ace": side_aces(hands),
        "king": sum(_has(hands, suit, _KING) for suit in suits),
        "queen": sum(_has(hands, suit, _QUEEN) for suit in suits),
        "other jack": view["other_jacks"],
        "nothing": np.ones(len(view)),
    }
    root = np.sqrt(view["weight"].to_numpy(float))
    columns = np.column_stack([np.asarray(column, dtype=float) for column in terms.values()])
    found, *_ = np.linalg.lstsq(columns * root[:, None], np.asarray(values, dtype=float) * root, rcond=None)
    return {name: float(worth) for name, worth in zip(terms, found, strict=True) if name != "nothing"}


def _has(hands: NDArray[np.int64], suit: int, rank: int) -> NDArray[np.int64]:
    """1 where a hand holds that card, else 0."""
    return hands >> (suit + rank) & 1
