"""Layouts of the unseen cards of a Towie hand, and what they are worth double-dummy.

The asker sees his own thirteen cards and six of the dummy's; 33 cards are unseen: seven of the dummy, thirteen of each
opponent, every way equally likely (RULES.md TO-3). A deal is four printed masks [asker, left, dummy, right]: the order
of play when the asker declares, the dummy opposite him and the opponent on his left to lead (TO-8).
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from games.arrays import Ints
from games.cards import DECK_52, mask_cards, to_play_order, trump_field
from solver.double_dummy import DoubleDummy

STRAINS: Final = 5  # C D H S NT
ME, LEFT, DUMMY, RIGHT = range(4)
HAND_CARDS: Final = 13
EXPOSED_CARDS: Final = 6
LEADER_STEP: Final = 1  # the leader sits on the declarer's left


def sample_layouts(hand: int, exposed: int, count: int, random: np.random.Generator) -> Ints:
    """Deals [count, 4] that fit the asker's hand and the exposed cards.

    Args:
        hand: printed mask of thirteen cards.
        exposed: printed mask of cards of the dummy; may be empty.
        count: how many.
        random: source of the layouts.
    """
    return _masks(hand, _shuffled(hand, exposed, count, random))


def sample_pairs(hand: int, exposed: int, count: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """As `sample_layouts`, and beside each deal one with an average dummy: the asker has seen none of its cards.

    The second deal is the first one with the exposed cards moved to random places among the 39; all others stay where
    they are, except those that make room. Each of the two is uniform; that they hang together makes their difference
    less noisy.
    """
    given = _shuffled(hand, exposed, count, random)
    moved = given.copy()
    rows = np.arange(count)
    # A shuffle of the first places, run backwards: the exposed cards' new places are a uniform choice.
    for place in reversed(range(exposed.bit_count())):
        other = random.integers(place, moved.shape[1], size=count)
        moved[rows, other], moved[:, place] = moved[:, place].copy(), moved[rows, other].copy()
    return _masks(hand, given), _masks(hand, moved)


def solve_tricks(deals: Ints, strain: int, declarer: int = ME) -> Ints:
    """Tricks [deals] of a declarer opposite the dummy in one strain."""
    masks = _play_masks(deals, strain, declarer)
    return solver().tricks_of_many(masks, int(trump_field(strain)), LEADER_STEP)


def solve_makes(deals: Ints, strain: int, tricks: int, declarer: int = ME) -> NDArray[np.bool_]:
    """Whether the declarer takes at least so many tricks, for every deal; much cheaper than `solve_tricks`."""
    masks = _play_masks(deals, strain, declarer)
    return solver().many_at_least(masks, tricks, int(trump_field(strain)), LEADER_STEP)


@functools.cache
def solver() -> DoubleDummy:
    """The solver of this process."""
    return DoubleDummy()


def _shuffled(hand: int, exposed: int, count: int, random: np.random.Generator) -> Ints:
    """Cards [count, 39] by place: first the exposed ones, then the dummy's other cards, left's, right's."""
    unseen = np.array(mask_cards(DECK_52 & ~hand & ~exposed), dtype=np.int64)
    rest = random.permuted(np.tile(unseen, (count, 1)), axis=1)
    seen = np.tile(np.array(mask_cards(exposed), dtype=np.int64), (count, 1))
    return np.concatenate([seen, rest], axis=1)


def _masks(hand: int, places: Ints) -> Ints:
    """Deals [count, 4] from cards by place."""
    bits = np.left_shift(np.int64(1), places)
    dummy, left, right = (bits[:, HAND_CARDS * k : HAND_CARDS * (k + 1)].sum(axis=1) for k in range(3))
    return np.stack([np.full(len(places), hand, dtype=np.int64), left, dummy, right], axis=1)


def seats_around(declarer: int) -> tuple[int, int, int, int]:
    """The columns of a deal in order of play from the declarer: left neighbour, dummy, right neighbour follow.

    The dummy sits opposite whoever declares (TO-8), and the dummy's place is skipped in going round: left of the asker
    is `LEFT`, left of him `RIGHT`, then the asker again.
    """
    circle = (ME, LEFT, RIGHT)
    at = circle.index(declarer)
    return declarer, circle[(at + 1) % 3], DUMMY, circle[(at + 2) % 3]


def _play_masks(deals: Ints, strain: int, declarer: int) -> Ints:
    order = seats_around(declarer)
    masks = [[int(to_play_order(int(deal[seat]), strain, False)) for seat in order] for deal in deals]
    return np.array(masks, dtype=np.int64).reshape(-1, 4)
