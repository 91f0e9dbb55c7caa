"""How contracts end between two players of a policy, for what one of them knows when the cards are dealt.

A seat knows its hand and the up-card. For each of the eight contracts (`playouts`) a small network gives the
probabilities of the non-dealer's tricks, the other hand as likely as the calls that lead to the contract make it. A
second one says how likely the other makes these calls. The value of every call, for any W(n), follows from both
(`call_values`).

Their inputs are exact: how each contract ends with all cards seen, over all hands that the other can
hold, and what the policy itself calls with the hand. The outputs of the first are added to the logarithms of these
chances, so that it learns what hidden cards change.

Hands are those of `solver.towers_and_bowers.classes`, beside a spade. Seat 0 is the non-dealer.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from towerlab.solver.towers_and_bowers.bidding.strategies import payoffs
from towerlab.solver.towers_and_bowers.bidding.views import DealerViews, NondealerViews, dealer_views, nondealer_views
from towerlab.solver.towers_and_bowers.open_bidding import open_bidding
from towerlab.solver.towers_and_bowers.self_play.calls import PolicyBids, to_frame
from towerlab.solver.towers_and_bowers.self_play.environment import CARDS, LARGEST_HAND, bits_of, to_trump_frame
from towerlab.solver.towers_and_bowers.self_play.network import Floats32, Network, read_network, softmax
from towerlab.solver.towers_and_bowers.self_play.playouts import CONTRACTS, NAMED_PLACE
from towerlab.solver.towers_and_bowers.upcard import OUTCOMES

_DATA: Final = Path(__file__).parents[1] / "data"
TAUGHT: Final = range(3, 8)  # hand sizes that have networks
CALL_OUTPUTS: Final = 5
_EVEN: Final = 0.5  # any value of a deal: it decides ties of the open bidding only
_SMALL: Final = 0.01  # added to chances before their logarithm is taken
SUIT_PLACES: Final = NAMED_PLACE[1:]  # places of C D H in the order of the up-card frame
_RANKS: Final = 6


class Contracts(NamedTuple):
    """The expectation of a seat in each contract, a row a hand.

    Attributes:
        tricks: float64[hands, 8, 8], P(the non-dealer takes so many tricks) in each contract, as if reached.
        accepts: float64[hands], P(the other accepts in the first round).
        names: float64[hands, 4], then, if both have passed: P(the other names suits 1, 2, 3), P(passes), the last 0 for
            a dealer.
        own: float64[hands, 4], the same of the seat itself, by the policy.
    """

    tricks: Floats
    accepts: Floats
    names: Floats
    own: Floats


def own_calls(bids: NondealerBids | DealerBids) -> Floats:
    """float64[hands, 5]: P(accept), then P(each of suits 1, 2, 3) and P(pass) in the second round, of a seat."""
    if isinstance(bids, NondealerBids):
        return np.concatenate([bids.accepts[:, None], bids.names[:, [*SUIT_PLACES, 3]]], axis=1)
    left = bids.left[:, SUIT_PLACES]
    return np.concatenate([bids.answers[:, None], left, np.zeros((len(left), 1))], axis=1)


def seat_views(hands: Ints, up: int, seat: int, bids: PolicyBids | None) -> NondealerViews | DealerViews:
    """The layouts of hands, with the other's bids by class where they are given."""
    bidding = open_bidding(int(hands[0]).bit_count(), [_EVEN] * 8, DEFAULT_RULES)
    if seat == 0:
        return nondealer_views(hands, up, None if bids is None else bids.dealer, bidding, DEFAULT_RULES)
    return dealer_views(hands, up, None if bids is None else bids.nondealer, bidding, DEFAULT_RULES)


