"""How fast players play Towers & Bowers: `python -m benchmarks.simulate`.

Yardsticks, in the same run: the interactive `Match` played at random (no views, no records but its own), and
OpenSpiel's euchre for four, played at random in a Python loop, where pyspiel is there (``towerlab[benchmark]``).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np

from analysis.towers_and_bowers.simulation import believed_deal_values, warm_up
from benchmarks.timing import print_ratio
from games.cards import mask_cards
from games.towers_and_bowers import Match, Phase, TowersAndBowersOptions
from sim.towers_and_bowers import simulate_units
from sim.towers_and_bowers.seats import take_chance

OPTIONS = TowersAndBowersOptions(claims="off")
VALUES = believed_deal_values(OPTIONS)
ROUNDS = 5


def hands_a_second(play: Callable[[int], None], hands: int) -> float:
    """Median over a few rounds."""
    rates = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        play(hands)
        rates.append(hands / (time.perf_counter() - start))
    return float(np.median(rates))


def play_in_kernel(player: str) -> Callable[[int], None]:
    """Hands of seven cards between two alike."""

    def play(hands: int) -> None:
        simulate_units("hand", 0, hands, (player, player), OPTIONS, VALUES, np.random.SeedSequence(1))

    return play


def play_in_engine(hands: int) -> None:
    """First hands of matches, every call and card drawn at random."""
    generator = np.random.default_rng(1)
    for _ in range(hands):
        match = Match(OPTIONS)
        while match.state().hand is None or match.state().hand.outcome is None:  # type: ignore[union-attr]
            if match.phase == Phase.PLAY:
                match.play(random.choice(mask_cards(match.legal_plays())))
            elif match.phase == Phase.DISCARD:
                match.discard(random.choice(mask_cards(match.view(match.to_act or 0).hand)))
            elif match.phase in (Phase.BID1_ND, Phase.BID1_D):
                random.choice((match.accept, match.pass_))()
            elif match.phase in (Phase.BID2_ND, Phase.BID2_D):
                match.name(random.choice([suit for suit in range(4) if match.can_name(suit)]))
            else:
                take_chance(match, generator)


def play_euchre_in_openspiel(hands: int) -> None:
    import pyspiel

    game = pyspiel.load_game("euchre")
    for _ in range(hands):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))


def main() -> None:
    warm_up()
    engine = hands_a_second(play_in_engine, 100)
    kernel = hands_a_second(play_in_kernel("random"), 50_000)
    rate = f"{kernel:,.0f} hands a second"
    print_ratio("random against random, n = 7", kernel / engine, "the interactive engine at random", rate, "≥ 200")
    try:
        euchre = hands_a_second(play_euchre_in_openspiel, 1000)
    except ImportError:
        print("random against random, n = 7: OpenSpiel's euchre is not installed, skipped (aim ≥ 40×)")
    else:
        print_ratio("random against random, n = 7", kernel / euchre, "OpenSpiel's euchre at random", rate, "≥ 40")
    for player, hands in (("novice", 20_000), ("family", 20_000), ("pimc", 400), ("cautious", 200)):
        speed = hands_a_second(play_in_kernel(player), hands)
        aim = "≥ 500 hands a second" if player == "pimc" else "–"
        rate = f"{speed:,.0f} hands a second"
        print_ratio(f"{player} against {player}, n = 7", speed / engine, "the interactive engine at random", rate, aim)


if __name__ == "__main__":
    main()
