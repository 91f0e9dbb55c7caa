"""Which hands would a player call alike, and what is right with each kind of hand? The table of kinds that ships.

Hands of one kind have the same trumps (with the bowers among them), the same rank of the up-card and the same jacks of
the other colour. The non-dealer has kinds at even hand sizes only: at odd ones accepting never loses against best play.
If more than `DISSENT` of the hands of a kind should do the opposite of the rest, the kind has no single answer; then
one of the `features` decides, the one that saves most of the cost of the better call. The study `answer-book` makes the
table again.

``data/kinds.csv`` has a row for each kind: ``cards``, ``seat``, ``other_jacks``, ``holding``, ``up`` (rank), ``pairs``
(of a hand and an up-card), ``hands`` (number of classes: all up to four cards, a sample above), ``accepts`` (share),
``gap`` (mean, mt) with ``low`` and ``high`` (95 %, over the sample), ``least`` and ``most`` (gap, mt),
``accepting_costs`` and ``passing_costs`` (mean loss if all hands do so, mt: `loss`), ``make`` (P(the contract makes)),
``open_accepts`` and ``open_gap`` (with open cards), ``decides`` (in words; empty if all hands agree) and ``example``
(the hand whose gap is nearest to the mean).

    towerlab study towers-and-bowers answer-book --set most_cards=2 --out book
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from towerlab.analysis.stats import LEVEL, normal_quantile
from towerlab.analysis.towers_and_bowers.answers import SEATS
from towerlab.analysis.towers_and_bowers.deal_value import MT
from towerlab.analysis.towers_and_bowers.shipped import shipped_frame
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import RANKS, SUIT_BITS, TRUMP_FIELD, bower_cards, cards_mask, mask_text
from towerlab.solver.towers_and_bowers.bidding import SPADES, in_play_order, mirror

RENAMINGS: Final = 4  # of the up-card's suit


def weights(hands: Ints) -> Ints:
    """Return how many hands each class stands for."""
    return np.where(mirror(hands) == hands, RENAMINGS, 2 * RENAMINGS)


def halves_of(book: pd.DataFrame, seat: str) -> tuple[Floats, Floats]:
    """Return the gaps of a seat's first call by either half of the deals, mt; twice the same where they are exact."""
    margin = MT * book[f"{seat}_1_margin"].to_numpy()
    if f"{seat}_1_margin_1" not in book:
        return margin, margin
    first, second = (MT * book[f"{seat}_1_margin_{half}"].to_numpy() for half in (1, 2))
    return np.where(np.isnan(first), margin, first), np.where(np.isnan(second), margin, second)


def loss(first: Floats, second: Floats, accepting: Bools) -> Floats:
    """Return the loss of a call against the better one with each hand, in mt.

    Which call is better is read off one half of the deals and what it gains off the other, so that chance in either
    does not look like a loss; the mean of both ways is 0 or less as often as chance has it.

    Args:
        first, second: float64[hands], gaps of accepting less passing by either half of the deals; equal if exact.
        accepting: bool[hands], the call.
    """
    ways = []
    for chooses, counts in ((first, second), (second, first)):
        should = chooses >= 0
        ways.append(np.where(should == accepting, 0.0, np.where(should, counts, -counts)))
    return np.asarray((ways[0] + ways[1]) / 2)


def trumps_held(hands: Ints, suit: int = SPADES) -> Ints:
    """Return how many trumps hands hold if this suit is trumps, the left bower included."""
    held: Ints = np.bitwise_count(in_play_order(hands, suit) & TRUMP_FIELD).astype(np.int64)
    return held


DISSENT: Final = 0.2  # of a kind's hands; where more disagree it gets no letter
HOLDINGS: Final = (
    "none", "1", "1, a bower", "2", "2, a bower", "2, both", "3", "3, a bower", "3, both", "4", "4, a bower",
    "4, both", "5 or 6",
)  # fmt: skip
UP_LETTERS: Final = ("9", "T", "Q", "K", "A", "J")  # as trumps rank
KIND: Final = ("cards", "seat", "other_jacks", "holding", "up")
_ACE = 12
_KING = 11
_QUEEN = 10
_SIDE: Final = (0, 13, 26)  # first bits of the other suits; clubs have the colour of the trumps
_TRUMPS: Final = 39
HEARTS: Final = 2
_SAVES: Final = 0.02  # of what a part's better call costs: a feature that saves less decides nothing
_EVEN: Final = 1e-9


