"""What is dealing worth, and how far may answers be off? W(n) = P(the player who deals n cards wins the tower).

`deal_value` is what every answer, advice, review and player counts with. With hidden hands it is that of the *whole
hand* where that has been solved (n = 1 to 4: bidding, discard and play), ``data/exact_values.csv``. From five cards on
it is that of the learned policy against itself, cards hidden to the end, from sampled hands of each up-card:
``values.csv`` of its bundle, made by ``towerlab study towers-and-bowers self-play-values``. Under rules that no
solution is of it is that of *perfect information*: both see all cards from the first bid on.

The last is exact: every deal is counted, over the classes of (hand, up-card), and the counts are kept in
``data/deal_outcomes.csv``, made by the study `deal-outcomes`. A deal matters only through three trick counts
(`solver.towers_and_bowers.upcard`), so the same counts give W(n) for every rule option.

How far answers may be off:

- `accuracy_of`: how far the values of a decision of up to four cards may be off on the mean over the hands that come to
  it: what best replies gain from there on against the solution that answers
  (`solver.towers_and_bowers.whole_hand.solve.gains_inside`).
- `model_error`: how far the gap between two calls by the learned policy is from that of the game, by hand size,
  seat, round and size of the gap: ``errors.csv`` of its bundle (`solver.towers_and_bowers.self_play.policies`), made by
  ``towerlab study towers-and-bowers self-play-accuracy``.

>>> [round(value, 3) for value in deal_values()]
[0.0, 0.855, 0.667, 0.707, 0.639, 0.632, 0.585, 0.571]
"""

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.analysis.stats import NORMAL_95
from towerlab.analysis.towers_and_bowers.shipped import SHIPPED, is_current, shipped_file, shipped_rows
from towerlab.analysis.towers_and_bowers.stored_bidding import WHOLE_HAND, missing_words, rules_are_solved, up_card_rows
from towerlab.games.arrays import Ints
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import HandRules, TowersAndBowersOptions
from towerlab.games.written import Record
from towerlab.solver.towers_and_bowers.self_play.policies import (
    ERRORS_FILE,
    VALUES_FILE,
    Bundle,
    bundle_in_use,
    stored_bundle,
)
from towerlab.solver.towers_and_bowers.upcard import TRICK_COUNTS, open_bidding
from towerlab.solver.two_hands.tablebase import MOST_CARDS

SELF_PLAY: Final = "self-play"  # the other game that a value can be of, besides `WHOLE_HAND`
METHOD_WORDS: Final = {
    WHOLE_HAND: "bidding, discard and play with hidden hands, solved",
    SELF_PLAY: "the learned policy against itself, cards hidden to the end; sampled",
}


@dataclass(frozen=True)
class Floored(Record):
    """W(n) in the perturbed game, in which every call has at least a small probability.

    Attributes:
        floor: the least probability of a call.
        dealer, exploitability: the same as in `ValueOfDeal`, for the perturbed game.
        without_floor: the exploitability of the stored solution in the game itself.
    """

    floor: float
    dealer: float
    exploitability: float
    without_floor: float


@dataclass(frozen=True)
class SampledValue(Record):
    """A 95 % interval of a value, and the number of hands that were played for it."""

    low: float
    high: float
    n: int


@dataclass(frozen=True)
class ValueOfDeal(
    Record,
    keys="cards dealer nondealer lower=bounds.0 upper=bounds.1 exploitability exploitability_of method by_up floored? "
    "checked? sampled?",
):
    """W(n) between players with hidden hands.

    Attributes:
        cards: n.
        dealer: P(the dealer wins the tower) if both players follow their strategies.
        exploitability: the sum of the gains of both best responses; None for the learned policy.
        exploitability_of: the game that the value is of: ``"game"`` or ``"self-play"``.
        by_up: the dealer's value by rank letter of the up-card.
        next_deal: the W(n - 1) used, where it is known.
        floored: the value in the perturbed game, whose solution answers questions; else None.
        checked: the exploitability of the stored solution as measured now, where that was asked for.
        sampled: the 95 % interval of the learned policy's value, and the number of hands.
    """

    cards: int
    dealer: float
    exploitability: float | None
    exploitability_of: str
    by_up: Mapping[str, float]
    next_deal: float | None = None
    floored: Floored | None = None
    checked: float | None = None
    sampled: SampledValue | None = None

    @property
    def nondealer(self) -> float:
        """P(the non-dealer wins the tower)."""
        return 1 - self.dealer

    @property
    def method(self) -> str:
        """How the value was got, in words."""
        return METHOD_WORDS[self.exploitability_of]

    @property
    def bounds(self) -> tuple[float, float] | tuple[None, None]:
        """The bounds of the game's own W(n); (None, None) where they are not known."""
        return whole_hand_bounds(self.cards) if self.exploitability_of == WHOLE_HAND else (None, None)


