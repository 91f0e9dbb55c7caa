"""Layouts that fit a claimant's knowledge: all of them, random ones, and the worst or best for the claimant."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from towerlab.games.bits import deposit_bits, next_subset, popcount
from towerlab.games.cards import SUIT_BITS, mask_cards
from towerlab.games.jit import kernel
from towerlab.solver.claims.belief import Belief
from towerlab.solver.two_hands.tablebase import TableArrays, lead_tricks, leader_tricks

Layout = tuple[int, ...]
OPPONENT: Final = 1  # of two seats


def all_layouts(belief: Belief) -> Iterator[Layout]:
    """Every layout: the cards of each hidden hand, in the order of `Belief.hidden`."""
    sure = [belief.own[seat] for seat in belief.hidden]
    for first in combinations(mask_cards(belief.pools[0]), belief.shares[0]):
        hand = sum(1 << card for card in first)
        if len(sure) == 1:
            yield (sure[0] | hand,)
            continue
        for second in combinations(mask_cards(belief.pools[1] & ~hand), belief.shares[1]):
            yield sure[0] | hand, sure[1] | sum(1 << card for card in second)


def drawn_layout(belief: Belief, draw: random.Random) -> Layout:
    """One of the layouts, each as likely as any other."""
    first, second, of_first, of_second = belief.two_pools
    both = first & second
    alone = first & ~second
    ways = belief.ways
    shared = draw.choices(range(len(ways)), ways)[0]
    taken = _some(both, shared, draw) | _some(alone, of_first - shared, draw)
    return _with_sure(belief, taken, _some(second & ~taken, of_second, draw))


def freakish_layout(belief: Belief, draw: random.Random) -> Layout:
    """Return an extreme layout: suit after suit goes to one hand as far as it has room."""
    first, second, of_first, of_second = belief.two_pools
    fields = [SUIT_BITS << 13 * lane for lane in range(3)] + [~((1 << 39) - 1) & ((1 << 56) - 1)]
    draw.shuffle(fields)
    taken = 0
    for field in fields:
        wanted = (of_first if draw.random() < 0.5 else 0) - taken.bit_count()
        cards = mask_cards(first & field)[::-1]
        if draw.random() < 0.3:
            draw.shuffle(cards)
        for card in cards[: max(0, min(wanted, draw.randint(0, len(cards))) if draw.random() < 0.4 else wanted)]:
            taken |= 1 << card
    taken = _repaired(taken, first, second, of_first, of_second, draw)
    rest = mask_cards(second & ~taken)
    if draw.random() < 0.5:
        draw.shuffle(rest)
    held = sum(1 << card for card in rest[len(rest) - of_second :])
    return _with_sure(belief, taken, held)


def _repaired(taken: int, first: int, second: int, of_first: int, of_second: int, draw: random.Random) -> int:
    """The first hand's cards brought to their number so that the second hand still finds its own."""
    spare = second.bit_count() - of_second
    shared = mask_cards(taken & second)
    draw.shuffle(shared)
    for card in shared[: max(0, len(shared) - spare)]:
        taken &= ~(1 << card)
    alone = mask_cards(first & ~second & ~taken)
    draw.shuffle(alone)
    others = mask_cards(first & second & ~taken)
    draw.shuffle(others)
    room = max(0, spare - (taken & second).bit_count())
    for card in (alone + others[:room])[: max(0, of_first - taken.bit_count())]:
        taken |= 1 << card
    return taken


def _some(pool: int, count: int, draw: random.Random) -> int:
    return sum(1 << card for card in draw.sample(mask_cards(pool), count))


def _with_sure(belief: Belief, *hands: int) -> Layout:
    return tuple(belief.own[seat] | hand for seat, hand in zip(belief.hidden, hands, strict=False))


@kernel
def claimant_tricks(tables: TableArrays, hand: int, theirs: int, led: int, turn: int) -> int:
    """The claimant's tricks when both see all cards, at a trick start or in the middle of a trick."""
    if turn == OPPONENT:
        if led:
            return lead_tricks(tables, hand | led, theirs, led)
        return popcount(hand) - leader_tricks(tables, theirs, hand)
    if led:
        return popcount(hand) - lead_tricks(tables, theirs | led, hand, led)
    return leader_tricks(tables, hand, theirs)


@kernel
def extreme_layout(
    tables: TableArrays, hand: int, sure: int, pool: int, led: int, turn: int, worst: bool
) -> tuple[int, int]:
    """The opponent's hand that leaves the claimant the fewest tricks (or the most), and how many; exact.

    Of equal hands it is the one with the lowest cards in play order.
    """
    best_layout = 0
    best_tricks = -1
    count = popcount(hand) - popcount(sure)
    if led:
        count += 1 if turn == OPPONENT else -1
    chosen = (1 << count) - 1
    while chosen < 1 << popcount(pool):
        layout = sure | deposit_bits(chosen, pool)
        tricks = claimant_tricks(tables, hand, layout, led, turn)
        if best_tricks < 0 or (tricks < best_tricks if worst else tricks > best_tricks):
            best_layout = layout
            best_tricks = tricks
        if chosen == 0:
            break
        chosen = next_subset(chosen)
    return best_layout, best_tricks


def parts(belief: Belief) -> tuple[int, int, int, int, int]:
    """Return a belief with one hidden hand, the second: the claimant's hand, sure cards, pool, card led, turn."""
    return *belief.own, belief.pools[0], belief.trick[0] if belief.trick else 0, belief.turn  # type: ignore[return-value]


def layout_with(belief: Belief, tables: TableArrays, worst: bool) -> tuple[Layout, int]:
    """The opponent's hand that leaves the claimant the fewest tricks (or the most), all cards seen, and how many."""
    if belief.tricks == 0:
        return (0,), 0
    layout, tricks = extreme_layout(tables, *parts(belief), worst)
    return (int(layout),), int(tricks)
