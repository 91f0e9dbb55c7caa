"""The value of contracts: points of the asker less those of an average opponent, from tricks over layouts.

The declarer scores a made contract, every opponent one that goes down (TO-18). So with n players the asker's own
contract has the value of its points, and an opponent's contract minus 1/(n − 1) of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.stats import Estimate, PlannedShare, wilson
from towerlab.games.arrays import Ints
from towerlab.games.towie.auction import CALLERS, bid_of, is_game_contract
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Contract
from towerlab.games.towie.scoring import honours_of_sides
from towerlab.sim.towie.outcomes import points_by_tricks

MOST_TRICKS: Final = 13
ME, LEFT, RIGHT = range(CALLERS)  # places, counted from the asker; waiting players follow in order
PLACES: Final = ("me", "left", "right")


@dataclass(frozen=True)
class TowieStakes:
    """The conditions that points depend on besides tricks.

    Attributes:
        options: the rule options.
        vulnerable: places of players who have won a game.
    """

    options: TowieOptions = field(default_factory=TowieOptions)
    vulnerable: frozenset[int] = frozenset()

    def points(self, contract: Contract) -> NDArray[np.float64]:
        """The value [14] of a contract to the asker by the declarer's tricks, without honours."""
        vulnerable = int(contract.declarer in self.vulnerable)
        points = points_by_tricks(contract.bid, contract.doubling, vulnerable, self.options.rules())
        return points * self.share(contract.declarer)

    def honours(self, deals: Ints, strain: int, declarer: int) -> float:
        """Return the mean value of honours to the asker when a strain is played, over deals [count, 4] by place."""
        if not self.options.honours:
            return 0.0
        ours, theirs = np.array([honours_of_sides(deal, declarer, strain) for deal in deals]).mean(axis=0)
        return float(ours - theirs) * self.share(declarer)

    def share(self, declarer: int) -> float:
        """The asker's part of the declarer's gain on each opponent."""
        return 1.0 if declarer == ME else -1.0 / (self.options.n_players - 1)

    def is_game(self, bid: int, doubling: int) -> bool:
        """Whether a contract is played (TO-7)."""
        return bool(is_game_contract(bid, doubling, int(self.options.doubled_counts)))


def lowest_game(strain: int) -> int:
    """The lowest bid of a strain that is game undoubled (TO-7)."""
    bids = (int(bid_of(level, strain)) for level in range(1, 8))
    return next(bid for bid in bids if is_game_contract(bid, 1, 1))


class Evidence:
    """The tricks of one declarer in one strain: counted in some layouts, a single number of them tested in others.

    The tested share corrects the distribution: P(t) = P(at least the tested number) of the test × P(t | at least the
    tested number) of the solved layouts, and likewise below it.

    Args:
        tricks: of solved layouts.
        honours: mean value of the honours to the asker.
    """

    def __init__(self, tricks: Ints, honours: float) -> None:
        self.tricks = tricks
        self.honours = honours
        self._test: tuple[int, PlannedShare] | None = None

    def plan_test(self, needed: int, width: float, step: int = 1) -> PlannedShare:
        """Return the share of fresh layouts with at least so many tricks, to be filled, planned by the solved ones."""
        made = int((self.tricks >= needed).sum())
        self._test = needed, PlannedShare(made, len(self.tricks) - made, width, step)
        return self._test[1]

    def tested(self, needed: int) -> PlannedShare | None:
        """The tested share of layouts with at least so many tricks; None where another number or none was tested."""
        return self._test[1] if self._test is not None and self._test[0] == needed else None

    def share(self, needed: int) -> Estimate:
        """P(at least so many tricks): from the test if there is one, else from the solved layouts."""
        if (test := self.tested(needed)) is not None:
            return test.estimate
        made = int((self.tricks >= needed).sum())
        low, high = wilson(made, len(self.tricks))
        mean = float(self.distribution()[needed:].sum())
        return Estimate(mean, min(low, mean), max(high, mean), len(self.tricks))

    def distribution(self) -> NDArray[np.float64]:
        """P(t tricks) for t = 0..13."""
        solved = np.bincount(self.tricks, minlength=MOST_TRICKS + 1) / len(self.tricks)
        made: NDArray[np.float64] = solved / solved.sum()
        if self._test is None:
            return made
        needed = self._test[0]
        share = self._test[1].estimate.mean
        made[:] = 0.0
        for group, chance, nearest in (
            (slice(needed), 1.0 - share, needed - 1), (slice(needed, None), share, needed)
        ):  # fmt: skip
            if solved[group].sum() > 0:
                made[group] = solved[group] / solved[group].sum() * chance
            else:  # no solved layout says which number it is
                made[nearest] += chance
        return made

    def value(self, contract: Contract, table: TowieStakes) -> float:
        """Return the expected value of a contract to the asker, honours included."""
        return float(self.distribution() @ table.points(contract)) + self.honours
