"""What is said on stderr while something runs: notes, and progress.

Progress is a bar with the time left in a terminal, a line now and then in a log, nothing when quiet.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

SECONDS_BETWEEN_LINES = 10.0


def note(message: str, quiet: bool = False) -> None:
    """One line on stderr, unless asked to be quiet."""
    if not quiet:
        print(message, file=sys.stderr, flush=True)


def note_compiling(module: str, quiet: bool = False) -> None:
    """Say why the first answer of all takes seconds; nothing once the kernels of that module are compiled."""
    from games.jit import kernels_are_compiled

    if not kernels_are_compiled(module):
        note("compiling kernels; this happens only once", quiet)


class Progress(Protocol):
    """Something that counts what is done."""

    def advance(self) -> None:
        """One more is done."""

    def say(self, message: str) -> None:
        """A line to the reader."""


@contextmanager
def open_progress(title: str, total: int | None, quiet: bool, done: int = 0) -> Iterator[Progress]:
    """Progress from `done` to `total` (None when nobody can know), in the form that suits stderr."""
    if quiet:
        yield _Silence()
    elif sys.stderr.isatty():
        with _bar(title, total, done) as bar:
            yield bar
    else:
        yield _Lines(title, total, done)


class _Silence:
    def advance(self) -> None:
        pass

    def say(self, message: str) -> None:
        pass


class _Lines:
    """For logs and pipes: work of a few seconds prints nothing."""

    def __init__(self, title: str, total: int | None, done: int) -> None:
        self._title, self._total, self._done = title, total, done
        self._done_before = done
        self._began = self._printed = time.monotonic()

    def advance(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._printed < SECONDS_BETWEEN_LINES:
            return
        self._printed = now
        if self._total is None:
            self.say(f"{self._title}: {self._done} steps")
        else:
            pace = (now - self._began) / (self._done - self._done_before)
            left = _duration(pace * (self._total - self._done))
            self.say(f"{self._title}: {self._done} of {self._total} chunks, {left} left")

    def say(self, message: str) -> None:
        note(message)


@contextmanager
def _bar(title: str, total: int | None, done: int) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    columns += [TimeElapsedColumn()] if total is None else [TimeRemainingColumn(), TextColumn("left")]
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total, completed=done)

        class Bar:
            def advance(self) -> None:
                bar.advance(task)

            def say(self, message: str) -> None:
                bar.console.print(message, highlight=False)

        yield Bar()


def _duration(seconds: float) -> str:
    """``"2 h 05 min"``, ``"3 min 10 s"``, ``"8 s"``."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    if whole >= 60:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole} s"
