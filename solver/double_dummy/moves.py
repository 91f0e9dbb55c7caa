"""Which cards to try and in which order: of neighbours in one hand only the highest, the most promising first.

The scores are sums of weights that were tuned on random deals for few visited nodes; they never change an answer.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from games.bits import highest_bit, popcount
from games.cards import NO_TRUMP_FIELD
from games.jit import kernel, lean_kernel
from games.tricks import legal_followers
from solver.double_dummy.layout import LANES, Ints, lane_field

MOST_MOVES: Final = 20
NAMED_SHIFT: Final = 58
"""A led joker names the suit to follow: its lane stands above the card."""

# Leads, by suit.
DRAW_TRUMPS: Final = 0
CONCEDE_TRUMP: Final = 1
IDLE_TRUMP: Final = 2
LEFT_RUFFS: Final = 3
RIGHT_RUFFS: Final = 4
PARTNER_RUFFS: Final = 5
PARTNER_OVERRUFFED: Final = 6
PARTNER_HOLDS_TOP: Final = 7
I_HOLD_TOP: Final = 8
THROUGH_LEFT_TO_HIGHER: Final = 9
THROUGH_LEFT: Final = 10
PARTNER_OVER_RIGHT: Final = 11
INTO_RIGHT: Final = 12
OPPONENTS_VOID: Final = 13
PER_OWN_CARD: Final = 14
PER_CARD_OF_LONGER: Final = 15
PER_CARD_OF_OPPONENT: Final = 16
SINGLETON: Final = 17
I_HOLD_SECOND: Final = 18
PARTNER_HOLDS_SECOND: Final = 19
# Leads, by card.
LEAD_WINNER: Final = 20
LEAD_WINNER_UNDER_PARTNERS: Final = 21
LEAD_TOP_OF_SEQUENCE: Final = 22
LEAD_LOWEST: Final = 23
LEAD_MIDDLE: Final = 24
# Followers.
OVERTAKE_LAST: Final = 25
OVERTAKE: Final = 26
PER_RANK_OVERTAKING: Final = 27
WIN: Final = 28
WIN_FOR_NOW: Final = 29
PER_RANK_WINNING: Final = 30
BY_RUFF: Final = 31
FOLLOW_LOW: Final = 32
PER_RANK_FOLLOWING: Final = 33
DISCARD: Final = 34
PER_RANK_DISCARDING: Final = 35
PER_CARD_DISCARDING: Final = 36
OVERTAKE_TO_WIN: Final = 37  # the hand that is still to play would beat the partner's card
OVERTAKE_IN_VAIN: Final = 38
WIN_BEFORE_PARTNER: Final = 39  # added when the partner, still to play, can win as well
FOR_NOW_BEFORE_PARTNER: Final = 40
N_WEIGHTS: Final = 41


# Situations of a follower.
LAST_OVER_PARTNER: Final = 0
OVER_PARTNER: Final = 1
OVER_PARTNER_IN_DANGER: Final = 2
ALONE: Final = 3
PARTNER_CAN_WIN: Final = 4

# Rows of the weights: who orders his moves by which.
AT_SUIT: Final = 0
AT_NO_TRUMP: Final = 1
MISERE_SIDE_0: Final = 2
MISERE_SIDE_1: Final = 3
THREE_AT_SUIT: Final = 4
THREE_AT_NO_TRUMP: Final = 5


def default_weights() -> Ints:
    """The tuned weights: a row a kind of game, columns by the indices above."""
    # fmt: off
    at_suit = [
        -5, -1, -272, -145, -196, 49, -44, 20, 27, 127, 28, -17, -26, -151, 2, 6, 21, 4, -4, 42,
        44, -26, 16, 17, -15,
        -14, -192, 6, 204, 58, 2, 35, -27, 2, 10, 2, 8, 135, -8, 67, 35,
    ]
    at_no_trump = [
        124, -64, -142, -36, -305, 314, -13, -27, -24, 26, 28, 23, 12, -169, 2, 6, -1, 4, 65, 152,
        31, 6, 12, -2, 6,
        -34, 130, 44, 163, 46, 2, 212, 1, 16, 75, 41, 89, 71, -209, -254, -62,
    ]
    misere_side_0 = [
        417, -355, 365, 291, -293, -543, 1114, 98, -112, -372, -489, -143, 423, 255, -56, -175, 321, -189, -169, 18,
        733, -1048, -79, 806, 168,
        -936, 687, 1381, -1, 627, 1940, -784, -294, -382, -523, -1518, -1034, 881, 2655, -2242, -982,
    ]
    misere_side_1 = [
        -459, 367, 1024, 1090, -333, 147, 814, -2, 0, 7, 42, 206, 282, -684, -2, -1, 4, 9, -6, -5,
        -32, 18, -45, -51, 24,
        376, 995, 44, 1, 499, 2255, 64, -1306, -146, -1175, -46, -92, 1782, -414, 514, -631,
    ]
    three_at_suit = [
        7, 45, -179, -182, -175, 95, -72, 27, 41, 132, 28, -17, -10, -151, 2, 7, 18, 4, 1, 78,
        53, -21, 17, 6, 7,
        -172, -127, 12, 14, 3, 3, 47, -93, 8, -20, 8, 10, 169, -79, -350, -831,
    ]
    three_at_no_trump = [
        -159, -263, 79, -135, -233, 122, -48, 8, -139, 133, 42, 18, 14, -105, 2, 9, 11, 4, 20, 31,
        94, 2, 24, 7, 6,
        40, -100, 46, 43, 30, 2, 134, -8, 7, 117, 198, 330, 301, -67, -59, 59,
    ]
    # fmt: on
    rows = [at_suit, at_no_trump, misere_side_0, misere_side_1, three_at_suit, three_at_no_trump]
    return np.array(rows, dtype=np.int64)


@kernel
def promote(moves: Ints, ply: int, count: int, move: int) -> None:
    """Bring a move to the front if it is among the ply's first `count`."""
    place = 0
    for index in range(1, count):
        if moves[ply, 0, index] == move:
            place = index
    while place > 0:
        moves[ply, 0, place] = moves[ply, 0, place - 1]
        place -= 1
        moves[ply, 0, place] = move


