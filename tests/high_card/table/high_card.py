"""High Card at the table: how it is drawn and what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from towerlab.analysis.advice import Choice
from towerlab.games.cards import card_text, card_texts, mask_cards, parse_card
from towerlab.games.high_card import GAME, HighCardOptions, View
from towerlab.games.transcript import Action
from towerlab.table.drawing import card_words
from towerlab.table.game import Numbering, Prompt, TableGame
from towerlab.table.rows import label_values
from towerlab.table.scene import BOTTOM, MIDDLE, Cards, Facts, Hand, Part, Scene


class HighCardTableGame(TableGame):
    """High Card at the table."""

    name = GAME
    numbering = Numbering(cards=frozenset({"hand", "played"}))

    def scene(self, view: View, names: Sequence[str], options: HighCardOptions) -> Scene:
        hand = Hand("Your hand", tuple(card_texts(mask_cards(view.hand))), own=True, area=BOTTOM)
        parts: list[Part] = [Facts((("tricks", label_values(names, view.tricks)),)), hand]
        if view.led is not None:
            parts.append(Cards("On the table", (card_text(view.led),), area=MIDDLE))
        return Scene(self.title, tuple(parts))

    def prompt(self, view: View, actions: Sequence[Action]) -> Prompt:
        question = "Your lead." if view.led is None else "Your card."
        return Prompt(question, tuple(map(_choice, actions)))

    def action_line(self, action: Action, view: View, names: Sequence[str]) -> str | None:
        if action["action"] == "deal":
            return "Three cards each."
        return f"{names[action['player']]}: {card_words(action['card'])}"

    def advise(self, view: Any, options: Any, seed: int = 0, layouts: int | None = None, /) -> None:
        """High Card has no advice."""


def _choice(action: Action) -> Choice:
    card = action["card"]
    return Choice(action, f"play {card_words(card)}", (card_text(parse_card(card)),), card)


TABLE: Final = HighCardTableGame()
