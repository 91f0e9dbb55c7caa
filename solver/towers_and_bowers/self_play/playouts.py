"""What a policy does with many hands: calls with every hand, and deals played out, every alternative on the same deals.

The up-card is a spade. Of a hand and its mirror image (`solver.towers_and_bowers.bidding`) one stands for both, and a
hand that is its own mirror image names mirrored suits alike, so that no answer depends on the names of suits.

A *contract* is a number: 0 to 3 the non-dealer bids in suit 0 to 3 of the up-card frame, 4 to 7 the dealer does; 0 and
4 are the up-card accepted.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import DECK_24, mask_cards, rank_of
from towerlab.solver.towers_and_bowers.bidding import SPADES, in_play_order, make_deals, mirror, standing_hands
from towerlab.solver.towers_and_bowers.self_play.bundle import Bundle, bundle_in_use
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACCEPT,
    FOLLOW,
    NAME,
    PASS,
    PLACES,
    SECOND_PASS,
    State,
    copied,
    next_choices,
    of_seat,
    select_hands,
    start,
    step,
    to_trump_frame,
)
from towerlab.solver.towers_and_bowers.self_play.network import Policy, act_by, action_probabilities
from towerlab.solver.two_hands.tablebase import load_tables, rest_tricks

# [up-card's suit, suit]: the suit's number in the up-card frame; both in the order C D H S.
FRAME_SUITS: Final = np.array([(0, 3, 2, 1), (3, 0, 1, 2), (3, 1, 0, 2), (1, 3, 2, 0)], dtype=np.int32)
# The printed suits C D H S = 0..3 in the order of the up-card frame of a spade.
SPADE_FRAME: Final = tuple(np.argsort(FRAME_SUITS[3]).tolist())
MIRRORED_CALLS: Final = (0, 1, 3, 2, 4)  # the columns of `call_probabilities` with suits 2 and 3 swapped
_RANKS: Final = 63  # six ranks of a suit, 9 the lowest of them
_LOWEST: Final = 7  # its place in the 13 of a printed suit


def to_frame(masks: Ints, up_suit: Ints | int = SPADE_FRAME[0]) -> NDArray[np.int32]:
    """int32: printed masks in the frame of an up-card of that suit."""
    ranks = [masks >> 13 * suit + _LOWEST & _RANKS for suit in range(4)]
    return np.asarray(sum(of << 6 * FRAME_SUITS[up_suit, suit] for suit, of in enumerate(ranks)), dtype=np.int32)


def card_numbers(masks: Ints, trump: int) -> Ints:
    """int64[cards]: the numbers in the trump frame of cards beside a spade, masks of one card each."""
    framed = to_trump_frame(to_frame(masks), np.full(len(masks), trump, dtype=np.int32))
    return np.asarray(np.bitwise_count(framed - 1), dtype=np.int64)


_CARDS: Final = np.array(mask_cards(DECK_24))
_BY_PLACE: Final = _CARDS[np.argsort(card_numbers(1 << _CARDS, 0))]  # the cards by place in the frame of trump spades


def frame_in_play_order(masks: NDArray[np.int32]) -> Ints:
    """int64: masks of the trump frame in play order, as the tablebase takes them."""
    moved = np.zeros(masks.shape, dtype=np.int64)
    for place, card in enumerate(in_play_order(1 << _BY_PLACE, SPADES).tolist()):
        moved |= (masks >> place & 1) * np.int64(card)
    return np.asarray(moved)


def call_probabilities(policy: Policy, hands: Ints, up: int, seat: int) -> Floats:
    """float64[hands, 5]: P(accept), then in the second round P(each of suits 1, 2, 3 of the frame) and P(pass).

    A dealer has no pass in the second round: the last column is 0.

    Args:
        policy: decides.
        hands: int64[hands], printed masks of one size; a spade is turned up.
        up: the up-card.
        seat: 0 the non-dealer, 1 the dealer.
    """
    own = dealt_alone(hands, up, seat)
    first, second = ((), (PASS, PASS)) if seat == 0 else ((PASS,), (PASS, PASS, SECOND_PASS))
    accepts = _probabilities(policy, own, *first)[:, ACCEPT]
    calls = np.column_stack([accepts, _probabilities(policy, own, *second)[:, NAME:]])
    is_mirrored = mirror(hands) == hands
    calls[is_mirrored, 2:4] = calls[is_mirrored, 2:4].mean(axis=1, keepdims=True)
    return np.asarray(calls)


class CallTable:
    """How a policy calls with the classes of one hand size and up-card, each worked out when it is needed.

    Args:
        policy: in double precision.
        cards: hand size n.
        up: the up-card, a spade.
    """

    def __init__(self, policy: Policy, cards: int, up: int) -> None:
        self._policy = policy
        self._up = up
        self._classes = make_deals(cards, up).classes
        self._calls = np.full((2, len(self._classes), 5), np.nan)

    def of(self, hands: Ints, seat: int) -> Floats:
        """Return `call_probabilities` of hands, int64[hands], printed masks."""
        standing = standing_hands(hands)
        rows = np.searchsorted(self._classes, standing)
        known = self._calls[seat]
        missing = np.unique(rows[np.isnan(known[rows, 0])])
        if len(missing):
            known[missing] = call_probabilities(self._policy, self._classes[missing], self._up, seat)
        calls = known[rows]
        is_mirrored = standing != hands
        calls[is_mirrored] = calls[is_mirrored][:, MIRRORED_CALLS]
        return np.asarray(calls)


def call_table(cards: int, up: int) -> CallTable:
    """Return the table of a hand size and up-card, of the policy in use."""
    return _call_table(bundle_in_use(), cards, up)


@functools.lru_cache(maxsize=4)
def _call_table(bundle: Bundle, cards: int, up: int) -> CallTable:
    return CallTable(bundle.exact_policy, cards, up)


def dealt_alone(hands: Ints, up: int, seat: int) -> State:
    """Return hands before the first call, one seat's cards in sight and the other's left out."""
    own = np.zeros((len(hands), 2), dtype=np.int32)
    own[:, seat] = to_frame(hands)
    size = np.full(len(hands), int(hands[0]).bit_count())
    return start(size, own, np.full(len(hands), 1 << rank_of(up) - _LOWEST, dtype=np.int32))


def _probabilities(policy: Policy, state: State, *calls: int) -> Floats:
    """float64[hands, 30], after some calls."""
    for call in calls:
        state = step(state, np.full(len(state.size), call))
    return action_probabilities(policy, state)


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


def bid_contracts(size: int, hands: NDArray[np.int32], up: int, contract: Ints) -> State:
    """Return hands after the calls that lead to a contract: before the discard, or the first lead.

    Args:
        size: cards to each player.
        hands: int32[hands, 2], masks of the up-card frame, of the non-dealer and of the dealer.
        up: mask of the up-card.
        contract: int[hands], 0 to 7.
    """
    count = len(hands)
    state = start(np.full(count, size), hands, np.full(count, up, dtype=np.int32))
    for column in _CALLS[contract].T:
        state = select_hands(column != _STAY, step(state, np.maximum(column, 0)), state)
    return state


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


def final_tricks(state: State) -> Ints:
    """int64[hands]: the non-dealer's tricks of hands that are over or settled, the rest played with all cards seen."""
    leads = np.where(state.decision == FOLLOW, 1 - state.turn, state.turn)
    leader, follower, led = (
        frame_in_play_order(cards)
        for cards in (of_seat(state.hands, leads), of_seat(state.hands, 1 - leads), state.led)
    )
    rest = rest_tricks(load_tables(), leader, follower, led)
    left = np.bitwise_count(leader | led).astype(np.int64)
    return np.asarray(state.tricks[:, 0] + np.where(leads == 0, rest, left - rest))
