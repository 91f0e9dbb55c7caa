"""Which of several calls is the best? A race solves layouts only until that is known.

*The mean of a call.* Before any layout is solved, two things are known of every call on a pool of layouts: where it
leads (`Forecast.results`), and an estimate of its value that costs next to nothing (`Forecast.expected`). The mean of a
call is the mean of the estimate over the pool, plus the mean of (value − estimate) over the solved layouts. It has no
bias, however bad the estimate is (a control variate with coefficient 1).

*Looks.* The race looks at the calls when 8, 16, 32, 64 … layouts are solved. A call that another one surely beats by
more than the tolerance is solved no further. To decide which calls are beaten, which one is the best and by how much,
the race trusts the estimate as far as it is usually right: before the first look alone, later combined with the solved
layouts by inverse variances. Intervals come from the solved layouts. Calls that lead to the same result in a layout are
solved once.

*Intervals.* Costs are paired over the same layouts: Student's t of the differences. `risk_share` sets the level so that
the intervals of all looks hold at once; the last look, which always gives an answer, has most of the risk. A few
layouts may miss what is rare, such as a slam that fails. So the variance of a difference is combined with `PRIOR`
layouts of its likely variance: values drawn around the estimate on the whole pool, and an allowance for results that
differ more often than in the pool.

>>> generator = np.random.default_rng(1)
>>> values = generator.normal([1.0, 0.0, 0.9], 1.0, size=(4000, 3))
>>> race = Race(Forecast.unknown(np.tile(np.arange(3), (4000, 1))))
>>> race.run(lambda rows, calls: values[np.ix_(rows, calls)], most=1000)
>>> race.best, bool(race.solved[1] < race.solved[2])
(0, True)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.analysis.decision import costs_of_differences
from towerlab.analysis.stats import LEVEL, Estimate
from towerlab.analysis.study import map_chunks
from towerlab.games.arrays import Bools, Floats, Ints

FIRST: Final = 8  # layouts of the first look
GROWTH: Final = 2  # factor of the layouts from look to look
EARLY: Final = 0.1  # the largest share of the risk for a look that is not the last
ROUNDED: Final = 9  # digits of means; smaller differences are errors of sums
PRIOR: Final = 8  # layouts that the likely variance counts as
USUAL: Final = 0.65  # share of an estimate's error that is allowed for where the estimate decides which call is beaten
LAYOUTS_PER_CHUNK: Final = 8  # at least
CHUNKS: Final = 16  # at most
Solve = Callable[[Ints, Ints], Floats]
Effort = Callable[[Ints], float]


class Forecast(NamedTuple):
    """What is known of calls on a pool of layouts before any is solved.

    Attributes:
        results: int64[pool, calls], where each call leads; in a layout, calls with equal numbers have equal values.
        expected: float64[pool, calls], values by an estimate; 0 where there is none.
        likely: float64[pool, calls], likely errors of the estimate (value − estimate), drawn at random; NaN where only
            solved layouts can tell them.
        error: float64[calls], the error of the estimate's mean: twice its root mean square over hands; infinite where
            that is not known.
    """

    results: Ints
    expected: Floats
    likely: Floats
    error: Floats

    def of_calls(self, calls: Ints) -> Forecast:
        """Return the forecast of some of the calls."""
        return Forecast(self.results[:, calls], self.expected[:, calls], self.likely[:, calls], self.error[calls])

    @classmethod
    def unknown(cls, results: Ints) -> Forecast:
        """Return a forecast without an estimate."""
        unknown = np.full(results.shape, math.nan)
        return cls(results, np.zeros(results.shape), unknown, np.full(results.shape[1], math.inf))

    @classmethod
    def of_one(cls, expected: Floats) -> Forecast:
        """Return a forecast of one call by an estimate, float64[pool], whose error is not known."""
        return cls.unknown(np.zeros((len(expected), 1), dtype=np.int64))._replace(expected=expected[:, None])


def in_parts(solve: Solve, **how: Any) -> Solve:
    """Return a solver that shares the layouts among several workers; `how` is `jobs`, `quiet` … of `map_chunks`."""

    def solve_all(layouts: Ints, calls: Ints) -> Floats:
        size = max(LAYOUTS_PER_CHUNK, -(-len(layouts) // CHUNKS))

        def part(chunk: int, seed: np.random.SeedSequence, work: Mapping[str, Any]) -> Floats:
            return solve(layouts[chunk * size : (chunk + 1) * size], calls)

        return np.concatenate(map_chunks(part, -(-len(layouts) // size), threads=True, **how))

    return solve_all


def compare_calls(forecast: Forecast, solve: Solve, first: int, second: int, layouts: int) -> Estimate:
    """Return the mean of one call less that of another.

    Args:
        forecast, solve: the same as in `Race` and in its `run`.
        first, second: the calls.
        layouts: how many layouts of the pool to solve.
    """
    calls = np.array([first, second])
    race = Race(forecast.of_calls(calls)._replace(error=np.full(2, math.inf)), tolerance=None)
    race.run(lambda rows, columns: solve(rows, calls[columns]), layouts)
    mean = float(race.means[0] - race.means[1])
    half = race.half_width(1 - race.best)
    return Estimate(mean, mean - half, mean + half, layouts)


class Race:
    """A race of calls on common layouts; see the module.

    Args:
        forecast: what is known of the calls on the pool before any is solved.
        tolerance: the race ends once its best call surely costs no more than this; None to run all calls to the end.
        watched: a call that the first look solves in any case; None for none.

    Attributes:
        best: the best call, by the solved layouts and the estimate.
        means: float64[calls], the mean of the best call less the costs.
        costs: the cost of each call against the best, with intervals at 95 % for all calls and all looks together.
        solved: int64[calls], in how many layouts each call has been solved: the first ones of the pool.
    """

    def __init__(self, forecast: Forecast, tolerance: float | None = 0.0, watched: int | None = None) -> None:
        pool, calls = forecast.results.shape
        self.forecast = forecast
        self.solved = np.zeros(calls, dtype=np.int64)
        self._risk = np.full(calls, EARLY)  # the share of the look up to which a call was solved
        self._tolerance = tolerance
        self._watched = watched
        self._beaten_by = np.zeros(calls)  # by how much another call surely beats it, as seen at any look
        self._rest = np.zeros((pool, calls))  # value − estimate
        differ = (forecast.results[:, :, None] != forecast.results[:, None, :]).sum(axis=0)
        self._differ = np.minimum((differ + 2 + 2 * np.sqrt(differ + 1)) / pool, 1.0)  # at most, at 95 % (Wilson)
        self._unseen = self._differ - differ / pool
        self._rivals = np.full(calls, count_rivals(forecast.results))  # at the last look of each call
        self._expected = _covariances(forecast.expected)
        self._likely = _covariances(forecast.likely)
        self._look()

    def run(self, solve: Solve, most: int, effort: Effort | None = None) -> None:
        """Solve layouts until the best call is known, or until a limit.

        Args:
            solve: (layouts, calls) by number → their values, float64[layouts, calls].
            most: the most layouts to solve, no more than the pool has.
            effort: (calls) → the share of all affordable work that one layout of these calls takes; None for no such
                limit.
        """
        for _ in self.looks(solve, most, effort):
            if self.is_decided:
                break

    def looks(self, solve: Solve, most: int, effort: Effort | None = None) -> Iterator[int]:
        """Solve layouts up to the limit and yield at every look how many are solved; see `run` for its arguments."""
        planned = look_counts(most)
        count = 0
        left = 1.0  # of the work
        for look, following in enumerate(planned, 1):
            is_open = ~self._is_beaten
            if look == 1 and self._watched is not None:
                is_open[self._watched] = True
            calls = np.flatnonzero(is_open)
            of_layout = 0.0 if effort is None else effort(calls)
            affordable = count + int(left / of_layout) if of_layout else most
            is_last = following == most or affordable < GROWTH * following
            if is_last:
                following = min(max(affordable, FIRST), most)
            left -= (following - count) * of_layout
            count = following
            self._solve(solve, calls, count, risk_share(look, len(planned), is_last=is_last))
            self._look()
            yield count
            if is_last:
                break

    def revalue(self, forecast: Forecast, solve: Solve, call: int | None = None) -> Race:
        """Return the race on the same solved layouts with other values.

        Args:
            forecast: the forecast of the same calls, or of one other call, which then has the solved layouts of `call`.
            solve: the same as in `run`.
            call: a call of this race; None for the best one.
        """
        other = Race(forecast)
        alike = slice(None) if len(other.solved) == len(self.solved) else [self.best if call is None else call]
        other.solved = self.solved[alike]
        other._risk = self._risk[alike]
        for column, count in enumerate(other.solved):
            if count:
                values = solve(np.arange(count), np.array([column]))[:, 0]
                other._rest[:count, column] = values - forecast.expected[:count, column]
        other._look()
        return other

    @property
    def is_decided(self) -> bool:
        """Whether the best call surely costs no more than the tolerance."""
        return self._tolerance is not None and self.costs[self.best].high <= self._tolerance

    @property
    def _is_beaten(self) -> Bools:
        least = math.inf if self._tolerance is None else max(self._tolerance, 0.0)
        return np.asarray(self._beaten_by > least)

    def value(self, call: int) -> Estimate:
        """Return the mean of a call, with an interval that holds at every look."""
        count = int(self.solved[call])
        square = self._own_square(call)
        if 0 < count < self.solved.max():  # its mean is that of the best less the difference
            square = self._own_square(self.best) + self._square_from_best(call)
        half = self._quantile(call, 1) * math.sqrt(square)
        centre = float(self._centres[call])
        mean = min(max(float(self.means[call]), centre - half), centre + half)
        return Estimate(mean, centre - half, centre + half, count)

    def half_width(self, call: int) -> float:
        """Return half the width of the interval of a call's difference from the best one, for this pair alone."""
        return self._quantile(call, 1) * math.sqrt(self._square_from_best(call))

    def _solve(self, solve: Solve, calls: Ints, count: int, risk: float) -> None:
        """Solve calls in the further layouts of the pool, up to number `count`, and note the look's share of risk."""
        rows = np.arange(int(self.solved.max()), count)
        cells = np.ix_(rows, calls)
        self._rest[cells] = solve(rows, calls) - self.forecast.expected[cells]
        self.solved[calls] = count
        self._risk[calls] = risk
        self._rivals[calls] = count_rivals(self.forecast.results[:, calls])

    def _look(self) -> None:
        """Assess all calls from the layouts solved so far."""
        count = int(self.solved.max())
        calls = np.arange(len(self.solved))
        leading = calls[self.solved == count]
        self._centres = self.forecast.expected.mean(axis=0)
        if count:
            self._centres = self._centres + self._rest[:count].mean(axis=0)
        squares = self._squares(leading, count)
        ahead, _ = self._leads(leading, np.sqrt(squares), 1.0)
        self.best = int(leading[ahead.round(ROUNDED).max(axis=1).argmin()])
        from_best = np.zeros(len(calls))
        for call in calls[self.solved < count]:
            solved = int(self.solved[call])
            if solved:
                rest = self._rest[:solved, self.best] - self._rest[:solved, call]
                expected = self.forecast.expected[:, self.best] - self.forecast.expected[:, call]
                self._centres[call] = self._centres[self.best] - rest.mean() - expected.mean()
            from_best[call] = self._quantile(call) * math.sqrt(self._square_from_best(call))
        half_widths = from_best[:, None] + from_best[None, :]
        among = np.ix_(leading, leading)
        half_widths[among] = self._quantile(self.best) * np.sqrt(squares)
        for call in calls[self.solved < count]:  # from another call by way of the best one
            half_widths[call, leading] = half_widths[leading, call] = from_best[call] + half_widths[self.best, leading]
        self._centres = self._centres.round(ROUNDED)
        ahead, half = self._leads(calls, half_widths, self._quantile(self.best))
        self._beaten_by = np.maximum(self._beaten_by, (ahead - half).max(axis=1))
        beaten = self._is_beaten & (calls != self.best)
        self._centres[beaten] = np.minimum(self._centres, self._centres[self.best] - self._beaten_by)[beaten]
        half_widths[beaten, self.best] = -math.inf  # these are not the best
        intervals = costs_of_differences(self._centres, half_widths, count)
        self.costs = []
        for call, interval in enumerate(intervals):
            low = max(interval.low, float(self._beaten_by[call]) if beaten[call] else 0.0)
            cost = min(max(float(ahead[call, self.best]), low), interval.high)
            self.costs.append(Estimate(cost, low, interval.high, int(self.solved[call])))
        self.means = (self._centres[self.best] - [cost.mean for cost in self.costs]).round(ROUNDED)

    def _leads(self, calls: Ints, half_widths: Floats, quantile: float) -> tuple[Floats, Floats]:
        """Return by how much each call leads each other one, and half the width of its interval, float64[calls, calls].

        Both combine the solved layouts with the estimate.

        Args:
            calls: some of the calls.
            half_widths: the half-widths of the differences by solved layouts alone, float64[calls, calls].
            quantile: how many standard errors these are.
        """
        guesses = self.forecast.expected.mean(axis=0)[calls]
        seen = self._centres[calls] - self._centres[calls, None]
        guessed = guesses - guesses[:, None]
        errors = np.where(self.solved[calls], USUAL * self.forecast.error[calls], math.inf) ** 2  # else in `reach`
        usual = quantile**2 * (errors[:, None] + errors)
        weights = np.zeros(half_widths.shape)  # of the estimate
        np.divide(half_widths**2, half_widths**2 + usual, out=weights, where=np.isfinite(usual) & (half_widths > 0))
        return seen + weights * (guessed - seen), half_widths * np.sqrt(1 - weights)

    def _squares(self, calls: Ints, count: int) -> Floats:
        """Return the mean squares of the errors of differences between calls, float64[calls, calls]."""
        errors = self._errors(calls, count, USUAL)
        own = np.diag(errors)
        squares = np.maximum(own[:, None] + own - 2 * np.where(np.isinf(errors), 0.0, errors), 0.0)
        np.fill_diagonal(squares, 0.0)
        return np.asarray(squares)

    def _square_from_best(self, call: int) -> float:
        """Return the mean square of the error of a call's difference from the best one."""
        if not self.solved[call]:
            return self._own_square(self.best) + self._own_square(call)
        return float(self._squares(np.array([self.best, call]), int(self.solved[call]))[0, 1])

    def _own_square(self, call: int) -> float:
        """Return the mean square of the error of a call's mean."""
        return float(self._errors(np.array([call]), int(self.solved[call]))[0, 0])

    def _errors(self, calls: Ints, count: int, usual: float = 1.0) -> Floats:
        """Return the covariances of the errors of means, float64[calls, calls].

        Args:
            calls: some of the calls.
            count: the number of layouts solved for them.
            usual: the share of the estimate's error to allow for where no layout is solved.
        """
        pool = len(self._rest)
        among = np.ix_(calls, calls)
        expected = self._expected[among]
        if not count:
            return np.asarray(np.diag((usual * self.forecast.error[calls]) ** 2) + expected / pool)
        rest = self._rest[:count, calls] + count / pool * self.forecast.expected[:count, calls]
        variance = np.diag(self._likely)[calls]
        variance = np.where(np.isnan(variance), self._rest[:FIRST].var(), variance)
        both = (variance[:, None] + variance) / 2
        likely = self._likely[among] - self._unseen[among] * both
        likely = np.where(np.isnan(likely), (1 - self._differ[among]) * both, likely)
        np.fill_diagonal(likely, variance)
        steadied = ((count - 1) * _covariances(rest) + PRIOR * likely) / (count - 1 + PRIOR) / count
        return np.asarray(steadied + (pool - count) / pool**2 * expected)

    def _quantile(self, call: int, comparisons: int = 0) -> float:
        """Return how many standard errors half an interval is, at the look up to which a call was solved.

        Args:
            call: the call.
            comparisons: how many intervals hold at once; 0 for the call against all others.
        """
        from scipy import special

        count = int(self.solved[call])
        risk = (1 - LEVEL) * self._risk[call] / (comparisons or self._rivals[call])
        return float(special.stdtrit(count - 1 + PRIOR if count else math.inf, 1 - risk / 2))


