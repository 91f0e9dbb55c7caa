"""Which cards to try and in which order: of neighbours in one hand only the highest, the most promising first.

The scores are sums of weights that were tuned on random deals for few visited nodes; they never change an answer.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from games.bits import highest_bit, popcount
from games.cards import NO_TRUMP_FIELD
from games.jit import kernel
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
N_WEIGHTS: Final = 37


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
        1, -6, -186, -145, -177, 95, -72, 20, 36, 130, 28, -17, -10, -151, 2, 6, 18, 4, -4, 38,
        53, -21, 16, 17, -34,
        -14, 38, 11, 60, 3, 2, 35, -27, 6, -9, 2, 8,
    ]
    at_no_trump = [
        40, -28, -13, -29, -222, 44, -39, 8, 27, 20, 30, 18, 12, -98, 2, 6, -1, 4, 20, 45,
        24, 2, 8, 7, 6,
        -8, -20, 26, 60, 37, 2, 38, -5, 8, 2, 122, 98,
    ]
    leads_to_lose = [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -3, 0, 0, 10, 0, 0,
        -30, -30, 0, 20, 0,
    ]
    # fmt: on
    misere_side_0 = [*leads_to_lose, -20, -20, 2, -30, -10, -2, 0, 20, -4, 10, -4, 0]
    misere_side_1 = [*leads_to_lose, -10, -10, 2, -10, -10, 2, 0, 20, 4, 0, -2, 0]
    return np.array([at_suit, at_no_trump, misere_side_0, misere_side_1, at_suit, at_no_trump], dtype=np.int64)


@kernel
def promote(moves: Ints, ply: int, count: int, move: int) -> None:
    """Bring a move to the front if it is among the ply's first `count`."""
    for index in range(1, count):
        if moves[ply, 0, index] == move:
            while index > 0:
                moves[ply, 0, index] = moves[ply, 0, index - 1]
                index -= 1
            moves[ply, 0, 0] = move
            return


@kernel
def lead_moves(moves: Ints, ply: int, me: int, left: int, partner: int, right: int, trumps: int, weights: Ints) -> int:
    """Write the leads of `me`, best first, and return how many.

    Args:
        moves: output [PLIES, 2, MOST_MOVES]: moves and their scores.
        ply: the row to write.
        me, left, partner, right: the hands at the start of a trick.
        trumps: trump field.
        weights: a row of `default_weights()`.
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
        base = _suit_score(lane, mine, his, left, right, partner, field, trumps, weights)
        first = True
        above = 0
        while mine:
            card = highest_bit(mine)
            mine ^= card
            if above == 0 or others & (above - 1) & -card:
                if card > against_high:
                    score = base + weights[LEAD_WINNER_UNDER_PARTNERS if his > card else LEAD_WINNER]
                elif first and mine and others & (card - 1) & -highest_bit(mine) == 0:
                    score = base + weights[LEAD_TOP_OF_SEQUENCE]
                elif mine == 0 or others & (card - 1) == 0:
                    score = base + weights[LEAD_LOWEST]
                else:
                    score = base + weights[LEAD_MIDDLE]
                if lane == 0 and trumps == NO_TRUMP_FIELD:
                    count = _joker_leads(moves, ply, count, card, score, left | partner | right)
                else:
                    count = _insert(moves, ply, count, card, score)
            above = card
            first = False
    return count


@kernel
def _suit_score(
    lane: int, mine: int, his: int, left: int, right: int, partner: int, field: int, trumps: int, weights: Ints
) -> int:
    """How promising a suit is to lead; `mine` and `his` are the partners' cards in it."""
    left_cards = left & field
    right_cards = right & field
    left_high = highest_bit(left_cards)
    right_high = highest_bit(right_cards)
    against_high = max(left_high, right_high)
    my_high = highest_bit(mine)
    his_high = highest_bit(his)
    score: int = 0
    if lane == 0:
        if against_high == 0:
            score += weights[IDLE_TRUMP]
        else:
            score += weights[DRAW_TRUMPS if max(my_high, his_high) > against_high else CONCEDE_TRUMP]
    else:
        left_ruffs = left_cards == 0 and left & trumps != 0
        right_ruffs = right_cards == 0 and right & trumps != 0
        if left_ruffs:
            score += weights[LEFT_RUFFS]
        if right_ruffs:
            score += weights[RIGHT_RUFFS]
        if his == 0 and partner & trumps:
            score += weights[PARTNER_OVERRUFFED if right_ruffs else PARTNER_RUFFS]
        if not (left_ruffs or right_ruffs):
            if his_high > against_high and his_high > my_high:
                score += weights[PARTNER_HOLDS_TOP]
            elif my_high > against_high:
                score += weights[I_HOLD_TOP]
        if left_high > right_high:
            score += weights[THROUGH_LEFT_TO_HIGHER if his_high > left_high else THROUGH_LEFT]
        elif right_high:
            score += weights[PARTNER_OVER_RIGHT if his_high > right_high else INTO_RIGHT]
        else:
            score += weights[OPPONENTS_VOID]
    length = popcount(mine)
    score += length * weights[PER_OWN_CARD]
    score += max(length, popcount(his)) * weights[PER_CARD_OF_LONGER]
    score -= max(popcount(left_cards), popcount(right_cards)) * weights[PER_CARD_OF_OPPONENT]
    if length == 1:
        score += weights[SINGLETON]
    if against_high:
        second = highest_bit((mine | his | left_cards | right_cards) ^ against_high)
        if my_high == second:
            score += weights[I_HOLD_SECOND]
        if his_high == second:
            score += weights[PARTNER_HOLDS_SECOND]
    return score


