"""Deals looked back at with all cards open: what each side still made, and the action that lost a deal for good.

From the first card of a deal on, and with all cards seen by everybody, it is known what each side can still make. Only
the play is judged, not the bids before it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
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


class Part(NamedTuple):
    """One deal of a seat.

    Attributes:
        seat: of the player.
        won: whether the deal was won; None where it was not played to its end.
        winnable: whether it could be won at its first card or later on, all cards seen.
        at_first: what the side could make at the first card, in words.
        course: (number of an action, what the side makes before it), from the first card on, and at the end.
        lost_at: number of the action that lost the deal for good, None if none did.
        lost_by: the seat that took it.
        done, better: that action, and the first that would have kept the win.
    """

    seat: int
    won: bool | None
    winnable: bool
    at_first: str
    course: tuple[tuple[int, OpenCards], ...]
    lost_at: int | None = None
    lost_by: int | None = None
    done: str = ""
    better: str = ""


def look_back(
    start: Engine[Any, Any],
    actions: Sequence[Action],
    open_cards: Hindsight,
    describe: Callable[[Action, Engine[Any, Any]], str],
) -> tuple[Part, ...]:
    """Return every deal of a game for every seat, in order.

    Args:
        start: the game before the first action; it is left as it was.
        actions: all of them.
        open_cards: of the game.
        describe: (action, the game before it) → words.
    """
    parts = [
        _part(moments, seat, open_cards, describe)
        for seat in start.seats
        for moments in _stretches(start.copy(), actions, seat, open_cards)
    ]
    return tuple(sorted(parts, key=lambda part: (part.course[0][0], part.seat)))


class _Moment(NamedTuple):
    """The game before an action, and what the side then makes; without an action the end."""

    number: int
    before: Engine[Any, Any]
    action: Action | None
    open: OpenCards


def _stretches(
    engine: Engine[Any, Any], actions: Sequence[Action], seat: int, open_cards: Hindsight
) -> Iterator[list[_Moment]]:
    """Yield the moments of each deal, from its first card to after its last."""
    moments: list[_Moment] = []
    for number, action in enumerate((*actions, None), 1):
        seen = open_cards(engine, seat)
        if moments and (seen is None or seen.part != moments[-1].open.part or moments[-1].open.is_over):
            yield moments
            moments = []
        if seen is not None and (moments or not (seen.is_over or action is None)):  # left before its first card
            moments.append(_Moment(number, engine.copy(), action, seen))
        if action is not None:
            engine.apply(action)
    if moments:
        yield moments


def _part(
    moments: Sequence[_Moment], seat: int, open_cards: Hindsight, describe: Callable[[Action, Engine[Any, Any]], str]
) -> Part:
    first, last = moments[0], moments[-1]
    won = last.open.wins if last.open.is_over else None
    turns = [moment for moment, after in itertools.pairwise(moments) if moment.open.wins and not after.open.wins]
    part = Part(
        seat=seat,
        won=won,
        winnable=any(moment.open.wins for moment in moments),
        at_first=first.open.words,
        course=tuple((moment.number, moment.open) for moment in moments),
    )
    if won or not turns or (action := turns[-1].action) is None:
        return part
    lost = turns[-1]
    actor = action.get("player", lost.before.to_act)
    better = next(_better(lost, action, actor, seat, open_cards), None)
    return part._replace(
        lost_at=lost.number,
        lost_by=actor,
        done=describe(action, lost.before),
        better="" if better is None else describe(better, lost.before),
    )


def _better(lost: _Moment, done: Action, actor: int | None, seat: int, open_cards: Hindsight) -> Iterator[Action]:
    """Yield actions that would have kept the win."""
    for action in itertools.islice(lost.before.legal(actor), MOST_TRIED):
        if action != done and action["action"] == done["action"]:
            other = lost.before.copy()
            other.apply(action)
            seen = open_cards(other, seat)
            if seen is not None and seen.wins:
                yield action
