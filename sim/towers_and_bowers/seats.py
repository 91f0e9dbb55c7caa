"""How is a player asked from outside of the simulator's kernels? In a seat of the engine, in many hands at once, or
about its bids.

`KernelPlayer` decides in the engine by the same kernels. A `Views` holds what one seat has seen in each of many hands:
a Python player with `probabilities` is given the `Views`; one with `act` is given the engine's `View` of one row after
another, which `view_at` makes. `dealer_plans` and `nondealer_plans` say how a player bids with each of many hands,
which `towerlab upcard --against` weighs layouts with.

    towerlab upcard --hand "JS AS" --up 9S --seat nondealer --against novice
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import (
    DECK_24,
    SUITS,
    TRUMP_FIELD,
    card_text,
    cards_mask,
    first_card,
    mask_cards,
    suit_of,
    to_play_order,
    to_printed,
)
from towerlab.games.engine import Action, make_can, require
from towerlab.games.jit import kernel, uncompiled
from towerlab.games.towers_and_bowers import HandRules, Match, Phase, TowersAndBowersOptions, View, shuffled_pack
from towerlab.games.towers_and_bowers.records import Call, HandState, MatchState, Trick
from towerlab.games.towers_and_bowers.rules import card_led_wins
from towerlab.games.towers_and_bowers.view import view_of
from towerlab.games.tricks import field_of
from towerlab.sim.own_players import Act, OwnPlayer, PlayerError
from towerlab.sim.towers_and_bowers.equilibrium import with_card
from towerlab.sim.towers_and_bowers.info_state import (
    NO_CARD,
    NO_SOLUTION,
    NO_SUIT,
    History,
    InfoState,
    Model,
    SolvedGame,
    make_model,
    rules_of,
)
from towerlab.sim.towers_and_bowers.players import (
    PLAYER_IDS,
    choose_play,
    follows_habits,
    habitual_bids,
    plan_bids,
    searched_bids,
)


class KernelPlayer:
    """A player of the simulator in a seat of the engine, deciding by the same kernels.

    Args:
        player: the name of the player, one of `PLAYERS`.
        options: the options of the match.
        deal_values: W(0), …, W(7) as the player believes (`simulate_units`).
        solution: the solved game of the player `equilibrium` (`make_model`).

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
        self._number = PLAYER_IDS[player]
        self._rules = rules_of(options).hand
        self._model = make_model(options, deal_values, solution)

    def act(self, view: View, legal: Sequence[Action], random: np.random.Generator) -> Action:
        """Return the bid, discard or play of the player, as a record."""
        if view.phase == Phase.PLAY:
            return {"action": "play", "player": view.player, "card": card_text(self._card(view, random))}
        deals = view.deals
        plan = uncompiled(plan_bids)(self._number, view.hand, view.up, deals, self._rules, self._model, random)
        if view.phase == Phase.DISCARD:
            card = plan.discard if view.bidder == view.player else plan.discard_for_other
            return {"action": "discard", "player": view.player, "card": card_text(int(card))}
        if view.phase in (Phase.BID1_ND, Phase.BID1_D):
            return {"action": "accept" if plan.accepts else "pass", "player": view.player}
        if plan.names == NO_SUIT:
            return {"action": "pass", "player": view.player}
        return {"action": "name", "player": view.player, "suit": SUITS[plan.names]}

    def _card(self, view: View, random: np.random.Generator) -> int:
        values = self._model.payoffs[view.n, int(view.bidder == view.player)]
        card = uncompiled(choose_play)(self._number, state_of(view), history_of(view), values, self._model, random)
        return first_card(int(to_printed(card, require(view.trump), True)))


def state_of(view: View) -> InfoState:
    """Return what a player who is to play a card has seen, as the kernels take it."""
    trump = require(view.trump)
    pool = int(to_play_order(DECK_24 & ~(view.hand | view.gone | view.opponent_holds), trump, True))
    for suit in view.opponent_voids:
        pool &= ~int(field_of(int(to_play_order(1 << 13 * suit, trump, True)), TRUMP_FIELD))
    return InfoState(
        n=view.n,
        taken=view.taken[view.player],
        hand=int(to_play_order(view.hand, trump, True)),
        opponent_holds=int(to_play_order(view.opponent_holds, trump, True)),
        pool=pool,
        led=0 if view.led is None else int(to_play_order(1 << view.led, trump, True)),
    )


