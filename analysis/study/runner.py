"""How is a study run and shown? Chunks in parallel, results in order, interruptions survived.

>>> map_chunks(lambda chunk, seed, parameters: chunk * parameters["by"], 3, parameters={"by": 2}, jobs=1, quiet=True)
[0, 2, 4]
"""

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table

from towerlab.analysis.present import table
from towerlab.analysis.present.progress import note, open_progress
from towerlab.analysis.study.definition import RULE_OPTIONS, Parameters, Study, StudyResult, default_parameters
from towerlab.analysis.study.folder import Checkpoint, StudyFolder
from towerlab.analysis.study.workers import Chunk, Run, Task, chunk_seed, open_workers, run_here, run_task, usable_cores
from towerlab.games.errors import TowerlabError

MOST_CHUNKS = 1_000_000
SECONDS_ALONE = 3.0  # of a processor, the cost of starting workers: they are started where they save more

_IN_THE_WAY = (IsADirectoryError, NotADirectoryError, FileExistsError)
_HOW_TO_GO_ON = "the same command with --resume goes on"


def run_study(
    study: Study,
    out: Path,
    *,
    seed: int = 0,
    jobs: int | None = None,
    resume: bool = False,
    scheduler: str | None = None,
    quiet: bool = False,
    parameters: Parameters | None = None,
    title: str = "",
    parts: Sequence[Parameters] | None = None,
    at_once: bool = True,
) -> StudyResult:
    """Run a study, or the rest of it, and write its tables, summary and manifest to a folder.

    Args:
        study: the study.
        out: the folder, new or empty, or of the same study with `resume`.
        seed: the seed; every chunk gets its own child of it.
        jobs: local processes; None for all cores.
        resume: whether to go on where an earlier run in this folder was interrupted.
        scheduler: the address of a Dask cluster to run on instead.
        quiet: no progress on stderr.
        parameters: the full parameters; None for the study's own (see `parse_parameters`).
        title: how progress is labelled; the study's name by default.
        parts: the further input of each chunk; the parameters have its digest.
        at_once: whether workers are started without a look at how long the first chunks take.

    Raises:
        TowerlabError: the folder holds something else, the cluster does not answer, or there is nothing to do.
        OSError: the folder cannot be written, or workers are killed again and again; finished chunks are kept.
    """
    import pandas as pd

    parameters = default_parameters(study) if parameters is None else dict(parameters)
    chunks = study.count_chunks(parameters)
    if not 1 <= chunks <= MOST_CHUNKS:
        raise TowerlabError(f"{study.name} has {chunks:,} chunks with these parameters; expected 1 to {MOST_CHUNKS:,}")
    folder, function, title = StudyFolder(out, study, parameters, seed, chunks), study.run_chunk, title or study.name
    if study.keeps_checkpoints:
        function = partial(_run_chunk_with_checkpoint, study.run_chunk, folder.chunks_path, quiet)
    with open_workers(jobs, scheduler, *study.modules(parameters)) as run, folder.open_for_run(resume):
        try:
            alone = None if at_once or scheduler else jobs or usable_cores()
            files = _run_chunks(_tasks(function, chunks, seed, parameters, parts), folder, run, quiet, title, alone)
            tables = (pd.read_parquet(files[chunk]) for chunk in range(chunks))
            result = study.combine(tables, parameters)
            folder.write_result(result)
        except KeyboardInterrupt:
            note(f"{folder.progress()} are kept in {out}; {_HOW_TO_GO_ON}")
            raise
        except OSError as error:
            first = "with something else in its place moved away, " * isinstance(error, _IN_THE_WAY)
            raise OSError(f"{error}; {folder.progress()} are kept in {out}; {first}{_HOW_TO_GO_ON}") from error
    return result


def map_chunks(function: Chunk, count: int, **how: Any) -> list[Any]:
    """Return `[function(chunk, its seed, parameters) for chunk in range(count)]`, in parallel and without a folder.

    Args:
        how: ``seed``, ``jobs``, ``parameters``, ``quiet``, ``title``, ``at_once``, ``threads``,
            ``parts``, as in `stream_chunks`.
    """
    return list(stream_chunks(function, count, **how))


def stream_chunks(
    function: Chunk,
    count: int,
    *,
    seed: int = 0,
    jobs: int | None = None,
    parameters: Parameters | None = None,
    quiet: bool = False,
    title: str = "",
    at_once: bool = False,
    threads: bool = False,
    parts: Sequence[Parameters] | None = None,
) -> Generator[Any, None, None]:
    """Yield the results of `map_chunks` one at a time in chunk order; close the iterator to stop early.

    Workers that have finished all chunks wait for the next call. Processes are started where they save more than they
    cost by the time that the first chunks take, unless the caller wants all workers `at_once`. `threads` start in no
    time and share the parameters: for chunks that spend their time in kernels, without the interpreter's lock.
    """
    tasks = _tasks(function, count, seed, parameters or {}, parts)
    alone = None if at_once or threads else jobs or usable_cores()
    with open_progress(title, count, quiet) as advance:
        yield from _in_order(_results(tasks, partial(run_here, jobs=jobs, threads=threads), alone), advance)


