"""The value of dealing when hands are hidden: W(n) of the whole hand where it has been solved, else of the bidding.

The *whole hand* (n = 1 to 4) is bidding, discard and play with hidden hands; the *bidding* has all cards seen once it
is over (`analysis.towers_and_bowers.solutions.bidding`).

**Sampled bounds** (95 %) of W(n) stand in where the game itself has not been solved. A fixed strategy is at most as
good as the best one, so a seat's value is at least what a player gets there against the best response to them. They
bid by the stored equilibrium of the double-dummy model and play as `pimc`; as non-dealer they bound W(n) from above,
as dealer from below. The best response knows all they do but not their cards (`sim.towers_and_bowers.best_response`).
For each of its hands it is exact up to four cards; from five on the layouts beside a hand are drawn, and a response
fitted to those drawn wins more on average, which can only widen the bounds. The hands of who responds are drawn as
well; bounds carry the far ends of 95 % intervals.

W(n - 1) enters as an interval, exact where it is at hand, else from the bounds one size below. What a response leaves
is a concave function of it (the least of many straight lines), so chords between the values that were played for lie
below; beyond them it falls by at most as much as W(n - 1) changes.

Errors are those of a sample stratified by the rank of the up-card. Where all hands are known, the 95 % intervals of 40
seeds and both seats held their mean in 76 of 80 samples at n = 3 (60 hands a rank; 78 with ten, 77 with six) and in 74
of 80 at n = 2 (40 hands a rank; 69 with ten, since few hands differ from the model there at all).

The means are kept in ``data/value_bounds.csv``: the tables of ``towerlab study towers-and-bowers value-bounds --set
cards=n``, one after the other, of a player that chose otherwise between cards of equal value.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from towerlab.analysis.towers_and_bowers.solutions.bidding import DOUBLE_DUMMY, WHOLE_HAND, none_at_hand, up_card_rows
from towerlab.analysis.towers_and_bowers.solutions.rules import LEARNED_FILE, SHIPPED, is_current, is_learned
from towerlab.analysis.towers_and_bowers.solutions.shipped import shipped_rows
from towerlab.games.errors import TowerlabError
from towerlab.games.written import Record

SELF_PLAY: Final = "self-play"  # what a value is of, beside `WHOLE_HAND`
METHODS: Final = {
    WHOLE_HAND: "bidding, discard and play with hidden hands, solved",
    DOUBLE_DUMMY: "bidding and discard with hidden hands, solved; double-dummy play",
    SELF_PLAY: "the learned policy against itself, cards hidden to the end; sampled",
}
SEATS: Final = ("nondealer", "dealer")  # of who responds
_Z: Final = 1.959964


@dataclass(frozen=True)
class Floored(Record):
    """W(n) in the game where every call is made at least with a small probability.

    Attributes:
        floor: that probability.
        dealer, exploitability: as `ValueOfDeal` has them, in that game.
        without_floor: exploitability in the game without floors of the solution that ships.
    """

    floor: float
    dealer: float
    exploitability: float
    without_floor: float


@dataclass(frozen=True)
class Sampled(Record):
    """A 95 % interval of a value, and the hands that were played for it."""

    low: float
    high: float
    n: int


@dataclass(frozen=True)
class ValueOfDeal(
    Record,
    keys="cards dealer nondealer lower=bounds.0 upper=bounds.1 exploitability exploitability_of method by_up floored? "
    "checked? sampled?",
):
    """W(n) of hands that are hidden at least in the bidding.

    Attributes:
        cards: n.
        dealer: P(the dealer wins the tower) when both follow the strategies that were found.
        exploitability: what best responses of both sides gain, added up; None of the learned policy.
        exploitability_of: what the value is of: ``"game"`` or ``"self-play"``.
        by_up: the dealer's value by rank letter of the up-card.
        next_deal: the W(n - 1) used, where it is known.
        floored: of the whole hand with a floor on every call, which is the solution that answers; else None.
        checked: exploitability of what ships as measured now, where that was asked for.
        sampled: of the learned policy, the 95 % interval of the value and the hands behind it.
    """

    cards: int
    dealer: float
    exploitability: float | None
    exploitability_of: str
    by_up: Mapping[str, float]
    next_deal: float | None = None
    floored: Floored | None = None
    checked: float | None = None
    sampled: Sampled | None = None

    @property
    def nondealer(self) -> float:
        """P(the non-dealer wins the tower)."""
        return 1 - self.dealer

    @property
    def method(self) -> str:
        """How it was got."""
        return METHODS[self.exploitability_of]

    @property
    def bounds(self) -> tuple[float, float] | tuple[None, None]:
        """Between what the game's own W(n) lies; None where nobody knows."""
        if self.exploitability_of == WHOLE_HAND:
            return whole_hand_bounds(self.cards)
        sampled = value_bounds(self.cards)
        return (sampled.lower, sampled.upper) if sampled else (None, None)


@functools.lru_cache(maxsize=1)
def whole_hand_values() -> Mapping[int, ValueOfDeal]:
    """W(n) of the whole hand by n, of ``data/exact_values.csv``: a row an up-card, the last one of all of them."""
    found = {}
    for cards, rows in itertools.groupby(shipped_rows("exact_values.csv"), lambda row: int(row["cards"])):
        *ups, every = rows
        by_up = {row["up"]: float(row["dealer"]) for row in ups}
        dealer, gain = float(every["dealer"]), float(every["exploitability"])
        found[cards] = ValueOfDeal(cards, dealer, gain, WHOLE_HAND, by_up, floored=_floored(cards))
    return found


