"""Layouts of the unseen cards of a Towie hand, and their double-dummy values.

The asker sees thirteen cards and six of the dummy's; 33 cards are unseen: seven of the dummy, thirteen of each
opponent, every way equally likely (RULES.md TO-3). A deal is four printed masks [asker, left, dummy, right]: the order
of play when the asker declares, the dummy opposite and the opponent on the left to lead (TO-8).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Ints
from towerlab.games.cards import DECK_52, mask_cards, trump_field
from towerlab.games.towie.dealing import HAND_SIZE
from towerlab.sim.towie.outcomes import in_play_order
from towerlab.solver.double_dummy import shared_solver

STRAINS: Final = 5  # C D H S NT
ME, LEFT, DUMMY, RIGHT = range(4)
LEADER_STEP: Final = 1  # the leader sits on the declarer's left


def sample_pairs(hand: int, exposed: int, count: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Deals [count, 4] that fit what the asker sees, and beside each one with an average dummy, unseen.

    The second deal is the first one with the exposed cards moved to random places among the 39; all others stay where
    they are, except those that make room. Each of the two is uniform; that they hang together makes their difference
    less noisy.

    Args:
        hand, exposed: printed masks of thirteen cards, and of cards of the dummy.
        count: how many.
        random: source of the layouts.
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
    return shared_solver().tricks_of_many(masks, int(trump_field(strain)), LEADER_STEP)


def solve_makes(deals: Ints, strain: int, tricks: int, declarer: int = ME) -> NDArray[np.bool_]:
    """Whether the declarer takes at least so many tricks, for every deal; much cheaper than `solve_tricks`."""
    masks = _play_masks(deals, strain, declarer)
    return shared_solver().many_at_least(masks, tricks, int(trump_field(strain)), LEADER_STEP)


def _shuffled(hand: int, exposed: int, count: int, random: np.random.Generator) -> Ints:
    """Cards [count, 39] by place: first the exposed ones, then the dummy's other cards, left's, right's."""
    unseen = np.array(mask_cards(DECK_52 & ~hand & ~exposed), dtype=np.int64)
    rest = random.permuted(np.tile(unseen, (count, 1)), axis=1)
    seen = np.tile(np.array(mask_cards(exposed), dtype=np.int64), (count, 1))
    return np.concatenate([seen, rest], axis=1)


def _masks(hand: int, places: Ints) -> Ints:
    """Deals [count, 4] from cards by place."""
    bits = np.left_shift(np.int64(1), places)
    dummy, left, right = (bits[:, HAND_SIZE * k : HAND_SIZE * (k + 1)].sum(axis=1) for k in range(3))
    return np.stack([np.full(len(places), hand, dtype=np.int64), left, dummy, right], axis=1)


def _play_masks(deals: Ints, strain: int, declarer: int) -> Ints:
    """The asker as caller 0: dummy's place is skipped in going round (TO-8)."""
    return in_play_order(deals[:, (ME, LEFT, RIGHT, DUMMY)], (ME, LEFT, RIGHT).index(declarer), strain)
