"""Rollouts: deals played out by a policy, every alternative of a decision on the same deals.

A *contract* is a number: 0 to 3 the non-dealer bids in suit 0 to 3 of the up-card frame, 4 to 7 the dealer does; 0 and
4 are the up-card accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.self_play.calls import frame_in_play_order
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACCEPT,
    FOLLOW,
    NAME,
    PASS,
    PLACES,
    SECOND_PASS,
    State,
    act,
    contract,
    copied,
    next_choices,
    of_seat,
    payoffs,
    rows_of,
    select_hands,
    start,
    step,
    tower_winner,
)
from towerlab.solver.towers_and_bowers.self_play.network import Policy, act_by, action_probabilities
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


class Rollouts(NamedTuple):
    """Deals played to their end by a policy, arrays of [deals, alternatives].

    Attributes:
        won: float64, P(the non-dealer takes the tower).
        bidder: int64, the seat.
        made: bool, whether the bidder took the tricks of the contract.
        tricks: int64, the non-dealer's; -1 where the hand was played no further than to its result.
        sweeper: int64, the seat with all tricks, or -1.
        discard: int64, the dealer's, mask of the trump frame; 0 without.
    """

    won: Floats
    bidder: Ints
    made: Bools
    tricks: Ints
    sweeper: Ints
    discard: Ints


def roll_out(
    policy: Policy, state: State, alternatives: Ints, deal_values: Floats, draws: Floats, to_end: bool = False
) -> Rollouts:
    """Play every alternative on every deal, by the same random numbers.

    Args:
        policy: makes all decisions that are not forced.
        state: deals before a decision, all cards in their places.
        alternatives: int64[alternatives, steps], the actions that are forced first, in order; -1 after the last.
        deal_values: float64[7], W(n) at place n.
        draws: float64[deals, `PLACES`], uniform in [0, 1), as of `draw_numbers`.
        to_end: whether tricks are counted: hands then are played on after their result is settled.
    """
    deals = len(state.size)
    forced = np.asarray(alternatives, dtype=np.int64).reshape(len(alternatives), -1)
    hands = rows_of(state, np.repeat(np.arange(deals), len(forced)))
    _force(hands, forced)
    hands = play_out(policy, hands, draws, len(forced), to_end)
    shape = deals, len(forced)
    tricks = hands.tricks
    played = tricks.sum(axis=1) == hands.size
    made = of_seat(tricks, hands.bidder) >= contract(hands.size)
    return Rollouts(
        won=payoffs(hands, deal_values)[:, 0].reshape(shape),
        bidder=hands.bidder.reshape(shape),
        made=made.reshape(shape),
        tricks=np.where(played, tricks[:, 0], -1).reshape(shape),
        sweeper=tower_winner(hands).reshape(shape),
        discard=hands.discard.reshape(shape),
    )


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


@kernel
def _force(state: State, forced: Any) -> None:
    for row in range(len(state.size)):
        for action in forced[row % len(forced)]:
            if action < 0:
                break
            act(state, row, action)


def action_likelihoods(policy: Policy, state: State, actions: Sequence[int]) -> Floats:
    """float64[actions, hands]: how likely the policy makes each of some actions after those before it."""
    likelihoods = np.empty((len(actions), len(state.size)))
    for place, action in enumerate(actions):
        likelihoods[place] = action_probabilities(policy, state)[:, action]
        state = step(state, np.full(len(state.size), action))
    return likelihoods
