"""Bidding strategies of both seats by class of hands, and the payoffs of tricks.

Everything is by class (`deals.Deals.classes`). Both sides have a strategy for every class: the non-dealer a first and
a second call, the dealer a discard for each accepter, an answer to a pass, and the suit named when left to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from towerlab.games.arrays import Floats
from towerlab.games.towers_and_bowers.rules import HandRules, hand_result, result_value
from towerlab.solver.towers_and_bowers.bidding.deals import Deals, even_cards, even_suits


@dataclass(frozen=True)
class BiddingStrategies:
    """Both players' strategies, float64 arrays whose first axis is the class; each row of a choice adds up to one.

    Attributes:
        accepts: [classes], P(the non-dealer accepts).
        names: [classes, 4], what the non-dealer does in the second round: clubs, diamonds, hearts, pass.
        discards: [classes, n], the dealer's discard when the non-dealer has accepted; cards from the lowest id.
        answers: [classes], P(the dealer accepts) after a pass.
        own_discards: [classes, n], the dealer's discard after accepting.
        left: [classes, 3], the suit the dealer names after two passes of the non-dealer.
    """

    accepts: Floats
    names: Floats
    discards: Floats
    answers: Floats
    own_discards: Floats
    left: Floats

    def arrays(self) -> Iterator[tuple[str, Floats]]:
        """Return the name and the array of each field."""
        return ((field.name, getattr(self, field.name)) for field in fields(self))


def payoffs(cards: int, next_deal: float, rules: HandRules) -> tuple[Floats, Floats]:
    """The non-dealer's P(win the tower) by tricks when the non-dealer, or the dealer, is the bidder: two float64[8].

    Args:
        cards: n.
        next_deal: W(n - 1), not read at n = 1.
        rules: of the hand.
    """
    as_bidder = np.zeros(8)
    as_defender = np.zeros(8)
    for tricks in range(cards + 1):
        as_bidder[tricks] = result_value(hand_result(cards, tricks, rules), True, next_deal)
        as_defender[tricks] = result_value(hand_result(cards, cards - tricks, rules), False, next_deal)
    return as_bidder, as_defender


def symmetric(deals: Deals, strategies: BiddingStrategies) -> BiddingStrategies:
    """The same with self-mirrored hands playing mirrored actions alike."""
    even = {"names": even_suits, "left": even_suits, "discards": even_cards, "own_discards": even_cards}
    return replace(strategies, **{name: of(deals.classes, getattr(strategies, name)) for name, of in even.items()})
