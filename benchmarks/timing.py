"""Timing several candidates in turn, so that a machine whose speed drifts slows them all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds of one candidate: the median over the rounds, and the least."""

    median: float
    least: float


def time_in_turn(candidates: Mapping[str, Callable[[], object]], rounds: int = 30) -> dict[str, Timing]:
    """Run all candidates once unmeasured, then in turn `rounds` times."""
    for run in candidates.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: Timing(statistics.median(values), min(values)) for name, values in seconds.items()}


def print_ratio(what: str, ratio: float, yardstick: str, figure: str, aim: str) -> None:
    """One row of a benchmark's table."""
    print(f"{what:<40} {ratio:7.2f}× {yardstick:<36} {figure:<22} aim {aim}")