def history_of(view: View) -> History:
    """Return the bids and plays so far, as the kernels take them."""
    cards = 0
    for trick in view.tricks:
        cards = int(with_card(int(with_card(cards, trick.led)), trick.reply))
    if view.led is not None:
        cards = int(with_card(cards, view.led))
    return History(
        up=view.up,
        trump=require(view.trump),
        is_dealer=view.deals,
        is_bidder=view.player == view.bidder,
        discard=NO_CARD if view.discard is None else view.discard,
        cards=cards,
    )


def take_step(match: Match, acts: tuple[Act, Act], random: np.random.Generator) -> None:
    """The next action of a match: a starter, shuffle, declined cut or deal, or the decision of the player on turn."""
    may_begin = make_can(match.verify_shuffle_starter)
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
        seat = require(match.to_act)
        match.apply(acts[seat](match.view(seat), (), random))


DEALER: Final = 1


class Views(NamedTuple):
    """The knowledge of one seat in many hands, a row each, before one kind of decision; cards are ids, sets masks.

    Attributes:
        phase: `Phase` as a text: ``"BID1-ND"``, ``"BID1-D"``, ``"BID2-ND"``, ``"BID2-D"``, ``"DISCARD"``, ``"PLAY"``.
        is_dealer: the seat.
        n: int64[rows], cards dealt to each player.
        up: int64[rows], the up-card.
        bidder: int64[rows], 1 the dealer, 0 the non-dealer, -1 nobody yet.
        trump: int64[rows], the suit, -1 before there is one.
        hand: int64[rows], the cards held.
        discard: int64[rows], the player's own, -1 where there is none.
        played: int64[rows, 2 n], the cards played in their order, -1 from there on.
        legal: int64[rows], the cards that may be played or discarded; 0 while it is bid.
        holds: int64[rows], cards the other surely holds.
        unseen: int64[rows], of which the other holds as many more as make up the hand.
        taken: int64[rows], the player's tricks.
    """

    phase: str
    is_dealer: bool
    n: Ints
    up: Ints
    bidder: Ints
    trump: Ints
    hand: Ints
    discard: Ints
    played: Ints
    legal: Ints
    holds: Ints
    unseen: Ints
    taken: Ints

    @property
    def columns(self) -> int:
        """The number of probabilities of a row: one for each call, or for each card of the largest hand."""
        calls = {Phase.BID1_ND: 2, Phase.BID1_D: 2, Phase.BID2_ND: 4, Phase.BID2_D: 3}
        return calls.get(Phase(self.phase)) or int(np.bitwise_count(self.hand).max(initial=1))

    @property
    def may(self) -> Bools:
        """bool[rows, columns]: the possible actions; cards count from the lowest of the hand."""
        if not self.legal.any():
            return np.ones((len(self.hand), self.columns), dtype=np.bool_)
        left = self.hand.copy()
        possible = np.empty((len(self.hand), self.columns), dtype=np.bool_)
        for column in range(self.columns):
            possible[:, column] = (left & -left & self.legal) != 0
            left &= left - 1
        return possible

    def at(self, rows: slice | Bools) -> Views:
        """Return some of the rows: a slice, or bool[rows]."""
        return Views(self.phase, self.is_dealer, *(array[rows] for array in self[2:]))


