"""What is par of a bridge deal? The score of best bidding by both sides when all cards are seen.

Scores are those of duplicate bridge (Laws of Duplicate Bridge 2017, law 77), as other double-dummy programs give them.
Towie's own scale is in `games.towie.scoring`.

>>> from towerlab.analysis.towie.par import find_par
>>> find_par({("N", 3): 10, ("S", 3): 10, ("E", 1): 9, ("W", 1): 9}).score  # 5D doubled, two down, is cheaper than 4S
300
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from towerlab.games.cards import NO_TRUMP, TRUMPS
from towerlab.games.pbn import COMPASS_SEATS, parse_vulnerability
from towerlab.games.written import Record

VULNERABILITIES: Final = ("none", "ns", "ew", "all")
SIDES: Final = ("NS", "EW")
STRAINS: Final = NO_TRUMP + 1
BIDS: Final = 7 * STRAINS
BOOK: Final = 6


@dataclass(frozen=True)
class ParContract:
    """A contract of the value of par that the other side cannot better.

    Attributes:
        level, strain: the level, and the strain, 0..4 for C D H S NT.
        declarers: the seats that take the most tricks of their side in it, e.g. ``"NS"`` or ``"E"``.
        tricks: the tricks that the declarer takes.
    """

    level: int
    strain: int
    declarers: str
    tricks: int

    def __str__(self) -> str:
        over = self.tricks - BOOK - self.level
        doubled = "x" if over < 0 else ""
        return f"{self.level}{TRUMPS[self.strain]}{doubled} {self.declarers}{f'{over:+d}' if over else '='}"


@dataclass(frozen=True)
class Par(Record, keys="score contracts"):
    """The par of a deal.

    Attributes:
        score: the score of North and South; the other side's is the opposite.
        contracts: the contracts of that value: of every strain and side the lowest that no bid of the other side
            betters, as DDS lists them; none when all pass.
    """

    score: int
    contracts: tuple[ParContract, ...]

    def __str__(self) -> str:
        return f"Par {self.score:+d} for North-South: {', '.join(map(str, self.contracts)) or 'all pass'}"


def find_par(table: Mapping[tuple[str, int], int], vulnerable: str = "none") -> Par:
    """Return par of a deal from its table of twenty results, North and South bidding first.

    The first bidder matters only where both sides can make the same contract.

    Args:
        table: the tricks by (declarer, strain); results that are missing are 0.
        vulnerable: ``"none"``, ``"ns"``, ``"ew"`` or ``"all"``.
    """
    tricks = {(seat, strain): table.get((seat, strain), 0) for seat in COMPASS_SEATS for strain in range(STRAINS)}
    counts = [[max(tricks[seat, strain] for seat in SIDES[side]) for strain in range(STRAINS)] for side in range(2)]

    def score(bid: int, side: int) -> int:
        """Return North and South's points when a side plays a bid: doubled if it fails."""
        level = bid // STRAINS + 1
        strain = bid % STRAINS
        points = duplicate_score(level, strain, counts[side][strain], vulnerable in (SIDES[side].lower(), "all"))
        return points if side == 0 else -points

    @cache
    def value(bid: int, side: int) -> int:
        """Return North and South's points when a side has bid and the other may go on; bid -1: before any bid."""
        stay = score(bid, side) if bid >= 0 else 0
        higher = [value(next_bid, 1 - side) for next_bid in range(bid + 1, BIDS)]
        return min([stay, *higher]) if side == 0 else max([stay, *higher])

    # A side that passes leaves the first bid to the other.
    par = max(value(bid, 0) for bid in range(-1, BIDS))
    contracts: dict[tuple[int, int], ParContract] = {}  # by strain and side the lowest one of par value
    for bid in range(BIDS):
        level = bid // STRAINS + 1
        strain = bid % STRAINS
        for side in range(2):
            sign = 1 if side == 0 else -1
            if score(bid, side) == par and all(
                sign * score(over, 1 - side) >= sign * par for over in range(bid + 1, BIDS)
            ):
                most = counts[side][strain]
                seats = "".join(seat for seat in SIDES[side] if tricks[seat, strain] == most)
                contracts.setdefault((strain, side), ParContract(level, strain, seats, most))
    return Par(par, tuple(contracts.values()) if par else ())


def duplicate_score(level: int, strain: int, tricks: int, vulnerable: bool) -> int:
    """Return points of a side that plays a contract, undoubled if it makes it and doubled if it fails."""
    over = tricks - BOOK - level
    if over < 0:
        down = -over
        if vulnerable:
            return 100 - 300 * down
        return (-100, -300, -500)[down - 1] if down <= 3 else 400 - 300 * down
    odd = 20 if strain < 2 else 30
    bid = level * odd + (10 if strain == NO_TRUMP else 0)
    bonus = 50 if bid < 100 else 500 if vulnerable else 300
    if level >= 6:
        bonus += (500 if level == 6 else 1000) * 3 // (2 if vulnerable else 3)
    return bid + over * odd + bonus


def read_vulnerability(text: str) -> str:
    """Return one of `VULNERABILITIES`, or `UNKNOWN`, from the words of bridge files; an empty text is none.

    Raises:
        TowerlabError: another word.
    """
    return parse_vulnerability(text.strip() or VULNERABILITIES[0]).lower()
