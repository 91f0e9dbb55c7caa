"""The buffers of the last two tricks: pairs of cards, and the tables of reach, payoffs and values over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import CARDS
from towerlab.solver.towers_and_bowers.whole_hand.workspace import AnyFloats

ZERO: Final = np.float32(0.0)
ONE: Final = np.float32(1.0)
HALF: Final = np.float32(0.5)
STEPS: Final = np.float32(65534.0)  # of a share in 16 bits, which is one more: 0 stands for none
_PAIRS: Final = CARDS * (CARDS - 1) // 2
COUNT, NUMBER, ROWS = range(3)  # of `CardPairs.size`
UNSEEN, LEAD, GONE, GONE_ROW = range(4)  # of `LastTricks.led`


class CardPairs(NamedTuple):
    """The pairs of cards that one player may hold: a lower and a higher card, by their places among the cards.

    Attributes:
        size: int64[3], how many cards, pairs, and rows: discards of each pair.
        cards: int64[24], the cards, of the follower those of the suit led first.
        place: int64[24], the place of each card number, -1 for none.
        low, high: int64[276], the places of both.
        number: int64[24, 24], of the pair by both places, -1 for none.
        reach, comes: float[276 * 24], by pair and discard: how far the player's choices lead here, and how much has
            gone into its averages on the way here.
        share: how often the lower card is played.
        of_card: float[2, 276 * 24], the values of playing the lower card, and the higher one; `value`: of the choice.
    """

    size: Ints
    cards: Ints
    place: Ints
    low: Ints
    high: Ints
    number: Ints
    reach: AnyFloats
    comes: AnyFloats
    share: AnyFloats
    of_card: AnyFloats
    value: AnyFloats


class LastTricks(NamedTuple):
    """Buffers; cards are places of `CardPairs`, discards are rows: places among the unseen cards.

    Attributes:
        leader, follower: their pairs.
        unseen, row_of: int64[24], the unseen cards, and the row of each card, -1 for none.
        led: int64[4], how many cards are unseen, and of the card led its place among the leader's, among the
            follower's, and its row; -1 for none.
        wins: int64[24], 1 where a card of the follower's takes the trick.
        last: float[24, 24], how often the leader keeps a card, by discard.
        total, by_card, by_row: float[24], the same over all discards by the leader's place, the follower's, by row.
        payoff: float[2, 24, 24], by who took the trick (0 the leader), the leader's last card, the follower's.
        same: the same where the leader's last card is what the follower has played.
        put: the same by the follower's last card and the row of the leader's.
        out: float[2, 24, 24], what is taken out of a follower's values for the own discard.
        card_value: float[24, 24], the value to the follower of playing a card and keeping another.
        played: float[24, 24], how often the follower does that; `played_by_row` by discard too.
        keeping: float[2, 24], sums by who takes the trick and what the follower keeps.
        last_value: float[24, 24], the value of the leader's last card, by discard.
    """

    leader: CardPairs
    follower: CardPairs
    unseen: Ints
    row_of: Ints
    led: Ints
    wins: Ints
    last: AnyFloats
    total: AnyFloats
    by_card: AnyFloats
    by_row: AnyFloats
    payoff: AnyFloats
    same: AnyFloats
    put: AnyFloats
    out: AnyFloats
    card_value: AnyFloats
    played: AnyFloats
    played_by_row: AnyFloats
    keeping: AnyFloats
    last_value: AnyFloats


def make_last_tricks(kind: type[Any]) -> LastTricks:
    """Buffers for passes of any hand size over what has been learnt in numbers of a kind."""

    def floats(*shape: int) -> AnyFloats:
        return np.zeros(shape, dtype=kind)

    two = (CARDS, CARDS)
    three = (2, CARDS, CARDS)
    return LastTricks(
        *(_new_pairs(floats), _new_pairs(floats)),
        *(_integers(CARDS), _integers(CARDS), _integers(4), _integers(CARDS)),
        *(floats(*two), floats(CARDS), floats(CARDS), floats(CARDS)),
        *(floats(*three), floats(*three), floats(*three), floats(*three)),
        *(floats(*two), floats(*two), floats(CARDS, CARDS, CARDS), floats(2, CARDS), floats(*two)),
    )


def _new_pairs(floats: Callable[..., AnyFloats]) -> CardPairs:
    places = _integers(3), _integers(CARDS), _integers(CARDS)
    pairs = _integers(_PAIRS), _integers(_PAIRS), _integers(CARDS, CARDS)
    size = _PAIRS * CARDS
    return CardPairs(*places, *pairs, floats(size), floats(size), floats(size), floats(2, size), floats(size))


def _integers(*shape: int) -> Ints:
    return np.zeros(shape, dtype=np.int64)
