"""How sure are bids of Bowers? The studies `trick-estimate` and `bid-precision`.

Example:
    towerlab study bowers bid-precision --set questions=1 --out folder
"""

from typing import Final

import numpy as np

from towerlab.analysis.bidding.precision import Follow, precision_study
from towerlab.analysis.bidding.race import Forecast, Solve
from towerlab.analysis.bidding.trick_estimate import estimate_study
from towerlab.analysis.bowers.bid import BowersQuestion, FollowedCalls
from towerlab.games.arrays import Ints
from towerlab.games.bowers import HAND_SIZE, PLAYERS, Auction, BowersOptions, bid_of, bid_trumps, to_bid_order
from towerlab.games.cards import NO_TRUMP, cards_mask, mask_cards
from towerlab.sim.bowers import result_values
from towerlab.sim.bowers.habits import counted_tricks, habitual_bury, novice_call

OPTIONS: Final = BowersOptions()


def deal_estimated(random: np.random.Generator, layouts: int) -> tuple[Ints, Ints]:
    """Return layouts of a random hand of the bidder after the bury, play-order masks [layouts, 3]: in a suit, no trump.

    Every other hand plays its best suit, by the novice's count, the rest any suit.
    """
    cards = random.permutation(np.array(mask_cards(OPTIONS.deck)))
    hand = cards_mask(cards[:HAND_SIZE].tolist())
    suits = sorted(range(NO_TRUMP), key=lambda suit: int(counted_tricks(hand, suit)))
    suit = suits[-1 if random.random() < 0.5 else int(random.integers(NO_TRUMP))]
    deals = np.empty((2, layouts, PLAYERS), dtype=np.int64)
    for row in range(layouts):
        rest = random.permutation(cards[HAND_SIZE:])
        left, right, kitty = (cards_mask(part.tolist()) for part in np.split(rest, (HAND_SIZE, 2 * HAND_SIZE)))
        for contract, trump in enumerate((suit, NO_TRUMP)):
            bid = int(bid_of(1, trump))
            whole = int(to_bid_order(hand | kitty, bid))
            own = whole & ~int(habitual_bury(whole, bid_trumps(bid), OPTIONS.kitty))
            deals[contract, row] = own, to_bid_order(left, bid), to_bid_order(right, bid)
    return deals[0], deals[1]


TRICK_ESTIMATE: Final = estimate_study("bowers", deal_estimated, leader=0, hands=PLAYERS, dealt=8_000)


def draw_question(random: np.random.Generator) -> Follow:
    """Return the first call of a random player, the players before having called as novices."""
    rules = OPTIONS.rules()
    cards = random.permutation(np.array(mask_cards(OPTIONS.deck)))
    hands = [cards_mask(part.tolist()) for part in np.split(cards, HAND_SIZE * np.arange(1, PLAYERS + 1))]
    auction = Auction()
    for seat in range(int(random.integers(PLAYERS))):
        auction = auction.after(int(novice_call(hands[seat], auction.standing, rules)))
    question = BowersQuestion(hands[len(auction.calls)], auction, rules)

    def follow(pool: int, seed: int) -> tuple[Forecast, Solve]:
        deals = FollowedCalls(question, pool, seed, jobs=1, quiet=True)
        values = result_values(OPTIONS)
        return deals.forecast(values), deals.solver(values)

    return follow


BID_PRECISION: Final = precision_study("bowers", draw_question, seconds=0.25)
