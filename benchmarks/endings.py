"""How long do endings with hidden hands and decisions as in questions take?

Processor time with kernels compiled, to best responses that gain 0.1 mt; decisions as `move` solves them.
Yardstick: the ending of two named cards.

    python -m benchmarks.endings
"""

from typing import Final

import numpy as np

from benchmarks import print_ratio, seconds
from towerlab.analysis.towers_and_bowers.last_cards import PlayedHistory, solved_at
from towerlab.analysis.towers_and_bowers.ranges import Calls
from towerlab.games.cards import DECK_24, parse_card, parse_mask
from towerlab.solver.towers_and_bowers.ending_solver import PublicState, solve_ending

UP: Final = parse_card("KS")
PAYOFFS: Final = (0.0, 0.35, 0.65, 1.0)
_REST: Final = DECK_24 & ~(1 << UP)
_FIVE: Final = parse_mask("9D AD QD TH JS KH 9C 9S")
ENDINGS: Final = {  # with the aim
    "two cards, accepted": (PublicState(3, _REST, 2, 0, (0.0, 0.3, 1.0), True, UP), "≤ 0.05 s"),
    "three cards, named, first lead": (PublicState(2, _REST, 3, 0, PAYOFFS), "≤ 2 s"),
    "three cards, accepted, first lead": (PublicState(3, _REST, 3, 0, PAYOFFS, True, UP), "≤ 2 s"),
    "three of four cards, named": (PublicState(2, _REST & ~parse_mask("9D AD"), 3, 1, PAYOFFS), "≤ 0.5 s"),
    "three of seven cards, named": (PublicState(2, _REST & ~_FIVE, 3, 1, PAYOFFS), "≤ 0.5 s"),
    "three of seven cards, a discard hidden": (
        PublicState(3, _REST & ~_FIVE | 1 << UP, 3, 1, PAYOFFS, True),
        "≤ 0.5 s",
    ),
}


WHOLE: Final = (0.0, 0.0, 0.35, 0.65, 1.0)
LINE: Final = ("KC", "9C", "TD", "9D", "AC", "QC")  # the non-dealer leads clubs, then another suit
DECISIONS: Final = {  # cards of a hand, and how many of the line have been played
    "first lead of three cards": (3, 0, PAYOFFS, "≤ 2 s"),
    "lead of three of four cards": (4, 2, WHOLE, "≤ 0.5 s"),
    "reply in the same hand": (4, 3, WHOLE, "≤ 0.5 s"),
    "lead of two in the same hand": (4, 4, WHOLE, "≤ 0.5 s"),
}


def solve(ending: PublicState) -> None:
    solve_ending(ending, (np.ones(len(ending.states(0))), np.ones(len(ending.states(1)))), seconds=60.0)


def main() -> None:
    two = PublicState(2, _REST, 2, 0, (0.0, 0.3, 1.0))
    solve(two)  # compiles
    yardstick = seconds(lambda: [solve(two) for _ in range(5)]) / 5
    for name, (ending, aim) in ENDINGS.items():
        each = seconds(lambda: solve(ending))  # noqa: B023
        print_ratio(name, each / yardstick, f"two named cards, {yardstick:.3f} s", f"{each:.2f} s", aim)
    for name, (cards, played, payoffs, aim) in DECISIONS.items():
        line = tuple(parse_card(card) for card in LINE[:played])
        each = seconds(lambda: solved_at(PlayedHistory(Calls(cards, UP, 2, True), True, payoffs, line)))  # noqa: B023
        print_ratio(name, each / yardstick, f"two named cards, {yardstick:.3f} s", f"{each:.2f} s", aim)


if __name__ == "__main__":
    main()
