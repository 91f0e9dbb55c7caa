"""Kitties and hands drawn from the cards that a player does not see, and what best play takes in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.bowers import PLAYERS, Rules, bid_trumps, to_bid_order
from towerlab.games.bowers.bidding import MISERE
from towerlab.games.cards import mask_cards
from towerlab.solver.double_dummy import shared_solver

ME: Final = 0  # seats are counted from the player who asks, clockwise


def leader_seat(rules: Rules, place: int) -> int:
    """Seat of the first leader (BO-8), counted from the bidder, who was the `place`-th (0..2) to speak."""
    return -place % PLAYERS if rules.eldest_leads else ME


def draw_hands(unseen: int, number: int, rng: np.random.Generator, hand_size: int | None = None) -> Ints:
    """The hands on the left and on the right, masks [number, 2], all layouts equally likely.

    Args:
        unseen: cards that the two may hold.
        number: layouts.
        rng: random numbers.
        hand_size: cards of each; None for all of them, half each.
    """
    cards = np.tile(np.array([1 << card for card in mask_cards(unseen)], dtype=np.int64), (number, 1))
    size = cards.shape[1] // 2 if hand_size is None else hand_size
    shuffled = rng.permuted(cards, axis=1)
    left = np.bitwise_or.reduce(shuffled[:, :size], axis=1)
    return np.stack((left, np.bitwise_or.reduce(shuffled[:, size : 2 * size], axis=1)), axis=1)


@dataclass(frozen=True)
class Contract:
    """A bid as it is played.

    Attributes:
        call: the bid; only its trump matters here, and whether it is misère.
        leader: seat that leads first, counted from the bidder.
        names: whether a joker led at no trump names the suit to follow (BO-9).
    """

    call: int
    leader: int = ME
    names: bool = True

    def order(self, mask: int) -> int:
        """A printed mask in the bid's play order."""
        return int(to_bid_order(mask, self.call))

    def orders(self, masks: Any) -> Ints:
        """Printed masks of any shape in the bid's play order."""
        given = np.asarray(masks, dtype=np.int64)
        flat = [self.order(mask) for mask in given.ravel().tolist()]
        return np.array(flat, dtype=np.int64).reshape(given.shape)

    def tricks(self, own: Any, hands: Ints) -> Ints:
        """The bidder's tricks with best play by all, every own hand against every layout.

        Args:
            own: the bidder's hands in play order [..., number], or one.
            hands: the other two in play order [..., layouts, 2].

        Returns:
            tricks [..., number, layouts]; at misère the fewest that the bidder can be held to.
        """
        mine = np.atleast_1d(np.asarray(own, dtype=np.int64))
        shape = (*hands.shape[:-1], mine.shape[-1])
        deals = np.empty((*shape, 3), dtype=np.int64)
        deals[..., 0] = mine[..., None, :]
        deals[..., 1:] = hands[..., None, :]
        trumps, fewest = int(bid_trumps(self.call)), self.call == MISERE
        found = shared_solver().tricks_of_many(
            deals.reshape(-1, 3), trumps, self.leader, fewest=fewest, names=self.names
        )
        return found.reshape(shape).swapaxes(-1, -2)
