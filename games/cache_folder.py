"""Where are compiled kernels kept? In the first folder that is this user's alone; signals wait while kernels are
loaded.

The folder's files are unpickled and run as machine code. A folder therefore counts only if nobody else can write to it
or to what is in it: no symbolic link, owned by this user, writable by neither group nor world.

>>> is_private(Path(os.devnull).stat(), stat.S_ISREG)
False
"""

import functools
import math
import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

_DAY = 86_400.0
_SECONDS_BETWEEN_NOTES = 10.0
_ENDING_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_announced: dict[str, float] = {}  # the kernels compiled so far, and when that was last said
patience = 0.0  # seconds for which Python runs a brief kernel that is not stored before it is compiled
has_run_in_python = False  # whether that has happened in this process
announces_compiling = False  # the command line says why its first answer takes seconds; a library says nothing


@functools.cache
def cache_root() -> Path | None:
    """Return the first private folder that can be written to, or None (then every process compiles for itself)."""
    named = os.environ.get("TOWERLAB_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    places = [Path(named)] if named else []
    places += [Path(home).expanduser() / "towerlab", Path(tempfile.gettempdir()) / f"towerlab-{_user()}"]
    for place in places:
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (place, *place.glob("numba-*"), *place.glob("numba-*/*")):
                if not is_private(folder.lstat(), stat.S_ISDIR):
                    print_note(f"note: {folder} may be written by others; compiled kernels are not kept there")
                    break
            else:
                with tempfile.TemporaryFile(dir=place):
                    return place
        except OSError as error:
            if named and place == Path(named):
                print_note(f"note: compiled kernels cannot be kept in {place}: {error.strerror}")
    print_note("note: no folder for compiled kernels is writable; compiling for this run only")
    return None


def is_private(status: os.stat_result, kind: Callable[[int], bool]) -> bool:
    """Return whether that is of this kind and only this user can write it."""
    mine = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
    return mine and kind(status.st_mode)


def mark_used(folder: Path) -> None:
    """Keep this folder for another month; remove the others where it is new."""
    with suppress(OSError):
        if time.time() - folder.stat().st_mtime > _DAY:
            os.utime(folder)
        return
    prune(folder.parent.parent)


@functools.cache
def prune(root: Path) -> None:
    """Remove what no sources or no numba in use has asked for in a month; called when something new is compiled."""
    for folder in root.glob("numba-*/*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > 30 * _DAY:
                shutil.rmtree(folder, ignore_errors=True)


def announce_compiling() -> None:
    """Say before a kernel is compiled that it takes a while, then every ten seconds how many have been compiled."""
    now = time.monotonic()
    kernels = int(_announced.get("kernels", 0))
    if announces_compiling and now - _announced.get("at", -math.inf) >= _SECONDS_BETWEEN_NOTES:
        so_far = f": {kernels} so far" if "at" in _announced else " for their first use"
        _announced["at"] = now
        print(f"compiling kernels{so_far}", file=sys.stderr, flush=True)
    _announced["kernels"] = kernels + 1


@contextmanager
def run_first_in_python(seconds: float = 0.5) -> Iterator[None]:
    """Have Python run brief kernels that are not stored: a rule takes it milliseconds, compiling the rule seconds.

    Args:
        seconds: the time that a kernel has run in Python before it is compiled.
    """
    global patience
    before = patience
    patience = seconds
    try:
        yield
    finally:
        patience = before


@contextmanager
def hold_signals() -> Iterator[None]:
    """Hold back signals that have a Python handler, and deliver them at the end.

    LLVM calls numba back while it loads or compiles a kernel: there the exception of a handler would be lost, or would
    leave memory freed twice.
    """
    held: list[int] = []

    def hold(number: int, _: FrameType | None) -> None:
        held.append(number)

    def deliver() -> None:
        for number in held:
            signal.raise_signal(number)

    with ExitStack() as ends:
        ends.callback(deliver)
        if threading.current_thread() is threading.main_thread():  # the only one that handles signals
            for number in _ENDING_SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler):
                    ends.callback(signal.signal, number, handler)
                    signal.signal(number, hold)
        yield


@functools.cache
def print_note(message: str) -> None:
    """One line on stderr, once a process."""
    print(message, file=sys.stderr, flush=True)


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"
