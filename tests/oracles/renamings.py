"""Renamings of suits that change nothing in Towers & Bowers, and the hand that stands for all renamed ones."""

from __future__ import annotations

from towerlab.games.cards import cards_mask, mask_cards

_SPADES = 3


def canonical(hand: int, up: int) -> tuple[int, int]:
    """The member that stands for a hand and an up-card, as (hand, up-card)."""
    return min(
        (cards_mask(13 * names[card // 13] + card % 13 for card in mask_cards(hand)), 13 * _SPADES + up % 13)
        for names in suit_renamings()
        if names[up // 13] == _SPADES
    )


def suit_renamings() -> list[tuple[int, int, int, int]]:
    """The eight renamings of C D H S = 0..3 that keep the two colours apart."""
    return [
        (first, second, 3 - second, 3 - first)
        for first in range(4)
        for second in range(4)
        if second not in (first, 3 - first)
    ]
