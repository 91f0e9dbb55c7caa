"""The two players' cards during a war: an int64 array [2, SEAT_SIZE] and the kernels that change it (TW-8..10, TW-19).

A shuffled deck is a set from which cards are drawn at random, so that no order has to be kept. Masks hold printed
cards (games/cards.py).

    0  DECK      not yet drawn
    1  HAND      drawn this battle and not yet played
    2  DISCARD   open to both
    3  BUILT     built into the tower
    4  SURE      drawn this battle for certain: the last cards of a deck, before its discards were shuffled
    5  SOURCE    what the other cards of this battle's hand were drawn from
    6  PLAYED    cards played this battle, forfeited skirmishes (TW-9, TW-13) included
    7..9         those cards, NO_CARD for a forfeit
    10..12       the same as played: a joker is the card it copies
"""

from __future__ import annotations

import numpy as np

from towerlab.games.bits import popcount
from towerlab.games.cards import JOKERS
from towerlab.games.jit import kernel
from towerlab.games.tower_war.battle import NO_CARD, SKIRMISHES, Array, profile_cards

DECK = 0
HAND = 1
DISCARD = 2
BUILT = 3
SURE = 4
SOURCE = 5
PLAYED = 6
CARD = 7
SHOWN = 10
SEAT_SIZE = 13
HAND_SIZE = 3


@kernel
def new_seats(deck_one: int, deck_two: int) -> Array:
    """Return both players before the first battle (TW-8): int64[2, SEAT_SIZE]."""
    seats = np.zeros((2, SEAT_SIZE), np.int64)
    seats[0, DECK] = deck_one
    seats[1, DECK] = deck_two
    clear_table(seats)
    return seats


@kernel
def clear_table(seats: Array) -> None:
    """No card played yet in this battle.

    Arrays: seats int64[2, SEAT_SIZE].
    """
    seats[:, PLAYED] = 0
    seats[:, CARD:] = NO_CARD


@kernel
def start_drawing(seats: Array, player: int) -> None:
    """Note what this battle's hand will be drawn from: it is what the opponent can know of it.

    Arrays: seats int64[2, SEAT_SIZE].
    """
    if popcount(seats[player, DECK]) < HAND_SIZE:
        seats[player, SURE] = seats[player, DECK]
        seats[player, SOURCE] = seats[player, DISCARD]
    else:
        seats[player, SURE] = 0
        seats[player, SOURCE] = seats[player, DECK]


@kernel
def drawable_cards(seats: Array, player: int) -> int:
    """Cards of which each is the next to be drawn with the same chance; 0 if there are none (TW-9).

    Arrays: seats int64[2, SEAT_SIZE].
    """
    return int(seats[player, DECK] if seats[player, DECK] else seats[player, DISCARD])


@kernel
def draw_card(seats: Array, player: int, card: int) -> None:
    """Draw a card; an empty deck is first made anew from the discard pile (TW-9).

    Arrays: seats int64[2, SEAT_SIZE].
    """
    if seats[player, DECK] == 0:
        seats[player, DECK] = seats[player, DISCARD]
        seats[player, DISCARD] = 0
    seats[player, DECK] &= ~(1 << card)
    seats[player, HAND] |= 1 << card


@kernel
def playable_cards(seats: Array, player: int) -> int:
    """Cards that may be played now: a joker only after a card it can copy (TW-13); 0 forfeits (TW-9, TW-13).

    Arrays: seats int64[2, SEAT_SIZE].
    """
    hand = int(seats[player, HAND])
    for k in range(seats[player, PLAYED]):
        if seats[player, SHOWN + k] != NO_CARD:
            return hand
    return hand & ~JOKERS


@kernel
def play_card(seats: Array, player: int, card: int, shown: int) -> None:
    """Play a card, or forfeit a skirmish with `NO_CARD`.

    Arrays: seats int64[2, SEAT_SIZE].
    """
    k = seats[player, PLAYED]
    seats[player, CARD + k] = card
    seats[player, SHOWN + k] = shown
    seats[player, PLAYED] = k + 1
    if card != NO_CARD:
        seats[player, HAND] &= ~(1 << card)


@kernel
def cards_on_table(seats: Array, player: int) -> int:
    """Return the cards that a player has played in this battle, as a mask.

    Arrays: seats int64[2, SEAT_SIZE].
    """
    cards = 0
    for k in range(seats[player, PLAYED]):
        if seats[player, CARD + k] != NO_CARD:
            cards |= 1 << seats[player, CARD + k]
    return cards


@kernel
def battle_cards(seats: Array, player: int) -> int:
    """A player's cards of this battle as a mask: one of them is what a loser builds in (TW-17).

    Arrays: seats int64[2, SEAT_SIZE].
    """
    return int(seats[player, HAND] | cards_on_table(seats, player))


@kernel
def clear_battle(seats: Array, loser: int, built: int) -> None:
    """End a battle: its cards go to the discard piles, except the one the loser built in (TW-17, TW-19).

    Args:
        loser: who stacked a card; anything when `built` is `NO_CARD`.
        built: that card, or `NO_CARD` after equal totals.

    Arrays: seats int64[2, SEAT_SIZE].
    """
    for player in range(2):
        cards = battle_cards(seats, player)
        if built != NO_CARD and player == loser:
            cards &= ~(1 << built)
            seats[player, BUILT] |= 1 << built
        seats[player, DISCARD] |= cards
        seats[player, HAND] = 0
    clear_table(seats)


@kernel
def profile_seat(seats: Array, player: int, profile: Array) -> None:
    """Fill the profile of what a player has played so far (see games/tower_war/battle.py).

    Arrays: seats int64[2, SEAT_SIZE], profile int64[PROFILE_SIZE].
    """
    profile_cards(seats[player, SHOWN : SHOWN + SKIRMISHES], profile)
