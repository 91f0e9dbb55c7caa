"""Compiling, starting, and functions of others: `python -m benchmarks.compilation [--checkout FOLDER] [GAME …]`.

Processor seconds with towerlab's kernels on numba as it is ("plain") and on their own target ("here"); with --checkout
also as they are in another checkout of the project. Every figure is that of a process of its own, and stands beside
what ``import numba`` takes in the same run. Functions of others are timed after a question has been answered; "alone"
is without towerlab.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from towerlab.analysis.catalog import GAMES

HERE: Final = Path(__file__).resolve().parent.parent
ROUNDS: Final = 5
PLAIN: Final = (
    "import numba.core.registry as registry; del registry.CPUTarget\n"  # a hook of ours, which numba has loaded
)
COMMAND: Final = """
import atexit, json, resource, sys
def print_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    print("\\n" + json.dumps(used.ru_utime + used.ru_stime))
atexit.register(print_seconds)
sys.argv[0] = "towerlab"
from towerlab import cli
cli.main()
"""
COMMANDS: Final = {
    "--help": "--help",
    "upcard": "upcard;--hand;JS AS KS 9S AD 10H 9C;--up;QS;--seat;nondealer",
    "claim": "claim;--hand;JH JD AH 9H AS;--trump;H;--lead;me;--tricks;5",
    "claim bowers": "claim;bowers;--hand;JC JS AC;--trump;C;--lead;declarer;--tricks;3",
    "solve towie": "solve;towie;--deal;N:AK.Q2.. QJ.AK.. 32.43.. 54.65..;--trump;NT;--lead;W",
    "split tower-war": "split;tower-war;--cards;AH TC 6C 9S X1;--mine;KC QC;--theirs;AS 9H 2D",
    "step towers": "step;towers;--board;J Qb | K Qb Kb | 9 7 Kb K | -;--play;J:4",
}
QUESTION: Final = "import towerlab as tl; tl.claim('JH JD AH 9H AS', trump='H', lead='me', tricks=5)\n"
FUNCTIONS: Final = """
import json, time
import numba, numpy as np
from tests.oracles.user_kernels import saxpy, total
@numba.njit
def product(a, b):
    result = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                result[i, j] += a[i, k] * b[k, j]
    return result
numbers, floats = np.arange(1_000_000), np.random.default_rng(1).random(1_000_000)
square, found = floats[:62_500].reshape(250, 250), {}
for function, given in ((total, (numbers,)), (saxpy, (2.0, floats, floats)), (product, (square, square))):
    function(*given)
    times = []
    for _ in range(30):
        start = time.process_time(); function(*given); times.append(time.process_time() - start)
    found[function.__name__] = 1000 * min(times)
print("\\n" + json.dumps(found))
"""


class Column:
    """A way to compile kernels, with a cache of its own."""

    def __init__(self, checkout: Path, before: str, cache: str) -> None:
        self._checkout, self._before = checkout, before
        places = dict.fromkeys(("TOWERLAB_CACHE_DIR", "NUMBA_CACHE_DIR"), cache)
        self._environment = os.environ | places | {"PYTHONPATH": str(checkout), "NO_COLOR": "1"}

    def run(self, program: str, *arguments: str) -> object:
        """What the program prints last, as JSON."""
        command = [sys.executable, "-c", self._before + program, *arguments]
        done = subprocess.run(
            command,
            cwd=self._checkout,
            env=self._environment,
            check=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkout", type=Path)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as caches:
        places = {"plain": (HERE, PLAIN), "here": (HERE, "")}
        if asked.checkout:
            places["checkout"] = (asked.checkout.resolve(), "")
        columns = {name: Column(*place, f"{caches}/{name}") for name, place in places.items()}
        print(f"{'':40}", *(f"{name:>9}" for name in columns))
        importing = min(
            columns["here"].run(COMMAND.replace("import cli\ncli.main()", "import numba")) for _ in range(3)
        )
        for game in asked.games:
            row(f"compile {game}", [column.run(COMMAND, "warmup", game) for column in columns.values()], importing)
        for name, words in COMMANDS.items():
            rounds = [
                [column.run(COMMAND, *words.split(";")) for column in columns.values()] for _ in range(ROUNDS + 1)
            ]
            row(f"{name}, warm", [min(times) for times in zip(*rounds[1:], strict=True)], importing)
        alone = columns["here"].run(FUNCTIONS)
        after = [column.run(QUESTION + FUNCTIONS) for column in columns.values()]
        for name in alone:
            row(f"{name} of others, ms", [each[name] for each in after], alone[name], "alone")


def row(what: str, figures: list[float], yardstick: float, named: str = "import numba") -> None:
    ratios = ", ".join(f"{figure / yardstick:.2f}" for figure in figures)
    print(
        f"{what:40}", *(f"{figure:9.2f}" for figure in figures), f"   {ratios} × {named} ({yardstick:.2f})", flush=True
    )


if __name__ == "__main__":
    main()
