"""Players who sit in the interactive engine: a player's view as the array that the fast players look at."""

from __future__ import annotations

import threading

import numpy as np

from games.arrays import Ints
from games.bowers import BowersOptions
from games.bowers.bidding import PLAYERS, call_text
from games.bowers.dealing import from_bid_order, to_bid_order
from games.bowers.options import Rules
from games.bowers.records import Phase, View
from games.cards import SUIT_BITS, SUITS, card_text, mask_text, suit_of
from games.transcript import Action
from sim.bowers.deciding import decide
from sim.bowers.games import seat_player
from sim.bowers.table import (
    BID,
    BIDDER,
    BURIED,
    BURY,
    DEALER,
    DEALS,
    FACTOR,
    HANDS,
    LOG_BURY,
    LOG_CALL,
    NAMED,
    NO_LOG,
    PASSES,
    PHASE,
    PLAY,
    SCORES,
    STANDING,
    TAKEN,
    TO_ACT,
    new_log,
    new_state,
    play,
)

_PHASES = {Phase.BID: BID, Phase.BURY: BURY, Phase.PLAY: PLAY}


class SeatedPlayer:
    """A player of the simulator in a seat of the engine: he decides by the same kernels, from his view alone.

    Args:
        name: ``"random"``, ``"novice"``, ``"pimc"`` or ``"pimc:32"``.
        options: of the rules.

    Raises:
        TowerlabError: no such player, or rules that he cannot play.
    """

    def __init__(self, name: str, options: BowersOptions) -> None:
        seated = seat_player(name, options, np.random.default_rng(0))
        self._kind, self._pimc, self._rules = seated.kind, seated.outside, options.rules()
        self._busy = threading.Lock()

    def choose(self, view: View, random: np.random.Generator) -> Action:
        """The record of what he does."""
        state, log = state_of(view, self._rules), new_log(4)
        if self._pimc is not None:
            with self._busy:
                self._pimc.random = random
                self._pimc.decide(state, log)
        else:
            decide(state, self._kind, self._rules, random, log)
        _, _, value, named = (int(number) for number in log[1])
        kind = int(log[1, 0])
        if kind == LOG_CALL:
            return {"action": "call", "player": view.player, "call": call_text(value)}
        if kind == LOG_BURY:
            return {"action": "bury", "player": view.player, "cards": mask_text(value).split()}
        action = {"action": "play", "player": view.player, "card": card_text(value)}
        return action | ({"names": suit_of_field(named, view.call)} if named else {})


def suit_of_field(field: int, call: int) -> str:
    """The letter of a suit's field in play order."""
    printed = int(from_bid_order(field & -field, call))
    return SUITS[suit_of(printed.bit_length() - 1)]


def state_of(view: View, rules: Rules) -> Ints:
    """A table as the fast players know it, with nothing on it that this player has not seen (hands of others: none).

    Args:
        view: of the player whose turn it is.
        rules: of the options.
    """
    state = new_state()
    assert view.auction is not None and view.dealer is not None
    seat, auction = view.player, view.auction
    state[DEALER], state[FACTOR], state[DEALS] = view.dealer, view.factor, 1
    state[SCORES : SCORES + PLAYERS] = view.scores
    state[STANDING], state[PASSES] = auction.standing, auction.passes
    state[BIDDER] = -1 if auction.bidder is None else (state[DEALER] + 1 + auction.bidder) % PLAYERS
    state[PHASE], state[TO_ACT], state[BURIED] = _PHASES[view.phase], seat, view.buried
    if view.phase != Phase.PLAY:
        state[HANDS + seat] = view.hand
        return state
    bid = view.call
    for leader, cards, named in [(t.leader, t.cards, t.named) for t in view.tricks] + [
        (view.leader, view.plays, view.named)
    ]:
        assert leader is not None
        state[TO_ACT] = leader
        field = 0 if named is None else int(to_bid_order(SUIT_BITS << 13 * named, bid))
        for card in cards:
            play(state, int(to_bid_order(1 << card, bid)), field, rules, NO_LOG)
    state[HANDS : HANDS + PLAYERS] = 0
    state[HANDS + seat] = to_bid_order(view.hand, bid)
    state[TO_ACT] = seat
    assert view.taken == tuple(state[TAKEN : TAKEN + PLAYERS]) and state[NAMED] >= 0
    return state
