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
)
from towerlab.solver.towers_and_bowers.self_play.network import Network, action_probabilities, answering_policy

SPADE_FRAME: Final = (3, 0, 2, 1)  # the printed suits C D H S = 0..3 in the order of the up-card frame of a spade
NAMES: Final = (NAME, NAME + 2, NAME + 1)  # the actions that name clubs, diamonds, hearts: `named_suits` of a spade
_RANKS: Final = 63  # six ranks of a suit, 9 the lowest of them
_LOWEST: Final = 7  # its place in the 13 of a printed suit
_TRUMP_FRAME: Final = np.array(
    [[7, 8, 5, 9, 10, 11], [18, 19, 20, 21, 22, 23], [12, 13, 14, 15, 16, 17], [0, 1, 6, 2, 3, 4]]
)  # the place of each card, suits C D H S and ranks 9 to A, in the trump frame beside a spade that is trump
TRUMP_FRAME_CARDS: Final = np.array(mask_cards(DECK_24))[np.argsort(_TRUMP_FRAME, axis=None)]  # the card of each place


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


def to_frame(masks: Ints) -> NDArray[np.int32]:
    """int32: printed masks in the up-card frame beside a spade."""
    framed = sum((masks >> 13 * suit + _LOWEST & _RANKS) << 6 * place for place, suit in enumerate(SPADE_FRAME))
    return np.asarray(framed, dtype=np.int32)


def from_frame(framed: NDArray[np.int32]) -> Ints:
    """int64: the printed masks of masks in the up-card frame beside a spade."""
    masks = sum(
        (framed >> 6 * place & _RANKS).astype(np.int64) << 13 * suit + _LOWEST for place, suit in enumerate(SPADE_FRAME)
    )
    return np.asarray(masks, dtype=np.int64)


def policy_bids(policy: Network, hands: Ints, up: int) -> PolicyBids:
    """Return how a policy bids with hands of one size beside a spade turned up.

    Args:
        policy: a network with 30 outputs.
        hands: int64[hands], printed masks.
        up: the up-card.
    """
    return PolicyBids(nondealer_bids(policy, hands, up), dealer_bids(policy, hands, up))


def nondealer_bids(policy: Network, hands: Ints, up: int) -> NondealerBids:
    """Return the non-dealer's part of `policy_bids`."""
    own = dealt_alone(hands, up, 0)
    accepts, second = _probabilities(policy, own), _probabilities(policy, own, PASS, PASS)
    return NondealerBids(accepts[:, ACCEPT], even_suits(hands, second[:, [*NAMES, SECOND_PASS]]))


def dealer_bids(policy: Network, hands: Ints, up: int) -> DealerBids:
    """Return the dealer's part of `policy_bids`."""
    own = dealt_alone(hands, up, 1)
    answers, left = _probabilities(policy, own, PASS), _probabilities(policy, own, PASS, PASS, SECOND_PASS)
    cards = places_of(hands, int(hands[0]).bit_count())
    places = _TRUMP_FRAME[cards // 13, cards % 13 - _LOWEST]
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
        self.up, self.hands = up, make_deals(cards, up).classes
        self._arrays: dict[bool, list[Floats]] = {}
        self._known = {dealer: np.zeros(len(self.hands), dtype=np.bool_) for dealer in (True, False)}

    def nondealer(self, hands: Ints) -> NondealerBids:
        """Return how a non-dealer bids with hands that stand for their classes."""
        return NondealerBids(*self._of(False, hands))

    def dealer(self, hands: Ints) -> DealerBids:
        """Return how a dealer bids with hands that stand for their classes."""
        return DealerBids(*self._of(True, hands))

    def _of(self, dealer: bool, hands: Ints) -> list[Floats]:
        rows, known = np.searchsorted(self.hands, hands), self._known[dealer]
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


def _probabilities(policy: Network, state: State, *calls: int) -> Floats:
    """float64[hands, 30], after some calls."""
    for call in calls:
        state = step(state, np.full(len(state.size), call))
    return action_probabilities(policy, state)
