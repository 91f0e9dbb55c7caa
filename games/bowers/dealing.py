"""The pack, the deal, the kitty and its burial, and a bid's play order (BO-1, BO-2, BO-7, BO-9)."""

from __future__ import annotations

from itertools import combinations
from typing import Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.bowers.bidding import PLAYERS, call_trump
from towerlab.games.bowers.options import BowersOptions
from towerlab.games.cards import (
    DECK_32,
    JOKER_1,
    NO_TRUMP_FIELD,
    cards_mask,
    mask_cards,
    to_play_order,
    to_printed,
    trump_field,
)
from towerlab.games.jit import kernel
from towerlab.games.tricks import field_of

HAND_SIZE: Final = 10
ANY_PACK: Final = DECK_32 | 1 << JOKER_1
"""Every card that a pack of Bowers may hold, whatever the options."""


@kernel
def deal_pack(pack: Ints, dealer: int, hands: Ints) -> int:
    """Deal ten cards each, one at a time from the dealer's left; what is left over is the kitty (BO-1).

    Args:
        pack: int64[32 or 33], cards in order.
        dealer: seat 0..2.
        hands: int64[3], filled with printed masks by seat.

    Returns:
        the kitty as a printed mask.
    """
    hands[:] = 0
    for place in range(PLAYERS * HAND_SIZE):
        hands[(dealer + 1 + place) % PLAYERS] |= 1 << pack[place]
    kitty = 0
    for place in range(PLAYERS * HAND_SIZE, pack.shape[0]):
        kitty |= 1 << pack[place]
    return kitty


@kernel
def to_bid_order(mask: int, call: int) -> int:
    """A printed mask in the play order of a bid; at no trump and misère no bower is a trump (BO-2)."""
    return to_play_order(mask, call_trump(call), True)


@kernel
def from_bid_order(mask: int, call: int) -> int:
    """The inverse of `to_bid_order`."""
    return to_printed(mask, call_trump(call), True)


@kernel
def bid_trumps(call: int) -> int:
    """The trump field of a bid in play order; at no trump and misère the joker alone (BO-9)."""
    return trump_field(call_trump(call))


@kernel
def field_to_follow(led: int, named: int, trumps: int, names_suit: int) -> int:
    """The field that has to be followed (BO-8, BO-9).

    Args:
        led: the card led, play-order mask of one bit.
        named: the field that a joker led at no trump names; not read otherwise.
        trumps: `bid_trumps` of the bid.
        names_suit: the rule; where it is off, nobody can follow such a joker and anything may be played.
    """
    if names_suit and trumps == NO_TRUMP_FIELD and led & trumps:
        return named
    return field_of(led, trumps)


def shuffled_pack(options: BowersOptions, random: np.random.Generator) -> list[int]:
    """The pack of these options in random order."""
    return [int(card) for card in random.permutation(np.array(mask_cards(options.deck), dtype=np.int64))]


def buries(cards: int, count: int = 2) -> list[int]:
    """Every set of `count` of these cards that may be buried (BO-7): 66 of twelve cards, printed masks."""
    return [cards_mask(chosen) for chosen in combinations(mask_cards(cards), count)]
