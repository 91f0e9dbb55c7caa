"""Many bridge deals with all cards seen: arrays in threads, or a table of deals.

>>> from analysis.towie.deals import solve_many
>>> from games.cards import NO_TRUMP
>>> from games.pbn import parse_deal
>>> deal = parse_deal("N:A2... KQ... 3.2.. 4.3..")
>>> solve_many([deal, deal], [NO_TRUMP, NO_TRUMP], [0, 1]).tolist()  # North leads, East leads
[1, 1]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from analysis.batches import Asked, Many, Row, each
from analysis.study import map_in_threads
from analysis.towie.open_hands import Hands, deal_row, read_position, solve_table
from analysis.towie.par import read_vulnerability
from games.arrays import Ints
from games.cards import DECK_52, to_play_order, trump_field
from games.errors import TowerlabError
from games.pbn import SEATS, parse_deal
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


# -------------------------------------------------------------------------------------------------------------- tables


def read_row(
    deal: str, trump: str | None = None, lead: str | None = None, table: bool = False, vul: str = "none"
) -> tuple[Hands, str | None, str | None, str | None]:
    """A row of a table: hands, trump and lead, and vulnerability for a `table`, which needs no trump and no lead.

    Raises:
        TowerlabError: what is missing or wrong.
    """
    for name, given in (("trump", trump), ("lead", lead)):
        if given is None and not table:
            raise TowerlabError(f"no {name} is given; expected it as a column, or --{name} for all rows")
    return parse_deal(deal), trump, lead, read_vulnerability(vul) if table else None


def _answers(asked: Sequence[Asked], options: Any) -> Iterator[Row | TowerlabError]:
    """One solver for all: deals that are alike share its memory."""
    solver = DoubleDummy()

    def row(one: Asked, _: Any) -> Row:
        hands, trump, lead, vul = read_row(**one)
        tricks = None if trump is None or lead is None else solver.tricks(read_position(hands, trump, lead)[0])
        return deal_row(hands, tricks, *(solve_table(hands, vul, solver) if vul is not None else (None, None)))

    return each(row)(asked, options)


MANY: Final = Many("towie", f"{__name__}:MANY", read_row, _answers, rows=100)


def warm_up() -> None:
    """Compile the solver's kernels."""
    trick_table((1, 1 << 13, 1 << 26, 1 << 39))
