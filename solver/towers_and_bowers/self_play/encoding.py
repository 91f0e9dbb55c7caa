"""The view of a seat before a decision, as 304 numbers of 0 or 1.

| numbers | what |
|---|---|
| 7 | hand size, one-hot |
| 5 | decision, one-hot: first-round call, second-round call, discard, lead, follow |
| 5 | flags: dealer; bidder; there is a trump; the up-card was accepted; it was turned down |
| 5 | trump's suit in the up-card frame, one-hot; 4: none yet |
| 24 × 10 | masks: hand; up-card; up-card if the other surely holds it; cards the other may hold; own discard; cards \
played by the seat, by the other; of these, cards led by the seat, by the other; the card led to the trick under way |
| 4, 4 | suits of the trump frame in which the other, the seat itself, has failed to follow |
| 8, 8, 8 | one-hot: tricks of the seat; of the other; cards of each still to be played |
| 8 | one-hot: tricks that the seat still needs for its aim (bidder: more than half; else the rest + 1) |
| 2 | flags: the seat has all tricks so far; the other has |

The frames of cards are those of `environment`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

import numpy as np

from towerlab.solver.towers_and_bowers.self_play.environment import (
    CARDS,
    DECK,
    DISCARD,
    LARGEST_HAND,
    NO_TRUMP_YET,
    OVER,
    SECOND_CALL,
    SUIT_MASKS,
    Array,
    State,
    bits_of,
    contract,
    of_seat,
)

INPUTS: Final = 304
CRITIC_INPUTS: Final = INPUTS + 2 * CARDS


def inputs(state: State, xp: ModuleType = np) -> Array:
    """uint8[hands, 304]: what the seat to act sees, of its own cards and of what is public.

    Args:
        state: hands; of the other seat's cards nothing is read.
        xp: numpy or jax.numpy.
    """
    seat = state.turn
    other = 1 - state.turn
    is_dealer = state.turn == 1
    has_trump = state.trump != NO_TRUMP_YET
    accepted = state.trump == 0
    turned_down = (state.trump > 0) & has_trump | (state.decision == SECOND_CALL)
    hand = of_seat(state.hands, seat, xp)
    played = of_seat(state.played, seat, xp)
    others_played = of_seat(state.played, other, xp)
    taken = of_seat(state.tricks, seat, xp)
    lost = of_seat(state.tricks, other, xp)
    complete = taken + lost
    is_bidder = state.bidder == seat
    aim = xp.where(is_bidder, contract(state.size), state.size - contract(state.size) + 1)
    masks = (
        hand,
        state.up,
        _surely_held(state, seat, xp),
        possible_cards(state, seat, xp),
        xp.where(is_dealer, state.discard, 0),
        played,
        others_played,
        of_seat(state.leads, seat, xp),
        of_seat(state.leads, other, xp),
        state.led,
    )
    rows = len(state.size)
    parts = (
        _one_hot(state.size - 1, LARGEST_HAND, xp),
        _one_hot(state.decision, OVER, xp),
        xp.stack([is_dealer, is_bidder, has_trump, accepted, turned_down], axis=1),
        _one_hot(state.trump, NO_TRUMP_YET + 1, xp),
        bits_of(xp.stack(masks, axis=1), CARDS, xp).reshape(rows, CARDS * len(masks)),
        bits_of(of_seat(state.voids, other, xp), len(SUIT_MASKS), xp),
        bits_of(of_seat(state.voids, seat, xp), len(SUIT_MASKS), xp),
        *(
            _one_hot(count, LARGEST_HAND + 1, xp)
            for count in (taken, lost, state.size - complete, xp.maximum(aim - taken, 0))
        ),
        xp.stack([taken == complete, lost == complete], axis=1),
    )
    return xp.concatenate([part.astype(xp.uint8) for part in parts], axis=1)


def critic_inputs(state: State, xp: ModuleType = np) -> Array:
    """uint8[hands, 352]: the inputs of the seat to act, then the other's hand and the dealer's discard."""
    hidden = xp.stack([of_seat(state.hands, 1 - state.turn, xp), state.discard], axis=1)
    bits = bits_of(hidden, CARDS, xp).reshape(len(state.size), 2 * CARDS).astype(xp.uint8)
    return xp.concatenate([inputs(state, xp), bits], axis=1)


def possible_cards(state: State, seat: Array, xp: ModuleType = np) -> Array:
    """int32[hands]: the cards that the other player may hold, as far as the seat knows."""
    known = of_seat(state.hands, seat, xp) | state.played[:, 0] | state.played[:, 1]
    known = known | xp.where(seat == 1, state.discard, 0)
    up = xp.where(_surely_held(state, seat, xp) != 0, 0, state.up)
    voids = of_seat(state.voids, 1 - seat, xp)
    suits = sum(xp.where((voids >> number & 1) != 0, suit, 0) for number, suit in enumerate(SUIT_MASKS))
    return DECK & ~(known | up | suits)


def _surely_held(state: State, seat: Array, xp: ModuleType) -> Array:
    """int32[hands]: the up-card, where the seat is the non-dealer and the dealer has taken and not yet played it."""
    held = (state.trump == 0) & (state.decision > DISCARD) & (seat == 0)
    return xp.where(held, state.up & ~state.played[:, 1], 0)


def _one_hot(numbers: Array, count: int, xp: ModuleType) -> Array:
    """bool[hands, count]: no place is set where a number is out of range."""
    return numbers[:, None] == xp.arange(count)
