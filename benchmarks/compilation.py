"""What is compiled, and for how long: every game's kernels into an empty cache, a process each.

    python -m benchmarks.compilation

Processor time beside that of the same command with all of them compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from analysis.catalog import GAMES

COUNT = """
import sys, time
from numba.core import event

class Compilations(event.Listener):
    started, kernels = 0, set()
    def on_start(self, happened):
        self.started += 1
        self.kernels.add(happened.data["dispatcher"].py_func)
    def on_end(self, happened):
        pass

listener = Compilations()
event.register("numba:compile", listener)
from analysis.catalog import warm_up
warm_up(sys.argv[1], quiet=True)
print(len(listener.kernels), listener.started, time.process_time())
"""


def main() -> None:
    print(f"{'game':<20} kernels  compilations  seconds   warm")
    total = 0.0
    for game in GAMES:
        with tempfile.TemporaryDirectory() as cache:
            kernels, compilations, seconds = _warm_up(game, cache)
            warm = _warm_up(game, cache)[2]
        total += seconds - warm
        print(f"{game:<20} {kernels:7.0f} {compilations:13.0f} {seconds:8.1f} {warm:6.1f}")
    print(f"compilation of all: {total:.0f} s of processor time, aim 80")


def _warm_up(game: str, cache: str) -> tuple[float, float, float]:
    root = Path(__file__).resolve().parent.parent
    done = subprocess.check_output(
        [sys.executable, "-c", COUNT, game], cwd=root, env=os.environ | {"TOWERLAB_CACHE_DIR": cache}, text=True
    )
    kernels, compilations, seconds = map(float, done.split())
    return kernels, compilations, seconds


if __name__ == "__main__":
    main()
