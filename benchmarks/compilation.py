"""How long do compiling, starting and the slowest answers take?

Compiling in processor seconds, warm commands on the clock, start included; each in a process of its own, compiled
kernels in a cache of their own. Yardstick: ``import numba`` in the same run. `bid` should take 2 s at most.

    python -m benchmarks.compilation [GAME …]
"""

import functools
import os
import resource
import subprocess
import sys
import tempfile
from typing import Final

from benchmarks import count_seconds, print_ratio
from towerlab.analysis.catalog import GAMES

ROUNDS: Final = 5
COMMANDS: Final = {
    "--help": "--help",
    "upcard": "upcard;--hand;JS AS KS 9S AD 10H 9C;--up;QS;--seat;nondealer",
    "claim": "claim;--hand;JH JD AH 9H AS;--trump;H;--lead;me;--tricks;5",
    "claim bowers": "claim;bowers;--hand;JC JS AC;--trump;C;--lead;declarer;--tricks;3",
    "solve towie": "solve;towie;--deal;N:AK.Q2.. QJ.AK.. 32.43.. 54.65..;--trump;NT;--lead;W",
    "split tower-war": "split;tower-war;--cards;AH TC 6C 9S X1;--mine;KC QC;--theirs;AS 9H 2D",
    "bid bowers": "bid;bowers;--hand;JS JC AS KS 8S 9D TD AH QD 7C;--auction;P 5H",
    "bid bowers, decided early": "bid;bowers;--hand;JS JC AS KS QS TS 9S AH AD 7C",
    "bid towie": "bid;towie;--hand;AKQ94.AK3.QJ7.82;--dummy;JS 6S QH JH AC 4D",
    "bid towie, with scores": "bid;towie;--hand;AKQ94.AK3.QJ7.82;--dummy;JS 6S QH JH AC 4D;--vul;me,left;"
    "--auction;1S 3NT;--scores;620,0,150",
    "step towers": "step;towers;--board;J Qb | K Qb Kb | 9 7 Kb K | -;--play;J:4",
}


def time_process(cache: str, *words: str) -> float:
    """Return the processor seconds of a Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    places = {"TOWERLAB_CACHE_DIR": cache, "NUMBA_CACHE_DIR": cache}
    subprocess.run([sys.executable, *words], env=os.environ | places, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(games: list[str]) -> None:
    with tempfile.TemporaryDirectory() as cache:
        importing = min(time_process(cache, "-c", "import numba") for _ in range(3))
        for game in games:
            each = time_process(cache, "-m", "towerlab", "warmup", game)
            print_ratio(f"compile {game}", each / importing, f"import numba, {importing:.2f} s", f"{each:.1f} s")
        importing = min(count_seconds(lambda: time_process(cache, "-c", "import numba")) for _ in range(3))
        for name, words in COMMANDS.items():
            run = functools.partial(time_process, cache, "-m", "towerlab", *words.split(";"))
            run()  # compiles its kernels
            warm = min(count_seconds(run) for _ in range(ROUNDS))
            print_ratio(f"{name}, warm", warm / importing, f"import numba, {importing:.2f} s", f"{warm:.2f} s")


if __name__ == "__main__":
    main(sys.argv[1:] or list(GAMES))