def open_shares(views: NondealerViews | DealerViews, bids: NondealerBids | DealerBids) -> Floats:
    """float64[hands, 45]: how hands end with all cards seen, all layouts alike.

    The non-dealer's tricks (8) of the up-card accepted, then of the suits 1, 2, 3 named; 8 more of the fewest tricks
    over the suits, or of a dealer the best discard for each layout; how the hand ends after a first pass (5). A dealer
    who has accepted discards as the policy does.

    Args:
        views: of the seat.
        bids: of the policy with these hands, of the same seat.
    """
    if isinstance(views, DealerViews) and isinstance(bids, DealerBids):
        accepted = (bids.own_discards[:, :, None] * views.open_own).sum(1)
        more = views.open_accepted
    else:
        assert isinstance(views, NondealerViews)
        accepted = views.open_accepted
        more = views.open_fewest
    named = views.open_named[:, SUIT_PLACES].reshape(len(accepted), -1)
    counts = np.concatenate([accepted, named, more, views.open_passed], axis=1)
    return np.asarray(counts / views.open_passed.sum(1, keepdims=True))


class HandRows(NamedTuple):
    """The input of a network, arrays of [rows, …]; a row is a hand of one seat.

    Attributes:
        size, seat: int64[rows].
        frame: int32[rows], masks of the up-card frame.
        up: int32[rows], mask of the up-card.
        opened: float[rows, 45], of `open_shares`.
        own: float[rows, 5], of `own_calls`.
    """

    size: Ints
    seat: Ints
    frame: NDArray[np.int32]
    up: NDArray[np.int32]
    opened: NDArray[Any]
    own: NDArray[Any]

    def at(self, rows: Ints) -> HandRows:
        """Return some of the rows."""
        some: list[Any] = [of[rows] for of in self]
        return HandRows(*some)


def hand_rows(hands: Ints, up: int, seat: int, opened: Floats, own: Floats) -> HandRows:
    """Return what a network is shown of hands of one size, classes beside a spade."""
    size = int(hands[0]).bit_count()
    card = to_frame(np.array([1 << up]))[0]
    sizes = np.full(len(hands), size)
    seats = np.full(len(hands), seat)
    return HandRows(sizes, seats, to_frame(hands), np.full(len(hands), card, dtype=np.int32), opened, own)


def calls_inputs(shown: HandRows) -> Floats32:
    """float32[rows, 88]: what is shown to the network of the other's calls."""
    public = shown.seat[:, None], _one_hot(shown.size - 1, LARGEST_HAND), bits_of(shown.up, _RANKS)
    cards = bits_of(shown.frame, CARDS)
    return np.concatenate([cards, *public, shown.opened, shown.own], axis=1, dtype=np.float32)


def contract_inputs(shown: HandRows, contract: Ints) -> Floats32:
    """float32[rows, 113]: what is shown to the network of contracts, a contract 0 to 7 a row.

    The hand and the up-card in the trump frame; who asks, who bids, whether the up-card was accepted; the size; what
    `open_shares` and the seat's own calls say of the trump suit, the other of its colour, the two others.
    """
    trump = np.asarray(contract) & 3
    half = CONTRACTS // 2
    suits = np.stack([trump, trump ^ 1, 2 - (trump & 2), 3 - (trump & 2)], axis=1)
    rows = np.arange(len(trump))[:, None]
    cards = (bits_of(to_trump_frame(of, trump.astype(np.int32)), CARDS) for of in (shown.frame, shown.up))
    kind = 4 * shown.seat + 2 * (np.asarray(contract) >= half) + (trump == 0)
    shares = shown.opened[:, : half * OUTCOMES].reshape(len(trump), half, OUTCOMES)[rows, suits]
    public = _one_hot(kind, 8), _one_hot(shown.size - 1, LARGEST_HAND)
    opened = shares.reshape(len(trump), -1), shown.opened[:, half * OUTCOMES :]
    own = shown.own[rows, suits], shown.own[:, half:]
    return np.concatenate([*cards, *public, *opened, *own], axis=1, dtype=np.float32)


def offsets(inputs: NDArray[Any]) -> Floats32:
    """float32[rows, 8]: what is added to the outputs, from `contract_inputs`."""
    shares = np.asarray(inputs[:, _OPENED : _OPENED + OUTCOMES], dtype=np.float32)
    return np.asarray(np.log(shares + np.float32(_SMALL)))


