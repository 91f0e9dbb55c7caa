"""Speed of Tower War: random games, a decision of pimc, and what compiling brings.

    python -m benchmarks.tower_war

Yardstick, in the same run: the same kernels as plain Python (NUMBA_DISABLE_JIT=1 in a process of its own). Times are
processor time of one core.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.timing import print_ratio
from games.cards import cards_mask
from games.jit import JIT_ENABLED
from games.tower_war import BASIC_STASH, TowerWarOptions, seats
from games.tower_war.tower import new_tower
from sim.tower_war import KINDS, play_batch_of_games, setting_of
from solver.tower_war.hidden import OPTIONS, Battle, average_options, possible_hands
from solver.tower_war.ways import WAY_ROOM, WAY_SIZE


def seconds(run: Callable[[], object], times: int = 1) -> float:
    """Processor time of one call, after one that is not counted."""
    run()
    start = time.process_time()
    for _ in range(times):
        run()
    return (time.process_time() - start) / times


def measure(games: int, decisions: int) -> dict[str, float]:
    """Random games a second, and seconds of a first decision against all 455 hands."""
    setting = small_setting() if not JIT_ENABLED else setting_of(TowerWarOptions())
    rng = np.random.default_rng(1)
    random = KINDS["random"]
    game_seconds = seconds(lambda: play_batch_of_games((random, random), games, setting, rng)) / games
    pack = [int(card) for card in rng.permutation(54)]
    decks = [cards_mask(pack[:15]), cards_mask(pack[15:30])]
    table = seats.new_seats(*decks)
    for player, place in itertools.product(range(2), range(3)):
        if place == 0:
            seats.start_drawing(table, player)
        seats.draw_card(table, player, pack[15 * player + place])
    hands = np.zeros(455, np.int64)
    count = possible_hands(table, 1, decks[1], 15, decks[1], hands)
    ways, values = np.zeros((WAY_ROOM, WAY_SIZE), np.int64), np.zeros(OPTIONS)
    tower = new_tower(BASIC_STASH, BASIC_STASH)

    def decide() -> None:
        average_options(Battle(table, tower, 0), 0, hands[:count], False, setting.stakes, ways, values)

    return {"games": 1 / game_seconds, "decision": seconds(decide, decisions)}


def small_setting():
    """Without compiling, the war table and the worths of hands would take minutes; their values cost no time."""
    from games.tower_war.tower import fall_table
    from sim.tower_war.players import DraftValues
    from sim.tower_war.war import Setting
    from solver.tower_war.decks import TRIPLES
    from solver.tower_war.model import shipped_model
    from solver.tower_war.war_value import Stakes, stash_bases

    model, options = shipped_model(), TowerWarOptions()
    return Setting(
        Stakes(stash_bases(BASIC_STASH, BASIC_STASH), np.full((6**6, 2), 0.5), fall_table(options.hazard()), False),
        DraftValues(15, np.zeros(TRIPLES, np.float32), model.pool_weights, model.pyramid_weights),
        False, False, True, 200, 0,
    )  # fmt: skip


def main() -> None:
    """Print the table, or as JSON what this process measures."""
    if "--json" in sys.argv:
        print(json.dumps(measure(20, 1)))
        return
    command = [sys.executable, "-m", "benchmarks.tower_war", "--json"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    plain = json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    fast = measure(20_000, 50)
    print_ratio(
        "random games (draft and war)", fast["games"] / plain["games"], "kernels as plain Python",
        f"{fast['games']:,.0f} a second", "20,000 a second",
    )  # fmt: skip
    print_ratio(
        "pimc's first decision, 455 hands", plain["decision"] / fast["decision"], "kernels as plain Python",
        f"{1000 * fast['decision']:.2f} ms", "at most 5 ms",
    )  # fmt: skip


if __name__ == "__main__":
    main()