def _floored(cards: int) -> Floored | None:
    """The mean over the up-cards of what ships, None where that was solved without floors."""
    rows = up_card_rows(f"exact-bidding-{cards}")
    if not rows or "floored_nondealer" not in rows[0]:
        return None

    def mean(*names: str) -> float:
        return sum(sum(float(row[name]) for name in names) for row in rows) / len(rows)

    floored, gain = mean("floored_nondealer_gain", "floored_dealer_gain"), mean("nondealer_gain", "dealer_gain")
    return Floored(mean("floor"), 1 - mean("floored_nondealer"), max(floored, 0.0), max(gain, 0.0))


def whole_hand_bounds(cards: int) -> tuple[float, float]:
    """Between what W(cards) of a solved size lies, by its measured exploitability.

    A value is the middle of what both best responses leave. What W(n - 1) was off in turn moves W(n) by no more.
    """
    solved = whole_hand_values()
    half = sum(solved[size].exploitability or 0.0 for size in range(1, cards + 1)) / 2
    return solved[cards].dealer - half, solved[cards].dealer + half


def bidding_value(cards: int) -> ValueOfDeal | None:
    """W(cards) of the bidding from the files at hand, None without them."""
    rows = up_card_rows(f"bidding-{cards}")
    if not rows:
        return None
    dealer = {row["up"][0]: 1 - float(row["nondealer"]) for row in rows}
    gains = [float(row["nondealer_gain"]) + float(row["dealer_gain"]) for row in rows]
    next_deal = float(rows[0]["next_deal"]) if cards > 1 else None
    mean = sum(dealer.values()) / len(dealer)
    return ValueOfDeal(cards, mean, sum(gains) / len(gains), DOUBLE_DUMMY, dealer, next_deal)


@functools.cache
def learned_value(cards: int) -> ValueOfDeal | None:
    """W(cards) between two players of the learned policy, from sampled hands of each up-card; None without them."""
    rows = [row for row in shipped_rows(LEARNED_FILE) if row["cards"] == str(cards)] if is_learned() else []
    below = hidden_value(cards - 1) if rows else None
    if below is None:
        return None
    by_up, variance = {}, 0.0
    for row in rows:
        hands, won, lost, deals = (int(row[name]) for name in ("hands", "won", "lost", "deals"))
        shares = np.array([won, deals, hands - won - lost - deals, lost]) / hands
        payoffs = np.array([1.0, below.dealer, 1 - below.dealer, 0.0])
        by_up[row["up"]] = mean = float(shares @ payoffs)
        variance += (float(shares @ payoffs**2) - mean**2) / hands
    value, half = sum(by_up.values()) / len(by_up), _Z * variance**0.5 / len(by_up)
    sampled = Sampled(value - half, value + half, sum(int(row["hands"]) for row in rows))
    return ValueOfDeal(cards, value, None, SELF_PLAY, by_up, below.dealer, sampled=sampled)


@functools.cache
def hidden_value(cards: int) -> ValueOfDeal | None:
    """The best W(cards) at hand: of the whole hand, else of the learned policy; None if there is neither."""
    whole = whole_hand_values().get(cards) if is_current(SHIPPED, "exact_values.csv") else None
    return whole or learned_value(cards)


def best_deal_value(cards: int) -> ValueOfDeal:
    """As `hidden_value`.

    Raises:
        TowerlabError: neither is at hand.
    """
    found = hidden_value(cards)
    if found is None:
        raise TowerlabError(none_at_hand(f"W({cards}) of hidden hands", cards))
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


# ------------------------------------------------------------------------------------------------------ sampled bounds


@dataclass(frozen=True)
class Bounds:
    """Bounds of W(n).

    Attributes:
        lower, upper: with the sampling error of 95 % intervals included.
        hands: how many of either seat were drawn.
        layouts: the player's hands listed beside each.
    """

    lower: float
    upper: float
    hands: int
    layouts: int


@functools.cache
def value_bounds(cards: int) -> Bounds | None:
    """Bounds of W(cards); None without a study of it and of all sizes between it and those that are solved."""
    rows = [row for row in shipped_rows("value_bounds.csv") if row["cards"] == str(cards)]
    below = _next_deal(cards)
    if not rows or below is None:
        return None
    lower, beyond = (_left([row for row in rows if row["seat"] == seat], below) for seat in SEATS)
    return Bounds(lower, 1 - beyond, int(rows[0]["hands"]), int(rows[0]["layouts"]))


def _next_deal(cards: int) -> tuple[float, float] | None:
    """Between what W(cards - 1) lies; nothing depends on it at one card."""
    if cards == 1:
        return 0.0, 0.0
    if cards - 1 in whole_hand_values():
        return whole_hand_bounds(cards - 1)
    bounds = value_bounds(cards - 1)
    return (bounds.lower, bounds.upper) if bounds else None


def _left(rows: list[dict[str, str]], below: tuple[float, float]) -> float:
    """The least that the best response from one seat leaves the player, whatever W(n - 1) in between."""
    deals, won, error = (np.array([float(row[name]) for row in rows]) for name in ("next_deal", "won", "error"))
    ends = np.array(below)
    beyond = np.maximum(0.0, np.maximum(deals[0] - ends, ends - deals[-1]))
    return float((np.interp(ends, deals, 1 - won - _Z * error) - beyond).min())
