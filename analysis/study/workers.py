"""Where do chunks run? In this process, in local processes (joblib's loky), or on a Dask cluster.

Every kind of workers gives the same pairs (chunk, result) in some order; the result of a chunk depends on its
arguments only. Chunks whose worker was lost are made again.

    towerlab study towers rule --jobs 2 --out folder
"""

import functools
import itertools
import logging
import os
import pickle
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TypeVar

import numpy as np

from towerlab.analysis.study.definition import Parameters
from towerlab.analysis.study.folder import modules_to_send, versions
from towerlab.games.errors import TowerlabError

Chunk = Callable[[int, np.random.SeedSequence, Parameters], Any]
Item = TypeVar("Item")
Found = TypeVar("Found")
Task = tuple[Chunk, int, np.random.SeedSequence, Parameters]
"""Function, chunk number, seed, parameters."""
Run = Callable[[Sequence[Task]], Iterator[tuple[int, Any]]]
"""Runs tasks; gives (chunk, result) as they finish.

Raises:
    ChildProcessError: workers are killed again and again (memory?) without finishing a chunk.
"""

SECONDS_TO_CONNECT = 15.0
_SAFE_PATH = "PYTHONSAFEPATH"
_TASKS_IN_FLIGHT_PER_CORE = 3  # on a cluster: enough to hide the network, few enough to keep results out of memory


def chunk_seed(seed: int, *key: int) -> np.random.SeedSequence:
    """Return the child of a seed that belongs to a chunk: `SeedSequence(seed).spawn(n)[chunk]`, made directly."""
    return np.random.SeedSequence(seed, spawn_key=key)


@contextmanager
def open_workers(jobs: int | None, scheduler: str | None, *modules: str) -> Iterator[Run]:
    """Something that runs tasks by local workers, or those of a Dask cluster.

    Args:
        jobs: local processes; None for all cores, 1 for this process alone.
        scheduler: the address of a Dask cluster, such as ``tcp://10.0.0.5:8786``; then `jobs` does not matter.
        modules: where the study and its players are written; a cluster must have the same sources.

    Raises:
        TowerlabError: the cluster cannot be reached, or its workers run other versions.
    """
    if scheduler is None:
        yield functools.partial(run_here, jobs=jobs)
        return
    with _connect(scheduler) as client:
        _check_versions(client, modules)
        yield functools.partial(_run_on_cluster, client)


# ---------------------------------------------------------------------------------------------------- this computer


def run_here(tasks: Sequence[Task], jobs: int | None, threads: bool = False) -> Iterator[tuple[int, Any]]:
    """Run tasks in this process for one job, else in processes or threads on this computer.

    Args:
        tasks: the tasks to run.
        jobs: how many at a time; None for all cores this process may use.
        threads: whether to use threads, not processes, for chunks that spend their time in kernels.
    """
    jobs = min(jobs or (usable_cores() if threads else _cores_for_processes()), len(tasks))
    if jobs <= 1:
        return map(run_task, tasks)
    return map_in_threads(run_task, tasks, jobs) if threads else _run_in_processes(tasks, jobs)


def map_in_threads(function: Callable[[Item], Found], items: Sequence[Item], jobs: int) -> Iterator[Found]:
    """Yield `map(function, items)` by threads, for functions that mostly run without the interpreter's lock."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(function, items)


def usable_cores() -> int:
    """Return how many cores this process may use; the limits of containers take half a second of imports to read."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cores_for_processes() -> int:
    """Return how many cores this process may use, within the limits of containers and `taskset`."""
    import joblib

    return int(joblib.cpu_count())


def _run_in_processes(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[int, Any]]:
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    _hush_pool_thread()
    waiting = {task[1]: task for task in tasks}
    in_vain = 0
    with _noting_interrupts() as interrupted, _safe_path():
        while waiting:
            waiting_before = len(waiting)
            # One thread a worker: the kernels are serial, and numerical libraries would start a thread a core each.
            pool = Parallel(jobs, backend="loky", inner_max_num_threads=1, return_as="generator_unordered")
            results = pool(delayed(_run_in_worker)(task, os.getpid()) for task in list(waiting.values()))
            try:
                for chunk, result in results:
                    del waiting[chunk]
                    yield chunk, result
            except BrokenProcessPool as error:  # a worker was killed: start new ones as long as that gets anywhere
                if interrupted.is_set():  # stopping a pool half-way may break it, which would hide the Ctrl-C
                    raise KeyboardInterrupt from None
                in_vain = in_vain + 1 if len(waiting) == waiting_before else 0
                if in_vain == 2:  # the first workers may be of an earlier run, before a user's module could be found
                    raise ChildProcessError(
                        "worker processes are killed before they finish a chunk, most likely for want of memory; "
                        "expected fewer --jobs or smaller chunks"
                    ) from error
            finally:
                with suppress(BrokenProcessPool), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # stopping early leaves results unused, and is meant
                    results.close()


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep new workers from importing a module from the current folder by accident."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