@kernel
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


@kernel
def follow_moves(
    moves: Ints,
    ply: int,
    me: int,
    left: int,
    others: int,
    trumps: int,
    led: int,
    best: int,
    partner_wins: bool,
    last: bool,
    weights: Ints,
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
        partner_wins: whether his side played it.
        last: whether he is the last to play.
        weights: a row of `default_weights()`.
    """
    threat = 0 if last or left == 0 else highest_bit(legal_followers(left, led) & (led | trumps))
    if me & led:
        return _following(moves, ply, me & led, others & led, best, threat, partner_wins, last, weights)
    count = 0
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        cards = me & field
        length = popcount(cards)
        others_here = others & field
        above = 0
        while cards:
            card = highest_bit(cards)
            cards ^= card
            if above == 0 or others_here & (above - 1) & -card:
                rank = popcount(others_here & (card - 1))
                if lane == 0 and card > best:
                    score = _winning_score(card, rank, threat, partner_wins, last, weights) + weights[BY_RUFF]
                else:
                    score = (
                        weights[DISCARD] - rank * weights[PER_RANK_DISCARDING] + length * weights[PER_CARD_DISCARDING]
                    )
                count = _insert(moves, ply, count, card, score)
            above = card
    return count


@kernel
def _following(
    moves: Ints,
    ply: int,
    cards: int,
    others: int,
    best: int,
    threat: int,
    partner_wins: bool,
    last: bool,
    weights: Ints,
) -> int:
    """Write the cards of a follower who holds the suit led; `cards` and `others` are those of this suit."""
    count = 0
    above = 0
    while cards:
        card = highest_bit(cards)
        cards ^= card
        if above == 0 or others & (above - 1) & -card:
            rank = popcount(others & (card - 1))
            if card > best:  # a trump on another suit is higher than all of it
                score = _winning_score(card, rank, threat, partner_wins, last, weights)
            else:
                score = weights[FOLLOW_LOW] - rank * weights[PER_RANK_FOLLOWING]
            count = _insert(moves, ply, count, card, score)
        above = card
    return count


@kernel
def _winning_score(card: int, rank: int, threat: int, partner_wins: bool, last: bool, weights: Ints) -> int:
    """How promising it is to play a card that beats the best one."""
    if partner_wins:
        return weights[OVERTAKE_LAST if last else OVERTAKE] - rank * weights[PER_RANK_OVERTAKING]
    return weights[WIN_FOR_NOW if threat > card else WIN] - rank * weights[PER_RANK_WINNING]


@kernel
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
