"""About how many tricks does the declarer's side take with best play, without a search?

Each hand counts for what it holds in each suit: how many cards, and which of the three highest that are in play
(`HOLDINGS`). The estimate is a sum of weights, one for each hand and suit, and of a constant: linear, but a queen
counts for more with two small cards than alone. The weights of plain suits are the same for all of them; trumps have
their own. They are fitted to solved deals by the study `trick-estimate` of a game and stored.

>>> import numpy as np
>>> hands = np.array([[0b1100000000010, 0b0010000000001, 0b0000001100000]])  # one suit: A K 3, Q 2, 8 7
>>> holding_numbers(hands, 0)[0, 0].tolist()
[30, 17, 16]
"""

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import highest_bit, popcount
from towerlab.games.cards import SUIT_BITS, TRUMP_SHIFT
from towerlab.games.jit import kernel

MOST_LENGTH: Final = 7  # of a suit; longer ones count alike
TOPS: Final = 3
HOLDINGS: Final = (MOST_LENGTH + 1) << TOPS
FIELDS: Final = 4
STEPS: Final = 8  # of a trick, to which an estimate is rounded where it becomes chances


class TrickEstimate(NamedTuple):
    """A fitted estimate of deals of one number of hands; everything by contract: 0 with trumps, 1 without.

    Attributes:
        weights: tricks, float64[2, 2, hands, HOLDINGS]: of plain suits and of trumps, hands from the declarer's on.
        constant: tricks, float64[2].
        spread: root mean square by which the tricks of a deal differ from the estimate, float64[2].
        bias: root mean square of the mean difference over deals in which the declarer holds the same cards, float64[2].
    """

    weights: Floats
    constant: Floats
    spread: Floats
    bias: Floats

    def tricks(self, hands: Ints, trumps: int) -> Floats:
        """The declarer's side's tricks about, float64[deals], of play-order hands [deals, hands] and a trump field."""
        without = int(trumps >> TRUMP_SHIFT & SUIT_BITS == 0)
        numbers = holding_numbers(hands, trumps)
        of_trumps = np.array([0, 0, 0, 1 - without])[:, None]
        seats = np.arange(hands.shape[1])
        return np.asarray(self.constant[without] + self.weights[without][of_trumps, seats, numbers].sum(axis=(1, 2)))

    def chances(self, without: int, most: int, shift: float = 0.0) -> Floats:
        """P(t tricks) by the estimate, which is rounded to a step: float64[most · STEPS + 1, most + 1], Gaussian.

        Args:
            without: 1 without trumps.
            most: the number of tricks of a deal.
            shift: the error that all estimates share, in units of `bias`.
        """
        from scipy import special

        middles = np.arange(most * STEPS + 1)[:, None] / STEPS + shift * self.bias[without]
        below = special.ndtr((np.arange(most)[None, :] + 0.5 - middles) / self.spread[without])
        return np.asarray(np.diff(below, axis=1, prepend=0.0, append=1.0))


def steps_of(tricks: Floats, most: int) -> Ints:
    """Estimates as rows of `TrickEstimate.chances`."""
    return np.rint(np.clip(tricks, 0, most) * STEPS).astype(np.int64)


def holding_numbers(hands: Ints, trumps: int) -> Ints:
    """What each hand holds in each suit: its length, then a bit for each of the highest cards in play.

    Args:
        hands: play-order masks [deals, hands].
        trumps: the trump field.

    Returns:
        int64[deals, FIELDS, hands], numbers below `HOLDINGS`; the trumps are the last field.
    """
    numbers = np.empty((len(hands), FIELDS, hands.shape[1]), dtype=np.int64)
    count_holdings(np.ascontiguousarray(hands), trumps, numbers)
    return numbers


@kernel
def count_holdings(hands: Ints, trumps: int, out: Ints) -> None:
    """Fill in `holding_numbers`."""
    for deal in range(hands.shape[0]):
        for number in range(FIELDS):
            field = SUIT_BITS << (13 * number)
            if number == FIELDS - 1:
                field |= trumps
            cards = 0
            for seat in range(hands.shape[1]):
                cards |= hands[deal, seat] & field
                out[deal, number, seat] = min(popcount(hands[deal, seat] & field), MOST_LENGTH)
            for _ in range(TOPS):
                top = highest_bit(cards) if cards else 0
                cards ^= top
                for seat in range(hands.shape[1]):
                    out[deal, number, seat] = 2 * out[deal, number, seat] + (1 if hands[deal, seat] & top else 0)
