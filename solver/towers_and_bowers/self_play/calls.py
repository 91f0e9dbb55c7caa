"""How a policy bids and discards with every hand, as `solver.towers_and_bowers.bidding.layouts` describes a player.

The up-card is a spade. Hands are those of `solver.towers_and_bowers.classes`, of which one stands for its mirror image
too. A network treats the two suits of the other colour all but alike; a hand that is its own mirror image chooses
mirrored suits and cards exactly alike (`bidding.deals.even_suits`), so that no answer depends on the names of suits.
"""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import DECK_24, mask_cards, rank_of
from towerlab.solver.towers_and_bowers.bidding.deals import even_cards, even_suits, make_deals
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from towerlab.solver.towers_and_bowers.bidding.views import places_of
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACCEPT,
    NAME,
    PASS,
    SECOND_PASS,
    State,
    start,
    step,
    to_trump_frame,
)
from towerlab.solver.towers_and_bowers.self_play.network import Policy, action_probabilities, answering_policy

# [up-card's suit, suit]: the suit's number in the up-card frame; both in the order C D H S.
FRAME_SUITS: Final = np.array([(0, 3, 2, 1), (3, 0, 1, 2), (3, 1, 0, 2), (1, 3, 2, 0)], dtype=np.int32)
# The printed suits C D H S = 0..3 in the order of the up-card frame of a spade.
SPADE_FRAME: Final = tuple(np.argsort(FRAME_SUITS[3]).tolist())
NAMES: Final = (NAME, NAME + 2, NAME + 1)  # the actions that name clubs, diamonds, hearts: `named_suits` of a spade
_RANKS: Final = 63  # six ranks of a suit, 9 the lowest of them
_LOWEST: Final = 7  # its place in the 13 of a printed suit


class PolicyBids(NamedTuple):
    """How a policy bids from either seat, by class of one hand size and up-card."""

    nondealer: NondealerBids
    dealer: DealerBids


def of_rows(bids: PolicyBids, rows: Ints | Bools) -> PolicyBids:
    """Return the bids of some of the hands."""
    nondealer, dealer = bids
    return PolicyBids(
        NondealerBids(nondealer.accepts[rows], nondealer.names[rows]),
        DealerBids(*(of[rows] for of in (dealer.discards, dealer.answers, dealer.own_discards, dealer.left))),
    )


def to_frame(masks: Ints, up_suit: Ints | int = SPADE_FRAME[0]) -> NDArray[np.int32]:
    """int32: printed masks in the frame of an up-card of that suit."""
    ranks = [masks >> 13 * suit + _LOWEST & _RANKS for suit in range(4)]
    return np.asarray(sum(of << 6 * FRAME_SUITS[up_suit, suit] for suit, of in enumerate(ranks)), dtype=np.int32)


def from_frame(framed: NDArray[np.int32]) -> Ints:
    """int64: the printed masks of masks in the up-card frame beside a spade."""
    ranks = [framed.astype(np.int64) >> 6 * place & _RANKS for place in range(4)]
    return np.asarray(sum(of << 13 * suit + _LOWEST for of, suit in zip(ranks, SPADE_FRAME, strict=True)))


def card_numbers(masks: Ints, trump: int) -> Ints:
    """int64[cards]: the numbers in the trump frame of cards beside a spade, masks of one card each."""
    framed = to_trump_frame(to_frame(masks), np.full(len(masks), trump, dtype=np.int32))
    return np.asarray(np.bitwise_count(framed - 1), dtype=np.int64)


_CARDS: Final = np.array(mask_cards(DECK_24))
_TRUMP_PLACES: Final = card_numbers(1 << _CARDS, 0)
TRUMP_FRAME_CARDS: Final = _CARDS[np.argsort(_TRUMP_PLACES)]  # by place in the trump frame beside a spade that is trump


def policy_bids(policy: Policy, hands: Ints, up: int) -> PolicyBids:
    """Return how a policy bids with hands of one size beside a spade turned up.

    Args:
        policy: decides.
        hands: int64[hands], printed masks.
        up: the up-card.
    """
    return PolicyBids(nondealer_bids(policy, hands, up), dealer_bids(policy, hands, up))


def nondealer_bids(policy: Policy, hands: Ints, up: int) -> NondealerBids:
    """Return the non-dealer's part of `policy_bids`."""
    own = dealt_alone(hands, up, 0)
    accepts = _probabilities(policy, own)
    second = _probabilities(policy, own, PASS, PASS)
    return NondealerBids(accepts[:, ACCEPT], even_suits(hands, second[:, [*NAMES, SECOND_PASS]]))


def dealer_bids(policy: Policy, hands: Ints, up: int) -> DealerBids:
    """Return the dealer's part of `policy_bids`."""
    own = dealt_alone(hands, up, 1)
    answers = _probabilities(policy, own, PASS)
    left = _probabilities(policy, own, PASS, PASS, SECOND_PASS)
    cards = places_of(hands, int(hands[0]).bit_count())
    places = _TRUMP_PLACES[np.searchsorted(_CARDS, cards)]
    given, chosen = (
        even_cards(hands, np.take_along_axis(_probabilities(policy, own, *calls), places, 1))
        for calls in ((ACCEPT,), (PASS, ACCEPT))
    )
    return DealerBids(given, answers[:, ACCEPT], chosen, even_suits(hands, left[:, NAMES]))


class PolicyTable:
    """How the stored policy bids with the classes of one hand size and up-card, each worked out when it is needed.

    Args:
        cards: hand size n.
        up: the up-card, a spade.
    """

    def __init__(self, cards: int, up: int) -> None:
        self.up = up
        self.hands = make_deals(cards, up).classes
        self._arrays: dict[bool, list[Floats]] = {}
        self._known = {dealer: np.zeros(len(self.hands), dtype=np.bool_) for dealer in (True, False)}

    def nondealer(self, hands: Ints) -> NondealerBids:
        """Return how a non-dealer bids with hands that stand for their classes."""
        return NondealerBids(*self._of(False, hands))

    def dealer(self, hands: Ints) -> DealerBids:
        """Return how a dealer bids with hands that stand for their classes."""
        return DealerBids(*self._of(True, hands))

    def _of(self, dealer: bool, hands: Ints) -> list[Floats]:
        rows = np.searchsorted(self.hands, hands)
        known = self._known[dealer]
        missing = np.unique(rows[~known[rows]])
        if len(missing):
            bids = (dealer_bids if dealer else nondealer_bids)(answering_policy(), self.hands[missing], self.up)
            made = list(vars(bids).values())
            arrays = self._arrays.setdefault(dealer, [np.zeros((len(known), *of.shape[1:])) for of in made])
            for array, of in zip(arrays, made, strict=True):
                array[missing] = of
            known[missing] = True
        return [array[rows] for array in self._arrays[dealer]]


@functools.lru_cache(maxsize=2)
def policy_table(cards: int, up: int) -> PolicyTable:
    """Return the table of a hand size and up-card."""
    return PolicyTable(cards, up)


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
