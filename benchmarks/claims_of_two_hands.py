"""How long claims against two hidden hands take: Towie with 4 to 13 cards left, Bowers with all ten.

    python -m benchmarks.claims towie|bowers [positions a line, default 60]

Towie: shuffled deals; the longer fit of eight or more cards is trumps, else no trump; the stronger hand of the pair
declares; novices play until so many cards are left, and declarer claims at the start of a trick. Bowers: the hand
that counts most tricks takes the kitty, buries by habit and claims before the first lead. Each position is asked two
claims: the tricks that double-dummy play takes *as the cards lie* (what a table that sees all cards would grant), and
one fewer. A claim is settled when it is proved or refuted within a second. The yardstick, in the same run, is one
double-dummy solution of the position with all hands seen. With up to six cards also the hardest claims there are: the
most that is sound, and one more. Times are those of the processor, so that what else runs shows less.
"""

from __future__ import annotations

import random
import time

import numpy as np

from games.bits import popcount
from games.bowers import HAND_SIZE
from games.cards import DECK_32, DECK_52, NO_TRUMP, cards_mask, mask_cards, to_play_order, trump_field
from games.tricks import beats, field_of, legal_followers
from sim.bowers.habits import counted_tricks, habitual_bury
from sim.towie.players import follow_as_novice, lead_as_novice
from solver.claims.belief import Belief
from solver.claims.judging import judge, prover
from solver.claims.search import NOT_SETTLED, PROVED
from solver.double_dummy import DoubleDummy, Position

TIME = 1.0  # seconds in which a claim is to be settled
NODES = 1_600_000

Reached = tuple[Belief, tuple[int, ...]]


def towie_position(cards: int, draw: random.Random) -> Reached:
    """What declarer knows when so many cards a hand are left, and all four hands."""
    pack = draw.sample(mask_cards(DECK_52), 52)
    printed = [cards_mask(pack[13 * seat : 13 * seat + 13]) for seat in range(4)]
    fits = [popcount((printed[0] | printed[2]) & 0x1FFF << 13 * suit) for suit in range(4)]
    trump = fits.index(max(fits)) if max(fits) >= 8 else NO_TRUMP
    trumps = int(trump_field(trump))
    hands = [int(to_play_order(hand, trump, False)) for hand in printed]
    unseen = hands[1] | hands[3]
    pools, leader = {1: unseen, 3: unseen}, 1
    for _ in range(13 - cards):
        trick, led, best, winner = np.zeros(4, np.int64), 0, 0, leader
        for step in range(4):
            seat = (leader + step) % 4
            partner = hands[(seat + 2) % 4] if seat % 2 == 0 else 0
            hidden = sum(hands) & ~(hands[seat] | partner)
            if led == 0:
                card = int(lead_as_novice(hands[seat], partner, hidden, trumps, trump, seat % 2 == 0))
                led, best = int(field_of(card, trumps)), card
            else:
                legal = int(legal_followers(hands[seat], led))
                card = int(follow_as_novice(legal, trick, leader, seat, trumps, hidden))
                if not card & led and seat in pools:
                    pools[seat] &= ~led
                if beats(card, best, trumps):
                    best, winner = card, seat
            trick[seat] = card
            hands[seat] &= ~card
            pools = {place: pool & ~card for place, pool in pools.items()}
        leader = winner
    side = frozenset({0, 2})
    own = (hands[0], 0, hands[2], 0)
    return Belief(own, (1, 3), (pools[1], pools[3]), side, side, cards, leader, trumps), tuple(hands)


def bowers_position(cards: int, draw: random.Random) -> Reached:
    """What a declarer of Bowers knows before he leads to the first trick, and all three hands."""
    pack = draw.sample(mask_cards(DECK_32), 32)
    printed = [cards_mask(pack[HAND_SIZE * seat : HAND_SIZE * seat + HAND_SIZE]) for seat in range(3)]
    kitty = cards_mask(pack[30:])
    _, seat, trump = max(
        (int(counted_tricks(hand, trump)), seat, trump) for seat, hand in enumerate(printed) for trump in range(4)
    )
    twelve = int(to_play_order(printed[seat] | kitty, trump, True))
    mine = twelve & ~int(habitual_bury(twelve, int(trump_field(trump)), 2))
    others = [int(to_play_order(printed[(seat + step) % 3], trump, True)) for step in (1, 2)]
    unseen = others[0] | others[1]
    side = frozenset({0})
    belief = Belief((mine, 0, 0), (1, 2), (unseen, unseen), side, side, cards, 0, int(trump_field(trump)))
    return belief, (mine, *others)


def hardest_claims(belief: Belief) -> list[int]:
    """The most that is sound, and one more."""
    most = 0
    while most < belief.tricks and prover().takes(belief, most + 1, 5_000_000) == PROVED:
        most += 1
    return [need for need in (most, most + 1) if 1 <= need <= belief.tricks]


def report_line(game: str, cards: int, count: int, draw: random.Random, hardest: bool) -> None:
    """One line of the table."""
    solver = DoubleDummy()
    reach = towie_position if game == "towie" else bowers_position
    times, yardstick, outcomes = [], [], []
    for _ in range(count):
        belief, hands = reach(cards, draw)
        began = time.process_time()
        as_they_lie = solver.tricks(Position(hands, belief.trumps, belief.leader))
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


def main(game: str, count: int) -> None:
    draw = random.Random(1)
    reach = towie_position if game == "towie" else bowers_position
    judge(reach(7 if game == "towie" else 10, draw)[0], 1), judge(reach(10, draw)[0], 10)  # compile
    print("game    cards claims    number  settled  proved median ms   99 % ms    max ms  yardstick")
    for cards in (4, 5, 6) if game == "towie" else ():
        report_line(game, cards, 4 * count, draw, hardest=True)
    for cards in range(4, 14) if game == "towie" else (10,):
        report_line(game, cards, count, draw, hardest=False)
