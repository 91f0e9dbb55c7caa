"""How does a fast player of Towers sit in the interactive engine? Its view becomes the state that kernels read.

For example::

    towerlab play towers
"""

from collections.abc import Iterator

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.jit import uncompiled
from towerlab.games.towers import TowersOptions, parse_rank, rank_text
from towerlab.games.towers.records import View, record_of
from towerlab.games.towers.state import state_of
from towerlab.games.transcript import Action
from towerlab.sim.batch import BatchRequest, Stream, make_constant
from towerlab.sim.towers.games import PLAYERS, SEARCH_SAMPLES, choose, draw_packs, new_memory


class SeatedPlayer:
    """A player of the simulator in a seat of the engine: it decides by the same kernels, from its view alone.

    Args:
        name: the name of the player, one of `PLAYERS`.
        options: the options of the rules.
    """

    def __init__(self, name: str, options: TowersOptions) -> None:
        self._kind = PLAYERS[name].kind
        self._rules = options.rules()
        self._seats = options.n_players

    def choose(self, view: View, random: np.random.Generator) -> Action:
        """Return the record of the decision; its memory is its own, so that a seat at a table holds none."""
        memory = new_memory(self._seats, SEARCH_SAMPLES)
        action = uncompiled(choose)(self._kind, state_seen(view), self._rules, random, memory)
        return record_of(int(action), view.player)


def state_seen(view: View) -> Array:
    """Return a state with the unseen cards in any order in the other hands and the source: int64[6 + players, 53]."""
    unseen = [parse_rank(card) for card in view.unseen]
    hands = []
    for seat, count in enumerate(view.counts):
        held = [parse_rank(card) for card in (view.hand if seat == view.player else view.shown[seat])]
        hands.append(held + [unseen.pop() for _ in range(count - len(held))])
    assert len(unseen) == view.source
    return state_of(view.board.to_array(), hands, unseen, view.player, view.points)


def streams(request: BatchRequest) -> Iterator[Stream]:
    """Yield the random draws of each game of a batch in `simulate_games`."""
    seated = len(request.players)
    packs, first_players, choices = draw_packs(request.seed, request.units, seated, seated, request.options)
    for pack, first in zip(packs, first_players, strict=True):
        deal = {"action": "deal", "pack": [rank_text(int(value)) for value in pack], "first_player": int(first)}
        yield Stream(make_constant(deal), make_constant(choices))
