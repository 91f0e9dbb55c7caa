"""How long do claims take to prove?

Towers & Bowers: positions of random bidding and play of seven cards, at trick starts and in the middle of tricks.
Yardstick: every hand that the opponent can hold looked up on the tablebase, which is no proof yet. Towie and Bowers:
declarer's positions of the studies `claim-accuracy`, with claims of the double-dummy tricks of the actual layout and of
one fewer. A claim is settled when it is proved or refuted within a second. Yardstick: the double-dummy solution of the
position.

    python -m benchmarks.claims [positions a line, default 300]
"""

import random
import sys
from collections.abc import Iterator
from itertools import count, islice
from typing import Final

import numpy as np

from benchmarks import print_ratio, seconds
from towerlab.analysis.bowers.studies import claim_accuracy as bowers
from towerlab.analysis.claims.asking import Claimant
from towerlab.analysis.towers_and_bowers.claims import judge as judge_two_hands
from towerlab.analysis.towers_and_bowers.position import known_in
from towerlab.analysis.towie.studies import claim_accuracy as towie
from towerlab.games.bowers import BowersOptions
from towerlab.games.cards import DECK_24, mask_cards
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions
from towerlab.games.towie import TowieOptions
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.judging import judge, layout_with, prover
from towerlab.solver.claims.search import NOT_SETTLED, guaranteed_tricks, make_proof_arrays, most_tricks
from towerlab.solver.double_dummy import DoubleDummy, Position
from towerlab.solver.two_hands.tablebase import load_tablebase

CARDS: Final = 7
NODES: Final = 1_600_000


def reached_at_random(cards: int, draw: random.Random) -> Belief:
    """Return a player's belief with `cards` cards left, after bidding and play at random."""
    match = Match(TowersAndBowersOptions(starter="fixed", early_stop=False), judge_two_hands)
    match.shuffle(draw.sample(mask_cards(DECK_24), 24))
    match.decline_cut()
    match.deal()
    while match.phase != Phase.PLAY:
        actions = [action for action in match.legal() if action["action"] in ("accept", "pass", "name", "discard")]
        match.apply(draw.choice(actions))
    for _ in range(2 * (CARDS - cards) + draw.randrange(2)):
        match.play(draw.choice(mask_cards(match.legal_plays())))
    return known_in(match.view(draw.randrange(2))).belief


def measure_two_hands(number: int) -> None:
    """Print a row a size: proofs, then refutations of one trick more."""
    tablebase = load_tablebase()
    workspace = make_proof_arrays()
    draw = random.Random(1)

    def prove(b: Belief, concede: bool = False) -> object:
        return most_tricks(*b.arguments(concede), workspace)

    def look_up(b: Belief) -> object:
        return layout_with(b, tablebase, worst=True)

    def refute(b: Belief) -> object:
        claim = guaranteed_tricks(b) + 1
        return refute(b, claim, NODES) if claim <= b.tricks else None

    for cards in range(3, CARDS + 1):
        beliefs = [reached_at_random(cards, draw) for _ in range(number)]
        times = np.array([[_least(what, belief) for what in (prove, look_up, refute)] for belief in beliefs])
        middle = 1e6 * np.median(times, axis=0)
        longest = 1e6 * times.max(axis=0)
        figure = f"{middle[0]:.1f} µs, at most {longest[0]:.0f}"
        print_ratio(f"proof with {cards} cards", middle[0] / middle[1], "every layout looked up", figure)
        figure = f"{middle[2]:.0f} µs, at most {longest[2]:.0f}"
        print_ratio("  refutation of one trick more", middle[2] / middle[1], "every layout looked up", figure)
    conceding = 1e6 * np.median([_least(lambda b: prove(b, concede=True), belief) for belief in beliefs])
    print_ratio(
        f"concession with {CARDS} cards", conceding / middle[1], "every layout looked up", f"{conceding:.1f} µs"
    )


def _least(what: object, belief: object) -> float:
    return min(seconds(lambda: what(belief)) for _ in range(3))  # type: ignore[operator]


def declarers_positions(game: str, cards: int) -> Iterator[Claimant]:
    """Yield a declarer's position from each deal, with `cards` cards a hand."""
    for number in count():
        rng = np.random.default_rng([cards, number])
        if game == "towie":
            deal = towie.positions_of_deal(TowieOptions(), "novice", rng, opening=True)
        else:
            deal = bowers.positions_of_deal(BowersOptions(), "novice", 1, rng)  # deal 1 is no misère
        yield from islice((o for o in deal if o.role == "declarer" and o.knowledge.belief.tricks == cards), 1)


def measure_three_hands(game: str, cards: int, number: int) -> None:
    """Print how many claims are settled in a second, and how long they take."""
    solver = DoubleDummy()
    times = []
    solving = []
    settled = 0
    for claimant in islice(declarers_positions(game, cards), number):
        belief = claimant.knowledge.belief
        tricks = []
        seen = Position(claimant.hands, belief.trumps, belief.leader, belief.trick)
        solving.append(seconds(lambda: tricks.append(solver.tricks(seen))))  # noqa: B023
        for need in (need for need in (tricks[0], tricks[0] - 1) if need >= 1):
            prover().forget()
            outcome: list[int] = []
            times.append(seconds(lambda: outcome.append(judge(belief, need, NODES).outcome)))  # noqa: B023
            settled += outcome[0] != NOT_SETTLED and times[-1] <= 1.0
    middle, high = np.quantile(times, [0.5, 0.99])
    what = f"{game}, {cards} cards, as the cards lie"
    figure = f"{1e3 * middle:.2f} ms, 99 % below {1e3 * high:.0f}; {settled / len(times):.1%} settled"
    print_ratio(what, float(middle / np.median(solving)), "double dummy, all hands seen", figure)


if __name__ == "__main__":
    positions = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    measure_two_hands(positions)
    judge(next(declarers_positions("towie", 7)).knowledge.belief, 1)  # loads the kernels
    for cards in range(4, 14):
        measure_three_hands("towie", cards, max(1, positions // 5))
    measure_three_hands("bowers", 10, max(1, positions // 5))
