"""Positions that play reaches: players who could claim at the start of a trick, and their knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from towerlab.analysis.knowledge import Knowledge
from towerlab.games.cards import card_text
from towerlab.games.engine import Engine
from towerlab.games.transcript import Action
from towerlab.games.written import named_card, play_text

FEWEST_TRICKS: Final = 2  # to come: a claim of the last trick saves no time

Decide = Callable[[Any, np.random.Generator], Action]


@dataclass(frozen=True)
class Claimant:
    """A player who could claim, at the start of a trick.

    Attributes:
        contract: in words: ``"4♠ doubled, after a goulash"``.
        knowledge: of the player.
        hands: the actual hands, play-order masks in order of play from the declarer.
    """

    contract: str
    knowledge: Knowledge
    hands: tuple[int, ...]

    @property
    def role(self) -> str:
        """``"declarer"``, ``"defender"``, ``"misère"`` for the declarer of one; ``"player"`` where both are alike."""
        if self.knowledge.belief.is_two_handed:
            return "player"
        if self.knowledge.role:
            return "defender"
        return "misère" if self.knowledge.misere else "declarer"


def played(game: Engine[Any, Any], decide: Decide, random: np.random.Generator) -> Iterator[None]:
    """Play a game, all seats with `decide` and chance at random; yield after every action."""
    while game.result is None:
        seat = game.to_act
        game.apply(game.chance(random) if seat is None else decide(game.view(seat), random))
        yield


def trick_text(cards: tuple[int, ...], named: int | None = None) -> str:
    """A trick of a history: ``AH/QC/9H``, of a joker that names a suit ``X1:S/8S/7H``."""
    return "/".join([play_text(named_card(cards[0], named)), *map(card_text, cards[1:])])
