"""Sessions as files: a transcript whose header also tells who sits where. Appended and flushed after every action.

    {"game": "towers", "options": {}, "version": 1, "table": {"players": ["human", "novice"], "seed": 7}}
    {"action": "deal", …}

What a process had written before it was killed is in the file; a last line that was cut off is dropped when read.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from games.errors import TowerlabError, TranscriptError
from games.options import changed_options
from games.transcript import VERSION, Action
from games.untrusted import JsonError, parse_json, read_text

FOLDER_VARIABLE: Final = "TOWERLAB_TABLES"


def default_folder() -> Path:
    """Where sessions go unless told otherwise: ``$TOWERLAB_TABLES``, or ``towerlab/tables`` in the user's data."""
    if os.environ.get(FOLDER_VARIABLE):
        return Path(os.environ[FOLDER_VARIABLE])
    data = os.environ.get("XDG_DATA_HOME") or (os.environ.get("LOCALAPPDATA") if os.name == "nt" else None)
    return (Path(data) if data else Path.home() / ".local" / "share") / "towerlab" / "tables"


def new_file(folder: Path, game: str) -> Path:
    """A path that is not taken, such as ``towers-20261122-0131-9f2c.jsonl``."""
    return folder / f"{game}-{time.strftime('%Y%m%d-%H%M')}-{secrets.token_hex(4)}.jsonl"


def header_line(game: str, options: Any, table: Mapping[str, Any]) -> str:
    """The first line of a session."""
    head = {"game": game, "options": changed_options(options), "version": VERSION, "table": dict(table)}
    return json.dumps(head, ensure_ascii=False)


def write_session(path: Path, header: str, actions: Iterable[Action]) -> None:
    """The whole file anew, in one step: whoever reads sees the old one or the new one.

    Raises:
        TowerlabError: the file cannot be written.
    """
    write_whole(path, "".join(f"{line}\n" for line in (header, *(json.dumps(action) for action in actions))))


def write_whole(path: Path, text: str) -> None:
    """A text as a file, in one step.

    Raises:
        TowerlabError: the file cannot be written.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise TowerlabError(f"{path} cannot be written: {error.strerror}; expected a folder that can") from error


def check_page_path(path: Path) -> None:
    """Refuse what cannot be the file of a page.

    Raises:
        TowerlabError: another suffix than ``.html``, or a folder.
    """
    if path.suffix.lower() not in (".html", ".htm") or path.is_dir():
        raise TowerlabError(f"--out is {path}; expected a file whose name ends in .html")


def append_action(path: Path, action: Action) -> None:
    """One more line, flushed.

    Raises:
        TowerlabError: the file cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(action) + "\n")
    except OSError as error:
        raise TowerlabError(f"{path} cannot be written: {error.strerror}; expected a file that can") from error


def read_lines(path: Path) -> list[str]:
    """The lines of a transcript, without a last one that was cut off in writing.

    Raises:
        TowerlabError: no regular file of text, or a larger one than `games.untrusted` reads.
    """
    *lines, last = read_text(path, "a transcript of JSON lines").split("\n")
    return [*lines, last] if _is_json(last) else lines


def read_header(lines: Sequence[str]) -> dict[str, Any]:
    """The header of a transcript.

    Raises:
        TranscriptError: the first line is none.
    """
    first = next((line for line in lines if line.strip()), "")
    try:
        head = parse_json(first)
    except JsonError:
        head = None
    if not isinstance(head, dict) or not isinstance(head.get("game"), str):
        raise TranscriptError('line 1 is not the header of a transcript; expected {"game": …, "options": …}')
    return head


def _is_json(line: str) -> bool:
    try:
        parse_json(line)
    except JsonError:
        return False
    return True
