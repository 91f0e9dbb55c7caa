"""High Card: three tricks, any card may be played, the higher rank wins. The rules are in rules.md."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from towerlab.games.cards import DECK_24, card_text, card_texts, cards_mask, mask_cards, rank_of
from towerlab.games.engine import CARD, CARDS, Action, Choices, Engine, Reader, Result, require
from towerlab.games.errors import demand
from towerlab.games.options import GameOptions

GAME: Final = "high-card"
HAND_SIZE: Final = 3


@dataclass(frozen=True)
class HighCardOptions(GameOptions):
    """High Card has no options."""


class Phase(enum.StrEnum):
    """What the game waits for."""

    DEAL = "DEAL"
    PLAY = "PLAY"
    OVER = "OVER"


@dataclass(frozen=True)
class GameState:
    """Everything; sets of cards are masks.

    Attributes:
        to_act: the seat whose turn it is; None before the deal and after the end.
        hands: cards held, by seat.
        led: the card on the table, or None.
        tricks: won, by seat.
        played: cards of finished tricks.
    """

    phase: Phase = Phase.DEAL
    to_act: int | None = None
    hands: tuple[int, int] = (0, 0)
    led: int | None = None
    tricks: tuple[int, int] = (0, 0)
    played: int = 0


@dataclass(frozen=True)
class View:
    """What one player knows; the fields as in `GameState`, of the hands the player's own."""

    player: int
    phase: Phase
    to_act: int | None
    hand: int
    led: int | None
    tricks: tuple[int, int]
    played: int


class HighCardGame(Engine[HighCardOptions, GameState]):
    """One game, from the deal to the third trick.

    >>> game = HighCardGame()
    >>> game.apply(game.chance(np.random.default_rng(1)))
    >>> len(game.legal())
    3
    """

    GAME = GAME
    OPTIONS = HighCardOptions
    ACTIONS = ("deal", "play")
    ARGUMENTS: ClassVar[Mapping[str, Reader]] = {"pack": CARDS, "card": CARD}

    def __init__(self, options: HighCardOptions | None = None) -> None:
        super().__init__(options or HighCardOptions(), GameState())

    @property
    def to_act(self) -> int | None:
        return self._state.to_act

    @property
    def result(self) -> Result | None:
        """More tricks win (HC-3)."""
        tricks = self._state.tricks
        return Result((int(tricks[1] > tricks[0]),), tricks, "more tricks") if self.phase == Phase.OVER else None

    def chance(self, rng: np.random.Generator) -> Action:
        """A shuffled pack (HC-1)."""
        if self.phase != Phase.DEAL:
            raise self._no_chance()
        return {"action": "deal", "pack": card_texts(rng.permutation(mask_cards(DECK_24)).tolist())}

    def _choices(self, seat: int) -> Choices:
        held = mask_cards(self._state.hands[seat]) if seat == self.to_act else []
        return Choices.of({"action": "play", "player": seat, "card": card_text(card)} for card in held)

    def _view(self, seat: int) -> View:
        state = self._state
        return View(seat, state.phase, state.to_act, state.hands[seat], state.led, state.tricks, state.played)

    def verify_deal(self, pack: Sequence[int]) -> None:
        """Check that the pack has 24 cards, nine to ace."""
        self._demand_phase("a deal", "HC-1", Phase.DEAL)
        demand(sorted(pack) == mask_cards(DECK_24), "the pack is not the 24 cards from nine to ace", "HC-1")

    def deal(self, pack: Sequence[int]) -> None:
        """Deal from a shuffled pack; player 1 leads (HC-2)."""
        hands = cards_mask(pack[:HAND_SIZE]), cards_mask(pack[HAND_SIZE : 2 * HAND_SIZE])
        self._state = replace(self._state, phase=Phase.PLAY, to_act=0, hands=hands)
        self._record("deal", pack=card_texts(pack))

    def verify_play(self, card: int) -> None:
        """Check that the player on turn holds the card."""
        self._demand_phase("playing a card", "HC-2", Phase.PLAY)
        held = self._state.hands[require(self.to_act)]
        demand(bool(held >> card & 1), f"{card_text(card)} is not held; expected one of {mask_text(held)}", "HC-2")

    def play(self, card: int) -> None:
        """Lead a card, or answer the one that was led."""
        state = self._state
        seat = require(state.to_act)
        first, second = (held & ~(1 << card) if place == seat else held for place, held in enumerate(state.hands))
        state = replace(state, hands=(first, second))
        if state.led is None:
            self._state = replace(state, led=card, to_act=1 - seat)
        else:
            winner = seat if rank_of(card) > rank_of(state.led) else 1 - seat
            tricks = state.tricks[0] + (winner == 0), state.tricks[1] + (winner == 1)
            played = state.played | 1 << card | 1 << state.led
            is_over = sum(tricks) == HAND_SIZE
            phase, to_act = (Phase.OVER, None) if is_over else (Phase.PLAY, winner)
            self._state = replace(state, phase=phase, to_act=to_act, led=None, tricks=tricks, played=played)
        self._record("play", player=seat, card=card_text(card))


def mask_text(cards: int) -> str:
    """Cards of a mask as texts with spaces between them."""
    return " ".join(card_texts(mask_cards(cards)))