def bidding_views(hands: Ints, up: Ints | int, phase: Phase, bidder: Ints | int = -1) -> Views:
    """Return the `Views` of a call, or of a discard.

    Args:
        hands: int64[rows], printed masks.
        up, bidder: the up-card and the bidder of every row, or int64[rows].
        phase: the phase of the decision.
    """
    n = np.bitwise_count(hands).astype(np.int64)
    ups = np.zeros_like(hands) + up
    zeros = np.zeros_like(hands)
    is_discard = phase == Phase.DISCARD
    return Views(
        str(phase),
        phase not in (Phase.BID1_ND, Phase.BID2_ND),
        n,
        ups,
        zeros + bidder,
        ups // 13 if is_discard else zeros - 1,
        hands,
        zeros - 1,
        np.full((len(hands), 2 * int(n.max(initial=1))), -1),
        hands if is_discard else zeros,
        zeros,
        DECK_24 & ~(hands | np.left_shift(1, ups)),
        zeros,
    )


def view_at(views: Views, row: int, options: TowersAndBowersOptions) -> View:
    """The view of one row as the engine would show it, the non-dealer being player 0, in the first hand of a match."""
    seat = int(views.is_dealer)
    phase = Phase(views.phase)
    n, up, bidder, trump, held = (int(array[row]) for array in views[2:7])
    played = [int(card) for card in views.played[row] if card >= 0]
    tricks = []
    leader = 0
    for led, reply in zip(played[::2], played[1::2], strict=False):
        winner = leader if card_led_wins(1 << led, 1 << reply, trump) else 1 - leader
        tricks.append(Trick(leader, led, reply, winner))
        leader = winner
    accepted = trump == suit_of(up)
    discards = phase == Phase.DISCARD
    led = len(played) % 2 == 1
    others = cards_mask(range(n - len(tricks) - (led and leader != seat)))  # which cards these are nobody looks at
    hand = HandState(
        n,
        DEALER,
        (held, others) if seat == 0 else (others, held),
        up,
        (),
        leader,
        _calls(phase, bidder, trump, accepted),
        None if trump < 0 else trump,
        None if bidder < 0 else bidder,
        None if discards or not accepted else 0 if seat == 0 else int(views.discard[row]),
        tuple(tricks),
        played[-1] if led else None,
    )
    legal = int(views.legal[row]) if phase == Phase.PLAY else 0
    return view_of(MatchState(phase, (0, 0), n, DEALER, hand=hand), seat, seat, legal, options)


def _calls(phase: Phase, bidder: int, trump: int, accepted: bool) -> tuple[Call, ...]:
    """Return the bidding that led there."""
    passes = {Phase.BID1_ND: 0, Phase.BID1_D: 1, Phase.BID2_ND: 2, Phase.BID2_D: 3}
    if phase in passes:
        return tuple(Call(place % 2, "pass") for place in range(passes[phase]))
    before = bidder if accepted else 2 + bidder
    last = Call(bidder, "accept") if accepted else Call(bidder, "name", trump)
    return (*(Call(place % 2, "pass") for place in range(before)), last)


def views_of(view: View) -> Views:
    """Return one row: what a view shows of a hand, before a decision of that player's."""
    played = [card for trick in view.tricks for card in (trick.led, trick.reply)]
    played += [] if view.led is None else [view.led]
    row = np.full((1, 2 * view.n), -1)
    row[0, : len(played)] = played
    legal = view.legal if view.phase == Phase.PLAY else view.hand if view.phase == Phase.DISCARD else 0
    unseen = DECK_24 & ~(view.hand | view.gone | view.opponent_holds)
    if view.phase == Phase.PLAY:
        unseen = int(to_printed(state_of(view).pool, require(view.trump), True))
    return Views(
        str(view.phase),
        view.deals,
        np.array([view.n]),
        np.array([view.up]),
        np.array([-1 if view.bidder is None else int(view.bidder == view.dealer)]),
        np.array([-1 if view.trump is None else view.trump]),
        np.array([view.hand]),
        np.array([-1 if view.discard is None else view.discard]),
        row,
        np.array([legal]),
        np.array([view.opponent_holds]),
        np.array([unseen]),
        np.array([view.taken[view.player]]),
    )


