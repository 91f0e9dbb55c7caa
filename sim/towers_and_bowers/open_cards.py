"""The value of every call and every first lead of a hand when all cards are open: what PIMC compares.

Tricks come from the tablebase, for every pair of hands; of the dealer who took the up-card, for the cards kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.jit import kernel
from towerlab.sim.towers_and_bowers.walks import cards_beside
from towerlab.solver.towers_and_bowers.whole_hand import HandGame
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    CONTRACTS,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    UP_CARD,
    UP_SUIT,
    trump_of,
)
from towerlab.solver.two_hands.tablebase import TableArrays, lead_tricks, load_tables

TRICK: Final = 1e-9  # added to a payoff for each trick: of equal ones that with more tricks is the better
EQUAL: Final = 1e-10  # means that differ by less differ by rounding only


@dataclass(frozen=True)
class OpenCardValues:
    """The values of a hand with open cards, all the non-dealer's P(win the tower).

    Attributes:
        fits: bool[hands, hands], whether two hands of n cards can be held at once; the non-dealer's first.
        accepted: float64[2, hands, n, kept], by who accepts, the card that the non-dealer leads and the set that the
            dealer keeps beside the up-card.
        named: two arrays float64[3, hands, n, hands], the non-dealer or the dealer names clubs, diamonds, hearts.
    """

    fits: Bools
    accepted: Floats
    named: tuple[Floats, Floats]

    def exchanged(self, bidder: int, kept: Ints) -> Floats:
        """Return the values with the up-card's suit as trumps, by the dealer's discard.

        Args:
            bidder: who accepts.
            kept: int64[hands, n], numbers of the sets that are left (`HandGame.kept`).

        Returns:
            float64[hands, hands, n].
        """
        return np.asarray(self.accepted[bidder].max(axis=1)[:, kept])

    def contract(self, bidder: int) -> Floats:
        """float64[3, hands, hands]: the values with each named suit as trumps."""
        return np.asarray(self.named[bidder].max(axis=2))


def open_cards(game: HandGame, up_rank: int) -> OpenCardValues:
    """Return the values beside one up-card.

    Args:
        game: not mirrored; the payoffs are its own.
        up_rank: printed rank of the up-card.
    """
    n, sets = game.cards, game.sets
    hands, kept = int(sets[n]), int(sets[n - 1])
    masks = game.set_masks[n, :hands]
    payoffs = game.payoffs + TRICK * np.arange(n + 1)
    tables = load_tables()
    order = [cards_beside(13 * UP_SUIT + up_rank, trump_of(contract)).masks for contract in range(CONTRACTS)]
    tricks = np.zeros((hands, n, kept), dtype=np.int8)
    _fill_leads(tables, game.set_masks, n, n - 1, order[NONDEALER_ACCEPTS], True, tricks)
    accepted = np.stack([payoffs[contract][tricks] for contract in (NONDEALER_ACCEPTS, DEALER_ACCEPTS)])
    leads = np.zeros((3, hands, n, hands), dtype=np.int8)
    for suit in range(3):
        _fill_leads(tables, game.set_masks, n, n, order[NONDEALER_NAMES + suit], False, leads[suit])
    named = tuple(
        np.stack([payoffs[first + suit][leads[suit]] for suit in range(3)]) for first in (NONDEALER_NAMES, DEALER_NAMES)
    )
    dealt = game.dealt[:hands] > 0
    fits = ((masks[:, None] & masks) == 0) & dealt[:, None] & dealt
    return OpenCardValues(fits, accepted, (named[0], named[1]))


@kernel
def _fill_leads(
    tables: TableArrays, sets: Ints, n: int, other: int, order: Ints, exchanges: bool, tricks: NDArray[np.int8]
) -> None:
    """The non-dealer's tricks by that player's hand, the card led and the dealer's hand; 0 where they share a card."""
    dealers = np.zeros(tricks.shape[2], np.int64)
    for place in range(tricks.shape[2]):
        dealers[place] = ordered(sets[other, place], order) | (order[UP_CARD] if exchanges else 0)
    for hand in range(tricks.shape[0]):
        cards, number = ordered(sets[n, hand], order), 0
        for card in range(UP_CARD):
            if not sets[n, hand] >> card & 1:
                continue
            for place in range(tricks.shape[2]):
                if cards & dealers[place] == 0:
                    tricks[hand, number, place] = lead_tricks(tables, cards, dealers[place], order[card])
            number += 1


@kernel
def ordered(held: int, order: Ints) -> int:
    """Return cards by number as a play-order mask; `order` is int64[24], `ContractCards.masks`."""
    mask = 0
    for card in range(CARDS):
        if held >> card & 1:
            mask |= order[card]
    return mask