@contextmanager
def _noting_interrupts() -> Iterator[threading.Event]:
    """An event that is set by Ctrl-C, which raises KeyboardInterrupt as ever; outside the main thread it never is."""
    noted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return

    before = signal.getsignal(signal.SIGINT)
    interrupt = before if callable(before) else signal.default_int_handler

    def note_interrupt(number: int, frame: FrameType | None) -> None:
        noted.set()
        interrupt(number, frame)

    signal.signal(signal.SIGINT, note_interrupt)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


def _hush_pool_thread() -> None:
    """Ignore errors of loky's own thread when work is stopped early."""
    report = threading.excepthook
    if getattr(report, "hushes_pool_thread", False):
        return

    def report_others(failure: threading.ExceptHookArgs) -> None:
        if failure.thread is None or failure.thread.name != "ExecutorManagerThread":
            report(failure)

    report_others.hushes_pool_thread = True  # type: ignore[attr-defined]
    threading.excepthook = report_others


def run_task(task: Task) -> tuple[int, Any]:
    """Return the number of a chunk and its result."""
    function, chunk, seed, parameters = task
    return chunk, function(chunk, seed, parameters)


def _run_in_worker(task: Task, parent: int) -> tuple[int, Any]:
    if parent not in _PARENTS:
        _PARENTS.append(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    return run_task(task)


_PARENTS: list[int] = []  # in a worker: the process it works for


def _end_with(parent: int) -> None:
    """End this worker when its parent has ended: a killed parent cannot end it."""
    pause = threading.Event()
    while not pause.wait(1.0):
        if os.getppid() != parent:
            os._exit(1)


# ---------------------------------------------------------------------------------------------------- Dask cluster


def _run_on_cluster(client: Any, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
    """Run tasks by the workers of a Dask cluster, without joblib.

    joblib's own Dask back end places arguments on single workers and waits for ever when such a worker is lost; Dask
    itself makes the chunks of a lost worker again on another one.
    """
    import cloudpickle  # type: ignore[import-untyped]  # comes with distributed
    from distributed import KilledWorker, as_completed

    # A scheduler unpacks tasks, though only workers have the study's modules: so it gets bytes.
    waiting = (client.submit(_run_packed, cloudpickle.dumps(task), pure=False) for task in tasks)
    with _noticing_its_end(client):
        in_flight = max(1, sum(client.ncores().values())) * _TASKS_IN_FLIGHT_PER_CORE
        running = as_completed(list(itertools.islice(waiting, in_flight)), loop=client.loop)
        for future in running:
            try:
                result = future.result()
            except KilledWorker as error:
                raise ChildProcessError(f"the cluster lost one worker after another: {error}") from error
            future.release()
            for following in itertools.islice(waiting, 1):
                running.add(following)
            yield result


def _run_packed(task: bytes) -> tuple[int, Any]:
    return run_task(pickle.loads(task))


@contextmanager
def _noticing_its_end(client: Any) -> Iterator[None]:
    """Report a lost scheduler in a line, however Dask notices it."""
    from distributed import CancelledError
    from distributed.comm import CommClosedError

    try:
        yield
    except (CancelledError, CommClosedError, TimeoutError) as error:
        address = client.scheduler.address if client.scheduler else "its address"
        raise ConnectionError(
            f"the Dask cluster at {address} was lost (start it again, or leave --scheduler out)"
        ) from error


@contextmanager
def _connect(scheduler: str) -> Iterator[Any]:
    """A client of a cluster that has workers."""
    try:
        from distributed import Client
    except ImportError:
        raise TowerlabError(
            "--scheduler needs the package distributed; expected `pip install distributed` first"
        ) from None
    for part in ("distributed", "distributed.client"):  # their messages about lost workers become a line here
        logging.getLogger(part).setLevel(logging.CRITICAL)
    expected = "expected a scheduler's address like tcp://host:8786"
    try:
        client = Client(scheduler, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:  # a time-out is an OSError
        raise TowerlabError(f"no Dask cluster answers at {scheduler!r}; {expected} ({error})") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=SECONDS_TO_CONNECT)
        except TimeoutError as error:
            raise TowerlabError(f"the Dask cluster at {scheduler!r} has no workers; expected at least one") from error
        yield client


def _check_versions(client: Any, modules: tuple[str, ...]) -> None:
    """Refuse workers whose sources or libraries could give other numbers.

    Raises:
        TowerlabError: a worker has other versions, or lacks a module.
    """
    modules = tuple(dict.fromkeys(name for module in modules for name in modules_to_send(module)))
    ours = versions(*modules)
    try:
        with _noticing_its_end(client):
            answers = client.run(versions, *modules)
    except (ModuleNotFoundError, TowerlabError) as error:
        raise TowerlabError(
            f"the cluster's workers lack a module ({error}); expected towerlab and the study's own modules there"
        ) from error
    for worker, theirs in answers.items():
        for package, version in ours.items():
            if theirs.get(package) != version:
                raise TowerlabError(
                    f"{package} is {theirs.get(package)} on worker {worker}; expected {version} as here"
                )
