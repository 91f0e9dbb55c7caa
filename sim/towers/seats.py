"""Players who sit in the interactive engine: a player's view as the table that the fast players look at."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.errors import TowerlabError, did_you_mean
from games.towers import TowersOptions, columns_of, parse_rank, rank_text
from games.towers.records import View
from games.towers.rules import COLUMNS, PACK_SIZE
from games.towers.table import HANDS, PACK, TURN, new_table
from games.transcript import Action
from sim.towers.games import BUILDER_WEIGHTS, PLAYERS, SEARCH_HORIZON, SEARCH_SAMPLES, choose, new_memory

Array = NDArray[Any]


class SeatedPlayer:
    """A player of the simulator in a seat of the engine: it decides by the same kernels, from its view alone.

    Args:
        name: one of `PLAYERS`.
        options: of the rules.

    Raises:
        TowerlabError: no such player.
    """

    def __init__(self, name: str, options: TowersOptions) -> None:
        if name not in PLAYERS:
            raise TowerlabError(f"unknown player {name!r}; {did_you_mean(name, PLAYERS)}")
        self._kind, self._rules = list(PLAYERS).index(name), options.rules()
        self._memory = new_memory(options.n_players, SEARCH_SAMPLES)
        self._weights, self._busy = np.array(BUILDER_WEIGHTS, dtype=np.float64), threading.Lock()

    def choose(self, view: View, random: np.random.Generator) -> Action:
        """The record of the decision."""
        table = table_of(view)
        with self._busy:
            action = choose(self._kind, table, self._rules, random, self._memory, self._weights, SEARCH_HORIZON)
        return record_of(int(action), view.player)


def record_of(action: int, player: int) -> Action:
    """A kernel's action as a record."""
    if action < 8:
        return {"action": "raze", "player": player, "column": action + 1}
    return {"action": "play", "player": player, "card": rank_text(action >> 3), "columns": list(columns_of(action & 7))}


def table_of(view: View) -> Array:
    """A table as the kernels know it, with the unseen cards in any order in the other hands and the source."""
    table = new_table(len(view.counts))
    table[:COLUMNS] = view.board.to_array()
    unseen = [parse_rank(card) for card in view.unseen]
    for seat, count in enumerate(view.counts):
        held = [parse_rank(card) for card in (view.hand if seat == view.player else view.shown[seat])]
        while len(held) < count:
            held.append(unseen.pop())
        table[HANDS + seat, 0] = count
        for value in held:
            table[HANDS + seat, value] += 1
    assert len(unseen) == view.source
    table[PACK, 0] = PACK_SIZE - view.source
    table[PACK, PACK_SIZE + 1 - view.source :] = unseen
    table[TURN, 0] = view.player
    table[TURN, 1 : 1 + len(view.points)] = view.points
    return table
