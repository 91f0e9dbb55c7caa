"""Random choices that players of several games make."""

from __future__ import annotations

from typing import Any

from towerlab.games.bits import nth_bit, popcount
from towerlab.games.jit import kernel


@kernel
def draw(random: Any, count: int) -> int:
    """A number 0..count - 1, all alike."""
    return min(int(random.random() * count), count - 1)


@kernel
def random_card(cards: int, random: Any) -> int:
    """One of the cards of a mask, as a mask."""
    return nth_bit(cards, draw(random, popcount(cards)))


@kernel
def random_subset(cards: int, count: int, random: Any) -> int:
    """So many of the cards of a mask, every choice alike."""
    chosen = 0
    for _ in range(count):
        chosen |= random_card(cards & ~chosen, random)
    return chosen


@kernel
def draw_share(shares: Any, first: int, count: int, random: Any) -> int:
    """A place 0..count - 1, drawn by the probabilities that begin at `first`."""
    left = random.random()
    chosen = 0
    for place in range(count):
        if shares[first + place] > 0:
            chosen = place  # the last possible one stays chosen when rounding has left a little
            left -= shares[first + place]
            if left < 0:
                return place
    return chosen
