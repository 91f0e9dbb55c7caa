"""DDS as endplay packages it, spoken to in this project's terms; tests that import this skip where it is missing.

DDS counts suits S H D C and seats N E S W from 0, and holds a suit as bits 2..14; its scores are tricks of the side to
move, here turned into tricks of seats 0 and 2.
"""

from __future__ import annotations

import pytest

dds = pytest.importorskip("endplay._dds")

dds.SetMaxThreads(1)


def _deal(hands: tuple[int, ...], trump: int, leader: int) -> object:
    deal = dds.deal()
    deal.trump, deal.first = 4 if trump == 4 else 3 - trump, leader
    for seat, hand in enumerate(hands):
        for suit in range(4):
            deal.remainCards[seat][3 - suit] = (hand >> 13 * suit & 0x1FFF) << 2
    return deal


def _solve(hands: tuple[int, ...], trump: int, leader: int, target: int, solutions: int) -> object:
    found = dds.futureTricks()
    dds.SolveBoard(_deal(hands, trump, leader), target, solutions, 1, found, 0)
    return found


def dds_tricks(hands: tuple[int, ...], trump: int, leader: int) -> int:
    """Tricks of seats 0 and 2; arguments as printed masks, trump 0..4 (C D H S NT), seat."""
    tricks = int(_solve(hands, trump, leader, -1, 1).score[0])  # type: ignore[attr-defined]
    return tricks if leader % 2 == 0 else hands[0].bit_count() - tricks


def dds_cards(hands: tuple[int, ...], trump: int, leader: int) -> dict[int, int]:
    """The same for each card that may be led, by printed card."""
    found = _solve(hands, trump, leader, 0, 3)
    values = {}
    for index in range(found.cards):  # type: ignore[attr-defined]
        suit = 3 - found.suit[index]  # type: ignore[attr-defined]
        ranks = 1 << found.rank[index] | found.equals[index]  # type: ignore[attr-defined]
        tricks = found.score[index]  # type: ignore[attr-defined]
        for rank in range(13):
            if ranks >> rank + 2 & 1:
                values[13 * suit + rank] = tricks if leader % 2 == 0 else hands[0].bit_count() - tricks
    return values


def dds_table(hands: tuple[int, ...]) -> dict[tuple[int, int], int]:
    """Tricks of each declarer, keys as of `solver.double_dummy.trick_table`."""
    deal, found = dds.ddTableDeal(), dds.ddTableResults()
    for seat, hand in enumerate(hands):
        for suit in range(4):
            deal.cards[seat][3 - suit] = (hand >> 13 * suit & 0x1FFF) << 2
    dds.CalcDDtable(deal, found)
    return {
        (seat, trump): found.resTable[4 if trump == 4 else 3 - trump][seat] for seat in range(4) for trump in range(5)
    }
