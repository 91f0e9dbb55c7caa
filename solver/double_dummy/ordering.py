"""Which card does the search try next? The order changes the time only, never an answer.

Leads: of neighbours in one hand only the highest, the most promising first. The scores are sums of weights that were
tuned on random deals for few visited nodes.

A follower's cards are masks instead of a scored list: classes in the order of trying, and within a class the lowest
card first, as the top of its run (at misère, losing cards from the highest).

With W the cards that beat the best so far, T the highest card that the next opponent can still put on them, S those of
W above T and L the rest, a follower with cards of the suit led tries

* while an opponent is winning: S, W - S, L;
* when the partner is winning and safe, and last: L, W; winning and in danger: S, L, W - S;
* in second hand at no trump when the partner can beat both the best and T: L, W.

A follower without them ruffs or discards first, by the same rules; discards are the lowest of each lane, from long
lanes and low ranks.

>>> len(default_weights()) == 6 * N_WEIGHTS
True
"""

from typing import Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.bits import highest_bit, highest_index, lowest_bit, lowest_index, popcount
from towerlab.games.cards import NO_TRUMP_FIELD
from towerlab.games.jit import inlined_kernel, kernel
from towerlab.games.tricks import field_of, legal_followers
from towerlab.solver.double_dummy.position import (
    BEST,
    BEST_SEAT,
    FIRST,
    LANES,
    LEADS,
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
    card_lane,
    lane_field,
    peek,
    poke,
    run_of,
)

NAMED_SHIFT: Final = 58
"""A led joker names the suit to follow: its lane stands above the card."""

# A listed lead: its score, the lane that a joker names, the number of the card.
SCORE_SHIFT: Final = 8
LANE_SHIFT: Final = 6
CARD_MASK: Final = 63
SCORE_BIAS: Final = 1 << 24

# Weights, by suit and by card.
DRAW_TRUMPS, CONCEDE_TRUMP, IDLE_TRUMP = range(3)
LEFT_RUFFS, RIGHT_RUFFS, PARTNER_RUFFS, PARTNER_OVERRUFFED, PARTNER_HOLDS_TOP, I_HOLD_TOP = range(3, 9)
THROUGH_LEFT_TO_HIGHER, THROUGH_LEFT, PARTNER_OVER_RIGHT, INTO_RIGHT, OPPONENTS_VOID = range(9, 14)
PER_CARD_OF_LONGER, PER_CARD_OF_OPPONENT, I_HOLD_SECOND, PARTNER_HOLDS_SECOND = range(14, 18)
LEAD_WINNER, LEAD_WINNER_UNDER_PARTNERS, LEAD_TOP_OF_SEQUENCE, LEAD_LOWEST, LEAD_MIDDLE = range(18, 23)
N_WEIGHTS: Final = 23

# Rows of the weights, by the side on lead.
AT_SUIT, AT_NO_TRUMP, THREE_AT_SUIT, THREE_AT_NO_TRUMP, MISERE_SIDE_0, MISERE_SIDE_1 = range(6)


def default_weights() -> Ints:
    """Return the tuned weights, a row a kind of game after the other, in the order of the names above."""
    # fmt: off
    rows = [
        [24, -1, -272, -191, -274, 68, -44, 8, 27, 53, 28, -17, -26, -151, 6, 29, -4, 42, 25, -26, 27, 17, -15],
        [124, -64, -142, -36, -305, 314, -13, -14, -24, 34, 53, 23, 1, -169, 34, 19, 91, 152, 31, 6, 22, 9, -14],
        [7, 27, -179, -110, -175, 95, -72, 27, 41, 184, 24, 12, -3, -151, 7, 39, 1, 78, 53, -21, 17, 6, 7],
        [-159, -263, 79, -135, -233, 122, -48, -8, -84, 133, 42, 52, 43, -105, 9, 18, 20, 57, 94, -21, 29, -9, 6],
        [417, -355, 365, 291, -293, -543, 1114, 98, -112, -372, -489, -143, 423, 255, -175, 321, -169, 18, 733, -1048,
         -79, 806, 168],
        [-459, 367, 1024, 1090, -333, 147, 814, -2, 0, 7, 42, 206, 282, -684, -1, 4, -6, -5, -32, 18, -45, -51, 24],
    ]
    # fmt: on
    return np.array(rows, dtype=np.int64).ravel()


@kernel
def named_move(card: int, named: int) -> int:
    """Return a move: a card, with the lane of the field that a led joker names (else 0) above it."""
    return card | card_lane(lowest_index(named)) << NAMED_SHIFT if named else card


