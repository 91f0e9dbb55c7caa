"""Races of calls on common layouts: unbiased whatever the estimate, intervals that hold, nothing solved in vain."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from towerlab.analysis.bidding.race import EARLY, FIRST, PRIOR, USUAL, Forecast, Race, look_counts, risk_share
from towerlab.analysis.stats import wilson
from towerlab.games.arrays import Floats, Ints

POOL = 1200


class Layouts:
    """A question made up: three contracts with values of their own in each layout, and calls that lead to them."""

    def __init__(self, seed: int, rare: float = 0.3) -> None:
        random = np.random.default_rng(seed)
        self.random = random
        contracts = random.normal([0.0, 1.0, 1.2], [1.0, 3.0, 3.0], size=(POOL, 3))
        self.results = np.tile([0, 1, 2], (POOL, 1))
        self.results[:, 2] = np.where(random.random(POOL) < rare, 2, 1)  # the last two calls differ so often
        self.values = np.take_along_axis(contracts, self.results, axis=1)
        noise = random.normal(0.4, 1.0, size=(POOL, 3))
        self.expected = np.take_along_axis(contracts + noise, self.results, axis=1)  # far off, and biased
        drawn = random.normal(0.0, 1.1, size=(POOL, 3))
        self.likely = np.take_along_axis(drawn, self.results, axis=1)
        self.asked: list[tuple[int, int]] = []

    def forecast(self, known: bool) -> Forecast:
        if not known:
            return Forecast.unknown(self.results)
        return Forecast(self.results, self.expected, self.likely, np.ones(self.results.shape[1]))

    def solve(self, rows: Ints, calls: Ints) -> Floats:
        self.asked += [(int(row), int(call)) for row in rows for call in calls]
        return self.values[np.ix_(rows, calls)]


def test_means_and_their_errors_are_those_of_a_plain_count() -> None:
    """At the first look all is solved: estimate over the pool, plus what it leaves on the solved layouts."""
    layouts = Layouts(1)
    race = Race(layouts.forecast(known=True)._replace(error=np.full(3, math.inf)))
    assert list(race.looks(layouts.solve, 16)) == [8, 16]
    for first, second in ((0, 1), (1, 2)):
        gaps = [float(layouts.values[row, second] - layouts.values[row, first]) for row in range(16)]
        expected = [float(layouts.expected[row, second] - layouts.expected[row, first]) for row in range(POOL)]
        left = [gap - guess for gap, guess in zip(gaps, expected, strict=False)]
        mean = sum(expected) / POOL + sum(left) / 16
        assert race.means[second] - race.means[first] == pytest.approx(mean, abs=1e-8)
        noise = np.var([rest + 16 / POOL * guess for rest, guess in zip(left, expected, strict=False)], ddof=1)
        differ = int((layouts.results[:, first] != layouts.results[:, second]).sum())
        most = min((differ + 2 + 2 * math.sqrt(differ + 1)) / POOL, 1)
        assert wilson(differ, POOL)[1] == pytest.approx(most, rel=0.3)
        drawn = [row[first] - row[second] for row in layouts.likely.tolist()]
        both = sum(np.var(layouts.likely[:, call], ddof=1) for call in (first, second))
        likely = np.var(drawn, ddof=1) + (most - differ / POOL) * both
        square = (15 * noise + PRIOR * likely) / (15 + PRIOR) / 16 + (POOL - 16) / POOL**2 * np.var(expected, ddof=1)
        assert race._squares(np.array([first, second]), 16)[0, 1] == pytest.approx(square)
    assert race._quantile(0) == pytest.approx(stats.t.ppf(1 - 0.05 * 0.8 / 2 / 2, 15 + PRIOR))


@pytest.mark.parametrize("planned", [1, 2, 5, 12])
def test_the_shares_of_all_looks_are_the_whole_risk_wherever_the_last_one_is(planned: int) -> None:
    for last in range(1, planned + 1):
        shares = [risk_share(look, planned, is_last=look == last) for look in range(1, last + 1)]
        assert EARLY + sum(shares) == pytest.approx(1) and shares[-1] >= 0.4


@pytest.mark.parametrize("work", [1, 20, 40, 100, 250, 1_000])
def test_a_race_ends_once_its_work_is_done(work: int) -> None:
    layouts = Layouts(6)
    race = Race(layouts.forecast(known=False), tolerance=None)
    counts = list(race.looks(layouts.solve, 100, lambda calls: len(calls) / work))
    assert counts[:-1] == look_counts(100)[: len(counts) - 1]
    assert counts[-1] == min(max(work // 3, FIRST), 100) and race.solved.tolist() == [counts[-1]] * 3


@pytest.mark.parametrize("known", [False, True])
def test_costs_hold_the_truth_at_the_end_of_a_race(known: bool) -> None:
    missed = wrong = 0
    runs = 150
    for seed in range(runs):
        layouts = Layouts(seed, rare=0.05)
        race = Race(layouts.forecast(known), tolerance=0.05)
        race.run(layouts.solve, 512)
        truth = np.array([0.0, 1.0, 1.0 + 0.05 * 0.2])
        missed += any(
            not cost.low - 1e-9 <= truth.max() - mean <= cost.high + 1e-9
            for cost, mean in zip(race.costs, truth, strict=True)
        )
        wrong += not race.value(race.best).low <= truth[race.best] <= race.value(race.best).high
        assert len(set(layouts.asked)) == len(layouts.asked)
        assert race.means[race.best] == race.means.max() and all(cost.low <= cost.mean for cost in race.costs)
    for misses in (missed, wrong):
        assert stats.binomtest(misses, runs, 0.05, alternative="greater").pvalue > 0.001


def test_what_the_estimate_surely_beats_is_not_solved_and_what_was_beaten_stays_so() -> None:
    layouts = Layouts(3)
    expected = layouts.expected - [8.0, 0.0, 0.0]
    race = Race(layouts.forecast(known=True)._replace(expected=expected))
    race.run(layouts.solve, 64)
    assert race.solved.tolist() == [0, 64, 64] and not any(call == 0 for _, call in layouts.asked)
    assert race.costs[0].low > 0 and race.costs[0].n == 0 and race.value(0).n == 0
    beaten = Race(Forecast.unknown(np.tile([0, 1], (POOL, 1))))
    values = np.column_stack((np.zeros(POOL), np.where(np.arange(POOL) < 16, -5.0, 5.0)))
    beaten.run(lambda rows, calls: values[np.ix_(rows, calls)] + layouts.random.normal(size=(len(rows), 1)), 400)
    assert beaten.best == 0 and beaten.solved.tolist()[1] == FIRST and beaten.costs[1].low > 0


def test_the_estimate_and_the_solved_layouts_count_by_their_precision() -> None:
    """Inverse variances, pair by pair; and a call that the two drop together has a cost that its interval holds."""
    layouts = Layouts(4)
    rated = layouts.expected - [6.0, 0.0, 0.0]  # too little to drop it unsolved
    layouts.values -= [6.0, 0.0, 0.0]
    race = Race(layouts.forecast(known=True)._replace(expected=rated, error=np.full(3, 4.0)))
    looks = race.looks(layouts.solve, 64)
    assert next(looks) == FIRST
    quantile = race._quantile(race.best)
    squares = race._squares(np.arange(3), FIRST)
    np.fill_diagonal(squares, 0.0)
    losses = []
    for call in range(3):
        leads = [0.0]
        for other in {0, 1, 2} - {call}:
            seen, usual = 1 / squares[call, other], 1 / (2 * (4 * USUAL) ** 2)
            guessed = rated[:, other].mean() - rated[:, call].mean()
            lead = (seen * (race._centres[other] - race._centres[call]) + usual * guessed) / (seen + usual)
            leads.append(lead - quantile / math.sqrt(seen + usual))
        losses.append(max(leads))
    ahead, half = race._leads(np.arange(3), quantile * np.sqrt(squares), quantile)
    assert (ahead - half).max(axis=1) == pytest.approx(losses) and losses[0] > 0
    assert [*looks][-1] == 64
    assert race.solved[0] == FIRST and race.costs[0].low <= race.costs[0].mean <= race.costs[0].high


def test_the_choice_is_better_with_the_estimate_than_without() -> None:
    """Few layouts and noisy values: who also asks the estimate chooses the better one of two calls more often."""
    right = {True: 0, False: 0}
    for seed in range(60):
        random = np.random.default_rng(seed)
        truth = random.normal(0.0, 1.0, size=2)
        expected = np.tile(truth + random.normal(0.0, 0.5, size=2), (POOL, 1))
        values = truth + random.normal(0.0, 5.0, size=(POOL, 2))
        results = np.tile([0, 1], (POOL, 1))
        for known in right:
            error = np.full(2, 1.0 if known else math.inf)
            race = Race(Forecast(results, expected, values - expected, error), tolerance=None)
            race.run(lambda rows, calls: values[np.ix_(rows, calls)], 16)  # noqa: B023
            right[known] += int(race.best == truth.argmax())
            assert race.costs[race.best].mean == 0 and race.means.argmax() == race.best
            assert all(cost.low <= cost.mean <= cost.high for cost in race.costs)
    assert right[True] >= right[False] + 5


def test_calls_with_one_result_everywhere_are_as_good_and_one_call_is_the_best() -> None:
    same = Race(Forecast.unknown(np.zeros((POOL, 2), dtype=np.int64)), tolerance=0.2)
    same.run(lambda rows, calls: np.ones((len(rows), len(calls))), 400)
    assert same.best == 0 and same.solved.max() == FIRST and same.is_decided
    alone = Race(Forecast.unknown(np.zeros((POOL, 1), dtype=np.int64)))
    alone.run(lambda rows, calls: np.ones((len(rows), 1)), 400)
    assert alone.is_decided and alone.costs[0].ends == (0, 0) and math.isfinite(alone.value(0).low)


def test_other_values_of_the_same_layouts_have_their_own_means() -> None:
    layouts = Layouts(5)
    race = Race(layouts.forecast(known=False))
    race.run(layouts.solve, 64)
    doubled = race.revalue(
        Forecast.unknown(layouts.results), lambda rows, calls: 2 * layouts.values[np.ix_(rows, calls)]
    )
    assert doubled.means == pytest.approx(2 * race.means) and doubled.solved.tolist() == race.solved.tolist()
    one = race.revalue(
        Forecast.unknown(layouts.results[:, :1]), lambda rows, calls: layouts.values[np.ix_(rows, calls)]
    )
    assert len(one.means) == 1 and one.value(0).n == race.solved.max()
