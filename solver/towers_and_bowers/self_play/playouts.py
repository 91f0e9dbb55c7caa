"""Rollouts: deals played out by a policy, every alternative of a decision on the same deals.

A *contract* is a number: 0 to 3 the non-dealer bids in suit 0 to 3 of the up-card frame, 4 to 7 the dealer does; 0 and
4 are the up-card accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals
from towerlab.solver.towers_and_bowers.self_play.calls import PolicyBids, to_frame
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACCEPT,
    NAME,
    PASS,
    PLACES,
    SECOND_PASS,
    State,
    act,
    contract,
    copied,
    next_choices,
    of_seat,
    payoffs,
    rows_of,
    select_hands,
    start,
    step,
    tower_winner,
)
from towerlab.solver.towers_and_bowers.self_play.network import Policy, act_by, action_probabilities

CONTRACTS: Final = 8
_STAY: Final = -1
_CALLS: Final = np.array(
    [
        [ACCEPT, _STAY, _STAY, _STAY],
        *([PASS, PASS, NAME + suit, _STAY] for suit in range(3)),
        [PASS, ACCEPT, _STAY, _STAY],
        *([PASS, PASS, SECOND_PASS, NAME + suit] for suit in range(3)),
    ]
)


def calls_to(contract: int) -> list[int]:
    """Return the calls that lead to a contract."""
    return [int(call) for call in _CALLS[contract] if call != _STAY]


class Rollouts(NamedTuple):
    """Deals played to their end by a policy, arrays of [deals, alternatives].

    Attributes:
        won: float64, P(the non-dealer takes the tower).
        bidder: int64, the seat.
        made: bool, whether the bidder took the tricks of the contract.
        tricks: int64, the non-dealer's; -1 where the hand was played no further than to its result.
        sweeper: int64, the seat with all tricks, or -1.
        discard: int64, the dealer's, mask of the trump frame; 0 without.
    """

    won: Floats
    bidder: Ints
    made: Bools
    tricks: Ints
    sweeper: Ints
    discard: Ints


def roll_out(
    policy: Policy, state: State, alternatives: Ints, deal_values: Floats, draws: Floats, to_end: bool = False
) -> Rollouts:
    """Play every alternative on every deal, by the same random numbers.

    Args:
        policy: makes all decisions that are not forced.
        state: deals before a decision, all cards in their places.
        alternatives: int64[alternatives, steps], the actions that are forced first, in order; -1 after the last.
        deal_values: float64[7], W(n) at place n.
        draws: float64[deals, `PLACES`], uniform in [0, 1), as of `draw_numbers`.
        to_end: whether tricks are counted: hands then are played on after their result is settled.
    """
    deals = len(state.size)
    forced = np.asarray(alternatives, dtype=np.int64).reshape(len(alternatives), -1)
    hands = rows_of(state, np.repeat(np.arange(deals), len(forced)))
    _force(hands, forced)
    hands = play_out(policy, hands, draws, len(forced), to_end)
    shape = deals, len(forced)
    tricks = hands.tricks
    played = tricks.sum(axis=1) == hands.size
    made = of_seat(tricks, hands.bidder) >= contract(hands.size)
    return Rollouts(
        won=payoffs(hands, deal_values)[:, 0].reshape(shape),
        bidder=hands.bidder.reshape(shape),
        made=made.reshape(shape),
        tricks=np.where(played, tricks[:, 0], -1).reshape(shape),
        sweeper=tower_winner(hands).reshape(shape),
        discard=hands.discard.reshape(shape),
    )


def draw_numbers(deals: int, random: np.random.Generator) -> Floats:
    """float64[deals, 19]: the random numbers of deals, one for each place in a hand.

    Places are the four calls, the discard and fourteen cards, so that alternatives of one deal have the same number for
    the same decision.
    """
    return random.random((deals, PLACES))


def play_out(policy: Policy, state: State, draws: Floats, together: int = 1, to_end: bool = True) -> State:
    """Return hands at their end, all decisions from here on being a policy's.

    Args:
        policy: makes all decisions.
        state: hands before a decision.
        draws: float64[hands / together, `PLACES`].
        together: so many rows in turn share their numbers.
        to_end: whether they are played on where no card left can change the result.
    """
    played = copied(state)
    rows = np.arange(len(state.size))
    while True:
        rows, places = next_choices(played, rows, to_end)
        if not len(rows):
            return played
        act_by(policy, played, rows, draws[rows // together, places])


@kernel
def _force(state: State, forced: Any) -> None:
    for row in range(len(state.size)):
        for action in forced[row % len(forced)]:
            if action < 0:
                break
            act(state, row, action)


def action_likelihoods(policy: Policy, state: State, actions: Sequence[int]) -> Floats:
    """float64[actions, hands]: how likely the policy makes each of some actions after those before it."""
    likelihoods = np.empty((len(actions), len(state.size)))
    for place, action in enumerate(actions):
        likelihoods[place] = action_probabilities(policy, state)[:, action]
        state = step(state, np.full(len(state.size), action))
    return likelihoods


# ------------------------------------------------------------------------------- until values are no longer learned


class PlayedHands(NamedTuple):
    """Hands played out: the non-dealer's tricks, and the discard, a mask of the trump frame; 0 without."""

    tricks: NDArray[np.int32]
    discard: NDArray[np.int32]


