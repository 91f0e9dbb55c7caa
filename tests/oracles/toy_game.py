"""A game of no rules, to test what is the same for every game: `python -m tests.oracles.toy_game ARGUMENTS…` is
`towerlab` with this game added."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.catalog import GAMES, Game
from analysis.study import IterativeStudy, Study, StudyResult
from games.errors import IllegalAction
from games.options import check_options, option
from sim.batch import BatchRequest, BatchResult, GameSimulation

PLAYERS = {"fair": "wins as often as chance has it", "strong": "has a thumb on the scale", "stronger": "has two"}
_STRENGTH = {"fair": 1.0, "strong": 1.5, "stronger": 3.0}


@dataclass(frozen=True)
class ToyOptions:
    stake: int = option(1, "TOY-1", "points for a win", low=1, high=9)

    def __post_init__(self) -> None:
        check_options(self)


def play_batch(request: BatchRequest) -> BatchResult:
    """The seat that moves first (0) counts a half more; one unit in ten is nobody's."""
    random = np.random.default_rng(request.seed)
    k = len(request.players)
    strength = np.array([_STRENGTH[name] for name in request.players])
    units = np.arange(request.first_unit, request.first_unit + request.units)
    seats = (np.arange(k)[None, :] + units[:, None]) % k
    weights = strength * np.where(seats == 0, 1.5, 1.0)
    thresholds = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    winners = np.minimum((random.random(request.units)[:, None] > thresholds).sum(axis=1), k - 1)
    winners[random.random(request.units) < 0.1] = -1
    points = np.where(winners[:, None] == np.arange(k), float(request.options.stake), 0.0)
    return BatchResult(winners, points)


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    time.sleep(parameters["pause"])
    gate = os.environ.get("TOY_GATE")  # the second half waits for this file, so that a test can strike before the end
    while gate and chunk >= 8 and not Path(gate).exists():
        time.sleep(0.02)
    if chunk == parameters["illegal"]:
        raise IllegalAction("the toy breaks here", "TOY-2")
    if chunk == parameters["deadly"]:
        os.kill(os.getpid(), signal.SIGKILL)
    random = np.random.default_rng(seed)
    rows = parameters["rows"] + chunk * parameters["growth"]
    return pd.DataFrame(
        {"chunk": chunk, "value": random.normal(size=rows), "face": random.integers(1, 7, size=rows)}
    ).assign(kind=lambda table: np.where(table.face > 3, "high", "low"))


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    table = pd.concat(list(tables), ignore_index=True)
    return StudyResult({"throws": table}, {"mean": table.value.mean(), "n": len(table)})


def _start(seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> dict[str, np.ndarray]:
    return {"x": np.random.default_rng(seed).normal(size=5)}


def _step(
    state: Mapping[str, np.ndarray], chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]
) -> Any:
    time.sleep(parameters["pause"])
    return state["x"] / 3 + np.random.default_rng(seed).normal(size=5) * 10.0**-chunk


def _reduce(state: Mapping[str, np.ndarray], partials: Sequence[Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    total = np.zeros(5)
    for partial in partials:  # in floating point the order of this sum shows
        total = total + partial
    return {"x": total}


def _converged(state: Mapping[str, np.ndarray], steps: int, parameters: Mapping[str, Any]) -> bool:
    return steps >= parameters["steps"]


def _finish(state: Mapping[str, np.ndarray], parameters: Mapping[str, Any]) -> StudyResult:
    return StudyResult({"state": pd.DataFrame({"x": state["x"]})}, {"x": state["x"].tolist()})


warmed: list[str] = []


def warm_up() -> None:
    warmed.append("toy")


STUDIES = {
    "dice": Study(
        "toy",
        "dice",
        "throws of a die",
        {"chunks": 12, "rows": 50, "pause": 0.0, "illegal": -1, "growth": 0, "deadly": -1},
        _run_chunk,
        _combine,
        rule_options=ToyOptions,
    ),
    "walk": IterativeStudy(
        "toy",
        "walk",
        "a state that moves step by step",
        {"chunks": 3, "steps": 6, "pause": 0.0},
        lambda parameters: int(parameters["chunks"]),
        _start,
        _step,
        _reduce,
        _converged,
        _finish,
    ),
}

SIMULATION = GameSimulation(play_batch, units=("match", "hand"), table_sizes=(2, 3), hand_sizes=(5, 7))

GAME = Game(
    "toy",
    "Toy",
    options="tests.oracles.toy_game:ToyOptions",
    players="tests.oracles.toy_game:PLAYERS",
    simulate="tests.oracles.toy_game:SIMULATION",
    studies="tests.oracles.toy_game:STUDIES",
    warm_up="tests.oracles.toy_game:warm_up",
)

if __name__ == "__main__":
    import cli

    GAMES["toy"] = GAME
    cli.main()
