"""Which hands can the opponent hold, and how likely is each, given the opponent's actions? That is the *range*.

The probability of an action with a hand is the solution's (calls and discards with up to four cards), the learned
policy's, or that of a player model that the question names. An action with a probability below 1 in `STRAY_ODDS` counts
as that likely.

>>> from towerlab.analysis.towers_and_bowers.position import calling_view
>>> from towerlab.games.cards import parse_card, parse_mask
>>> believed = range_of(calling_view(parse_mask("JS AS"), parse_card("QS"), dealer=True), solved_calls)
>>> believed.fitting, f"{believed.likelihood:.2f}"
(210, '0.99')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from towerlab.analysis.towers_and_bowers.position import Names, cards_played, played_cards, rename_view, standard_names
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.stored_bidding import (
    StoredSide,
    all_value_columns,
    bidding_at_hand,
    contract_names,
    load_bidding,
    stored_suits,
)
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import DECK_24, cards_mask, effective_suit, former_names, mask_cards, rank_of, suit_of
from towerlab.games.engine import require
from towerlab.games.towers_and_bowers import View
from towerlab.solver.towers_and_bowers.bidding import hands_from, rename
from towerlab.solver.towers_and_bowers.self_play import environment as env
from towerlab.solver.towers_and_bowers.self_play.network import action_probabilities
from towerlab.solver.towers_and_bowers.self_play.policies import (
    CONTRACTS,
    SPADE_FRAME,
    bid_contracts,
    card_numbers,
    class_calls,
    policy_in_use,
    to_frame,
)
from towerlab.solver.towers_and_bowers.upcard import contract_tricks, named_suits
from towerlab.solver.two_hands.tablebase import load_tablebase

STRAY_ODDS: Final = 100  # every action counts as made at least once in so many times
SEAT_CONTRACTS: Final = CONTRACTS // 2  # of a seat; the non-dealer's contracts come first
PASSED: Final = CONTRACTS  # a seat's first pass
PASSED_TWICE: Final = CONTRACTS + 1  # both its passes
MOST_LAYOUTS_IN_PLAY: Final = 3_000  # where there are more, with the dealer's discards, so many are drawn


class Calls(NamedTuple):
    """The bidding of a hand, once the trump is named.

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
    return Calls(view.n, view.up, require(view.trump), view.bidder != view.dealer)


def dealt_cards(calls: Calls, held: Ints, away: Ints) -> Ints:
    """Return the cards that a dealer was dealt, int64[hands].

    Args:
        calls: the bidding of the hand.
        held: int64[hands], the cards after the exchange.
        away: int64[hands], the discards.
    """
    return held & ~(1 << calls.up) | away if calls.accepted else held


@dataclass(frozen=True)
class Range:
    """The opponent's possible hands and their probabilities, under the standard names of the suits (`standard_names`).

    Attributes:
        view: the view of the player.
        names: the namings of the suits: two where the view is its own mirror image.
        hands, away: int64[layouts], printed masks: the cards that the opponent can hold now, and the discard of a
            dealing opponent or 0.
        weights: float64[layouts], the probability of each layout.
        likelihood: the mean probability of the opponent's actions so far, over all hands.
        fitting: how many layouts fit what is known; more than the layouts here where these were drawn.
        state: the hands before the decision, a row for each layout; None while there is no trump.
        calls: float64[layouts, 5], how the opponent calls (`CallModel`), while there is no trump; else None.
        opened: int64[layouts, contracts], the non-dealer's tricks with open cards, while there is no trump; else None.
            The columns: suits 1 to 3 of the frame named, then the up-card accepted, with a column for each discard if
            the player deals and one for the dealer's best discard if the opponent does.
        least: the least probability that each call of the opponent counts with.
    """

    view: View
    names: Sequence[Names]
    hands: Ints
    away: Ints
    weights: Floats
    likelihood: float
    fitting: int
    state: env.State | None = None
    calls: Floats | None = None
    opened: Ints | None = None
    least: float = 1 / STRAY_ODDS

    @property
    def seat(self) -> int:
        """The player's seat: 0 for the non-dealer, 1 for the dealer."""
        return int(self.view.player == self.view.dealer)

    @property
    def is_drawn(self) -> bool:
        """Whether the layouts were drawn because there are too many to count."""
        return self.fitting > len(self.hands)

    def reweight(self, weights: Floats) -> Range:
        """Return the range with other weights, which need not add up to 1."""
        total = weights.sum()
        even = np.full(len(weights), 1 / len(weights))
        return replace(self, weights=weights / total if total else even, likelihood=float(weights.mean()))

    def to_contract(self, contract: int) -> Range:
        """Return the range after calls that lead to a contract (`contract_likelihood`)."""
        return self.reweight(contract_likelihood(require(self.calls), 1 - self.seat, contract, self.least))

    @property
    def former_hands(self) -> Ints:
        """The hands under the names of the question."""
        return rename(self.hands, former_names(self.names[0]))


