"""A whole game of Towers as arrays: hands, pack, points and whose turn it is, and the kernels that move it on."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.jit import kernel
from games.towers.kernel import COLUMNS, KING, PACK_SIZE, legal_places, new_board, open_columns, open_spans, play, raze

Array = NDArray[Any]

HAND_SIZE: Final = 5

# Places in `Table.counters`.
PLAYER: Final = 0  # on turn; NOBODY when the game is over
DRAWN: Final = 1  # cards of the pack that were dealt or drawn; the source is what remains
NOBODY: Final = -1


class Table(NamedTuple):
    """Everything on and around the table.

    Attributes:
        board: int64[4, 53], the layout of `games.towers.kernel`.
        hands: int64[players, 14]; ``hands[p, v]`` cards of value v = 1..13, ``hands[p, 0]`` cards in all.
        pack: int64[52], values in the order in which they are dealt and drawn.
        points: int64[players].
        counters: int64[2] at the places named in this file.
    """

    board: Array
    hands: Array
    pack: Array
    points: Array
    counters: Array


def new_table(n_players: int) -> Table:
    """A table before the deal."""
    return Table(
        new_board(),
        np.zeros((n_players, KING + 1), dtype=np.int64),
        np.zeros(PACK_SIZE, dtype=np.int64),
        np.zeros(n_players, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


def sorted_pack() -> Array:
    """int64[52]: four of each value."""
    return np.repeat(np.arange(1, KING + 1), 4).astype(np.int64)


@kernel
def deal(table: Table, first_player: int) -> None:
    """Clear the table and deal five cards each from the pack, singly, from the first player on (TR-2)."""
    table.board[:, 0] = 0
    table.hands[:] = 0
    table.points[:] = 0
    players = table.hands.shape[0]
    for i in range(HAND_SIZE * players):
        player = (first_player + i) % players
        table.hands[player, table.pack[i]] += 1
        table.hands[player, 0] += 1
    table.counters[DRAWN] = HAND_SIZE * players
    table.counters[PLAYER] = first_player


@kernel
def has_play(board: Array, hand: Array, rules: Array) -> bool:
    """Whether a hand can play at all; if not, its player razes (TR-4). A lower card fits wherever a higher one does."""
    if hand[0] == 0:
        return False
    if open_spans(board, rules) != 0:
        return True
    lowest = 1
    while hand[lowest] == 0:
        lowest += 1
    return open_columns(board, lowest, rules) != 0


@kernel
def play_card(table: Table, place: int, value: int, rules: Array, log: Array) -> int:
    """The player on turn plays a card he holds at a legal place, draws, and the turn passes (TR-3). Points made."""
    player = table.counters[PLAYER]
    table.hands[player, value] -= 1
    table.hands[player, 0] -= 1
    made = play(table.board, place, value, rules, log)
    table.points[player] += made
    drawn = table.counters[DRAWN]
    if drawn < PACK_SIZE:
        table.hands[player, table.pack[drawn]] += 1
        table.hands[player, 0] += 1
        table.counters[DRAWN] = drawn + 1
    pass_turn(table)
    return made


@kernel
def raze_tower(table: Table, column: int, rules: Array, log: Array) -> int:
    """The player on turn razes a tower and does not draw; the turn passes (TR-4, TR-11). Points made."""
    made = raze(table.board, column, rules, log)
    table.points[table.counters[PLAYER]] += made
    pass_turn(table)
    return made


@kernel
def pass_turn(table: Table) -> None:
    """The next player clockwise who has cards; nobody when all hands are empty (TR-12)."""
    players = table.hands.shape[0]
    player = table.counters[PLAYER]
    for _ in range(players):
        player += 1
        if player == players:
            player = 0
        if table.hands[player, 0] > 0:
            table.counters[PLAYER] = player
            return
    table.counters[PLAYER] = NOBODY


@kernel
def copy_table(source: Table, target: Table) -> None:
    """Copy a game onto a table of as many players; only what is defined of the board is copied."""
    for column in range(COLUMNS):
        for level in range(source.board[column, 0] + 1):
            target.board[column, level] = source.board[column, level]
    target.hands[:] = source.hands
    target.pack[:] = source.pack
    target.points[:] = source.points
    target.counters[:] = source.counters


@kernel
def legal_plays(table: Table, rules: Array, plays: Array) -> int:
    """Write every legal play of the player on turn as rows (place, value) of int64[≥ 104, 2]; how many there are."""
    hand = table.hands[table.counters[PLAYER]]
    count = 0
    for value in range(1, KING + 1):
        if hand[value] == 0:
            continue
        places = legal_places(table.board, value, rules)
        for place in range(COLUMNS + 4):
            if places >> place & 1:
                plays[count, 0] = place
                plays[count, 1] = value
                count += 1
    return count
