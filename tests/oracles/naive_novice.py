"""The player `novice` again, on card texts, as `tests.oracles.naive_equilibrium.Odds`; and one who does anything."""

from __future__ import annotations

from tests.oracles import naive
from tests.oracles.hidden_play import History
from tests.oracles.naive_equilibrium import DEALER, Game, Own

SUITS = "CDHS"


def lowest(cards: list[str], trump: str) -> str:
    plain = [card for card in cards if not naive.is_trump(card, trump)]
    return min(plain or cards, key=lambda card: (naive.strength(card, trump), naive.play_order(card, trump)))


class NoviceOdds:
    """How they act, beside one up-card."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __call__(self, own: Own, history: History, actions: list[str]) -> list[float]:
        choice = self._choice(own, history, actions)
        return [float(action == choice) for action in actions]

    def _choice(self, own: Own, history: History, actions: list[str]) -> str:
        up = self.game.up
        n = self.game.cards
        enough = min(3, n // 2 + 1)
        held = {suit: sum(naive.is_trump(card, suit) for card in own.dealt) for suit in SUITS}
        is_dealer = self.game.standing(history).to_play == DEALER
        if history in ((), ("pass",)):
            return "accept" if held[up[1]] + is_dealer >= enough else "pass"
        if history in (("pass",) * 2, ("pass",) * 3):
            most = max(held[suit] for suit in SUITS if suit != up[1])
            if not is_dealer and most < enough:
                return "pass"
            return next(suit for suit in SUITS if suit != up[1] and held[suit] == most)
        if history[-1] == "accept":
            return lowest(list(own.dealt), up[1])
        _, _, trump, _, led = self.game.standing(history)
        if not led:
            return max(actions, key=lambda card: naive.play_order(card, trump))
        winners = [card for card in actions if not naive.leader_wins(led, card, trump)]
        return min(winners, key=lambda card: naive.play_order(card, trump)) if winners else lowest(actions, trump)


def any_odds(own: Own, history: History, actions: list[str]) -> list[float]:
    return [1 / len(actions)] * len(actions)
