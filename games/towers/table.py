"""How does a kernel hold a game of Towers? As one array; and the kernels that move it on.

Table: int64[6 + players, 53]. Its first four rows are the board (see `games.towers.rules`), so that a table can be
handed to whatever takes a board. The others:

    row PACK        values of the cards in the order in which they are dealt and drawn, from place 1 on;
                    place 0 says how many of them are dealt or drawn, the source is what remains
    row ON_TURN        place 0: the player on turn, `NOBODY` after the end; place 1 + p: the points of player p
    row HANDS + p   place 0: how many cards player p holds; place v: how many of value v = 1..13
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.jit import kernel
from towerlab.games.towers.rules import COLUMNS, KING, MOST_PLACES, PACK_SIZE, open_columns, open_spans, resolve

Array = NDArray[Any]

HAND_SIZE: Final = 5
MOST_ACTIONS: Final = HAND_SIZE * MOST_PLACES

PACK: Final = COLUMNS
ON_TURN: Final = COLUMNS + 1
HANDS: Final = COLUMNS + 2
NOBODY: Final = -1


def new_table(n_players: int) -> Array:
    """Return a table before the deal, its pack unshuffled: int64[6 + players, 53]."""
    table = np.zeros((HANDS + n_players, PACK_SIZE + 1), dtype=np.int64)
    table[PACK, 1:] = sorted_pack()
    return table


def table_of(
    board: Array, hands: Sequence[Sequence[int]], source: Sequence[int], player: int, points: Sequence[int] = ()
) -> Array:
    """A table in the middle of a game.

    Args:
        board: int64[4, 53].
        hands: values held, by player.
        source: values still to be drawn, the next one first.
        player: on turn.
        points: by player; none so far by default.
    """
    table = new_table(len(hands))
    table[:COLUMNS] = board
    for row, hand in enumerate(hands, HANDS):
        table[row, 0] = len(hand)
        for value in hand:
            table[row, value] += 1
    table[PACK, 0] = PACK_SIZE - len(source)
    table[PACK, PACK_SIZE + 1 - len(source) :] = source
    table[ON_TURN, 0] = player
    table[ON_TURN, 1 : 1 + len(points)] = points
    return table


def sorted_pack() -> Array:
    """int64[52]: four of each value."""
    return np.repeat(np.arange(1, KING + 1), 4).astype(np.int64)


@kernel
def deal(table: Array, first_player: int) -> None:
    """Clear the table and deal five cards each from the pack, singly, from the first player on (TR-2).

    Arrays: table int64[6 + players, 53].
    """
    table[:COLUMNS, 0] = 0
    table[ON_TURN:] = 0
    players = table.shape[0] - HANDS
    for i in range(HAND_SIZE * players):
        player = (first_player + i) % players
        take_card(table, HANDS + player, table[PACK, i + 1])
    table[PACK, 0] = HAND_SIZE * players
    table[ON_TURN, 0] = first_player


@kernel
def take_card(table: Array, hand: int, value: int) -> None:
    """Put a card into the hand of a row of the table.

    Arrays: table int64[6 + players, 53].
    """
    table[hand, value] += 1
    table[hand, 0] += 1


@kernel
def act(table: Array, action: int, rules: Array, log: Array) -> int:
    """Carry out a legal action of the player on turn, after a play draw (TR-3, TR-4); the turn passes. Points made.

    Arrays: table int64[6 + players, 53], rules int64[9], log int64[54, 3] or int64[0, 3].
    """
    player = table[ON_TURN, 0]
    made = resolve(table, action, rules, log)
    table[ON_TURN, 1 + player] += made
    value = action >> 3
    if value > 0:
        table[HANDS + player, value] -= 1
        table[HANDS + player, 0] -= 1
        drawn = table[PACK, 0]
        if drawn < PACK_SIZE:
            take_card(table, HANDS + player, table[PACK, drawn + 1])
            table[PACK, 0] = drawn + 1
    pass_turn(table)
    return made


@kernel
def pass_turn(table: Array) -> None:
    """The next player clockwise who has cards; nobody when all hands are empty (TR-12).

    Arrays: table int64[6 + players, 53].
    """
    players = table.shape[0] - HANDS
    player = table[ON_TURN, 0]
    for _ in range(players):
        player += 1
        if player == players:
            player = 0
        if table[HANDS + player, 0] > 0:
            table[ON_TURN, 0] = player
            return
    table[ON_TURN, 0] = NOBODY


@kernel
def copy_board(source: Array, target: Array) -> None:
    """Copy what is defined of a board, or of a table's board.

    Arrays: source int64[4, 53], target int64[4, 53].
    """
    for column in range(COLUMNS):
        for level in range(source[column, 0] + 1):
            target[column, level] = source[column, level]


@kernel
def copy_table(source: Array, target: Array) -> None:
    """Copy a game onto a table of as many players; of board and pack only what still counts.

    Arrays: source int64[6 + players, 53], target int64[6 + players, 53].
    """
    copy_board(source, target)
    target[PACK, 0] = source[PACK, 0]
    for i in range(source[PACK, 0] + 1, PACK_SIZE + 1):
        target[PACK, i] = source[PACK, i]
    for row in range(ON_TURN, source.shape[0]):
        for i in range(KING + 1):
            target[row, i] = source[row, i]


@kernel
def legal_actions(table: Array, rules: Array, actions: Array) -> int:
    """Write every legal action of the player on turn into int64[`MOST_ACTIONS`]; how many there are, never none.

    Cards come lowest first; a raze is legal only without a legal play (TR-4).

    Arrays: table int64[6 + players, 53], rules int64[9], actions int64[MOST_ACTIONS].
    """
    hand = table[HANDS + table[ON_TURN, 0]]
    spans = open_spans(table, rules)
    count = 0
    for value in range(1, KING + 1):
        if hand[value] == 0:
            continue
        places = open_columns(table, value) | spans
        for place in range(MOST_PLACES):
            if places >> place & 1:
                actions[count] = 8 * value + place
                count += 1
    if count == 0:
        for column in range(COLUMNS):
            actions[column] = column
        count = COLUMNS
    return count
