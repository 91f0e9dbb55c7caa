"""The value of contracts: points of the asker less those of an average opponent, from tricks over layouts.

The declarer scores what is made, every opponent what goes down (TO-18), so with n players a contract of the asker
has the value of its points, and a defended one the n-th less one part of them, the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.stats import Estimate, PlannedShare, wilson
from towerlab.analysis.towie.layouts import ME
from towerlab.games.arrays import Ints
from towerlab.games.towie.auction import LAST_BID, bid_of, is_game_contract
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Contract
from towerlab.games.towie.scoring import honours_in
from towerlab.sim.towie.outcomes import points_by_tricks

MOST_TRICKS: Final = 13
SEAT_NAMES: Final = {0: "me", 1: "left", 3: "right"}  # columns of a deal
WAITING: Final = 4  # the first who waits; the others follow in order


@dataclass(frozen=True)
class TowieStakes:
    """The conditions that points depend on besides tricks.

    Attributes:
        options: the rule options.
        vulnerable: columns of a deal, and places from `WAITING` on, of players who have won a game.
    """

    options: TowieOptions = field(default_factory=TowieOptions)
    vulnerable: frozenset[int] = frozenset()

    def points(self, contract: Contract) -> NDArray[np.float64]:
        """Worth [14] of a contract to the asker by the declarer's tricks, without honours."""
        vulnerable = int(contract.declarer in self.vulnerable)
        points = points_by_tricks(contract.bid, contract.doubling, vulnerable, self.options.rules())
        return points * self.share(contract.declarer)

    def honours(self, deals: Ints, strain: int, declarer: int) -> float:
        """Return the mean value of honours to the asker when a strain is played, over deals [count, 4]."""
        if not self.options.honours or not len(deals):
            return 0.0
        held = np.array([[honours_in(int(hand), strain) for hand in deal] for deal in deals]).mean(axis=0)
        ours = held[declarer] + held[2]
        return float(2 * ours - held.sum()) * self.share(declarer)

    def share(self, declarer: int) -> float:
        """The asker's part of what the declarer gains on each opponent."""
        return 1.0 if declarer == ME else -1.0 / (self.options.n_players - 1)

    def is_game(self, bid: int, doubling: int) -> bool:
        """Whether a contract is played (TO-7)."""
        return bool(is_game_contract(bid, doubling, int(self.options.doubled_counts)))


def lowest_game(strain: int) -> int:
    """The lowest bid of a strain that is game undoubled (TO-7)."""
    bids = (int(bid_of(level, strain)) for level in range(1, 8))
    return next(bid for bid in bids if is_game_contract(bid, 1, 1))


def game_bids(last_bid: int, table: TowieStakes) -> list[int]:
    """Bids above the last one that are game undoubled, lowest first."""
    return [bid for bid in range(last_bid + 1, LAST_BID + 1) if table.is_game(bid, 1)]


class Evidence:
    """Findings about the tricks of one declarer in one strain.

    Some layouts were solved for their tricks; of others, fresh ones, it was only asked whether declarer takes so many.
    The shares of those correct the distribution: P(t) = P(the group of t) by the questions × P(t | group) by the solved
    layouts, a group being the tricks between two numbers asked for.

    Args:
        tricks: of solved layouts.
        honours: mean value of the honours to the asker.
    """

    def __init__(self, tricks: Ints, honours: float) -> None:
        self.tricks = tricks
        self.honours = honours
        self.asked: dict[int, PlannedShare] = {}

    def plan(self, needed: int, width: float, step: int = 1) -> PlannedShare:
        """A share of layouts with so many tricks, not yet asked for, planned by those that were solved."""
        made = int((self.tricks >= needed).sum())
        return PlannedShare(made, len(self.tricks) - made, width, step)

    def share(self, needed: int) -> Estimate:
        """P(at least so many tricks): from the questions, where it was asked for, else from the solved layouts."""
        if needed in self.asked:
            return self.asked[needed].estimate
        made = int((self.tricks >= needed).sum())
        low, high = wilson(made, len(self.tricks))
        mean = float(self.distribution()[needed:].sum())
        return Estimate(mean, min(low, mean), max(high, mean), len(self.tricks))

    def distribution(self) -> NDArray[np.float64]:
        """P(t tricks) for t = 0..13."""
        solved = np.bincount(self.tricks, minlength=MOST_TRICKS + 1) / len(self.tricks)
        numbers = [0, *sorted(self.asked), MOST_TRICKS + 1]
        shares = [1.0, *(self.asked[number].estimate.mean for number in numbers[1:-1]), 0.0]
        shares = list(np.minimum.accumulate(shares))  # of two numbers asked for on different layouts
        made = np.zeros(MOST_TRICKS + 1)
        for first, after, above, beyond in zip(numbers, numbers[1:], shares, shares[1:], strict=False):
            group = solved[first:after]
            if group.sum() > 0:
                made[first:after] = group / group.sum() * (above - beyond)
            else:  # nothing solved tells which: the ones nearest to the number asked for
                made[first if first else after - 1] += above - beyond
        return made

    def value(self, contract: Contract, table: TowieStakes) -> float:
        """Return the expected value of a contract to the asker, honours included."""
        return float(self.distribution() @ table.points(contract)) + self.honours
