"""Hands played out by a policy, from any state, alternatives on the same random numbers.

A *contract* is a number: 0 to 3 the non-dealer bids in suit 0 to 3 of the up-card frame, 4 to 7 the dealer does; 0 and
4 are the up-card accepted.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.self_play.calls import frame_in_play_order
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACCEPT,
    LEAD,
    MOST_DECISIONS,
    NAME,
    OVER,
    PASS,
    SECOND_PASS,
    State,
    is_settled,
    of_seat,
    rows_of,
    select_hands,
    start,
    step,
)
from towerlab.solver.towers_and_bowers.self_play.network import Network, action_probabilities, choose
from towerlab.solver.two_hands.tablebase import load_tables, tricks_of_pairs

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


def play_out(policy: Network, state: State, random: np.random.Generator) -> State:
    """Return hands at their end, all decisions from here on being the policy's."""
    for _ in range(MOST_DECISIONS):
        if (state.decision == OVER).all():
            break
        shares = action_probabilities(policy, state)
        state = step(state, choose(shares, random.random(len(shares))))
    return state


def play_together(policy: Network, state: State, draws: Floats) -> State:
    """Return hands played until their result is settled between two tricks, all decisions being the policy's.

    Args:
        policy: a network with 30 outputs.
        state: hands before a decision, a multiple of the rows of `draws`: so many in turn share a row.
        draws: float64[deals, MOST_DECISIONS], uniform in [0, 1): what the policy does at each decision from here on.
    """
    arrays: list[Any] = [array.copy() for array in state]
    together = len(state.size) // max(1, len(draws))
    for decision in range(MOST_DECISIONS):
        now = State(*arrays)
        rows = np.flatnonzero((now.decision != OVER) & ~((now.decision == LEAD) & is_settled(now)))
        if not len(rows):
            break
        some = rows_of(now, rows)
        after = step(some, choose(action_probabilities(policy, some), draws[rows // together, decision]))
        for array, new in zip(arrays, after, strict=True):
            array[rows] = new
    return State(*arrays)


def final_tricks(state: State) -> Ints:
    """int64[hands]: the non-dealer's tricks of hands that are over or settled, the rest played with all cards seen."""
    tricks = state.tricks[:, 0].astype(np.int64)
    rows = np.flatnonzero(state.decision != OVER)
    rest = rows_of(state, rows)
    leader, follower = (frame_in_play_order(of_seat(rest.hands, seat)) for seat in (rest.turn, 1 - rest.turn))
    taken = tricks_of_pairs(load_tables(), leader, follower)
    left = np.bitwise_count(leader).astype(np.int64)
    tricks[rows] += np.where(rest.turn == 0, taken, left - taken)
    return np.asarray(tricks)
