"""Which sessions are open in this server? A session is read from its file at the first request, and has a lock.

Example:
    towerlab serve
"""

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from towerlab.analysis.catalog import GAMES
from towerlab.analysis.saved_games import read_header, read_lines
from towerlab.games.errors import TowerlabError
from towerlab.table.game import level_name

MOST_OPEN: Final = 80
MOST_LISTED: Final = 30
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,80}")


class NoSuchSession(TowerlabError):
    """No session of that name is in the folder."""


class TableBusyError(TowerlabError):
    """Somebody else is at that table."""


class HasFile(Protocol):
    """Anything that is kept in a file of the folder."""

    path: Path | None


Opened = TypeVar("Opened", bound=HasFile)


class SessionSummary(NamedTuple):
    """A saved table, for the list."""

    name: str
    game: str
    players: tuple[str, ...]
    actions: int
    result: str
    when: str


class Sessions(Generic[Opened]):
    """The sessions of a folder, or what else is kept in files of its own.

    Args:
        folder: the folder of the files.
        read: a function that reads a file.
        names: the sessions that may begin without a file.
    """

    def __init__(self, folder: Path, read: Callable[[Path], Opened], names: Collection[str] = ()) -> None:
        self.folder = folder
        self._read = read
        self._names = names
        self._open: OrderedDict[str, tuple[Opened, threading.RLock]] = OrderedDict()  # and who may touch it now
        self._busy = threading.Lock()

    def add(self, session: Opened) -> str:
        """Return the name of a session whose file lies in the folder."""
        assert session.path is not None
        with self._busy:
            self._keep(session.path.stem, session)
        return session.path.stem

    @contextmanager
    def hold(self, name: str, patience: float = -1) -> Iterator[Opened]:
        """Yield a session that nobody else can use meanwhile.

        Args:
            name: the name of the session.
            patience: seconds to wait while another request is at it; below 0 as long as it takes.

        Raises:
            NoSuchSession: nothing of that name lies in the folder.
            TableBusyError: it is not free in time.
            TowerlabError: its file is damaged.
        """
        session, busy = self._find(name)
        if not busy.acquire(timeout=patience):
            raise TableBusyError("the table is at work; expected to be asked again in a second")
        try:
            yield session
        finally:
            busy.release()

    def list_latest(self) -> list[SessionSummary]:
        """Return the tables last played at."""
        sessions = []
        for path in sorted(self._files().values(), key=lambda path: -_changed(path))[:MOST_LISTED]:
            try:
                lines = read_lines(path)
                head = read_header(lines)
                table = head.get("table") or {}
                seated = table.get("players", ())
                players = tuple(level_name(head["game"], str(player)) for player in seated)
                result = str(table.get("result", ""))
            except (TowerlabError, AttributeError, TypeError):  # not of ours
                continue
            when = time.strftime("%d %b %Y, %H:%M", time.localtime(_changed(path)))
            title = GAMES[head["game"]].title if head["game"] in GAMES else head["game"]
            sessions.append(SessionSummary(path.stem, title, players, len(lines) - 1, result, when))
        return sessions

    def _find(self, name: str) -> tuple[Opened, threading.RLock]:
        with self._busy:
            if name in self._open:
                self._open.move_to_end(name)
                return self._open[name]
            path = self.folder / f"{name}.jsonl" if name in self._names else self._files().get(name)
            if path is None:
                raise NoSuchSession("there is no such table; expected one of the list")
            return self._keep(name, self._read(path))

    def _keep(self, name: str, session: Opened) -> tuple[Opened, threading.RLock]:
        self._open[name] = session, threading.RLock()
        for old in list(self._open)[: max(0, len(self._open) - MOST_OPEN)]:
            if (busy := self._open[old][1]).acquire(blocking=False):  # nobody is at it: its file has everything
                del self._open[old]
                busy.release()
        return self._open[name]

    def _files(self) -> dict[str, Path]:
        """Return the files of the folder by name: what a request names is looked up here and never becomes a path."""
        return {path.stem: path for path in self.folder.glob("*.jsonl") if _NAME.fullmatch(path.stem)}


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