@functools.lru_cache(maxsize=1)
def whole_hand_values() -> Mapping[int, ValueOfDeal]:
    """Return W(n) of the whole hand by n, from ``data/exact_values.csv`` (the rows of all up-cards together)."""
    values = {}
    for cards, rows in itertools.groupby(shipped_rows("exact_values.csv"), lambda row: int(row["cards"])):
        *ups, every = rows
        by_up = {row["up"]: float(row["dealer"]) for row in ups}
        dealer = float(every["dealer"])
        gain = float(every["exploitability"])
        values[cards] = ValueOfDeal(cards, dealer, gain, WHOLE_HAND, by_up, floored=_floored(cards))
    return values


def _floored(cards: int) -> Floored | None:
    """Return the mean over the up-cards of the stored measurements; None where the solution has no floors."""
    rows = up_card_rows(f"exact-bidding-{cards}")
    if not rows or "floored_nondealer" not in rows[0]:
        return None

    def mean(*names: str) -> float:
        return sum(sum(float(row[name]) for name in names) for row in rows) / len(rows)

    floored = mean("floored_nondealer_gain", "floored_dealer_gain")
    gain = mean("nondealer_gain", "dealer_gain")
    return Floored(mean("floor"), 1 - mean("floored_nondealer"), max(floored, 0.0), max(gain, 0.0))


def whole_hand_bounds(cards: int) -> tuple[float, float]:
    """Return the bounds of W(cards) of a solved size, by its measured exploitability.

    The value is the middle between the two best responses. An error of W(n - 1) moves W(n) by no more than itself.
    """
    solved = whole_hand_values()
    half = sum(solved[size].exploitability or 0.0 for size in range(1, cards + 1)) / 2
    return solved[cards].dealer - half, solved[cards].dealer + half


def learned_value(cards: int) -> ValueOfDeal | None:
    """Return W(cards) between two players of the learned policy, from sampled hands of each up-card; None without them.

    A policy without such a count uses the values of the one that ships.
    """
    bundle = bundle_in_use()
    return _learned_value(cards, bundle if VALUES_FILE in bundle.files else stored_bundle())


@functools.cache
def _learned_value(cards: int, bundle: Bundle) -> ValueOfDeal | None:
    rows = [row for row in bundle.rows(VALUES_FILE) if row["cards"] == str(cards)] if bundle.is_current else []
    below = hidden_value(cards - 1) if rows else None
    if below is None:
        return None
    by_up = {}
    variance = 0.0
    for row in rows:
        hands, won, lost, deals = (int(row[name]) for name in ("hands", "won", "lost", "deals"))
        shares = np.array([won, deals, hands - won - lost - deals, lost]) / hands
        payoffs = np.array([1.0, below.dealer, 1 - below.dealer, 0.0])
        by_up[row["up"]] = mean = float(shares @ payoffs)
        variance += (float(shares @ payoffs**2) - mean**2) / hands
    value = sum(by_up.values()) / len(by_up)
    half = NORMAL_95 * variance**0.5 / len(by_up)
    sampled = SampledValue(value - half, value + half, sum(int(row["hands"]) for row in rows))
    return ValueOfDeal(cards, value, None, SELF_PLAY, by_up, below.dealer, sampled=sampled)


def hidden_value(cards: int) -> ValueOfDeal | None:
    """Return the best W(cards) at hand: of the whole hand, else of the learned policy; None if there is neither."""
    whole = whole_hand_values().get(cards) if is_current(SHIPPED, "exact_values.csv") else None
    return whole or learned_value(cards)


def best_deal_value(cards: int) -> ValueOfDeal:
    """Return `hidden_value`; an error where it is None.

    Raises:
        TowerlabError: neither is at hand.
    """
    value = hidden_value(cards)
    if value is None:
        raise TowerlabError(missing_words(f"W({cards}) of hidden hands", cards))
    return value


