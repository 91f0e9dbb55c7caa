"""Claims the slow and obvious way, on card texts: explicit sets of layouts, and whole strategies written out.

A layout is a frozenset of the opponent's cards. Nothing here is shared with the prover, not even the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

from tests.oracles.naive import leader_wins, legal_replies

Cards = frozenset[str]
ME, THEM = 0, 1


def legal(hand: Cards, led: str | None, trump: str) -> Iterable[str]:
    return hand if led is None else legal_replies(hand, led, trump)


def layouts(sure: Iterable[str], pool: Iterable[str], count: int) -> frozenset[Cards]:
    sure = frozenset(sure)
    return frozenset(sure | frozenset(rest) for rest in combinations(sorted(pool), count - len(sure)))


def _next(led: str | None, turn: int, card: str, trump: str) -> tuple[str | None, int, int]:
    """The card led, the turn, and my tricks after a play."""
    if led is None:
        return card, 1 - turn, 0
    winner = 1 - turn if leader_wins(led, card, trump) else turn
    return None, winner, int(winner == ME)


@cache
def guaranteed(hand: Cards, hands: frozenset[Cards], led: str | None, turn: int, trump: str) -> int:
    """TB-29 by carrying along every hand that the opponent can still hold."""
    if not hand and led is None:
        return 0
    values = []
    if turn == ME:
        for card in legal(hand, led, trump):
            after, then, won = _next(led, turn, card, trump)
            values.append(won + guaranteed(hand - {card}, hands, after, then, trump))
        return max(values)
    for card in frozenset().union(*hands):
        left = frozenset(h - {card} for h in hands if card in legal(h, led, trump))
        if left:
            after, then, won = _next(led, turn, card, trump)
            values.append(won + guaranteed(hand, left, after, then, trump))
    return min(values)


@cache
def double_dummy(hand: Cards, theirs: Cards, led: str | None, turn: int, trump: str) -> int:
    """My tricks when both see all cards."""
    return guaranteed(hand, frozenset({theirs}), led, turn, trump)


@cache
def possible(hand: Cards, theirs: Cards, led: str | None, turn: int, trump: str) -> int:
    """TB-30: my most tricks in any continuation against one hand."""
    if not hand and led is None:
        return 0
    best = 0
    for card in legal(hand if turn == ME else theirs, led, trump):
        after, then, won = _next(led, turn, card, trump)
        mine, other = (hand - {card}, theirs) if turn == ME else (hand, theirs - {card})
        best = max(best, won + possible(mine, other, after, then, trump))
    return best


# ----------------------------------------------------------------------------------------- strategies written out

Strategy = dict[tuple[str, ...], str]  # from the cards played so far to my next card


def guaranteed_by_strategies(hand: Cards, hands: frozenset[Cards], led: str | None, turn: int, trump: str) -> int:
    """TB-29 to the letter: the best over all strategies of the worst over all hands and defences."""
    return max(
        min(_worst(strategy, (), hand, theirs, led, turn, trump) for theirs in hands)
        for strategy in _strategies((), hand, hands, led, turn, trump)
    )


def _strategies(
    played: tuple[str, ...], hand: Cards, hands: frozenset[Cards], led: str | None, turn: int, trump: str
) -> Iterator[Strategy]:
    """Every way to answer every sequence of plays that some hand of the opponent's allows."""
    if not hand:
        yield {}
        return
    if turn == ME:
        for card in legal(hand, led, trump):
            after, then, _ = _next(led, turn, card, trump)
            for rest in _strategies((*played, card), hand - {card}, hands, after, then, trump):
                yield {played: card} | rest
        return
    answers: list[Any] = []
    for card in frozenset().union(*hands):
        left = frozenset(h - {card} for h in hands if card in legal(h, led, trump))
        if left:
            after, then, _ = _next(led, turn, card, trump)
            answers.append(list(_strategies((*played, card), hand, left, after, then, trump)))
    for parts in product(*answers):
        yield {place: card for part in parts for place, card in part.items()}


def _worst(
    strategy: Strategy, played: tuple[str, ...], hand: Cards, theirs: Cards, led: str | None, turn: int, trump: str
) -> int:
    """My tricks with a strategy against one hand and the defence that is worst for me."""
    if not hand and led is None:
        return 0
    results = []
    for card in [strategy[played]] if turn == ME else legal(theirs, led, trump):
        after, then, won = _next(led, turn, card, trump)
        mine, other = (hand - {card}, theirs) if turn == ME else (hand, theirs - {card})
        results.append(won + _worst(strategy, (*played, card), mine, other, after, then, trump))
    return min(results)
