"""How the unseen cards of a deal can lie: an assignment of cards to places, or the proof that there is none.

A *place* is where a card lay in the pack; whoever is dealt it, or draws it, holds it from then on. What has been told
says of a card that it left a hand at some time, and of a hand what it did not hold at some time, so that each place may
hold certain cards only: a bipartite matching decides, and keeps as much as it can of how the cards lay before.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

_NEVER: Final = 1e6
_EXCHANGES: Final = 40
_SHOWN: Final = 100.0  # of equal cards the one that was shown before is the one that leaves


class Place(NamedTuple):
    """A place of the pack.

    Attributes:
        told: the card there, where it was told.
        holder: who holds it; None for nobody.
        since: number of the record that gave it to the holder.
        until: number of the record by which it left that hand unseen; None if it did not.
        made_up: the card there so far.
    """

    told: str | None
    holder: int | None
    since: int
    until: int | None
    made_up: str


class Item(NamedTuple):
    """A card of the pack.

    Attributes:
        card: its text.
        holder, at: who was seen to part with it, and in which record; None where nobody was.
        within: the places of which it has just been told to hold one; empty for no such news.
    """

    card: str
    holder: int | None = None
    at: int = 0
    within: frozenset[int] = frozenset()


class Bar(NamedTuple):
    """Cards that somebody was seen not to hold, after the record before `at`."""

    holder: int
    at: int
    cards: frozenset[str]


def assign(
    places: Sequence[Place], items: Sequence[Item], bars: Sequence[Bar], noise: float, rng: np.random.Generator
) -> list[Item] | None:
    """The item at each place; None where no assignment fits what is known.

    Args:
        places, items: as many of each.
        bars: what was seen not to be held.
        noise: how freely cards that could stay are moved: 0 for not at all.
        rng: draws among ways that keep equally much.
    """
    from scipy.optimize import linear_sum_assignment  # imported late: answers without records do not need it

    news = frozenset().union(*(item.within for item in items))
    has_copies = len({item.card for item in items}) < len(items)
    costs = np.full((len(places), len(items)), _NEVER)
    for row, place in enumerate(places):
        barred = [bar for bar in bars if bar.holder == place.holder and bar.at > place.since]
        for column, item in enumerate(items):
            if (row in news) == (row in item.within) and _fits(place, item, barred, has_copies):
                moved = item.card != place.made_up
                costs[row, column] = (1 + rng.random() if moved else 0) + noise * rng.random()
                if has_copies and item.holder is not None and place.told is None:
                    costs[row, column] += _SHOWN
    rows, columns = linear_sum_assignment(costs)
    return None if costs[rows, columns].max() >= _NEVER else [items[column] for column in columns]


def drawn(
    places: Sequence[Place], laid: Sequence[Item], bars: Sequence[Bar], rng: np.random.Generator
) -> Iterator[tuple[list[Item], list[int | None]]]:
    """Ways that fit what is known: the item at each place, and the record by which it left its hand unseen.

    Each is as likely as any other that exchanges of two cards lead to. Where the card of one place is known, such as
    an up-card, the two exchange which of them left instead.

    Args:
        places, bars: as of `assign`.
        laid: an assignment to begin with.
        rng: draws the exchanges; between two ways there are `_EXCHANGES` a place.
    """
    has_copies, items = len({item.card for item in laid}) < len(laid), list(laid)
    barred = [[bar for bar in bars if bar.holder == place.holder and bar.at > place.since] for place in places]
    lies, left = list(range(len(places))), [place.until for place in places]

    @functools.cache
    def fits(row: int, until: int | None, at: int) -> bool:
        return _fits(places[row]._replace(until=until), items[at], barred[row], has_copies)

    while True:
        for one, other in rng.integers(len(places), size=(_EXCHANGES * len(places), 2)).tolist():
            first, second = places[one], places[other]
            if first.told is None and second.told is None:
                if fits(one, left[one], lies[other]) and fits(other, left[other], lies[one]):
                    lies[one], lies[other] = lies[other], lies[one]
            elif first.holder is not None and first.holder == second.holder and left[one] != left[other]:
                ends = [end for end in (left[one], left[other]) if end is not None]
                held = max(first.since, second.since) < min(ends)
                if held and fits(one, left[other], lies[one]) and fits(other, left[one], lies[other]):
                    left[one], left[other] = left[other], left[one]
        yield [items[at] for at in lies], list(left)


def _fits(place: Place, item: Item, barred: Sequence[Bar], has_copies: bool) -> bool:
    """Whether a card can have lain at a place; `barred` are its holder's bars since then."""
    if place.told is not None and place.told != item.card:
        return False
    if item.holder is None:
        end = place.until
    elif place.until is not None:
        return False
    elif place.told is not None and not has_copies:
        return True  # such as dummy's, which another one plays
    elif item.holder != place.holder or place.since >= item.at:
        return False
    else:
        end = item.at
    return not any(item.card in bar.cards and (end is None or bar.at < end) for bar in barred)
