"""What are the parts of a game of Towers, and what does a play or a raze do to any board? Frozen records.

Players are seats from 0, clockwise; a card is a rank (``"T"``) or its value 1..13, suits never matter.

>>> place_of((2, 3)), columns_of(place_of((2, 3)))  # a bridge
(5, (2, 3))
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.errors import IllegalAction
from towerlab.games.towers.board import Board, rank_text
from towerlab.games.towers.options import SPANS, TowersOptions
from towerlab.games.towers.rules import COLUMNS, STEPS, legal_places, new_log, resolve
from towerlab.games.towers.state import MOST_ACTIONS, legal_actions
from towerlab.games.transcript import Action
from towerlab.games.written import Record


class Phase(enum.StrEnum):
    """The phases of a game."""

    DEAL = "DEAL"  # chance: a shuffled pack, and who begins (TR-2)
    PLAY = "PLAY"  # a card (TR-3)
    RAZE = "RAZE"  # the player on turn has no legal play (TR-4)
    OVER = "OVER"  # all hands and the source are empty (TR-12)


@dataclass(frozen=True)
class LogEntry(Record):
    """Sections that went at the same moment.

    Attributes:
        step: ``match``, ``raze``, or a step of TR-8.
        cards: the ranks of the cards, column by column from the ground up; a bridge in its first column.
    """

    step: str
    cards: tuple[str, ...]


@dataclass(frozen=True)
class Resolution:
    """The changes that a play or a raze made to a board.

    Attributes:
        before, after: the boards.
        removed: ranks that nobody scores: the played card and its matches, or the razed tower.
        collected: ranks that the player on turn scores, in the order in which they went.
        log: the removal step by step, the removed ones first.
    """

    before: Board
    after: Board
    removed: tuple[str, ...]
    collected: tuple[str, ...]
    log: tuple[LogEntry, ...]


@dataclass(frozen=True)
class GameState:
    """Everything; equal states and options mean games that go on alike.

    Attributes:
        player: the seat on turn, None before the deal and after the end.
        hands: the values held by each seat, lowest first.
        source: the values still to be drawn, the next one first.
        points: the sections collected by each seat (TR-13).
        shown: for each seat the cards of its hand that everybody has seen in razing (TR-4), lowest first.
    """

    phase: Phase
    player: int | None
    board: Board
    hands: tuple[tuple[int, ...], ...]
    source: tuple[int, ...]
    points: tuple[int, ...]
    shown: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class View:
    """Everything one player has seen: enough to decide any of their actions, and nothing they may not know.

    Attributes:
        phase, to_act, board, points: the public state of the game.
        hand: the ranks that the player holds, lowest first.
        source: the number of cards left to draw.
        counts: the number of cards that each seat holds.
        shown: for each seat the ranks shown in razing and still held.
        unseen: ranks, lowest first, that lie in the source or in other hands and have not been shown to them.
    """

    player: int
    phase: Phase
    to_act: int | None
    board: Board
    points: tuple[int, ...]
    hand: tuple[str, ...]
    source: int
    counts: tuple[int, ...]
    shown: tuple[tuple[str, ...], ...]
    unseen: tuple[str, ...]


FIRST_PLAY: Final = 8  # lower actions raze a column


def place_of(columns: Sequence[int]) -> int:
    """Return the kernel's place for columns 1..4: one for a tower card, two for a bridge.

    Raises:
        IllegalAction: no such columns, or two that are never adjacent (TR-2, TR-5).
    """
    if len(columns) not in (1, 2) or any(column not in range(1, COLUMNS + 1) for column in columns):
        raise IllegalAction(f"columns {_join(columns)} do not exist; expected one of 1..4, or two such as 2-3", "TR-2")
    if len(columns) == 1:
        return columns[0] - 1
    first, second = columns[0] - 1, columns[1] - 1
    if (first + 1) % COLUMNS == second:
        return COLUMNS + first
    if (second + 1) % COLUMNS == first:
        return COLUMNS + second
    raise IllegalAction(f"columns {_join(columns)} are not adjacent; a bridge joins neighbours", "TR-5")


def columns_of(place: int) -> tuple[int, ...]:
    """Columns 1..4 of a kernel's place, in the order of the layout (4, 1 for the last side of a square)."""
    column = place % COLUMNS
    return (column + 1,) if place < COLUMNS else (column + 1, (column + 1) % COLUMNS + 1)


