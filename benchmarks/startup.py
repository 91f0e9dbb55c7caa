"""Processor time of warm commands beside what importing numba takes.

    python -m benchmarks.startup

Every command runs in a process of its own, in turn with the yardstick, so that other work slows all alike; the least of
the rounds counts.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
ROUNDS: Final = 5
YARDSTICK: Final = "import numba"
KERNEL: Final = ["-c", "from games.tricks import field_of; field_of(0, 0)"]
# What the answer itself may take beside starting: solving, or reading what is stored.
COMMANDS: Final = {
    "--help": ["--help"],
    "rules": ["rules", "bowers", "BO-3"],
    "upcard, 7 cards": ["upcard", "--hand", "JS AS KS 9S AD 10H 9C", "--up", "QS", "--seat", "nondealer"],
    "upcard, 3 cards": ["upcard", "--hand", "JS AD 9C", "--up", "QS", "--seat", "dealer"],
    "claim": ["claim", "--hand", "JH JD AH 9H AS", "--trump", "H", "--lead", "me", "--tricks", "5"],
    "claim bowers": ["claim", "bowers", "--hand", "JC JS AC", "--trump", "C", "--lead", "declarer", "--tricks", "3"],
    "solve": ["solve", "towers-and-bowers", "--trump", "H", "--leader", "JH 9S", "--follower", "AH AS"],
    "solve towie": ["solve", "towie", "--deal", "N:AK.Q2.. QJ.AK.. 32.43.. 54.65..", "--trump", "NT", "--lead", "W"],
    "split tower-war": ["split", "tower-war", "--cards", "AH TC 6C 9S X1", "--mine", "KC QC", "--theirs", "AS 9H 2D"],
    "step towers": ["step", "towers", "--board", "J Qb | K Qb Kb | 9 7 Kb K | -", "--play", "J:4"],
}


def processor_seconds(arguments: list[str]) -> float:
    """Of a Python process with these arguments, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=os.environ | {"NO_COLOR": "1"}, check=True, **quiet)  # type: ignore[call-overload]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    candidates = {YARDSTICK: ["-c", YARDSTICK], "one cached kernel": KERNEL} | {
        name: ["-m", "cli", *words] for name, words in COMMANDS.items()
    }
    least = dict.fromkeys(candidates, float("inf"))
    for turn in range(ROUNDS + 1):
        for name, arguments in candidates.items():
            seconds = processor_seconds(arguments)
            if turn:  # the first one compiles
                least[name] = min(least[name], seconds)
    print(f"{'warm, processor time':<22} seconds  of {YARDSTICK}")
    for name, seconds in least.items():
        print(f"{name:<22} {seconds:7.2f}  {seconds / least[YARDSTICK]:.2f}")


if __name__ == "__main__":
    main()