def has_card(hands: Ints, suit: int, rank: int) -> Ints:
    """Return 1 where a hand (printed mask) holds a card, else 0; `suit` is the first bit of its suit."""
    return hands >> (suit + rank) & 1


def side_points(hands: Ints) -> Ints:
    """Return the side strength when spades are trumps: 3 for an ace, 2 for a king, 1 for a queen outside trumps."""
    honours = ((_ACE, 3), (_KING, 2), (_QUEEN, 1))
    return np.asarray(
        sum(each * has_card(hands, suit, rank) for suit in _SIDE for rank, each in honours), dtype=np.int64
    )


def holding_name(trumps: int, bowers: int) -> str:
    """Return a row of the accept charts.

    >>> [holding_name(0, 0), holding_name(1, 1), holding_name(4, 2), holding_name(6, 1)]
    ['none', '1, a bower', '4, both', '5 or 6']
    """
    if trumps == 0 or trumps > 4:
        return HOLDINGS[0 if trumps == 0 else -1]
    return f"{trumps}{('', ', a bower', ', both')[bowers]}"


def holdings(hands: Ints) -> list[int]:
    """Return the place among `HOLDINGS` of each hand; spades are trumps."""
    bowers = np.bitwise_count(hands & cards_mask(bower_cards(SPADES)))
    held = zip(trumps_held(hands).tolist(), bowers.tolist(), strict=True)
    return [HOLDINGS.index(holding_name(*pair)) for pair in held]


def other_jacks(hands: Ints) -> Ints:
    """Return how many jacks of the other colour hands hold."""
    jacks: Ints = np.bitwise_count(hands & cards_mask(bower_cards(HEARTS))).astype(np.int64)
    return jacks


def features(hands: Ints) -> dict[str, Ints]:
    """Return by name, int64[hands], what may decide among the hands of a kind."""
    right, left = bower_cards(SPADES)
    others = np.stack([trumps_held(hands, suit) for suit in range(SPADES)])
    held = np.stack([np.bitwise_count(hands & SUIT_BITS << suit).astype(np.int64) for suit in _SIDE])
    return {
        "cards in the best other suit": others.max(0),
        "cards in the worst other suit": others.min(0),
        "cards of the trumps' colour, beside trumps": np.bitwise_count(hands & SUIT_BITS & ~(1 << left)),
        "side strength": side_points(hands),
        "side aces": sum(has_card(hands, suit, _ACE) for suit in _SIDE),
        "side suits without a card": (held == 0).sum(0),
        "aces and kings of trumps": has_card(hands, _TRUMPS, _ACE) + has_card(hands, _TRUMPS, _KING),
        "the right bower": hands >> right & 1,
    }


# --------------------------------------------------------------------------------------------------------- the kinds


def kinds(book: pd.DataFrame) -> pd.DataFrame:
    """Return a row a kind, from the table of the study `answer-book`."""
    hands = book["hand"].to_numpy(np.int64)
    places = np.array([UP_LETTERS.index(rank) if rank in UP_LETTERS else -1 for rank in RANKS])
    named = pd.DataFrame(
        {
            "cards": book["cards"].to_numpy(np.int64),
            "other_jacks": other_jacks(hands),
            "holding": holdings(hands),
            "up": places[book["up"] - _TRUMPS],
        }
    )
    every = named.assign(hand=hands, pairs=book["pairs"].to_numpy(float))
    traits = pd.DataFrame(features(hands))
    rows = []
    for seat in SEATS:
        gap, open_gap, make = (book[f"{seat}_1_{name}"].to_numpy() for name in ("margin", "open_margin", "make"))
        halves = halves_of(book, seat)
        charted = every.assign(gap=MT * gap, open_gap=MT * open_gap, make=make, first=halves[0], second=halves[1])
        for key, part in charted[(seat == "dealer") | (named["cards"] % 2 == 0)].groupby(list(named)):
            cards, jacks, holding, up = map(int, map(str, key))
            name = dict(zip(KIND, (cards, seat, jacks, HOLDINGS[holding], UP_LETTERS[up]), strict=True))
            rows.append(
                name | _kind(part) | {"decides": _decides(part, traits.loc[part.index]), "example": _example(part)}
            )
    return _rounded_table(pd.DataFrame(rows))


