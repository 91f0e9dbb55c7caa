"""What do the calls of Towie lead to? To contracts on common layouts, whose points follow from double-dummy questions.

To ask whether the declarer takes so many tricks is a tenth of the work of counting the tricks. So the solver is asked
whether a contract is made; if it fails, whether it is one down, then whether it is two or three down; anything worse
counts as four or five. Overtricks are not counted. Each answer bounds the tricks of one declarer in one strain on one
layout, and is kept.

>>> from towerlab.games.towie.options import TowieOptions
>>> points_by_tricks(15, 1, 0, TowieOptions().rules())[[8, 9]].tolist()  # three no trump, one down or made
[-50.0, 605.0]
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import to_play_order, trump_field
from towerlab.games.jit import kernel
from towerlab.games.towie.auction import CALLERS, is_game_contract, strain_of
from towerlab.games.towie.dealing import HANDS, TRICKS, hand_at
from towerlab.games.towie.options import DOUBLED_COUNTS
from towerlab.games.towie.scoring import deal_score, honours_of_sides, tricks_needed
from towerlab.sim.towie.auctions import final_contracts
from towerlab.solver.double_dummy import shared_solver

STRAINS: Final = 5
_NEARLY: Final = ((1, 1), (2, 3))  # undertricks that count together
_FAR_DOWN: Final = (4, 5)  # and all that are worse


@kernel
def asker_points(layouts: Ints, contracts: Ints, tricks: Ints, asker: int, vulnerable: Ints, rules: Ints) -> Floats:
    """Return the asker's points less those of an average opponent, float64[number], honours included.

    A contract below game leads to a goulash and counts 0.

    Args:
        layouts: printed masks [number, 4] by caller.
        contracts: the contracts [number, 3]: bid, doubling, the declarer as caller.
        tricks: the tricks of the declarer [number, 2], two equally likely numbers.
        asker: a caller.
        vulnerable: 1 for each player at the table who has won a game, else 0, the callers first.
        rules: the rules, from `TowieOptions.rules`.
    """
    others = len(vulnerable) - 1
    points = np.zeros(contracts.shape[0])
    for number in range(contracts.shape[0]):
        bid, doubling, declarer = contracts[number]
        if not is_game_contract(bid, doubling, rules[DOUBLED_COUNTS]):
            continue
        strain = strain_of(bid)
        ours, theirs = honours_of_sides(layouts[number], declarer, strain)
        net = 0.0
        for end in range(2):
            mine, lost = deal_score(bid, doubling, vulnerable[declarer], tricks[number, end], ours, theirs, rules)
            net += 0.5 * (mine - lost)
        points[number] = net if declarer == asker else -net / others
    return points


def points_by_tricks(bid: int, doubling: int, vulnerable: int, rules: Ints) -> Floats:
    """Return declarer's points less an opponent's by declarer's tricks, float64[14], without honours."""
    points = np.zeros(TRICKS + 1)
    for tricks in range(TRICKS + 1):
        ours, theirs = deal_score(bid, doubling, vulnerable, tricks, 0, 0, rules)
        points[tricks] = ours - theirs
    return points


@kernel
def in_play_order(layouts: Ints, declarer: int, strain: int) -> Ints:
    """Return hands for the solver [number, 4], the declarer's first, from printed masks [number, 4] by caller."""
    hands = np.empty(layouts.shape, dtype=np.int64)
    for number in range(layouts.shape[0]):
        for position in range(HANDS):
            hands[number, position] = to_play_order(layouts[number, hand_at(position, declarer)], strain, False)
    return hands


@kernel
def honour_points(layouts: Ints) -> Ints:
    """Return the honours of the declarer's side less the defenders', int64[number, caller, strain] (TO-17)."""
    points = np.empty((layouts.shape[0], CALLERS, STRAINS), dtype=np.int64)
    for number in range(layouts.shape[0]):
        for declarer in range(CALLERS):
            for strain in range(STRAINS):
                ours, theirs = honours_of_sides(layouts[number], declarer, strain)
                points[number, declarer, strain] = ours - theirs
    return points


