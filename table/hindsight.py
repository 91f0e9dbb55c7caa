"""Deals looked back at with all cards open: what each side still made, and the action that lost a deal for good.

From the first card of a deal on, and with all cards seen by everybody, it is known what each side can still make. Only
the play is judged, not the bids before it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from towerlab.games.engine import Engine
from towerlab.games.transcript import Action

MOST_TRIED: Final = 100
"""Legal actions that are tried in place of the one that lost a deal."""


@dataclass(frozen=True)
class OpenCards:
    """The result of a seat's side from here on with all cards seen and best play by everybody.

    Attributes:
        part: the stake of the play, such as ``"hand of 5 cards"``.
        wins: whether the side wins the deal.
        words: the result, such as ``"3 tricks"``.
        is_over: whether the deal is over, and this its result.
        made: the result as a number.
    """

    part: str
    wins: bool
    words: str
    is_over: bool = False
    made: int = 0


Hindsight = Callable[[Any, int], OpenCards | None]
"""(engine, seat) → what its side makes; None while nothing is played or nothing is known. Also right after the end."""


class Deal(NamedTuple):
    """A deal of one seat.

    Attributes:
        won: whether it was won; None where it was not played to its end.
        course: (number of an action, what the side makes before it), from the first card on, and at the end.
        lost_at: number of the action that lost the deal for good; None if none did.
    """

    won: bool | None
    course: tuple[tuple[int, OpenCards], ...]
    lost_at: int | None

    @property
    def winnable(self) -> bool:
        """Whether it could be won at its first card or later on, all cards seen."""
        return any(seen.wins for _, seen in self.course)

    @property
    def at_first(self) -> str:
        """Return the result that the side could reach at the first card, in words."""
        return self.course[0][1].words


def look_back(start: Engine[Any, Any], actions: Sequence[Action], seat: int, open_cards: Hindsight) -> Deal | None:
    """Return how a deal went for a seat; None where no card was played or nothing is known.

    Args:
        start: the game before the first action of the deal; it is left as it was.
        actions: of the deal.
        seat: of the side.
        open_cards: of the game.
    """
    engine = start.copy()
    course = list[tuple[int, OpenCards]]()
    for number, action in enumerate((*actions, None), 1):
        seen = open_cards(engine, seat)
        is_over = not course or course[-1][1].is_over
        if seen is not None and not (is_over and (seen.is_over or action is None)):
            if is_over:  # what an early stop left may be played on
                course.clear()
            course.append((number, seen))
        if action is not None:
            engine.apply(action)
    if not course:
        return None
    last = course[-1][1]
    turns = [number for (number, before), (_, after) in itertools.pairwise(course) if before.wins and not after.wins]
    lost_at = turns[-1] if turns and not (last.is_over and last.wins) else None
    return Deal(last.wins if last.is_over else None, tuple(course), lost_at)


def better_action(before: Engine[Any, Any], done: Action, seat: int, open_cards: Hindsight) -> Action | None:
    """Return the first action that would have kept a win that another action gave away; None where none would.

    Args:
        before: the game before it.
        done: the action.
        seat: whose win it was.
        open_cards: of the game.
    """
    for action in itertools.islice(before.legal(done.get("player", before.to_act)), MOST_TRIED):
        if action != done and action["action"] == done["action"]:
            other = before.copy()
            other.apply(action)
            seen = open_cards(other, seat)
            if seen is not None and seen.wins:
                return action
    return None
