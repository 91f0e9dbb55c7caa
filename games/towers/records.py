"""The state of a game of Towers, the results of its actions and the view of a player: frozen records.

Players are seats from 0, clockwise; a card is a rank (``"T"``) or its value 1..13, suits never matter.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from towerlab.games.towers.board import Board
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
        cards: their ranks, column by column from the ground up; a bridge in its first column.
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
        log: step by step, the removed ones first.
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
        hands: values held by seat, lowest first.
        source: values still to be drawn, the next one first.
        points: sections collected by seat (TR-13).
        shown: by seat, what of their hand everybody has seen when they razed (TR-4), lowest first.
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
        phase, to_act, board, points: public.
        hand: ranks they hold, lowest first.
        source: how many cards are left to draw.
        counts: how many cards each seat holds.
        shown: by seat, ranks shown in razing and still held.
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
