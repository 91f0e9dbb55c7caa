"""What the study runner costs, and what a second worker brings.

    python benchmarks/study.py [seconds of work, default 60]

Yardsticks, in the same run: the chunks called one after the other in a plain loop (for the runner's own cost, in
processor time, which other programs on the machine hardly disturb), and the same study with one worker (for the second
worker, in wall time, which they do disturb).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.study import Study, StudyResult, run_study
from analysis.study.workers import chunk_seed

SECONDS_PER_CHUNK = 0.25


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Serial work that stays in the processor's cache, as the kernels' does, and a table of a thousand rows."""
    random = np.random.default_rng(seed)
    total = np.zeros(1000)
    for _ in range(parameters["rounds"]):
        total += random.random(1000)
    return pd.DataFrame({"chunk": chunk, "total": total})


def combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    means = pd.DataFrame({"mean": [table.total.mean() for table in tables]})
    return StudyResult({"means": means}, {"mean": float(means["mean"].mean())})


def main(seconds: float) -> None:
    rounds = _rounds_per_second() * SECONDS_PER_CHUNK
    parameters = {"rounds": int(rounds), "chunks": max(4, round(seconds / SECONDS_PER_CHUNK))}
    study = Study("bench", "loops", "", parameters, run_chunk, combine)

    began = time.process_time()
    for chunk in range(parameters["chunks"]):
        run_chunk(chunk, chunk_seed(0, chunk), parameters)
    plain = time.process_time() - began

    own, one_worker = _timed(study, 1)
    _, two_workers = _timed(study, 2)
    print(f"{parameters['chunks']} chunks, {plain:.1f} s of work")
    print(f"one worker / plain loop, processor time: {own / plain:.3f}  (aim: below 1.02)")
    print(f"one worker / two workers, wall time:     {one_worker / two_workers:.2f}  (aim: at least 1.8)")


def _timed(study: Study, jobs: int) -> tuple[float, float]:
    """(processor seconds of this process, wall seconds) of a study."""
    with tempfile.TemporaryDirectory() as folder:
        processor, wall = time.process_time(), time.monotonic()
        run_study(study, Path(folder), jobs=jobs, quiet=True)
        return time.process_time() - processor, time.monotonic() - wall


def _rounds_per_second() -> float:
    began = time.process_time()
    run_chunk(0, chunk_seed(0), {"rounds": 20_000})
    return 20_000 / (time.process_time() - began)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
