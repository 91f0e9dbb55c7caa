"""Classes of (hand, up-card) that differ by renaming suits only.

Swapping the two colours, or the two suits of a colour, changes nothing in Towers & Bowers: a group of order 8 (RULES
chapter 6). Of each class this file keeps one member: its up-card is a spade and its hearts, as a set of ranks, are
not above its diamonds (the only renaming that keeps spades and clubs in place swaps diamonds and hearts).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.cards import DECK_24, SUIT_BITS, mask_cards
from towerlab.solver.two_hands.tablebase import subsets

_SPADES = 3


class UpCardClasses(NamedTuple):
    """One entry a class, sorted by up-card, then hand.

    Attributes:
        hands: int64, printed masks.
        ups: int64, up-cards (spades).
        weights: int64, how many (hand, up-card) pairs the class stands for: 4 or 8.
    """

    hands: Ints
    ups: Ints
    weights: Ints


@functools.cache
def up_card_classes(cards: int) -> UpCardClasses:
    """Return all classes at one hand size: 752,862 of them at seven cards, 102 at one."""
    spades = mask_cards(DECK_24 & SUIT_BITS << 13 * _SPADES)
    every = [hands_from(mask_cards(DECK_24 & ~(1 << up)), cards) for up in spades]
    parts = [hands[(hands >> 13 & SUIT_BITS) >= (hands >> 26 & SUIT_BITS)] for hands in every]
    hands = np.concatenate(parts)
    ups = np.repeat(np.array(spades, dtype=np.int64), list(map(len, parts)))
    diamonds = hands >> 13 & SUIT_BITS
    hearts = hands >> 26 & SUIT_BITS
    weights = np.where(diamonds == hearts, 4, 8).astype(np.int64)
    return UpCardClasses(hands, ups, weights)


def hands_from(cards: Sequence[int], count: int) -> Ints:
    """int64[hands]: every hand of so many of some cards (ids, rising), printed masks, ascending."""
    places = subsets(len(cards), count)
    hands = np.zeros(len(places), dtype=np.int64)
    for place, card in enumerate(cards):
        hands |= (places >> place & 1) << card
    return hands


def suit_renamings() -> list[tuple[int, int, int, int]]:
    """The eight renamings of C D H S = 0..3 that keep the two colours apart."""
    return [
        (first, second, 3 - second, 3 - first)
        for first in range(4)
        for second in range(4)
        if second not in (first, 3 - first)
    ]


def rename(hands: Ints, names: Iterable[int | Ints]) -> Ints:
    """Printed masks with their suits C D H S renamed, all alike or each its own way."""
    renamed = np.zeros_like(hands)
    for suit, name in enumerate(names):
        renamed |= (hands >> 13 * suit & SUIT_BITS) << 13 * name
    return renamed
