"""Bidding strategies over all hands that an opponent can hold, and the tricks of each (`make_layouts`, for studies).

A *bidding strategy* gives the opponent's probabilities for each possible hand, the layouts: an equilibrium's or a
player's. `solver.towers_and_bowers.bidding.views` counts layouts by them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from games.arrays import Floats, Ints
from games.cards import to_play_order
from games.jit import kernel
from solver.towers_and_bowers.upcard import set_places, subsets, unseen_cards
from solver.two_hands.tablebase import TableArrays, leader_tricks, load_tables


class Paths(NamedTuple):
    """How likely the opponent's bids let each layout come to what the asker may meet, the asker's own calls left aside.

    Attributes:
        first, second: float64[layouts], the asker's first and second decision.
        accepted: float64[layouts], the up-card accepted by the opponent.
        named: float64[layouts, 3], each suit named by the opponent, in order of id.
    """

    first: Floats
    second: Floats
    accepted: Floats
    named: Floats

    def likelihood(self, second_round: bool) -> float:
        """How often the opponent lets it come to the asker's first or second decision."""
        return float((self.second if second_round else self.first).mean())


@dataclass(frozen=True)
class NondealerBids:
    """How an opponent who does not deal bids, by layout.

    Attributes:
        accepts: float64[layouts], P(accepts).
        names: float64[layouts, 4], in the second round: the suits that can be named in order of id, then a pass.
    """

    accepts: Floats
    names: Floats

    def paths(self) -> Paths:
        """To a dealing asker's decisions."""
        passes = 1 - self.accepts
        return Paths(passes, passes * self.names[:, 3], self.accepts, passes[:, None] * self.names[:, :3])


@dataclass(frozen=True)
class DealerBids:
    """How a dealing opponent bids, by layout; cards are counted from the lowest id.

    Attributes:
        discards: float64[layouts, n], the discard when the asker has accepted.
        answers: float64[layouts], P(accepts) after a pass.
        own_discards: float64[layouts, n], the discard then.
        left: float64[layouts, 3], the suit named after two passes.
    """

    discards: Floats
    answers: Floats
    own_discards: Floats
    left: Floats

    def paths(self) -> Paths:
        """To the decisions of an asker who does not deal."""
        passes = 1 - self.answers
        return Paths(np.ones(len(passes)), passes, self.answers, passes[:, None] * self.left)


@dataclass(frozen=True)
class Layouts:
    """Every hand the opponent can hold, and the tricks of the non-dealer.

    Attributes:
        hands: int64[layouts], printed masks.
        exchanged: int64[layouts, n], in the accepted contract after each discard of the dealer, from the lowest card.
        named: int64[layouts, 3], in the suits that can be named, in order of id.
    """

    hands: Ints
    exchanged: Ints
    named: Ints


def make_layouts(hand: int, up: int, dealer: bool) -> Layouts:
    """All layouts of one view.

    Args:
        hand: printed mask of the asker's dealt cards.
        up: the up-card.
        dealer: whether the asker deals.
    """
    cards = hand.bit_count()
    pool = unseen_cards(hand, up)
    places = subsets(len(pool), cards)
    hands = np.zeros(len(places), dtype=np.int64)
    for place, card in enumerate(pool):
        hands |= (places >> place & 1) << card
    exchanged = np.empty((len(hands), cards), dtype=np.int64)
    named = np.empty((len(hands), 3), dtype=np.int64)
    _count_tricks(load_tables(), hand, up, dealer, hands, exchanged, named)
    return Layouts(hands, exchanged, named)


@kernel
def _count_tricks(
    tables: TableArrays, hand: int, up: int, dealer: bool, hands: Any, exchanged: Any, named: Any
) -> None:
    up_suit = up // 13
    for layout in range(hands.shape[0]):
        nondealer, dealing = (hands[layout], hand) if dealer else (hand, hands[layout])
        leader = to_play_order(nondealer, up_suit, True)
        cards = set_places(dealing)
        for place in range(cards.shape[0]):
            kept = (dealing | (1 << up)) & ~(1 << cards[place])
            exchanged[layout, place] = leader_tricks(tables, leader, to_play_order(kept, up_suit, True))
        column = 0
        for suit in range(4):
            if suit != up_suit:
                tricks = leader_tricks(tables, to_play_order(nondealer, suit, True), to_play_order(dealing, suit, True))
                named[layout, column] = tricks
                column += 1
