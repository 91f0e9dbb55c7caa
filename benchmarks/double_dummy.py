"""How fast are the double-dummy solvers?

Yardstick of three and four hands: DDS as endplay packages it, in one thread (SolveBoard with target -1, solutions 1,
mode 1; CalcDDtable), its deals built beforehand. Solver and yardstick take turns deal by deal; a solver forgets a deal
when it gets the next one. Small endings suffer from taking turns, since the two push each other out of the processor's
caches: "in one call" is the ratio without that, and without Python.

    python -m benchmarks.double_dummy [deals of 13, default 1000] [endings of 8, 1000] [tables, 20]
"""

import sys

import numpy as np

from benchmarks import print_ratio, seconds
from tests.oracles.dds import dds_solver, dds_table_solver
from towerlab.games.cards import DECK_32, NO_TRUMP, NO_TRUMP_FIELD, cards_mask, mask_cards, to_play_order, trump_field
from towerlab.solver.double_dummy import DoubleDummy, Position, trick_table

SEED = 20240607
SPADES = 3
WEST = 3
Hands = tuple[int, int, int, int]


def deals(number: int, size: int) -> list[Hands]:
    """Return deals of N, E, S, W: hand h is p[size*h : size*(h+1)] of a permutation p of the cards, S H D C."""
    random = np.random.default_rng(SEED)
    hands = []
    for _ in range(number):
        cards = [13 * (3 - int(c) // 13) + int(c) % 13 for c in random.permutation(52)]
        n, e, s, w = (cards_mask(cards[size * h : size * (h + 1)]) for h in range(4))
        hands.append((n, e, s, w))
    return hands


def measure_deals(name: str, hands: list[Hands], trump: int, solver: DoubleDummy) -> float:
    """Print the mean and the 99th percentile for four hands; return the seconds that DDS takes for a deal."""
    ours = []
    theirs = []
    nodes = solver.nodes
    field = int(trump_field(trump))
    masks = np.array([[int(to_play_order(hand, trump, False)) for hand in deal] for deal in hands])
    for deal, row in zip(hands, masks.tolist(), strict=True):
        theirs.append(seconds(dds_solver(deal, trump, WEST)))
        ours.append(seconds(lambda: solver.tricks(Position(tuple(row), field, leader=WEST))))  # noqa: B023
    visited = solver.nodes - nodes
    mean = np.mean(ours)
    dds = float(np.mean(theirs))
    figure = f"{1e3 * mean:.2f} ms, {visited / len(hands):.0f} nodes, {1e9 * sum(ours) / visited:.0f} ns a node"
    print_ratio(name, mean / dds, f"DDS, {1e3 * dds:.2f} ms", figure)
    at_once = seconds(lambda: solver.tricks_of_many(masks, field, WEST)) / sum(theirs)
    late = np.percentile(ours, 99)
    print_ratio(
        "  99th percentile", late / np.percentile(theirs, 99), "DDS", f"{1e3 * late:.2f} ms; in one call {at_once:.2f}"
    )
    return dds


def measure_tables(hands: list[Hands]) -> None:
    theirs = sum(seconds(dds_table_solver(deal)) for deal in hands)
    ours = sum(seconds(lambda: trick_table(deal)) for deal in hands)  # noqa: B023
    print_ratio("table of 20", ours / theirs, "CalcDDtable", f"{1e3 * ours / len(hands):.1f} ms")


def measure_bowers(name: str, trump: int, solver: DoubleDummy, ending: float, fewest: bool = False) -> None:
    """Measure deals of three hands of ten; a misère asks only whether the declarer takes none."""
    random = np.random.default_rng(SEED)
    pack = np.array(mask_cards(DECK_32))
    field = int(trump_field(trump))
    shuffled = [pack[random.permutation(32)].tolist() for _ in range(4_000)]
    masks = [
        [to_play_order(cards_mask(cards[10 * h : 10 * h + 10]), trump, True) for h in range(3)] for cards in shuffled
    ]
    hands = np.array(masks, dtype=np.int64)
    each = seconds(
        lambda: (
            solver.many_at_least(hands, 1, field, 0, fewest=True) if fewest else solver.tricks_of_many(hands, field, 0)
        )
    ) / len(hands)
    print_ratio(f"Bowers, {name}", each / ending, "DDS on endings of 8, no trump", f"{1 / each:.0f} solves a second")


def main(full: int = 1000, endings: int = 1000, tables: int = 20) -> None:
    solver = DoubleDummy()
    solver.tricks(Position((1, 2, 4, 8), NO_TRUMP_FIELD, leader=0))  # loads the kernels
    ending = measure_deals("8 cards, no trump", deals(endings, 8), NO_TRUMP, solver)
    measure_deals("8 cards, spades", deals(endings, 8), SPADES, solver)
    measure_bowers("suit", SPADES, solver, ending)
    measure_bowers("no trump", NO_TRUMP, solver, ending)
    measure_bowers("misère or not", NO_TRUMP, solver, ending, fewest=True)
    measure_deals("13 cards, no trump", deals(full, 13), NO_TRUMP, solver)
    measure_deals("13 cards, spades", deals(full, 13), SPADES, solver)
    measure_tables(deals(tables, 13))


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
