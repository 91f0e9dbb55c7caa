"""Players who sit in the interactive engine: any class with `bid`, `discard` and `play`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from games.cards import (
    DECK_24,
    SUITS,
    TRUMP_FIELD,
    card_text,
    first_card,
    mask_cards,
    suit_of,
    to_play_order,
    to_printed,
)
from games.engine import Action, possible
from games.towers_and_bowers import Match, Phase, TowersAndBowersOptions, View, shuffled_pack
from games.tricks import field_of
from sim.own import OwnPlayer
from sim.towers_and_bowers.knowledge import (
    NO_CARD,
    NO_SOLUTION,
    PASS,
    BidPlan,
    History,
    InfoState,
    Solution,
    SolvedPlay,
    make_model,
    rules_of,
)
from sim.towers_and_bowers.players import PLAYER_IDS, choose_play, plan_bids
from sim.towers_and_bowers.solved_play import card_number, list_shares, with_card
from solver.towers_and_bowers.whole_hand.best_response import MOST_CHOICES


class Player(Protocol):
    """Who decides for a seat, shown that seat's `View` and nothing else."""

    def bid(self, view: View) -> int | None:
        """The suit to make trump (the up-card's accepts it), or None to pass."""

    def discard(self, view: View) -> int:
        """The card (id) to give for the up-card."""

    def play(self, view: View) -> int:
        """The card (id) to play, one of `view.legal`."""


class KernelPlayer:
    """A player of the simulator in a seat of the engine, deciding by the same kernels.

    Args:
        player: one of `PLAYERS`, or one of the user's that is made of kernels.
        options: the match's.
        deal_values: W(0), …, W(7) as the player believes (`simulate_units`).
        random: for players who toss coins.
        solution: of the player `equilibrium` (`make_model`).

    Raises:
        TowerlabError: rules that the player cannot play.
    """

    def __init__(
        self,
        player: str | OwnPlayer,
        options: TowersAndBowersOptions,
        deal_values: tuple[float, ...],
        random: np.random.Generator | None = None,
        solution: Solution = NO_SOLUTION,
    ) -> None:
        self.name = str(player)
        self._own = player.kernels if isinstance(player, OwnPlayer) else {}
        self._number = -1 if isinstance(player, OwnPlayer) else PLAYER_IDS[player]
        self._rules, self._model = rules_of(options), make_model(options, deal_values, solution)
        self.random = random or np.random.default_rng(0)

    def bid(self, view: View) -> int | None:
        """The suit to make trump, or None to pass."""
        plan = self._plan(view)
        if view.phase in (Phase.BID1_ND, Phase.BID1_D):
            return suit_of(view.up_card or 0) if plan.accepts else None
        return None if plan.names == PASS else int(plan.names)

    def discard(self, view: View) -> int:
        """The card (id) to give for the up-card."""
        plan = self._plan(view)
        return int(plan.discard if view.bidder == view.player else plan.discard_for_other)

    def play(self, view: View) -> int:
        """The card (id) to play."""
        assert view.trump is not None
        values = self._model.payoffs[view.n, int(view.bidder == view.player)]
        seen = state_of(view), history_of(view)
        if self._own:
            card = self._own["play"](*seen, self.random)
        else:
            card = choose_play(self._number, *seen, values, self._model, self.random)
        return first_card(int(to_printed(card, view.trump, True)))

    def act(self, view: View, legal: Sequence[Action], random: np.random.Generator) -> Action:
        """What the player bids, discards or plays, as a record."""
        self.random = random
        if view.phase in (Phase.PLAY, Phase.DISCARD):
            word, card = ("play", self.play) if view.phase == Phase.PLAY else ("discard", self.discard)
            return {"action": word, "player": view.player, "card": card_text(card(view))}
        suit = self.bid(view)
        word = "pass" if suit is None else "accept" if view.phase in (Phase.BID1_ND, Phase.BID1_D) else "name"
        return {"action": word, "player": view.player} | ({"suit": SUITS[suit or 0]} if word == "name" else {})

    def _plan(self, view: View) -> BidPlan:
        assert view.up_card is not None
        is_dealer = view.player == view.dealer
        seen = view.hand, view.up_card, is_dealer, self._rules
        if self._own:
            return self._own["bids"](*seen, self.random)  # type: ignore[no-any-return]
        return plan_bids(self._number, *seen, self._model, self.random)


def state_of(view: View) -> InfoState:
    """What a player who is to play a card has seen, as the kernels take it."""
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
    """How the hand has gone so far, as the kernels take it."""
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


def solved_shares(view: View, solved: SolvedPlay) -> dict[int, float] | None:
    """How likely the exact solution plays each legal card (id), by what the player has seen; None where none is stored.

    Args:
        view: of a player who is to play a card, in a hand of two or three.
        solved: the solution.
    """
    assert view.up_card is not None and view.trump is not None
    if solved.rows[view.n, view.up_card % 13, 0] < 0:
        return None
    cards, shares = np.empty(MOST_CHOICES, dtype=np.int64), np.empty(MOST_CHOICES)
    count = int(list_shares(state_of(view), history_of(view), solved, cards, shares))
    by_number = dict(zip(cards[:count].tolist(), shares[:count].tolist(), strict=True))
    legal = {card: by_number.get(int(card_number(card, view.up_card)), 0.0) for card in mask_cards(view.legal)}
    whole = sum(legal.values())
    return {card: share / whole for card, share in legal.items()} if whole > 0 else None


def take_step(match: Match, players: tuple[Player, Player], random: np.random.Generator) -> None:
    """The next action of a match: chance, or the decision of the player whose turn it is."""
    if not take_chance(match, random):
        _decide(match, players)


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


def _decide(match: Match, players: tuple[Player, Player]) -> None:
    """A bid, a discard or a card."""
    seat = match.to_act
    assert seat is not None
    view = match.view(seat)
    if match.phase == Phase.PLAY:
        match.play(players[seat].play(view))
    elif match.phase == Phase.DISCARD:
        match.discard(players[seat].discard(view))
    else:
        suit = players[seat].bid(view)
        if suit is None:
            match.pass_()
        elif match.phase in (Phase.BID1_ND, Phase.BID1_D) and suit == suit_of(view.up_card or 0):
            match.accept()
        else:
            match.name(suit)
