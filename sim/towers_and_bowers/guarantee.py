"""What a player of habits is sure to get: his tricks against an opponent who sees all cards and plays best.

An opponent who knows everything does at least as well as any who does not, and a player who keeps to one way of
playing at most as well as the best one. So what such a player gets here is a lower bound of what his seat is worth in
the game itself. The opponent holds him to the worst *ending*, which is the same one whatever the next deal is worth, so
long as it is worth dealing (W(n - 1) at least a half).

He bids as is his habit, or accepts whenever he is asked, whichever turns out better on average.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from games.bits import lowest_bit, lowest_index, popcount
from games.cards import TRUMP_FIELD
from games.jit import kernel
from games.towers_and_bowers.rules import BIDDER_DEALS, BIDDER_SWEEPS, DEFENDER_SWEEPS, hand_result
from games.tricks import field_of, leader_wins, legal_followers
from sim.towers_and_bowers.hand import DEALER, NONDEALER, cards_known, deal_hand
from sim.towers_and_bowers.knowledge import NO_CARD, PASS, BidPlan, Rules, Situation
from sim.towers_and_bowers.players import habitual_bids, habitual_play

# Endings for a player, worst first.
SWEPT: Final = 0
OTHER_DEALS: Final = 1
DEALS: Final = 2
SWEEPS: Final = 3
ENDINGS: Final = 4


@kernel
def fewest_tricks(
    player: int, seat: int, hands: tuple[int, int], up: int, trump: int, discard: int, random: Any
) -> int:
    """Tricks of a player of habits in a contract when the other sees all cards.

    Args:
        player: one that follows habits and tosses no coins.
        seat: his, `NONDEALER` or `DEALER`.
        hands: printed masks of the dealt cards of non-dealer and dealer.
        up: the up-card.
        trump: suit 0..3.
        discard: the dealer's (card id), or `NO_CARD` when a suit was named.
        random: a numpy Generator, not drawn from.
    """
    n = popcount(hands[seat])
    known = cards_known(hands, up, trump, discard, False)
    # A row a trick; his cards, the other's, what he knows of them, and the other's plays that are still to be tried.
    own, other = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    sure, pool = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    taken, fewest = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    leads, led, plays = (
        np.zeros(n + 1, dtype=np.int64),
        np.zeros(n + 1, dtype=np.int64),
        np.zeros(n + 1, dtype=np.int64),
    )
    own[0], other[0], sure[0], pool[0] = known[0, seat], known[0, 1 - seat], known[1, seat], known[2, seat]
    leads[0] = seat == NONDEALER
    trick, entering = 0, True
    while True:
        if entering and trick < n:
            fewest[trick], plays[trick] = n, other[trick]
            if leads[trick]:
                asked = Situation(n, taken[trick], own[trick], sure[trick], pool[trick], 0)
                led[trick] = habitual_play(player, asked, random)
                plays[trick] = legal_followers(other[trick], field_of(led[trick], TRUMP_FIELD))
        entering = False
        if trick == n or plays[trick] == 0:
            found = taken[trick] if trick == n else fewest[trick]
            trick -= 1
            if trick < 0:
                return int(found)
            fewest[trick] = min(fewest[trick], found)
            continue
        card = lowest_bit(plays[trick])
        plays[trick] ^= card
        gone = card
        if leads[trick]:
            mine = led[trick]
            wins = leader_wins(mine, card, TRUMP_FIELD)
            field = field_of(mine, TRUMP_FIELD)
            if card & field == 0:
                gone |= field  # he has shown out
        else:
            asked = Situation(n, taken[trick], own[trick], sure[trick], pool[trick], card)
            mine = habitual_play(player, asked, random)
            wins = not leader_wins(card, mine, TRUMP_FIELD)
        own[trick + 1], other[trick + 1] = own[trick] & ~mine, other[trick] & ~card
        sure[trick + 1], pool[trick + 1] = sure[trick] & ~card, pool[trick] & ~gone
        taken[trick + 1], leads[trick + 1] = taken[trick] + wins, wins
        trick, entering = trick + 1, True


@kernel
def ending_of(n: int, tricks: int, is_bidder: bool) -> int:
    """`SWEPT` .. `SWEEPS` for a player with so many of n tricks."""
    result = hand_result(n, tricks if is_bidder else n - tricks, False)
    if result in (BIDDER_SWEEPS, DEFENDER_SWEEPS):
        return SWEEPS if tricks == n else SWEPT
    return DEALS if (result == BIDDER_DEALS) == is_bidder else OTHER_DEALS


@kernel
def nondealer_ending(player: int, hands: tuple[int, int], up: int, plan: BidPlan, random: Any) -> int:
    """The worst ending for a non-dealer who bids by a plan, over the dealer's calls, discards and plays."""
    n, suit = popcount(hands[NONDEALER]), up // 13
    fewest, left = n, hands[DEALER]
    while left:
        discard = lowest_bit(left)
        left ^= discard
        fewest = min(fewest, fewest_tricks(player, NONDEALER, hands, up, suit, lowest_index(discard), random))
    worst = ending_of(n, fewest, plan.accepts)
    if plan.accepts:
        return worst
    fewest = n
    for trump in range(4):
        if trump == suit or (plan.names != PASS and trump != plan.names):
            continue
        fewest = min(fewest, fewest_tricks(player, NONDEALER, hands, up, trump, NO_CARD, random))
    return min(worst, ending_of(n, fewest, plan.names != PASS))


@kernel
def dealer_ending(player: int, hands: tuple[int, int], up: int, plan: BidPlan, random: Any) -> int:
    """As `nondealer_ending`, for a dealer."""
    n, suit = popcount(hands[DEALER]), up // 13
    taken = fewest_tricks(player, DEALER, hands, up, suit, plan.discard_for_other, random)
    worst = ending_of(n, taken, False)
    if plan.accepts:
        taken = fewest_tricks(player, DEALER, hands, up, suit, plan.discard, random)
        return min(worst, ending_of(n, taken, True))
    for trump in range(4):
        if trump != suit:
            taken = fewest_tricks(player, DEALER, hands, up, trump, NO_CARD, random)
            worst = min(worst, ending_of(n, taken, False))
            if trump == plan.names:
                worst = min(worst, ending_of(n, taken, True))
    return worst


@kernel
def count_guarantees(player: int, n: int, deals: int, rules: Rules, random: Any, counts: Any) -> None:
    """Deal hands at random and count what the player is sure to get in either seat.

    Args:
        player: as for `fewest_tricks`.
        n: cards dealt to each.
        deals: how many.
        rules: as the game is played.
        random: a numpy Generator that deals.
        counts: int64[2, 2, 4], added to: deals by seat, by whether he always accepts, by his ending.
    """
    for _ in range(deals):
        nondealer, dealer, up = deal_hand(n, random)
        hands = (nondealer, dealer)
        for seat in range(2):
            plan = habitual_bids(player, hands[seat], up, seat == DEALER, rules, random)
            for always in range(2):
                if always:
                    plan = BidPlan(True, plan.names, plan.discard, plan.discard_for_other)
                if seat == NONDEALER:
                    ending = nondealer_ending(player, hands, up, plan, random)
                else:
                    ending = dealer_ending(player, hands, up, plan, random)
                counts[seat, always, ending] += 1
