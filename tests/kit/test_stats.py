"""Intervals: equal to scipy's where it has them, and holding the truth as often as they say."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats as reference

from towerlab.analysis.stats import (
    SequentialMean,
    bounded_interval,
    mean_interval,
    paired_difference,
    planned_size,
    ratio_interval,
    share_interval,
    wilson,
    wilson_size,
)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (0, 30), (3, 10), (61, 100), (100, 100), (5, 10**6)])
def test_wilson_is_scipys(successes: int, n: int, level: float) -> None:
    theirs = reference.binomtest(successes, n).proportion_ci(level, method="wilson")
    assert wilson(successes, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_of_nothing_says_nothing_and_of_the_impossible_is_refused() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="expected 0 to 3"):
        wilson(4, 3)


def test_mean_interval_and_paired_difference_are_scipys() -> None:
    random = np.random.default_rng(1)
    a, b = random.normal(1, 2, 50), random.normal(0, 1, 50)
    theirs = reference.ttest_1samp(a, 0).confidence_interval(0.9)
    assert mean_interval(a, 0.9)[1:3] == pytest.approx((theirs.low, theirs.high))
    paired = reference.ttest_rel(a, b).confidence_interval(0.95)
    assert paired_difference(a, b)[1:3] == pytest.approx((paired.low, paired.high))


def test_few_values_say_nothing() -> None:
    assert mean_interval([2.0]) == (2.0, -math.inf, math.inf, 1)
    assert mean_interval([])[1:] == (-math.inf, math.inf, 0)
    with pytest.raises(ValueError, match="a pair for every deal"):
        paired_difference([1, 2], [1])


def _misses_at_any_look(values: np.ndarray, truth: float, looks: int) -> bool:
    """Whether the interval leaves out the truth at any of so many looks."""
    sequence = SequentialMean()
    for part in np.array_split(values, looks):
        sequence.add(part)
        if not sequence.estimate.low <= truth <= sequence.estimate.high:
            return True
    return False


DRAWN: dict[float, Callable[[np.random.Generator], np.ndarray]] = {
    **{share: lambda random, share=share: random.random(1000) < share for share in (0.5, 0.05, 0.9)},
    1 / 3: lambda random: random.beta(0.2, 0.4, 1500),
    0.01: lambda random: random.random(1500) < 0.01,
}


@pytest.mark.parametrize("truth", DRAWN)
def test_anytime_interval_covers_at_every_look(truth: float) -> None:
    random = np.random.default_rng(int(100 * truth))
    runs = 200
    missed = sum(_misses_at_any_look(DRAWN[truth](random), truth, looks=80) for _ in range(runs))
    assert reference.binomtest(missed, runs, 0.05, alternative="greater").pvalue > 0.001


def test_anytime_interval_is_the_same_added_at_once_or_one_by_one() -> None:
    values = np.random.default_rng(2).uniform(-1, 3, 500)
    at_once = SequentialMean(-1, 3)
    one_by_one = SequentialMean(-1, 3)
    at_once.add(values)
    for part in np.array_split(values, 37):
        one_by_one.add(part)
    assert at_once.estimate == pytest.approx(one_by_one.estimate)
    assert at_once.estimate.mean == pytest.approx(values.mean())


def test_anytime_interval_is_near_the_fixed_one() -> None:
    values = np.random.default_rng(3).random(10_000)
    sequence = SequentialMean()
    sequence.add(values)
    assert 1 < sequence.estimate.width / mean_interval(values).width < 2.5


@pytest.mark.parametrize("share", [0.5, 0.97])
def test_a_planned_size_makes_the_interval_narrow(share: float) -> None:
    random = np.random.default_rng(7)
    for _ in range(100):
        earlier = int(random.binomial(30, share))
        size = planned_size(share_interval(earlier, 30), width=0.2)
        low, high = wilson(int(random.binomial(size, share)), size)
        assert high - low <= 0.2 + 1e-9
    sizes = [planned_size(share_interval(made, 80), width=0.04) for made in (40, 64, 80)]
    assert sizes == sorted(sizes, reverse=True) and sizes[2] < 1100


@pytest.mark.parametrize(("share", "width"), [(0.5, 0.04), (0.1, 0.1), (1.0, 0.02)])
def test_wilson_size_is_the_least(share: float, width: float) -> None:
    def reached(n: int) -> float:
        z = reference.norm.ppf(0.975)
        return float(2 * z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)))

    size = wilson_size(share, width)
    assert reached(size) <= width < reached(size - 1)


def test_observations_out_of_bounds_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected 0\.0 to 1\.0"):
        SequentialMean().add([0.5, 1.5])


def test_ratio_interval_of_a_share_over_games() -> None:
    ratio = ratio_interval([1, 2, 0, 3], [2, 4, 1, 5])
    assert ratio.mean == 0.5 and ratio.n == 4 and ratio.low < 0.5 < ratio.high
    assert ratio_interval([2, 4, 6], [4, 8, 12]).width == pytest.approx(0)
    assert np.isnan(ratio_interval([0, 0], [0, 0]).mean)
    hits = 0
    random = np.random.default_rng(3)
    for _ in range(300):  # games of unequal length, shares of their own
        lengths = random.integers(1, 9, size=80)
        low, high = ratio_interval(random.binomial(lengths, random.beta(3, 3, size=80)), lengths)[1:3]
        hits += low <= 0.5 <= high
    assert hits >= 273  # 95 % of 300, less three standard deviations


def test_equal_numbers_and_single_ones_have_no_interval() -> None:
    """Issue 40, 17: they were printed as "27.39 (27.39 to 27.39)"."""
    assert mean_interval([27.39] * 3).interval is None is mean_interval([27.39]).interval is mean_interval([]).interval
    assert ratio_interval([0.0, 27.39], [0, 1]).interval is None  # all from one decision
    assert mean_interval([1.0, 2.0, 4.0]).interval is not None


def test_equal_numbers_between_bounds_say_how_many_others_can_have_been_missed() -> None:
    for n in (0, 1, 5, 1000):
        found = bounded_interval([0.25] * n, -1.0, 1.0)
        assert -1.0 <= found.low < 0.25 < found.high <= 1.0
    assert bounded_interval([0.5, 1.0], 0.0, 1.0).ends == (0.0, 1.0)  # cut to what can be
    rng = np.random.default_rng(1)
    held = [(found := bounded_interval(rng.random(20) < 0.9, 0.0, 1.0)).low <= 0.9 <= found.high for _ in range(2000)]
    assert np.mean(held) > 0.85
