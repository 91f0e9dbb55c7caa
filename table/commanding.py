"""How is a session, a record or a training opened by name?

Example:
    towerlab train bowers
"""

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from towerlab.analysis import present
from towerlab.analysis.catalog import GAMES, find_game
from towerlab.analysis.players import find_player, stored_player
from towerlab.analysis.saved_games import default_folder, hold, new_file, read_games, read_header, read_lines
from towerlab.games.errors import TowerlabError
from towerlab.games.options import parse_options
from towerlab.table.game import TableGame
from towerlab.table.many_games import reviews_of
from towerlab.table.record import Recording, is_record, read_record
from towerlab.table.review import REFERENCES, GameReview, review_lines
from towerlab.table.session import Lineup, Session, new_seed, seat_players
from towerlab.table.showing import ShownGame, show_game
from towerlab.table.train import Trainer, own_decisions, read_training

Found = TypeVar("Found")


def table_of(name: str | None) -> TableGame:
    """Return the game's part of the table.

    Raises:
        TowerlabError: no such game, or none named.
    """
    if name is None:
        raise TowerlabError(f"no game named; expected one of: {', '.join(GAMES)}")
    game: TableGame = find_game(name).load("table")
    return game


def _rules(name: str | None, options: Sequence[str]) -> tuple[TableGame, Any]:
    """Return a game at the table and its rules with some options, ``name=value``."""
    table = table_of(name)
    return table, parse_options(find_game(table.name).load("options"), options)


def game_of_file(path: Path) -> TableGame:
    """Return the game of a transcript.

    Raises:
        TowerlabError: no transcript, or an unknown game.
    """
    return table_of(read_header(read_lines(path))["game"])


def of_every_game(path: Path, ask: Callable[[list[str], TableGame], Found]) -> list[Found]:
    """Return what is found about each game of a file, asked with its lines.

    Raises:
        TowerlabError: no transcript, an unknown game, or what is asked raises it; where there are several games, the
            number of the game is named.
    """
    games = read_games(path)
    answers = []
    for number, lines in enumerate(games, 1):
        try:
            answers.append(ask(lines, table_of(read_header(lines)["game"])))
        except TowerlabError as error:
            if len(games) == 1:
                raise
            raise TowerlabError(f"game {number}: {error}") from error
    return answers


def review_all(
    path: str | Path, reference: object = REFERENCES[0], seats: Sequence[int] | None = None, quiet: bool = True
) -> list[GameReview]:
    """Return the review of every game of a file; the arguments are those of `table.review.review_lines`.

    Raises:
        TowerlabError: as `of_every_game`.
    """
    return of_every_game(
        Path(path), lambda lines, game: review_lines(lines, game, seats, reference=reference, quiet=quiet)
    )


def show_all(path: str | Path) -> list[ShownGame]:
    """Return every game of a file in words.

    Raises:
        TowerlabError: as `of_every_game`.
    """
    return of_every_game(Path(path), show_game)


def read_session(path: Path, own: Collection[str] = ()) -> Session:
    """Return a session read back from its file; `own` are players of the user's that may sit there.

    Raises:
        TowerlabError: what is wrong with the file.
    """
    return Session.resume(game_of_file(path), path, own)


def open_session(
    game: str | None,
    *,
    against: str | None = None,
    own: Collection[str] | None = None,
    seat: int | None = None,
    people: int = 1,
    record: Path | None = None,
    resume: Path | None = None,
    seed: int | None = None,
    options: Sequence[str] = (),
    by_hand: bool = False,
    lesson: bool = False,
) -> Session:
    """Return a new session, or a saved one.

    Args:
        game: the name of the game; may be left out with `resume`.
        against: the players in the other seats, separated by commas; the game's usual one for None.
        own: the user's own players that may sit there besides stored ones; None where any player may.
        seat: the seat of the first person; None for seat 0, or for a drawn one in games where seat 0 always acts first.
        people: the number of people who share the screen, in the seats from there on.
        record: the file; None for one in the user's data folder. It must not exist.
        resume: a file to go on with.
        seed: the seed of the cards; None draws one.
        options: rule options, ``name=value``.
        by_hand: whether people cut, sort and face cards themselves.
        lesson: a first game that is explained, with its own opponent, cards and options.

    Raises:
        TowerlabError: what cannot be.
    """
    if resume is not None:
        if record is not None or options or by_hand:
            raise TowerlabError("--resume goes on as the game was begun; expected no --record, --option or --by-hand")
        session = read_session(resume, against.split(",") if against else ())
        if game not in (None, session.game.name):
            raise TowerlabError(f"{resume} is a game of {session.game.name}, not of {game}")
        return session
    if lesson:
        if (first := table_of(game).lesson) is None:
            having = ", ".join(name for name in GAMES if table_of(name).lesson)
            raise TowerlabError(f"{game} has no lesson; expected one of: {having}")
        options = first.options
        against = first.against
        seed = first.seed
        people = 1
        seat = 0
    table, rules = _rules(game, options)
    names = (table.levels.get(level, (level,))[0] for level in map(str.strip, (against or table.against).split(",")))
    named = [find_player(name, table.name) if own is None else stored_player(name, table.name, own) for name in names]
    seed = new_seed() if seed is None else seed
    seats = table.seats(rules)
    if seat is None:
        seat = int(np.random.default_rng(seed).integers(seats)) if table.draws_seat and people < seats else 0
    players = seat_players(named, seats, seat, people)
    path = _unused(record) or new_file(default_folder(), table.name)
    return Session.begin(table, rules, Lineup(players, seed, by_hand, lesson), path)


