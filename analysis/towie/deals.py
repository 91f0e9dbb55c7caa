"""Many bridge deals with all cards seen: arrays, in threads.

>>> from analysis.towie.deals import solve_many
>>> from games.cards import NO_TRUMP
>>> from games.pbn import parse_deal
>>> deal = parse_deal("N:A2... KQ... 3.2.. 4.3..")
>>> solve_many([deal, deal], [NO_TRUMP, NO_TRUMP], [0, 1]).tolist()  # North leads, East leads
[1, 1]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from analysis.study import map_in_threads
from games.arrays import Ints
from games.cards import DECK_52, to_play_order, trump_field
from games.pbn import SEATS
from solver.double_dummy import DoubleDummy, trick_table

ROWS_A_THREAD: Final = 50


def solve_many(
    hands: Sequence[Sequence[int]] | Ints, trumps: Sequence[int], leaders: Sequence[int], jobs: int | None = None
) -> Ints:
    """Tricks of North and South in many deals or endings, each with trumps and a leader of its own.

    Threads share the work, each with a solver of its own; the search holds no lock.

    Args:
        hands: printed masks [number, 4] of N, E, S, W.
        trumps: 0..4 for C D H S NT.
        leaders: 0..3 for N E S W.
        jobs: threads; None for all cores.

    Raises:
        CardError: the first row that cannot be.
    """
    strains = np.asarray(trumps, dtype=np.int64)
    leads = np.asarray(leaders, dtype=np.int64)
    masks = np.zeros((len(strains), len(SEATS)), dtype=np.int64)
    for number, (row, trump) in enumerate(zip(hands, strains, strict=True)):
        masks[number] = [int(to_play_order(int(hand) & DECK_52, int(trump), False)) for hand in row]
    fields = np.array([int(trump_field(int(trump))) for trump in strains], dtype=np.int64)
    order = np.lexsort((*masks.T, strains))  # what belongs together goes to one thread
    pieces = [order[start : start + ROWS_A_THREAD] for start in range(0, len(order), ROWS_A_THREAD)]

    def solve(solver: DoubleDummy, piece: Ints) -> Ints:
        return solver.tricks_of_rows(masks[piece], fields[piece], leads[piece])

    results = np.zeros(len(order), dtype=np.int64)
    for piece, found in zip(pieces, map_in_threads(solve, pieces, DoubleDummy, jobs), strict=True):
        results[piece] = found
    return results


def warm_up() -> None:
    """Compile the solver's kernels."""
    trick_table((1, 1 << 13, 1 << 26, 1 << 39))
