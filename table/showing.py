"""What happened in a recorded game? All hands, then every card; and whether the transcript is sound.

Example:
    towerlab show towie.jsonl
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from towerlab.analysis.catalog import GAMES
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.saved_games import read_header
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.options import options_in_words
from towerlab.table.drawing import card_words
from towerlab.table.game import TableGame
from towerlab.table.record import Recording, hide_cards, is_record, read_record
from towerlab.table.session import read_lineup, verdict_of
from towerlab.table.unknown import UNKNOWN


@dataclass(frozen=True)
class ShownGame(Answer, shown_by="towerlab.table.present:shown_report", table="lines", keys="actions verdict lines"):
    """A game in words.

    Attributes:
        game, title: the name of the game for programs, and for people.
        lines: the lines of the game, card by card, all hands open.
        actions: the number of actions.
        verdict: the words for how the game ended, or that it is unfinished.
    """

    game: str
    title: str
    lines: tuple[str, ...]
    actions: int
    verdict: str


def show_game(lines: Sequence[str], game: TableGame) -> ShownGame:
    """Return a recorded game, every card open; of a record of views what its seat saw.

    Raises:
        TranscriptError: the number of the line and what is wrong with it.
    """
    record = read_record(lines, game) if is_record(lines) else None
    engine, known = (record.layout.engine, (record.seat,)) if record else (game.replay(lines), None)
    names = seat_names(lines, game, engine)
    title = f"{game.title}, {', '.join(names)}"
    changed = options_in_words(engine.options)
    rules = [f"Rules unlike the usual ones: {changed}"] if changed else []
    words = (title, *rules, *_words(game, engine, names, known, record))
    verdict = verdict_of(game, engine, names)
    return ShownGame(game.name, game.title, words, engine.length, verdict, options=engine.options)


def to_pbn(lines: Sequence[str], game: TableGame) -> str:
    """Return a recorded game in the Portable Bridge Notation.

    Raises:
        TowerlabError: the game has no such notation, or the transcript cannot be played.
    """
    if game.pbn is None:
        having = " or ".join(entry.title for entry in GAMES.values() if entry.writes_pbn)
        raise TowerlabError(f"{game.title} is not written in PBN; expected a game of {having}")
    return game.pbn(game.replay(lines))


def seat_names(lines: Sequence[str], game: TableGame, engine: Engine[Any, Any]) -> tuple[str, ...]:
    """Return the players' names: as the header says, with their numbers."""
    head = read_header(lines)
    if head.get("table") is None:
        return tuple(f"player {seat + 1}" for seat in engine.seats)
    players = read_lineup(head, game, engine.options).players
    return tuple(f"player {seat + 1} ({player})" for seat, player in enumerate(players))


def _words(
    game: TableGame,
    engine: Engine[Any, Any],
    names: Sequence[str],
    known: Sequence[int] | None,
    record: Recording | None,
) -> Iterator[str]:
    again = engine.reset_copy()
    made_up = record.made_up if record else Counter[str]()
    held: list[frozenset[str]] = [frozenset() for _ in names]
    for number, action in enumerate(engine.actions, 1):
        was_chance = again.to_act is None
        returned = again.apply(action)
        actor = action.get("player")
        seat = actor if type(actor) is int and 0 <= actor < len(names) else 0
        seat = seat if known is None else known[0]
        line = game.line_with_effect(action, returned, again.view(seat), names)
        unsure = made_up if record and number > record.layout.first else Counter[str]()
        if line is not None:
            yield f"{number:4}  {hide_cards(line, unsure)}"
        if was_chance:
            for place in again.seats if known is None else known:
                hand = game.hand(again, place)
                if hand and frozenset(hand) - held[place]:
                    surely = Counter(map(card_words, hand)) - unsure
                    said = [*surely.elements(), *[UNKNOWN] * (len(hand) - surely.total())]
                    yield f"      {names[place]} holds {' '.join(said)}"
                held[place] = frozenset(hand)
