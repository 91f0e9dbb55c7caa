"""DDS as endplay packages it, spoken to in this project's terms; tests that import this skip where it is missing.

DDS counts suits S H D C and seats N E S W from 0, and holds a suit as bits 2..14; its scores are tricks of the side to
move, here turned into tricks of seats 0 and 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

dds = pytest.importorskip("endplay._dds")

dds.SetMaxThreads(1)

NO_TRUMP = 4


def dds_solver(
    hands: tuple[int, ...], trump: int, leader: int, target: int = -1, solutions: int = 1
) -> Callable[..., Any]:
    """A call without arguments that solves this deal, built beforehand, and returns what DDS found."""
    deal = dds.deal()
    found = dds.futureTricks()
    deal.trump = _strain(trump)
    deal.first = leader
    _fill(deal.remainCards, hands)

    def solve() -> Any:
        dds.SolveBoard(deal, target, solutions, 1, found, 0)
        return found

    return solve


def dds_table_solver(hands: tuple[int, ...]) -> Callable[..., Any]:
    """The same for the table of twenty results."""
    deal = dds.ddTableDeal()
    found = dds.ddTableResults()
    _fill(deal.cards, hands)

    def solve() -> Any:
        dds.CalcDDtable(deal, found)
        return found

    return solve


def dds_tricks(hands: tuple[int, ...], trump: int, leader: int) -> int:
    """Tricks of seats 0 and 2; arguments as printed masks, trump 0..4 (C D H S NT), seat."""
    tricks = int(dds_solver(hands, trump, leader)().score[0])
    return tricks if leader % 2 == 0 else hands[0].bit_count() - tricks


def dds_cards(hands: tuple[int, ...], trump: int, leader: int) -> dict[int, int]:
    """The same for each card that may be led, by printed card."""
    found = dds_solver(hands, trump, leader, 0, 3)()
    values = {}
    for index in range(found.cards):
        ranks = 1 << found.rank[index] | found.equals[index]
        tricks = found.score[index]
        for rank in range(13):
            if ranks >> (rank + 2) & 1:
                card = 13 * (3 - found.suit[index]) + rank
                values[card] = tricks if leader % 2 == 0 else hands[0].bit_count() - tricks
    return values


def dds_table(hands: tuple[int, ...]) -> dict[tuple[int, int], int]:
    """Tricks of each declarer, keys as of `solver.double_dummy.trick_table`."""
    found = dds_table_solver(hands)()
    return {(seat, trump): found.resTable[_strain(trump)][seat] for seat in range(4) for trump in range(5)}


def dds_par(table: dict[tuple[str, int], int], vulnerable: str) -> tuple[int, int]:
    """Par for North and South when they and when East and West bid first; table by (seat, trump)."""
    results = dds.ddTableResults()
    found = dds.parResults()
    for (seat, trump), tricks in table.items():
        results.resTable[_strain(trump)]["NESW".index(seat)] = tricks
    dds.Par(results, found, ("none", "all", "ns", "ew").index(vulnerable))
    north_south, east_west = (bytes(found)[16 * side : 16 * side + 16].split(b"\0")[0].split() for side in range(2))
    return int(north_south[1]), -int(east_west[1])


def _strain(trump: int) -> int:
    return NO_TRUMP if trump == NO_TRUMP else 3 - trump


def _fill(target: Any, hands: tuple[int, ...]) -> None:
    for seat, hand in enumerate(hands):
        for suit in range(4):
            target[seat][3 - suit] = (hand >> 13 * suit & 0x1FFF) << 2
