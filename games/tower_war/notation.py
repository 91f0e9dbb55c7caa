"""Cards of a battle as text: ``"AH TC X1:TC"``, in the order played, a joker with the card it copies."""

from __future__ import annotations

from towerlab.games.cards import DECK_52, JOKER_1, card_text, parse_card, parse_cards
from towerlab.games.errors import CardError, IllegalAction
from towerlab.games.tower_war.battle import SKIRMISHES


def parse_played(text: str, what: str = "the cards played") -> tuple[list[int], list[int]]:
    """One side of a battle: the cards, and the same as played.

    >>> parse_played("TC X1:TC")
    ([8, 52], [8, 8])

    Raises:
        CardError: not a card, or named twice.
        IllegalAction: no card or more than three (TW-9), a joker first or not the copy of an earlier card (TW-13).
    """
    cards: list[int] = []
    shown: list[int] = []
    for word in text.replace(",", " ").split():
        name, copies, copied = word.replace("=", ":").partition(":")
        card = parse_card(name)
        if card in cards:
            raise CardError(f"{card_text(card)} stands twice in {what}; expected every card once (TW-1)")
        if card >= JOKER_1:
            shown.append(_parse_copy(card_text(card), copied, shown, what))
        elif copies:
            raise IllegalAction(f"{word} in {what}: only a joker (X1, X2) can be played as another card", "TW-13")
        else:
            shown.append(card)
        cards.append(card)
    if not 1 <= len(cards) <= SKIRMISHES:
        raise IllegalAction(f"{what} has {len(cards)} cards; expected the three of a battle", "TW-9")
    return cards, shown


def _parse_copy(joker: str, copied: str, earlier: list[int], what: str) -> int:
    if not earlier:
        raise IllegalAction(f"{joker} is first in {what}; a joker cannot be the first card of a battle", "TW-13")
    choices = " or ".join(f"{joker}:{card_text(card)}" for card in earlier)
    if not copied:
        raise IllegalAction(f"{joker} in {what} copies nothing; expected {choices}", "TW-13")
    card = parse_cards(copied, DECK_52, f"{joker}:{copied}")
    if len(card) != 1 or card[0] not in earlier:
        raise IllegalAction(
            f"{joker}:{copied} in {what} copies a card not played before it; expected {choices}", "TW-13"
        )
    return card[0]