def _one_hot(numbers: Ints, count: int) -> NDArray[Any]:
    return np.asarray(numbers[:, None] == np.arange(count))


_OPENED: Final = 2 * CARDS + 8 + LARGEST_HAND  # where the open result of the contract stands among `contract_inputs`


# ------------------------------------------------------------------------------------------------------------- answers


class ValueNetworks(NamedTuple):
    """Of one hand size, the networks of contracts, 8 outputs, and of the other's calls, 5 outputs."""

    contracts: Network
    calls: Network


def contracts_of(
    networks: ValueNetworks, hands: Ints, up: int, seat: int, bids: NondealerBids | DealerBids
) -> Contracts:
    """Return what hands of one size can expect.

    Args:
        networks: that were trained.
        hands: int64[hands], classes beside a spade, printed masks.
        up: the up-card.
        seat: 0 the non-dealer, 1 the dealer.
        bids: of the policy with these hands, of the same seat.
    """
    opened = open_shares(seat_views(hands, up, seat, None), bids)
    own = own_calls(bids)
    shown = hand_rows(hands, up, seat, opened, own)
    size = shown.size[0]
    many = np.repeat(np.arange(len(hands)), CONTRACTS)
    inputs = contract_inputs(shown.at(many), np.tile(np.arange(CONTRACTS), len(hands)))
    logits = networks.contracts.outputs(inputs) + offsets(inputs)
    tricks = softmax(logits, np.broadcast_to(np.arange(OUTCOMES) <= size, logits.shape))
    calls = networks.calls.outputs(calls_inputs(shown)).astype(np.float64)
    accepts = 1 / (1 + np.exp(-calls[:, 0]))
    names = calls[:, 1:]
    can = np.broadcast_to(np.arange(4) < 3 + seat, names.shape)
    return Contracts(tricks.reshape(-1, CONTRACTS, OUTCOMES), accepts, softmax(names, can), own[:, 1:])


class CallValues(NamedTuple):
    """P(a seat wins the tower) by what it calls, a row a hand; later calls of both are the policy's.

    Attributes:
        bids: float64[hands, 4], it bids in suit 0 (accepts) to 3.
        passes: float64[hands], it passes in the first round.
        passes_again: float64[hands], in the second; not a number of a dealer, who cannot.
    """

    bids: Floats
    passes: Floats
    passes_again: Floats


def call_values(contracts: Contracts, seat: int, cards: int, next_deal: float) -> CallValues:
    """Return the values of calls.

    Args:
        contracts: of hands of one size.
        seat: 0 the non-dealer, 1 the dealer.
        cards, next_deal: hand size n, W(n - 1).
    """
    as_bidder, as_defender = payoffs(cards, next_deal, DEFAULT_RULES)
    half = CONTRACTS // 2
    values = np.concatenate([contracts.tricks[:, :half] @ as_bidder, contracts.tricks[:, half:] @ as_defender], axis=1)
    if seat == 1:
        values = 1 - values
    bids, meets = (values[:, half:], values[:, :half]) if seat else (values[:, :half], values[:, half:])
    named = (contracts.names[:, :3] * meets[:, 1:]).sum(1)
    own = (contracts.own[:, :3] * bids[:, 1:]).sum(1)
    if seat == 1:
        return CallValues(bids, named + contracts.names[:, 3] * own, np.full(len(named), np.nan))
    later = own + contracts.own[:, 3] * named
    passes = contracts.accepts * meets[:, 0] + (1 - contracts.accepts) * later
    return CallValues(bids, passes, named)


def value_files(cards: int) -> tuple[Path, Path]:
    """Where the networks of a hand size ship, in the order of `ValueNetworks`."""
    return _DATA / f"contract_values-{cards}.npz", _DATA / f"other_calls-{cards}.npz"


@functools.cache
def stored_values(cards: int) -> ValueNetworks:
    """Return the networks of a hand size in `TAUGHT` that ship, in double precision (`network.answering_policy`)."""
    return ValueNetworks(*(read_network(path).in_double() for path in value_files(cards)))
