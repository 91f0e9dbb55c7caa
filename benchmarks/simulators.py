"""How fast players play whole games against their like: `python -m benchmarks.simulators [GAME …]`.

Yardstick of each game: its engine, where every action is drawn at random. Of Towers & Bowers also OpenSpiel's euchre
for four, played at random in a Python loop, where pyspiel is there (``pip install open_spiel``).
"""

from __future__ import annotations

import random
import sys
from typing import Final

import numpy as np

from benchmarks.timing import least_in_turn, print_ratio, seconds
from towerlab.analysis.catalog import GAMES, Game
from towerlab.analysis.simulation import simulate

UNITS: Final = {  # games that are timed, by game and player
    "towers-and-bowers": {"random": 20_000, "novice": 20_000, "family": 10_000, "pimc": 20, "cautious": 10},
    "bowers": {"random": 3_000, "novice": 3_000, "pimc": 1},
    "towie": {"random": 100, "novice": 300, "pimc": 1},
    "towers": {"random": 20_000, "greedy": 2_000, "builder": 200},
    "tower-war": {"random": 20_000, "novice": 1_000, "pimc": 20},
}
AIMS: Final = {
    ("towers-and-bowers", "random"): "≥ 200",
    ("bowers", "random"): "≥ 200",
    ("towie", "random"): "≥ 100",
    ("towers", "random"): "≥ 200",
    ("tower-war", "random"): "≥ 200",
}
ENGINE_GAMES: Final = 3


def play_in_engine(game: Game) -> None:
    """Some games in the interactive engine, at random."""
    rng = np.random.default_rng(1)
    for _ in range(ENGINE_GAMES):
        engine = game.load("table").start(game.load("options")())
        while engine.result is None:
            engine.apply(engine.chance(rng) if engine.to_act is None else engine.legal().sample(rng))


def play_euchre_in_openspiel(hands: int = 500) -> None:
    """Hands of euchre for four, at random."""
    import pyspiel

    game = pyspiel.load_game("euchre")
    for _ in range(hands):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))


def measure(game: Game) -> None:
    """A row a player."""
    play_in_engine(game)
    engine = seconds(lambda: play_in_engine(game)) / ENGINE_GAMES
    seats = len(game.load("table").start(game.load("options")()).seats)
    for player, games in UNITS[game.name].items():
        simulate(game, [player] * seats, 1, jobs=1, quiet=True)  # loads the kernels
        each = seconds(lambda: simulate(game, [player] * seats, games, jobs=1, quiet=True)) / games  # noqa: B023
        figure, aim = f"{1 / each:,.1f} games a second", AIMS.get((game.name, player), "–")
        print_ratio(f"{game.name}, {player}", engine / each, "the engine at random", figure, aim)


def measure_beside_euchre() -> None:
    """Hands of Towers & Bowers at random, beside OpenSpiel's."""
    game = GAMES["towers-and-bowers"]

    def play() -> None:
        simulate(game, ["random"] * 2, 200_000, unit="hand", jobs=1, quiet=True)

    try:
        each = least_in_turn({"ours": play, "OpenSpiel": play_euchre_in_openspiel}, rounds=2)
    except ImportError:
        print("OpenSpiel is not installed: no euchre beside hands of Towers & Bowers")
        return
    ours, theirs = 200_000 / each["ours"], 500 / each["OpenSpiel"]
    figure = f"{ours:,.0f} hands a second"
    print_ratio("towers-and-bowers, hands at random", ours / theirs, "OpenSpiel's euchre at random", figure, "≥ 40")


if __name__ == "__main__":
    for name in sys.argv[1:] or GAMES:
        measure(GAMES[name])
        if name == "towers-and-bowers":
            measure_beside_euchre()
