"""How do kernels put cards in a random order?

>>> cards = np.arange(52)
>>> shuffle_cards(cards, 52, np.random.default_rng(1))
>>> sorted(cards.tolist()) == list(range(52))
True
"""

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.jit import lean_kernel


@lean_kernel
def shuffle_cards(cards: Ints, count: int, rng: np.random.Generator) -> None:
    """Put the first `count` of the cards, int64[count or more], into a uniformly random order (Fisher and Yates)."""
    for last in range(count - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        cards[last], cards[other] = cards[other], cards[last]
