"""The draft (TW-3..7): five cards split in two piles, and in the advanced game pyramids beside one of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from towerlab.games.cards import mask_cards, mask_text
from towerlab.games.engine import Action, Choices
from towerlab.games.errors import CardError, demand, shown

ROUNDS = 10
ROUND_CARDS = 5
THIRD_STASH = (5, 5, 5)
NO_PYRAMIDS = (0, 0, 0)
MOST_OF_A_SIZE = 10  # pyramids of one player: the own five and the third stash's


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
    """Return every multiset of a common stash that can be laid beside a pile, the empty one first (TW-6)."""
    return list(itertools.product(*(range(count + 1) for count in stash)))


def split_choices(seat: int, face_up: int, stash: tuple[int, ...]) -> Choices:
    """Every division of the five cards, and then each with every offer beside one of its piles (TW-3, TW-6)."""
    splits = pile_splits(face_up)
    empty, *offers = pyramid_offers(stash)
    options = [(empty, 0), *((offer, pile) for offer in offers for pile in range(2))]

    def make(index: int) -> Action:
        pyramids, pile = options[index // len(splits)]
        piles = [mask_text(part).split() for part in splits[index % len(splits)]]
        more = {"pyramids": list(pyramids), "beside": pile} if any(pyramids) else {}
        return {"action": "split", "player": seat, "piles": piles, **more}

    return Choices(len(splits) * len(options), make)


def check_split(piles: Sequence[int], pyramids: Sequence[int], pile: int, face_up: int, stash: tuple[int, ...]) -> None:
    """Refuse a division that is none of the five cards, or pyramids that are not in the third stash.

    Raises:
        IllegalAction: what was expected.
    """
    whole = len(piles) == 2 and piles[0] & piles[1] == 0 and piles[0] | piles[1] == face_up
    demand(whole, f"the {len(piles)} piles are not the five cards; expected two that make them up", "TW-3")
    demand(all(piles), "a pile is empty; expected one to four of the five cards", "TW-3")
    fits = len(pyramids) == len(stash) and all(0 <= n <= most for n, most in zip(pyramids, stash, strict=True))
    demand(fits, f"pyramids {shown(list(pyramids))} are not in the third stash of {stash}", "TW-6")
    demand(pile in (0, 1), f"there is no pile {pile!r} for the pyramids; expected 0 or 1", "TW-6")


def check_decks(decks: Sequence[int], stashes: Sequence[Sequence[int]], deck_size: int) -> None:
    """Refuse decks and stashes that cannot be laid down instead of a draft.

    Raises:
        IllegalAction: not two of each, or a stash that cannot be.
        CardError: a deck of the wrong size, or a card in both.
    """
    two = len(decks) == 2 and len(stashes) == 2
    demand(two, f"{len(decks)} decks and {len(stashes)} stashes; expected two of each", "TW-7")
    for name, deck in zip(("one", "two"), decks, strict=True):
        if not 1 <= deck.bit_count() <= deck_size:
            raise CardError(f"deck {name} has {deck.bit_count()} cards; expected 1 to {deck_size} (TW-7)")
    if decks[0] & decks[1]:
        raise CardError(f"{mask_text(decks[0] & decks[1])} is in both decks; expected every card once (TW-1)")
    for stash in stashes:
        fits = len(stash) == 3 and all(type(n) is int and 0 <= n <= MOST_OF_A_SIZE for n in stash)
        expected = f"expected large, medium and small ones, 0 to {MOST_OF_A_SIZE} each"
        demand(fits, f"a stash of {shown(list(stash))}; {expected}", "TW-1")
