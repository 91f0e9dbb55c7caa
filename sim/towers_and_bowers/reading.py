"""Contracts of the second round played by two who read the bids: `pimc`, every layout as likely as it is bid so.

Each player's layouts are listed once and thinned out card by card. A card is worth its mean over them, both seeing all
cards afterwards; of equal cards the one with more tricks is played, then the lowest. Up to three cards
`sim.towers_and_bowers.searches.averages` makes whole strategies of the same idea; this plays single deals of any size.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_bit, popcount
from towerlab.games.cards import TRUMP_FIELD
from towerlab.games.jit import kernel
from towerlab.games.tricks import field_of, leader_wins, legal_followers
from towerlab.sim.towers_and_bowers.knowledge import MOST_LAYOUTS, InfoState
from towerlab.sim.towers_and_bowers.perfect_information import MOST_GAPS, distinct_plays, gaps_between, tricks_of_play
from towerlab.solver.two_hands.tablebase import TableArrays, leader_tricks

_EQUAL: Final = 1e-10
_KINDS: Final = 1 << 17  # at least 2 to the number of unseen cards but for one


class Bids(NamedTuple):
    """How likely each player bids so with every hand.

    Attributes:
        hands: int64[hands], all that can be held beside the up-card, in play order.
        shares: float64[2, hands], of non-dealer and dealer; above 0.
        values: float64[2, n + 1], P(win the tower) of each by the tricks taken.
    """

    hands: Ints
    shares: Floats
    values: Floats


class Workspace(NamedTuple):
    """A player's layouts (int64[2, ..], play order) and their weights; one layout of each kind, all its weight."""

    layouts: Ints
    weights: Floats
    counts: Ints
    kinds: Ints
    kind_weights: Floats
    keys: Ints
    seen: Ints


def make_workspace() -> Workspace:
    """For one thread."""
    layouts = np.empty((2, MOST_LAYOUTS), dtype=np.int64)
    one, each = np.empty(MOST_LAYOUTS, dtype=np.int64), np.empty(MOST_LAYOUTS)
    seen = np.zeros(_KINDS, dtype=np.int64)
    return Workspace(layouts, np.empty(layouts.shape), np.zeros(2, np.int64), one, each, one.copy(), seen)


@kernel
def play_readers(tables: TableArrays, bids: Bids, dealt: Ints, space: Workspace, tricks: Ints) -> None:
    """Play deals out.

    Args:
        tables: of the double-dummy solver.
        bids: how the contract was come to.
        dealt: int64[deals, 2], hands of non-dealer and dealer in play order.
        space: workspace.
        tricks: int64[deals, 2], filled with the non-dealer's: as it is played, and with open cards.
    """
    for row in range(len(dealt)):
        tricks[row, 0] = _play_deal(tables, bids, dealt[row, 0], dealt[row, 1], space)
        tricks[row, 1] = leader_tricks(tables, dealt[row, 0], dealt[row, 1])


@kernel
def _play_deal(tables: TableArrays, bids: Bids, nondealer: int, dealer: int, space: Workspace) -> int:
    own, taken, leader = np.array([nondealer, dealer]), np.zeros(2, dtype=np.int64), 0
    for seat in range(2):
        _list_layouts(bids, seat, own[seat], space)
    while own[0]:
        led = _choose(tables, bids.values[leader], leader, own[leader], taken[leader], 0, space)
        own[leader] ^= led
        _thin_out(1 - leader, led, 0, space)
        follower = 1 - leader
        reply = _choose(tables, bids.values[follower], follower, own[follower], taken[follower], led, space)
        own[follower] ^= reply
        _thin_out(leader, reply, led, space)
        leader = leader if leader_wins(led, reply, TRUMP_FIELD) else follower
        taken[leader] += 1
    return int(taken[0])


@kernel
def _list_layouts(bids: Bids, seat: int, own: int, space: Workspace) -> None:
    """Every hand that the other can hold."""
    count = 0
    for row in range(len(bids.hands)):
        if bids.hands[row] & own == 0:
            space.layouts[seat, count] = bids.hands[row]
            space.weights[seat, count] = bids.shares[1 - seat, row]
            count += 1
    space.counts[seat] = count


@kernel
def _thin_out(seat: int, card: int, led: int, space: Workspace) -> None:
    """Keep the layouts in which the other may play that card, without it."""
    count = 0
    for row in range(space.counts[seat]):
        layout = space.layouts[seat, row]
        if layout & card and (led == 0 or legal_followers(layout, field_of(led, TRUMP_FIELD)) & card):
            space.layouts[seat, count], space.weights[seat, count] = layout ^ card, space.weights[seat, row]
            count += 1
    space.counts[seat] = count


@kernel
def _choose(tables: TableArrays, values: Floats, seat: int, hand: int, taken: int, led: int, space: Workspace) -> int:
    pool = 0
    for row in range(space.counts[seat]):
        pool |= space.layouts[seat, row]
    state = InfoState(popcount(hand) + taken, taken, hand, 0, pool, led)
    plays, left = distinct_plays(state), values[taken : taken + popcount(hand) + 1]
    if popcount(plays) == 1 or left.min() == left.max():
        return lowest_bit(plays)
    gaps = np.empty(MOST_GAPS, dtype=np.int64)
    gap_count = gaps_between(pool, hand | led, gaps)
    kinds, total = _sort_out(seat, gaps, gap_count, space)
    best, best_value, best_tricks, slack = 0, 0.0, 0.0, _EQUAL * total
    while plays:
        play = lowest_bit(plays)
        plays ^= play
        value, tricks = 0.0, 0.0
        for kind in range(kinds):
            more = tricks_of_play(tables, state, space.kinds[kind], play, gaps, gap_count)
            value += space.kind_weights[kind] * left[more]
            tricks += space.kind_weights[kind] * more
        if best == 0 or value > best_value + slack or (value >= best_value - slack and tricks > best_tricks + slack):
            best, best_value, best_tricks = play, value, tricks
    return best


@kernel
def _sort_out(seat: int, gaps: Ints, gap_count: int, space: Workspace) -> tuple[int, float]:
    """One layout for all that differ inside gaps; how many there are, and the weight of all."""
    kinds, total = 0, 0.0
    for row in range(space.counts[seat]):
        key = 0
        for gap in range(gap_count):
            key = key * (popcount(gaps[gap]) + 1) + popcount(space.layouts[seat, row] & gaps[gap])
        if space.seen[key] == 0:
            space.kinds[kinds], space.kind_weights[kinds], space.keys[kinds] = space.layouts[seat, row], 0.0, key
            kinds += 1
            space.seen[key] = kinds
        space.kind_weights[space.seen[key] - 1] += space.weights[seat, row]
        total += space.weights[seat, row]
    for kind in range(kinds):
        space.seen[space.keys[kind]] = 0
    return kinds, total
