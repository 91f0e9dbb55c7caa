"""Players of the user's in Towers & Bowers: kernels in the place of ours, and Python asked in many situations.

A player made of kernels has ``bids(hand, up, is_dealer, rules, random) -> BidPlan`` and
``play(state, history, random) -> card``, as `sim.towers_and_bowers.players` has them. Kernels know a player by a
number; those of the user's come after ours.

Who is asked in Python is shown the engine's `View`, also where no engine stands behind it: a `Views` says what a seat
has seen in many hands at once, and `view_at` makes the view of one. A player whose `probabilities` takes one argument
is given the `Views`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import DECK_24, SUITS, card_text, cards_mask, mask_cards, suit_of, to_printed
from towerlab.games.engine import Action
from towerlab.games.jit import own_kernel
from towerlab.games.own_kernels import with_kernels
from towerlab.games.towers_and_bowers import Phase, TowersAndBowersOptions, View
from towerlab.games.towers_and_bowers.records import Call, HandState, MatchState, Trick
from towerlab.games.towers_and_bowers.rules import card_led_wins
from towerlab.games.towers_and_bowers.view import view_of
from towerlab.sim.own import Act, OwnPlayer, PlayerError
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, PASS, BidPlan, InfoState, SolvedGame, legal_plays
from towerlab.sim.towers_and_bowers.players import PLAYER_IDS, follows_habits, searched_bids, searched_play
from towerlab.sim.towers_and_bowers.seats import KernelPlayer, state_of

FIRST_OWN: Final = len(PLAYER_IDS)
DEALER: Final = 1


# --------------------------------------------------------------------------------------------------------- kernels


def numbers_of(players: Sequence[str | OwnPlayer]) -> Ints:
    """int64[players]: by which kernels know them; those of the user's are numbered in their order."""
    own = own_among(players)
    return np.array([FIRST_OWN + own.index(one) if isinstance(one, OwnPlayer) else PLAYER_IDS[one] for one in players])


def own_among(players: Sequence[str | OwnPlayer]) -> list[OwnPlayer]:
    """The players of the user's, each once."""
    return list(dict.fromkeys(one for one in players if isinstance(one, OwnPlayer)))


def with_own(entry: Any, players: Sequence[str | OwnPlayer]) -> Any:
    """A kernel that calls players by number, made anew for such players; itself where none is the user's.

    What it returns raises a PlayerError where one of them does what cannot be done.
    """
    own = tuple(own_among(players))
    searches = any(not isinstance(one, OwnPlayer) and not follows_habits(PLAYER_IDS[one]) for one in players)
    if not own:
        return entry
    made = _made_anew(entry, own, searches)

    def reported(*given: Any) -> Any:
        try:
            return made(*given)
        except ValueError as error:
            who = ", ".join(map(str, own))
            raise PlayerError(f"the player {who}: {error}; a game of `towerlab simulate` tells where") from error

    return reported


@functools.lru_cache(maxsize=8)
def _made_anew(entry: Any, own: tuple[OwnPlayer, ...], searches: bool) -> Any:
    """With others in the place of `searched_bids` and `searched_play`; ours are compiled only where one `searches`."""
    bids, play = (searched_bids, searched_play) if searches else (_no_bids, _no_play)
    for number, player in enumerate(own, FIRST_OWN):
        kernels = player.kernels
        bids, play = _bids_or(number, kernels["bids"], bids), _play_or(number, kernels["play"], play)
    return with_kernels(entry, {searched_bids: bids, searched_play: play})


def _bids_or(number: int, mine: Any, others: Any) -> Any:
    @own_kernel
    def bids(player: int, hand: int, up: int, is_dealer: bool, rules: Any, model: Any, random: Any) -> Any:
        if player != number:
            return others(player, hand, up, is_dealer, rules, model, random)
        return checked_plan(mine(hand, up, is_dealer, rules, random), hand, up, is_dealer, rules)

    return bids


def _play_or(number: int, mine: Any, others: Any) -> Any:
    @own_kernel
    def play(player: int, state: Any, history: Any, values: Any, model: Any, random: Any) -> int:
        if player != number:
            return int(others(player, state, history, values, model, random))
        return checked_card(mine(state, history, random), state)

    return play


@own_kernel
def _no_bids(player: int, hand: int, up: int, is_dealer: bool, rules: Any, model: Any, random: Any) -> BidPlan:
    """In the place of `searched_bids` where none of ours searches."""
    return BidPlan(False, PASS, NO_CARD, NO_CARD)


@own_kernel
def _no_play(player: int, state: Any, history: Any, values: Any, model: Any, random: Any) -> int:
    """In the place of `searched_play`."""
    return 0


