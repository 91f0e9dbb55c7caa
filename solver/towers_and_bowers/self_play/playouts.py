"""Rollouts: deals played out by a policy, every alternative of a decision on the same deals.

A *contract* is a number: 0 to 3 the non-dealer bids in suit 0 to 3 of the up-card frame, 4 to 7 the dealer does; 0 and
4 are the up-card accepted.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.self_play.calls import frame_in_play_order
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACCEPT,
    FOLLOW,
    NAME,
    PASS,
    PLACES,
    SECOND_PASS,
    State,
    copied,
    next_choices,
    of_seat,
    select_hands,
    start,
    step,
)
from towerlab.solver.towers_and_bowers.self_play.network import Policy, act_by
from towerlab.solver.two_hands.tablebase import load_tables, rest_tricks

CONTRACTS: Final = 8
_STAY: Final = -1
_CALLS: Final = np.array(
    [
        [ACCEPT, _STAY, _STAY, _STAY],
        *([PASS, PASS, NAME + suit, _STAY] for suit in range(3)),
        [PASS, ACCEPT, _STAY, _STAY],
        *([PASS, PASS, SECOND_PASS, NAME + suit] for suit in range(3)),
    ]
)


def calls_to(contract: int) -> list[int]:
    """Return the calls that lead to a contract."""
    return [int(call) for call in _CALLS[contract] if call != _STAY]


def bid_contracts(size: int, hands: NDArray[np.int32], up: int, contract: Ints) -> State:
    """Return hands after the calls that lead to a contract: before the discard, or the first lead.

    Args:
        size: cards to each player.
        hands: int32[hands, 2], masks of the up-card frame, of the non-dealer and of the dealer.
        up: mask of the up-card.
        contract: int[hands], 0 to 7.
    """
    count = len(hands)
    state = start(np.full(count, size), hands, np.full(count, up, dtype=np.int32))
    for column in _CALLS[contract].T:
        state = select_hands(column != _STAY, step(state, np.maximum(column, 0)), state)
    return state


def draw_numbers(deals: int, random: np.random.Generator) -> Floats:
    """float64[deals, 19]: the random numbers of deals, one for each place in a hand.

    Places are the four calls, the discard and fourteen cards, so that alternatives of one deal have the same number for
    the same decision.
    """
    return random.random((deals, PLACES))


def play_out(policy: Policy, state: State, draws: Floats, together: int = 1, to_end: bool = True) -> State:
    """Return hands at their end, all decisions from here on being a policy's.

    Args:
        policy: makes all decisions.
        state: hands before a decision.
        draws: float64[hands / together, `PLACES`].
        together: so many rows in turn share their numbers.
        to_end: whether they are played on where no card left can change the result.
    """
    played = copied(state)
    rows = np.arange(len(state.size))
    while True:
        rows, places = next_choices(played, rows, to_end)
        if not len(rows):
            return played
        act_by(policy, played, rows, draws[rows // together, places])


def final_tricks(state: State) -> Ints:
    """int64[hands]: the non-dealer's tricks of hands that are over or settled, the rest played with all cards seen."""
    leads = np.where(state.decision == FOLLOW, 1 - state.turn, state.turn)
    leader, follower, led = (
        frame_in_play_order(cards)
        for cards in (of_seat(state.hands, leads), of_seat(state.hands, 1 - leads), state.led)
    )
    rest = rest_tricks(load_tables(), leader, follower, led)
    left = np.bitwise_count(leader | led).astype(np.int64)
    return np.asarray(state.tricks[:, 0] + np.where(leads == 0, rest, left - rest))