@lean_kernel
def lead_moves(
    moves: Ints, ply: int, me: int, left: int, partner: int, right: int, trumps: int, weights: Ints, row: int
) -> int:
    """Write the leads of `me`, best first, and return how many.

    Args:
        moves: output [PLIES, 2, MOST_MOVES]: moves and their scores.
        ply: the row to write.
        me, left, partner, right: the hands at the start of a trick.
        trumps: trump field.
        weights, row: `default_weights()` and the row that counts.
    """
    count = 0
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        mine = me & field
        if mine == 0:
            continue
        his = partner & field
        against = (left | right) & field
        others = his | against
        against_high = highest_bit(against)
        left_cards = left & field
        right_cards = right & field
        left_high = highest_bit(left_cards)
        right_high = highest_bit(right_cards)
        my_high = highest_bit(mine)
        his_high = highest_bit(his)
        base: int = 0
        if lane == 0:
            if against_high == 0:
                base += weights[row, IDLE_TRUMP]
            else:
                base += weights[row, DRAW_TRUMPS if max(my_high, his_high) > against_high else CONCEDE_TRUMP]
        else:
            left_ruffs = left_cards == 0 and left & trumps != 0
            right_ruffs = right_cards == 0 and right & trumps != 0
            if left_ruffs:
                base += weights[row, LEFT_RUFFS]
            if right_ruffs:
                base += weights[row, RIGHT_RUFFS]
            if his == 0 and partner & trumps:
                base += weights[row, PARTNER_OVERRUFFED if right_ruffs else PARTNER_RUFFS]
            if not (left_ruffs or right_ruffs):
                if his_high > against_high and his_high > my_high:
                    base += weights[row, PARTNER_HOLDS_TOP]
                elif my_high > against_high:
                    base += weights[row, I_HOLD_TOP]
            if left_high > right_high:
                base += weights[row, THROUGH_LEFT_TO_HIGHER if his_high > left_high else THROUGH_LEFT]
            elif right_high:
                base += weights[row, PARTNER_OVER_RIGHT if his_high > right_high else INTO_RIGHT]
            else:
                base += weights[row, OPPONENTS_VOID]
        length = popcount(mine)
        base += length * weights[row, PER_OWN_CARD]
        base += max(length, popcount(his)) * weights[row, PER_CARD_OF_LONGER]
        base -= max(popcount(left_cards), popcount(right_cards)) * weights[row, PER_CARD_OF_OPPONENT]
        if length == 1:
            base += weights[row, SINGLETON]
        if against_high:
            second = highest_bit((mine | his | left_cards | right_cards) ^ against_high)
            if my_high == second:
                base += weights[row, I_HOLD_SECOND]
            if his_high == second:
                base += weights[row, PARTNER_HOLDS_SECOND]
        first = True
        above = 0
        while mine:
            card = highest_bit(mine)
            mine ^= card
            if above == 0 or others & (above - 1) & -card:
                if card > against_high:
                    score = base + weights[row, LEAD_WINNER_UNDER_PARTNERS if his > card else LEAD_WINNER]
                elif first and mine and others & (card - 1) & -highest_bit(mine) == 0:
                    score = base + weights[row, LEAD_TOP_OF_SEQUENCE]
                elif mine == 0 or others & (card - 1) == 0:
                    score = base + weights[row, LEAD_LOWEST]
                else:
                    score = base + weights[row, LEAD_MIDDLE]
                if lane == 0 and trumps == NO_TRUMP_FIELD:
                    count = _joker_leads(moves, ply, count, card, score, left | partner | right)
                else:
                    count = _insert(moves, ply, count, card, score)
            above = card
            first = False
    return count


