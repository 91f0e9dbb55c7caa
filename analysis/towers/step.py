"""`towerlab step towers`: the effect of a play, or of razing a tower, on a board."""

from __future__ import annotations

import re
from dataclasses import dataclass

from towerlab.analysis.present.answers import Answer
from towerlab.games.errors import CardError, IllegalAction, TowerlabError
from towerlab.games.towers import (
    Board,
    LogEntry,
    TowersOptions,
    parse_rank,
    place_of,
    rank_text,
    resolve_play,
    resolve_raze,
)

_PLAY = re.compile(r"\s*(\S+?)\s*:\s*(\d+)\s*(?:-\s*(\d+))?\s*")


@dataclass(frozen=True)
class StepAnswer(
    Answer, game="towers", method="exact", shown_by="towerlab.analysis.towers.present:step_report", table="log"
):
    """The result of an action.

    Attributes:
        legal: whether the rules allow it.
        reason: why not, with the rule's id; None when legal.
        before, after: the boards; equal when it is illegal.
        collected: ranks that the player on turn scores, in the order in which they went.
        removed: ranks that no player scores: the equal cards that met, or the razed tower.
        log: step by step.
    """

    legal: bool
    reason: str | None
    before: Board
    after: Board
    collected: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    log: tuple[LogEntry, ...] = ()


def step(
    board: str, play: str | None = None, raze: int | None = None, options: TowersOptions | None = None
) -> StepAnswer:
    """Play a card or raze a tower on a board, whether or not it could be reached or the raze be forced.

    Args:
        board: notation, such as ``"J Qb | K Qb Kb | 9 7 Kb K | -"``.
        play: a card and its column, or two for a bridge: ``"J:4"``, ``"5:2-3"``.
        raze: a column 1..4; exactly one of `play` and `raze` is given.
        options: rule options; None for the defaults.

    Raises:
        TowerlabError: an impossible board, an unknown card or column, a fifth card of a rank.
    """
    options = options or TowersOptions()
    before = Board.parse(board, options)
    if (play is None) == (raze is None):
        raise TowerlabError("expected either a play such as J:4 or 5:2-3, or a column to raze")
    try:
        if raze is not None:
            done = resolve_raze(before, _column(raze), options)
        else:
            assert play is not None
            value, columns = parse_play(play)
            if before.values()[value] == 4:
                raise CardError(f"a fifth {rank_text(value)}: the board holds all four of the pack (TR-1)")
            done = resolve_play(before, place_of(columns), value, options)
    except IllegalAction as illegal:
        return StepAnswer(False, str(illegal), before, before, options=options)
    return StepAnswer(True, None, before, done.after, done.collected, done.removed, done.log, options=options)


def parse_play(text: str) -> tuple[int, tuple[int, ...]]:
    """Value and columns of ``"J:4"`` or, for a bridge, ``"5:2-3"``.

    Raises:
        TowerlabError: not a play, an unknown card, or columns that do not exist.
    """
    match = _PLAY.fullmatch(text)
    if match is None:
        raise TowerlabError(f"{text!r} is not a play; expected a card and its column, J:4, or a bridge, 5:2-3 (TR-5)")
    columns = tuple(_column(int(column)) for column in match.groups()[1:] if column is not None)
    return parse_rank(match[1]), columns


def _column(column: int) -> int:
    if column not in range(1, 5):
        raise TowerlabError(f"column {column} does not exist; expected 1 to 4 (TR-2)")
    return column
