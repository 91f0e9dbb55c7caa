"""How the double-dummy search sees a position: packed cards, fields by number, suit lengths, relative ranks.

The search works on play-order masks (games/cards.py) whose ranks are *packed*: in each field the cards of the deal
are pushed together from the field's bottom. Fields keep their places, so `games.tricks` judges packed cards as it
judges any other. Ranks relative to the cards that remain are the places of bits extracted by the remaining cards.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from games.bits import lowest_bit, popcount
from games.cards import NO_TRUMP_FIELD, SUIT_BITS, TRUMP_SHIFT
from games.jit import kernel, lean_kernel

Ints = NDArray[np.int64]

SEATS: Final = 4
LANES: Final = 5
"""Fields by number: 0 the trumps (at no trump the joker), 1..3 plain suits at bits 0, 13, 26, and 4 the suit at bits
39..51 that exists at no trump only."""

PLAIN_1: Final = SUIT_BITS
PLAIN_2: Final = SUIT_BITS << 13
PLAIN_3: Final = SUIT_BITS << 26
PLAIN_4: Final = SUIT_BITS << TRUMP_SHIFT
ALL_CARDS: Final = (1 << 56) - 1


@kernel
def lane_field(lane: int, trumps: int) -> int:
    """The field of a lane; 0 for lane 4 when the trump suit has its bits."""
    if lane == 0:
        return trumps
    if lane == 4:
        return PLAIN_4 if trumps == NO_TRUMP_FIELD else 0
    return SUIT_BITS << (13 * (lane - 1))


@kernel
def lane_of(card: int, trumps: int) -> int:
    """The lane of a card."""
    if card & trumps:
        return 0
    if card < 1 << 13:
        return 1
    if card < 1 << 26:
        return 2
    if card < 1 << TRUMP_SHIFT:
        return 3
    return 4


@kernel
def pack(mask: int, deal: int, trumps: int) -> int:
    """A play-order mask with the ranks of a deal pushed together in each field.

    Args:
        mask: cards out of `deal`.
        deal: every card that is still in play.
    """
    packed = 0
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        cards = deal & field
        place = lowest_bit(field)
        while cards:
            low = lowest_bit(cards)
            if mask & low:
                packed |= place
            place <<= 1
            cards ^= low
    return packed


@kernel
def unpack(packed: int, deal: int, trumps: int) -> int:
    """The inverse of `pack`."""
    mask = 0
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        cards = deal & field
        place = lowest_bit(field)
        while cards:
            low = lowest_bit(cards)
            if packed & place:
                mask |= low
            place <<= 1
            cards ^= low
    return mask


@lean_kernel
def lengths(hands: Ints) -> int:
    """The cards of every hand in lanes 1..3, four bits each; those in the trumps follow from the hands' size."""
    word = 0
    for seat in range(SEATS):
        hand = hands[seat]
        word |= (popcount(hand & PLAIN_1) | popcount(hand & PLAIN_2) << 16 | popcount(hand & PLAIN_3) << 32) << 4 * seat
    return word


@kernel
def prefixes(relevant: int, remaining: int, trumps: int) -> int:
    """The remaining cards of each lane from its top down to its lowest relevant card."""
    found = 0
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        low = relevant & field
        if low:
            found |= remaining & field & -lowest_bit(low)
    return found
