"""Who wins a battle of Tower War, and does the tower stand? Kernels on cards *as played* and on one tower.

A player's battle is described by a profile, an int64 array: value, rank and double of each of the three cards when
played (a joker is the card it copies), then the battle total. A missing card (TW-9) is `NO_CARD`: value 0, rank -1.

The tower and the stashes are one int64 array (TW-15..21)::

    0  LEVELS     cards in the tower, the base included
    1  TOP_SIZE   size of the pyramids on the top level, EMPTY when there are none
    2  TOP_COUNT  how many they are, 0..3
    3..5, 6..8    stash of player 0 and of player 1: large, medium, small
    9, 10         pyramids each player has placed in this battle

Between battles the top level is always empty: a decided battle caps it, a tied one takes its pyramids back.

>>> new_tower((5, 5, 5), (5, 5, 5)).tolist()
[1, -1, 0, 5, 5, 5, 5, 5, 5, 0, 0]
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from towerlab.games.errors import TowerlabError, quote_value
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

# Sizes of pyramids.
LARGE = 0
MEDIUM = 1
SMALL = 2
SIZE_LETTERS = "LMS"
EMPTY = -1
LEVEL_PYRAMIDS = 3

# Places of a tower's array.
LEVELS = 0
TOP_SIZE = 1
TOP_COUNT = 2
STASH = 3
PLACED = 9
TOWER_SIZE = 11

# Actions that can make the tower fall.
PLACE = 0
REMOVE = 1
STACK = 2
ADJUST = 3  # all pyramids of the top level; the engine alone knows it (TW-20)
# 45 pyramids make fifteen levels above the base; one more index for what lies beyond.
MAX_LEVELS = 16

# Columns of the hazard parameters.
KAPPA = 0
ALPHA = 2
SIGMA = 5
BETA = 8


@kernel
def card_points(card: int) -> int:
    """Return the points of a card that is no joker: 2..10 its number, J Q K A ten (TW-11)."""
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
    """Return the outcome code of two whole profiles: base-3 digits who adds ×3, then who loses.

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


@kernel
def stack_card(tower: Array) -> None:
    """A card on the full top level is a new, empty level, and ends the battle (TW-17).

    Arrays: tower int64[TOWER_SIZE].
    """
    tower[LEVELS] += 1
    tower[TOP_SIZE] = EMPTY
    tower[TOP_COUNT] = 0
    tower[PLACED] = 0
    tower[PLACED + 1] = 0


@kernel
def reset_tower(tower: Array) -> None:
    """An empty base level and nothing placed; the stashes stay as they are.

    Arrays: tower int64[TOWER_SIZE].
    """
    tower[LEVELS] = 0
    stack_card(tower)


@kernel
def stash_index(player: int, size: int) -> int:
    """Return where a tower array holds how many pyramids of a size a player has."""
    return STASH + 3 * player + size


@kernel
def addable_sizes(tower: Array, player: int) -> int:
    """Return the sizes a player could add now as a mask of bits 0..2; 0 if one must be added and cannot (TW-15, TW-21).

    Arrays: tower int64[TOWER_SIZE].
    """
    sizes = 0
    for size in range(3):
        if tower[stash_index(player, size)] > 0 and (tower[TOP_COUNT] == 0 or tower[TOP_SIZE] == size):
            sizes |= 1 << size
    return sizes


@kernel
def add_pyramid(tower: Array, player: int, size: int) -> None:
    """Move a pyramid from a stash to the top level (TW-15).

    Arrays: tower int64[TOWER_SIZE].
    """
    tower[stash_index(player, size)] -= 1
    tower[PLACED + player] += 1
    tower[TOP_SIZE] = size
    tower[TOP_COUNT] += 1


@kernel
def take_pyramid_back(tower: Array, player: int) -> None:
    """After equal totals a player takes one own pyramid of this battle back (TW-18).

    Arrays: tower int64[TOWER_SIZE].
    """
    tower[stash_index(player, tower[TOP_SIZE])] += 1
    tower[PLACED + player] -= 1
    tower[TOP_COUNT] -= 1
    if tower[TOP_COUNT] == 0:
        tower[TOP_SIZE] = EMPTY


@kernel
def fall_probability(hazard: Array, player: int, action: int, size: int, levels: int) -> float:
    """Chance that an action makes the tower fall.

    Args:
        hazard: `TowerWarOptions.hazard()`.
        player: whose hands.
        action: `PLACE`, `REMOVE` or `STACK`.
        size: of the pyramid handled, or of the three under the card stacked.
        levels: cards in the tower before the action.

    Arrays: hazard float64[9].
    """
    rate = hazard[KAPPA + player] * hazard[ALPHA + action] * hazard[SIGMA + size]
    return 1.0 - math.exp(-rate * float(levels) ** hazard[BETA])


@kernel
def fall_chances(hazard: Array) -> Array:
    """`fall_probability` for every [player, action, size, levels].

    Arrays: hazard float64[9].
    """
    values = np.zeros((2, 3, 3, MAX_LEVELS + 2))
    for player in range(2):
        for action in range(3):
            for size in range(3):
                for levels in range(1, MAX_LEVELS + 2):
                    values[player, action, size, levels] = fall_probability(hazard, player, action, size, levels)
    return values


def parse_size(text: str) -> int:
    """0, 1, 2 of ``L``, ``M``, ``S``.

    Raises:
        TowerlabError: none of these.
    """
    if text not in tuple(SIZE_LETTERS):
        raise TowerlabError(f"there is no pyramid of size {quote_value(text)}; expected L, M or S")
    return SIZE_LETTERS.index(text)


def new_tower(stash_one: tuple[int, ...], stash_two: tuple[int, ...]) -> Array:
    """Return a base card with nothing on it, and two stashes (large, medium, small): int64[TOWER_SIZE]."""
    tower = np.zeros(TOWER_SIZE, np.int64)
    tower[STASH : STASH + 6] = (*stash_one, *stash_two)
    reset_tower(tower)
    return tower
