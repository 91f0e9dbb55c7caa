"""The players of High Card."""

from __future__ import annotations

from typing import Final

import numpy as np

from towerlab.games.cards import card_text, mask_cards, rank_of
from towerlab.games.engine import Action
from towerlab.games.high_card import View
from towerlab.sim.own_players import KnownPlayer

PLAYERS: Final = {
    "random": KnownPlayer("plays any card"),
    "novice": KnownPlayer("leads its highest card and answers with the lowest that wins, else with its lowest"),
}


class SeatedPlayer:
    """A player in a seat of the engine, by its name in `PLAYERS`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def choose(self, view: View, random: np.random.Generator) -> Action:
        """Return its action."""
        held = sorted(mask_cards(view.hand), key=rank_of)
        card = int(random.choice(held)) if self._name == "random" else _card_of_novice(held, view.led)
        return {"action": "play", "card": card_text(card)}


def _card_of_novice(held: list[int], led: int | None) -> int:
    if led is None:
        return held[-1]
    return next((card for card in held if rank_of(card) > rank_of(led)), held[0])
