"""How questions about Tower War are read: cards, pyramids, the tower between two battles."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from towerlab.games.cards import DECK_54, cards_mask, mask_cards, mask_text, parse_mask, rename_card
from towerlab.games.errors import CardError, IllegalAction, demand
from towerlab.games.tower_war import BASIC_STASH, TowerWarOptions
from towerlab.games.tower_war.battle import SKIRMISHES, Array
from towerlab.games.tower_war.draft import MOST_OF_A_SIZE, THIRD_STASH
from towerlab.games.tower_war.tower import LEVEL_PYRAMIDS, LEVELS, MAX_LEVELS, SIZE_LETTERS, new_tower


def read_cards(text: str, what: str, fewest: int = SKIRMISHES, most: int = 54) -> int:
    """Cards as a printed mask.

    Raises:
        CardError: a bad card, or a card given twice (TW-1).
        IllegalAction: too few or too many cards (TW-9).
    """
    try:
        mask = parse_mask(text, DECK_54, what)
    except CardError as error:
        raise CardError(f"{error} (TW-1)") from error
    expected = ("none", "one", "two", "three")[fewest] + " at least" * (most > fewest)
    demand(fewest <= mask.bit_count() <= most, f"{what} has {mask.bit_count()} cards; expected {expected}", "TW-9")
    return mask


def order_suits(*masks: int) -> tuple[int, ...]:
    """Return a name 0..3 for each suit, so that cards which differ by suit names only become equal.

    A search that breaks ties by suit then answers both alike.
    """
    every = itertools.permutations(range(4))
    return min(every, key=lambda names: [cards_mask(rename_suits(mask_cards(mask), names)) for mask in masks])


def rename_suits(cards: Iterable[int], names: Sequence[int]) -> list[int]:
    """Return the cards with new names of their suits; jokers have none."""
    return [rename_card(card, names) for card in cards]


def check_apart(places: Mapping[str, int]) -> None:
    """Refuse a card in two places.

    Raises:
        CardError: the card and both places (TW-1).
    """
    for (place, cards), (other, more) in itertools.combinations(places.items(), 2):
        if cards & more:
            raise CardError(f"{mask_text(cards & more)} is in {place} and in {other}; expected every card once (TW-1)")


def read_pyramids(text: str, most: Sequence[int], complaint: str, rule: str) -> tuple[int, ...]:
    """Pyramids by size, ``"LLMMS"``.

    Raises:
        IllegalAction: other letters, or more of a size than `most`.
    """
    letters = "".join(text.upper().replace(",", " ").split())
    counts = tuple(letters.count(letter) for letter in SIZE_LETTERS)
    if sum(counts) != len(letters) or any(count > limit for count, limit in zip(counts, most, strict=True)):
        raise IllegalAction(f"{text!r} {complaint}; expected at most {pyramids_text(most)}", rule)
    return counts


def pyramids_text(stash: Sequence[int]) -> str:
    """Return how many pyramids of each size, ``"L5 M5 S5"``."""
    return " ".join(f"{letter}{count}" for letter, count in zip(SIZE_LETTERS, stash, strict=True))


def read_tower(
    options: TowerWarOptions, my_stash: str | None = None, their_stash: str | None = None, levels: int | None = None
) -> Array:
    """Return the tower between two battles; I am player 0.

    Args:
        options: rule options.
        my_stash, their_stash: pyramids left, such as ``"LLMMS"``; five of each size by default.
        levels: cards in the tower, the base included. In the basic game they follow from the stashes; in the advanced
            game, where pyramids were drafted, the fewest that fit by default.

    Raises:
        IllegalAction: stashes that cannot be (TW-15), or levels that do not go with them (TW-17).
    """
    most = (MOST_OF_A_SIZE,) * 3 if options.advanced else BASIC_STASH
    stashes = [
        BASIC_STASH if stash is None else read_pyramids(stash, most, "is no stash", "TW-15")
        for stash in (my_stash, their_stash)
    ]
    both = list(map(sum, zip(*stashes, strict=True)))
    demand(max(both) <= 15, f"both stashes have {pyramids_text(both)}; expected at most 15 of a size", "TW-6")
    left = sum(both)
    fewest = 2 * sum(BASIC_STASH)
    drafted = sum(THIRD_STASH) if options.advanced else 0
    fit = [at for at in range(1, MAX_LEVELS + 1) if 0 <= left + LEVEL_PYRAMIDS * (at - 1) - fewest <= drafted]
    demand(bool(fit), f"{left} pyramids are left; between battles a multiple of three is", "TW-17")
    expected = f"expected {fit[0]}" + f" to {fit[-1]}" * (len(fit) > 1)
    demand(levels in (None, *fit), f"a tower of {levels} cards with {left} pyramids left; {expected}", "TW-17")
    tower = new_tower(*stashes)
    tower[LEVELS] = levels or fit[0]
    return tower
