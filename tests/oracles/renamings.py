"""The hand that stands for all that differ by renaming suits."""

from __future__ import annotations

from towerlab.games.cards import cards_mask, mask_cards
from towerlab.solver.towers_and_bowers.bidding import suit_renamings

_SPADES = 3


def canonical(hand: int, up: int) -> tuple[int, int]:
    """The member that stands for a hand and an up-card, as (hand, up-card)."""
    return min(
        (cards_mask(13 * names[card // 13] + card % 13 for card in mask_cards(hand)), 13 * _SPADES + up % 13)
        for names in suit_renamings()
        if names[up // 13] == _SPADES
    )
