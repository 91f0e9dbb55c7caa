"""How fast do players play whole games against their like?

Yardstick of each game: its engine, where every action is drawn at random.

    python -m benchmarks.simulators [GAME …]
"""

import sys
from typing import Final

import numpy as np

from benchmarks import print_ratio, seconds
from towerlab.analysis.catalog import GAMES, Game
from towerlab.analysis.simulation import simulate

UNITS: Final = {  # games that are timed, by game and player
    "towers-and-bowers": {"random": 20_000, "novice": 20_000, "family": 10_000, "pimc": 20, "cautious": 10},
    "bowers": {"random": 3_000, "novice": 3_000, "pimc": 1},
    "towie": {"random": 100, "novice": 300, "pimc": 1},
    "towers": {"random": 20_000, "greedy": 2_000, "builder": 200},
    "tower-war": {"random": 20_000, "novice": 1_000, "pimc": 20},
}
AIM: Final = "≥ 100"  # of random
ENGINE_GAMES: Final = 3


def play_in_engine(game: Game) -> None:
    """Some games in the interactive engine, at random."""
    rng = np.random.default_rng(1)
    for _ in range(ENGINE_GAMES):
        engine = game.load("table").start(game.load("options")())
        while engine.result is None:
            engine.apply(engine.chance(rng) if engine.to_act is None else engine.legal().sample(rng))


def measure(game: Game) -> None:
    """A row a player."""
    play_in_engine(game)
    engine = seconds(lambda: play_in_engine(game)) / ENGINE_GAMES
    seats = len(game.load("table").start(game.load("options")()).seats)
    for player, games in UNITS[game.name].items():
        simulate(game, [player] * seats, 1, jobs=1, quiet=True)  # loads the kernels
        each = seconds(lambda: simulate(game, [player] * seats, games, jobs=1, quiet=True)) / games  # noqa: B023
        figure = f"{1 / each:,.1f} games a second"
        aim = AIM if player == "random" else "–"
        print_ratio(f"{game.name}, {player}", engine / each, "the engine at random", figure, aim)


if __name__ == "__main__":
    for name in sys.argv[1:] or GAMES:
        measure(GAMES[name])