class Outcomes:
    """Contracts on some layouts, and bounds of their tricks.

    Args:
        layouts: printed masks [number, 4] by caller.
        exposed: dummy's six exposed cards.
    """

    def __init__(self, layouts: Ints, exposed: int) -> None:
        self.layouts = layouts
        self.exposed = exposed
        shape = (len(layouts), CALLERS, STRAINS)
        self._least = np.zeros(shape, dtype=np.int64)
        self._most = np.full(shape, TRICKS, dtype=np.int64)

    def contracts_after(self, auction: Ints, call: int, rule: int, rng: np.random.Generator) -> Ints:
        """Return where the auction ends after a call of the next caller: bid, doubling, declarer [layouts, 3]."""
        return final_contracts(auction, call, self.layouts, self.exposed, rule, rng)

    def bounds(self, rows: Ints, declarer: int, strain: int) -> tuple[Ints, Ints]:
        """Return the fewest and the most tricks that a declarer can take by what has been solved, each int64[rows]."""
        return self._least[rows, declarer, strain], self._most[rows, declarer, strain]

    def takes(self, rows: Ints, declarer: int, strain: int, tricks: int) -> Bools:
        """Return whether a declarer takes at least so many tricks on some of the layouts, int64[rows]."""
        if tricks <= 0 or tricks > TRICKS:
            return np.full(len(rows), tricks <= 0)
        least = self._least[:, declarer, strain]
        most = self._most[:, declarer, strain]
        open_rows = rows[(least[rows] < tricks) & (most[rows] >= tricks)]
        if len(open_rows):
            hands = in_play_order(self.layouts[open_rows], declarer, strain)
            makes = shared_solver().many_at_least(hands, tricks, int(trump_field(strain)), leader=1)
            least[open_rows[makes]] = tricks
            most[open_rows[~makes]] = tricks - 1
        taken: Bools = least[rows] >= tricks
        return taken

    def trick_test(self, layouts: Ints, declarer: int, strain: int) -> Callable[[Ints, int], Bools]:
        """Return a function (places among these layouts, tricks) → whether the declarer takes so many there."""

        def takes(places: Ints, tricks: int) -> Bools:
            return self.takes(layouts[places], declarer, strain, tricks)

        return takes

    def count_tricks(self, rows: Ints, declarer: int, strain: int) -> Ints:
        """Return a declarer's tricks on some of the layouts, int64[rows]."""
        least = self._least[:, declarer, strain]
        most = self._most[:, declarer, strain]
        open_rows = rows[least[rows] < most[rows]]
        if len(open_rows):
            hands = in_play_order(self.layouts[open_rows], declarer, strain)
            counts = shared_solver().tricks_of_many(hands, int(trump_field(strain)), leader=1)
            least[open_rows] = most[open_rows] = counts
        counted: Ints = least[rows]
        return counted

    def tricks(self, contracts: Ints, rules: Ints) -> Ints:
        """Return the declarer's tricks as far as needed [layouts, 2]; 0 where there is nothing to play."""
        tricks = np.zeros((len(contracts), 2), dtype=np.int64)
        played = np.array([is_game_contract(bid, x, rules[DOUBLED_COUNTS]) for bid, x, _ in contracts.tolist()])
        for bid, declarer in {(int(bid), int(who)) for bid, _, who in contracts[played]}:
            rows = np.flatnonzero(played & (contracts[:, 0] == bid) & (contracts[:, 2] == declarer))
            need = int(tricks_needed(bid))
            strain = int(strain_of(bid))
            made = self.takes(rows, declarer, strain, need)
            tricks[rows[made]] = need
            rows = rows[~made]
            for fewest, most in _NEARLY:
                makes = self.takes(rows, declarer, strain, need - most)
                tricks[rows[makes]] = need - fewest, need - most
                rows = rows[~makes]
            tricks[rows] = [max(need - down, 0) for down in _FAR_DOWN]
        return tricks

    def points(
        self,
        contracts: Ints,
        asker: int,
        vulnerable: Ints,
        rules: Ints,
        doubled: tuple[float, float] = (0.0, 0.0),
    ) -> Floats:
        """Return the points of the asker less those of an average opponent on each layout, as of `asker_points`.

        Args:
            doubled: the shares of the asker's undoubled contracts that the others double,
                of those that are made and of those that fail.
        """
        tricks = self.tricks(contracts, rules)
        points = asker_points(self.layouts, contracts, tricks, asker, vulnerable, rules)
        if any(doubled):
            own = (contracts[:, 2] == asker) & (contracts[:, 1] == 1)
            made = tricks[:, 0] >= [int(tricks_needed(bid)) for bid in contracts[:, 0].tolist()]
            twice = contracts.copy()
            twice[own, 1] = 2
            again = asker_points(self.layouts, twice, tricks, asker, vulnerable, rules)
            points += own * np.where(made, *doubled) * (again - points)
        return points