def actions_of(views: Views, row: int) -> tuple[Action, ...]:
    """Return the possible actions of one row, as records, in the order of its columns."""
    seat = int(views.is_dealer)
    up = suit_of(int(views.up[row]))
    match Phase(views.phase):
        case Phase.BID1_ND | Phase.BID1_D:
            return {"action": "accept", "player": seat}, {"action": "pass", "player": seat}
        case Phase.BID2_ND | Phase.BID2_D:
            names = [{"action": "name", "player": seat, "suit": SUITS[suit]} for suit in range(4) if suit != up]
            return (*names, *([{"action": "pass", "player": seat}] if seat == 0 else []))
        case phase:
            word = "discard" if phase == Phase.DISCARD else "play"
            cards = mask_cards(int(views.legal[row]))
            return tuple({"action": word, "player": seat, "card": card_text(card)} for card in cards)


class PythonPlayer:
    """A Python player that decides by `Views`.

    Args:
        player: the class, object or function of the player.
        options: the options of the rules.
    """

    def __init__(self, player: OwnPlayer, options: TowersAndBowersOptions) -> None:
        self.player = player
        self._options = options
        self._random = np.random.default_rng(0)
        self._object = player.make_player()
        self._act = None if player.takes_arrays else player.seat()

    def action_probabilities(self, views: Views) -> Floats:
        """float64[rows, `Views.columns`]: the probability of each action.

        Raises:
            PlayerError: an impossible answer, or a player with `act` that randomises.
        """
        may = views.may
        if self._act is None:
            answer = self.player.ask(self._object.probabilities, views)
            shares = self.player.read_probabilities(answer, may.shape, views.at(slice(0, 1)))
            if (shares[~may] > 0).any():
                row = int(np.argmax((shares * ~may).any(axis=1)))
                what = f"does what is not possible: {shares[row].tolist()}"
                raise PlayerError(f"the player {self.player} {what}; expected 0 but for {actions_of(views, row)}")
            return shares
        shares = np.zeros(may.shape)
        before = self._random.bit_generator.state
        for row in range(len(may)):
            legal = actions_of(views, row)
            action = self._act(view_at(views, row, self._options), legal, self._random)
            shares[row, np.flatnonzero(may[row])[legal.index(action)]] = 1.0
        check_draws(self.player, self._random.bit_generator.state != before)
        return shares

    def act(self, view: View, legal: Sequence[Action], random: np.random.Generator) -> Action:
        """Return the action of the player at the table, where nothing is claimed and every player follows suit."""
        views = views_of(view)
        possible = tuple(action | {"player": view.player} for action in actions_of(views, 0))
        if self._act is not None:
            return self._act(view, legal or possible, random)
        shares = self.action_probabilities(views)[views.may]
        return possible[int(random.choice(len(shares), p=shares / shares.sum()))]


def check_draws(player: object, drawn: bool) -> None:
    """Refuse a player that has randomised where all that it would do is listed.

    Raises:
        PlayerError: it has.
    """
    if drawn:
        raise PlayerError(f"the player {player} randomises; expected probabilities(views), with arrays")


def act_of(
    player: str | OwnPlayer, options: TowersAndBowersOptions, deal_values: tuple[float, ...], solution: SolvedGame
) -> Act:
    """Return the decisions of a player in one seat of a match; the arguments are those of `KernelPlayer`."""
    if isinstance(player, OwnPlayer):
        return PythonPlayer(player, options).act
    return KernelPlayer(player, options, deal_values, solution).act


Shares = Floats
ReadyPlayer = str | PythonPlayer


def ready_player(player: str | OwnPlayer, options: TowersAndBowersOptions) -> ReadyPlayer:
    """Return a player ready to decide: a name of `PLAYERS` as it is, a Python player under these rules."""
    if isinstance(player, str):
        return player
    return PythonPlayer(player, dataclasses.replace(options, claims="off"))


