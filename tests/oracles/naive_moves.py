"""What each card is worth by brute force: every layout that a view allows, plain minimax in each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

from tests.oracles.naive_double_dummy import naive_tricks
from towerlab.games.cards import card_text, mask_cards, to_play_order, trump_field

Layout = tuple[int, int]


def layouts(unseen: int, may: tuple[int, int], counts: tuple[int, int]) -> Iterator[Layout]:
    """Every way to deal two hidden hands out of the unseen cards, printed masks; what is left over lies out."""
    for first in itertools.combinations(mask_cards(unseen & may[0]), counts[0]):
        one = sum(1 << card for card in first)
        for second in itertools.combinations(mask_cards(unseen & may[1] & ~one), counts[1]):
            yield one, sum(1 << card for card in second)


def values(
    hands: Callable[[Layout], Sequence[int]],
    found: Sequence[Layout],
    weights: Sequence[float],
    legal: int,
    turn: tuple[int, int],
    trick: Sequence[int],
    trump: int,
    bowers: bool,
    points: Callable[[int], float],
    fewest: bool = False,
    names: bool = True,
) -> Mapping[str, float]:
    """Mean points of each legal card (no joker that names a suit).

    Args:
        hands: all hands of a layout, printed masks from the declarer on.
        found, weights: the layouts and how much each counts.
        legal: printed mask.
        turn: who leads the trick and whose turn it is.
        trick: cards (ids) on the table.
        points: by the declarer's tricks from here on.
    """

    def order(mask: int) -> int:
        return int(to_play_order(mask, trump, bowers))

    table = [order(1 << card) for card in trick]
    total = sum(weights)
    leader, mover = turn
    means = {}
    for card in mask_cards(legal):
        mean = 0.0
        for layout, weight in zip(found, weights, strict=True):
            if weight:
                masks = [order(mask) for mask in hands(layout)]
                masks[mover] &= ~order(1 << card)
                after = (*table, order(1 << card))
                tricks = naive_tricks(tuple(masks), int(trump_field(trump)), leader, after, fewest=fewest, names=names)
                mean += weight * points(tricks) / total
        means[card_text(card)] = mean
    return means