@own_kernel
def checked_plan(plan: Any, hand: int, up: int, is_dealer: bool, rules: Any) -> BidPlan:
    """Return what a user's kernel bids, if it can be bid."""
    names, may_give = int(plan.names), hand | (1 << up if rules.allow_discard_upcard else 0)
    passes = names == PASS and is_dealer and rules.dealer_must_name and not plan.accepts
    if names == up // 13 or not PASS <= names <= 3 or passes:
        raise ValueError("a kernel names what it cannot")
    own, other = int(plan.discard) if plan.accepts else int(plan.discard_for_other), int(plan.discard_for_other)
    if is_dealer and not (own >= 0 and other >= 0 and may_give >> own & 1 and may_give >> other & 1):
        raise ValueError("a kernel discards what it does not hold")
    return BidPlan(bool(plan.accepts), names, int(plan.discard), int(plan.discard_for_other))


@own_kernel
def checked_card(card: int, state: InfoState) -> int:
    """Return what a user's kernel plays, if it can be played."""
    if card & (card - 1) or not card & legal_plays(state):
        raise ValueError("a kernel plays what it cannot")
    return int(card)


# ----------------------------------------------------------------------------------------------- asked in Python


class Views(NamedTuple):
    """The views of one seat in many hands, a row each, before one kind of decision; cards are ids, sets printed masks.

    Attributes:
        n: cards dealt to each.
        up: the up-card.
        phase: `Phase` as a text: ``"BID1-ND"``, ``"BID1-D"``, ``"BID2-ND"``, ``"BID2-D"``, ``"DISCARD"``, ``"PLAY"``.
        is_dealer: the seat.
        bidder: 1 the dealer, 0 the non-dealer, -1 nobody yet.
        trump: suit, -1 before there is one.
        hand: int64[rows], the cards held.
        discard: int64[rows], the player's own, -1 where there is none.
        played: int64[rows, 2 n], the cards played in their order, -1 from there on.
        legal: int64[rows], the cards that may be played or discarded; 0 while it is bid.
        holds: int64[rows], cards the other surely holds.
        unseen: int64[rows], of which the other holds as many more as make up the hand.
        taken: int64[rows], the player's tricks.
    """

    n: int
    up: int
    phase: str
    is_dealer: bool
    bidder: int
    trump: int
    hand: Ints
    discard: Ints
    played: Ints
    legal: Ints
    holds: Ints
    unseen: Ints
    taken: Ints

    @property
    def columns(self) -> int:
        """The number of probabilities of a row: for every call, or for every card of the hand from the lowest."""
        calls = {Phase.BID1_ND: 2, Phase.BID1_D: 2, Phase.BID2_ND: 4, Phase.BID2_D: 3}
        return calls.get(Phase(self.phase)) or (int(self.hand[0]).bit_count() if len(self.hand) else 1)

    @property
    def may(self) -> Bools:
        """bool[rows, columns]: what is possible."""
        if not self.legal.any():
            return np.ones((len(self.hand), self.columns), dtype=np.bool_)
        left, found = self.hand.copy(), np.empty((len(self.hand), self.columns), dtype=np.bool_)
        for column in range(self.columns):
            found[:, column] = (left & -left & self.legal) != 0
            left &= left - 1
        return found

    def at(self, rows: slice | Bools) -> Views:
        """Return some of the rows: a slice, or bool[rows]."""
        arrays = (self.hand, self.discard, self.played, self.legal, self.holds, self.unseen, self.taken)
        return Views(*self[:6], *(array[rows] for array in arrays))


def bidding_views(hands: Ints, up: int, phase: Phase, bidder: int = -1) -> Views:
    """Return the `Views` of a call, or of a discard, with each of some hands: int64[rows], printed masks."""
    rows, n = len(hands), int(hands[0]).bit_count()
    nothing, is_discard = np.zeros(rows, dtype=np.int64), phase == Phase.DISCARD
    return Views(
        n,
        up,
        str(phase),
        phase not in (Phase.BID1_ND, Phase.BID2_ND),
        bidder,
        suit_of(up) if is_discard else -1,
        hands,
        nothing - 1,
        np.full((rows, 2 * n), -1),
        hands if is_discard else nothing,
        nothing,
        DECK_24 & ~(hands | 1 << up),
        nothing,
    )


def view_at(views: Views, row: int, options: TowersAndBowersOptions) -> View:
    """The view of one row as the engine would show it, the non-dealer being player 0, in the first hand of a match."""
    seat, n, phase = int(views.is_dealer), views.n, Phase(views.phase)
    held, played = int(views.hand[row]), [int(card) for card in views.played[row] if card >= 0]
    tricks, leader = [], 0
    for led, reply in zip(played[::2], played[1::2], strict=False):
        winner = leader if card_led_wins(1 << led, 1 << reply, views.trump) else 1 - leader
        tricks.append(Trick(leader, led, reply, winner))
        leader = winner
    accepted, discards, led = views.trump == suit_of(views.up), phase == Phase.DISCARD, len(played) % 2 == 1
    others = cards_mask(range(n - len(tricks) - (led and leader != seat)))  # which cards these are nobody looks at
    hand = HandState(
        n,
        DEALER,
        (held, others) if seat == 0 else (others, held),
        views.up,
        (),
        leader,
        _calls(phase, views, accepted),
        None if views.trump < 0 else views.trump,
        None if views.bidder < 0 else views.bidder,
        None if discards or not accepted else 0 if seat == 0 else int(views.discard[row]),
        tuple(tricks),
        played[-1] if led else None,
    )
    legal = int(views.legal[row]) if phase == Phase.PLAY else 0
    return view_of(MatchState(phase, (0, 0), n, DEALER, hand=hand), seat, seat, legal, options)


