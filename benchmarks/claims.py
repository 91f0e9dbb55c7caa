"""How long a claim takes to prove, and how that grows with the cards left.

    python benchmarks/claims.py [positions a line, default 5000]
    python -m benchmarks.claims towie|bowers [positions a line, default 60]: see claims_of_two_hands.py

Positions come from random bidding and random legal play of seven-card hands, at trick starts and in the middle of
tricks, seen by either player. Yardstick, on the same positions and in the same run: looking up every hand the opponent
can hold on the tablebase, which is what a *refutation by one layout* costs and would not even be a proof. Each time
is the best of three, so that what other programs do to the machine shows less.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

import numpy as np

from analysis.towers_and_bowers.claims import judge, known_in
from games.cards import DECK_24, mask_cards
from games.towers_and_bowers import Match, Phase, TowersAndBowersOptions
from solver.claims.belief import Belief
from solver.claims.refutation import layout_with, refute_on_tables
from solver.claims.two_hands import guaranteed_kernel, guaranteed_tricks, parts, workspace
from solver.two_hands.tablebase import load_tables

CARDS = 7
REPEATS = 3
REFUTED = 300  # claims of one trick too many that are refuted at each size


def position_reached(cards: int, draw: random.Random) -> Belief:
    """What a random player knows when so many cards a hand are left, after random bidding and play."""
    match = Match(TowersAndBowersOptions(starter="fixed", early_stop=False), judge)
    match.shuffle(draw.sample(mask_cards(DECK_24), 24))
    match.decline_cut()
    match.deal()
    while match.phase != Phase.PLAY:
        _bid(match, draw)
    for _ in range(2 * (CARDS - cards) + draw.randrange(2)):
        match.play(draw.choice(mask_cards(match.legal_plays())))
    return known_in(match.claim_question(draw.randrange(2), 1)).belief


def _bid(match: Match, draw: random.Random) -> None:
    if match.phase == Phase.DISCARD:
        match.discard(draw.choice([card for card in range(52) if match.can_discard(card)]))
    elif match.can_accept() and draw.random() < 0.4:
        match.accept()
    elif match.can_pass_() and draw.random() < 0.7:
        match.pass_()
    elif not match.can_accept():
        match.name(draw.choice([suit for suit in range(4) if match.can_name(suit)]))


def microseconds(call: Callable[[], object]) -> float:
    """Best of some runs."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - began)
    return min(times) / 1000


def main(count: int) -> None:
    tables, (table, stack) = load_tables(), workspace()

    def prove(b: Belief) -> Callable[[], int]:
        return lambda: guaranteed_kernel(*parts(b), False, table, stack)

    def cooperate(b: Belief) -> Callable[[], int]:
        return lambda: guaranteed_kernel(*parts(b), True, table, stack)

    def look_up(b: Belief) -> Callable[[], object]:
        return lambda: layout_with(b, tables, worst=True)

    draw = random.Random(1)
    print(f"{count} positions a line; times in µs, yardstick = every layout looked up on the tablebase")
    print("      |    proof        | yardstick |  proof/yardstick |        | proof and refutation")
    print("cards | median      max |    median | median       max | growth |    median       max")
    previous = None
    for cards in range(3, CARDS + 1):
        beliefs = [position_reached(cards, draw) for _ in range(count)]
        prove(beliefs[0])(), look_up(beliefs[0])()
        proofs = np.array([microseconds(prove(belief)) for belief in beliefs])
        lookups = np.array([microseconds(look_up(belief)) for belief in beliefs])
        refutations = np.array([microseconds(lambda b=b: _refute(b, tables)) for b in beliefs[:REFUTED]])
        growth = "     –" if previous is None else f"{proofs.mean() / previous:6.2f}"
        previous = proofs.mean()
        print(
            f"{cards:5} | {np.median(proofs):6.1f} {proofs.max():8.0f} | {np.median(lookups):9.1f} | "
            f"{np.median(proofs / lookups):6.3f} {proofs.max() / np.median(lookups):9.2f} | {growth} | "
            f"{np.median(refutations):9.0f} {refutations.max():9.0f}"
        )
    possible = np.array([microseconds(cooperate(belief)) for belief in beliefs])
    print(f"concessions with {CARDS} cards left: median {np.median(possible):.1f}, max {possible.max():.0f}")


def _refute(belief: Belief, tables: object) -> object:
    """The refutation of a claim of one trick more than is guaranteed (the proof of the guarantee included)."""
    claim = guaranteed_tricks(belief) + 1
    return refute_on_tables(belief, claim, tables) if claim <= belief.tricks else None  # type: ignore[arg-type]


if __name__ == "__main__":
    if sys.argv[1:2] in (["towie"], ["bowers"]):
        from benchmarks.claims_of_two_hands import main as hidden

        hidden(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60)
        sys.exit()
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
