"""Drafts and wars of Tower War step by step (TW-1 .. TW-21)."""

from __future__ import annotations

from typing import Any

from tests.oracles.situations import situations
from towerlab.games.cards import DECK_54, mask_cards, parse_mask
from towerlab.games.tower_war import TowerWar, TowerWarOptions


def begin(words: str, options: dict[str, Any]) -> TowerWar:
    """A war that has not begun, or one between two decks whose first hands are drawn where they are all there is."""
    game = TowerWar(TowerWarOptions(**options))
    if words == "new":
        return game
    decks = [parse_mask(deck, DECK_54) for deck in words.split(" / ")]
    game.decks(decks)
    while game.phase == "DRAW" and max(map(int.bit_count, decks)) <= 3:
        game.draw(mask_cards(decks[game.state().player]))
    return game


test_a_war_goes_as_the_rules_say = situations("tower-war", begin, DECK_54, options=TowerWarOptions)
