"""How fast players play Towie: `python -m benchmarks.towie`.

Yardstick, in the same run: the interactive `Towie` over the same kernels, every call and card drawn at random.
"""

from __future__ import annotations

import time

import numpy as np

from analysis.towie.simulation import warm_up
from benchmarks.timing import print_ratio
from games.cards import mask_cards
from games.towie import Phase, Towie, TowieOptions
from games.towie.dealing import draw_cut, expose_at_random, sort_hand
from sim.towie import simulate_games

ROUNDS = 3


def deals_a_second_in_engine(deals: int) -> float:
    """Deals, goulashes included, whose calls and cards are drawn at random; CPU time."""
    rng, game, dealt = np.random.default_rng(1), Towie(TowieOptions(max_goulash=100)), 0
    rules, piles = game.options.rules(), np.zeros((4, 13), dtype=np.int64)
    start = time.process_time()
    while dealt < deals:
        deal = game.state().deal
        if game.phase in (Phase.DEAL, Phase.GAME_OVER):
            game = Towie(game.options) if game.phase == Phase.GAME_OVER else game
            game.deal(rng.permutation(52).tolist())
            dealt += 1
        elif game.phase == Phase.EXPOSE:
            assert deal is not None
            game.expose(int(expose_at_random(deal.dealt[3], rng)))
        elif game.phase == Phase.GOULASH:
            assert deal is not None
            for hand in range(4):
                sort_hand(deal.hands[hand], 0, rng, piles[hand])
            game.goulash(piles.tolist(), int(draw_cut(rules, rng)))
            dealt += 1
        elif game.phase == Phase.AUCTION:
            game.call(int(rng.choice(game.legal_calls()[:6])) if rng.random() < 1 / 3 else 0)
        else:
            game.play(int(rng.choice(mask_cards(game.legal_plays()))))
    return deals / (time.process_time() - start)


def deals_a_second(player: str, games: int) -> tuple[float, float]:
    """Deals, goulashes included, between three alike, and games; a second of CPU time, median of some rounds."""
    rates = []
    for seed in range(ROUNDS):
        start = time.process_time()
        results = simulate_games((player,) * 3, games, np.random.SeedSequence(seed))
        seconds = time.process_time() - start
        dealt = results.deals[:, 0].sum() + results.deals[:, 3].sum()
        rates.append((dealt / seconds, games / seconds))
    deals, whole = np.median(np.array(rates), axis=0)
    return float(deals), float(whole)


def main() -> None:
    warm_up()
    engine = deals_a_second_in_engine(300)
    for player, games in (("random", 100), ("novice", 1000), ("pimc", 2)):
        deals, whole = deals_a_second(player, games)
        figure = f"{deals:,.1f} deals, {whole:,.2f} games a second"
        aim = "≥ 100" if player == "random" else "≥ 1 deal a second" if player == "pimc" else "–"
        print_ratio(f"three {player} players, whole games", deals / engine, "the engine at random", figure, aim)


if __name__ == "__main__":
    main()