def actions_of(state: Array, rules: Array) -> Array:
    """Return every legal action of the player on turn: int64[actions].

    Arrays: state int64[6 + players, 53], rules int64[9].
    """
    actions = np.zeros(MOST_ACTIONS, dtype=np.int64)
    return actions[: legal_actions(state, rules, actions)]


def record_of(action: int, player: int) -> Action:
    """Return a kernel's action as a record."""
    if action < FIRST_PLAY:
        return {"action": "raze", "player": player, "column": action + 1}
    return {"action": "play", "player": player, "card": rank_text(action >> 3), "columns": list(columns_of(action & 7))}


def verify_place(board: Board, place: int, value: int, options: TowersOptions) -> None:
    """Check that a card may be played there (TR-5).

    Raises:
        IllegalAction: why not.
    """
    rules = options.rules()
    if legal_places(board.to_array(), value, rules) >> place & 1:
        return
    columns = columns_of(place)
    heights = board.heights
    if place < COLUMNS:
        top = rank_text(board.columns[place][-1] % 16)
        needs = f"column {columns[0]}; it needs its equal, a higher card or an ace"
        raise IllegalAction(f"{rank_text(value)} cannot stand on {top} of {needs}", "TR-5")
    name = f"columns {_join(columns)}"
    if place - COLUMNS >= rules[SPANS]:
        raise IllegalAction(f"{name} are adjacent only in a square; this layout is a line", "TR-2")
    first, second = (heights[column - 1] for column in columns)
    if first != second:
        raise IllegalAction(f"a bridge needs equal heights; {name} have {first} and {second}", "TR-5")
    if first == 0:
        raise IllegalAction(f"a bridge cannot rest on the ground; {name} are empty", "TR-5")
    raise IllegalAction(f"both ends would rest on one and the same bridge, the top of {name}", "TR-5")


def resolve_play(board: Board, place: int, value: int, options: TowersOptions) -> Resolution:
    """Play a card on any board (TR-7, TR-8).

    Raises:
        IllegalAction: the card may not be played there.
    """
    verify_place(board, place, value, options)
    array = board.to_array()
    log = new_log()
    resolve(array, 8 * value + place, options.rules(), log)
    return resolution_of(board, array, log)


def resolve_raze(board: Board, column: int, options: TowersOptions) -> Resolution:
    """Raze column 1..4 of any board, whether or not a game would force it (TR-11).

    Raises:
        IllegalAction: no such column, or nothing on it.
    """
    verify_tower(board, column)
    array = board.to_array()
    log = new_log()
    resolve(array, column - 1, options.rules(), log)
    return resolution_of(board, array, log)


def _join(columns: Sequence[int]) -> str:
    return "-".join(str(column) for column in columns)


def verify_tower(board: Board, column: int) -> None:
    """Check that column 1..4 stands (TR-11).

    Raises:
        IllegalAction: no such column, or nothing on it.
    """
    if column not in range(1, COLUMNS + 1):
        raise IllegalAction(f"column {column} does not exist; expected 1..4", "TR-2")
    if not board.columns[column - 1]:
        raise IllegalAction(f"column {column} is empty; only a tower can be razed", "TR-11")


def resolution_of(before: Board, array: Array, log: Array) -> Resolution:
    """Return what a kernel did to a board.

    Args:
        before: the board.
        array: int64[4, 53], the board afterwards.
        log: int64[54, 3] of `games.towers.rules.new_log`.
    """
    rows = log[1 : log[0, 0] + 1].tolist()
    batches: dict[int, list[tuple[int, str]]] = {}
    for batch, step, section in rows:
        batches.setdefault(batch, []).append((step, rank_text(section % 16)))
    entries = tuple(LogEntry(STEPS[cards[0][0]], tuple(rank for _, rank in cards)) for cards in batches.values())
    removed = entries[0].cards if entries else ()  # the cards that met, or the razed tower, for which nobody scores
    collected = tuple(card for entry in entries[1:] for card in entry.cards)
    return Resolution(before, Board.from_array(array, before.spans), removed, collected, entries)