def next_deal_of(parameters: Mapping[str, Any]) -> float:
    """Return the W(n - 1) of a study of hands of n cards: its parameter `next_deal`, else the best at hand.

    Raises:
        TowerlabError: none is given and none is at hand.
    """
    given = parameters["next_deal"]
    cards = int(parameters["cards"])
    if given is not None:
        return float(given)
    return best_deal_value(cards - 1).dealer if cards > 1 else 0.0


MT: Final = 1000.0  # thousandths of a tower, in which research tables count
_CLOSE_ENOUGH: Final = 1e-15


@dataclass(frozen=True)
class DealValue:
    """W(n) of one hand size with open cards.

    Attributes:
        cards: hand size n.
        dealer: P(the dealer of this hand wins the tower).
        deals: how many deals (hand, hand, up-card) the value was counted over.
    """

    cards: int
    dealer: float
    deals: int


def deal_value(cards: int, options: TowersAndBowersOptions | None = None) -> float:
    """Return W(cards) under rule options, by perfect information where no solution is at hand; 0 for no cards."""
    hidden = hidden_value(cards) if options is None or rules_are_solved(options) else None
    return 0.0 if not cards else open_deal_values(options)[cards - 1].dealer if hidden is None else hidden.dealer


def deal_values(options: TowersAndBowersOptions | None = None) -> tuple[float, ...]:
    """Return W(0), W(1), …, W(7), see `deal_value`; W(0) is never read."""
    return tuple(deal_value(cards, options) for cards in range(MOST_CARDS + 1))


def open_deal_values(options: TowersAndBowersOptions | None = None) -> tuple[DealValue, ...]:
    """Return W(1), …, W(7) of the perfect-information model, exact, under the given rule options."""
    options = options or TowersAndBowersOptions()
    return _solve_deal_values(options.hand_rules)


@functools.cache
def _solve_deal_values(rules: HandRules) -> tuple[DealValue, ...]:
    values: list[DealValue] = []
    for cards in range(1, MOST_CARDS + 1):
        counts = deal_outcomes(cards, rules)
        below = [0.0, *(value.dealer for value in values)]
        values.append(DealValue(cards, _value_of_dealing(counts, below, rules), int(counts.sum())))
    return tuple(values)


def _value_of_dealing(counts: Ints, below: list[float], rules: HandRules) -> float:
    """Return W(n), the mean over all deals; a fixed point where the dealer may throw a hand in.

    Args:
        counts: int64[8, 8, 8], the numbers of deals that `deal_outcomes` returns.
        below: W(0), …, W(n - 1); W(0) is never read: a hand of one card is always a sweep.
        rules: the rules of the hand.
    """
    cards = len(below)
    weights = counts / counts.sum()
    same_deal = 0.5
    while True:
        bidding = open_bidding(cards, [*below, same_deal], rules)
        dealer = 1 - float((weights * bidding.first_round.value).sum())
        if rules.force_dealer_to_name or abs(dealer - same_deal) < _CLOSE_ENOUGH:
            return dealer
        same_deal = dealer


def deal_outcomes(cards: int, rules: HandRules) -> Ints:
    """Return how many deals there are by the non-dealer's tricks; rules change them by what may be discarded alone.

    Returns:
        The numbers of deals, int64[8, 8, 8]: by the tricks with the up-card accepted, and by the most and the fewest
        over the suits that can be named.
    """
    counts = np.zeros((TRICK_COUNTS, TRICK_COUNTS, TRICK_COUNTS), dtype=np.int64)
    rows = _stored_outcomes()
    rows = rows[(rows[:, 0] == cards) & (rows[:, 1] == rules.allow_discard_upcard)]
    counts[rows[:, 2], rows[:, 3], rows[:, 4]] = rows[:, 5]
    return counts


@functools.lru_cache(maxsize=1)
def _stored_outcomes() -> Ints:
    with shipped_file("deal_outcomes.csv").open() as lines:
        return np.loadtxt(lines, dtype=np.int64, delimiter=",", skiprows=1)


SPREAD_UNKNOWN: Final = "; how far the values of a hand differ in another run is not known"
_SOLVED: Final = {  # by decision: the name of its values, and the columns of the gains after either of its calls
    ("nondealer", 1): ("accept", "accepted_gain", "passed_gain"),
    ("dealer", 1): ("answer", "passed_gain"),
    ("nondealer", 2): ("name", "passed_twice_gain"),
    ("dealer", 2): ("left", "passed_thrice_gain"),
    ("discard", 0): ("discard", "accepted_gain"),  # of an up-card that the non-dealer accepted
    ("discard", 1): ("own_discard", "passed_gain"),
}


