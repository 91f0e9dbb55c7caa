"""What is the value of a contract? Points of the asker less those of an average opponent, from tricks over layouts.

The declarer scores a made contract, every opponent one that goes down (TO-18). So with n players the asker's own
contract has the value of its points, and an opponent's contract minus 1/(n − 1) of them.

>>> from towerlab.games.towie.auction import parse_call
>>> contract = Contract(parse_call("4S"), declarer=1)  # of the player on the left
>>> float(TowieStakes().points(contract)[10])  # ten tricks make it
-310.0
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.towie.auction import CALLERS, bid_of, is_game_contract
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Contract
from towerlab.sim.towie.outcomes import points_by_tricks

ME, LEFT, RIGHT = range(CALLERS)  # places, counted from the asker; waiting players follow in order
PLACES: Final = ("me", "left", "right")


@dataclass(frozen=True)
class TowieStakes:
    """The conditions that points depend on besides tricks.

    Attributes:
        options: the rule options.
        vulnerable: the places of players who have won a game.
    """

    options: TowieOptions = field(default_factory=TowieOptions)
    vulnerable: frozenset[int] = frozenset()

    def points(self, contract: Contract) -> NDArray[np.float64]:
        """Return the value [14] of a contract to the asker by the declarer's tricks, without honours."""
        vulnerable = int(contract.declarer in self.vulnerable)
        points = points_by_tricks(contract.bid, contract.doubling, vulnerable, self.options.rules())
        return points * self.share(contract.declarer)

    def share(self, declarer: int) -> float:
        """Return the asker's part of the declarer's gain on each opponent."""
        return 1.0 if declarer == ME else -1.0 / (self.options.n_players - 1)

    def is_game(self, bid: int, doubling: int) -> bool:
        """Return whether a contract is played (TO-7)."""
        return bool(is_game_contract(bid, doubling, int(self.options.doubled_counts)))


def lowest_game(strain: int) -> int:
    """Return the lowest bid of a strain that is game undoubled (TO-7)."""
    bids = (int(bid_of(level, strain)) for level in range(1, 8))
    return next(bid for bid in bids if is_game_contract(bid, 1, 1))
