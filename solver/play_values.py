"""What each card is worth to a player who sees only his own side: every hand the opponent can hold, counted.

The reference for a play decision (*pimc*, exact): for each hand that is consistent with what the player has seen and
for each of his plays, the tricks he takes when both see all cards from then on (`solver.tablebase`). All hands count
alike: nothing is inferred from the bidding or from how the opponent has played, beyond the suits he cannot hold.
Counts are integers, hence exact; what they are worth follows from a payoff by tricks.

Cards of the opponent's that no card of the player's divides take the same tricks: only how many of such a *run* he
holds matters. One hand stands for all that differ inside runs, with their number as its weight.

Masks are in play order (`games.cards`). The opponent holds the `sure` cards and as many of the `pool` as make up his
number, which follows from the player's hand. A card `led` in the trick under way lies on the table, in no hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.bits import lowest_bit, popcount
from games.cards import TRUMP_FIELD
from games.jit import kernel
from games.tricks import field_of, legal_followers
from solver.tablebase import TableArrays, lead_tricks, leader_tricks, reply_tricks

# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def count_plays(tables: TableArrays, hand: int, sure: int, pool: int, led: int, counts: Any) -> int:
    """Count the hands of the opponent's by the tricks that each legal play takes; the player is to play.

    Args:
        tables: of the tablebase.
        hand: the player's cards.
        sure, pool: see the module's text.
        led: the opponent's card in this trick, or 0 when the player leads.
        counts: int64[at least the legal plays, 8], overwritten: a row a legal play, lowest first, by the tricks the
            player takes from this trick on. Equal cards have equal rows.

    Returns:
        How many hands the opponent can hold; each row adds up to it.
    """
    plays = legal_followers(hand, field_of(led, TRUMP_FIELD)) if led else hand
    others, weights = distinct_hands(sure, pool, hand | led, popcount(hand) - (led != 0))
    tricks_left = popcount(hand)
    counts[: popcount(plays)] = 0
    row = 0
    while plays:
        play = lowest_bit(plays)
        equals = popcount(run_of(play, plays, sure | pool | led))
        for index in range(others.shape[0]):
            if led:
                tricks = tricks_left - reply_tricks(tables, others[index] | led, hand, led, play)
            else:
                tricks = lead_tricks(tables, hand, others[index], play)
            counts[row, tricks] += weights[index]
        for copy in range(row + 1, row + equals):
            counts[copy] = counts[row]
        row += equals
        for _ in range(equals):
            plays &= plays - 1
    return int(weights.sum())


@kernel
def count_waiting(tables: TableArrays, hand: int, sure: int, pool: int, led: int, counts: Any) -> int:
    """As `count_plays` when the opponent is to play: one row, int64[8], for the player's tricks.

    Args:
        tables, hand, sure, pool: as for `count_plays`.
        led: the player's card in this trick, or 0 when the opponent leads.
        counts: int64[8], overwritten.
    """
    others, weights = distinct_hands(sure, pool, hand | led, popcount(hand) + (led != 0))
    counts[:] = 0
    for index in range(others.shape[0]):
        if led:
            tricks = lead_tricks(tables, hand | led, others[index], led)
        else:
            tricks = popcount(hand) - leader_tricks(tables, others[index], hand)
        counts[tricks] += weights[index]
    return int(weights.sum())


@kernel
def run_of(low: int, cards: int, dividers: int) -> int:
    """The cards from `low` upwards that nothing of `dividers` parts: they win and lose alike.

    Args:
        low: one card of `cards`.
        cards, dividers: disjoint masks.
    """
    field = field_of(low, TRUMP_FIELD)
    run = cards & field & -low
    above = dividers & field & -low
    return run & ((above & -above) - 1) if above else run


@kernel
def distinct_hands(sure: int, pool: int, dividers: int, size: int) -> Any:
    """One hand for all that differ only inside runs of the pool, and how many each stands for.

    Args:
        sure: cards that every hand holds.
        pool: cards that make up the rest.
        dividers: the other side's cards.
        size: cards of a hand; at least those of `sure`.

    Returns:
        Two int64 arrays: hands and weights; empty when the pool is too small.
    """
    missing = size - popcount(sure)
    room = _binomial(popcount(pool), missing)
    hands, weights = np.full(room, sure, dtype=np.int64), np.ones(room, dtype=np.int64)
    count = min(room, 1)
    later = pool
    while later:
        run = run_of(lowest_bit(later), later, dividers)
        later &= ~run
        # Each hand begun so far goes on with every number of this run's cards that the later runs can complete.
        for index in range(count):
            begun, weight = hands[index], weights[index]
            needed = size - popcount(begun)
            least, most = max(0, needed - popcount(later)), min(needed, popcount(run))
            held, rest = 0, run
            for number in range(most + 1):
                if number >= least:
                    place = index if number == least else count
                    count += number > least
                    hands[place], weights[place] = begun | held, weight * _binomial(popcount(run), number)
                held |= lowest_bit(rest)
                rest &= rest - 1
    return hands[:count], weights[:count]


@kernel
def _binomial(size: int, count: int) -> int:
    ways = 1 if 0 <= count <= size else 0
    for step in range(count):
        ways = ways * (size - step) // (step + 1)
    return ways