@inlined_kernel
def order_leads(board: Ints, at: int, seat: int, hands: Hands, game: SearchRules, weights: Ints) -> None:
    """List the untried leads of a frame, best first.

    Args:
        board: the board, see position.py; the list and its length are written.
        at: the place on the board where the frame begins.
        seat: the seat that leads.
        weights: `default_weights()`.
    """
    trumps = game.trumps
    row = N_WEIGHTS * _row(seat, game)
    untried = peek(board, at + UNTRIED)
    count = 0
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        mine = hands.me & field
        if untried & mine == 0:
            continue
        partners = hands.partner & field
        left_cards = hands.left & field
        right_cards = hands.right & field
        against = left_cards | right_cards
        others = partners | against
        against_high = highest_bit(against)
        left_high = highest_bit(left_cards)
        right_high = highest_bit(right_cards)
        my_high = highest_bit(mine)
        partners_high = highest_bit(partners)
        base: int = 0
        if field == trumps:
            if against == 0:
                base += peek(weights, row + IDLE_TRUMP)
            else:
                drawn = max(my_high, partners_high) > against_high
                base += peek(weights, row + (DRAW_TRUMPS if drawn else CONCEDE_TRUMP))
        else:
            left_ruffs = left_cards == 0 and hands.left & trumps != 0
            right_ruffs = right_cards == 0 and hands.right & trumps != 0
            if left_ruffs:
                base += peek(weights, row + LEFT_RUFFS)
            if right_ruffs:
                base += peek(weights, row + RIGHT_RUFFS)
            if partners == 0 and hands.partner & trumps:
                base += peek(weights, row + (PARTNER_OVERRUFFED if right_ruffs else PARTNER_RUFFS))
            if not (left_ruffs or right_ruffs):
                if partners_high > against_high and partners_high > my_high:
                    base += peek(weights, row + PARTNER_HOLDS_TOP)
                elif my_high > against_high:
                    base += peek(weights, row + I_HOLD_TOP)
            if left_high > right_high:
                base += peek(weights, row + (THROUGH_LEFT_TO_HIGHER if partners_high > left_high else THROUGH_LEFT))
            elif right_high:
                base += peek(weights, row + (PARTNER_OVER_RIGHT if partners_high > right_high else INTO_RIGHT))
            else:
                base += peek(weights, row + OPPONENTS_VOID)
        base += max(popcount(mine), popcount(partners)) * peek(weights, row + PER_CARD_OF_LONGER)
        base -= max(popcount(left_cards), popcount(right_cards)) * peek(weights, row + PER_CARD_OF_OPPONENT)
        if against:
            second = highest_bit((mine | others) ^ against_high)
            if my_high == second:
                base += peek(weights, row + I_HOLD_SECOND)
            if partners_high == second:
                base += peek(weights, row + PARTNER_HOLDS_SECOND)
        first = True
        while mine:
            # The top of a run, and the run goes.
            card = highest_bit(mine)
            mine &= (1 << (highest_index(others & (card - 1)) + 1)) - 1
            if untried & card:
                if card > against_high:
                    score = base + peek(weights, row + (LEAD_WINNER_UNDER_PARTNERS if partners > card else LEAD_WINNER))
                elif first and hands.me & field & (card - 1) & ~mine:
                    score = base + peek(weights, row + LEAD_TOP_OF_SEQUENCE)
                elif mine == 0:
                    score = base + peek(weights, row + LEAD_LOWEST)
                else:
                    score = base + peek(weights, row + LEAD_MIDDLE)
                count = _insert(board, at, count, score, highest_index(card))
            first = False
    if trumps == NO_TRUMP_FIELD and untried & trumps:
        count = _joker_leads(board, at, count, hands, game.names, weights, row)
    poke(board, at + FIRST, count)
    poke(board, at + SECOND, 0)


@inlined_kernel
def _row(seat: int, game: SearchRules) -> int:
    if game.maximizer == 1:
        return MISERE_SIDE_0 if seat & 1 == 0 else MISERE_SIDE_1
    at_no_trump = 1 if game.trumps == NO_TRUMP_FIELD else 0
    return at_no_trump if game.trick_size == SEATS else THREE_AT_SUIT + at_no_trump


@inlined_kernel
def _joker_leads(board: Ints, at: int, count: int, hands: Hands, names: int, weights: Ints, row: int) -> int:
    """List the suits a led joker may name; of those that no other hand holds, one. One lead where it names none."""
    joker = hands.me & NO_TRUMP_FIELD
    score = peek(weights, row + IDLE_TRUMP) + peek(weights, row + LEAD_WINNER)
    empty_named = False
    for named in range(LANES if names else 1):
        if (hands.left | hands.partner | hands.right) & lane_field(named, NO_TRUMP_FIELD) == 0:
            if empty_named:
                continue
            empty_named = True
        count = _insert(board, at, count, score, named << LANE_SHIFT | highest_index(joker))
    return count


@inlined_kernel
def _insert(board: Ints, at: int, count: int, score: int, move: int) -> int:
    """Insert a lead into the sorted list of a frame; returns the new length."""
    word = (score + SCORE_BIAS) << SCORE_SHIFT | move
    place = at + LEADS + count
    while place > at + LEADS and peek(board, place - 1) < word:
        poke(board, place, peek(board, place - 1))
        place -= 1
    poke(board, place, word)
    return count + 1


@inlined_kernel
def next_lead(board: Ints, at: int) -> int:
    """The best listed lead that has not been ruled out, or 0: a card, with the lane that a joker names above it."""
    untried = peek(board, at + UNTRIED)
    index = peek(board, at + SECOND)
    count = peek(board, at + FIRST)
    move = 0
    while move == 0 and index < count:
        word = peek(board, at + LEADS + index)
        index += 1
        move = untried & (1 << (word & CARD_MASK))
        if move & NO_TRUMP_FIELD:
            move |= ((word >> LANE_SHIFT) & 3) << NAMED_SHIFT
    poke(board, at + SECOND, index)
    return move


FOLLOWING: Final = 1
RUFFING: Final = 2  # or discarding
LOSING: Final = 3  # misère

PER_CARD_DISCARDING: Final = 3
NEVER: Final = 1000


@inlined_kernel
def order_followers(board: Ints, at: int, seat: int, hands: Hands, game: SearchRules) -> None:
    """Sort a follower's legal cards into classes.

    Args:
        board: the board, see position.py; the classes are written.
        at: the place on the board where the frame begins.
        seat: the seat to play.
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
    """Return the card that a follower tries next, or 0 when all are tried or ruled out."""
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
    """Return the lowest card of the lane that can best spare one; a trump only if there is nothing else."""
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
