"""The draft (TW-3..7): five cards split in two piles, and in the advanced game pyramids beside one of them."""

from __future__ import annotations

import itertools

from games.cards import mask_cards

ROUNDS = 10
ROUND_CARDS = 5
THIRD_STASH = (5, 5, 5)
NO_PYRAMIDS = (0, 0, 0)


def pile_splits(cards: int) -> list[tuple[int, int]]:
    """Every division of some cards into two piles of at least one, as masks; each unordered pair once (TW-3).

    The pile without the lowest card stands first; five cards have 15 divisions.
    """
    others = mask_cards(cards)[1:]
    splits = []
    for size in range(1, len(others) + 1):
        for chosen in itertools.combinations(others, size):
            pile = sum(1 << card for card in chosen)
            splits.append((pile, cards & ~pile))
    return splits


def pyramid_offers(stash: tuple[int, ...]) -> list[tuple[int, ...]]:
    """What can be laid beside a pile from a common stash: every multiset, none included (TW-6)."""
    return list(itertools.product(*(range(count + 1) for count in stash)))
