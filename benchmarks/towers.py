"""Random games, cascades and endings of Towers: `python -m benchmarks.towers`.

Yardstick of the games: the same kernels as plain Python (``NUMBA_DISABLE_JIT=1``), in a process of its own started by
this run. Yardstick of the endings: a search of the same endings that tries every action with an open window.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np

from benchmarks.timing import print_ratio, time_in_turn
from games.towers import TowersOptions
from games.towers.rules import NO_LOG
from games.towers.table import HANDS, MOST_ACTIONS, NOBODY, PACK, TURN, act, deal, legal_actions, new_table, shuffle
from sim.towers.games import play_random_games, simulate_games
from solver.towers.choice import choose_at_random
from solver.towers.ending import best_action, new_search

GAMES = 10_000
PLAIN_GAMES = 20
ENDINGS = 40
ENDING_CARDS = 8


def seconds_of_random_games(games: int) -> float:
    """CPU time of random games between two players, after one that compiles."""
    rules, rng, table = TowersOptions().rules(), np.random.default_rng(1), new_table(2)
    play_random_games(1, rules, rng, table, NO_LOG)
    start = time.process_time()
    play_random_games(games, rules, rng, table, NO_LOG)
    return time.process_time() - start


def plain_seconds_of_random_games() -> float:
    """The same in plain Python."""
    program = f"from benchmarks.towers import *; print(seconds_of_random_games({PLAIN_GAMES}))"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def random_endings(count: int, cards: int) -> list[np.ndarray]:
    """Tables with an empty source and so many cards in two hands, reached by random play."""
    rules, rng, found = TowersOptions().rules(), np.random.default_rng(2), []
    while len(found) < count:
        table = new_table(2)
        shuffle(table[PACK, 1:], rng)
        deal(table, 0)
        while table[TURN, 0] != NOBODY and table[HANDS:, 0].sum() + 52 - table[PACK, 0] > cards:
            act(table, choose_at_random(table, rules, rng), rules, NO_LOG)
        if table[TURN, 0] != NOBODY:
            found.append(table)
    return found


def solve(endings: list[np.ndarray], all_exact: bool) -> None:
    """Solve endings one by one, each with fresh memory."""
    rules, buffer = TowersOptions().rules(), np.zeros(MOST_ACTIONS, dtype=np.int64)
    values = np.zeros(MOST_ACTIONS, dtype=np.int64)
    search = new_search(16)
    for table in endings:
        search.positions[:] = 0
        best_action(search, table, buffer[: legal_actions(table, rules, buffer)], rules, values, 10**9, all_exact)


def main() -> None:
    fast = min(seconds_of_random_games(GAMES) for _ in range(3)) / GAMES
    plain = plain_seconds_of_random_games() / PLAIN_GAMES
    print_ratio(
        "random games", plain / fast, "the same kernels as plain Python", f"{1 / fast:,.0f} games/s", "≥ 50,000 games/s"
    )
    for player in ("greedy", "builder"):
        games = GAMES // 50
        simulate_games((player, player), 2, np.random.SeedSequence(1))
        start = time.process_time()
        simulate_games((player, player), games, np.random.SeedSequence(1))
        each = (time.process_time() - start) / games
        print_ratio(
            f"games of {player} players", each / fast, "the time of a random game", f"{1 / each:,.0f} games/s", "–"
        )
    endings = random_endings(ENDINGS, ENDING_CARDS)
    times = time_in_turn({"best": lambda: solve(endings, False), "all": lambda: solve(endings, True)}, rounds=5)
    each = times["best"].median / ENDINGS
    print_ratio(
        f"best action of an ending, {ENDING_CARDS} cards",
        times["all"].median / times["best"].median,
        "exact values of all its actions",
        f"{1e3 * each:.1f} ms an ending",
        "–",
    )


if __name__ == "__main__":
    main()
