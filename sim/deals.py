"""Dealing in batches, with conditions: every deal that fits is equally likely.

Conditions of the form "so many of these cards" are fulfilled without rejection. The cards are put into classes that
no condition tells apart; a table counts, class by class, in how many ways the rest can still be dealt; a deal is then
drawn by walking through that table with the exact odds of each split, and the cards of a class are dealt at random.
Other conditions are tested on the deals so drawn.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from towerlab.games.cards import DECK_54, NO_TRUMP, mask_cards
from towerlab.games.errors import DealError
from towerlab.sim.conditions import CardRange, Condition, parse_condition

MOST_TRIES = 2_000_000  # deals drawn for one that fits, before a condition counts as hopeless
_BATCH = 20_000

State = tuple[int, tuple[int, ...], tuple[int, ...]]  # next class, room left by column, cards seen by range
Split = tuple[int, ...]  # cards of a class by column


@dataclass(frozen=True)
class Dealing:
    """What is dealt to whom.

    Attributes:
        deck: mask of the pack.
        hands: cards a seat; what remains of the pack is not dealt.
        trump, bowers: what the condition's `trumps` and `length` count by.
    """

    deck: int
    hands: Mapping[str, int]
    trump: int = NO_TRUMP
    bowers: bool = False


class Dealer:
    """Deals that fit a condition.

    Args:
        dealing: pack and seats.
        where: a condition as in `sim.conditions`.

    Raises:
        DealError: the condition cannot be read, or no deal fits it.

    >>> from towerlab.games.cards import DECK_24
    >>> dealer = Dealer(Dealing(DECK_24, {"me": 3, "them": 3}, trump=3, bowers=True), "trumps(me) == 3")
    >>> dealer.count == 35 * 1330
    True
    >>> dealer.deal(1000, np.random.default_rng(1)).shape
    (1000, 2)
    """

    def __init__(self, dealing: Dealing, where: str = "") -> None:
        self._dealing = dealing
        self._seats = tuple(dealing.hands)
        self._condition = parse_condition(where, self._seats, dealing.trump, dealing.bowers, dealing.deck)
        self._plan = _Plan(dealing, _merged(self._condition))
        if self._plan.count == 0:
            raise DealError(f"no deal fits {self._in_words()}; expected conditions that can all be true")

    @property
    def count(self) -> int:
        """How many deals fit the conditions that need no test (all conditions, where none does)."""
        return self._plan.count

    def deal(self, n: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Draw deals, all that fit being equally likely, each independent of the others.

        Returns:
            Hands as masks, int64 [n, seats], in the order of `Dealing.hands`.

        Raises:
            DealError: `MOST_TRIES` deals were drawn and none of them fits.
        """
        if self._condition.test is None:
            return self._plan.deal(n, random)
        kept, tried, found = [np.empty((0, len(self._seats)), dtype=np.int64)], 0, 0
        while found < n:
            drawn = self._plan.deal(_BATCH, random)
            fits = self._condition.test({seat: drawn[:, place] for place, seat in enumerate(self._seats)})
            kept.append(drawn[fits])
            tried, found = tried + _BATCH, found + int(fits.sum())
            if found == 0 and tried >= MOST_TRIES:
                raise DealError(
                    f"none of {tried:,} deals fits {self._in_words()}; expected a condition that some deal fits"
                )
        return np.concatenate(kept)[:n]

    def _in_words(self) -> str:
        hands = ", ".join(f"{seat} {size}" for seat, size in self._dealing.hands.items())
        return f"{self._condition.text!r} with hands of {hands} cards"


def _merged(condition: Condition) -> list[CardRange]:
    """One range for the same cards in the same hand."""
    merged: dict[tuple[str, int], CardRange] = {}
    for one in condition.ranges:
        other = merged.get((one.seat, one.mask), one)
        merged[one.seat, one.mask] = CardRange(one.seat, one.mask, max(one.low, other.low), min(one.high, other.high))
    return list(merged.values())


