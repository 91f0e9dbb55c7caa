"""The player `novice` again, on card texts, as `tests.oracles.naive_equilibrium.Odds`; and one who does anything."""

from __future__ import annotations

from tests.oracles.hidden_play import History
from tests.oracles.naive_equilibrium import DEALER, Game, Own

RANKS, SUITS = "23456789TJQKA", "CDHS"
MATE = {"C": "S", "S": "C", "D": "H", "H": "D"}


def order(card: str, trump: str) -> tuple[int, int]:
    """(field, place): trumps on top, then the mate suit, then the other two, the one earlier in C D H S lowest."""
    rank, suit = card
    if card == "J" + trump:
        return 3, 20
    if card == "J" + MATE[trump]:
        return 3, 19
    fields = [other for other in SUITS if other not in (trump, MATE[trump])] + [MATE[trump], trump]
    return fields.index(suit), RANKS.index(rank)


def lowest(cards: list[str], trump: str) -> str:
    plain = [card for card in cards if order(card, trump)[0] < 3]
    if not plain:
        return min(cards, key=lambda card: order(card, trump))
    return min(plain, key=lambda card: (order(card, trump)[1], order(card, trump)[0]))


class NoviceOdds:
    """How they act, beside one up-card."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __call__(self, own: Own, history: History, actions: list[str]) -> list[float]:
        choice = self._choice(own, history, actions)
        return [float(action == choice) for action in actions]

    def _choice(self, own: Own, history: History, actions: list[str]) -> str:
        up, n = self.game.up, self.game.cards
        enough = min(3, n // 2 + 1)
        held = {suit: sum(order(card, suit)[0] == 3 for card in own.dealt) for suit in SUITS}
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
            return max(actions, key=lambda card: order(card, trump))
        winners = [card for card in actions if self._beats(card, led, trump)]
        return min(winners, key=lambda card: order(card, trump)) if winners else lowest(actions, trump)

    @staticmethod
    def _beats(card: str, led: str, trump: str) -> bool:
        (field, place), (led_field, led_place) = order(card, trump), order(led, trump)
        return field == 3 > led_field or (field == led_field and place > led_place)


def any_odds(own: Own, history: History, actions: list[str]) -> list[float]:
    return [1 / len(actions)] * len(actions)