def play_contracts(
    policy: Policy, size: Ints, hands: Ints, up: Ints, contract: Ints, random: np.random.Generator
) -> PlayedHands:
    """Play hands out, the calls being those that lead to a contract (0 to 7) and all else the policy's."""
    state = play_on(policy, size, hands, up, _CALLS[contract], random)
    return PlayedHands(state.tricks[:, 0], state.discard)


def play_on(policy: Policy, size: Ints, hands: Ints, up: Ints, calls: Ints, random: np.random.Generator) -> State:
    """Return hands at their end, the first calls of each given: int[hands, most], -1 after the last."""
    state = start(np.asarray(size), hands, up)
    for column in calls.T:
        state = select_hands(column != _STAY, step(state, np.maximum(column, 0)), state)
    return play_out(policy, state, draw_numbers(len(state.size), random))


def play_together(policy: Policy, state: State, together: int, random: np.random.Generator) -> State:
    """Return hands played until their result is settled; so many rows in turn share their random numbers."""
    return play_out(policy, state, draw_numbers(len(state.size) // together, random), together, to_end=False)


# ------------------------------------------------------------------------------------------------------ drawing deals


@dataclass(frozen=True)
class DrawnHands:
    """All hands of one size beside one up-card, a spade: the classes, then the mirror images of those that have one.

    Attributes:
        cards: hand size n.
        up: the up-card.
        classes: int64[classes], printed masks.
        frame: int32[hands], masks of the up-card frame.
        row: int64[hands], the class of each.
        mirrored: bool[hands].
        bids: of the policy, by class.
        learned: bool[classes], those whose values are learned.
    """

    cards: int
    up: int
    classes: Ints
    frame: NDArray[np.int32]
    row: Ints
    mirrored: Bools
    bids: PolicyBids
    learned: Bools

    def tilts(self, contract: int) -> tuple[Floats, Floats]:
        """How much likelier a hand of either seat is drawn than others, float64[hands] each, 0 to 1.

        Hands that bid so as to reach the contract are drawn more often, none is left out.
        """
        suit = contract & 3
        place = np.where(self.mirrored, mirrored_suit(suit), suit)
        nondealer = self.bids.nondealer
        dealer = self.bids.dealer
        if contract == 0:
            return _tilt(nondealer.accepts, 0.15)[self.row], np.ones(len(self.row))
        if contract == CONTRACTS // 2:
            return np.ones(len(self.row)), _tilt(1 - dealer.answers, 0.4)[self.row]
        passes = _tilt(1 - dealer.answers, 0.1)[self.row]
        if contract < CONTRACTS // 2:
            return _tilt(nondealer.names[self.row, NAMED_PLACE[place]], 0.3), passes
        names = _tilt(dealer.left[self.row, NAMED_PLACE[place]], 0.3)
        return _tilt(nondealer.names[self.row, 3], 0.3), passes * names

    def draw(self, contract: int, count: int, random: np.random.Generator, seat: int | None = None) -> Ints:
        """int64[2, count]: places of hands of the non-dealer and of the dealer that share no card.

        A deal is drawn in proportion to the product of the two tilts; of the seat, if given, only hands in `learned`.
        """
        tilts = list(self.tilts(contract))
        if seat is not None:
            tilts[seat] = tilts[seat] * self.learned[self.row]
        sums = [np.cumsum(tilt) for tilt in tilts]
        drawn: list[NDArray[np.int64]] = []
        while sum(part.shape[1] for part in drawn) < count:
            pair = np.stack([np.searchsorted(of, random.random(4 * count) * of[-1], side="right") for of in sums])
            pair = np.minimum(pair, len(self.row) - 1)
            drawn.append(pair[:, (self.frame[pair[0]] & self.frame[pair[1]]) == 0])
        return np.concatenate(drawn, axis=1)[:, :count]


_MOST_ASKED: Final = 18_000  # classes of a size and up-card: more are sampled
NAMED_PLACE: Final = np.array([-1, 0, 2, 1])  # of a suit of the up-card frame among C D H, those that can be named


def mirrored_suit(suit: int) -> int:
    """The two suits of the other colour swapped."""
    return suit if suit < 2 else 5 - suit


def _tilt(share: Floats, floor: float) -> Floats:
    return floor + (1 - floor) * share


def drawn_hands(cards: int, up: int, bids: PolicyBids) -> DrawnHands:
    """Return every hand of a size beside a spade turned up; `bids` are the policy's, by class."""
    deals = make_deals(cards, up)
    order = np.lexsort((deals.row, deals.mirrored))
    learned = np.ones(len(deals.classes), dtype=np.bool_)
    if len(learned) > _MOST_ASKED:
        learned = np.random.default_rng(up).permutation(len(learned)) < _MOST_ASKED
    frame = to_frame(deals.hands[order])
    row = deals.row[order]
    mirrored = deals.mirrored[order]
    return DrawnHands(cards, up, deals.classes, frame, row, mirrored, bids, learned)
