"""Bidding strategies over all hands that an opponent can hold.

A *bidding strategy* gives the opponent's probabilities for each possible hand, the layouts: an equilibrium's or a
player's. `solver.towers_and_bowers.bidding.views` counts layouts by them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from towerlab.games.arrays import Floats


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
