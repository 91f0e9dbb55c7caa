"""`pimc_play` with a memory: a state is looked up by what matters in it, and thought about once.

What matters is, suit by suit, whose the cards are that are still about, from the lowest: the player's, the opponent's
for certain, perhaps the opponent's, or led. Which cards have gone from between them does not, nor which plain suit is
which: the state is *packed* to its lowest places, plain suits in a fixed order, and the decision is made on that.
So it plays as `pimc`, but for which of equals it takes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_bit, lowest_index, popcount
from towerlab.games.cards import SUIT_BITS, TRUMP_FIELD, TRUMP_SHIFT
from towerlab.games.jit import kernel
from towerlab.sim.towers_and_bowers.knowledge import InfoState, Model
from towerlab.sim.towers_and_bowers.perfect_information import pimc_play

_POOL, _HELD, _LED, _SURE = 0, 1, 2, 3  # two bits a card, under a one that tells how many there are
_PLAIN_BITS: Final = 13  # six cards
_PLACES: Final = 1 << 22


class Memory(NamedTuple):
    """Of one hand size and one set of payoffs.

    Attributes:
        keys: int64[places], packed information states, -1 where there is none; the latest of those that share a place.
        cards: int8[places], which of the player's cards to play, counted in the packed state from the lowest.
    """

    keys: Ints
    cards: np.ndarray[tuple[int, ...], np.dtype[np.int8]]


def new_memory() -> Memory:
    """An empty one, 38 MB."""
    return Memory(np.full(_PLACES, -1, dtype=np.int64), np.zeros(_PLACES, dtype=np.int8))


class Packed(NamedTuple):
    """A state by what matters in it.

    Attributes:
        key: all of it in one number.
        suits: shifts of the three plain suits, their codes rising, two bits each.
    """

    key: int
    suits: int


@kernel
def pack(state: InfoState, is_bidder: bool) -> Packed:
    """The state of a player who is to play a card, at most seven cards each."""
    first, second, third = _field_code(state, 0), _field_code(state, 13), _field_code(state, 26)
    low, middle, high = 0, 1, 2
    if first > second:
        first, second, low, middle = second, first, middle, low
    if second > third:
        second, third, middle, high = third, second, high, middle
    if first > second:
        first, second, low, middle = second, first, middle, low
    key = _field_code(state, TRUMP_SHIFT)
    for code in (third, second, first):
        key = key << _PLAIN_BITS | code
    return Packed((key << 3 | state.taken) << 1 | is_bidder, low | middle << 2 | high << 4)


@kernel
def recalled_play(state: InfoState, packed: Packed, memory: Memory) -> int:
    """The card remembered for there, 0 if there is none."""
    place = _place(packed.key)
    if memory.keys[place] != packed.key:
        return 0
    left, suits = memory.cards[place], packed.suits | 3 << 6
    while True:
        shift = 13 * (suits & 3)
        field = state.hand & (_field(shift) << shift)
        if left < popcount(field):
            for _ in range(left):
                field &= field - 1
            return lowest_bit(field)
        left -= popcount(field)
        suits >>= 2


@kernel
def think(state: InfoState, packed: Packed, values: Floats, model: Model, memory: Memory) -> None:
    """Find out what to play there, and remember it.

    Args:
        state: what the player knows.
        packed: the same, packed.
        values: float64[8], P(winning the tower) by the player's tricks, the same in all information
            states of one memory with the same bidder.
        model: tables and workspace.
        memory: filled.
    """
    held, pool, sure, led, key = 0, 0, 0, 0, packed.key >> 4
    for suit in range(4):
        code, bit = key & ((1 << _PLAIN_BITS) - 1), 1 << 13 * suit
        if suit == 3:
            code = key
        key >>= _PLAIN_BITS
        while code > 1:
            kind = code & 3
            held |= bit if kind == _HELD else 0
            pool |= bit if kind == _POOL else 0
            sure |= bit if kind == _SURE else 0
            led |= bit if kind == _LED else 0
            bit <<= 1
            code >>= 2
    card = pimc_play(InfoState(state.n, state.taken, held, sure, pool, led), values, model)
    place = _place(packed.key)
    memory.keys[place], memory.cards[place] = packed.key, popcount(held & (card - 1))


@kernel
def _place(key: int) -> int:
    return (key * 0x1F35B9A7C4D1E863 >> 32) & (_PLACES - 1)


@kernel
def _field(shift: int) -> int:
    return TRUMP_FIELD >> TRUMP_SHIFT if shift == TRUMP_SHIFT else SUIT_BITS


@kernel
def _field_code(state: InfoState, shift: int) -> int:
    """The cards of a field that are still about, two bits each, the lowest card lowest."""
    hand, sure, led = state.hand >> shift, state.sure >> shift, state.led >> shift
    cards = (hand | sure | state.pool >> shift | led) & _field(shift)
    code, place = 0, 0
    while cards:
        low = lowest_index(cards)
        cards &= cards - 1
        code |= ((hand >> low & 1) * _HELD | (led >> low & 1) * _LED | (sure >> low & 1) * _SURE) << place
        place += 2
    return code | 1 << place
