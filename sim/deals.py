"""Dealing in batches, with conditions: every deal that fits is equally likely.

Cards that a condition names as held (`holds`) are dealt first, the others at random; deals that do not fit are
thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.cards import mask_cards
from towerlab.games.errors import DealError
from towerlab.sim.conditions import Condition

MOST_TRIES = 2_000_000  # deals drawn for one that fits, before a condition counts as hopeless
_BATCH = 20_000


def draw_deals(condition: Condition, sizes: Mapping[str, int], n: int, random: np.random.Generator) -> Ints:
    """Draw deals, all that fit being equally likely, each independent of the others.

    Args:
        condition: the condition, with the pack.
        sizes: cards of each seat of the condition; the rest of the pack is not dealt.
        n: how many.
        random: draws the cards.

    Returns:
        Hands as masks, int64[n, seats], in the order of `sizes`.

    Raises:
        DealError: no deal fits, or none of `MOST_TRIES` that were drawn.
    """
    sure = condition.sure
    fitting = [np.empty((0, len(sizes)), dtype=np.int64)]
    tried = 0
    wanted = {seat: size - sure[seat].bit_count() for seat, size in sizes.items()}
    named = sum(sure.values())
    contradicts = min(wanted.values()) < 0 or named.bit_count() != sum(mask.bit_count() for mask in sure.values())
    rest = np.array(mask_cards(condition.deck & ~named), dtype=np.int64)
    while sum(map(len, fitting)) < n:
        if contradicts or (tried >= MOST_TRIES and len(fitting) == 1):
            hands = ", ".join(f"{seat} {size}" for seat, size in sizes.items())
            raise DealError(
                f"no deal fits {condition.text!r} with hands of {hands} cards, none of {tried:,} drawn; "
                "expected a condition that some deal fits"
            )
        shuffled = np.int64(1) << random.permuted(np.tile(rest, (_BATCH, 1)), axis=1)
        ends = np.cumsum([*wanted.values()])
        parts = np.split(shuffled, ends, axis=1)[: len(sizes)]
        hands_of = {seat: part.sum(axis=1) | sure[seat] for seat, part in zip(sizes, parts, strict=True)}
        fits, tried = condition.test(hands_of), tried + _BATCH
        if fits.any():
            fitting.append(np.stack([*hands_of.values()], axis=1)[fits])
    return np.concatenate(fitting)[:n]
