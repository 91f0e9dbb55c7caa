"""The double-dummy solver against DDS on the same deals, and the Bowers deals it solves a second.

    python -m benchmarks.double_dummy [deals of 13, default 1000] [endings of 8, default 1000] [tables, default 20]

Yardstick: DDS as endplay packages it, in one thread (SolveBoard with target -1, solutions 1, mode 1; CalcDDtable), its
deals built beforehand. Times are processor time of this thread; solver and yardstick take turns deal by deal, so that
what other programs do to the machine disturbs both alike. A solver forgets a deal, table and cut-off memory, when it
gets the next one. Small endings suffer from taking turns, since the two push each other out of the processor's caches;
``all in one call`` is the ratio without that, and without Python. Of three hands the number of deals solved a second
stands alone: nobody else solves them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analysis.towie.deals import solve_many
from games.cards import DECK_32, NO_TRUMP, NO_TRUMP_FIELD, cards_mask, mask_cards, to_play_order, trump_field
from games.pbn import deal_text
from solver.double_dummy import DoubleDummy, Position, trick_table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from tests.oracles.dds import dds_solver, dds_table_solver

SEED = 20240607
SPADES = 3
WEST = 3
BOWERS_DEALS = 4000
Hands = tuple[int, int, int, int]


class Slow(NamedTuple):
    """A deal, and the milliseconds it took."""

    ours: float
    theirs: float
    name: str
    deal: Hands


def deals(number: int, size: int) -> list[Hands]:
    """Deals of N, E, S, W: hand h is p[size*h : size*(h+1)] of a permutation; suit c // 13 in S H D C, rank c % 13."""
    random = np.random.default_rng(SEED)
    hands = []
    for _ in range(number):
        cards = [13 * (3 - int(c) // 13) + int(c) % 13 for c in random.permutation(52)]
        n, e, s, w = (cards_mask(cards[size * h : size * (h + 1)]) for h in range(4))
        hands.append((n, e, s, w))
    return hands


def seconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def compare(name: str, hands: list[Hands], trump: int, solver: DoubleDummy) -> list[Slow]:
    """One line of the table: mean and 99th percentile against DDS, their ratios, nodes; returns every deal's times."""
    times, nodes = [], solver.nodes
    for number, deal in enumerate(hands):
        in_order = tuple(int(to_play_order(hand, trump, False)) for hand in deal)
        position = Position(in_order, int(trump_field(trump)), leader=WEST)
        theirs = seconds(dds_solver(deal, trump, WEST))
        ours = seconds(lambda position=position: solver.tricks(position))  # type: ignore[misc]
        times.append(Slow(1e3 * ours, 1e3 * theirs, f"{name}, deal {number}", deal))
    visited = solver.nodes - nodes
    masks = np.array([[int(to_play_order(hand, trump, False)) for hand in deal] for deal in hands])
    at_once = 1e3 * seconds(lambda: solver.tricks_of_many(masks, int(trump_field(trump)), WEST))
    mine, dds = np.array([slow.ours for slow in times]), np.array([slow.theirs for slow in times])
    high, high_dds = np.percentile(mine, 99), np.percentile(dds, 99)
    print(
        f"{name:22} ratio {mine.mean() / dds.mean():.2f}   99th percentile {high / high_dds:.2f}"
        f"   {visited / len(hands):8.0f} nodes a deal   {1e6 * mine.sum() / visited:4.0f} ns a node"
        f"   mean {mine.mean():7.3f} ms, DDS {dds.mean():7.3f} ms; all in one call {at_once / dds.sum():.2f}",
        flush=True,
    )
    return times


def compare_tables(hands: list[Hands], solver: DoubleDummy) -> None:
    ours = theirs = 0.0
    for deal in hands:
        theirs += seconds(dds_table_solver(deal))
        ours += seconds(lambda deal=deal: trick_table(deal, solver))  # type: ignore[misc]
    print(
        f"{'table of 20':22} ratio {ours / theirs:.2f}   mean {1e3 * ours / len(hands):7.1f} ms, "
        f"CalcDDtable {1e3 * theirs / len(hands):7.1f} ms",
        flush=True,
    )


def bowers_rate(name: str, trump: int, solver: DoubleDummy, fewest: bool) -> None:
    """Deals of three hands of ten a second; misère asks only whether the declarer takes none."""
    random = np.random.default_rng(SEED)
    pack = mask_cards(DECK_32)
    deals = np.zeros((BOWERS_DEALS, 3), dtype=np.int64)
    for row in deals:
        cards = [pack[int(c)] for c in random.permutation(32)]
        row[:] = [to_play_order(cards_mask(cards[10 * h : 10 * h + 10]), trump, True) for h in range(3)]
    trumps = int(trump_field(trump))
    nodes = solver.nodes
    if fewest:
        took = seconds(lambda: solver.many_at_least(deals, 1, trumps, 0, fewest=True))
    else:
        took = seconds(lambda: solver.tricks_of_many(deals, trumps, 0))
    print(f"{name:22} {len(deals) / took:8.0f} solves a second   {(solver.nodes - nodes) / len(deals):.0f} nodes")


def two_threads(hands: list[Hands]) -> None:
    """The same deals in one thread and in two: wall time, and processor time, which should not grow."""
    took = []
    for jobs in (1, 2):
        began, wall = time.process_time(), time.perf_counter()
        solve_many(hands, [NO_TRUMP] * len(hands), [WEST] * len(hands), jobs)
        took.append((time.perf_counter() - wall, time.process_time() - began))
    print(
        f"{'two threads':22} {took[0][0] / took[1][0]:.2f} times as fast as one (wall time), "
        f"with {took[1][1] / took[0][1]:.2f} times its processor time"
    )


def main(full: int = 1000, endings: int = 1000, tables: int = 20) -> None:
    solver = DoubleDummy()
    solver.tricks(Position((1, 2, 4, 8), NO_TRUMP_FIELD, leader=0))  # compiles or loads the kernels
    bowers_rate("Bowers, suit", SPADES, solver, fewest=False)
    bowers_rate("Bowers, no trump", NO_TRUMP, solver, fewest=False)
    bowers_rate("Bowers, misère or not", NO_TRUMP, solver, fewest=True)
    compare("8 cards, no trump", deals(endings, 8), NO_TRUMP, solver)
    compare("8 cards, spades", deals(endings, 8), SPADES, solver)
    times = compare("13 cards, no trump", deals(full, 13), NO_TRUMP, solver)
    times += compare("13 cards, spades", deals(full, 13), SPADES, solver)
    compare_tables(deals(tables, 13), solver)
    two_threads(deals(min(full, 200), 13))
    print(f"The ten slowest of these {len(times)}:")
    for slow in sorted(times, reverse=True)[:10]:
        print(
            f"{slow.name:30} {slow.ours:7.0f} ms, DDS {slow.theirs:7.0f} ms, ratio {slow.ours / slow.theirs:.2f}"
            f"   {deal_text(slow.deal)}"
        )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
