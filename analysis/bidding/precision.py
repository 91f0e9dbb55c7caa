"""The study `bid-precision` of Bowers and Towie: how narrow the intervals of bids are, and how often they hold.

Each question is raced on layouts of several seeds, up to a number of layouts and without an early end. The truth is the
plain mean over many other layouts, all of them solved, of the calls that stay in the first race.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.bidding.race import FIRST, GROWTH, Forecast, Race, Solve
from towerlab.analysis.stats import mean_interval, share_interval
from towerlab.analysis.study import Study, StudyResult

POOL: Final = 2000
MOST_JUDGED: Final = 4  # calls of a question whose truth is sought
RAREST: Final = 0.25
Follow = Callable[[int, int], tuple[Forecast, Solve]]


def precision_study(game: str, draw: Callable[[np.random.Generator], Follow], seconds: float) -> Study:
    """Return the study of a game.

    Args:
        game: its name.
        draw: random numbers → a question: (pool, seed) → its calls on layouts, and what solves them.
        seconds: of the processor, after which the intervals are looked at.
    """
    return Study(
        game=game,
        name="bid-precision",
        help="how narrow the intervals of bids are after so many seconds, and how often they hold the truth",
        parameters={"questions": 20, "layouts": 128, "seeds": 5, "truth": 4_000, "seconds": seconds},
        count_chunks=lambda parameters: int(parameters["questions"]),
        run_chunk=functools.update_wrapper(functools.partial(_judge_question, draw), draw),
        combine=_combine,
    )


def _judge_question(
    draw: Callable[[np.random.Generator], Follow],
    chunk: int,
    seed: np.random.SeedSequence,
    parameters: Mapping[str, Any],
) -> pd.DataFrame:
    """One row an interval: its seed, its number of layouts, the seconds so far, what it is of, its error and width."""
    follow = draw(np.random.default_rng(seed))
    rows: list[dict[str, Any]] = []
    truth = np.array([])
    judged = np.array([], dtype=np.int64)
    for number in range(int(parameters["seeds"])):
        began = time.process_time()
        forecast, solve = follow(POOL, number)
        race = Race(forecast, tolerance=-1.0)
        layouts = FIRST
        while layouts <= int(parameters["layouts"]):
            race.run(solve, layouts)
            spent = time.process_time() - began
            rows += [{"seed": number, "layouts": layouts, "seconds": spent, **row} for row in _interval_rows(race)]
            layouts *= GROWTH
        if not number:
            judged = np.argsort([cost.mean for cost in race.costs])[:MOST_JUDGED]
            judged = judged[race.solved[judged] > 0]
            truth = _truth(*follow(int(parameters["truth"]), -1 % 2**32), judged)
            differ = float((forecast.results[:, judged[0]] != forecast.results[:, judged[1 % len(judged)]]).mean())
    table = pd.DataFrame(rows)
    table = table[table["call"].isin(judged)]
    values = pd.Series(truth, index=judged)
    known = table["call"].map(values)
    table["truth"] = np.where(table["what"] == "cost", truth.max() - known, known)
    return table.assign(question=chunk, differ=differ)


def _interval_rows(race: Race) -> Iterable[dict[str, Any]]:
    """Yield the stated intervals of all calls: their costs, and their values."""
    rivals = [call for call in range(len(race.means)) if call != race.best]
    nearest = min(rivals, key=lambda call: race.costs[call].mean, default=None)
    for call, cost in enumerate(race.costs):
        is_lead = call == nearest
        half = race.half_width(call) if is_lead else np.nan
        for what, estimate in (("cost", cost), ("value", race.value(call))):
            yield {"what": what, "call": call, "best": call == race.best, **estimate._asdict(), "lead_half": half}


def _truth(forecast: Forecast, solve: Solve, calls: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the plain means of calls over all layouts, float64[calls]."""
    return np.asarray(solve(np.arange(len(forecast.results)), calls).mean(axis=0))


def _combine(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``precision`` (by layouts, and at the seconds asked for), ``coverage`` and ``bias``."""
    rows = pd.concat(chunks, ignore_index=True)
    rows["held"] = (rows["low"] - 1e-9 <= rows["truth"]) & (rows["truth"] <= rows["high"] + 1e-9)
    rows["error"] = rows["mean"] - rows["truth"]
    half = (rows["high"] - rows["low"]) / 2
    leads = rows[rows["lead_half"].notna() & (rows["what"] == "cost")]
    bests = rows.assign(half=half)[rows["best"] & (rows["what"] == "value")]
    precision: list[dict[str, Any]] = [
        {
            "layouts": layouts,
            "seconds": part["seconds"].mean(),
            "lead": part["lead_half"].mean(),
            "best": bests.loc[bests["layouts"] == layouts, "half"].mean(),
        }
        for layouts, part in leads.groupby("layouts")
    ]
    precision.append(_at_seconds(pd.DataFrame(precision), float(parameters["seconds"])))
    rare = rows["differ"] <= rows.groupby("question")["differ"].first().quantile(RAREST)
    coverage = []
    for what, layouts in [
        (what, layouts) for what in ("cost", "value") for layouts in sorted(rows["layouts"].unique())
    ]:
        part = (rows["what"] == what) & (rows["layouts"] == layouts)
        for name, some in (("all", part), ("rarest differences", part & rare)):
            held = rows.loc[some, "held"]
            share = share_interval(int(held.sum()), len(held))
            coverage.append({"what": what, "layouts": layouts, "questions": name, **share.row("held"), "n": len(held)})
    bias = []
    for layouts, part in rows[rows["what"] == "value"].groupby("layouts"):
        by_question = part.groupby("question")["error"].mean()
        bias.append({"layouts": layouts, **mean_interval(by_question).row("bias"), "n": len(by_question)})
    tables = {"precision": pd.DataFrame(precision), "coverage": pd.DataFrame(coverage), "bias": pd.DataFrame(bias)}
    return StudyResult(tables, {"questions": int(rows["question"].nunique()), **parameters})


def _at_seconds(precision: pd.DataFrame, seconds: float) -> dict[str, float]:
    """Return a row of widths after so many seconds, which fall with the root of the layouts between two looks."""
    logs = np.log(precision[["layouts", "seconds", "lead", "best"]].to_numpy())
    at = np.log(seconds)
    names = ("layouts", "lead", "best")
    columns = (logs[:, 0], logs[:, 2], logs[:, 3])
    return {"seconds": seconds} | {
        name: float(np.exp(np.interp(at, logs[:, 1], column))) for name, column in zip(names, columns, strict=True)
    }
