"""Recorded games: JSON lines, a header and then one action a line.

    {"game": "towers", "options": {"layout": "square"}, "version": 1}
    {"action": "deal", "pack": ["4", "K", …]}
    {"action": "play", "player": 0, "card": "J", "columns": [4]}

What chance decided (a shuffled pack, a fall) is an action like any other, so a transcript replays to the same state
without a random generator. Each engine says which actions it takes; this file only reads and writes them.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from games.errors import OptionError, TowerlabError, TranscriptError
from games.options import changed_options

VERSION = 1
Action = dict[str, Any]
Options = TypeVar("Options")
Engine = TypeVar("Engine")


def transcript_lines(game: str, options: Any, actions: Iterable[Action]) -> Iterator[str]:
    """The lines of a transcript, without line ends."""
    yield json.dumps({"game": game, "options": changed_options(options), "version": VERSION})
    for action in actions:
        yield json.dumps(action)


def replay(
    lines: Iterable[str],
    game: str,
    options_kind: type[Options],
    start: Callable[[Options], Engine],
    apply: Callable[[Engine, Action], object],
) -> Engine:
    """Play a transcript again.

    Args:
        lines: of a transcript of `game`.
        options_kind: dataclass of the game's options.
        start: a new engine with those options.
        apply: takes one action on the engine; raises a TowerlabError (or KeyError, TypeError for a malformed action).

    Raises:
        TranscriptError: the number of the line and what is wrong with it.
    """
    numbered = ((number, _read_line(number, line)) for number, line in enumerate(lines, 1) if line.strip())
    header = next((entry for _, entry in numbered), None)
    if header is None or header.get("game") != game:
        found = "nothing" if header is None else repr(header.get("game"))
        raise TranscriptError(f"line 1 is not the header of a {game} transcript; found {found}")
    if header.get("version") != VERSION:
        raise TranscriptError(f"line 1: transcript version {header.get('version')!r}; expected {VERSION}")
    engine = start(_read_options(header, options_kind))
    for number, action in numbered:
        try:
            apply(engine, action)
        except TowerlabError as error:
            raise TranscriptError(f"line {number}: {error}") from error
        except (KeyError, TypeError, AttributeError) as error:
            raise TranscriptError(f"line {number}: the action is incomplete or malformed: {error}") from error
    return engine


def _read_line(number: int, line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except json.JSONDecodeError as error:
        raise TranscriptError(f"line {number} is not JSON: {error}") from error
    if not isinstance(entry, dict):
        raise TranscriptError(f"line {number} is not a JSON object")
    return entry


def _read_options(header: dict[str, Any], kind: type[Options]) -> Options:
    stored = header.get("options", {})
    known = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if not isinstance(stored, dict) or not stored.keys() <= known:
        raise TranscriptError(f"line 1: unknown options {stored!r}; expected some of {', '.join(sorted(known))}")
    try:
        return kind(**stored)
    except OptionError as error:
        raise TranscriptError(f"line 1: {error}") from error
