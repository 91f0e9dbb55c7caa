"""Equilibrium of the bidding game of one up-card, by discounted counterfactual regret minimisation.

Discounted CFR (Brown and Sandholm 2019) with alternating updates over *active* classes: those whose decisions are not
clear. The others keep their strategy, which enters as a constant; after each run a pass over every pair of hands
measures what every class loses, and classes that lose activate. The pairs of active classes are kept in memory.

To answer off the path of equilibrium the game that is solved is *perturbed*: every bid is made with at least a small
probability, the floor (Selten's trembling hand). Strategies are returned without their floors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.bidding.deals import Deals
from towerlab.solver.towers_and_bowers.bidding.packed import floored
from towerlab.solver.towers_and_bowers.bidding.pairs import (
    ACCEPT,
    NAME,
    NONDEALER_COLUMNS,
    PASS,
    Pairs,
    dealer_values,
    make_pairs,
    nondealer_values,
)
from towerlab.solver.towers_and_bowers.bidding.strategies import (
    ActionValues,
    BiddingStrategies,
    all_sums,
    best_dealer_value,
    best_nondealer_value,
    dealer_reach,
    dealer_value,
    nondealer_reach,
    nondealer_value,
    payoffs,
    per_deal,
    rows_of,
    symmetric,
    uniform,
)

FLOOR: Final = 2e-4
MOST_PAIRS: Final = 2_000_000  # that the first run takes all of; of more it samples
_SPARSEST: Final = 50  # one in so many at most
_TARGET: Final = 3e-5  # exploitability of the perturbed game at which to stop
_UNCLEAR: Final = 0.005  # at even sizes, decisions of less lead are active from the first pass on, in P(win the tower);
# at odd ones nearly every pass is as good as accepting
_LOSS: Final = 5e-5  # classes that lose more activate
_WARMTH: Final = 0.02  # regrets that reproduce a strategy one starts from, in P(win the tower)
MOST_SETTLED: Final = 20_000_000  # pairs of hands that do not pass by choice, in `settle_second_round`
_NOTHING: Final = 1e-300  # in place of a zero that is divided by
_OFTEN: Final = 10  # floors; who passes more often passes by choice


@dataclass(frozen=True)
class Solution:
    """A solved up-card.

    Attributes:
        deals: its hands.
        strategies: without floors.
        perturbed: exploitability of the averages in the perturbed game, each pass over all pairs one entry.
    """

    deals: Deals
    strategies: BiddingStrategies
    perturbed: tuple[float, ...]


def solve_up_card(
    deals: Deals, next_deal: float, *, floor: float = FLOOR, steps: int = 60, rounds: int = 1
) -> Solution:
    """Solve the bidding beside one up-card.

    Args:
        deals: all hands beside it.
        next_deal: W(n - 1); not read at n = 1.
        floor: least probability of every bid in the perturbed game; 0 for the game itself.
        steps: of each run over active classes.
        rounds: runs over active classes at most, after the first over a sample; each begins with a pass over all pairs.
    """
    payoff = payoffs(deals.cards, next_deal)
    learner = _Learner(deals, uniform(deals), floor)
    everyone = rows_of(deals.classes), rows_of(deals.hands)
    pairs = len(deals.classes) * deals.opponents
    keep_one_in = min(_SPARSEST, -(-2 * pairs // MOST_PAIRS)) if pairs > MOST_PAIRS else 1
    _run(learner, everyone[0], make_pairs(deals, *everyone, keep_one_in), None, payoff, steps)
    found: list[float] = []
    active = np.zeros((2, len(deals.classes)), dtype=bool)
    while True:
        strategies = learner.average()
        if len(found) == rounds:
            break
        sums = all_sums(deals, strategies, payoff)
        values = per_deal(deals, *sums, deals.opponents)
        lost = (
            best_nondealer_value(values, floor) - nondealer_value(strategies, values),
            dealer_value(strategies, values) - best_dealer_value(deals.cards, values, floor),
        )  # by class, in the perturbed game
        found.append(float(sum((deals.weights * loss).sum() for loss in lost) / deals.weights.sum()))
        if found[-1] <= _TARGET or keep_one_in == 1:
            break
        passed = float((deals.weights * (1 - strategies.accepts)).sum() / deals.weights.sum())
        scale = np.array([[1.0], [passed]])  # what the dealer decides after a pass
        active |= np.stack(lost) > _LOSS * scale
        if len(found) == 1 and deals.cards % 2 == 0:
            active |= np.stack(_leads(deals, values)) < _UNCLEAR * scale
        rows = np.flatnonzero(active[0])
        others = np.flatnonzero(active[1][deals.row])
        chosen = make_pairs(deals, rows, others)
        learner.start_from(strategies)
        _run(learner, rows, chosen, sums, payoff, steps, np.flatnonzero(active[1]))
    return Solution(deals, learner.without_floors(strategies), tuple(found))


def settle_second_round(
    deals: Deals, strategies: BiddingStrategies, next_deal: float, *, floor: float = FLOOR, steps: int = 12
) -> BiddingStrategies:
    """Learn again what to do after two passes where hardly anybody passes, all bids before that standing.

    Regrets count a decision as often as the other lets it come: what the first steps left there, when both still
    passed, is never outweighed, and a sample of pairs has hardly a hand that passes. Here every decision counts as if
    it were reached, over all pairs with a hand that passes by choice and a sample of the others.

    Args:
        deals, strategies: of which game, and its solution without floors.
        next_deal, floor: as in `solve_up_card`.
        steps: of learning.
    """
    payoff, learner, cards = payoffs(deals.cards, next_deal), _Learner(deals, strategies, floor), deals.cards
    now, everyone = learner.now(), rows_of(deals.classes)
    dealers = (1 - now.answers)[deals.row] > _OFTEN * floor
    rows = (1 - now.accepts) * now.names[:, 3] > _OFTEN * floor
    rest = np.flatnonzero(~dealers)
    keep_one_in = -(-len(everyone) * deals.opponents // MOST_SETTLED)
    parts = [
        (make_pairs(deals, everyone, np.flatnonzero(dealers)), 1),
        (make_pairs(deals, np.flatnonzero(rows), rest), 1),
        (make_pairs(deals, np.flatnonzero(~rows), rest, keep_one_in), keep_one_in),
    ]
    for _ in range(steps):
        values = np.zeros((len(everyone), NONDEALER_COLUMNS))
        for pairs, weight in parts:
            part = np.zeros_like(values)
            nondealer_values(pairs, deals, dealer_reach(learner.now()), payoff, part)
            values += weight * part
        learner.learn_as_reached("names", values[:, NAME:])
        leaves = np.zeros((len(everyone), 2 * cards + 4))
        for pairs, weight in parts:
            part = np.zeros_like(leaves)
            dealer_values(pairs, deals, nondealer_reach(learner.now()), payoff, part)
            leaves += weight * part
        learner.learn_as_reached("left", -per_deal(deals, values, leaves, 1.0).dealer[:, 2 * cards + 1 :])
        learner.steps += 1
    return learner.without_floors(learner.average())


def _run(
    learner: _Learner,
    rows: Ints,
    pairs: Pairs,
    sums: tuple[Floats, Floats] | None,
    payoff: tuple[Floats, Floats],
    steps: int,
    dealer_rows: Ints | None = None,
) -> None:
    """Update active classes over their pairs; `sums` are those over all pairs with the strategies at the start."""
    deals = learner.deals
    dealer_rows = rows if dealer_rows is None else dealer_rows
    shapes = (len(deals.classes), NONDEALER_COLUMNS), (len(deals.classes), 2 * deals.cards + 4)
    rest = [np.zeros(shape) for shape in shapes]
    opponents = float(deals.opponents)
    if sums is not None:  # what the pairs with a class at rest add stays as it is
        nondealer_values(pairs, deals, dealer_reach(learner.now()), payoff, rest[0])
        dealer_values(pairs, deals, nondealer_reach(learner.now()), payoff, rest[1])
        rest = [total - part for total, part in zip(sums, rest, strict=True)]
    for _ in range(steps):
        values = rest[0].copy()
        nondealer_values(pairs, deals, dealer_reach(learner.now()), payoff, values)
        learner.learn_nondealer(per_deal(deals, values, rest[1], opponents).nondealer, rows)
        values = rest[1].copy()
        dealer_values(pairs, deals, nondealer_reach(learner.now()), payoff, values)
        learner.learn_dealer(per_deal(deals, rest[0], values, opponents).dealer, dealer_rows)
        learner.steps += 1


def _leads(deals: Deals, values: ActionValues) -> tuple[Floats, Floats]:
    """Two float64[classes]: by how much accepting and passing differ, of the non-dealer and of the dealer."""
    cards = deals.cards
    passing = values.nondealer[:, PASS] + values.nondealer[:, NAME:].max(1)
    accepting = values.dealer[:, cards : 2 * cards].min(1)
    leaving = values.dealer[:, 2 * cards] + values.dealer[:, 2 * cards + 1 :].min(1)
    return np.abs(values.nondealer[:, ACCEPT] - passing), np.abs(accepting - leaving)


class _Learner:
    """Regrets and averages of all classes; both in the perturbed game."""

    def __init__(self, deals: Deals, start: BiddingStrategies, floor: float) -> None:
        self.deals, self.floor = deals, floor
        size, cards = len(deals.classes), deals.cards
        widths = {"accepts": 2, "names": 4, "discards": cards, "answers": 2, "own_discards": cards, "left": 3}
        self.floors = {"accepts": floor, "names": floor, "answers": floor, "left": floor}
        self.regrets = {name: np.zeros((size, width)) for name, width in widths.items()}
        self.totals = {name: np.zeros((size, width)) for name, width in widths.items()}
        self.current = {name: self._with_floor(name, _as_choice(array)) for name, array in start.arrays()}
        self.steps = 0

    # ------------------------------------------------------------------------------------------------------- learning

    def learn_nondealer(self, values: Floats, rows: Ints) -> None:
        """One update of the non-dealer's classes `rows` from the values of their actions."""
        values = values[rows]
        first, second = self.current["accepts"][rows], self.current["names"][rows]
        passing = values[:, PASS] + (second * values[:, NAME:]).sum(1)
        self._learn("accepts", rows, np.stack([values[:, ACCEPT], passing], axis=1))
        self._learn("names", rows, values[:, NAME:])
        self._average("accepts", rows, np.ones(len(rows)))
        self._average("names", rows, first[:, 1])

    def learn_dealer(self, values: Floats, rows: Ints) -> None:
        """As `learn_nondealer`; the values are the non-dealer's, so that the dealer wants little."""
        cards, values = self.deals.cards, -values[rows]
        own, left = values[:, cards : 2 * cards], values[:, 2 * cards + 1 :]
        accepting = (self.current["own_discards"][rows] * own).sum(1)
        passing = values[:, 2 * cards] + (self.current["left"][rows] * left).sum(1)
        answers = self.current["answers"][rows]
        self._learn("discards", rows, values[:, :cards])
        self._learn("answers", rows, np.stack([accepting, passing], axis=1))
        self._learn("own_discards", rows, own)
        self._learn("left", rows, left)
        self._average("discards", rows, np.ones(len(rows)))
        self._average("answers", rows, np.ones(len(rows)))
        self._average("own_discards", rows, answers[:, 0])
        self._average("left", rows, answers[:, 1])

    def learn_as_reached(self, name: str, values: Floats) -> None:
        """One update of all classes; values of one sign, whose mean is in proportion to how often the other comes."""
        everyone = rows_of(self.deals.classes)
        self._learn(name, everyone, values / np.maximum(np.abs(values).mean(1, keepdims=True), _NOTHING))
        self._average(name, everyone, np.ones(len(everyone)))

    def _learn(self, name: str, rows: Ints, values: Floats) -> None:
        played = self._unfloored(name, self.current[name][rows])
        regrets = self.regrets[name][rows]
        # Exponents of discounting: 3/2 above zero, 1/2 below it. Roots round alike on every processor, powers do not.
        root = math.sqrt(self.steps + 1)
        cube = root * (self.steps + 1)
        regrets *= np.where(regrets > 0, cube / (cube + 1), root / (root + 1))
        regrets += values - (played * values).sum(1, keepdims=True)
        self.regrets[name][rows] = regrets
        positive = np.maximum(regrets, 0)
        total = positive.sum(1, keepdims=True)
        best = values == values.max(1, keepdims=True)
        choice = np.where(total > 0, positive / np.maximum(total, _NOTHING), best / best.sum(1, keepdims=True))
        self.current[name][rows] = self._with_floor(name, choice)

    def _average(self, name: str, rows: Ints, reach: Floats) -> None:
        ratio = (self.steps + 1) / (self.steps + 2)
        weight = ratio * ratio * ratio * ratio  # step t counts t ** 4
        totals = self.totals[name]
        totals[rows] = totals[rows] * weight + reach[:, None] * self.current[name][rows]

    def start_from(self, strategies: BiddingStrategies) -> None:
        """Begin again with regrets that reproduce these strategies (with floors), and with no averages."""
        self.steps = 0
        for name, array in strategies.arrays():
            self.current[name] = _as_choice(array).copy()
            self.regrets[name] = _WARMTH * self._unfloored(name, self.current[name])
            self.totals[name][:] = 0

    # ----------------------------------------------------------------------------------------------------- strategies

    def now(self) -> BiddingStrategies:
        """The current strategies, with floors."""
        return symmetric(self.deals, _as_strategies(self.current))

    def average(self) -> BiddingStrategies:
        """The average strategies, with floors; classes that never learned play what they play."""
        made = {}
        for name, totals in self.totals.items():
            total = totals.sum(1, keepdims=True)
            made[name] = np.where(total > 0, totals / np.maximum(total, _NOTHING), self.current[name])
        return symmetric(self.deals, _as_strategies(made))

    def without_floors(self, strategies: BiddingStrategies) -> BiddingStrategies:
        made = {name: self._unfloored(name, _as_choice(array)) for name, array in strategies.arrays()}
        return _as_strategies(made)

    def _with_floor(self, name: str, choice: Floats) -> Floats:
        return floored(choice, self.floors.get(name, 0.0))

    def _unfloored(self, name: str, choice: Floats) -> Floats:
        floor = self.floors.get(name, 0.0)
        bare: Floats = np.maximum((choice - floor) / (1 - floor * choice.shape[1]), 0)
        bare /= bare.sum(1, keepdims=True)
        return bare


def _as_choice(array: Floats) -> Floats:
    return np.stack([array, 1 - array], axis=1) if array.ndim == 1 else array


def _as_strategies(choices: dict[str, Floats]) -> BiddingStrategies:
    plain = {name: choice[:, 0] if name in ("accepts", "answers") else choice for name, choice in choices.items()}
    return BiddingStrategies(**plain)
