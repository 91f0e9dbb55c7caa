"""How far is the work? Notes and progress on stderr.

In a terminal, progress is a bar with the time left; in a log, a line after a second and then every ten seconds; if
`quiet`, nothing.

>>> with open_progress("rows", 2, quiet=True) as advance:
...     advance()
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

SECONDS_BETWEEN_LINES = 10.0
FIRST_LINE = 1.0  # seconds


def note(message: str, quiet: bool = False) -> None:
    """Print a line on stderr unless `quiet`."""
    if not quiet:
        print(message, file=sys.stderr, flush=True)


@contextmanager
def open_progress(
    title: str, total: int, quiet: bool, done: int = 0, unit: str = "chunk"
) -> Iterator[Callable[[], None]]:
    """Yield a function that counts one more from `done` to `total` at a call, shown in the form that suits stderr."""
    if quiet:
        yield lambda: None
    elif sys.stderr.isatty():
        with _bar(title, total, done) as advance:
            yield advance
    else:
        with closing(_Lines(title, total, done, unit)) as lines:
            yield lines.advance


class _Lines:
    """Lines of progress for logs and pipes: work of less than a second prints nothing, whatever it waits for.

    The time left follows from the pace since the first chunk, which may have compiled kernels and read tables for all.
    """

    def __init__(self, title: str, total: int, done: int, unit: str) -> None:
        self._title = title
        self._total = total
        self._done = done
        self._unit = unit
        self._first = done + 1
        self._is_over = threading.Event()
        self._began = self._printed = time.monotonic()
        threading.Thread(target=self._wait, daemon=True).start()

    def advance(self) -> None:
        self._done += 1
        now = time.monotonic()
        if self._done == self._first:
            self._began = now
        if now - self._printed >= SECONDS_BETWEEN_LINES:
            self._say(now)

    def close(self) -> None:
        self._is_over.set()

    def _say(self, now: float) -> None:
        self._printed = now
        text = f"{self._title}: {self._done} of {self._total} {self._unit}{'s' * (self._total != 1)}"
        if self._done > self._first:
            pace = (now - self._began) / (self._done - self._first)
            text += f", {_duration(pace * (self._total - self._done))} left"
        note(text)

    def _wait(self) -> None:
        """Print while nothing advances."""
        least = FIRST_LINE
        while not self._is_over.wait(max(least, FIRST_LINE)):
            if (now := time.monotonic()) - self._printed >= least:
                self._say(now)
            least = SECONDS_BETWEEN_LINES


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
    """Return ``"2 h 05 min"``, ``"3 min 10 s"``, ``"8 s"``."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    if whole >= 60:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole} s"