def _unused(record: Path | None) -> Path | None:
    if record is not None and record.exists():
        raise TowerlabError(f"{record} exists; expected --resume {record} to go on with it, or another name")
    return record


def open_recording(
    game: str | None,
    *,
    seat: int,
    record: Path | None,
    resume: Path | None,
    options: Sequence[str] = (),
    begin: Sequence[str] = (),
) -> Recording:
    """Return a new record of a real game, or one to go on with; the other arguments are those of `open_session`.

    Args:
        begin: the place in a match where it begins, ``score=1,2`` and the like; ``dealer`` counts players from 1.

    Raises:
        TowerlabError: what cannot be.
    """
    if resume is not None:
        if record is not None or options or begin:
            raise TowerlabError("--resume goes on as the record was begun; expected no --out, --option or --begin")
        return read_recording(resume)
    table, rules = _rules(game, options)
    path = _unused(record) or new_file(default_folder() / "records", table.name)
    start = dict(map(_read_begin, begin))
    for dealer in start.get("dealer", ()):
        if not 0 <= dealer < table.seats(rules):
            raise TowerlabError(f"there is no dealer {dealer + 1}; expected 1 to {table.seats(rules)}")
    recording = Recording(table, rules, seat, path, start)
    recording.save()
    recording.held = hold(path)
    return recording


def _read_begin(text: str) -> tuple[str, list[int]]:
    name, _, numbers = text.partition("=")
    if not re.fullmatch(r"-?\d{1,6}(,-?\d{1,6})*", numbers):
        raise TowerlabError(f"--begin {text[:40]!r} is no place in a match; expected such as score=1,2 or dealer=1")
    return name, [int(number) - (name == "dealer") for number in numbers.split(",")]


def read_recording(path: Path) -> Recording:
    """Return a record read back from its file.

    Raises:
        TowerlabError: it is open elsewhere, or what is wrong with it.
    """
    held = hold(path)
    lines = read_lines(path)
    if not is_record(lines):
        raise TowerlabError(f"{path} is no record of one seat's views; expected one of `towerlab record`")
    recording = read_record(lines, table_of(read_header(lines)["game"]), path)
    recording.held = held
    return recording


def open_training(game: str, folder: Path, games: Path | None = None, series: str = "") -> Trainer:
    """Return the training of a game that lies in a folder, or a new one.

    Args:
        games: a folder of one's own games, whose costliest decisions are asked, too.
        series: the kind of decision that is asked; empty for all.

    Raises:
        TowerlabError: no such game or series, or a file that is open elsewhere or cannot be read.
    """
    table = table_of(game)
    path = folder / f"{game}.jsonl"
    held = hold(path)
    trainer = read_training(path, table) if path.exists() else Trainer(table, path)
    trainer.held = held
    if games is not None:
        present.note(take_own_games(trainer, games))
    trainer.begin_series(series)
    return trainer


def take_own_games(trainer: Trainer, folder: Path) -> str:
    """Have the mistakes in the games of a folder asked as well; return what was found, in a sentence."""
    reviews = [review for _, review in reviews_of(folder, game=trainer.game.name)]
    games = [review for review in reviews if isinstance(review, GameReview)]
    trainer.own = own_decisions(trainer, games)
    left = len(reviews) - len(games)
    return f"{len(trainer.own)} of your own mistakes are asked, from {present.number_of(len(games), 'game')}" + (
        f"; {left} of {len(reviews)} games left out: no game to review." if left else "."
    )
