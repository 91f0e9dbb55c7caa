"""How is a game saved? As a transcript whose header also names the seats. Appended and flushed after every action.

    {"game": "towers", "options": {}, "version": 1, "table": {"players": ["human", "novice"], "seed": 7}}
    {"action": "deal", …}

What a process had written before it was killed is in the file; a last line that was cut off is dropped when read, and
taken out of the file before anything is appended. Sessions hold every hidden hand: only their owner can read them.
"""

import contextlib
import errno
import itertools
import json
import os
import secrets
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from towerlab.analysis.whole_files import Lock, write_whole
from towerlab.games.errors import TowerlabError, TranscriptError
from towerlab.games.options import changed_options
from towerlab.games.transcript import VERSION, Action
from towerlab.games.untrusted import JsonError, parse_json, read_bytes, read_text

_HELD: Final = weakref.WeakValueDictionary[Path, Lock]()
FOLDER_VARIABLE: Final = "TOWERLAB_TABLES"


def default_folder() -> Path:
    """Return the usual folder of sessions: ``$TOWERLAB_TABLES``, or ``towerlab/tables`` in the user's data."""
    if os.environ.get(FOLDER_VARIABLE):
        return Path(os.environ[FOLDER_VARIABLE])
    data = os.environ.get("XDG_DATA_HOME") or (os.environ.get("LOCALAPPDATA") if os.name == "nt" else None)
    return (Path(data) if data else Path.home() / ".local" / "share") / "towerlab" / "tables"


def new_file(folder: Path, game: str) -> Path:
    """Return an unused path, such as ``towers-20261122-0131-9f2c.jsonl``."""
    return folder / f"{game}-{time.strftime('%Y%m%d-%H%M')}-{secrets.token_hex(4)}.jsonl"


def header_line(game: str, options: Any, table: Mapping[str, Any]) -> str:
    """Return the first line of a session."""
    head = {"game": game, "options": changed_options(options), "version": VERSION, "table": dict(table)}
    return json.dumps(head, ensure_ascii=False)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Replace the whole file in one step: a reader sees the old one or the new one.

    Raises:
        TowerlabError: the file cannot be written.
    """
    write_whole(path, "".join(f"{line}\n" for line in lines), is_private=True)


def check_page_path(path: Path) -> None:
    """Refuse a path that cannot be the file of a page.

    Raises:
        TowerlabError: another suffix than ``.html``, or a folder.
    """
    if path.suffix.lower() not in (".html", ".htm") or path.is_dir():
        raise TowerlabError(f"--out is {path}; expected a file whose name ends in .html")


def hold(path: Path) -> Lock:
    """Return the file held by this process, so that no other goes on with it meanwhile.

    Raises:
        TowerlabError: it is open elsewhere.
    """
    place = path.resolve()
    if (held := _HELD.get(place)) is None:
        with contextlib.suppress(OSError):  # of a training before its first decision
            place.parent.mkdir(0o700, parents=True, exist_ok=True)
        busy = f"{path} is open elsewhere, in a terminal or in `serve`; expected it to be left there first"
        held = _HELD[place] = Lock(place.with_name(f".{path.name}.lock"), busy)
    return held


def append_action(path: Path, action: Action) -> None:
    """One more line of a file, at once; all of it or nothing.

    Raises:
        TowerlabError: the file cannot be written, or is no longer there.
    """
    line = f"{json.dumps(action)}\n".encode()
    try:
        with path.open("r+b", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            if file.write(line) < len(line):
                file.truncate(end)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        raise TowerlabError(f"{path} cannot be written: {error.strerror}; expected a file that can") from error


def read_games(path: Path) -> list[list[str]]:
    """Return the lines of each game of a file, one at least, without a last line that was cut off in writing.

    Raises:
        TowerlabError: no regular file of text, or a larger one than `games.untrusted` reads.
    """
    *lines, last = read_text(path, "a transcript of JSON lines").split("\n")
    if _parsed(last) is not None:
        lines.append(last)
    further = [place for place, line in enumerate(lines) if place and _is_header(line)]
    return [lines[begin:end] for begin, end in itertools.pairwise([0, *further, len(lines)])]


def read_lines(path: Path) -> list[str]:
    """Return the lines of the only game of a file.

    Raises:
        TowerlabError: the errors of `read_games`, or there are several games in it.
    """
    first, *others = read_games(path)
    if others:
        raise TranscriptError(f"{path} holds {len(others) + 1} games; expected one")
    return first


def mend_end(path: Path, lines: Iterable[str]) -> None:
    """Take a last line that was cut off out of a file, so that none is appended to it.

    Args:
        lines: the lines of the file, as `read_lines` gives them.

    Raises:
        TowerlabError: the file cannot be written.
    """
    if not read_bytes(path, "a transcript").endswith(b"\n"):
        write_lines(path, lines)


def read_header(lines: Sequence[str]) -> dict[str, Any]:
    """Return the header of a transcript.

    Raises:
        TranscriptError: the first line is none.
    """
    head = _parsed(next((line for line in lines if line.strip()), ""))
    if not isinstance(head, dict) or not isinstance(head.get("game"), str):
        raise TranscriptError('line 1 is not the header of a transcript; expected {"game": …, "options": …}')
    return head


def _is_header(line: str) -> bool:
    head = _parsed(line) if '"game"' in line else None
    return isinstance(head, dict) and "game" in head and "action" not in head


def _parsed(line: str) -> Any:
    """Return the value of a line; None where it is no JSON."""
    try:
        return parse_json(line)
    except JsonError:
        return None
