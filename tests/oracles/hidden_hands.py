"""Claims with hidden hands the slow and obvious way, on card texts: explicit sets of layouts, strategies written out.

A layout is a tuple of the hidden hands, in the order of their seats. Nothing here is shared with the provers, not even
the rules of following and winning.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

from tests.oracles.naive import place_of

Cards = frozenset[str]
Layouts = frozenset[tuple[Cards, ...]]
Play = tuple[str, str]  # a card, and the suit that a joker led at no trump names


class Game(NamedTuple):
    """Who plays for what. `hidden`: seats; `known`: the others; both in order of play."""

    seats: int
    hidden: tuple[int, ...]
    claimant: frozenset[int]
    scoring: frozenset[int]
    trump: str
    bowers: bool
    names: bool = True
    cooperative: bool = False


class State(NamedTuple):
    known: tuple[Cards, ...]  # by seat, empty for a hidden one
    layouts: Layouts
    leader: int
    trick: tuple[Play, ...] = ()


def suit(card: str, game: Game) -> str:
    return place_of(card, game.trump, game.bowers)[0]


def winner(trick: tuple[Play, ...], game: Game) -> int:
    """The place of the play that wins."""
    high = "X" if game.trump == "NT" else game.trump
    followed = suit(trick[0][0], game)

    def worth(at: int) -> tuple[int, int]:
        own, strength = place_of(trick[at][0], game.trump, game.bowers)
        return (2 if own == high else 1 if own == followed else 0, strength)

    return max(range(len(trick)), key=worth)


def legal(hand: Iterable[str], trick: tuple[Play, ...], game: Game) -> list[Play]:
    if not trick:
        return [
            (card, named)
            for card in sorted(hand)
            for named in ("CDHS" if card == "X1" and game.trump == "NT" and game.names else " ")
        ]
    followed = suit(trick[0][0], game) if trick[0][1] == " " else trick[0][1]
    return [(card, " ") for card in sorted(hand) if suit(card, game) == followed] or [(c, " ") for c in sorted(hand)]


def turn(state: State, game: Game) -> int:
    return (state.leader + len(state.trick)) % game.seats


def successors(state: State, game: Game) -> dict[Play, State]:
    """What follows each play that somebody may see."""
    seat = turn(state, game)
    after: dict[Play, State] = {}
    if seat not in game.hidden:
        for play in legal(state.known[seat], state.trick, game):
            known = tuple(hand - {play[0]} if place == seat else hand for place, hand in enumerate(state.known))
            after[play] = State(known, state.layouts, state.leader, (*state.trick, play))
        return after
    place = game.hidden.index(seat)
    sets: dict[Play, set[tuple[Cards, ...]]] = {}
    for layout in state.layouts:
        for play in legal(layout[place], state.trick, game):
            left = tuple(hand - {play[0]} if at == place else hand for at, hand in enumerate(layout))
            sets.setdefault(play, set()).add(left)
    for play in sorted(sets):
        after[play] = State(state.known, frozenset(sets[play]), state.leader, (*state.trick, play))
    return after


def is_over(state: State) -> bool:
    return not state.trick and not any(state.known) and not any(any(layout) for layout in state.layouts)


def settle(state: State, game: Game) -> tuple[State, int]:
    """A full trick is taken up: who leads next, and 1 if it counts."""
    if len(state.trick) < game.seats:
        return state, 0
    taker = (state.leader + winner(state.trick, game)) % game.seats
    return State(state.known, state.layouts, taker, ()), int(taker in game.scoring)


@lru_cache(maxsize=200_000)
def value(state: State, game: Game) -> int:
    """The tricks that one strategy takes against all layouts, by carrying along all that are left."""
    if is_over(state):
        return 0
    results = []
    for after in successors(state, game).values():
        left, won = settle(after, game)
        results.append(won + value(left, game))
    return max(results) if game.cooperative or turn(state, game) in game.claimant else min(results)


def layouts(pools: dict[int, Iterable[str]], sure: dict[int, Cards], sizes: dict[int, int]) -> Layouts:
    """Every way to give the hidden seats so many cards of their pools beside their sure ones."""
    found = []
    seats = sorted(pools)
    hands = [
        [sure[seat] | set(rest) for rest in combinations(sorted(pools[seat]), sizes[seat] - len(sure[seat]))]
        for seat in seats
    ]
    for layout in product(*hands):
        if len(frozenset().union(*layout)) == sum(map(len, layout)):
            found.append(tuple(frozenset(hand) for hand in layout))
    return frozenset(found)


# ----------------------------------------------------------------------------------------- strategies written out
