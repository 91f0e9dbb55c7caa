"""How the double-dummy search sees a position: packed cards, fields, and who owns the top cards of each field.

The search works on play-order masks (games/cards.py) whose ranks are *packed*: in each field the cards of the deal
are pushed together from the field's bottom, so that absolute ranks disappear and "who owns the i-th highest card"
is a table lookup. Fields keep their places, so `games.tricks` judges packed cards as it judges any other.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from games.bits import highest_bit, highest_index, lowest_bit, popcount
from games.cards import NO_TRUMP_FIELD, SUIT_BITS, TRUMP_SHIFT
from games.jit import kernel

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

# Columns of the lane table: one row a lane.
FIELD: Final = 0
SHIFT: Final = 1
SIZE: Final = 2
OFFSET: Final = 3  # of its owners in their pattern word
BASE: Final = 4  # of its rows in the owner table
LANE_COLUMNS: Final = 5

OWNER_ROWS: Final = 4 + (1 << 16) + 3 * (1 << 13)


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


@kernel
def build_lanes(lanes: Ints, deal: int, trumps: int) -> None:
    """Fill the lane table: field, shift, number of cards, and where its owners stand in the two pattern words.

    Args:
        lanes: output [LANES, LANE_COLUMNS].
        deal: every card still in play, packed or not.
    """
    used_0 = 0
    used_1 = 0
    base = 0
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        size = popcount(deal & field)
        lanes[lane, FIELD] = field
        lanes[lane, SHIFT] = 0 if field == 0 else highest_index(lowest_bit(field))
        lanes[lane, SIZE] = size
        lanes[lane, BASE] = base
        base += 1 << size
        # Two pattern words: lanes 0, 1, 4 share the first, 2 and 3 the second; at most 62 bits each.
        if lane == 2 or lane == 3:
            lanes[lane, OFFSET] = used_1
            used_1 += 2 * size
        else:
            lanes[lane, OFFSET] = used_0
            used_0 += 2 * size


@kernel
def build_owners(owners: Ints, lanes: Ints, hands: Ints) -> None:
    """For each lane and each set of its cards that may remain: who owns them, highest first, two bits a card.

    The strings stand at their places in the pattern words, the highest card in the topmost bits of its lane's share.

    Args:
        owners: output, at least as long as the sum of 2**size over the lanes.
        lanes: from `build_lanes`.
        hands: packed hands [SEATS].
    """
    for lane in range(LANES):
        size = lanes[lane, SIZE]
        base = lanes[lane, BASE]
        offset = lanes[lane, OFFSET]
        low_end = 1 << offset
        owners[base] = 0
        for top in range(size):
            card = 1 << (lanes[lane, SHIFT] + top)
            seat = 0
            for candidate in range(SEATS):
                if hands[candidate] & card:
                    seat = candidate
            first = seat << (offset + 2 * size - 2) if size else 0
            for rest in range(1 << top):
                owners[base + (1 << top) + rest] = first | (owners[base + rest] >> 2) & -low_end


@kernel
def relevant_prefix(relevant: int, remaining: int, lanes: Ints, lane: int) -> int:
    """How many of the highest remaining cards of a lane are at or above the lowest relevant one."""
    low = lowest_bit(relevant & lanes[lane, FIELD])
    if low == 0:
        return 0
    return popcount(remaining & lanes[lane, FIELD] & -low)


@kernel
def prefix_mask(lanes: Ints, lane: int, count: int) -> int:
    """Mask, inside the lane's pattern word, of the owners of its `count` highest cards."""
    start: int = lanes[lane, OFFSET] + 2 * (lanes[lane, SIZE] - count)
    return ((1 << (2 * count)) - 1) << start


@kernel
def lowest_of_prefix(remaining: int, lanes: Ints, lane: int, count: int) -> int:
    """The `count`-th highest remaining card of a lane; 0 when count is 0."""
    cards = remaining & lanes[lane, FIELD]
    card = 0
    for _ in range(count):
        card = highest_bit(cards)
        cards ^= card
    return card


@kernel
def owner_words(owners: Ints, lanes: Ints, remaining: int, trumps: int) -> tuple[int, int]:
    """The two pattern words of a position: the owners of all remaining cards."""
    word_0 = _owners_of(owners, lanes, remaining, 0) | _owners_of(owners, lanes, remaining, 1)
    word_1 = _owners_of(owners, lanes, remaining, 2) | _owners_of(owners, lanes, remaining, 3)
    if trumps == NO_TRUMP_FIELD:
        word_0 |= _owners_of(owners, lanes, remaining, 4)
    return word_0, word_1


@kernel
def _owners_of(owners: Ints, lanes: Ints, remaining: int, lane: int) -> int:
    subset = (remaining >> lanes[lane, SHIFT]) & ((1 << lanes[lane, SIZE]) - 1)
    strings: int = owners[lanes[lane, BASE] + subset]
    return strings
