"""The cost of the study runner, and the gain of more workers: `python -m benchmarks.studies [seconds of work, 60]`.

Yardsticks: the chunks called one after the other in a plain loop (processor time), and the same study with one worker
(time on the clock).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from benchmarks.timing import clocked, print_ratio, seconds
from towerlab.analysis.study import Study, StudyResult, run_study
from towerlab.analysis.study.workers import chunk_seed

SECONDS_PER_CHUNK: Final = 0.25


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Serial work that stays in the processor's cache, as the kernels' does, and a table of a thousand rows."""
    random, total = np.random.default_rng(seed), np.zeros(1000)
    for _ in range(parameters["rounds"]):
        total += random.random(1000)
    return pd.DataFrame({"chunk": chunk, "total": total})


def combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    means = pd.DataFrame({"mean": [table.total.mean() for table in tables]})
    return StudyResult({"means": means}, {"mean": float(means["mean"].mean())})


def measure_runner(work: float) -> None:
    """The runner's own cost, and a second worker's use."""
    rounds = int(20_000 * SECONDS_PER_CHUNK / seconds(lambda: run_chunk(0, chunk_seed(0), {"rounds": 20_000})))
    parameters = {"rounds": rounds, "chunks": max(4, round(work / SECONDS_PER_CHUNK))}
    study = Study("bench", "loops", "", parameters, run_chunk, combine)

    def run(jobs: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run_study(study, Path(folder), jobs=jobs, quiet=True)

    loop = seconds(
        lambda: [run_chunk(chunk, chunk_seed(0, chunk), parameters) for chunk in range(parameters["chunks"])]
    )
    own = seconds(lambda: run(1))
    print_ratio("a study with one worker", own / loop, "a plain loop", f"{own:.1f} s of processor", "below 1.02")
    alone, both = clocked(lambda: run(1)), clocked(lambda: run(2))
    print_ratio("a study with two workers is faster by", alone / both, "one worker", f"{both:.1f} s", "at least 1.8")


if __name__ == "__main__":
    measure_runner(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
