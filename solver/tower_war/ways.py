"""Every way to play a hand of three cards: at most six, orders and jokers' copies together.

A side of a battle is an int64 array [WAY_ROOM, WAY_SIZE] with one way a row:

    0..2    the cards, NO_CARD where a skirmish is forfeited
    3..5    the same as played
    6..15   their profile (games/tower_war/battle.py)
    16..19  class after 0, 1, 2, 3 cards: the lowest row that begins alike
"""

from __future__ import annotations

from towerlab.games.bits import lowest_index
from towerlab.games.cards import JOKER_1
from towerlab.games.jit import kernel
from towerlab.games.tower_war.battle import NO_CARD, PROFILE_SIZE, SKIRMISHES, Array, profile_cards
from towerlab.games.tower_war.seats import CARD, PLAYED, SHOWN

WAY_CARD = 0
WAY_SHOWN = 3
WAY_PROFILE = 6
WAY_CLASS = 16
WAY_SIZE = 20
MAX_WAYS = 6
WAY_ROOM = 16  # the ways and, while they are made, their beginnings


@kernel
def ways_to_play(hand: int, played: int, ways: Array) -> int:
    """All ways to go on with a hand.

    Args:
        hand: mask of the cards not played yet.
        played: how many cards are played; row 0 of `ways` holds them, as cards and as played.
        ways: filled from row 0.

    Returns:
        Number of ways, 1..MAX_WAYS.

    Arrays: ways int64[WAY_ROOM, WAY_SIZE].
    """
    first = 0
    end = 1
    for k in range(played, SKIRMISHES):
        stop = end
        for row in range(first, stop):
            end = _extend_way(hand, k, row, end, ways)
        first = stop
    count = end - first
    for row in range(count):
        for column in range(WAY_PROFILE):
            ways[row, column] = ways[first + row, column]
        profile_cards(
            ways[row, WAY_SHOWN : WAY_SHOWN + SKIRMISHES], ways[row, WAY_PROFILE : WAY_PROFILE + PROFILE_SIZE]
        )
    for row in range(count):
        for k in range(SKIRMISHES + 1):
            ways[row, WAY_CLASS + k] = _first_alike(ways, row, k)
    return count


@kernel
def _extend_way(hand: int, k: int, row: int, end: int, ways: Array) -> int:
    """Append every continuation of a beginning of k cards; returns the new end of the list."""
    left = hand
    for j in range(k):
        if ways[row, WAY_CARD + j] != NO_CARD:
            left &= ~(1 << ways[row, WAY_CARD + j])
    start = end
    while left:
        card = lowest_index(left)
        left &= left - 1
        if card < JOKER_1:
            end = _append_way(ways, row, k, card, card, end)
            continue
        for j in range(k):
            copy = ways[row, WAY_SHOWN + j]
            if copy != NO_CARD and not (j == 1 and copy == ways[row, WAY_SHOWN]):
                end = _append_way(ways, row, k, card, copy, end)
    return end if end > start else _append_way(ways, row, k, NO_CARD, NO_CARD, end)


@kernel
def _append_way(ways: Array, row: int, k: int, card: int, shown: int, end: int) -> int:
    for j in range(k):
        ways[end, WAY_CARD + j] = ways[row, WAY_CARD + j]
        ways[end, WAY_SHOWN + j] = ways[row, WAY_SHOWN + j]
    ways[end, WAY_CARD + k] = card
    ways[end, WAY_SHOWN + k] = shown
    return end + 1


@kernel
def _first_alike(ways: Array, row: int, k: int) -> int:
    """The lowest row whose first k cards are those of `row`."""
    for other in range(row):
        alike = True
        for j in range(k):
            alike &= ways[other, WAY_CARD + j] == ways[row, WAY_CARD + j]
            alike &= ways[other, WAY_SHOWN + j] == ways[row, WAY_SHOWN + j]
        if alike:
            return other
    return row


@kernel
def ways_of_seat(seats: Array, player: int, hand: int, ways: Array) -> int:
    """Fill in the ways of a player with the cards already played and `hand` (known or possible).

    Arrays: seats int64[2, SEAT_SIZE], ways int64[WAY_ROOM, WAY_SIZE].
    """
    played = seats[player, PLAYED]
    for k in range(played):
        ways[0, WAY_CARD + k] = seats[player, CARD + k]
        ways[0, WAY_SHOWN + k] = seats[player, SHOWN + k]
    return ways_to_play(hand, played, ways)
