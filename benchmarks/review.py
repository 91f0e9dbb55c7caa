"""How long it takes to look back at one match of each game: the golden ones, every seat, at most 60 s each.

python -m benchmarks.review
"""

from __future__ import annotations

import time
from pathlib import Path

from analysis.table.commanding import game_of_file
from analysis.table.review import review_lines
from analysis.table.store import read_lines

MATCHES = Path(__file__).parents[1] / "tests" / "golden"
NAMES = ("towers-and-bowers-match", "bowers", "towie", "towers", "tower-war")


def main() -> None:
    """Print actions, decisions, seconds of the first review (kernels loaded or compiled) and of the second."""
    print(f"{'match':26}{'actions':>8}{'judged':>8}{'first':>9}{'second':>9}  seconds of the processor")
    for name in NAMES:
        path = MATCHES / f"{name}.jsonl"
        game, seconds, actions, decisions = game_of_file(path), [], len(path.read_text().splitlines()) - 1, 0
        for _ in range(2):
            start = time.process_time()
            decisions = len(review_lines(read_lines(path), game).decisions)
            seconds.append(time.process_time() - start)
        print(f"{name:26}{actions:8}{decisions:8}{seconds[0]:9.1f}{seconds[1]:9.1f}")


if __name__ == "__main__":
    main()