class _Plan:
    """The table of ways, and the drawing from it.

    Columns are the seats that a range speaks of, and one for all that remains (other seats and the stock), which is
    dealt out at random afterwards.
    """

    def __init__(self, dealing: Dealing, ranges: list[CardRange]) -> None:
        self._seats = tuple(dealing.hands)
        self._named = [seat for seat in self._seats if any(one.seat == seat for one in ranges)]
        self._ranges = ranges
        self._sizes = dealing.hands
        self._classes = _classes(dealing.deck, ranges)
        # [range][class]: how many cards the range counts in this class and the later ones
        self._coming = [_cards_to_come(one.mask, self._classes) for one in ranges]
        self._room = tuple(dealing.hands[seat] for seat in self._named)
        self._unnamed = [seat for seat in self._seats if seat not in self._named]
        self._rest = dealing.deck.bit_count() - sum(self._room)
        self._ways = functools.cache(self._count_ways)
        self.count = self._ways(self._start()) * _ways_to_share(self._rest, [dealing.hands[s] for s in self._unnamed])
        if any(one.low > coming[0] for one, coming in zip(ranges, self._coming, strict=True)):
            self.count = 0  # more cards of a kind than the pack has

    def _start(self) -> State:
        return 0, (*self._room, self._rest), (0,) * len(self._ranges)

    def _count_ways(self, state: State) -> int:
        """In how many ways the classes from here on can go to the columns."""
        if state[0] == len(self._classes):
            return 1
        return sum(ways * self._ways(following) for _, ways, following in self._splits(state))

    def _splits(self, state: State) -> Iterator[tuple[Split, int, State]]:
        """(cards by column, number of ways, next state) of every way to split the next class."""
        place, room, seen = state
        cards = self._classes[place]
        size = len(cards)
        for named in _named_shares(size, room[:-1]):
            rest = size - sum(named)
            if rest > room[-1]:
                continue
            after = self._seen_after(place, seen, named)
            if after is not None:
                left = tuple(one - taken for one, taken in zip(room, (*named, rest), strict=True))
                yield (*named, rest), _ways_to_share(size, named), (place + 1, left, after)

    def _seen_after(self, place: int, seen: tuple[int, ...], named: Split) -> tuple[int, ...] | None:
        """Cards seen by range after a split; None when a range can no longer be met.

        Ranges that are settled count as 0 from then on, which keeps the table small.
        """
        after = []
        for number, one in enumerate(self._ranges):
            coming, later = self._coming[number][place : place + 2]
            now = seen[number]
            if coming > later:  # this class counts
                now += named[self._named.index(one.seat)]
                if now > one.high or now + later < one.low:
                    return None
            after.append(now if later else 0)
        return tuple(after)

    # ------------------------------------------------------------------------------------------------------- drawing

    def deal(self, n: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Deals as masks [n, seats]."""
        splits = self._draw_splits(n, random)
        hands = {seat: np.zeros(n, dtype=np.int64) for seat in self._seats}
        left_over = []
        for place, cards in enumerate(self._classes):
            shuffled = random.permuted(np.tile(np.array(cards, dtype=np.int64), (n, 1)), axis=1)
            ends = np.cumsum(splits[:, place, :], axis=1)  # [deal, column]
            column = (np.arange(len(cards))[None, :, None] >= ends[:, None, :]).sum(axis=2)  # [deal, card]
            for number, seat in enumerate(self._named):
                hands[seat] |= np.where(column == number, np.int64(1) << shuffled, 0).sum(axis=1)
            left_over.append(np.where(column == len(self._named), shuffled, -1))
        if self._unnamed:
            self._deal_rest(np.concatenate(left_over, axis=1), hands, random)
        return np.stack([hands[seat] for seat in self._seats], axis=1)

    def _draw_splits(self, n: int, random: np.random.Generator) -> NDArray[np.int64]:
        """How many cards of each class go to each column: [n, classes, columns]."""
        splits = np.zeros((n, len(self._classes), len(self._room) + 1), dtype=np.int64)
        rows_of: dict[State, NDArray[np.int64]] = {self._start(): np.arange(n)}
        for place in range(len(self._classes)):
            following: dict[State, list[NDArray[np.int64]]] = {}
            for state, rows in rows_of.items():
                options = list(self._splits(state))
                ways = [number * self._ways(then) for _, number, then in options]
                odds = np.array([one / self._ways(state) for one in ways])
                chosen = random.choice(len(options), size=len(rows), p=odds / odds.sum())
                for number in np.unique(chosen):
                    split, _, then = options[number]
                    mine = rows[chosen == number]
                    splits[mine, place] = split
                    following.setdefault(then, []).append(mine)
            rows_of = {state: np.concatenate(parts) for state, parts in following.items()}
        return splits

    def _deal_rest(
        self, cards: NDArray[np.int64], hands: dict[str, NDArray[np.int64]], random: np.random.Generator
    ) -> None:
        """Share what the named seats did not get among the others."""
        shuffled = random.permuted(cards[cards >= 0].reshape(len(cards), self._rest), axis=1)
        first = 0
        for seat in self._unnamed:
            mine = shuffled[:, first : first + self._sizes[seat]]
            hands[seat] = (np.int64(1) << mine).sum(axis=1, dtype=np.int64)
            first += self._sizes[seat]


def _classes(deck: int, ranges: list[CardRange]) -> list[list[int]]:
    """The cards of the pack by the ranges they count in; those that count in none are the last class."""
    by_signature: dict[tuple[bool, ...], list[int]] = {}
    for card in mask_cards(deck & DECK_54):
        by_signature.setdefault(tuple(bool(one.mask >> card & 1) for one in ranges), []).append(card)
    return [by_signature[signature] for signature in sorted(by_signature, reverse=True)]


def _named_shares(size: int, room: tuple[int, ...]) -> Iterator[Split]:
    """Every way to give at most `size` cards to columns with so much room."""
    if not room:
        yield ()
        return
    for first in range(min(size, room[0]) + 1):
        for others in _named_shares(size - first, room[1:]):
            yield first, *others


def _cards_to_come(mask: int, classes: list[list[int]]) -> list[int]:
    """How many cards of a mask are in each class or a later one; 0 after the last."""
    counts = [len(cards) if mask >> cards[0] & 1 else 0 for cards in classes]
    return [sum(counts[place:]) for place in range(len(classes) + 1)]


def _ways_to_share(cards: int, sizes: list[int] | Split) -> int:
    """Ways to give hands of these sizes from so many cards; what is left over stays."""
    ways = 1
    for size in sizes:
        ways *= comb(cards, size)
        cards -= size
    return ways