def _calls(phase: Phase, views: Views, accepted: bool) -> tuple[Call, ...]:
    """The bidding that led there."""
    passes = {Phase.BID1_ND: 0, Phase.BID1_D: 1, Phase.BID2_ND: 2, Phase.BID2_D: 3}
    if phase in passes:
        return tuple(Call(place % 2, "pass") for place in range(passes[phase]))
    before = views.bidder if accepted else 2 + views.bidder
    last = Call(views.bidder, "accept") if accepted else Call(views.bidder, "name", views.trump)
    return (*(Call(place % 2, "pass") for place in range(before)), last)


def views_of(view: View) -> Views:
    """One row: what a view shows of a hand, before a decision of that player's."""
    assert view.up_card is not None and view.dealer is not None
    played = [card for trick in view.tricks for card in (trick.led, trick.reply)]
    played += [] if view.led is None else [view.led]
    row = np.full((1, 2 * view.n), -1)
    row[0, : len(played)] = played
    legal = view.legal if view.phase == Phase.PLAY else view.hand if view.phase == Phase.DISCARD else 0
    unseen = DECK_24 & ~(view.hand | view.gone | view.opponent_holds)
    if view.phase == Phase.PLAY:
        assert view.trump is not None
        unseen = int(to_printed(state_of(view).pool, view.trump, True))
    return Views(
        view.n,
        view.up_card,
        str(view.phase),
        view.player == view.dealer,
        -1 if view.bidder is None else int(view.bidder == view.dealer),
        -1 if view.trump is None else view.trump,
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
    seat, up = int(views.is_dealer), suit_of(views.up)
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
    """A user's player, written in Python, that decides by `Views`.

    Args:
        player: who.
        options: of the rules.
    """

    def __init__(self, player: OwnPlayer, options: TowersAndBowersOptions) -> None:
        self.player, self._options, self._random = player, options, np.random.default_rng(0)
        self._one, self._act = player.seated(), player.seat()

    def shares(self, views: Views) -> Floats:
        """float64[rows, `Views.columns`]: how likely the player does what.

        Raises:
            PlayerError: an answer that cannot be, or somebody who draws lots without telling how likely what is.
        """
        may = views.may
        if self.player.takes_arrays:
            given = self.player.ask(self._one.probabilities, views)
            shares = self.player.checked(given, may.shape, views.at(slice(0, 1)))
            if (shares[~may] > 0).any():
                row = int(np.argmax((shares * ~may).any(axis=1)))
                what = f"does what is not possible: {shares[row].tolist()}"
                raise PlayerError(f"the player {self.player} {what}; expected 0 but for {actions_of(views, row)}")
            return shares
        found, before = np.zeros(may.shape), self._random.bit_generator.state
        for row in range(len(may)):
            view, legal = view_at(views, row, self._options), actions_of(views, row)
            if self.player.mixes:
                found[row, may[row]] = self.player.shares(self._one, view, legal)
            else:
                found[row, np.flatnonzero(may[row])[legal.index(self._act(view, legal, self._random))]] = 1.0
        if self._random.bit_generator.state != before:
            raise PlayerError(f"the player {self.player} draws lots; expected probabilities(view, legal) besides")
        return found

    def act(self, view: View, legal: Sequence[Action], random: np.random.Generator) -> Action:
        """Return the action of the player at the table, where nothing is claimed and every player follows suit."""
        views = views_of(view)
        possible = tuple(action | {"player": view.player} for action in actions_of(views, 0))
        if not self.player.takes_arrays:
            return self._act(view, legal or possible, random)
        shares = self.shares(views)[views.may]
        return possible[int(random.choice(len(shares), p=shares / shares.sum()))]


def act_of(
    player: str | OwnPlayer,
    options: TowersAndBowersOptions,
    deal_values: tuple[float, ...],
    solution: SolvedGame,
    made: KernelPlayer | None = None,
) -> Act:
    """Who acts like a player in one seat of one match; the arguments are those of `KernelPlayer`, `made` is one."""
    if isinstance(player, OwnPlayer) and not player.kernels:
        return PythonPlayer(player, options).act
    act = (made or KernelPlayer(player, options, deal_values, solution)).act
    return player.checks(act) if isinstance(player, OwnPlayer) else act
