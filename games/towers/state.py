"""How does a kernel hold a game of Towers? As one array; and the kernels that move it on.

State: int64[6 + players, 53]. Its first four rows are the board (see `games.towers.rules`), so that a state can be
handed to whatever takes a board. The others:

    row PACK        values of the cards in the order in which they are dealt and drawn, from place 1 on;
                    place 0 says how many of them are dealt or drawn, the source is what remains
    row ON_TURN     place 0: the player on turn, `NOBODY` after the end; place 1 + p: the points of player p
    row HANDS + p   place 0: how many cards player p holds; place v: how many of value v = 1..13
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.jit import kernel, lean_kernel
from towerlab.games.towers.rules import COLUMNS, KING, MOST_PLACES, PACK_SIZE, open_columns, open_spans, resolve

HAND_SIZE: Final = 5
MOST_ACTIONS: Final = HAND_SIZE * MOST_PLACES

PACK: Final = COLUMNS
ON_TURN: Final = COLUMNS + 1
HANDS: Final = COLUMNS + 2
NOBODY: Final = -1


def new_state(n_players: int) -> Array:
    """Return the state before the deal, its pack unshuffled: int64[6 + players, 53]."""
    state = np.zeros((HANDS + n_players, PACK_SIZE + 1), dtype=np.int64)
    state[PACK, 1:] = sorted_pack()
    return state


def state_of(
    board: Array, hands: Sequence[Sequence[int]], source: Sequence[int], player: int, points: Sequence[int] = ()
) -> Array:
    """Return the state of a game under way.

    Args:
        board: int64[4, 53].
        hands: the values held by each player.
        source: the values still to be drawn, the next one first.
        player: the player on turn.
        points: the points of each player; none so far by default.
    """
    state = new_state(len(hands))
    state[:COLUMNS] = board
    for row, hand in enumerate(hands, HANDS):
        state[row, 0] = len(hand)
        for value in hand:
            state[row, value] += 1
    state[PACK, 0] = PACK_SIZE - len(source)
    state[PACK, PACK_SIZE + 1 - len(source) :] = source
    state[ON_TURN, 0] = player
    state[ON_TURN, 1 : 1 + len(points)] = points
    return state


def sorted_pack() -> Array:
    """int64[52]: four of each value."""
    return np.repeat(np.arange(1, KING + 1), 4).astype(np.int64)


@kernel
def deal(state: Array, first_player: int) -> None:
    """Clear the board and deal five cards each from the pack, singly, from the first player on (TR-2).

    Arrays: state int64[6 + players, 53].
    """
    state[:COLUMNS, 0] = 0
    state[ON_TURN:] = 0
    players = state.shape[0] - HANDS
    for i in range(HAND_SIZE * players):
        player = (first_player + i) % players
        take_card(state, HANDS + player, state[PACK, i + 1])
    state[PACK, 0] = HAND_SIZE * players
    state[ON_TURN, 0] = first_player


@lean_kernel
def take_card(state: Array, hand: int, value: int) -> None:
    """Put a card into the hand of a row of the state.

    Arrays: state int64[6 + players, 53].
    """
    state[hand, value] += 1
    state[hand, 0] += 1


@lean_kernel
def act(state: Array, action: int, rules: Array, log: Array) -> int:
    """Carry out a legal action of the player on turn, after a play draw (TR-3, TR-4); the turn passes. Points made.

    Arrays: state int64[6 + players, 53], rules int64[9], log int64[54, 3] or int64[0, 3].
    """
    player = state[ON_TURN, 0]
    made = resolve(state, action, rules, log)
    state[ON_TURN, 1 + player] += made
    value = action >> 3
    if value > 0:
        state[HANDS + player, value] -= 1
        state[HANDS + player, 0] -= 1
        drawn = state[PACK, 0]
        if drawn < PACK_SIZE:
            take_card(state, HANDS + player, state[PACK, drawn + 1])
            state[PACK, 0] = drawn + 1
    pass_turn(state)
    return made


@lean_kernel
def pass_turn(state: Array) -> None:
    """The next player clockwise who has cards; nobody when all hands are empty (TR-12).

    Arrays: state int64[6 + players, 53].
    """
    players = state.shape[0] - HANDS
    player = state[ON_TURN, 0]
    for _ in range(players):
        player += 1
        if player == players:
            player = 0
        if state[HANDS + player, 0] > 0:
            state[ON_TURN, 0] = player
            return
    state[ON_TURN, 0] = NOBODY


@lean_kernel
def copy_board(source: Array, target: Array) -> None:
    """Copy what is defined of a board, or of a state's board.

    Arrays: source int64[4, 53], target int64[4, 53].
    """
    for column in range(COLUMNS):
        for level in range(source[column, 0] + 1):
            target[column, level] = source[column, level]


@lean_kernel
def copy_state(source: Array, target: Array) -> None:
    """Copy a state into one of as many players; of board and pack only what still counts.

    Arrays: source int64[6 + players, 53], target int64[6 + players, 53].
    """
    copy_board(source, target)
    target[PACK, 0] = source[PACK, 0]
    for i in range(source[PACK, 0] + 1, PACK_SIZE + 1):
        target[PACK, i] = source[PACK, i]
    for row in range(ON_TURN, source.shape[0]):
        for i in range(KING + 1):
            target[row, i] = source[row, i]


@lean_kernel
def legal_actions(state: Array, rules: Array, actions: Array) -> int:
    """Write every legal action of the player on turn into int64[`MOST_ACTIONS`]; how many there are, never none.

    Cards come lowest first; a raze is legal only without a legal play (TR-4).

    Arrays: state int64[6 + players, 53], rules int64[9], actions int64[MOST_ACTIONS].
    """
    hand = state[HANDS + state[ON_TURN, 0]]
    spans = open_spans(state, rules)
    count = 0
    for value in range(1, KING + 1):
        if hand[value] == 0:
            continue
        places = open_columns(state, value) | spans
        for place in range(MOST_PLACES):
            if places >> place & 1:
                actions[count] = 8 * value + place
                count += 1
    if count == 0:
        for column in range(COLUMNS):
            actions[column] = column
        count = COLUMNS
    return count
