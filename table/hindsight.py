"""Could I have won? A game looked back at with all cards open, deal by deal.

From the first card of a deal on, and with all cards seen by everybody, it is known what each side can still make: the
play is looked at, not the bids before it. A deal that was lost could either not be won even so, or some action gave it
away: the last after which it was lost for good.
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
        part: what is played for, such as ``"hand of 5 cards"``.
        wins: whether that is a deal won.
        words: what it makes, such as ``"3 tricks"``.
        is_over: whether that is what was made, and nothing is left to play.
        made: the same as a number.
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
        seat: whose.
        name: of the deal.
        first, last: numbers of its first and last action.
        won: whether it was won; None where it was not played to its end.
        winnable: whether it could be won at its first card or later on, all cards seen.
        at_first, at_last: what the side could make then and made, in words.
        lost_at: number of the action that lost it for good, None if none did.
        lost_by: the seat that took it.
        done, better: that action, and the first that would have kept the win.
        course: what the side makes before each action, from the first card on, and at the end.
    """

    seat: int
    name: str
    first: int
    last: int
    won: bool | None
    winnable: bool
    at_first: str
    at_last: str
    lost_at: int | None = None
    lost_by: int | None = None
    done: str = ""
    better: str = ""
    course: tuple[tuple[int, OpenCards], ...] = ()


def look_back(
    start: Engine[Any, Any],
    actions: Sequence[Action],
    seats: Sequence[int],
    open_cards: Hindsight,
    tell: Callable[[Action, Engine[Any, Any]], str],
) -> tuple[Part, ...]:
    """Every deal of a game for some seats.

    Args:
        start: the game before the first action; it is left as it was.
        actions: all of them.
        seats: whose deals.
        open_cards: of the game.
        tell: (action, the game before it) → words.
    """
    parts = [
        _part(moments, seat, open_cards, tell)
        for seat in seats
        for moments in _stretches(start.copy(), actions, seat, open_cards)
    ]
    return tuple(sorted(parts, key=lambda part: (part.first, part.seat)))


class _Moment(NamedTuple):
    """The game before an action, and what the side then makes; without an action the end."""

    number: int
    before: Engine[Any, Any]
    action: Action | None
    open: OpenCards


def _stretches(
    engine: Engine[Any, Any], actions: Sequence[Action], seat: int, open_cards: Hindsight
) -> Iterator[list[_Moment]]:
    """The moments of each deal, from its first card to after its last."""
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
    moments: Sequence[_Moment], seat: int, open_cards: Hindsight, tell: Callable[[Action, Engine[Any, Any]], str]
) -> Part:
    first, last = moments[0], moments[-1]
    won = last.open.wins if last.open.is_over else None
    turns = [one for one, after in itertools.pairwise(moments) if one.open.wins and not after.open.wins]
    lost = None if won or not turns else turns[-1]
    found: dict[str, Any] = {}
    if lost is not None and lost.action is not None:
        seat_of = lost.action.get("player", lost.before.to_act)
        better = next(_better(lost, seat_of, seat, open_cards), None)
        instead = "" if better is None else tell(better, lost.before)
        done = tell(lost.action, lost.before)
        found = {"lost_at": lost.number, "lost_by": seat_of, "done": done, "better": instead}
    return Part(
        seat=seat,
        name=first.open.part,
        first=first.number,
        last=last.number - last.open.is_over,
        course=tuple((one.number, one.open) for one in moments),
        won=won,
        winnable=any(moment.open.wins for moment in moments),
        at_first=first.open.words,
        at_last=last.open.words,
        **found,
    )


def _better(lost: _Moment, actor: int | None, seat: int, open_cards: Hindsight) -> Iterator[Action]:
    """Actions that would have kept the win."""
    for action in itertools.islice(lost.before.legal(actor), MOST_TRIED):
        if action != lost.action and action["action"] == (lost.action or {})["action"]:
            other = lost.before.copy()
            other.apply(action)
            seen = open_cards(other, seat)
            if seen is not None and seen.wins:
                yield action