@dataclass(frozen=True)
class Accuracy(Record, keys="gain spread? spread_most?"):
    """The error of a decision's values, on the mean over the hands that reach it.

    Attributes:
        gain: the gain in P(win the tower) of both best responses from there on.
        spread: the mean difference of a hand's values from those of another run of the solver, from a different start;
            the largest over several runs (docs/methods/whole-hands.md); None where there was one run.
        spread_most: the same, as the 95 % quantile.
    """

    gain: float
    spread: float | None = None
    spread_most: float | None = None

    def __str__(self) -> str:
        gain = f"within {_round_points_up(self.gain)} points on the mean over hands"
        if self.spread is None or self.spread_most is None:
            return gain
        apart = f"{_round_points_up(self.spread)} on the mean, {_round_points_up(self.spread_most)} in 1 of 20"
        return f"{gain}; values of a hand in another run differ by up to {apart}"


def _round_points_up(difference: float) -> str:
    """Return percentage points, rounded up."""
    return f"{max(math.ceil(1e4 * difference), 1) / 100:g}"


@functools.cache
def accuracy_of(cards: int, up: str, seat: str, turn: int) -> Accuracy | None:
    """Return the accuracy of a decision of a stored solution; None where it was not measured.

    Args:
        cards: hand size n.
        up: the up-card as it is stored, a spade.
        seat, turn: ``"dealer"`` or ``"nondealer"`` and the round, or ``"discard"`` and whether the dealer has accepted.
    """
    row = next((row for row in up_card_rows(f"exact-bidding-{cards}") if row["up"] == up), None)
    if row is None:
        return None
    name, *gains = _SOLVED[seat, turn]
    apart = [float(row[f"{name}_spread{end}"]) if row.get(f"{name}_spread") else None for end in ("", "_most")]
    return Accuracy(max(0.0, *(float(row[gain]) for gain in gains)), *apart)


def accuracy_words(exploitability: float, accuracy: Accuracy | None) -> str:
    """Return the error of a solution's values, in words.

    Args:
        exploitability: the exploitability of the whole solution.
        accuracy: the accuracy of the decision, if it was measured.
    """
    accuracy = accuracy or Accuracy(exploitability)
    return f"the whole hand {accuracy}" + ("" if accuracy.spread is not None else SPREAD_UNKNOWN)


@dataclass(frozen=True)
class Coverage(Record):
    """How often an interval held the game's gap, on other hands than those that gave its width.

    Attributes:
        hands: how many hands were counted.
        percent: the percentage of them in which it held.
    """

    hands: int
    percent: float


class ModelError(NamedTuple):
    """The error of the learned policy's gaps against the game's.

    Attributes:
        error: the root mean square of the errors, in mt.
        held: how often intervals of this error held; None where that was not counted.
    """

    error: float
    held: Coverage | None


@functools.cache
def _errors_of(bundle: Bundle) -> Mapping[tuple[int, str, int], list[tuple[float, ModelError]]]:
    """Return the least gap of each band, in mt, and its error, in order, by hand size, seat and round."""
    errors: dict[tuple[int, str, int], list[tuple[float, ModelError]]] = {}
    for row in sorted(bundle.rows(ERRORS_FILE), key=lambda row: float(row["band"])):
        kind = int(row["cards"]), row["seat"], int(row["round"])
        tested = int(row["tested"])
        held = Coverage(tested, float(row["held"])) if tested else None
        errors.setdefault(kind, []).append((float(row["band"]), ModelError(float(row["error"]), held)))
    return errors


def model_error(cards: int, seat: str, turn: int, gap: float) -> ModelError | None:
    """Return the error of the policy in use for a gap between two calls; None where it was not measured.

    Args:
        cards: hand size n.
        seat: ``"dealer"`` or ``"nondealer"``.
        turn: 1 or 2, the round.
        gap: the gap in mt, not negative.
    """
    bands = _errors_of(bundle_in_use()).get((cards, seat, turn), [])
    fitting = [error for least, error in bands if least <= gap]
    return fitting[-1] if fitting else None
