"""How sure is a sampled number, and when may a sample stop?

An interval computed at a size fixed beforehand (`wilson`, `mean_interval`, `paired_difference`) must not decide when
to stop: looking again and again until it excludes a value finds "differences" that are not there. `SequentialMean`
may be looked at after every observation.

Sources: Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22 (1927), the score
interval; Student's t for means; Waudby-Smith & Ramdas, *Estimating means of bounded random variables by betting*,
JRSS B 86 (2024), theorem 2, the predictable plug-in empirical-Bernstein confidence sequence; Stein,
*A two-sample test for a linear hypothesis whose power is independent of the variance*, Ann. Math. Statist. 16
(1945), a first sample that fixes the size of the second.

>>> [round(end, 3) for end in wilson(57, 100)]
[0.472, 0.663]
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVEL = 0.95
NORMAL_95: Final = 1.959964


class Estimate(NamedTuple):
    """A mean, the ends of its interval and the number of observations; infinite ends where there is no interval."""

    mean: float
    low: float
    high: float
    n: int

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends; None where they say nothing: of fewer than two numbers, and of equal ones, which show no spread."""
        return self.ends if 1e-9 * (1 + abs(self.mean)) < self.width < math.inf else None

    def row(self, name: str = "mean", *, bare: bool = False) -> dict[str, float]:
        """Return the estimate as columns of a table: the mean under a name, the ends as ``name_low`` and ``name_high``.

        The ends are ``low`` and ``high`` where it is the subject of the row: under ``mean``, or `bare`.
        """
        before = "" if bare or name == "mean" else f"{name}_"
        return {name: self.mean, f"{before}low": self.low, f"{before}high": self.high}

    def within(self, least: float, most: float = math.inf) -> Estimate:
        """Return the estimate with its interval cut to the possible values."""
        return self._replace(low=max(self.low, least), high=min(self.high, most))

    def scaled(self, factor: float) -> Estimate:
        """Return the estimate in another unit."""
        return Estimate(factor * self.mean, factor * self.low, factor * self.high, self.n)


