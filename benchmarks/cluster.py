"""Two studies on a Dask cluster of two workers on this computer and on one core: the same bytes, and how time grows.

    python -m benchmarks.cluster

Beyond two workers the time is computed: chunks, each as long as it took alone, go in their order to whoever is free.
"""

from __future__ import annotations

import heapq
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from analysis.catalog import find_study
from analysis.study import Study, parse_parameters, run_study
from analysis.study.workers import chunk_seed

STUDIES: Final = (
    ("towers-and-bowers", "equilibrium-bidding", ["cards=3"]),
    ("bowers", "bids", ["hands=96", "misere_hands=200", "bury_hands=4"]),
)
WORKERS: Final = (1, 2, 4, 8, 16)


def main() -> None:
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        for game, name, assigned in STUDIES:
            study = find_study(game, name)
            compare(study, assigned, cluster.scheduler_address)


def compare(study: Study, assigned: Sequence[str], scheduler: str) -> None:
    """Run it in both places, compare the files, print the measured and the computed times."""
    parameters = parse_parameters(study, list(assigned))
    work = Path(tempfile.mkdtemp())
    try:
        seconds = {}
        for place, where in (("one core", {"jobs": 1}), ("cluster", {"scheduler": scheduler})):
            start = time.perf_counter()
            run_study(study, work / place, parameters=parameters, quiet=True, **where)  # type: ignore[arg-type]
            seconds[place] = time.perf_counter() - start
        assert contents(work / "one core") == contents(work / "cluster"), "the cluster's files differ"
    finally:
        shutil.rmtree(work)
    chunks = [chunk_seconds(study, chunk, parameters) for chunk in range(study.count_chunks(parameters))]
    print(f"{study.game} {study.name}: {len(chunks)} chunks, the same bytes")
    print(f"  one core {seconds['one core']:.1f} s, cluster of two {seconds['cluster']:.1f} s")
    print("  computed: " + ", ".join(f"{workers} workers {makespan(chunks, workers):.1f} s" for workers in WORKERS))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def chunk_seconds(study: Study, chunk: int, parameters: dict[str, object]) -> float:
    start = time.process_time()
    study.run_chunk(chunk, chunk_seed(0, chunk), parameters)
    return time.process_time() - start


def makespan(chunks: Sequence[float], workers: int) -> float:
    """When the last chunk is done if each goes to whoever is free first."""
    free = [0.0] * workers
    for seconds in chunks:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


if __name__ == "__main__":
    main()
