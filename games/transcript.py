"""How is a game recorded? In lines of JSON, a header and then one record a line.

    {"game": "towers-and-bowers", "options": {"claims": "free"}, "version": 1}
    {"action": "shuffle_starter", "turner": 0, "pack": ["AD", "JD", …]}
    {"action": "play", "player": 0, "card": "9D"}

The header names the game, the rule options that differ from the defaults (`towerlab options GAME` lists them) and the
version of the format, 1. A record names its ``action`` and, where a player takes it, the seat as ``player``; the other
keys are the action's own:

- cards are texts of rank and suit, ``"TS"``, ``"X1"`` for a joker; several are a list, a pack from its top. A card of
  Towers is a rank alone, a call a text (``"pass"``, ``"P"``, ``"5S"``, ``"3NT"``, ``"X"``), a suit a letter.
- seats, counts and places are whole numbers; seats count from 0, tricks and columns from 1. A fall is true or false.

A result of chance (a shuffled pack, a cut, a fall) is a record like any other, so a transcript replays to the same
state without a random generator. Empty lines are skipped. Each engine says which actions it takes (`ACTIONS`) and
`games.engine` how they are read; this file reads and writes the lines.

Towers & Bowers, in the order of a hand (those in brackets only where they happen)::

    shuffle_starter turner pack | turn …   the starter of a tower, with starter=procedure
    shuffle player pack | cut position or decline_cut | deal packets
    accept, pass, name suit | discard card | play card | [correct card]
    [claim player tricks, concede player tricks, consent, insist]
    [accuse player trick, take_penalty, decline_penalty, offer_undo, accept_undo, decline_undo]
"""

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from towerlab.games.errors import OptionError, TowerlabError, TranscriptError, quote_value
from towerlab.games.options import changed_options
from towerlab.games.untrusted import JsonError, parse_json

VERSION = 1
Action = dict[str, Any]
Options = TypeVar("Options")
Engine = TypeVar("Engine")


def transcript_lines(game: str, options: Any, records: Iterable[str]) -> Iterator[str]:
    """Return the lines of a transcript, without line ends; the records are lines already."""
    yield json.dumps({"game": game, "options": changed_options(options), "version": VERSION})
    yield from records


def replay(
    lines: Iterable[str],
    game: str,
    options_kind: type[Options],
    start: Callable[[Options], Engine],
    apply: Callable[[Engine, Action], object],
) -> Engine:
    """Play a transcript again.

    Args:
        lines: the lines of a transcript of `game`.
        options_kind: dataclass of the game's options.
        start: a new engine with those options.
        apply: a function that takes one action on the engine; raises a TowerlabError.

    Raises:
        TranscriptError: the number of the line and what is wrong with it.
    """
    numbered = ((number, _read_line(number, line)) for number, line in enumerate(lines, 1) if line.strip())
    header = next((entry for _, entry in numbered), None)
    if header is None or header.get("game") != game:
        name = "nothing" if header is None else quote_value(header.get("game"))
        raise TranscriptError(f"line 1 is not the header of a {game} transcript; found {name}")
    if header.get("version") != VERSION:
        raise TranscriptError(f"line 1: transcript version {quote_value(header.get('version'))}; expected {VERSION}")
    engine = start(_read_options(header, options_kind))
    for number, action in numbered:
        try:
            apply(engine, action)
        except TowerlabError as error:
            raise TranscriptError(f"line {number}: {error}") from error
    return engine


def _read_line(number: int, line: str) -> dict[str, Any]:
    try:
        entry = parse_json(line)
    except JsonError as error:
        raise TranscriptError(f"line {number} is not JSON: {error}") from error
    if not isinstance(entry, dict):
        raise TranscriptError(f"line {number} is not a JSON object")
    return entry


def _read_options(header: dict[str, Any], kind: type[Options]) -> Options:
    stored = header.get("options", {})
    known = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if not isinstance(stored, dict) or not stored.keys() <= known:
        raise TranscriptError(
            f"line 1: unknown options {quote_value(stored)}; expected some of {', '.join(sorted(known))}"
        )
    try:
        return kind(**stored)
    except OptionError as error:
        raise TranscriptError(f"line 1: {error}") from error