def has_history(view: View) -> bool:
    """Return whether a view in the play has the whole history of the hand, from which the range follows."""
    if view.up_card is None or view.dealer is None or view.bidder is None or view.trump is None:
        return False
    own, theirs = played_cards(view)
    is_whole = (view.hand | own).bit_count() == view.n == theirs.bit_count() + view.opponent_cards
    takes = suit_of(view.up_card) == view.trump and view.deals
    return is_whole and not (takes and view.discard is None)


def range_of(
    view: View, other: CallModel, *, least: float = 1 / STRAY_ODDS, is_symmetric: bool = True, seed: int = 0
) -> Range:
    """Return the opponent's range as a player sees it, at any moment of a hand.

    Args:
        view: the view of the player, with the up-card and the whole history of the hand.
        other: how the opponent has called, and will call.
        least: the least probability that each call of the opponent counts with.
        is_symmetric: whether the opponent's calls do not depend on the names of the suits.
        seed: the seed of the layouts, where there are more than `MOST_LAYOUTS_IN_PLAY` in the play.
    """
    names = standard_names(view)[: None if is_symmetric else 1]
    renamed = rename_view(view, names[0])
    seat = int(renamed.player == renamed.dealer)
    if renamed.trump is not None:
        return _range_in_play(renamed, names, seat, seed)
    hands = (
        hands_from(
            mask_cards(DECK_24 & ~(renamed.hand | 1 << renamed.up | renamed.gone | renamed.opponent_holds)),
            renamed.n - renamed.opponent_holds.bit_count(),
        )
        | renamed.opponent_holds
    )
    passes = len(renamed.calls)
    calls = other(hands, renamed.up, 1 - seat)
    others = (passes + seat) // 2  # passes of the other
    weights = (
        contract_likelihood(calls, 1 - seat, (PASSED, PASSED_TWICE)[others - 1], least)
        if others
        else np.ones(len(hands))
    )
    tricks = contract_tricks(load_tablebase(), renamed.hand, renamed.up, hands, bool(seat))
    opened = tricks[:, [*SPADE_FRAME[1:], *range(3, tricks.shape[1])]]  # the kernel has clubs, diamonds, hearts
    away = np.zeros_like(hands)
    known = Range(renamed, names, hands, away, weights, 1.0, len(hands), None, calls, opened.astype(np.int64), least)
    return known.reweight(weights)


def _range_in_play(renamed: View, names: Sequence[Names], seat: int, seed: int) -> Range:
    """Return the range once there is a trump; its arguments are those of `Range` and `range_of`."""
    hands, away, fitting = _list_layouts(renamed, seed)
    own, theirs = played_cards(renamed)
    held = [np.full_like(hands, renamed.hand | own), hands | theirs]
    given = away if renamed.discard is None else np.full_like(away, 1 << renamed.discard)
    state, weights = replay(calls_of(renamed), cards_played(renamed), 1 - seat, held[::-1] if seat else held, given)
    likely = np.flatnonzero(weights > 0)
    likely = likely if len(likely) else np.arange(len(weights))
    state = env.rows_of(state, likely)
    believed = Range(renamed, names, hands[likely], away[likely], weights[likely], 1.0, fitting, state)
    return believed.reweight(weights[likely])


