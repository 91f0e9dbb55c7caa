"""What a player knows of a hand, as the tensor and the string that OpenSpiel's algorithms read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from games.cards import card_text, mask_cards, mask_text
from sim.towers_and_bowers.openspiel.position import (
    ACTIONS,
    DEALER,
    NO_CARD,
    NUMBERS,
    PACK,
    PASS,
    Position,
    action_text,
)

_CARDS = len(PACK)
_CALLS = 4
_CALL_KINDS = ACTIONS - PASS


class HandObserver:
    """Observer in the sense of `open_spiel.python.observation`.

    Pieces of the tensor, float32, 1 where it is so: ``player`` (2); private ``dealt``, ``held``, ``discard``
    (24 each, by card of the pack); public ``up`` (24), ``calls`` (4 × 6), and ``plays`` with perfect recall
    (2n × 2 × 24: turn, player, card), else ``played`` (2 × 24), ``led`` (24) and ``taken`` (2, tricks).
    The string tells the same.
    """

    def __init__(self, cards: int, kind: Any) -> None:
        self._recalls = bool(kind.perfect_recall)
        self._private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._public = bool(kind.public_info)
        shapes: dict[str, tuple[int, ...]] = {"player": (2,)}
        if self._private:
            shapes |= {"dealt": (_CARDS,), "held": (_CARDS,), "discard": (_CARDS,)}
        if self._public:
            shapes |= {"up": (_CARDS,), "calls": (_CALLS, _CALL_KINDS)}
            if self._recalls:
                shapes |= {"plays": (2 * cards, 2, _CARDS)}
            else:
                shapes |= {"played": (2, _CARDS), "led": (_CARDS,), "taken": (2,)}
        sizes = {name: int(np.prod(shape)) for name, shape in shapes.items()}
        self.tensor = np.zeros(sum(sizes.values()), np.float32)
        self.dict = {}
        start = 0
        for name, shape in shapes.items():
            self.dict[name] = self.tensor[start : start + sizes[name]].reshape(shape)
            start += sizes[name]

    def set_from(self, state: Any, player: int) -> None:
        """Fill `tensor`, and with it the named views of `dict`."""
        position: Position = state.position
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if self._private:
            self.dict["dealt"][_numbers(position.dealt[player])] = 1
            self.dict["held"][_numbers(position.hands[player])] = 1
            if player == DEALER and position.discard != NO_CARD:
                self.dict["discard"][NUMBERS[position.discard]] = 1
        if not self._public:
            return
        if position.up != NO_CARD:
            self.dict["up"][NUMBERS[position.up]] = 1
        for turn, call in enumerate(position.calls):
            self.dict["calls"][turn, call - PASS] = 1
        for turn, (who, card) in enumerate(position.plays):
            if self._recalls:
                self.dict["plays"][turn, who, NUMBERS[card]] = 1
            else:
                self.dict["played"][who, NUMBERS[card]] = 1
        if not self._recalls:
            self.dict["taken"][:] = position.taken
            if position.led() != NO_CARD:
                self.dict["led"][NUMBERS[position.led()]] = 1

    def string_from(self, state: Any, player: int) -> str:
        """What the player knows: ``"p1 dealt AC up 9S calls pass accept discard AC plays 0:KC"``."""
        position: Position = state.position
        words = [f"p{player}"]
        if self._private:
            words += ["dealt", mask_text(position.dealt[player])]
        if self._public:
            if position.up != NO_CARD:
                words += ["up", card_text(position.up)]
            words += ["calls", *(action_text(call) for call in position.calls)]
        if self._private and player == DEALER and position.discard != NO_CARD:
            words += ["discard", card_text(position.discard)]
        if self._public:
            words += self._play_words(position)
        if self._private and not self._recalls:
            words += ["held", mask_text(position.hands[player])]
        return " ".join(words)

    def _play_words(self, position: Position) -> list[str]:
        if position.discard != NO_CARD:
            words = ["exchanged"]  # the act is seen, the card is not
        else:
            words = []
        if self._recalls:
            return [*words, "plays", *(f"{who}:{card_text(card)}" for who, card in position.plays)]
        for who in (0, 1):
            played = sum(1 << card for seat, card in position.plays if seat == who)
            words += [f"p{who} played", mask_text(played)]
        led = position.led()
        return [*words, "led", card_text(led) if led != NO_CARD else "-", "taken", "{} {}".format(*position.taken)]


def _numbers(mask: int) -> list[int]:
    return [NUMBERS[card] for card in mask_cards(mask)]
