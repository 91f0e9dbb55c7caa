"""How does a fast player of Bowers sit in the interactive engine? It decides from the array in its view.

>>> from towerlab.games.bowers.engine import BowersGame
>>> game = BowersGame()
>>> random = np.random.default_rng(1)
>>> game.apply(game.chance(random))
>>> SeatedPlayer("novice", game.options).choose(game.view(game.to_act), random)["action"]
'call'
"""

import functools
from collections.abc import Iterator

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.bowers import BowersGame, BowersOptions
from towerlab.games.bowers.records import View
from towerlab.games.bowers.rules import PLAYERS, call_text, from_bid_order
from towerlab.games.bowers.state import BID, BURY, PHASE, STANDING, TO_ACT
from towerlab.games.cards import SUITS, card_text, card_texts, first_card, mask_cards, mask_text, suit_of
from towerlab.games.engine import require
from towerlab.games.jit import uncompiled
from towerlab.games.shuffling import shuffle_cards
from towerlab.games.transcript import Action
from towerlab.sim.batch import BatchRequest, Stream
from towerlab.sim.bowers.deciding import OUTSIDE, choose
from towerlab.sim.bowers.games import PLAYERS as KNOWN
from towerlab.sim.bowers.games import generators, seat_player
from towerlab.sim.choices import draw_number


class SeatedPlayer:
    """A player of the simulator in a seat of the engine: it decides by the same kernels, from its view alone.

    Args:
        name: ``"random"``, ``"novice"``, ``"pimc"`` or ``"pimc:32"``.
        options: the options of the rules.

    Raises:
        TowerlabError: rules that it cannot play.
    """

    def __init__(self, name: str, options: BowersOptions) -> None:
        self._kind, self._pimc = seat_player(name, options, np.random.default_rng(0))
        self._rules = options.rules()

    def choose(self, view: View, random: np.random.Generator) -> Action:
        """Return the record of its action."""
        state = np.array(view.array)
        if self._pimc is not None:
            self._pimc.random = random
            value, named = self._pimc.choose(state)
        else:
            value, named = uncompiled(choose)(state, self._kind, self._rules, random)
        return record_of(state, int(value), int(named))


def record_of(state: Ints, choice: int, named: int) -> Action:
    """Return a choice for `games.bowers.state.act` as a record of the engine."""
    player = int(state[TO_ACT])
    if state[PHASE] == BID:
        return {"action": "call", "player": player, "call": call_text(choice)}
    if state[PHASE] == BURY:
        return {"action": "bury", "player": player, "cards": mask_text(choice).split()}
    card = card_text(first_card(int(from_bid_order(choice, state[STANDING]))))
    return {"action": "play", "player": player, "card": card} | (
        {"names": SUITS[suit_of(named.bit_length() - 1)]} if named else {}
    )


def streams(request: BatchRequest) -> Iterator[Stream]:
    """Yield the random draws of each game of a batch in `simulate_units`."""
    deals, choices, *own = generators(request.seed)
    pack = np.array(mask_cards(request.options.deck), dtype=np.int64)
    kinds = [KNOWN[name.partition(":")[0]].kind for name in request.players]
    generators_of_players = [own[place] if kind == OUTSIDE else choices for place, kind in enumerate(kinds)]

    def drawn_by(unit: int, game: BowersGame) -> np.random.Generator:
        return generators_of_players[(require(game.to_act) - unit) % PLAYERS]

    def chance(game: BowersGame) -> Action:
        known = game.state().dealer
        dealer = int(draw_number(deals, PLAYERS)) if known is None else known
        shuffle_cards(pack, len(pack), deals)
        return {"action": "deal", "dealer": dealer, "pack": card_texts(pack.tolist())}

    for unit in range(request.first_unit, request.first_unit + request.units):
        yield Stream(chance, functools.partial(drawn_by, unit))
