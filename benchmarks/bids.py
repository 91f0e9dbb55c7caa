"""The slowest answers, `bid` of Bowers and Towie, as typed: `python -m benchmarks.bids [rounds, default 3]`.

Time on the clock of the whole command, start included, with kernels compiled. Yardstick: DDS in one thread on 200 deals
of thirteen cards at no trump.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from benchmarks.double_dummy import WEST, deals
from benchmarks.timing import clocked, print_ratio
from tests.oracles.dds import dds_solver
from towerlab.games.cards import NO_TRUMP

BIDS: Final = {
    "bowers": 'bowers --hand "JS JC AS KS 8S 9D TD AH QD 7C" --auction "P 5H"',
    "bowers, decided early": 'bowers --hand "JS JC AS KS QS TS 9S AH AD 7C"',
    "towie": 'towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D"',
    "towie, with scores": 'towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D" --vul me,left --auction "1S 3NT" '
    "--scores 620,0,150",
}


def ask(words: str) -> None:
    subprocess.run(
        f"{sys.executable} -m towerlab bid {words} --quiet", shell=True, check=True, stdout=subprocess.DEVNULL
    )


def main(rounds: int = 3) -> None:
    solvers = [dds_solver(hands, NO_TRUMP, WEST) for hands in deals(200, 13)]
    for words in BIDS.values():
        ask(words)  # compiles
    yardstick = min(clocked(lambda: [solve() for solve in solvers]) for _ in range(rounds))
    for name, words in BIDS.items():
        each = min(clocked(lambda: ask(words)) for _ in range(rounds))  # noqa: B023
        print_ratio(f"bid {name}", each / yardstick, f"DDS on 200 deals, {yardstick:.2f} s", f"{each:.2f} s", "≤ 2 s")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
