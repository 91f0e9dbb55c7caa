"""The double-dummy solver against DDS on the same deals, and the Bowers deals it solves a second.

    python -m benchmarks.double_dummy [deals of 13, default 400] [endings of 8, default 1000] [tables, default 20]

Yardstick: DDS as endplay packages it, in one thread (SolveBoard with target -1, solutions 1, mode 1; CalcDDtable), its
deals built beforehand. Times are processor time of this thread; solver and yardstick take turns deal by deal, so that
what other programs do to the machine disturbs both alike.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from games.cards import DECK_32, NO_TRUMP, NO_TRUMP_FIELD, cards_mask, mask_cards, to_play_order, trump_field
from solver.double_dummy import DoubleDummy, Position, trick_table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from tests.oracles.dds import dds_solver, dds_table_solver

SEED = 20240607
SPADES = 3
WEST = 3
BOWERS_DEALS = 4000
Hands = tuple[int, int, int, int]


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


def compare(name: str, hands: list[Hands], trump: int, solver: DoubleDummy) -> None:
    """One line of the table: mean and 99th percentile against DDS, and their ratios."""
    ours, theirs, nodes = [], [], solver.nodes
    for deal in hands:
        masks = tuple(int(to_play_order(hand, trump, False)) for hand in deal)
        position = Position(masks, int(trump_field(trump)), leader=WEST)
        theirs.append(seconds(dds_solver(deal, trump, WEST)))
        ours.append(seconds(lambda position=position: solver.tricks(position)))  # type: ignore[misc]
    mine, dds = 1e3 * np.array(ours), 1e3 * np.array(theirs)
    high, high_dds = np.percentile(mine, 99), np.percentile(dds, 99)
    print(
        f"{name:24} mean {mine.mean():8.3f} ms, DDS {dds.mean():8.3f} ms, ratio {mine.mean() / dds.mean():.2f}"
        f"   99th percentile {high:8.2f} / {high_dds:8.2f} ms, ratio {high / high_dds:.2f}"
        f"   {(solver.nodes - nodes) / len(hands):.0f} nodes",
        flush=True,
    )


def compare_tables(hands: list[Hands], solver: DoubleDummy) -> None:
    ours = sum(seconds(lambda deal=deal: trick_table(deal, solver)) for deal in hands)  # type: ignore[misc]
    theirs = sum(seconds(dds_table_solver(deal)) for deal in hands)
    print(
        f"{'table of 20':24} mean {1e3 * ours / len(hands):8.1f} ms, "
        f"CalcDDtable {1e3 * theirs / len(hands):8.1f} ms, ratio {ours / theirs:.2f}",
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
    print(f"{name:24} {len(deals) / took:8.0f} solves a second   {(solver.nodes - nodes) / len(deals):.0f} nodes")


def main(full: int = 400, endings: int = 1000, tables: int = 20) -> None:
    solver = DoubleDummy()
    solver.tricks(Position((1, 2, 4, 8), NO_TRUMP_FIELD, leader=0))  # compiles or loads the kernels
    solver.tricks_of_many(np.array([[1, 2, 4]]), NO_TRUMP_FIELD, 0)
    bowers_rate("Bowers, suit", SPADES, solver, fewest=False)
    bowers_rate("Bowers, no trump", NO_TRUMP, solver, fewest=False)
    bowers_rate("Bowers, misère yes or no", NO_TRUMP, solver, fewest=True)
    for size, number in ((8, endings), (13, full)):
        compare(f"{size} cards, no trump", deals(number, size), NO_TRUMP, solver)
        compare(f"{size} cards, spades", deals(number, size), SPADES, solver)
    compare_tables(deals(tables, 13), solver)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
