"""How is chance drawn? Numbers, cards, subsets of cards, and layouts that fit what a player has seen.

>>> card = random_card(0b101100, np.random.default_rng(1))
>>> int(card) & 0b101100 == card
True
"""

from typing import Any

import numpy as np
from numpy.random import Generator

from towerlab.games.arrays import Ints
from towerlab.games.bits import binomial, nth_bit, popcount
from towerlab.games.jit import kernel


@kernel
def draw_number(random: Any, count: int) -> int:
    """Return a number 0..count - 1, each equally likely."""
    return min(int(random.random() * count), count - 1)


@kernel
def random_card(cards: int, random: Any) -> int:
    """Return one of the cards of a mask at random, as a mask."""
    return nth_bit(cards, draw_number(random, popcount(cards)))


@kernel
def random_subset(cards: int, count: int, random: Any) -> int:
    """Return `count` of the cards of a mask, every choice equally likely."""
    chosen = 0
    for _ in range(count):
        chosen |= random_card(cards & ~chosen, random)
    return chosen


@kernel
def draw_place(shares: Any, first: int, count: int, random: Any) -> int:
    """Return a place 0..count - 1, drawn with the probabilities ``shares[first : first + count]``."""
    left = random.random()
    chosen = 0
    for place in range(count):
        if shares[first + place] > 0:
            chosen = place  # the last possible one stays chosen when rounding has left a little
            left -= shares[first + place]
            if left < 0:
                return place
    return chosen


@kernel
def deal_two_hands(
    pool: int, first_may: int, second_may: int, first: int, second: int, random: Generator, out: Ints
) -> bool:
    """Deal a pool of cards to two players; what is left over is a kitty or a burial.

    Cards are of four kinds, by who may hold them. The number left over of each kind is drawn in proportion to the
    layouts that have it, so that every layout that fits is equally likely.

    Args:
        pool: mask of the unseen cards.
        first_may, second_may: masks of cards that the two players may hold; anything may be left over.
        first, second: the number of cards that each of them holds.
        random: numpy Generator.
        out: int64[samples, 3], filled with their hands and the rest.

    Returns:
        whether any layout fits; `out` is untouched if none does.
    """
    only_first = pool & first_may & ~second_may
    only_second = pool & second_may & ~first_may
    both = pool & first_may & second_may
    nobodys = pool & ~(first_may | second_may)
    spare = popcount(pool) - first - second - popcount(nobodys)
    choices = max(spare, 0) + 1
    total = 0.0
    sums = np.zeros(choices**2)
    for choice in range(choices**2):
        total += _count_layouts(
            only_first, only_second, both, first, second, choice // choices, choice % choices, spare
        )
        sums[choice] = total
    if total == 0.0:
        return False
    for sample in range(out.shape[0]):
        drawn = 0
        share = random.random() * total
        while drawn < choices**2 - 1 and sums[drawn] <= share:
            drawn += 1
        left_first = drawn // choices
        left_second = drawn % choices
        rest = nobodys | random_subset(only_first, left_first, random) | random_subset(only_second, left_second, random)
        rest |= random_subset(both, spare - left_first - left_second, random)
        hand = only_first & ~rest
        hand |= random_subset(both & ~rest, first - popcount(hand), random)
        out[sample, 0] = hand
        out[sample, 1] = pool & ~hand & ~rest
        out[sample, 2] = rest
    return True


@kernel
def _count_layouts(
    only_first: int, only_second: int, both: int, first: int, second: int, left_first: int, left_second: int, spare: int
) -> float:
    """Count the layouts with so many cards of `only_first` and `only_second` left over, of `spare` in all."""
    needs_first = first - popcount(only_first) + left_first
    needs_second = second - popcount(only_second) + left_second
    free = popcount(both) - (spare - left_first - left_second)
    if needs_first < 0 or needs_second < 0 or free != needs_first + needs_second:
        return 0.0
    return (
        binomial(popcount(only_first), left_first)
        * binomial(popcount(only_second), left_second)
        * binomial(popcount(both), spare - left_first - left_second)
        * binomial(free, needs_first)
    )
