"""The order in which a follower's cards are tried.

A follower's cards are masks instead of a scored list: classes in the order of trying, and within a class the lowest
card first, as the top of its run (at misère, losing cards from the highest). A result never depends on the order.

With W the cards that beat the best so far, T the highest card that the next opponent can still put on them, S those of
W above T and L the rest, a follower with cards of the suit led tries

* while an opponent is winning: S, W - S, L;
* when the partner is winning and safe, and last: L, W; winning and in danger: S, L, W - S;
* in second hand at no trump when the partner can beat both the best and T: L, W.

A follower without them ruffs or discards first, by the same rules; discards are the lowest of each lane, from long
lanes and low ranks.
"""

from __future__ import annotations

from typing import Final

from towerlab.games.arrays import Ints
from towerlab.games.bits import highest_bit, lowest_bit, popcount
from towerlab.games.cards import NO_TRUMP_FIELD
from towerlab.games.jit import inlined_kernel
from towerlab.games.tricks import field_of, legal_followers
from towerlab.solver.double_dummy.layout import (
    BEST,
    BEST_SEAT,
    FIRST,
    LANES,
    LED_FIELD,
    ORDER,
    PLAYED,
    SEATS,
    SECOND,
    THIRD,
    UNTRIED,
    WINNERS,
    Hands,
    SearchRules,
    lane_field,
    peek,
    poke,
    run_of,
)

FOLLOWING: Final = 1
RUFFING: Final = 2  # or discarding
LOSING: Final = 3  # misère

PER_CARD_DISCARDING: Final = 3
NEVER: Final = 1000


@inlined_kernel
def order_followers(board: Ints, at: int, seat: int, hands: Hands, game: SearchRules) -> None:
    """Sort a follower's legal cards into classes.

    Args:
        board: see layout.py; the classes are written.
        at: where the frame begins.
        seat: to play.
    """
    trumps = game.trumps
    led = peek(board, at + LED_FIELD)
    best = peek(board, at + BEST)
    last = peek(board, at + PLAYED) == game.trick_size - 1
    second_hand = peek(board, at + PLAYED) == 1
    partner_wins = (peek(board, at + BEST_SEAT) ^ seat) & 1 == 0
    own = hands.me & led
    void = own == 0
    if void:
        own = hands.me & trumps
    winners = 0
    if void or not best & trumps or led == trumps:
        winners = own & -best  # the cards above
    untried = peek(board, at + UNTRIED)
    losers = untried & ~winners
    threat = 0 if last or hands.left == 0 else highest_bit(legal_followers(hands.left, led) & (led | trumps))
    strong = winners & -threat if threat else winners
    poke(board, at + WINNERS, winners)
    order = RUFFING if void else FOLLOWING
    first = strong
    second = winners
    third = losers
    if game.maximizer == 1:
        order = LOSING
        if not partner_wins:
            first = losers
    elif partner_wins:
        if last or best > threat or (void and best & trumps):
            first = losers
        else:
            second = losers
    elif second_hand and hands.partner and (void or trumps == NO_TRUMP_FIELD or game.trick_size != SEATS):
        partners = highest_bit(legal_followers(hands.partner, led) & (led | trumps))
        if partners > best and partners > threat:
            first = losers
    poke(board, at + ORDER, order)
    poke(board, at + FIRST, first)
    poke(board, at + SECOND, second)
    poke(board, at + THIRD, third)


@inlined_kernel
def next_follower(board: Ints, at: int, hands: Hands, game: SearchRules) -> int:
    """The card that a follower tries next, or 0 when all are tried or ruled out."""
    untried = peek(board, at + UNTRIED)
    if untried == 0:
        return 0
    cards = untried & peek(board, at + FIRST)
    if cards == 0:
        cards = untried & peek(board, at + SECOND)
        if cards == 0:
            cards = untried & peek(board, at + THIRD)
            if cards == 0:
                cards = untried
    order = peek(board, at + ORDER)
    others = hands.left | hands.partner | hands.right
    if order == FOLLOWING:
        card = lowest_bit(cards)
    elif order == RUFFING:
        card = _discard(cards, hands.me, others, game.trumps)
    elif cards & peek(board, at + WINNERS):
        card = lowest_bit(cards)
    else:
        card = highest_bit(cards)
    return highest_bit(run_of(card, hands.me, others | peek(board, at + BEST), field_of(card, game.trumps)))


@inlined_kernel
def _discard(cards: int, hand: int, others: int, trumps: int) -> int:
    """The lowest card of the lane that can best spare one; a trump only if there is nothing else."""
    most = -NEVER
    card = lowest_bit(cards)
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        low = lowest_bit(cards & field)
        if low and field != trumps:
            score = PER_CARD_DISCARDING * popcount(hand & field) - popcount(others & field & (low - 1))
            if score > most:
                most = score
                card = low
    return card
