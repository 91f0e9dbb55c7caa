"""Values of the cards of a battle: kernels on cards *as played* (a joker is the card it copies).

A player's battle is described by a profile, an int64 array: value, rank and double of each of the three cards when
played, then the battle total. A missing card (TW-9) is `NO_CARD`: value 0, rank -1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from towerlab.games.jit import kernel

Array = npt.NDArray[Any]

NO_CARD = -1
SKIRMISHES = 3
TEN = 8  # the rank from which cards count ten points

# Columns of a profile.
VALUE = 0
RANK = 3
IS_DOUBLE = 6
TOTAL = 9
PROFILE_SIZE = 10

# Sides of a battle, and of a skirmish that neither side wins.
LEADER = 0
FOLLOWER = 1
NO_SIDE = 2

# An outcome is a code in base 3: who adds after each skirmish, then who loses the battle (NO_SIDE: equal totals).
OUTCOMES = 81


@kernel
def card_points(card: int) -> int:
    """Points of a card that is no joker: 2..10 its number, J Q K A ten (TW-11)."""
    rank = card % 13
    return rank + 2 if rank < TEN else 10


@kernel
def profile_cards(shown: Array, profile: Array) -> None:
    """Fill a profile from the cards as played, in order (TW-12, TW-13, TW-16, TW-17).

    Args:
        shown: int64 [3], cards 0..51 as played, `NO_CARD` where none is.
        profile: int64 [PROFILE_SIZE], overwritten.
    """
    total = 0
    for k in range(SKIRMISHES):
        card = shown[k]
        profile[VALUE + k] = 0
        profile[RANK + k] = -1
        profile[IS_DOUBLE + k] = 0
        if card == NO_CARD:
            continue
        earlier = 1
        for j in range(k):
            if shown[j] == NO_CARD:
                continue
            if shown[j] // 13 == card // 13:
                earlier *= card_points(shown[j])
            if shown[j] % 13 == card % 13:
                profile[IS_DOUBLE + k] = 1
        value = earlier * card_points(card)
        profile[VALUE + k] = value
        profile[RANK + k] = card % 13
        total += value - (earlier if earlier > 1 else 0)  # earlier cards of the suit drop to nothing (TW-12)
    profile[TOTAL] = total


@kernel
def compare_cards(value: int, rank: int, other_value: int, other_rank: int, tens_only: bool) -> int:
    """1 if the first card wins the skirmish, -1 if the other does, 0 for a tie (TW-14)."""
    if value != other_value:
        return 1 if value > other_value else -1
    if tens_only and (rank < TEN or other_rank < TEN):
        return 0
    if rank != other_rank:
        return 1 if rank > other_rank else -1
    return 0


@kernel
def skirmish_winner(leader: Array, follower: Array, k: int, tens_only: bool) -> int:
    """`LEADER`, `FOLLOWER` or `NO_SIDE` wins skirmish k of two profiles (TW-14).

    Arrays: leader int64[PROFILE_SIZE], follower int64[PROFILE_SIZE].
    """
    won = compare_cards(leader[VALUE + k], leader[RANK + k], follower[VALUE + k], follower[RANK + k], tens_only)
    if won == 0:
        return NO_SIDE
    return LEADER if won > 0 else FOLLOWER


@kernel
def skirmish_adder(leader: Array, follower: Array, k: int, tens_only: bool) -> int:
    """Return who adds a pyramid after skirmish k: its loser, unless the loser's card is a double (TW-15, TW-16).

    Arrays: leader int64[PROFILE_SIZE], follower int64[PROFILE_SIZE].
    """
    winner = skirmish_winner(leader, follower, k, tens_only)
    if winner == LEADER and not follower[IS_DOUBLE + k]:
        return FOLLOWER
    if winner == FOLLOWER and not leader[IS_DOUBLE + k]:
        return LEADER
    return NO_SIDE


@kernel
def battle_loser(leader: Array, follower: Array) -> int:
    """Return the side with the lower total, ranks ignored; `NO_SIDE` when they are equal (TW-17, TW-18).

    Arrays: leader int64[PROFILE_SIZE], follower int64[PROFILE_SIZE].
    """
    if leader[TOTAL] == follower[TOTAL]:
        return NO_SIDE
    return LEADER if leader[TOTAL] < follower[TOTAL] else FOLLOWER


@kernel
def battle_outcome(leader: Array, follower: Array, tens_only: bool) -> int:
    """The outcome code of two whole profiles: base-3 digits who adds ×3, then who loses.

    Arrays: leader int64[PROFILE_SIZE], follower int64[PROFILE_SIZE].
    """
    code = 0
    for k in range(SKIRMISHES):
        code = 3 * code + skirmish_adder(leader, follower, k, tens_only)
    return 3 * code + battle_loser(leader, follower)


@kernel
def outcome_adder(outcome: int, k: int) -> int:
    """Return the side that adds after skirmish k (0..2) in an outcome code."""
    return (outcome // (27 if k == 0 else 9 if k == 1 else 3)) % 3


@kernel
def outcome_loser(outcome: int) -> int:
    """Return the side that loses the battle in an outcome code."""
    return outcome % 3


def profile_of(shown: list[int]) -> Array:
    """Return the profile of up to three cards as played: int64[PROFILE_SIZE]."""
    profile = np.zeros(PROFILE_SIZE, np.int64)
    profile_cards(np.array((shown + [NO_CARD] * SKIRMISHES)[:SKIRMISHES], np.int64), profile)
    return profile
