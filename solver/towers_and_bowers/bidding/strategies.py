"""How does a player bid with each hand? Strategies of both seats, what they let happen, and the payoffs of tricks.

`BiddingStrategies` has both seats by class of hands (`deals.Deals.classes`): the non-dealer a first and a second call,
the dealer a discard for each accepter, an answer to a pass, and the suit named when left to. `NondealerBids` and
`DealerBids` are one seat's, with many hands: an equilibrium's or a player's. `views` counts layouts by them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats
from towerlab.games.towers_and_bowers.rules import HandRules, hand_result, result_value
from towerlab.solver.towers_and_bowers.bidding.deals import Deals, even_cards, even_suits


class Paths(NamedTuple):
    """How likely the opponent's bids let each layout come to what the asker may meet, the asker's own calls left aside.

    Attributes:
        first, second: float64[layouts], the asker's first and second decision.
        accepted: float64[layouts], the up-card accepted by the opponent.
        named: float64[layouts, 3], each suit named by the opponent, in order of id.
    """

    first: Floats
    second: Floats
    accepted: Floats
    named: Floats

    def likelihood(self, second_round: bool) -> float:
        """Return how often the opponent lets it come to the asker's first or second decision."""
        return float((self.second if second_round else self.first).mean())


@dataclass(frozen=True)
class NondealerBids:
    """The bidding of a non-dealing opponent, by layout.

    Attributes:
        accepts: float64[layouts], P(accepts).
        names: float64[layouts, 4], in the second round: the suits that can be named in order of id, then a pass.
    """

    accepts: Floats
    names: Floats

    def paths(self) -> Paths:
        """Return the paths to a dealing asker's decisions."""
        passes = 1 - self.accepts
        return Paths(passes, passes * self.names[:, 3], self.accepts, passes[:, None] * self.names[:, :3])


@dataclass(frozen=True)
class DealerBids:
    """How a dealing opponent bids, by layout; cards are counted from the lowest id.

    Attributes:
        discards: float64[layouts, n], the discard when the asker has accepted.
        answers: float64[layouts], P(accepts) after a pass.
        own_discards: float64[layouts, n], the discard then.
        left: float64[layouts, 3], the suit named after two passes.
    """

    discards: Floats
    answers: Floats
    own_discards: Floats
    left: Floats

    def paths(self) -> Paths:
        """Return the paths to the decisions of a non-dealer who faces this opponent."""
        passes = 1 - self.answers
        return Paths(np.ones(len(passes)), passes, self.answers, passes[:, None] * self.left)


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


MOST_LOSS: Final = 1e-3  # P(win the tower) that a call in a mix may lose to the best one


def purified(strategies: BiddingStrategies, values: Floats) -> BiddingStrategies:
    """Return it without the calls that lose more than `MOST_LOSS`.

    Args:
        strategies: of some classes.
        values: float64[classes, 2 n + 11 or more], `packed.value_columns`.
    """
    changed = {}
    first = 0
    for name, part in strategies.arrays():
        mix = np.stack([part, 1 - part], axis=1) if part.ndim == 1 else part
        won = values[:, first : first + mix.shape[1]]
        first += mix.shape[1]
        loss = won.max(1, keepdims=True) - won
        mix = np.where(loss > MOST_LOSS, 0.0, mix)
        mix = np.where(mix.any(1, keepdims=True), mix, loss == 0.0)
        mix = mix / mix.sum(1, keepdims=True)
        changed[name] = mix[:, 0] if part.ndim == 1 else mix
    return replace(strategies, **changed)
