"""The play of a deal (TO-8): who plays when, what may be played, who wins a trick.

Positions are counted from declarer, clockwise: 0 declarer, 1 the left neighbour who leads, 2 dummy, 3 the right
neighbour. So 0 and 2 play against 1 and 3, wherever the vacant place was when the cards were dealt. Following and
winning are `games.tricks`, on play-order masks.
"""

from __future__ import annotations

from typing import Final

from towerlab.games.arrays import Ints
from towerlab.games.cards import to_play_order, to_printed, trump_field
from towerlab.games.jit import kernel
from towerlab.games.towie.auction import CALLERS
from towerlab.games.towie.dealing import DUMMY, HANDS
from towerlab.games.tricks import beats, field_of, legal_followers

LEADER: Final = 1
TRICKS: Final = 13


@kernel
def hand_at(position: int, declarer: int) -> int:
    """The hand (0 dealer's, 1 left, 2 right, 3 dummy's) at a position of the play, when that caller is declarer."""
    if position == 2:
        return DUMMY
    step = 0 if position == 0 else 1 if position == 1 else 2
    return (declarer + step) % CALLERS


@kernel
def caller_at(position: int, declarer: int) -> int:
    """The caller who chooses the card at a position: declarer plays dummy's hand as well."""
    return declarer if position == 2 else hand_at(position, declarer)


@kernel
def legal_cards(hand: int, led: int, strain: int) -> int:
    """Cards of a printed hand that may be played.

    Args:
        hand: printed mask, not empty.
        led: printed mask of the card led, 0 for the leader.
        strain: trump suit 0..3 or `NO_TRUMP`.
    """
    if led == 0:
        return hand
    field = field_of(to_play_order(led, strain, False), trump_field(strain))
    return to_printed(legal_followers(to_play_order(hand, strain, False), field), strain, False)


@kernel
def trick_winner(cards: Ints, leader: int, strain: int) -> int:
    """The position that wins a trick of four.

    Args:
        cards: printed masks of one card [4], by position.
        leader: position that led.
        strain: trump suit 0..3 or `NO_TRUMP`.
    """
    trumps = trump_field(strain)
    winner = leader
    best = to_play_order(cards[leader], strain, False)
    for step in range(1, HANDS):
        position = (leader + step) % HANDS
        card = to_play_order(cards[position], strain, False)
        if beats(card, best, trumps):
            winner = position
            best = card
    return winner
