"""How fast players play Bowers: `python -m benchmarks.bowers`.

Yardstick, in the same run: the interactive `BowersGame`, its players drawing lots in the same way (no views, no
records but its own). Games go to 50 points; a game is some thirty deals among players who draw lots.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from analysis.bowers.simulation import warm_up
from benchmarks.timing import print_ratio
from games.bowers import BowersGame, BowersOptions, Phase, shuffled_pack
from games.cards import mask_cards
from sim.bowers import simulate_units
from sim.bowers.habits import random_call

OPTIONS = BowersOptions()
ROUNDS = 5


def games_a_second(play: Callable[[int], int], games: int) -> tuple[float, float]:
    """Games a second, the median over a few rounds, and deals or rather units played in all."""
    rates, units = [], 0
    for _ in range(ROUNDS):
        start = time.perf_counter()
        units += play(games)
        rates.append(games / (time.perf_counter() - start))
    return float(np.median(rates)), units / ROUNDS


def play_in_kernel(player: str, unit: str = "match") -> Callable[[int], int]:
    """Units among three alike."""

    def play(units: int) -> int:
        simulate_units(unit, 0, units, (player,) * 3, OPTIONS, np.random.SeedSequence(1))
        return units

    return play


def play_in_engine(games: int) -> int:
    """Games in the interactive engine; how many deals they took."""
    random, deals = np.random.default_rng(1), 0
    for _ in range(games):
        game = BowersGame(OPTIONS)
        while game.winner is None:
            state = game.state()
            if game.phase == Phase.DEAL:
                game.deal(shuffled_pack(OPTIONS, random), int(random.integers(3)) if state.dealer is None else None)
                deals += 1
            elif game.phase == Phase.BID and state.deal is not None:
                game.call(int(random_call(state.deal.auction.standing, 1, random)))
            elif game.phase == Phase.BURY and state.deal is not None:
                cards = random.permutation(mask_cards(state.deal.hands[state.deal.bidder or 0]))[: OPTIONS.kitty]
                game.bury(sum(1 << int(card) for card in cards))
            else:
                game.play(int(random.choice(mask_cards(game.legal_plays()))))
    return deals


def main() -> None:
    warm_up()
    engine, deals = games_a_second(play_in_engine, 4)
    for player, games in (("random", 3_000), ("novice", 3_000)):
        rate, _ = games_a_second(play_in_kernel(player), games)
        figure = f"{rate:,.0f} games a second"
        print_ratio(f"three {player} players", rate / engine, "the interactive engine at random", figure, "≥ 200")
    rate, _ = games_a_second(play_in_kernel("pimc", "deal"), 4)
    figure = f"{rate:,.1f} deals a second"
    print_ratio("deals of three pimc players", rate / (engine * deals / 4), "the engine's deals", figure, "–")


if __name__ == "__main__":
    main()
