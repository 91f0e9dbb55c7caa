"""The opponent's hand by its actions: how likely the solution or the learned policy bids and plays so with each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from towerlab.analysis.towers_and_bowers.solutions.bidding import load_bidding
from towerlab.analysis.towers_and_bowers.solutions.contracts import names_of, worth_columns
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.solutions.stored_side import (
    LearnedSide,
    StoredSide,
    bids_of,
    rename,
    stored_suits,
)
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import rank_of, suit_of
from towerlab.games.towers_and_bowers import View
from towerlab.solver.towers_and_bowers.self_play import environment as env
from towerlab.solver.towers_and_bowers.self_play.bundle import policy_in_use
from towerlab.solver.towers_and_bowers.self_play.calls import SPADE_FRAME, card_numbers, to_frame
from towerlab.solver.towers_and_bowers.self_play.network import action_probabilities
from towerlab.solver.towers_and_bowers.self_play.playouts import calls_to
from towerlab.solver.towers_and_bowers.upcard import named_suits

STRAYS: Final = 100  # an action that the policy makes less than once in so many counts as made so often


def cards_played(view: View) -> list[int]:
    """Return the cards played in a hand, in order."""
    played = [card for trick in view.tricks for card in (trick.led, trick.reply)]
    return played if view.led is None else [*played, view.led]


def played_cards(view: View) -> tuple[int, int]:
    """Printed masks of what the player, and the opponent, have played."""
    masks = [0, 0]
    for trick in view.tricks:
        for seat in (0, 1):
            masks[seat != view.player] |= 1 << trick.card_of(seat)
    if view.led is not None:
        masks[view.leader != view.player] |= 1 << view.led
    return masks[0], masks[1]


class Calls(NamedTuple):
    """How a hand was bid, as both have heard it.

    Attributes:
        cards: n.
        up: the up-card.
        trump: the trump suit.
        nondealer_bids: whether the non-dealer accepted or named it.
    """

    cards: int
    up: int
    trump: int
    nondealer_bids: bool

    @property
    def accepted(self) -> bool:
        """Whether the up-card was accepted."""
        return suit_of(self.up) == self.trump


def calls_of(view: View) -> Calls:
    """Return the bidding of a hand whose up-card is known and whose trump is named."""
    assert view.up_card is not None and view.trump is not None
    return Calls(view.n, view.up_card, view.trump, view.bidder != view.dealer)


def dealt_cards(calls: Calls, held: Ints, away: Ints) -> Ints:
    """Return the cards dealt to a dealer with the cards held after the exchange and the discard."""
    return held & ~(1 << calls.up) | away if calls.accepted else held


def replay(
    calls: Calls, played: Sequence[int], seat: int, held: Sequence[Ints], away: Ints | None
) -> tuple[env.State, Floats]:
    """Return hands after their calls, discard and some plays, and how likely a seat has acted so with each.

    Up to four cards the solution makes calls and discard, else the learned policy; it plays.

    Args:
        calls: that were made.
        played: the cards played, in order.
        seat: whose actions count, 0 the non-dealer.
        held: int64[hands] of the non-dealer and the dealer, printed masks of the cards at the first lead.
        away: int64[hands], the dealer's discard or 0; None before it is given.
    """
    names = stored_suits(calls.up)
    given = away if away is not None else np.zeros_like(held[1])
    dealt = [held[0], dealt_cards(calls, held[1], given)]
    trump = SPADE_FRAME.index(names[calls.trump])
    weights = np.ones(len(given))
    solved = None
    if calls.cards <= LARGEST_STORED:
        solved = calls_likelihood(calls, seat == 1)
    if solved is not None:
        weights = solved(dealt[seat], given)
    pair = np.stack([to_frame(rename(of, names)) for of in dealt], axis=1)
    up = to_frame(rename(np.full_like(given, 1 << calls.up), names))
    state = env.start(np.full(len(given), calls.cards), pair, up)
    actions = []
    for call in calls_to(trump + 4 * (not calls.nondealer_bids)):
        actions.append(np.full(len(given), call))
    if calls.accepted and away is not None:
        actions.append(card_numbers(rename(given, names), trump))
    calls_end = len(actions)
    for card in played:
        actions.append(np.full(len(given), card_numbers(rename(np.array([1 << card]), names), trump)[0]))
    for place, action in enumerate(actions):
        if len(given) and int(state.turn[0]) == seat and (solved is None or place >= calls_end):
            some = np.flatnonzero(weights > 0)
            now = env.rows_of(state, some)
            shares = np.maximum(action_probabilities(policy_in_use(), now), 1 / STRAYS) * env.legal(now)
            weights[some] *= np.take_along_axis(shares, action[some, None], 1)[:, 0]
        state = env.step(state, action)
    return state, weights


def calls_likelihood(calls: Calls, of_dealer: bool) -> Callable[[Ints, Ints], Floats] | None:
    """Return the solution's probability of the calls and the discard by hand; None if nothing is at hand.

    Hands that are not solved are bid by the learned policy (`stored_side.bids_of`).

    Args:
        calls: that were made.
        of_dealer: whose.

    Returns:
        A function of the cards dealt, int64[hands], and of the card that a dealer gave for the up-card or 0, all as
        printed masks.
    """
    if bids_of(calls.up, np.array([(1 << calls.cards) - 1])) is None:
        return None
    up = calls.up
    accepted = calls.accepted
    named = 3 if accepted else named_suits(up).index(calls.trump)

    def of_nondealer(dealt: Ints, away: Ints) -> Floats:
        way = _bids(up, dealt).nondealer()
        if accepted:
            return way.accepts if calls.nondealer_bids else 1 - way.accepts
        return (1 - way.accepts) * way.names[:, named if calls.nondealer_bids else 3]

    def of_the_dealer(dealt: Ints, away: Ints) -> Floats:
        way = _bids(up, dealt).dealer()
        if not accepted:
            return (1 - way.answers) * (1.0 if calls.nondealer_bids else way.left[:, named])
        given = _of_discard(way.discards if calls.nondealer_bids else way.own_discards, dealt, away)
        return given if calls.nondealer_bids else way.answers * given

    likely = of_the_dealer if of_dealer else of_nondealer
    return lambda dealt, away: likely(dealt, away) if len(dealt) else np.zeros(0)


def _bids(up: int, dealt: Ints) -> StoredSide | LearnedSide:
    side = bids_of(up, dealt)
    assert side is not None
    return side


def contract_values(calls: Calls, of_dealer: bool, dealt: Ints, away: Ints) -> Floats | None:
    """Return what the contract wins by the solution of the whole hand; None where there is none.

    Args:
        calls: that were made.
        of_dealer: for whom.
        dealt, away: as of `calls_likelihood`.

    Returns:
        float64[hands], P(win the tower).
    """
    stored = load_bidding(calls.cards, rank_of(calls.up))
    if stored is None:
        return None
    side = StoredSide(stored, calls.up, dealt)
    columns = worth_columns(calls.cards)
    names = names_of(calls.cards, of_dealer, calls.nondealer_bids != of_dealer)
    values = side.contracts(stored.values[side.rows][:, [columns.index(name) for name in names]].astype(np.float64))
    if not calls.accepted:
        return values[:, named_suits(calls.up).index(calls.trump)]
    return _of_discard(values[:, 3:], dealt, away) if of_dealer else values[:, 3]


def _of_discard(by_place: Floats, dealt: Ints, away: Ints) -> Floats:
    """Of each hand's cards dealt, from the lowest, the entry of the one put away."""
    by_hand: Floats = by_place[np.arange(len(dealt)), np.bitwise_count(dealt & (away - 1)).astype(np.int64)]
    return by_hand
