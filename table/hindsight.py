"""Could I have won? A game looked back at with all cards open, deal by deal.

From the first card of a deal on, and with all cards seen by everybody, it is known what each side can still make: the
play is looked at, not the bids before it. A deal that was lost could either not be won even so, or some action gave it
away: the last after which it was lost for good. Beside it stands the line that was best by what could be known then: of
each decision as it arose the best by its advice.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from towerlab.games.engine import Engine
from towerlab.games.transcript import Action
from towerlab.games.written import Record
from towerlab.table.grading import Judged, cost_words
from towerlab.table.sentences import sentences

MOST_NAMED: Final = 3
MOST_LISTED: Final = 12
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


@dataclass(frozen=True)
class Part(
    Record,
    keys="player=seat name first last won winnable winnable_in? ways? at_first at_last lost_at lost_by done better "
    "best_by_what_was_known",
):
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
        ways, winnable_in: of a record of views, in how many ways its unseen cards were laid, and in how many the
            deal could be won when its first card was played; None for a whole transcript.
        known: the seat's decisions since the cards were dealt, with the best by what could be known.
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
    ways: int | None = None
    winnable_in: int | None = None
    known: tuple[Judged, ...] = ()
    course: tuple[tuple[int, OpenCards], ...] = ()

    def sentence(self, names: Sequence[str], unit: str, place: Callable[[int], str]) -> str:
        """Return whether it could have been won; `place` says where the action of a number stands."""
        return " ".join(
            sentences("templates/part.txt", part=self, names=names, unit=unit, place=place, cost_words=cost_words)
        )

    @property
    def was_best(self) -> bool:
        """Whether the action that lost it was the best by what could be known."""
        return any(one.number == self.lost_at and one.loss.mean <= 0 for one in self.known)

    @property
    def costliest(self) -> list[Judged]:
        """Where the line that was best by what could be known leaves the one taken, at its costliest, in order."""
        others = sorted((one for one in self.known if one.loss.mean > 0), key=lambda one: -one.loss.mean)[:MOST_NAMED]
        return sorted(others, key=lambda one: one.number)

    @property
    def share(self) -> float:
        """How surely it could be won with all cards open."""
        return (self.winnable_in or 0) / self.ways if self.ways else float(self.winnable)

    @property
    def best_by_what_was_known(self) -> list[dict[str, Any]]:
        """The decisions of the part, and what the move made cost of what could be known."""
        return [
            {"number": one.number, "action": one.best, "cost_of_played": max(one.loss.mean, 0.0)} for one in self.known
        ]


def look_back(
    start: Engine[Any, Any],
    actions: Sequence[Action],
    seats: Sequence[int],
    open_cards: Hindsight,
    tell: Callable[[Action, Engine[Any, Any]], str],
    decisions: Sequence[Judged],
) -> tuple[Part, ...]:
    """Every deal of a game for some seats.

    Args:
        start: the game before the first action; it is left as it was.
        actions: all of them.
        seats: whose deals.
        open_cards: of the game.
        tell: (action, the game before it) → words.
        decisions: of these seats, graded.
    """
    deals = [0, *(number for number, action in enumerate(actions, 1) if action["action"] == "deal")]
    found = []
    for seat in seats:
        for moments in _stretches(start.copy(), actions, seat, open_cards):
            part = _part(moments, seat, open_cards, tell)
            dealt = max(number for number in deals if number < part.first)
            inside = tuple(one for one in decisions if one.seat == seat and dealt < one.number <= part.last)
            found.append(dataclasses.replace(part, known=inside))
    return tuple(sorted(found, key=lambda part: (part.first, part.seat)))


def averaged(parts: Sequence[Part], worlds: Sequence[Engine[Any, Any]], open_cards: Hindsight) -> tuple[Part, ...]:
    """The deals of a record of views, with how often they could be won as their unseen cards can lie.

    Args:
        parts: of the record, its unseen cards made up.
        worlds: the game in ways in which those can lie.
        open_cards: of the game.
    """
    wins = Counter[tuple[int, int]]()
    for world in worlds:
        again = world.reset_copy()
        for number, action in enumerate(world.actions, 1):
            for part in parts:
                if part.first == number and (seen := open_cards(again, part.seat)) is not None:
                    wins[number, part.seat] += seen.wins
            again.apply(action)
    made_up: dict[str, Any] = {"at_first": "", "lost_at": None, "lost_by": None, "done": "", "better": ""}
    found = ((part, wins[part.first, part.seat]) for part in parts)
    return tuple(
        dataclasses.replace(part, winnable=many > 0, winnable_in=many, ways=len(worlds), **made_up)
        for part, many in found
    )


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


def part_sentences(
    parts: Sequence[Part], names: Sequence[str], unit: str, place: Callable[[int], str]
) -> tuple[str, ...]:
    """Return a sentence of each deal that was not won, and how many there are of each seat.

    Where more than `MOST_LISTED` were lost only those that open cards would have turned are named.

    Args:
        parts: of `look_back`.
        names: of the seats.
        unit: of costs.
        place: says where the action of a number stands.
    """
    lost = [part for part in parts if not part.won]
    named = lost if len(lost) <= MOST_LISTED else [part for part in lost if part.winnable]
    file = "templates/could-have-won.txt"
    return sentences(file, named=named, parts=parts, names=names, unit=unit, place=place)