def _results(tasks: Sequence[Task], run: Run, alone: int | None) -> Iterator[tuple[int, Any]]:
    """Yield (chunk, result) of every task, from workers, or from this process while workers would not pay."""
    spent: list[float] = []
    while alone and len(spent) < len(tasks) and not _pays(spent, len(tasks) - len(spent), alone):
        began = time.process_time()
        result = run_task(tasks[len(spent)])
        spent.append(time.process_time() - began)
        yield result
    if len(spent) < len(tasks):
        yield from run(tasks[len(spent) :])


def _pays(spent: Sequence[float], left: int, jobs: int) -> bool:
    """Return whether workers save more time on the chunks that are left than they cost.

    The first chunk may load and compile for all: it decides alone only if it took long.
    """
    if jobs == 1 or (len(spent) < 2 and sum(spent) < SECONDS_ALONE):
        return False
    each = sum(spent[1:]) / len(spent[1:]) if len(spent) > 1 else sum(spent)
    return each * left * (1 - 1 / jobs) >= SECONDS_ALONE


def _tasks(
    function: Chunk, count: int, seed: int, parameters: Parameters, parts: Sequence[Parameters] | None
) -> list[Task]:
    """Return the tasks of `count` chunks, each with its own part of the parameters if there are `parts`."""
    return [
        (function, chunk, chunk_seed(seed, chunk), parameters if parts is None else {**parameters, **parts[chunk]})
        for chunk in range(count)
    ]


def _in_order(results: Iterator[tuple[int, Any]], advance: Callable[[], None]) -> Iterator[Any]:
    """Yield the results by chunk number, whatever order they come in."""
    early: dict[int, Any] = {}
    following = 0
    for chunk, result in results:
        advance()
        early[chunk] = result
        while following in early:
            yield early.pop(following)
            following += 1


def _run_chunks(
    tasks: Sequence[Task], folder: StudyFolder, run: Run, quiet: bool, title: str, alone: int | None
) -> dict[int, Path]:
    """Make the chunks that are missing in a folder; the files of all of them."""
    files, damaged = folder.finished_chunks()
    if damaged:
        note(f"{damaged} chunk files were cut short or changed; they are made again", quiet)
    missing = [task for task in tasks if task[1] not in files]
    with open_progress(title, len(tasks), quiet, done=len(files)) as advance:
        for chunk, table in _results(missing, run, alone):
            files[chunk] = folder.write_chunk(chunk, table)
            Checkpoint(folder.chunks_path, chunk).remove()
            advance()
    return files


def _run_chunk_with_checkpoint(
    run_chunk: Callable[..., Any], folder: Path, quiet: bool, chunk: int, seed: Any, parameters: Parameters
) -> Any:
    return run_chunk(chunk, seed, parameters, Checkpoint(folder, chunk, quiet))


def studies_table(studies: Mapping[str, Study]) -> Table:
    """Return every study with a line."""
    rows = ((name, study.help) for name, study in studies.items())
    return table("study", "what it finds out", rows=rows, texts=2)


def parameter_lines(study: Study) -> list[str]:
    """Return the parameters that `--set` changes, with the defaults: ``"cards=3"``."""
    values = {name: value for name, value in study.parameters.items() if name != RULE_OPTIONS}
    return [f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in values.items()]


def study_report(study: Study, result: StudyResult, out: Path) -> RenderableType:
    """Return the headline numbers and where the tables are."""
    rows = table("", study.name)
    for name, value in _rows(result.summary):
        rows.add_row(name, value)
    tables = ", ".join(f"{name}.csv ({len(rows):,} rows)" for name, rows in result.tables.items())
    return Group(rows, "", f"In {out}: {tables}, each also as Parquet; summary.json, manifest.json.")


def _rows(summary: Mapping[str, Any], of: str = "") -> Iterator[tuple[str, str]]:
    """Yield a row for each number; nested ones are named by their path."""
    for key, value in summary.items():
        name = f"{of}{str(key).replace('_', ' ')}"
        plain = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(plain, Mapping):
            yield from _rows(plain, f"{name}, ")
        elif isinstance(plain, list | tuple) and any(isinstance(entry, Mapping | list | tuple) for entry in plain):
            yield from _rows({str(place): entry for place, entry in enumerate(plain, 1)}, f"{name} ")
        else:
            yield name, _text(plain)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        joined = " to " if len(value) == 2 and all(isinstance(end, float) for end in value) else ", "
        return joined.join(map(_text, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(entry)}" for name, entry in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
