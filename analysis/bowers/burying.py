"""Classes of equivalent buries, and the hidden hands.

Two of twelve cards can be buried in 66 ways (three of thirteen in 286). Two cards are neighbours if nobody else can
hold one between them; burying either is equivalent, so that about 32 ways remain.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.cards import NO_TRUMP_FIELD, SUIT_BITS, TRUMP_SHIFT, mask_cards


def draw_hands(unseen: int, number: int, rng: np.random.Generator, hand_size: int | None = None) -> Ints:
    """The hands on the left and on the right, masks [number, 2], all layouts equally likely.

    Args:
        unseen: cards that the two may hold.
        number: layouts.
        rng: random numbers.
        hand_size: cards of each; None for all of them, half each.
    """
    cards = np.tile(np.array([1 << card for card in mask_cards(unseen)], dtype=np.int64), (number, 1))
    size = cards.shape[1] // 2 if hand_size is None else hand_size
    shuffled = rng.permuted(cards, axis=1)
    left = np.bitwise_or.reduce(shuffled[:, :size], axis=1)
    return np.stack((left, np.bitwise_or.reduce(shuffled[:, size : 2 * size], axis=1)), axis=1)


def fields_of(trumps: int) -> list[int]:
    """The fields of play order with these trumps; the trumps come last."""
    plain = [SUIT_BITS << 13 * field for field in range(3)]
    return [*plain, SUIT_BITS << TRUMP_SHIFT, trumps] if trumps == NO_TRUMP_FIELD else [*plain, trumps]


def distinct_buries(own: int, unseen: int, trumps: int, count: int) -> dict[int, list[int]]:
    """Return every bury, equivalent ones together.

    Args:
        own: hand and kitty in play order.
        unseen: cards that the others may hold, all of which they do.
        trumps: the trump field.
        count: cards to bury.

    Returns:
        buries (masks) by their representative: of each run of neighbours the lowest.
    """
    fields = fields_of(trumps)
    runs = []
    for card in mask_cards(own):
        place = next(number for number, field in enumerate(fields) if field >> card & 1)
        runs.append((place, (unseen & fields[place] & ((1 << card) - 1)).bit_count(), 1 << card))
    classes: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for chosen in combinations(runs, count):
        mask = sum(card for _, _, card in chosen)
        classes.setdefault(tuple(run[:2] for run in chosen), []).append(mask)
    return {same[0]: same for same in classes.values()}