def wilson(successes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion; (0, 1) when nothing was observed.

    >>> low, high = wilson(61, 100)
    >>> round(low, 4), round(high, 4)
    (0.512, 0.6998)

    Raises:
        ValueError: more successes than trials.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} cannot be; expected 0 to {n}")
    z = normal_quantile(level)
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    shrink = 1 + z * z / n
    middle = (share + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (0.0 if successes == 0 else middle - half), (1.0 if successes == n else middle + half)


def share_interval(successes: int, n: int) -> Estimate:
    """Return a proportion with Wilson's interval; not a number, between 0 and 1, when nothing was observed."""
    return Estimate(successes / n if n else math.nan, *wilson(successes, n), n)


def mean_interval(values: ArrayLike, level: float = LEVEL) -> Estimate:
    """Return Student's t interval of a mean of independent values; infinite with fewer than two.

    Right for normal values and, by the central limit theorem, for some hundreds of others. Values that hang together
    (hands of one match) must be averaged to one value a match first.
    """
    from scipy import special

    sample = np.asarray(values, dtype=np.float64).ravel()
    count = sample.size
    if count < 2:
        return Estimate(float(sample.mean()) if count else math.nan, -math.inf, math.inf, count)
    mean = float(sample.mean())
    half = float(special.stdtrit(count - 1, (1 + level) / 2)) * float(sample.std(ddof=1)) / math.sqrt(count)
    return Estimate(mean, mean - half, mean + half, count)


def cost_interval(values: ArrayLike, most: float) -> Estimate:
    """Return the mean of independent costs between 0 and a bound, most of them 0 and some high: Gaffke's interval.

    Each end is a quantile of the mean under Dirichlet weights, with one more value that is as far off as can be:
    nothing for the lower end, `most` for the upper (Gaffke 2005; Phan, Thomas and Learned-Miller 2021). Student's t and
    the gamma interval of Fay and Feuer (1997) miss values not seen yet: of 20, 40 or 100 answers
    that one holds the mean in 42 to 97 % (answered blindly, or with few errors), this one
    in 98 to 99 %: 1,000 trainings of each kind in Towers & Bowers and in Bowers.

    Args:
        values: the costs, none below 0.
        most: the most that a cost can be.
    """
    costs = np.asarray(values, dtype=np.float64).ravel()
    if not costs.size:
        return Estimate(math.nan, math.nan, math.nan, 0)
    weights = _dirichlet(costs.size + 1)
    tail = (1 - LEVEL) / 2
    low = np.quantile(weights[:, :-1] @ costs, tail)
    high = np.quantile(weights @ np.append(costs, most), 1 - tail)
    return Estimate(float(costs.mean()), float(low), float(high), costs.size)


@functools.lru_cache(maxsize=2)
def _dirichlet(count: int) -> NDArray[np.float64]:
    """Return weights that add up to 1, every division as likely as any other, always the same: float64[4000, count]."""
    drawn = np.random.default_rng(0).standard_exponential((4000, count))
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def bounded_interval(values: ArrayLike, low: float, high: float, level: float = LEVEL) -> Estimate:
    """Return `mean_interval` of values between two bounds; for equal values, other ones can have been missed.

    If all of n values are equal, others are at most as frequent as Wilson's interval of none in n says.

    >>> low, high = bounded_interval([1.0] * 5, -1.0, 1.0).ends
    >>> round(low, 4), high
    (0.131, 1.0)
    """
    estimate = mean_interval(values, level)
    if estimate.interval is None:
        value, others = (estimate.mean, wilson(0, estimate.n, level)[1]) if estimate.n else (low, 1.0)
        estimate = estimate._replace(low=value + others * (low - value), high=value + others * (high - value))
    return estimate.within(low, high)


def paired_difference(a: ArrayLike, b: ArrayLike, level: float = LEVEL) -> Estimate:
    """Return the mean of a − b over the same deals (same cards, seats swapped), with Student's t interval.

    Args:
        a, b: the values of both, one a deal, in the same order of deals.

    Raises:
        ValueError: not one value of each a deal.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"{first.shape} values against {second.shape}; expected a pair for every deal")
    return mean_interval(first - second, level)


def ratio_interval(above: ArrayLike, below: ArrayLike) -> Estimate:
    """Return the ratio of two means, such as the share of a match's hands won: Student's t on the linearised ratio.

    Args:
        above, below: one value each an independent observation (a match), in the same order.

    Returns:
        an estimate with n = the number of observations; not a number where nothing was counted below.

    Raises:
        ValueError: not one value of each an observation.
    """
    numerators = np.asarray(above, dtype=np.float64)
    denominators = np.asarray(below, dtype=np.float64)
    if numerators.shape != denominators.shape:
        raise ValueError(f"{numerators.shape} values over {denominators.shape}; expected a pair for every observation")
    if denominators.sum() == 0:
        return Estimate(math.nan, -math.inf, math.inf, numerators.size)
    ratio = float(numerators.sum() / denominators.sum())
    around = mean_interval((numerators - ratio * denominators) / denominators.mean())
    return Estimate(ratio, ratio + around.low, ratio + around.high, numerators.size)


def bootstrap_errors(
    statistic: Callable[[NDArray[np.int64]], NDArray[np.float64]], count: int, resamples: int
) -> NDArray[np.float64]:
    """Return standard errors of statistics of independent observations, by the bootstrap.

    Efron, *Bootstrap methods: another look at the jackknife*, Ann. Statist. 7 (1979).

    Args:
        statistic: numbers of observations, some twice → as many floats each time.
        count: the number of observations.
        resamples: how often they are drawn; 200 give an error to about a twentieth.

    >>> values = np.arange(100.0)
    >>> error = bootstrap_errors(lambda drawn: values[drawn].mean(keepdims=True), 100, 200)
    >>> bool(2.5 < error[0] < 3.3)
    True
    """
    rng = np.random.default_rng(0)
    statistics = np.array([statistic(rng.integers(count, size=count)) for _ in range(resamples)])
    return np.asarray(statistics.std(axis=0, ddof=1))


# ------------------------------------------------------------------------------------------------------- anytime-valid


class SequentialMean:
    """The mean of bounded independent observations, with an interval that may be looked at any number of times.

    With probability `level` the interval holds the true mean at *every* count from 1 on (Waudby-Smith & Ramdas 2024,
    theorem 2). It is wider than an interval for one fixed count: the price of looking.

    Args:
        low, high: the bounds of every observation.
        level: the confidence.

    >>> heads = SequentialMean(0.0, 1.0)
    >>> heads.add([1, 0, 1, 1] * 500)
    >>> low, high = heads.estimate.low, heads.estimate.high
    >>> 0.7 < low < 0.75 < high < 0.8
    True
    """

    _LARGEST_BET = 0.5  # the paper's truncation c

    def __init__(self, low: float = 0.0, high: float = 1.0, level: float = LEVEL) -> None:
        self.low = low
        self.high = high
        self.level = level
        self.count = 0
        self._sum = 0.0  # of observations scaled to [0, 1]
        self._squares = 0.0  # of their distances from the running mean
        self._bets = 0.0
        self._bet_sum = 0.0
        self._penalty = 0.0

    def add(self, values: ArrayLike) -> None:
        """Take observations in their order; all at once or in parts gives the same up to rounding.

        Raises:
            ValueError: an observation outside the bounds.
        """
        x = (np.asarray(values, dtype=np.float64).ravel() - self.low) / (self.high - self.low)
        if not np.all((x >= -1e-12) & (x <= 1 + 1e-12)):
            raise ValueError(f"an observation is outside its bounds; expected {self.low} to {self.high}")
        if x.size == 0:
            return
        numbers = self.count + np.arange(1, x.size + 1, dtype=np.float64)
        sums = self._sum + np.cumsum(x)
        means = (0.5 + sums) / (numbers + 1)
        squares = self._squares + np.cumsum((x - means) ** 2)
        means_before = np.concatenate(([(0.5 + self._sum) / (self.count + 1)], means[:-1]))
        variances_before = (0.25 + np.concatenate(([self._squares], squares[:-1]))) / numbers
        # The weight of each observation follows from the ones before it only.
        weights = np.sqrt(2 * self._log_odds() / (variances_before * numbers * np.log1p(numbers)))
        bets = np.minimum(weights, self._LARGEST_BET)
        self._bets += float(bets.sum())
        self._bet_sum += float(bets @ x)
        self._penalty += float(((x - means_before) ** 2) @ (-np.log1p(-bets) - bets))
        self._sum, self._squares, self.count = float(sums[-1]), float(squares[-1]), self.count + x.size

    def _log_odds(self) -> float:
        return math.log(2 / (1 - self.level))

    @property
    def estimate(self) -> Estimate:
        """The plain mean so far, and the interval, cut to the bounds and never excluding the mean itself."""
        if self.count == 0:
            return Estimate(math.nan, self.low, self.high, 0)
        span = self.high - self.low
        mean = self._sum / self.count
        centre = self._bet_sum / self._bets
        half = (self._log_odds() + self._penalty) / self._bets
        low, high = max(0.0, min(centre - half, mean)), min(1.0, max(centre + half, mean))
        return Estimate(self.low + span * mean, self.low + span * low, self.low + span * high, self.count)


PLAN_LEVEL: Final = 0.999  # of the share for which a size is planned


def planned_size(earlier: Estimate, width: float) -> int:
    """Return how many fresh observations make Wilson's interval of a share no wider, planned by earlier ones (Stein).

    The plan holds for every share that they leave possible; a wrong one costs size or width, never validity.

    >>> planned_size(share_interval(40, 80), 0.04)
    2398
    """
    low, high = wilson(round(earlier.mean * earlier.n), earlier.n, PLAN_LEVEL)
    return wilson_size(min(max(0.5, low), high), width)


def wilson_size(share: float, width: float) -> int:
    """Return the least number of observations at which Wilson's interval around a share is no wider.

    >>> wilson_size(0.5, 0.04), wilson_size(0.0, 1e-9)
    (2398, 3841458817)
    """
    z = normal_quantile(LEVEL)
    # (width / 2) (1 + z² / n) = z sqrt(share (1 - share) / n + z² / 4 n²), squared: a quadratic in z² / n.
    a = width**2 - 1
    b = 2 * width**2 - 4 * share * (1 - share)
    c = width**2
    if a >= 0:
        return 1
    return max(1, math.ceil(z * z * (math.sqrt(b * b - 4 * a * c) - b) / (2 * c)))


def look_level(look: int, level: float = LEVEL) -> float:
    """Return the level of the interval at a look, counted from 1, with which the intervals of all looks hold at once.

    A look gets 1 / (look (look + 1)) of the risk; these shares add up to 1 (union bound).

    >>> round(look_level(1), 4), round(look_level(3), 4)
    (0.975, 0.9958)
    """
    return 1 - (1 - level) / (look * (look + 1))


FIRST_LOOK: Final = look_level(1)
"""The level of an answer after which somebody may look again, with more layouts."""


def level_at(drawn: int | None, first: int) -> float:
    """Return the level of the intervals after `drawn` layouts, if each look has twice as many as the one before it.

    Args:
        drawn: how many layouts have been drawn; None for the first look.
        first: how many layouts the first look has.

    >>> level_at(None, 40) == level_at(30, 40) == look_level(1), level_at(160, 40) == look_level(3)
    (True, True)
    """
    return look_level(1 + math.ceil(math.log2(max(1.0, (drawn or first) / first))))


def normal_quantile(level: float) -> float:
    """Return how many standard errors an interval of this level reaches to either side."""
    from scipy import special

    return float(special.ndtri((1 + level) / 2))
