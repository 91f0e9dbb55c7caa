"""All hands with one up-card: classes and mirror images.

The up-card is public, so each of its six ranks is a game of its own; it is always a spade here
(`solver.towers_and_bowers.classes`).
The one renaming of suits that leaves spades and clubs alone swaps diamonds and hearts, the *mirror*. Of two mirrored
hands one stands for both, its class; a hand that is its own mirror image is a class by itself. The mirror is used
everywhere: strategies of self-mirrored hands are symmetric, too.
"""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import DECK_24, SUIT_BITS, mask_cards, to_play_order
from towerlab.solver.towers_and_bowers.classes import hands_from

SPADES: Final = 3
MIRRORED_SUITS: Final = np.array([0, 2, 1, 3], dtype=np.int64)  # diamonds and hearts swapped


class Deals(NamedTuple):
    """The hands of n cards that either player can hold beside one up-card.

    *Hands* are all of them, *classes* those that stand for themselves and their mirror image.

    Attributes:
        cards: n.
        up: the up-card, a spade.
        hands: int64[hands], printed masks.
        row: int64[hands], the class of each.
        mirrored: bool[hands], whether the hand is the mirror image of the one that stands for its class.
        classes: int64[classes], the hand that stands for the class, ascending.
        weights: float64[classes], 1 or 2: how many hands it stands for.
    """

    cards: int
    up: int
    hands: Ints
    row: Ints
    mirrored: Bools
    classes: Ints
    weights: Floats


def up_cards() -> list[int]:
    """The spades of the pack: one for each rank of the up-card."""
    return mask_cards(DECK_24 & SUIT_BITS << 13 * SPADES)


@functools.lru_cache(maxsize=6)
def make_deals(cards: int, up: int) -> Deals:
    """All hands of that size beside an up-card.

    Args:
        cards: 1..7.
        up: a spade.
    """
    hands = hands_from(mask_cards(DECK_24 & ~(1 << up)), cards)
    standing = standing_hands(hands)
    mirrored = standing != hands
    classes = hands[~mirrored]
    weights = np.where(mirror(classes) == classes, 1.0, 2.0)
    return Deals(cards, up, hands, np.searchsorted(classes, standing), mirrored, classes, weights)


def standing_hands(hands: Ints) -> Ints:
    """int64[hands]: the hand that stands for each printed mask, itself or its mirror image."""
    return np.where((hands >> 13 & SUIT_BITS) >= (hands >> 26 & SUIT_BITS), hands, mirror(hands))


def mirror(hands: Ints) -> Ints:
    """int64[hands]: printed masks with diamonds and hearts swapped."""
    both = SUIT_BITS << 13 | SUIT_BITS << 26
    return (hands & ~both) | (hands >> 13 & SUIT_BITS) << 26 | (hands >> 26 & SUIT_BITS) << 13


def in_play_order(hands: Ints, trump: int) -> Ints:
    """int64[hands]: `games.cards.to_play_order` with bowers, of printed masks; every card is moved once."""
    moved = np.zeros_like(hands)
    for card in mask_cards(DECK_24):
        moved |= (hands >> card & 1) * int(to_play_order(1 << card, trump, True))
    return moved


def even_suits(hands: Ints, choice: Floats) -> Floats:
    """Return a choice of hands, self-mirrored ones choosing mirrored suits alike.

    Args:
        hands: int64[hands], printed masks.
        choice: float64[hands, 3 or 4], of clubs, diamonds, hearts and perhaps a pass.
    """
    own = np.flatnonzero(mirror(hands) == hands)
    even = choice.copy()
    even[own] = (choice[own] + choice[own][:, MIRRORED_SUITS[: choice.shape[1]]]) / 2
    return even


def even_cards(hands: Ints, choice: Floats) -> Floats:
    """Return the same of a choice of cards, float64[hands, n], from the lowest."""
    own = np.flatnonzero(mirror(hands) == hands)
    even = choice.copy()
    held = np.array([mask_cards(hand) for hand in hands[own].tolist()], dtype=np.int64).reshape(-1, choice.shape[1])
    mirrored = MIRRORED_SUITS[held // 13] * 13 + held % 13
    even[own] = (choice[own] + np.take_along_axis(choice[own], np.argsort(np.argsort(mirrored, axis=1), axis=1), 1)) / 2
    return even
