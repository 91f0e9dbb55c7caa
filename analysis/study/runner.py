"""Run a study: chunks in parallel, results in order, interruptions survived."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from analysis.present.progress import Progress, open_progress
from analysis.study.definition import AnyStudy, IterativeStudy, Parameters, Study, StudyResult, default_parameters
from analysis.study.folder import StudyFolder, read_tables
from analysis.study.workers import Chunk, Task, chunk_seed, run_tasks

SECONDS_BETWEEN_CHECKPOINTS = 120.0
SECONDS_ALONE = 2.0  # what starting workers costs; shorter work is done before they would be there


def run_study(
    study: AnyStudy,
    out: Path,
    *,
    seed: int = 0,
    jobs: int | None = None,
    resume: bool = False,
    scheduler: str | None = None,
    quiet: bool = False,
    parameters: Parameters | None = None,
) -> StudyResult:
    """Run a study, or the rest of it, and write its tables, summary and manifest to a folder.

    Args:
        study: what to run.
        out: the folder, new or empty, or of the same study with `resume`.
        seed: every chunk gets its own child of it.
        jobs: local processes; None for all cores.
        resume: go on where an earlier run in this folder was interrupted.
        scheduler: address of a Dask cluster to run on instead.
        quiet: no progress on stderr.
        parameters: the full parameters; None for the study's own (see `parse_parameters`).

    Raises:
        TowerlabError: the folder holds something else, or the cluster does not answer.
        OSError: the folder cannot be written; finished chunks are kept.
        ChildProcessError: workers are killed again and again.
    """
    parameters = default_parameters(study) if parameters is None else dict(parameters)
    chunks = study.count_chunks(parameters)
    folder = StudyFolder(out, study, parameters, seed, chunks)
    folder.open(resume)
    try:
        if study.warm_up is not None:
            study.warm_up()
        if isinstance(study, IterativeStudy):
            result = _run_steps(study, folder, parameters, chunks, seed, jobs, scheduler, quiet)
        else:
            result = _run_chunks(study, folder, parameters, chunks, seed, jobs, scheduler, quiet)
        folder.write_result(result)
    finally:
        folder.close()
    return result


def map_chunks(
    function: Chunk,
    count: int,
    *,
    seed: int = 0,
    jobs: int | None = None,
    parameters: Parameters | None = None,
    quiet: bool = False,
    title: str = "",
) -> list[Any]:
    """`[function(chunk, its seed, parameters) for chunk in range(count)]`, in parallel and without a folder."""
    return list(stream_chunks(function, count, seed=seed, jobs=jobs, parameters=parameters, quiet=quiet, title=title))


def stream_chunks(
    function: Chunk,
    count: int,
    *,
    seed: int = 0,
    jobs: int | None = None,
    parameters: Parameters | None = None,
    quiet: bool = False,
    title: str = "",
) -> Iterator[Any]:
    """As `map_chunks`, one result at a time in chunk order; close the iterator to stop early.

    Work that is done within two seconds is done in this process.
    """
    tasks: list[Task] = [(function, chunk, chunk_seed(seed, chunk), parameters or {}) for chunk in range(count)]
    with open_progress(title, count, quiet) as progress:
        began = time.monotonic()
        alone = 0
        while alone < count and (jobs == 1 or time.monotonic() - began < SECONDS_ALONE):
            _, chunk, child, given = tasks[alone]
            result = function(chunk, child, given)
            alone += 1
            progress.advance()
            yield result
        if alone < count:
            yield from _in_order(run_tasks(tasks[alone:], jobs, None), alone, progress)


def _in_order(results: Iterator[tuple[int, Any]], following: int, progress: Progress) -> Iterator[Any]:
    """Results by chunk number, whatever order they come in."""
    early: dict[int, Any] = {}
    for chunk, result in results:
        progress.advance()
        early[chunk] = result
        while following in early:
            yield early.pop(following)
            following += 1


# ------------------------------------------------------------------------------------------------------ kinds of study


def _run_chunks(
    study: Study,
    folder: StudyFolder,
    parameters: Parameters,
    chunks: int,
    seed: int,
    jobs: int | None,
    scheduler: str | None,
    quiet: bool,
) -> StudyResult:
    files = folder.finished_chunks()
    tasks: list[Task] = [
        (study.run_chunk, chunk, chunk_seed(seed, chunk), parameters) for chunk in range(chunks) if chunk not in files
    ]
    with open_progress(study.name, chunks, quiet, done=len(files)) as progress:
        try:
            if tasks:
                for chunk, table in run_tasks(tasks, jobs, scheduler):
                    files[chunk] = folder.write_chunk(chunk, table)
                    progress.advance()
        except (KeyboardInterrupt, OSError) as error:
            _explain(error, progress, f"{len(files)} of {chunks} chunks are kept in {folder.path}")
            raise
    return study.combine(read_tables(files[chunk] for chunk in range(chunks)), parameters)


def _run_steps(
    study: IterativeStudy,
    folder: StudyFolder,
    parameters: Parameters,
    chunks: int,
    seed: int,
    jobs: int | None,
    scheduler: str | None,
    quiet: bool,
) -> StudyResult:
    steps, state = folder.latest_state() or (0, study.start(chunk_seed(seed), parameters))
    kept = steps
    saved = time.monotonic()
    with open_progress(study.name, None, quiet, done=steps) as progress:
        try:
            while not study.converged(state, steps, parameters):
                given = {"step": study.step, "state": state, "parameters": parameters}
                tasks: list[Task] = [(_step, chunk, chunk_seed(seed, steps, chunk), given) for chunk in range(chunks)]
                partials = dict(run_tasks(tasks, jobs, scheduler))
                state = study.reduce(state, [partials[chunk] for chunk in range(chunks)], parameters)
                steps += 1
                progress.advance()
                if time.monotonic() - saved >= SECONDS_BETWEEN_CHECKPOINTS:
                    folder.write_state(steps, state)
                    kept, saved = steps, time.monotonic()
            folder.write_state(steps, state)
        except (KeyboardInterrupt, OSError) as error:
            if isinstance(error, KeyboardInterrupt) and steps > kept:
                folder.write_state(steps, state)
                kept = steps
            _explain(error, progress, f"{kept} steps are kept in {folder.path}")
            raise
    return study.finish(state, parameters)


def _step(chunk: int, seed: Any, given: Parameters) -> Any:
    step: Callable[..., Any] = given["step"]
    return step(given["state"], chunk, seed, given["parameters"])


def _explain(error: BaseException, progress: Progress, kept: str) -> None:
    """Say what an interruption leaves and how to go on: in the error's own line, or on stderr after Ctrl-C."""
    message = f"{kept}; the same command with --resume goes on"
    if isinstance(error, OSError):
        error.args = (f"{error}; {message}",)
    else:
        progress.say(message)