def nondealer_plans(player: ReadyPlayer, hands: Ints, up: int, rules: HandRules, model: Model) -> tuple[Shares, Shares]:
    """Return how a non-dealer bids with each hand.

    Args:
        player: the player that `ready_player` returns.
        hands: int64[hands], printed masks of equal size.
        up: the up-card.
        rules, model: the rules by which the game is played, and the model of the players.

    Returns:
        P(accepting), float64[hands]; of the second round float64[hands, 4]: the suits in order of id, then a pass.
    """
    if isinstance(player, PythonPlayer):
        first, second = (bidding_views(hands, up, phase) for phase in (Phase.BID1_ND, Phase.BID2_ND))
        return player.action_probabilities(first)[:, 0], player.action_probabilities(second)
    if player == "random":
        return np.full(len(hands), 0.5), np.full((len(hands), 4), 0.25)
    plans = _plans(player, hands, up, False, rules, model)
    return plans[:, 0].astype(np.float64), one_hot(_suit_places(plans[:, 1], up), 4)


def dealer_plans(
    player: ReadyPlayer, hands: Ints, up: int, rules: HandRules, model: Model
) -> tuple[Shares, Shares, Shares, Shares]:
    """Return how a dealer who has to name bids with each hand; arguments as for `nondealer_plans`.

    Returns:
        Discard when the other has accepted, float64[hands, n], from the lowest card; P(accepting) after a
        pass; the discard then; the suit named after two passes, float64[hands, 3].
    """
    n = int(hands[0]).bit_count()
    if isinstance(player, PythonPlayer):
        questions = ((Phase.DISCARD, 0), (Phase.DISCARD, 1), (Phase.BID1_D, -1), (Phase.BID2_D, -1))
        for_other, own, first, last = (
            player.action_probabilities(bidding_views(hands, up, phase, bidder)) for phase, bidder in questions
        )
        return for_other, first[:, 0], own, last
    if player == "random":
        alike = np.full((len(hands), n), 1 / n)
        return alike, np.full(len(hands), 0.5), alike, np.full((len(hands), 3), 1 / 3)
    plans = _plans(player, hands, up, True, rules, model)
    discards = [one_hot(np.bitwise_count(hands & ((1 << plans[:, place]) - 1)), n) for place in (3, 2)]
    return discards[0], plans[:, 0].astype(np.float64), discards[1], one_hot(_suit_places(plans[:, 1], up), 3)


def _plans(player: str, hands: Ints, up: int, is_dealer: bool, rules: HandRules, model: Model) -> Ints:
    """int64[hands, 4]: the fields of each `BidPlan`."""
    random = np.random.default_rng(0)
    before = random.bit_generator.state
    searched = None if follows_habits(PLAYER_IDS[player]) else model
    plans = plan_all(PLAYER_IDS[player], hands, np.full(len(hands), up), is_dealer, rules, searched, random)
    check_draws(player, random.bit_generator.state != before)
    return plans


def _suit_places(names: Ints, up: int) -> Ints:
    """Place of a suit among those that can be named; 3 for a pass."""
    places = names - (names > up // 13)
    return np.where(names == NO_SUIT, 3, places)


def one_hot(places: Ints, count: int) -> Shares:
    """Return float64[.., count]: 1 at each place, else 0."""
    return np.eye(count)[places]


@kernel
def plan_all(
    player: int, hands: Any, ups: Any, is_dealer: bool, rules: HandRules, model: Model | None, random: Any
) -> Ints:
    """Return int64[hands, 4]: the fields of a player's `BidPlan` with each hand.

    Args:
        player: the number of the player.
        hands: int64[hands], printed masks.
        ups: int64[hands], the up-cards.
        is_dealer, rules, random: the arguments of `plan_bids`.
        model: the model of the players; None where the player follows habits.
    """
    plans = np.empty((hands.shape[0], 4), dtype=np.int64)
    for place in range(hands.shape[0]):
        if model is None:
            plan = habitual_bids(player, hands[place], ups[place], is_dealer, rules, random)
        else:
            plan = searched_bids(player, hands[place], ups[place], is_dealer, rules, model, random)
        plans[place, 0] = plan.accepts
        plans[place, 1] = plan.names
        plans[place, 2] = plan.discard
        plans[place, 3] = plan.discard_for_other
    return plans
