"""A game of no rules, to test what is the same for every game: `python -m tests.oracles.toy_game ARGUMENTS…` is
`towerlab` with this game added."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from towerlab.analysis.catalog import GAMES, Game
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.study.folder import Checkpoint
from towerlab.games.errors import IllegalAction
from towerlab.games.options import GameOptions, option
from towerlab.sim.batch import BatchRequest, BatchResult, GameSimulation
from towerlab.sim.own_players import KnownPlayer

PLAYERS = {
    "fair": KnownPlayer("wins as often as chance has it"),
    "strong": KnownPlayer("has a thumb on the scale"),
    "stronger": KnownPlayer("has two"),
}
_STRENGTH = {"fair": 1.0, "strong": 1.5, "stronger": 3.0}


@dataclass(frozen=True)
class ToyOptions(GameOptions):
    stake: int = option(1, "TOY-1", "points for a win", low=1, high=9)


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


def _combine(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    frame = pd.concat(list(frames), ignore_index=True)
    return StudyResult({"throws": frame}, {"mean": frame.value.mean(), "n": len(frame)})


def _walk(
    chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any], checkpoint: Checkpoint
) -> pd.DataFrame:
    steps, state = checkpoint.latest() or (0, {"x": np.random.default_rng(seed).normal(size=5)})
    while steps < parameters["steps"]:
        if steps == int(os.environ.get("TOY_POWER_CUT", -1)):
            raise EOFError("power cut")
        own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, steps))
        state = {"x": state["x"] / 3 + np.random.default_rng(own).normal(size=5)}
        steps += 1
        checkpoint.offer(steps, state)
    return pd.DataFrame({"x": state["x"]})


def _join(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    frame = pd.concat(list(frames), ignore_index=True)
    return StudyResult({"state": frame}, {"x": frame.x.tolist()})


DICE = Study(
    "toy",
    "dice",
    "throws of a die",
    {"chunks": 12, "rows": 50, "pause": 0.0, "illegal": -1, "growth": 0, "deadly": -1},
    _run_chunk,
    _combine,
    rule_options=ToyOptions,
)
WALK = Study(
    "toy", "walk", "states that move step by step", {"chunks": 3, "steps": 6}, _walk, _join, keeps_checkpoints=True
)
STUDIES = {"dice": DICE, "walk": WALK}


def _no_engine(*asked: object) -> Any:
    raise NotImplementedError("the toy is simulated only")


SIMULATION = GameSimulation(
    play_batch, _no_engine, _no_engine, units=("match", "hand"), table_sizes=(2, 3), hand_sizes=(5, 7)
)

GAME = Game(
    "toy",
    "Toy",
    options="tests.oracles.toy_game:ToyOptions",
    players="tests.oracles.toy_game:PLAYERS",
    simulate="tests.oracles.toy_game:SIMULATION",
    studies="tests.oracles.toy_game:STUDIES",
)

if __name__ == "__main__":
    from towerlab import cli

    GAMES["toy"] = GAME
    cli.main()