def look_counts(most: int) -> list[int]:
    """Return the numbers of layouts after which a race looks at its calls, up to the most.

    >>> look_counts(50)
    [8, 16, 32, 50]
    """
    counts = [FIRST]
    while counts[-1] < most:
        counts.append(counts[-1] * GROWTH)
    return [*counts[:-1], most]


def risk_share(look: int, planned: int, *, is_last: bool) -> float:
    """Return a look's share of the risk; the shares of all looks add up to 1 at most (union bound).

    Args:
        look: the number of the look, counted from 1; before the first look, the estimate alone has the share `EARLY`.
        planned: how many looks there can be.
        is_last: whether this is the last look, which gets the rest.
    """
    early = min(EARLY, 0.5 / planned)
    return 1 - EARLY - early * (look - 1) if is_last else early


def count_rivals(results: Ints) -> int:
    """Return how many others a call is compared with, from results int64[pool, calls]; equal columns count once."""
    return max(len({column.tobytes() for column in results.T}) - 1, 1)


def _covariances(values: Floats) -> Floats:
    """Return the covariances of columns, float64[columns, columns]; 0 of a single row."""
    off = values - values.mean(axis=0)
    products = np.einsum("rc,rd->cd", off, off)  # a product of matrices wakes idle threads
    return np.asarray(products / max(len(values) - 1, 1))
