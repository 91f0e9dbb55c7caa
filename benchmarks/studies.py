"""What the study runner costs, and what more workers bring: `python -m benchmarks.studies [seconds of work, 60]`.

Yardsticks: the chunks called one after the other in a plain loop (processor time), and the same study with one worker
(time on the clock). Two real studies also run on a Dask cluster of two workers on this computer: the same bytes as on
one core. Beyond two workers their time is computed: chunks, each as long as it took alone, go in their order to whoever
is free.
"""

from __future__ import annotations

import heapq
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.catalog import find_study
from analysis.study import Study, StudyResult, parse_parameters, run_study
from analysis.study.workers import chunk_seed
from benchmarks.timing import print_ratio, seconds

SECONDS_PER_CHUNK: Final = 0.25
ON_A_CLUSTER: Final = (
    ("towers-and-bowers", "equilibrium-bidding", ["cards=3"]),
    ("bowers", "bids", ["hands=96", "misere_hands=200", "bury_hands=4"]),
)


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Serial work that stays in the processor's cache, as the kernels' does, and a table of a thousand rows."""
    random, total = np.random.default_rng(seed), np.zeros(1000)
    for _ in range(parameters["rounds"]):
        total += random.random(1000)
    return pd.DataFrame({"chunk": chunk, "total": total})


def combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    means = pd.DataFrame({"mean": [table.total.mean() for table in tables]})
    return StudyResult({"means": means}, {"mean": float(means["mean"].mean())})


def clocked(call: Callable[[], object]) -> float:
    """Time of one call on the clock, which counts what workers do."""
    start = time.monotonic()
    call()
    return time.monotonic() - start


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
    one, two = clocked(lambda: run(1)), clocked(lambda: run(2))
    print_ratio("a study with two workers is faster by", one / two, "one worker", f"{two:.1f} s", "at least 1.8")


def measure_cluster() -> None:
    """Real studies on one core and on a cluster of two workers."""
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster,
        tempfile.TemporaryDirectory() as work,
    ):
        for game, name, assigned in ON_A_CLUSTER:
            study = find_study(game, name)
            parameters = parse_parameters(study, assigned)
            times, files = [], []
            for place in ({"jobs": 1}, {"scheduler": cluster.scheduler_address}):
                out = Path(work) / f"{name}-{len(times)}"
                times.append(clocked(lambda: run_study(study, out, parameters=parameters, quiet=True, **place)))  # type: ignore[arg-type]  # noqa: B023
                files.append({str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*.*")})
            assert files[0] == files[1], "the cluster's files differ"
            chunks = [
                seconds(lambda: study.run_chunk(chunk, chunk_seed(0, chunk), parameters))  # noqa: B023
                for chunk in range(study.count_chunks(parameters))
            ]
            computed = ", ".join(f"{workers}: {makespan(chunks, workers):.1f}" for workers in (1, 2, 4, 8, 16))
            print_ratio(f"{game} {name} on a cluster", times[0] / times[1], "one core", f"{times[1]:.1f} s")
            print(f"    {len(chunks)} chunks, the same bytes; seconds computed by workers: {computed}")


def makespan(chunks: Iterable[float], workers: int) -> float:
    """When the last chunk is done if each goes to whoever is free first."""
    free = [0.0] * workers
    for length in chunks:
        heapq.heapreplace(free, free[0] + length)
    return max(free)


if __name__ == "__main__":
    measure_runner(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
    measure_cluster()
