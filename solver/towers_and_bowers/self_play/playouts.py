"""Contracts played out by a policy, on deals drawn so that those count most from which values are learned.

A *contract* is a number: 0 to 3 the non-dealer bids in suit 0 to 3 of the up-card frame, 4 to 7 the dealer does; 0 and
4 are the up-card accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals
from towerlab.solver.towers_and_bowers.self_play.calls import PolicyBids, to_frame
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACCEPT,
    MOST_DECISIONS,
    NAME,
    OVER,
    PASS,
    SECOND_PASS,
    State,
    is_settled,
    rows_of,
    select_hands,
    start,
    step,
)
from towerlab.solver.towers_and_bowers.self_play.network import Network, action_probabilities, choose

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


class PlayedHands(NamedTuple):
    """Hands played out, arrays of [hands].

    Attributes:
        tricks: int32, the non-dealer's.
        discard: int32, mask of the trump frame; 0 without.
    """

    tricks: NDArray[np.int32]
    discard: NDArray[np.int32]


def play_contracts(
    policy: Network, size: Ints, hands: Ints, up: Ints, contract: Ints, random: np.random.Generator
) -> PlayedHands:
    """Play hands out, the calls being those that lead to a contract and all else the policy's.

    Args:
        policy: a network with 30 outputs.
        size: int[hands], cards to each player.
        hands: int32[hands, 2], masks of the up-card frame, of the non-dealer and of the dealer.
        up: int32[hands], masks of the up-card.
        contract: int[hands], 0 to 7.
        random: draws what the policy does.
    """
    state = play_on(policy, size, hands, up, _CALLS[contract], random)
    return PlayedHands(state.tricks[:, 0], state.discard)


def play_on(policy: Network, size: Ints, hands: Ints, up: Ints, calls: Ints, random: np.random.Generator) -> State:
    """Return hands at their end, the first calls of each given; for the other arguments see `play_contracts`.

    Args:
        calls: int[hands, most], actions; -1 after the last that is given.
    """
    state = start(np.asarray(size), hands, up)
    for column in calls.T:
        given = column != _STAY
        state = select_hands(given, step(state, np.maximum(column, 0)), state)
    return play_out(policy, state, random)


def play_out(policy: Network, state: State, random: np.random.Generator) -> State:
    """Return hands at their end, all decisions from here on being the policy's."""
    for _ in range(MOST_DECISIONS):
        if (state.decision == OVER).all():
            break
        shares = action_probabilities(policy, state)
        state = step(state, choose(shares, random.random(len(shares))))
    return state


def play_together(policy: Network, state: State, together: int, random: np.random.Generator) -> State:
    """Return hands played until their result is settled, all decisions being the policy's.

    Args:
        policy: a network with 30 outputs.
        state: hands before a decision.
        together: so many rows in turn share their random numbers.
        random: draws what the policy does.
    """
    arrays: list[Any] = [array.copy() for array in state]
    for _ in range(MOST_DECISIONS):
        draws = np.repeat(random.random(len(state.size) // together), together)
        now = State(*arrays)
        rows = np.flatnonzero(~is_settled(now) & (now.decision != OVER))
        if not len(rows):
            break
        some = rows_of(now, rows)
        after = step(some, choose(action_probabilities(policy, some), draws[rows]))
        for array, new in zip(arrays, after, strict=True):
            array[rows] = new
    return State(*arrays)


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