def _list_layouts(view: View, seed: int) -> tuple[Ints, Ints, int]:
    """Return the opponent's hands and their discards or 0, printed masks, and how many layouts there are in all."""
    suits = {card: effective_suit(card, require(view.trump), True) for card in mask_cards(DECK_24)}
    void = cards_mask(card for card, suit in suits.items() if suit in view.opponent_voids)
    own, theirs = played_cards(view)
    unseen = DECK_24 & ~(view.hand | own | theirs | 1 << view.up)
    possible = unseen & ~(void | view.gone | view.opponent_holds)
    hands = hands_from(mask_cards(possible), view.opponent_cards - view.opponent_holds.bit_count())
    hands = hands | view.opponent_holds
    away = np.zeros_like(hands)
    if suit_of(view.up) == view.trump and view.player != view.dealer:
        pairs = np.broadcast_arrays(hands[:, None], np.array([1 << card for card in mask_cards(unseen)]))
        hands, away = (of.ravel() for of in pairs)
        apart = hands & away == 0
        hands = hands[apart]
        away = away[apart]
    fitting = len(hands)
    if fitting > MOST_LAYOUTS_IN_PLAY:
        drawn = np.sort(np.random.default_rng(seed).choice(fitting, MOST_LAYOUTS_IN_PLAY, replace=False))
        hands = hands[drawn]
        away = away[drawn]
    return hands, away, fitting


CallModel: TypeAlias = Callable[[Ints, int, int], Floats]
"""A player model of calls: (hands, up-card, seat) → float64[hands, 5].

The columns: P(accept), then for the second round P(each suit C H D) and P(pass). Hands are printed masks of one size,
and the up-card is a spade. Seat 1, the dealer, has no pass in the second round.
"""


def policy_calls(hands: Ints, up: int, seat: int) -> Floats:
    """Return how the learned policy calls (a `CallModel`)."""
    return class_calls(int(hands[0]).bit_count(), up).probabilities(hands, seat)


def solved_calls(hands: Ints, up: int, seat: int, floor: float | None = None) -> Floats:
    """Return how the solution of up to four cards calls (a `CallModel`).

    Args:
        hands, up, seat: the same as in `CallModel`.
        floor: the least probability of a call; None for the solution's own floor.
    """
    stored = bidding_at_hand(int(hands[0]).bit_count(), rank_of(up))
    accepts, names = StoredSide(stored, up, hands, floor).calls(seat == 1)
    clubs, diamonds, hearts, *passes = names.T
    return np.stack([accepts, clubs, hearts, diamonds, *(passes or [np.zeros_like(accepts)])], axis=1)


def contract_likelihood(calls: Floats, seat: int, contract: int, least: float = 1 / STRAY_ODDS) -> Floats:
    """Return the probability that a seat makes the calls that lead to a contract, float64[hands].

    Args:
        calls: the probabilities of the calls, as a `CallModel` returns them.
        seat: 0 for the non-dealer, 1 for the dealer.
        contract: 0 to 7 (`self_play.policies`); `PASSED` or `PASSED_TWICE` for the seat's passes alone.
        least: the least probability that each call counts with.
    """
    accepts, *names, passes = np.maximum(calls, least).T
    refuses = np.maximum(1 - calls[:, 0], least)
    suit = contract & 3
    if contract == PASSED:
        return refuses
    if contract == PASSED_TWICE:
        return np.asarray(refuses * passes)
    bids = (contract >= SEAT_CONTRACTS) == (seat == 1)
    if suit == 0:  # the up-card is accepted: the dealer is asked after the non-dealer has passed
        never_asked = refuses if seat == 0 else np.ones(len(calls))
        return np.asarray(accepts if bids else never_asked)
    if bids:
        return np.asarray(refuses * names[suit - 1])
    return np.asarray(refuses * passes) if seat == 0 else refuses


