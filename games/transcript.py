"""Recorded games: JSON lines, a header and then one action a line.

    {"game": "towers", "options": {"layout": "square"}, "version": 1}
    {"action": "deal", "pack": ["4", "K", …]}
    {"action": "play", "player": 0, "card": "J", "columns": [4]}

What chance decided (a shuffled pack, a fall) is an action like any other, so a transcript replays to the same state
without a random generator. Each engine says which actions it takes; this file reads and writes them, and for engines
whose actions bear the names of their methods it calls these (`take_action`).
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import keyword
from collections.abc import Callable, Collection, Iterable, Iterator
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


def take_action(
    engine: object,
    action: Action,
    actions: Collection[str],
    read_argument: Callable[[str, str, Any], Any],
    player_of: Callable[[str], int | None],
    says_who: Collection[str] = (),
) -> object:
    """Take a JSON action by the engine's method x of its name, if its `verify_x` allows it.

    A name that is a word of Python's, such as ``pass``, stands for the method with an underscore behind it.

    Args:
        engine: has the methods; their arguments bear the names they have in the action.
        action: such as ``{"action": "play", "card": "JS"}``.
        actions: the names there are.
        read_argument: (action's name, argument's name, JSON value) → the argument as the method takes it.
        player_of: (action's name) → the only player who can take it now.
        says_who: names of the actions that several players may take; their `player` is an argument of the method.

    Returns:
        What the method returns.

    Raises:
        IllegalAction: the rules do not allow it now.
        TowerlabError: no such action, an argument of the wrong kind, or another player's turn.
    """
    arguments = dict(action)
    name = arguments.pop("action", None)
    if name not in actions:
        raise TowerlabError(f"unknown action {name!r}; expected one of {', '.join(actions)}")
    attribute = f"{name}_" if keyword.iskeyword(name) else name
    method: Callable[..., object] = getattr(engine, attribute)
    player = None if name in says_who else arguments.pop("player", None)
    values = {key: read_argument(name, key, value) for key, value in arguments.items()}
    try:
        call = inspect.signature(method).bind(**values)
    except TypeError as error:
        raise TowerlabError(f"action {name}: {error}") from error
    getattr(engine, f"verify_{attribute}")(*call.args)
    expected = player_of(name)
    if player not in (None, expected):
        raise TowerlabError(f"action {name} by player {player!r}; it is player {expected}'s turn")
    return method(*call.args)


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