def _kind(part: pd.DataFrame) -> dict[str, float]:
    """Return the columns of a kind that are numbers, from its hands: gaps in mt, and the pairs that each stands for."""
    gap = part["gap"].to_numpy()
    shown = part["open_gap"].to_numpy()

    def mean(of: NDArray[Any]) -> float:
        return float(np.average(of, weights=part["pairs"]))

    first, second = part["first"].to_numpy(), part["second"].to_numpy()
    low, high = _interval(part)
    return {
        "pairs": round(part["pairs"].sum()), "hands": len(part), "accepts": mean(gap >= -_EVEN), "gap": mean(gap),
        "low": low, "high": high, "least": float(gap.min()), "most": float(gap.max()),
        "accepting_costs": mean(loss(first, second, np.ones(len(part), dtype=bool))),
        "passing_costs": mean(loss(first, second, np.zeros(len(part), dtype=bool))),
        "make": mean(part["make"].to_numpy()), "open_accepts": mean(shown >= -_EVEN), "open_gap": mean(shown),
    }  # fmt: skip


def _interval(part: pd.DataFrame) -> tuple[float, float]:
    """Return the 95 % interval of a kind's mean gap over the hands that were drawn of it; the gap where all were."""
    gap = part["gap"].to_numpy()
    mean = float(np.average(gap, weights=part["pairs"]))
    if len(part) == 1 or (part["first"] == part["second"]).all():
        return mean, mean
    shares = part["pairs"].to_numpy() / part["pairs"].sum()
    half = normal_quantile(LEVEL) * float(np.sqrt((shares**2 * (gap - mean) ** 2).sum()))
    return mean - half, mean + half


def _example(part: pd.DataFrame) -> str:
    """Return the hand whose gap is nearest to the mean."""
    away = (part["gap"] - np.average(part["gap"], weights=part["pairs"])).abs()
    return mask_text(int(part["hand"][away.idxmin()]), SPADES, True)


def _decides(part: pd.DataFrame, traits: pd.DataFrame) -> str:
    """Return the feature that saves most, with what it tells apart; empty where all agree or nothing saves anything.

    Args:
        part: the same as in `_kind`.
        traits: the `features` of the same hands.
    """
    gap = part["gap"].to_numpy()
    pairs = part["pairs"].to_numpy()
    accepts = gap >= -_EVEN
    lost = gap * pairs
    splits = [
        (name, int(bound), traits[name].to_numpy() >= bound) for name in traits for bound in np.unique(traits[name])[1:]
    ]
    costs = [_cost(lost[above]) + _cost(lost[~above]) for *_, above in splits]
    if accepts.all() or not accepts.any() or not costs or min(costs) > (1 - _SAVES) * _cost(lost):
        return ""
    name, bound, above = splits[int(np.argmin(costs))]
    shares = [np.average(accepts[of], weights=pairs[of]) for of in (above, ~above)]
    return f"{_condition(str(name), bound)}: {shares[0]:.0%} accept, else {shares[1]:.0%}"


def _cost(lost: Floats) -> float:
    """Return the cost of the better of the two calls, from the gaps of hands times their pairs."""
    return float(min(np.maximum(lost, 0).sum(), np.maximum(-lost, 0).sum()))


def _condition(feature: str, bound: int) -> str:
    if feature.startswith("the "):
        return feature
    return f"{bound} or more {feature}" if not feature.startswith("side strength") else f"{feature} {bound} or more"


# ------------------------------------------------------------------------------------------------------- what ships


def stored_kinds() -> pd.DataFrame:
    """Return the table that ships."""
    return shipped_frame("kinds.csv", dtype={"up": str}, keep_default_na=False)


def _rounded_table(frame: pd.DataFrame) -> pd.DataFrame:
    digits = {"accepts": 4, "open_accepts": 4, "make": 3, "gap": 2, "open_gap": 2, "least": 1, "most": 1}
    digits |= {"accepting_costs": 3, "passing_costs": 3, "low": 2, "high": 2}
    return frame.round({name: count for name, count in digits.items() if name in frame})
