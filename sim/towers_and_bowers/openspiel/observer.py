"""The knowledge of a player in a hand, as the tensor and the string that OpenSpiel's algorithms read."""

from __future__ import annotations

from typing import Any

import numpy as np

from towerlab.games.cards import card_text, mask_cards, mask_text
from towerlab.games.towers_and_bowers.records import CallCode
from towerlab.sim.towers_and_bowers.hand import DEALER
from towerlab.sim.towers_and_bowers.openspiel.position import NUMBERS, PACK, HandPosition
from towerlab.sim.towers_and_bowers.players.knowledge import NO_CARD

_CARDS = len(PACK)
_CALLS = 4
_CALL_KINDS = len(CallCode)


class HandObserver:
    """Observer in the sense of `open_spiel.python.observation`: all that a player knows, with perfect recall.

    Pieces of the tensor, float32, 1 where it is so: ``player`` (2); ``dealt``, ``held``, ``discard``, ``up`` (24 each,
    by card of the pack); ``calls`` (4 × 6); ``plays`` (2n × 2 × 24: turn, player, card). The string holds the same.
    """

    def __init__(self, cards: int) -> None:
        shapes: dict[str, tuple[int, ...]] = {"player": (2,)}
        shapes |= dict.fromkeys(("dealt", "held", "discard", "up"), (_CARDS,))
        shapes |= {"calls": (_CALLS, _CALL_KINDS), "plays": (2 * cards, 2, _CARDS)}
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}

    def set_from(self, state: Any, player: int) -> None:
        """Fill `tensor`, and with it the named views of `dict`."""
        position: HandPosition = state.position
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        self.dict["dealt"][_numbers(position.dealt[player])] = 1
        self.dict["held"][_numbers(position.hands[player])] = 1
        if player == DEALER and position.discard != NO_CARD:
            self.dict["discard"][NUMBERS[position.discard]] = 1
        if position.up != NO_CARD:
            self.dict["up"][NUMBERS[position.up]] = 1
        for place, call in enumerate(position.calls):
            self.dict["calls"][place, call] = 1
        for place, (who, card) in enumerate(position.plays):
            self.dict["plays"][place, who, NUMBERS[card]] = 1

    def string_from(self, state: Any, player: int) -> str:
        """Return what the player knows: ``"p1 dealt AC up 9S calls pass accept discard AC exchanged plays 0:KC"``."""
        position: HandPosition = state.position
        words = [f"p{player}", "dealt", mask_text(position.dealt[player])]
        words += [] if position.up == NO_CARD else ["up", card_text(position.up)]
        words += ["calls", *(call.word for call in position.calls)]
        if position.discard != NO_CARD:
            words += ["discard", card_text(position.discard)] if player == DEALER else []
            words += ["exchanged"]  # the act is seen, the card is not
        return " ".join([*words, "plays", *(f"{who}:{card_text(card)}" for who, card in position.plays)])


def _numbers(mask: int) -> list[int]:
    return [NUMBERS[card] for card in mask_cards(mask)]
