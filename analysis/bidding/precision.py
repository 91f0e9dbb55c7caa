"""How narrow are the intervals of bids, and how often do they hold? The study `bid-precision` of Bowers and Towie.

*Widths.* Each question runs races with several seeds, of 8, 32, 128 … layouts and without an early end. They show how
narrow the intervals are then, and after how many seconds.

*Coverage.* The best calls of a question and some others are solved in many further layouts. These count as the whole
population: their mean is the truth, without noise, and further races draw their layouts from them with replacement. So
one question gives many intervals. These depend on each other, therefore shares are means over questions.

    towerlab study bowers bid-precision --set questions=1 --out folder
"""

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.bidding.race import Forecast, Race, Solve, look_counts
from towerlab.analysis.stats import mean_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.games.arrays import Floats, Ints

POOL: Final = 2000
BEST_JUDGED: Final = 4  # the best calls of a question, whose truth is computed,
OTHERS_JUDGED: Final = 3  # and others
RAREST: Final = 0.25  # share of the questions whose calls differ least often
ALL: Final = "all"
RACING: Final = "in the race"
LEFT: Final = "left early"
UNSOLVED: Final = "not solved"
RARE: Final = "rarest differences"
Follow = Callable[[int, int], tuple[Forecast, Solve]]


def precision_study(game: str, draw: Callable[[np.random.Generator], Follow], seconds: float) -> Study:
    """Return the study of a game.

    Args:
        game: the name of the game.
        draw: (random numbers) → a question, itself a function: (pool, seed) → the forecast of its calls, and a solver.
        seconds: the processor time after which the table states the widths.
    """
    return Study(
        game=game,
        name="bid-precision",
        help="how narrow the intervals of bids are after so many seconds, and how often they hold the truth",
        parameters={
            "questions": 20, "layouts": 512, "seeds": 3, "truth": 4_000, "resamples": 20, "seconds": seconds,
        },
        count_chunks=lambda parameters: int(parameters["questions"]),
        run_chunk=functools.update_wrapper(functools.partial(_judge_question, draw), draw),
        combine=_combine,
    )  # fmt: skip


def _judge_question(
    draw: Callable[[np.random.Generator], Follow],
    chunk: int,
    seed: np.random.SeedSequence,
    parameters: Mapping[str, Any],
) -> pd.DataFrame:
    """Return a row for each width (of the lead and of the best value, with its seconds), and for each interval."""
    random = np.random.default_rng(seed)
    follow = draw(random)
    most = int(parameters["layouts"])
    rows: list[dict[str, Any]] = []
    for number in range(1, int(parameters["seeds"]) + 1):
        for layouts in look_counts(most)[::2]:
            began = time.process_time()
            forecast, solve = follow(POOL, number)
            race = Race(forecast, tolerance=-1.0)
            race.run(solve, layouts)
            seconds = time.process_time() - began
            rows += [{"layouts": layouts, "seconds": seconds, **width} for width in _widths(race)]
    order = np.argsort([cost.mean for cost in race.costs])
    judged = np.concatenate((order[:BEST_JUDGED], random.permutation(order[BEST_JUDGED:])[:OTHERS_JUDGED]))
    forecast, solve = follow(int(parameters["truth"]), 0)
    values = solve(np.arange(len(forecast.results)), judged)
    forecast = forecast.of_calls(judged)
    for _ in range(int(parameters["resamples"])):
        drawn = random.integers(len(values), size=POOL)
        race = Race(forecast._replace(results=forecast.results[drawn], expected=forecast.expected[drawn]), -1.0)
        for layouts in race.looks(_solver(values[drawn]), most):
            rows += [{"layouts": layouts, **row} for row in _intervals(race, values.mean(axis=0))]
    differ = (forecast.results[:, 0] != forecast.results[:, 1 % len(judged)]).mean()
    return pd.DataFrame(rows).assign(question=chunk, differ=differ)


def _solver(values: Floats) -> Solve:
    def solve(rows: Ints, calls: Ints) -> Floats:
        return values[np.ix_(rows, calls)]

    return solve


def _widths(race: Race) -> Iterator[dict[str, Any]]:
    """Yield the half widths of the best call's value and, if another call is still in the race, of its lead."""
    rivals = [call for call in np.flatnonzero(race.solved == race.solved.max()).tolist() if call != race.best]
    if rivals:
        nearest = min(rivals, key=lambda call: race.costs[call].mean)
        yield {"what": "lead", "half": race.half_width(nearest)}
    yield {"what": "best", "half": race.value(race.best).width / 2}


def _intervals(race: Race, truth: Floats) -> Iterator[dict[str, Any]]:
    """Yield for the cost and the value of each call whether the stated interval holds, and the error of its mean."""
    for call, cost in enumerate(race.costs):
        solved = race.solved[call]
        kind = RACING if solved == race.solved.max() else LEFT if solved else UNSOLVED
        for what, stated, true in (("cost", cost, truth.max() - truth[call]), ("value", race.value(call), truth[call])):
            held = stated.low - 1e-9 <= true <= stated.high + 1e-9
            is_best = truth[call] == truth.max()
            yield {"what": what, "kind": kind, "held": held, "is_best": is_best, "error": stated.mean - true}


def _combine(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the tables ``precision`` (by layouts, and after the given seconds), ``coverage`` and ``bias``.

    ``bias`` is the error of the value of the truly best call. (The call that a sample chooses has an error of its own:
    it is chosen for its luck.)
    """
    rows = pd.concat(chunks, ignore_index=True)
    widths = rows[rows["what"].isin(["lead", "best"])]
    precision = widths.pivot_table(index="layouts", columns="what", values="half").reset_index().astype(float)
    precision["seconds"] = widths.groupby("layouts")["seconds"].mean().to_numpy()
    precision.loc[len(precision)] = _at_seconds(precision, float(parameters["seconds"]))
    stated = rows[rows["what"].isin(["cost", "value"])]
    rare = stated["differ"] <= rows.groupby("question")["differ"].first().quantile(RAREST)
    kinds = pd.concat((stated.assign(kind=ALL), stated[rare].assign(kind=RARE), stated))
    coverage = []
    for (what, layouts, kind), part in kinds.groupby(["what", "layouts", "kind"]):
        held = mean_interval(part["held"].astype(float).groupby(part["question"]).mean()).within(0.0, 1.0)
        coverage.append({"what": what, "layouts": layouts, "calls": kind, **held.row("held"), "n": len(part)})
    bias = []
    best = stated[(stated["what"] == "value") & stated["is_best"].astype(bool)]
    for layouts, part in best.groupby("layouts"):
        by_question = part.groupby("question")["error"].mean()
        bias.append({"layouts": layouts, **mean_interval(by_question).row("bias"), "n": len(by_question)})
    tables = {"precision": precision, "coverage": pd.DataFrame(coverage), "bias": pd.DataFrame(bias)}
    return StudyResult(tables, {"questions": int(rows["question"].nunique()), **parameters})


def _at_seconds(precision: pd.DataFrame, seconds: float) -> dict[str, float]:
    """Return the widths after a number of seconds, interpolated between the sizes on logarithmic scales."""
    logs = np.log(precision)
    names = ("layouts", "lead", "best")
    return {"seconds": seconds} | {
        name: float(np.exp(np.interp(np.log(seconds), logs["seconds"], logs[name]))) for name in names
    }
