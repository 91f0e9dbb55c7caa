"""Players of the simulator who sit in the interactive engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from towerlab.games.cards import (
    DECK_24,
    SUITS,
    TRUMP_FIELD,
    card_text,
    first_card,
    to_play_order,
    to_printed,
)
from towerlab.games.engine import Action, possible
from towerlab.games.jit import uncompiled
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions, View, shuffled_pack
from towerlab.games.tricks import field_of
from towerlab.sim.own import Act
from towerlab.sim.towers_and_bowers.players.catalogue import PLAYER_IDS, choose_play, plan_bids
from towerlab.sim.towers_and_bowers.players.equilibrium import with_card
from towerlab.sim.towers_and_bowers.players.knowledge import (
    NO_CARD,
    NO_SOLUTION,
    NO_SUIT,
    BidPlan,
    History,
    InfoState,
    SolvedGame,
    make_model,
    rules_of,
)


class KernelPlayer:
    """A player of the simulator in a seat of the engine, deciding by the same kernels.

    Args:
        player: one of `PLAYERS`.
        options: the match's.
        deal_values: W(0), …, W(7) as the player believes (`simulate_units`).
        solution: of the player `equilibrium` (`make_model`).

    Raises:
        TowerlabError: rules that the player cannot play.
    """

    def __init__(
        self,
        player: str,
        options: TowersAndBowersOptions,
        deal_values: tuple[float, ...],
        solution: SolvedGame = NO_SOLUTION,
    ) -> None:
        self._planned: BidPlan | None = None
        self._number = PLAYER_IDS[player]
        self._rules = rules_of(options).hand
        self._model = make_model(options, deal_values, solution)

    def act(self, view: View, legal: Sequence[Action], random: np.random.Generator) -> Action:
        """Return the bid, discard or play of the player, as a record."""
        if view.phase == Phase.PLAY:
            return {"action": "play", "player": view.player, "card": card_text(self._card(view, random))}
        plan = self._planned or self._plan(view, random)
        if view.phase == Phase.DISCARD:
            card = plan.discard if view.bidder == view.player else plan.discard_for_other
            return {"action": "discard", "player": view.player, "card": card_text(int(card))}
        if view.phase in (Phase.BID1_ND, Phase.BID1_D):
            return {"action": "accept" if plan.accepts else "pass", "player": view.player}
        if plan.names == NO_SUIT:
            return {"action": "pass", "player": view.player}
        return {"action": "name", "player": view.player, "suit": SUITS[plan.names]}

    def plan(self, view: View, random: np.random.Generator) -> None:
        """Draw what the player bids in this hand now, and not at every call."""
        self._planned = self._plan(view, random)

    def _plan(self, view: View, random: np.random.Generator) -> BidPlan:
        assert view.up_card is not None
        is_dealer = view.player == view.dealer
        return uncompiled(plan_bids)(self._number, view.hand, view.up_card, is_dealer, self._rules, self._model, random)

    def _card(self, view: View, random: np.random.Generator) -> int:
        assert view.trump is not None
        values = self._model.payoffs[view.n, int(view.bidder == view.player)]
        card = uncompiled(choose_play)(self._number, state_of(view), history_of(view), values, self._model, random)
        return first_card(int(to_printed(card, view.trump, True)))


def state_of(view: View) -> InfoState:
    """Return what a player who is to play a card has seen, as the kernels take it."""
    assert view.trump is not None
    trump = view.trump
    pool = int(to_play_order(DECK_24 & ~(view.hand | view.gone | view.opponent_holds), trump, True))
    for suit in view.opponent_voids:
        pool &= ~int(field_of(int(to_play_order(1 << 13 * suit, trump, True)), TRUMP_FIELD))
    return InfoState(
        n=view.n,
        taken=view.taken[view.player],
        hand=int(to_play_order(view.hand, trump, True)),
        sure=int(to_play_order(view.opponent_holds, trump, True)),
        pool=pool,
        led=0 if view.led is None else int(to_play_order(1 << view.led, trump, True)),
    )


def history_of(view: View) -> History:
    """Return the bids and plays so far, as the kernels take them."""
    assert view.trump is not None
    assert view.up_card is not None
    cards = 0
    for trick in view.tricks:
        cards = int(with_card(int(with_card(cards, trick.led)), trick.reply))
    if view.led is not None:
        cards = int(with_card(cards, view.led))
    return History(
        up=view.up_card,
        trump=view.trump,
        is_dealer=view.player == view.dealer,
        is_bidder=view.player == view.bidder,
        discard=NO_CARD if view.discard is None else view.discard,
        cards=cards,
    )


def take_step(match: Match, acts: tuple[Act, Act], random: np.random.Generator) -> None:
    """The next action of a match: chance, or the decision of the player whose turn it is."""
    if not take_chance(match, random):
        seat = match.to_act
        assert seat is not None
        match.apply(acts[seat](match.view(seat), (), random))


def take_chance(match: Match, random: np.random.Generator) -> bool:
    """The next starter, shuffle, declined cut or deal, if the match waits for one; whether it did."""
    may_begin = possible(match.verify_shuffle_starter)
    if match.phase == Phase.TURN:
        match.turn()
    elif match.phase == Phase.CUT:
        match.decline_cut()
    elif match.phase == Phase.DEAL:
        match.deal()
    elif match.phase in (Phase.STARTER, Phase.TOWER_OVER) and may_begin(shuffled_pack(random), 0):
        match.shuffle_starter(shuffled_pack(random), int(random.integers(2)))
    elif match.phase in (Phase.SHUFFLE, Phase.HAND_OVER, Phase.TOWER_OVER):
        match.shuffle(shuffled_pack(random))
    else:
        return False
    return True
