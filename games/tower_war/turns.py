"""The turns of a war: what it waits for after every draw, card and pyramid (TW-8..10, TW-15..19, TW-21).

Turn: int64[7].

    0  LOSER    of the war; NO_LOSER while it goes on, and in a draw
    1  REASON   how it ended; NO_REASON while it goes on
    2  BATTLE   number of the running battle, from 1
    3  LEADING   who leads it
    4  PHASE    what the war waits for, or OVER
    5  PLAYER   whose turn it is, or for whom cards are drawn
    6  OUTCOME  of the last battle whose totals were compared
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.bits import popcount
from towerlab.games.jit import kernel
from towerlab.games.tower_war.battle import (
    NO_CARD,
    NO_SIDE,
    PROFILE_SIZE,
    SKIRMISHES,
    Array,
    battle_outcome,
    outcome_loser,
    skirmish_adder,
)
from towerlab.games.tower_war.seats import (
    HAND,
    HAND_SIZE,
    PLAYED,
    battle_cards,
    clear_battle,
    play_card,
    playable_cards,
    profile_seat,
)
from towerlab.games.tower_war.tower import (
    LEVEL_PYRAMIDS,
    PLACE,
    PLACED,
    REMOVE,
    TOP_COUNT,
    add_pyramid,
    addable_sizes,
    stack_card,
    take_pyramid_back,
)

LOSER, REASON, BATTLE, LEADING, PHASE, PLAYER, OUTCOME = range(7)
# A pyramid is added, taken back, a card stacked: in the order of PLACE, REMOVE and STACK.
DRAWING, PLAYING, ADDING, TAKING_BACK, CAPPING, OVER = range(6)
NO_LOSER = NO_REASON = -1
BY_FALL, BY_STASH, BY_SHORT, BY_BATTLES = range(4)
REASONS: Final = ("fall", "stash", "short", "battles")


class War(NamedTuple):
    """A war as it stands, and the options that decide how it goes on.

    Attributes:
        seats, tower: int64 [2, SEAT_SIZE] and [TOWER_SIZE].
        turn: int64 [7].
        profiles: int64 [2, PROFILE_SIZE], of what both have played.
        max_battles, tens_only, short_loses: options.
    """

    seats: Array
    tower: Array
    turn: Array
    profiles: Array
    max_battles: int
    tens_only: bool
    short_loses: bool


@kernel
def start_war(seats: Array, tower: Array, max_battles: int, tens_only: bool, short_loses: bool) -> War:
    """Return a war between players who have sat down, its first battle led by player one (TW-8).

    Arrays: seats int64[2, SEAT_SIZE], tower int64[TOWER_SIZE].
    """
    turn = np.array([NO_LOSER, NO_REASON, 0, 1, OVER, 0, 0])
    war = War(seats, tower, turn, np.zeros((2, PROFILE_SIZE), np.int64), max_battles, tens_only, short_loses)
    start_battle(war)
    return war


@kernel
def start_battle(war: War) -> None:
    """The next battle, led by the other player (TW-8), or a draw after as many as were agreed."""
    turn = war.turn
    if turn[BATTLE] == war.max_battles:
        end_war(turn, NO_LOSER, BY_BATTLES)
        return
    turn[BATTLE] += 1
    turn[LEADING] = 1 - turn[LEADING]
    turn[PHASE], turn[PLAYER] = DRAWING, turn[LEADING]


@kernel
def end_war(turn: Array, loser: int, reason: int) -> None:
    """Nothing is waited for any more."""
    turn[PHASE] = OVER
    turn[LOSER] = loser
    turn[REASON] = reason


@kernel
def after_draw(war: War) -> None:
    """A hand has been drawn, the leader's first; less than three cards may lose the war (TW-9)."""
    turn = war.turn
    player = war.turn[PLAYER]
    if war.short_loses and popcount(war.seats[player, HAND]) < HAND_SIZE:
        end_war(turn, player, BY_SHORT)
    elif player == turn[LEADING]:
        turn[PHASE] = DRAWING
        turn[PLAYER] = 1 - player
    else:
        _next_card(war, False)


