"""Files that one process writes at a time: studies, saved games, records, trainings."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from towerlab.games.errors import TowerlabError


class Lock:
    """A file held for oneself until it is let go or dropped, or the process ends, however it does.

    On Windows and on file systems without such locks there is no lock.

    Args:
        path: the lock's own file, which is made, and taken away when it is let go.
        busy: the error if another process has it.

    Raises:
        TowerlabError: another process has it.
    """

    def __init__(self, path: Path, busy: str) -> None:
        self.release: Callable[[], object] = lambda: None
        try:
            import fcntl

            while True:
                held = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
                try:
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if os.path.samestat(os.fstat(held), path.stat()):
                        break
                except FileNotFoundError:  # removed by its last holder
                    pass
                except BaseException:
                    os.close(held)
                    raise
                os.close(held)
        except BlockingIOError:
            raise TowerlabError(busy) from None
        except (ImportError, OSError):
            return
        self.release = weakref.finalize(self, _let_go, path, held)


def _let_go(path: Path, held: int) -> None:
    with suppress(OSError):
        path.unlink()
    os.close(held)
