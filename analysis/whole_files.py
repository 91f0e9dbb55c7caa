"""How is a file written so that it is whole or missing, and by one process at a time?

It is written under another name, then renamed; of studies, saved games, records and trainings a process holds a lock.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     write_whole(Path(folder) / "answer.txt", "61.3 %")
...     (Path(folder) / "answer.txt").read_text()
'61.3 %'
"""

import os
import secrets
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from towerlab.games.errors import TowerlabError


@contextmanager
def whole_file(path: Path, *, is_private: bool = False) -> Iterator[Path]:
    """Yield a path to write to; where all goes well it becomes the file, else the old file stays as it was.

    A link is followed. A device or a pipe is written to as it is.

    Args:
        is_private: whether only this user may read the file, or look into a folder made for it.

    Raises:
        OSError: the file cannot be written.
    """
    if (path.exists() and not path.is_file()) or path.is_relative_to("/dev"):
        yield path
        return
    place = Path(os.path.realpath(path))
    place.parent.mkdir(0o700 if is_private else 0o777, parents=True, exist_ok=True)
    mode = 0o600 if is_private else place.stat().st_mode & 0o777 if place.exists() else 0o666
    unfinished = place.with_name(f".{place.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield unfinished
        unfinished.replace(place)
    except BaseException as error:
        with suppress(OSError):
            unfinished.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(unfinished)):  # such as of a full disk
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error  # as the user knows it
        raise


def write_whole(path: Path, content: str | bytes, *, is_private: bool = False) -> None:
    """Write a text (in UTF-8, as it is) or bytes as a file in one step; its arguments are those of `whole_file`.

    Raises:
        TowerlabError: the file cannot be written.
    """
    try:
        with whole_file(path, is_private=is_private) as unfinished:
            unfinished.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise TowerlabError(f"{path} cannot be written: {error.strerror}; expected a folder that can") from error


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
