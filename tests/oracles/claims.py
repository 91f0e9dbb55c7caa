"""Claims of Towers & Bowers the slow and obvious way, on card texts: a layout is a frozenset of the other hand."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from tests.oracles import hidden_hands

Cards = frozenset[str]
ME = frozenset({0})


def layouts(sure: Iterable[str], pool: Iterable[str], count: int) -> frozenset[Cards]:
    sure = frozenset(sure)
    return frozenset(sure | frozenset(rest) for rest in combinations(sorted(pool), count - len(sure)))


def position(
    hand: Cards, hands: Iterable[Cards], led: str | None, turn: int, trump: str, cooperative: bool = False
) -> tuple[hidden_hands.State, hidden_hands.Game]:
    """Of two players, the other one's hand hidden; turn 0 is mine."""
    game = hidden_hands.Game(2, (1,), ME, ME, trump, True, cooperative=cooperative)
    leader, trick = (turn, ()) if led is None else (1 - turn, ((led, " "),))
    return hidden_hands.State((hand, frozenset()), frozenset((theirs,) for theirs in hands), leader, trick), game


def guaranteed(hand: Cards, hands: frozenset[Cards], led: str | None, turn: int, trump: str) -> int:
    """TB-29 by carrying along every hand that the opponent can still hold."""
    return hidden_hands.value(*position(hand, hands, led, turn, trump))


def double_dummy(hand: Cards, theirs: Cards, led: str | None, turn: int, trump: str) -> int:
    """My tricks when both see all cards."""
    return guaranteed(hand, frozenset({theirs}), led, turn, trump)


def possible(hand: Cards, theirs: Cards, led: str | None, turn: int, trump: str) -> int:
    """TB-30: my most tricks in any continuation against one hand."""
    return hidden_hands.value(*position(hand, [theirs], led, turn, trump, cooperative=True))