def replay(
    calls: Calls, played: Sequence[int], seat: int, held: Sequence[Ints], away: Ints | None
) -> tuple[env.State, Floats]:
    """Return hands after their calls, discard and some plays, and the probability that a seat acts so with each hand.

    With up to four cards the solution gives the probabilities of calls and discard; the learned policy gives all
    others.

    Args:
        calls: the bidding of the hand.
        played: the cards played, in order.
        seat: the seat whose actions count, 0 for the non-dealer.
        held: int64[hands] for the non-dealer and for the dealer, printed masks of the cards at the first lead.
        away: int64[hands], the dealer's discards or 0; None before the discard.
    """
    names = stored_suits(calls.up)
    given = away if away is not None else np.zeros_like(held[1])
    dealt = [held[0], dealt_cards(calls, held[1], given)]
    trump = SPADE_FRAME.index(names[calls.trump])
    contract = trump + SEAT_CONTRACTS * (not calls.nondealer_bids)
    renamed = [rename(of, names) for of in dealt]
    up = names[suit_of(calls.up)] * 13 + rank_of(calls.up)
    weights = np.ones(len(given))
    solved = calls_likelihood(calls, seat == 1)
    if solved is not None:
        weights = solved(dealt[seat], given)
    elif len(given):
        weights = contract_likelihood(policy_calls(renamed[seat], up, seat), seat, contract)
    frame = np.stack([to_frame(of) for of in renamed], axis=1)
    state = bid_contracts(calls.cards, frame, int(to_frame(np.array([1 << up]))[0]), np.full(len(given), contract))
    actions = []
    if calls.accepted and away is not None:
        actions.append(card_numbers(rename(given, names), trump))
    for card in played:
        actions.append(np.full(len(given), card_numbers(rename(np.array([1 << card]), names), trump)[0]))
    for action in actions:
        is_weighed = solved is None or int(state.decision[0]) != env.DISCARD
        if len(given) and int(state.turn[0]) == seat and is_weighed:
            some = np.flatnonzero(weights > 0)
            now = env.rows_of(state, some)
            shares = np.maximum(action_probabilities(policy_in_use(), now), 1 / STRAY_ODDS) * env.legal(now)
            weights[some] *= np.take_along_axis(shares, action[some, None], 1)[:, 0]
        state = env.step(state, action)
    return state, weights


def calls_likelihood(calls: Calls, of_dealer: bool) -> Callable[[Ints, Ints], Floats] | None:
    """Return a function for the solution's probability of a player's calls and discard; None where nothing is solved.

    Args:
        calls: the bidding of the hand.
        of_dealer: whether the player is the dealer.

    Returns:
        (cards dealt, the dealer's discard or 0) → float64[hands]; both are printed masks, int64[hands].
    """
    stored = load_bidding(calls.cards, rank_of(calls.up)) if calls.cards <= LARGEST_STORED else None
    if stored is None:
        return None
    accepted = calls.accepted
    named = 3 if accepted else named_suits(calls.up).index(calls.trump)

    def of_nondealer(dealt: Ints, away: Ints) -> Floats:
        bids = StoredSide(stored, calls.up, dealt).nondealer()
        if accepted:
            return bids.accepts if calls.nondealer_bids else 1 - bids.accepts
        return (1 - bids.accepts) * bids.names[:, named if calls.nondealer_bids else 3]

    def of_the_dealer(dealt: Ints, away: Ints) -> Floats:
        bids = StoredSide(stored, calls.up, dealt).dealer()
        if not accepted:
            return (1 - bids.answers) * (1.0 if calls.nondealer_bids else bids.left[:, named])
        given = _select_discard(bids.discards if calls.nondealer_bids else bids.own_discards, dealt, away)
        return given if calls.nondealer_bids else bids.answers * given

    likely = of_the_dealer if of_dealer else of_nondealer
    return lambda dealt, away: likely(dealt, away) if len(dealt) else np.zeros(0)


def contract_values(calls: Calls, of_dealer: bool, dealt: Ints, away: Ints) -> Floats | None:
    """Return P(win the tower) in a contract by the solution of the whole hand, float64[hands]; None if not solved.

    Args:
        calls: the bidding of the hand.
        of_dealer: whether the player is the dealer.
        dealt, away: the same as in `calls_likelihood`.
    """
    stored = load_bidding(calls.cards, rank_of(calls.up))
    if stored is None:
        return None
    side = StoredSide(stored, calls.up, dealt)
    columns = all_value_columns(calls.cards)
    names = contract_names(calls.cards, of_dealer, calls.nondealer_bids != of_dealer)
    values = side.contracts(stored.values[side.rows][:, [columns.index(name) for name in names]].astype(np.float64))
    if not calls.accepted:
        return values[:, named_suits(calls.up).index(calls.trump)]
    return _select_discard(values[:, 3:], dealt, away) if of_dealer else values[:, 3]


def _select_discard(by_place: Floats, dealt: Ints, away: Ints) -> Floats:
    """Select each hand's column for the card put away; the columns are the cards dealt, from the lowest."""
    by_hand: Floats = by_place[np.arange(len(dealt)), np.bitwise_count(dealt & (away - 1)).astype(np.int64)]
    return by_hand
