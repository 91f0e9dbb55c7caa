"""Where chunks run: in this process, in local processes (joblib's loky), or on a Dask cluster.

Every back end gives the same pairs (chunk, result) in some order; what a chunk returns depends on its arguments only.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from analysis.study.definition import Parameters
from games.errors import TowerlabError

Chunk = Callable[[int, np.random.SeedSequence, Parameters], Any]
Task = tuple[Chunk, int, np.random.SeedSequence, Parameters]

CLUSTER_PACKAGE = 'pip install "towerlab[cluster]"'
_DASK_CHUNKS_IN_FLIGHT_PER_CORE = 3
_DASK_SECONDS_TO_CONNECT = 15


def chunk_seed(seed: int, *key: int) -> np.random.SeedSequence:
    """The child of a seed that belongs to a chunk: `SeedSequence(seed).spawn(n)[chunk]`, made directly."""
    return np.random.SeedSequence(seed, spawn_key=key)


def usable_cores() -> int:
    """Cores this process may use (containers and `taskset` respected)."""
    import joblib

    return int(joblib.cpu_count())


def run_tasks(tasks: Sequence[Task], jobs: int | None, scheduler: str | None) -> Iterator[tuple[int, Any]]:
    """Run every task; gives (chunk, result) as they finish, in any order.

    Args:
        tasks: (function, chunk number, seed, parameters) each.
        jobs: local processes; None for all cores, 1 for this process alone.
        scheduler: address of a Dask cluster, such as ``tcp://10.0.0.5:8786``; then `jobs` does not matter.

    Raises:
        TowerlabError: the cluster cannot be reached, or its workers run other versions.
        ChildProcessError: workers are killed again and again (memory?) without finishing a chunk.
    """
    if scheduler is not None:
        return _run_on_cluster(tasks, scheduler)
    jobs = min(jobs or usable_cores(), len(tasks))
    if jobs <= 1:
        return ((chunk, function(chunk, seed, parameters)) for function, chunk, seed, parameters in tasks)
    return _run_in_processes(tasks, jobs)


def _run_in_processes(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[int, Any]]:
    """Local processes. Chunks of a killed worker are made again as long as every new start finishes some chunk."""
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    waiting = {task[1]: task for task in tasks}
    while waiting:
        waiting_before = len(waiting)
        # One thread a worker: the kernels are serial, and numerical libraries would start a thread a core each.
        pool = Parallel(jobs, backend="loky", inner_max_num_threads=1, return_as="generator_unordered")
        results = pool(delayed(_run_in_worker)(task, os.getpid()) for task in list(waiting.values()))
        try:
            for chunk, result in results:
                del waiting[chunk]
                yield chunk, result
        except BrokenProcessPool as error:
            if len(waiting) == waiting_before:
                raise ChildProcessError(
                    "worker processes are killed before they finish a chunk, most likely for want of memory; "
                    "expected fewer --jobs or smaller chunks"
                ) from error
        finally:
            with contextlib.suppress(BrokenProcessPool):
                results.close()


def _run_in_worker(task: Task, parent: int) -> tuple[int, Any]:
    _prepare_worker(parent)
    function, chunk, seed, parameters = task
    return chunk, function(chunk, seed, parameters)


_watched: list[int] = []


def _prepare_worker(parent: int) -> None:
    """Once a worker: leave Ctrl-C to the parent, and end when the parent is gone (it may have been killed)."""
    if parent in _watched:
        return
    _watched.append(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    pause = threading.Event()
    while not pause.wait(1.0):
        if os.getppid() != parent:
            os._exit(1)


# ---------------------------------------------------------------------------------------------------- Dask cluster


def _run_on_cluster(tasks: Sequence[Task], scheduler: str) -> Iterator[tuple[int, Any]]:
    """A Dask cluster, spoken to directly: it makes the chunks of a lost worker again on another one.

    joblib's own Dask back end places arguments on single workers and waits for ever when such a worker is lost.
    """
    try:
        import distributed
    except ImportError as error:
        raise TowerlabError(f"--scheduler needs the Dask extra, which is not installed; {CLUSTER_PACKAGE}") from error
    with _connect(distributed, scheduler) as client:
        cores = sum(client.ncores().values())
        waiting = iter(tasks)
        first = list(itertools.islice(waiting, max(1, cores) * _DASK_CHUNKS_IN_FLIGHT_PER_CORE))
        running = distributed.as_completed([_submit(client, task) for task in first])
        for future in running:
            try:
                chunk, result = future.result()
            except distributed.scheduler.KilledWorker as error:
                raise ChildProcessError(f"the cluster lost several workers at one chunk: {error}") from error
            future.release()
            for task in itertools.islice(waiting, 1):
                running.add(_submit(client, task))
            yield chunk, result


def _connect(distributed: Any, scheduler: str) -> Any:
    """A client of a cluster whose workers run the same code.

    Raises:
        TowerlabError: no such scheduler, no workers, or workers of other versions.
    """
    import logging

    from analysis.study.folder import versions

    logging.getLogger("distributed").setLevel(logging.ERROR)  # notes about lost workers are Dask's business
    try:
        client = distributed.Client(scheduler, timeout=_DASK_SECONDS_TO_CONNECT, set_as_default=False)
        client.wait_for_workers(1, timeout=_DASK_SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:  # TimeoutError is an OSError
        raise TowerlabError(
            f"no Dask cluster with workers answers at {scheduler!r}; expected an address like tcp://host:8786 ({error})"
        ) from error
    try:
        theirs = client.run(versions)
    except Exception as error:
        client.close()
        raise TowerlabError(
            f"the cluster's workers cannot import towerlab; expected it installed there ({error})"
        ) from error
    for worker, their in theirs.items():
        for package, version in versions().items():
            if their.get(package) != version:
                client.close()
                raise TowerlabError(f"worker {worker} runs {package} {their.get(package)}; expected {version} as here")
    return client


def _submit(client: Any, task: Task) -> Any:
    return client.submit(_run_on_cluster_worker, task, pure=False)


def _run_on_cluster_worker(task: Task) -> tuple[int, Any]:
    function, chunk, seed, parameters = task
    return chunk, function(chunk, seed, parameters)
