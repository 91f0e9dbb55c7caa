"""Notes and progress on stderr while something runs.

Progress is a bar with the time left in a terminal, a line now and then in a log, nothing when quiet.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS_BETWEEN_LINES = 10.0


def note(message: str, quiet: bool = False) -> None:
    """One line on stderr, unless asked to be quiet."""
    if not quiet:
        print(message, file=sys.stderr, flush=True)


@contextmanager
def open_progress(title: str, total: int, quiet: bool, done: int = 0) -> Iterator[Callable[[], None]]:
    """Yield a function that counts one more from `done` to `total` at a call, shown in the form that suits stderr."""
    if quiet:
        yield lambda: None
    elif sys.stderr.isatty():
        with _bar(title, total, done) as advance:
            yield advance
    else:
        yield _Lines(title, total, done).advance


class _Lines:
    """For logs and pipes: work of a few seconds prints nothing.

    The time left follows from the pace since the first chunk, which may have compiled kernels and read tables for all.
    """

    def __init__(self, title: str, total: int, done: int) -> None:
        self._title, self._total, self._done = title, total, done
        self._first = done + 1
        self._began = self._printed = time.monotonic()

    def advance(self) -> None:
        self._done += 1
        now = time.monotonic()
        if self._done == self._first:
            self._began = now
        if now - self._printed < SECONDS_BETWEEN_LINES:
            return
        self._printed = now
        said = f"{self._title}: {self._done} of {self._total} chunks"
        if self._done > self._first:
            pace = (now - self._began) / (self._done - self._first)
            said += f", {_duration(pace * (self._total - self._done))} left"
        note(said)


@contextmanager
def _bar(title: str, total: int, done: int) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()]
    columns += [TimeRemainingColumn(), TextColumn("left")]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total, completed=done)
        yield lambda: bar.advance(task)


def _duration(seconds: float) -> str:
    """``"2 h 05 min"``, ``"3 min 10 s"``, ``"8 s"``."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    if whole >= 60:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole} s"
