"""Stored bidding for hands in any suits: their rows, with suits and cards renamed back.

Stored hands have a spade turned up and one of two mirrored hands (`solver.towers_and_bowers.bidding`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import SUITS, card_text, mask_cards, suit_of
from towerlab.solver.towers_and_bowers.bidding import (
    MIRRORED_SUITS,
    SPADES,
    DealerBids,
    NondealerBids,
    floored,
    mirror,
    purified,
    rename,
    standing_hands,
    suit_renamings,
)
from towerlab.solver.towers_and_bowers.upcard import named_suits
from towerlab.solver.towers_and_bowers.views import places_of


def stored_suits(up: int) -> tuple[int, int, int, int]:
    """The stored suit of each suit C D H S: one of the two renamings that make the up-card a spade."""
    return next(names for names in suit_renamings() if names[suit_of(up)] == SPADES)


_STORED: Final = np.array([stored_suits(13 * suit) for suit in range(4)], dtype=np.int64)  # by the up-card's suit
_NAMED: Final = np.array([named_suits(13 * suit) for suit in range(4)], dtype=np.int64)


class RenamedHands:
    """Hands whose suits are renamed so that the up-card is a spade, and choices of theirs in the suits of the question.

    Args:
        up: the up-card, or that of each hand.
        swapped: of which hands diamonds and hearts are swapped, too; None: where one of two mirrored hands stands for
            both (`standing_hands`).

    Attributes:
        hands: int64[hands], printed masks of the question.
        ups: int64[hands], the up-card of each.
        renamed: int64[hands], the hands with their suits renamed.
    """

    def __init__(self, up: int | Ints, hands: Ints, swapped: bool | None = None) -> None:
        self.hands = hands
        self.ups = np.broadcast_to(np.asarray(up, dtype=np.int64), hands.shape)
        suits = _STORED[self.ups // 13]
        plain = rename(hands, suits.T)
        is_swapped = standing_hands(plain) != plain if swapped is None else np.full(hands.shape, swapped)
        self.renamed = np.where(is_swapped, mirror(plain), plain)
        self._suits = np.where(is_swapped[:, None], MIRRORED_SUITS[suits], suits)
        self._named = np.take_along_axis(self._suits, _NAMED[self.ups // 13], 1)
        self._as_given = not is_swapped.any() and bool((self.ups // 13 == SPADES).all())

    def suits(self, choice: Floats) -> Floats:
        """Return a choice of the suits that can be named, in order of id, then of a pass if it is there."""
        if self._as_given:
            return choice
        return np.concatenate([np.take_along_axis(choice, self._named, 1), choice[:, 3:]], axis=1)

    def discards(self, choice: Floats) -> Floats:
        """Return a choice of cards, from the lowest."""
        if self._as_given:
            return choice
        cards = places_of(self.hands, choice.shape[1])
        suits = np.take_along_axis(self._suits, cards // 13, 1)
        place = np.argsort(np.argsort(13 * suits + cards % 13, axis=1), axis=1)
        return np.take_along_axis(choice, place, axis=1)

    def contracts(self, choice: Floats) -> Floats:
        """Return what is stored of the suits named, then of the up-card accepted, by the discard if there is one."""
        return np.concatenate([self.suits(choice[:, :3]), self.discards(choice[:, 3:])], axis=1)


class StoredSide(RenamedHands):
    """The stored solution for some hands beside an up-card of one rank, in the suits and cards of the question.

    Args:
        up: the up-card, or that of each hand.
        floor: least probability of every bid; None for that of the solution.
        advised: leave out what loses against the stored solution (`losing.purified`): how to bid, not what is expected.

    Attributes:
        rows: int64[hands], the class of each.
        strategies: of each hand, suits and cards still those of the stored classes.
    """

    def __init__(
        self, stored: StoredBidding, up: int | Ints, hands: Ints, floor: float | None = None, advised: bool = False
    ) -> None:
        super().__init__(up, hands)
        self._floor = stored.floor if floor is None else floor
        self.rows = np.searchsorted(stored.hands, self.renamed)
        self.strategies = stored.strategies_of(self.rows)
        if advised:
            self.strategies = purified(self.strategies, stored.values[self.rows].astype(np.float64))

    def calls(self, dealer: bool) -> tuple[Floats, Floats]:
        """P(a seat accepts), float64[hands], and its second call (`suits`), each made at least with its floor."""
        made = self.strategies
        accepts, names = (made.answers, made.left) if dealer else (made.accepts, made.names)
        return self._floor + (1 - 2 * self._floor) * accepts, floored(self.suits(names), self._floor)

    def nondealer(self) -> NondealerBids:
        """Return how a non-dealer bids the hands."""
        return NondealerBids(*self.calls(False))

    def dealer(self) -> DealerBids:
        """As `nondealer`, by the dealer."""
        answers, left = self.calls(True)
        made = self.strategies
        return DealerBids(self.discards(made.discards), answers, self.discards(made.own_discards), left)


@dataclass(frozen=True)
class OwnHand:
    """The stored mixes of one hand and seat, by call and card.

    Attributes:
        first, second: probabilities of the calls of each round.
        discards: of the cards of a dealer, by whether the dealer has accepted.
    """

    first: Mapping[str, float]
    second: Mapping[str, float]
    discards: Mapping[bool, Mapping[str, float]]


def own_hands(stored: StoredBidding, ups: int | Ints, hands: Ints, dealer: bool) -> list[OwnHand]:
    """Return the mixes of each hand of a seat, without calls that lose; the arguments are those of `StoredSide`."""
    side = StoredSide(stored, ups, hands, floor=0.0, advised=True)
    rows_of_up = []
    accepts, second = side.calls(dealer)
    made = side.strategies
    given = {True: made.own_discards, False: made.discards} if dealer else {}
    discards = {by: side.discards(choice).tolist() for by, choice in given.items()}
    rows = zip(side.hands.tolist(), side.ups.tolist(), accepts.tolist(), second.tolist(), strict=True)
    for row, (hand, up, accept, names) in enumerate(rows):
        suits = [SUITS[suit] for suit in named_suits(up)] + ([] if dealer else ["pass"])
        cards = [card_text(card) for card in mask_cards(hand)]
        first = {"accept": accept, "pass": 1 - accept}
        own = {by: dict(zip(cards, of[row], strict=True)) for by, of in discards.items()}
        rows_of_up.append(OwnHand(first, dict(zip(suits, names, strict=True)), own))
    return rows_of_up