@lean_kernel
def _joker_leads(moves: Ints, ply: int, count: int, joker: int, score: int, others: int) -> int:
    """The suits a led joker may name; of those that nobody else holds, one."""
    empty_named = False
    for named in range(1, LANES):
        if others & lane_field(named, NO_TRUMP_FIELD) == 0:
            if empty_named:
                continue
            empty_named = True
        count = _insert(moves, ply, count, joker | named << NAMED_SHIFT, score)
    return count


@lean_kernel
def follow_moves(
    moves: Ints,
    ply: int,
    me: int,
    left: int,
    others: int,
    trumps: int,
    led: int,
    best: int,
    partner: int,
    partner_wins: bool,
    last: bool,
    weights: Ints,
    row: int,
) -> int:
    """Write the cards of a follower, best first, and return how many.

    Args:
        moves: output [PLIES, 2, MOST_MOVES]: moves and their scores.
        ply: the row to write.
        me, left: the hands of the follower and of the one on his left.
        others: all cards that may still win against his: the other hands and `best`.
        trumps: trump field.
        led: field to follow.
        best: the card that is winning.
        partner: the partner's hand when he plays after this follower, else 0.
        partner_wins: whether his side played it.
        last: whether he is the last to play.
        weights, row: `default_weights()` and the row that counts.
    """
    threat = 0 if last or left == 0 else highest_bit(legal_followers(left, led) & (led | trumps))
    situation = _situation(led, best, threat, partner, partner_wins, last, trumps)
    winning = weights[row, WIN]
    threatened = weights[row, WIN_FOR_NOW]
    per_rank = weights[row, PER_RANK_WINNING]
    if situation == PARTNER_CAN_WIN:
        winning += weights[row, WIN_BEFORE_PARTNER]
        threatened += weights[row, FOR_NOW_BEFORE_PARTNER]
    elif situation != ALONE:
        per_rank = weights[row, PER_RANK_OVERTAKING]
        threatened = weights[row, OVERTAKE_IN_VAIN]
        if situation == OVER_PARTNER_IN_DANGER:
            winning = weights[row, OVERTAKE_TO_WIN]
        else:
            winning = weights[row, OVERTAKE if situation == OVER_PARTNER else OVERTAKE_LAST]
            threatened = winning
    legal = me & led
    losing = weights[row, FOLLOW_LOW]
    per_rank_losing = weights[row, PER_RANK_FOLLOWING]
    per_card = 0
    following = legal != 0
    if not following:
        legal = me
        winning += weights[row, BY_RUFF]
        threatened += weights[row, BY_RUFF]
        losing = weights[row, DISCARD]
        per_rank_losing = weights[row, PER_RANK_DISCARDING]
        per_card = weights[row, PER_CARD_DISCARDING]
    count = 0
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        cards = legal & field
        if cards == 0:
            continue
        longest = popcount(cards) * per_card
        others_here = others & field
        above = 0
        while cards:
            card = highest_bit(cards)
            cards ^= card
            if above == 0 or others_here & (above - 1) & -card:
                rank = popcount(others_here & (card - 1))
                if card > best and (following or lane == 0):  # a trump on another suit is higher than all of it
                    score = (threatened if threat > card else winning) - rank * per_rank
                else:
                    score = losing - rank * per_rank_losing + longest
                count = _insert(moves, ply, count, card, score)
            above = card
    return count


@kernel
def _situation(led: int, best: int, threat: int, partner: int, partner_wins: bool, last: bool, trumps: int) -> int:
    """What a follower who can beat the best card has to think of."""
    if partner_wins:
        if last:
            return LAST_OVER_PARTNER
        return OVER_PARTNER_IN_DANGER if threat > best else OVER_PARTNER
    if partner:
        his = highest_bit(legal_followers(partner, led) & (led | trumps))
        if his > best and his > threat:
            return PARTNER_CAN_WIN
    return ALONE


@lean_kernel
def _insert(moves: Ints, ply: int, count: int, move: int, score: int) -> int:
    """Insert a move into the sorted list of a ply; returns the new length."""
    place = count
    while place > 0 and moves[ply, 1, place - 1] < score:
        moves[ply, 1, place] = moves[ply, 1, place - 1]
        moves[ply, 0, place] = moves[ply, 0, place - 1]
        place -= 1
    moves[ply, 0, place] = move
    moves[ply, 1, place] = score
    return count + 1