@kernel
def play(war: War, card: int, shown: int) -> None:
    """Play a card of the player on turn."""
    _lay(war, war.turn[PLAYER], card, shown)
    _next_card(war, True)


@kernel
def handle(war: War, action: int, size: int, card: int) -> None:
    """Place or remove a pyramid, or stack a card.

    Args:
        action: `PLACE`, `REMOVE` or `STACK`.
        size: of a pyramid that is placed.
        card: the one that is stacked.
    """
    player = war.turn[PLAYER]
    if action == PLACE:
        add_pyramid(war.tower, player, size)
    elif action == REMOVE:
        take_pyramid_back(war.tower, player)
    else:
        stack_card(war.tower)
        clear_battle(war.seats, player, card)


@kernel
def after_handling(war: War, action: int) -> None:
    """Nothing has fallen."""
    if action == PLACE:
        _next_card(war, False)
    elif action == REMOVE:
        _return_pyramids(war)
    else:
        start_battle(war)


@kernel
def _next_card(war: War, played: bool) -> None:
    """Wait for the next card, or for what comes before it; who has none to play forfeits the skirmish (TW-9, TW-13).

    Args:
        played: whether a card has just been played, so that somebody may have to add a pyramid (TW-15).
    """
    seats = war.seats
    turn = war.turn
    leader = war.turn[LEADING]
    while True:
        count = seats[0, PLAYED] + seats[1, PLAYED]
        if played and count % 2 == 0:
            side = skirmish_adder(war.profiles[leader], war.profiles[1 - leader], count // 2 - 1, war.tens_only)
            if side != NO_SIDE:
                _must_add(war, leader ^ side)
                return
        if count == 2 * SKIRMISHES:
            _end_battle(war)
            return
        player = leader ^ (count % 2)
        turn[PHASE] = PLAYING
        turn[PLAYER] = player
        if playable_cards(seats, player):
            return
        _lay(war, player, NO_CARD, NO_CARD)
        played = True


@kernel
def _lay(war: War, player: int, card: int, shown: int) -> None:
    play_card(war.seats, player, card, shown)
    profile_seat(war.seats, player, war.profiles[player])


@kernel
def _must_add(war: War, player: int) -> None:
    """Wait for a pyramid; without one that fits the war is lost (TW-15, TW-21)."""
    war.turn[PHASE] = ADDING
    war.turn[PLAYER] = player
    if not addable_sizes(war.tower, player):
        end_war(war.turn, player, BY_STASH)


@kernel
def _end_battle(war: War) -> None:
    """After three skirmishes equal totals take back (TW-18), the lower total fills the level and caps it (TW-17)."""
    turn = war.turn
    turn[OUTCOME] = battle_outcome(war.profiles[turn[LEADING]], war.profiles[1 - turn[LEADING]], war.tens_only)
    side = outcome_loser(turn[OUTCOME])
    loser = turn[LEADING] ^ side
    if side == NO_SIDE:
        _return_pyramids(war)
    elif war.tower[TOP_COUNT] < LEVEL_PYRAMIDS:
        _must_add(war, loser)
    else:
        turn[PHASE] = CAPPING
        turn[PLAYER] = loser
        if not battle_cards(war.seats, loser):
            end_war(turn, loser, BY_SHORT)


@kernel
def _return_pyramids(war: War) -> None:
    """The leader takes all of the own pyramids back, then the other; then the battle is over (TW-18)."""
    turn = war.turn
    for side in range(2):
        player = turn[LEADING] ^ side
        if war.tower[PLACED + player]:
            turn[PHASE] = TAKING_BACK
            turn[PLAYER] = player
            return
    clear_battle(war.seats, 0, NO_CARD)
    start_battle(war)
