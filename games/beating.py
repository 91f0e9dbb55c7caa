"""`games.tricks.beats` for a set of cards at once.

In a file of its own: stored solutions are stamped with the kernels of `games.tricks`, and this is no rule of its own.
"""

from towerlab.games.jit import kernel
from towerlab.games.tricks import field_of


@kernel
def cards_that_beat(cards: int, best: int, trumps: int) -> int:
    """Return those of some cards that beat the best so far: the higher ones of its field and the higher trumps.

    Args:
        cards: play-order mask.
        best: play-order mask of one card, or 0.
        trumps: the trump field, `games.cards.trump_field(trump)`.
    """
    return cards & -best & ~best & (field_of(best, trumps) | trumps)
