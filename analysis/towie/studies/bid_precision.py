"""How sure are bids of Towie? The studies `trick-estimate` and `bid-precision`.

Example:
    towerlab study towie bid-precision --set questions=1 --out folder
"""

from typing import Final

import numpy as np

from towerlab.analysis.bidding.precision import Follow, precision_study
from towerlab.analysis.bidding.race import Forecast, Solve
from towerlab.analysis.bidding.trick_estimate import estimate_study
from towerlab.analysis.towie.calls import FollowedCalls, TowieQuestion
from towerlab.analysis.towie.contracts import TowieStakes
from towerlab.analysis.towie.studies.bidding_accuracy import OPENING, OVER, draw_decision
from towerlab.games.arrays import Ints
from towerlab.games.cards import NO_TRUMP, cards_mask, suit_of
from towerlab.games.towie.dealing import EXPOSED, HAND_SIZE, HANDS, PACK_SIZE
from towerlab.sim.towie.outcomes import in_play_order

CALLERS: Final = HANDS - 1


def deal_estimated(random: np.random.Generator, layouts: int) -> tuple[Ints, Ints]:
    """Return layouts of a random hand and dummy's six, play-order masks from the declarer [layouts, 4]: suit, no trump.

    Every other hand plays the suit of which it has most cards with the six, the rest any suit.
    """
    cards = random.permutation(PACK_SIZE)
    lengths = np.bincount([suit_of(int(card)) for card in cards[: HAND_SIZE + EXPOSED]], minlength=NO_TRUMP)
    suit = int(lengths.argmax() if random.random() < 0.5 else random.integers(NO_TRUMP))
    deals = np.empty((layouts, HANDS), dtype=np.int64)  # the declarer, left, right, the dummy
    for row in range(layouts):
        rest = random.permutation(cards[HAND_SIZE + EXPOSED :])
        dummy = cards[HAND_SIZE : HAND_SIZE + EXPOSED].tolist() + rest[: HAND_SIZE - EXPOSED].tolist()
        others = np.split(rest[HAND_SIZE - EXPOSED :], 2)
        hands = (cards[:HAND_SIZE].tolist(), *(other.tolist() for other in others), dummy)
        deals[row] = [cards_mask(hand) for hand in hands]
    return in_play_order(deals, 0, suit), in_play_order(deals, 0, NO_TRUMP)


TRICK_ESTIMATE: Final = estimate_study("towie", deal_estimated, leader=1, hands=HANDS, dealt=3_000)


def draw_question(random: np.random.Generator) -> Follow:
    """Return a decision of an ordinary deal, in turn without a bid and over a bid of game."""
    kind = (OPENING, OVER)[int(random.integers(2))]
    hands, exposed, calls = draw_decision(kind, random)
    question = TowieQuestion(int(hands[len(calls) % (HANDS - 1)]), exposed, tuple(calls), TowieStakes())

    def follow(pool: int, seed: int) -> tuple[Forecast, Solve]:
        deals = FollowedCalls(question, pool, seed, jobs=1, quiet=True)
        return deals.forecast(), deals.solver()

    return follow


BID_PRECISION: Final = precision_study("towie", draw_question, seconds=1.0)
