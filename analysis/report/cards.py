"""Cards as they look on a page: suit symbols in four colours (black spades, red hearts, blue diamonds, green clubs)."""

from __future__ import annotations

from markupsafe import Markup

from towerlab.games.cards import NO_TRUMP, SUITS, card_symbol, sorted_cards, suit_of


def card_html(card: int) -> Markup:
    """One card.

    >>> card_html(9)
    Markup('<span class="card c">J♣</span>')
    """
    suit, name = (SUITS[suit_of(card)].lower(), card_symbol(card)) if card < 52 else ("x", "joker")
    return Markup('<span class="card {}">{}</span>').format(suit, name)


def hand_html(mask: int, up: int | None = None, trump: int = NO_TRUMP, bowers: bool = False) -> Markup:
    """Draw a hand as cards, trumps first, and the up-card."""
    held = Markup().join(card_html(card) for card in sorted_cards(mask, trump, bowers))
    turned = Markup('<span class="up">up {}</span>').format(card_html(up)) if up is not None else ""
    return Markup('<span class="hand">{}{}</span>').format(held, turned)


def cards_html(mask: int, trump: int = NO_TRUMP, bowers: bool = False) -> Markup:
    """A set of cards as a player holds them, trumps first."""
    return Markup(" ").join(card_html(card) for card in sorted_cards(mask, trump, bowers))
