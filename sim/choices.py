"""Choices by lot that players of several games make."""

from __future__ import annotations

from typing import Any

from games.bits import lowest_bit, popcount
from games.jit import kernel


@kernel
def draw(random: Any, count: int) -> int:
    """A number 0..count - 1, all alike."""
    return min(int(random.random() * count), count - 1)


@kernel
def random_card(cards: int, random: Any) -> int:
    """One of the cards of a mask, as a mask."""
    for _ in range(draw(random, popcount(cards))):
        cards &= cards - 1
    return lowest_bit(cards)
