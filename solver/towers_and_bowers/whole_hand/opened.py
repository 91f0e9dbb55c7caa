"""What both take who show all their cards after some tricks, from the tablebase: for every pair of hands at once.

Only how many unseen cards each suit has, in the order in which they win, and where the up-card lies among them decides
(`solver.two_hands.tablebase`). So hands are sets of *places* among the unseen cards, and few tables do for all
histories.
"""

from __future__ import annotations

import itertools
import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Ints
from towerlab.games.jit import kernel
from towerlab.solver.two_hands.tablebase import TableArrays, leader_tricks, load_tables

_HIDDEN: Final = 23  # cards beside the up-card
_FIELDS: Final = 4
_WIDTH: Final = 13  # bits of a field in play order
SHAPES: Final = 8**_FIELDS  # of lengths of fields; times 9 for the up-card


class Opened(NamedTuple):
    """Tables of one number of cards left.

    Attributes:
        order: int64[8, 24], the cards of each contract, ascending as they win in their field.
        starts: int64[9 * 4096, 2], where the table of a shape begins, by who leads (`shape_of`).
        members: int64[sizes, sets, size], the places of each set of so many, those of the lowest places first.
        tricks: int8[entries], the non-dealer's, by set of the non-dealer and of the dealer, -1 where they share a card.
    """

    order: Ints
    starts: Ints
    members: Ints
    tricks: NDArray[np.int8]


NOTHING_OPENED: Final = Opened(
    np.zeros((0, 0), np.int64), np.zeros((0, 0), np.int64), np.zeros((0, 0, 0), np.int64), np.zeros(0, np.int8)
)


def make_opened(cards: int, played: int, order: Ints, fields: Ints) -> Opened:
    """Tables for every shape that can be left.

    Args:
        cards: how many each has left.
        played: how many cards have been.
        order: `Opened.order`.
        fields: `HandGame.fields`.
    """
    members = np.zeros((cards + 1, math.comb(_HIDDEN, cards), cards), dtype=np.int64)
    for size in range(cards + 1):
        listed = sorted(itertools.combinations(range(_HIDDEN), size), key=lambda places: places[::-1])
        members[size, : len(listed), :size] = np.array(listed, dtype=np.int64).reshape(len(listed), size)
    starts, tables = np.full((9 * SHAPES, 2), -1, dtype=np.int64), []
    end, leaders = 0, range(2 if played else 1)
    for contract in range(len(fields)):
        counts = np.bincount(fields[contract, :_HIDDEN], minlength=_FIELDS + 1)[1:].tolist()
        below = next(place for place, card in enumerate(order[contract]) if card == _HIDDEN)
        below -= sum(counts[:-1]) if contract < 2 else below + 1  # the up-card is a trump, or out of play
        for gone, up in _left(counts, below, played):
            left = [count - less for count, less in zip(counts, gone, strict=True)]
            bits = np.array([1 << _WIDTH * field + place for field in range(_FIELDS) for place in range(left[field])])
            shape = sum(8**field * count for field, count in enumerate(left)) + SHAPES * (up + 1)
            if starts[shape, 0] >= 0:
                continue
            trumps = len(bits) - left[-1]
            bits[trumps + up if up >= 0 else len(bits) :] <<= 1
            with_up = 1 << _WIDTH * (_FIELDS - 1) + up if up >= 0 else 0
            sizes = cards, cards - (up >= 0)
            sets = [math.comb(len(bits), size) for size in sizes]
            held = [bits[members[size, :count, :size]].sum(1) for size, count in zip(sizes, sets, strict=True)]
            for leader in leaders:
                starts[shape, leader] = end
                tables.append(_tricks(load_tables(), held[0], held[1] | with_up, cards, leader))
                end += len(tables[-1])
    return Opened(order, starts, members, np.concatenate(tables))


def _left(counts: list[int], below: int, played: int) -> list[tuple[tuple[int, ...], int]]:
    """How many hidden cards of each field can be gone, and how many trumps are left below the up-card, -1 without."""
    found = []
    for up_played in (0, 1) if below >= 0 and played else (0,):
        for gone in itertools.product(*(range(min(count, played) + 1) for count in counts)):
            if sum(gone) + up_played != played:
                continue
            if below < 0 or up_played:
                found.append((gone, -1))
                continue
            above = counts[-1] - below
            found += [(gone, below - low) for low in range(below + 1) if 0 <= gone[-1] - low <= above]
    return found


@kernel
def _tricks(tables: TableArrays, nondealers: Ints, dealers: Ints, cards: int, leader: int) -> NDArray[np.int8]:
    found = np.full(len(nondealers) * len(dealers), -1, dtype=np.int8)
    for one in range(len(nondealers)):
        for other in range(len(dealers)):
            if nondealers[one] & dealers[other] == 0:
                if leader == 0:
                    taken = leader_tricks(tables, nondealers[one], dealers[other])
                else:
                    taken = cards - leader_tricks(tables, dealers[other], nondealers[one])
                found[one * len(dealers) + other] = taken
    return found
