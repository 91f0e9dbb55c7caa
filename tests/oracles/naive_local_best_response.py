"""Local best response again, on card texts: every hand of the other's, every action played out by the default."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from tests.oracles.hidden_play import History, Odds
from tests.oracles.naive import play_order
from tests.oracles.naive_equilibrium import NONDEALER, Game, Own

Others = dict[Own, float]
Value = Callable[[Own, History, Others], float]


class NaiveResponder:
    """Answers a player in one seat beside one up-card, and goes on as that player would."""

    def __init__(self, game: Game, odds: Odds, player: str, margin: float) -> None:
        self.game = game
        self.odds = odds
        self.player = player
        self.margin = margin

    def worth(self, own: Own, history: History = (), others: Others | None = None) -> float:
        """P(win the tower), summed over the other's hands, each with its probability so far."""
        if others is None:
            others = dict.fromkeys(self.game.hands(own.dealt), 1.0)
        if self.game.standing(history).to_play == self.player:
            return self.worth(*self.game.after(own, history, self._chosen(own, history, others)), others)
        return self._answered(self.worth, own, history, others)

    def _chosen(self, own: Own, history: History, others: Others) -> str:
        """The best action if calls are answered by the best later calls and cards by the default ones."""
        usual = self._usual(own, history)
        values = {action: self._after(own, history, action, others) for action in self._actions(own, history)}
        values[usual] += self.margin * sum(others.values())
        return max(values, key=lambda action: (values[action], action == usual))

    def _actions(self, own: Own, history: History) -> list[str]:
        """The lowest card first, which is chosen of equal ones."""
        actions = self.game.actions(own, history)
        trump = self.game.standing(history).trump
        return sorted(actions, key=lambda card: play_order(card, trump)) if len(actions[0]) == 2 else actions

    def _after(self, own: Own, history: History, action: str, others: Others) -> float:
        return self._ahead(*self.game.after(own, history, action), others)

    def _ahead(self, own: Own, history: History, others: Others) -> float:
        if self.game.standing(history).to_play != self.player:
            return self._answered(self._ahead, own, history, others)
        if self._is_bid(history):
            return max(self._after(own, history, action, others) for action in self.game.actions(own, history))
        return self._after(own, history, self._usual(own, history), others)

    @staticmethod
    def _is_bid(history: History) -> bool:
        return not history or history[-1] in ("pass", "accept")

    def _usual(self, own: Own, history: History) -> str:
        actions = self.game.actions(own, history)
        return actions[self.odds(own, history, actions).index(1.0)]

    def _answered(self, value: Value, own: Own, history: History, others: Others) -> float:
        """The end of the hand, or the other's turn: their hands by what they do with them."""
        if not self.game.standing(history).to_play:
            payoff = self.game.payoff(history)
            return sum(others.values()) * (payoff if self.player == NONDEALER else 1 - payoff)
        after: dict[History, Others] = defaultdict(dict)
        for other, reach in others.items():
            then, later = self.game.after(other, history, self._usual(other, history))
            after[later][then] = reach
        return sum(value(own, later, left) for later, left in after.items())
