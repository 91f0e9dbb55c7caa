"""Strategies as small whole numbers: what ships. A row a class, probabilities in parts of `ONE`, or of `FINE`.

Columns, n being the hand size::

    accept                          1   the non-dealer accepts
    name_C name_D name_H name_pass  4   the second call
    discard_1 .. discard_n          n   the dealer's discard when the non-dealer has accepted, from the lowest card
    answer                          1   the dealer accepts after a pass
    own_discard_1 .. own_discard_n  n   the discard then
    left_C left_D left_H            3   the suit named after two passes

Rows stand in the order of `solver.towers_and_bowers.classes.up_card_classes`. In parts of `ONE` what is played less
often than `RARE` is left out: remains of the first steps of learning. Where rounds of bidding are met by floors alone a
call made once in a thousand times says who comes there: `FINE` has a twentieth of a floor. Of a choice between more
than two the numbers add up to about one; reading divides by their sum.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats
from towerlab.solver.towers_and_bowers.bidding.strategies import BiddingStrategies

ONE: Final = 10_000
FINE: Final = 60_000
RARE: Final = 0.002
Shares = NDArray[np.uint16]


def columns(cards: int) -> list[str]:
    """Names of the columns.

    >>> columns(1)[5:8]
    ['discard_1', 'answer', 'own_discard_1']
    """
    names = [f"name_{call}" for call in ("C", "D", "H", "pass")]
    discards = [f"discard_{place}" for place in range(1, cards + 1)]
    own = [f"own_{name}" for name in discards]
    return ["accept", *names, *discards, "answer", *own, *(f"left_{suit}" for suit in "CDH")]


def value_columns(cards: int) -> list[str]:
    """Names of the values of every call and discard, where they are known, in the order of
    `solver.towers_and_bowers.whole_hand.call_values`.

    >>> value_columns(1)
    ['accept', 'pass', 'name_C', 'name_D', 'name_H', 'name_pass', 'discard_1', 'answer', 'answer_pass', \
'own_discard_1', 'left_C', 'left_D', 'left_H']
    """
    also = {"accept": ["accept", "pass"], "answer": ["answer", "answer_pass"]}
    return [name for column in columns(cards) for name in also.get(column, [column])]


def pack(strategies: BiddingStrategies, scale: int = ONE) -> Shares:
    """uint16[classes, 2 n + 9]: strategies rounded to parts of `one`, in the order of `columns`."""
    parts = []
    rare = RARE if scale == ONE else 0.0
    for _, array in strategies.arrays():
        choice = np.where(array < rare, 0.0, np.where(array > 1 - rare, 1.0, array))
        if array.ndim == 2:
            choice = choice / choice.sum(1, keepdims=True)
        parts.append(choice[:, None] if array.ndim == 1 else choice)
    packed: Shares = np.rint(np.concatenate(parts, axis=1) * scale).astype(np.uint16)
    return packed


def unpack(packed: Shares, cards: int, scale: int = ONE) -> BiddingStrategies:
    """Return the inverse of `pack`, as far as rounding allows.

    Args:
        packed: uint16[classes, 2 n + 9].
        cards: n.
        scale: in how many parts.
    """
    places = np.cumsum([0, 1, 4, cards, 1, cards, 3])
    accepts, names, discards, answers, own, left = (
        packed[:, first:last].astype(np.float64, order="C") for first, last in itertools.pairwise(places.tolist())
    )
    names, discards, own, left = (part / part.sum(1, keepdims=True) for part in (names, discards, own, left))
    return BiddingStrategies(accepts[:, 0] / scale, names, discards, answers[:, 0] / scale, own, left)


def unfloored(strategies: BiddingStrategies, floor: float) -> BiddingStrategies:
    """Return the inverse of `floored` for all calls; discards have no floor."""

    def without(calls: Floats, choices: int) -> Floats:
        taken: Floats = np.clip((calls - floor) / (1 - floor * choices), 0.0, 1.0)
        return taken / taken.sum(1, keepdims=True) if taken.ndim == 2 else taken

    return replace(
        strategies,
        accepts=without(strategies.accepts, 2),
        answers=without(strategies.answers, 2),
        names=without(strategies.names, 4),
        left=without(strategies.left, 3),
    )


def floored(choice: Floats, floor: float) -> Floats:
    """Return probabilities of bids in the perturbed game, none below `floor`.

    Args:
        choice: float64[.., bids], adding up to one.
        floor: least probability of every bid.

    Returns:
        float64[.., bids].
    """
    raised: Floats = floor + (1 - floor * choice.shape[-1]) * choice
    return raised
