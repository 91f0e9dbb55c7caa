"""How long claims against two hidden hands take: Towie with 4 to 13 cards left, Bowers with all ten.

    python -m benchmarks.claims towie|bowers [positions a line, default 60]

The positions are those of the studies `claim-accuracy`: novices bid and play; the declarer of Towie claims at the
start of a trick, or with 13 cards right after the opening lead, that of Bowers before he leads to the first one. Each
position is asked two claims: the tricks that double-dummy play takes *as the cards lie* (what a table that sees all
cards would grant), and one fewer. A claim is settled when it is proved or refuted within a second. The yardstick, in
the same run, is one double-dummy solution of the position with all hands seen. With up to six cards also the hardest
claims there are: the most that is sound, and one more. Times are those of the processor, so that what else runs shows
less.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count

import numpy as np

from analysis.bowers import claim_accuracy as bowers
from analysis.claims.reached import Asked
from analysis.towie import claim_accuracy as towie
from games.bowers import BowersOptions
from games.towie import TowieOptions
from solver.claims.belief import Belief
from solver.claims.judging import judge, prover
from solver.claims.search import NOT_SETTLED, PROVED
from solver.double_dummy import DoubleDummy, Position

TIME = 1.0  # seconds in which a claim is to be settled
NODES = 1_600_000


def declarers_positions(game: str, cards: int) -> Iterator[Asked]:
    """One position a deal, with so many cards a hand."""
    for number in count():
        random = np.random.default_rng([cards, number])
        if game == "towie":
            deal = towie.positions_of_deal(TowieOptions(), "novice", random, opening=True)
        else:
            deal = bowers.positions_of_deal(BowersOptions(), "novice", 1, random)  # deal 1 is no misère
        for one in deal:
            if one.role == "declarer" and one.knowledge.belief.tricks == cards:
                yield one
                break


def hardest_claims(belief: Belief) -> list[int]:
    """The most that is sound, and one more."""
    most = 0
    while most < belief.tricks and prover().takes(belief, most + 1, 5_000_000) == PROVED:
        most += 1
    return [need for need in (most, most + 1) if 1 <= need <= belief.tricks]


def report_line(game: str, cards: int, number: int, hardest: bool) -> None:
    """One line of the table."""
    solver = DoubleDummy()
    times, yardstick, outcomes = [], [], []
    for _, one in zip(range(number), declarers_positions(game, cards), strict=False):
        belief = one.knowledge.belief
        began = time.process_time()
        as_they_lie = solver.tricks(Position(one.hands, belief.trumps, belief.leader, belief.trick))
        yardstick.append(time.process_time() - began)
        needs = [need for need in (as_they_lie, as_they_lie - 1) if need >= 1]
        for need in hardest_claims(belief) if hardest else needs:
            prover().forget()
            began = time.process_time()
            outcome = judge(belief, need, NODES).outcome
            times.append(time.process_time() - began)
            outcomes.append(NOT_SETTLED if times[-1] > TIME else outcome)
    seconds, found = np.array(times) * 1000, np.array(outcomes)
    print(
        f"{game:7} {cards:5} {'hardest' if hardest else 'as lie':8} {len(found):6} {(found != NOT_SETTLED).mean():8.1%}"
        f" {(found == PROVED).mean():7.1%} {np.median(seconds):9.2f} {np.percentile(seconds, 99):9.1f}"
        f" {seconds.max():9.1f} {np.median(yardstick) * 1000:10.2f}",
        flush=True,
    )


def main(game: str, number: int) -> None:
    judge(next(declarers_positions(game, 7)).knowledge.belief, 1)  # compile
    print("game    cards claims    number  settled  proved median ms   99 % ms    max ms  yardstick")
    for cards in (4, 5, 6) if game == "towie" else ():
        report_line(game, cards, 4 * number, hardest=True)
    for cards in range(4, 14) if game == "towie" else (10,):
        report_line(game, cards, number, hardest=False)
