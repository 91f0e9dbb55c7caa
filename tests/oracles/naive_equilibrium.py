"""The whole hand with hidden hands again, on card texts, as a game of `tests.oracles.hidden_play`.

Everything is read off the history, a tuple of words in the order in which they were said or played::

    "accept", "pass", "C" (names clubs), "discards" (the dealer, face down), and cards such as "JS"

Nothing of `games` or of the solver is in here but `SolverOdds`, which reads its arrays.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.oracles import naive
from tests.oracles.hidden_play import History, Odds, Standing
from tests.oracles.hidden_play import best_value as best_value
from tests.oracles.naive_upcard import OpenGame
from towerlab.games.cards import SUITS, parse_card
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, Strategy
from towerlab.solver.towers_and_bowers.whole_hand.game import list_entries, stored_block

NONDEALER, DEALER = PLAYERS = "nondealer", "dealer"
FULL_PACK = frozenset(naive.PACK)


class Own(NamedTuple):
    """What one player alone knows: the cards dealt to them and the one they put away, if they did."""

    dealt: tuple[str, ...]
    discard: str = ""


@dataclass(frozen=True)
class Game:
    """One up-card; what is played for is P(win the tower)."""

    cards: int
    up: str
    next_deal: float
    pack: frozenset[str] = FULL_PACK
    players = PLAYERS

    def hands(self, without: tuple[str, ...] = ()) -> list[Own]:
        left = sorted(self.pack - {self.up, *without}, key=parse_card)
        return [Own(hand) for hand in itertools.combinations(left, self.cards)]

    @functools.cached_property
    def deals(self) -> list[tuple[Own, Own, float]]:
        return [(one, other, 1.0) for one in self.hands() for other in self.hands(one.dealt)]

    def others(self, player: str, own: Own) -> dict[Own, float]:
        return dict.fromkeys(self.hands(own.dealt), 1.0)

    @functools.cache  # noqa: B019 - a game is small and lives as long as its test
    def standing(self, history: History) -> Standing:
        calls = [word for word in history if len(word) != 2]
        plays = [word for word in history if len(word) == 2]
        bidder = PLAYERS[calls.count("pass") % 2]
        if not calls or calls[-1] == "pass":
            return Standing(bidder)
        if calls[-1] == "accept":
            return Standing(DEALER, 0, self.up[1], bidder)
        trump = self.up[1] if calls[-1] == "discards" else calls[-1]
        leader = NONDEALER
        tricks = 0
        for led, reply in zip(plays[::2], plays[1::2], strict=False):
            if not naive.leader_wins(led, reply, trump):
                leader = _other(leader)
            tricks += leader == NONDEALER
        if len(plays) == 2 * self.cards:
            return Standing(None, tricks, trump, bidder)
        if len(plays) % 2 == 0:
            return Standing(leader, tricks, trump, bidder)
        return Standing(_other(leader), tricks, trump, bidder, plays[-1])

    def actions(self, own: Own, history: History) -> list[str]:
        """What the player to move may do."""
        player, _, trump, _, led = self.standing(history)
        named = [suit for suit in SUITS if suit != self.up[1]]
        match history:
            case () | ("pass",):
                return ["accept", "pass"]
            case ("pass", "pass"):
                return [*named, "pass"]
            case ("pass", "pass", "pass"):
                return named
        if history[-1] == "accept":
            return list(own.dealt)
        held = [card for card in own.dealt if card != own.discard and card not in history]
        if player == DEALER and "discards" in history and self.up not in history:
            held.append(self.up)
        if not led:
            return held
        legal = naive.legal_replies(held, led, trump)
        return [card for card in held if card in legal]

    def after(self, own: Own, history: History, action: str) -> tuple[Own, History]:
        if history and history[-1] == "accept":
            return Own(own.dealt, action), (*history, "discards")
        return own, (*history, action)

    def payoff(self, history: History) -> float:
        """P(the non-dealer wins the tower) at the end."""
        _, tricks, _, bidder, _ = self.standing(history)
        return OpenGame(self.cards, self.up, self.next_deal).worth(tricks, bidder == NONDEALER)


def _other(player: str) -> str:
    return DEALER if player == NONDEALER else NONDEALER


def others_at_the_lead(
    game: Game, odds: Odds, seat: int, contract: int, own: Own
) -> tuple[tuple[str, ...], dict[Own, float]]:
    """Where the other's calls lead to a contract: the history, and how likely each of their hands makes those calls."""
    passes = ("pass",) * (min(contract, 2) + (contract > 4))
    word = "accept" if contract <= 1 else "CDH"[(contract - 2) % 3]
    others = {}
    for other in game.hands(own.dealt):
        reach = 1.0
        for turn, call in enumerate((*passes, word)):
            if turn % 2 != seat:
                actions = game.actions(other, passes[:turn])
                reach *= odds(other, passes[:turn], actions)[actions.index(call)]
        if reach > 0:
            others[other] = reach
    discards = ("discards",) if own.discard else ()
    return (*passes, word, *discards), others


class SolverOdds:
    """Reads the probabilities of actions out of the arrays of a solved hand (`game.list_entries`)."""

    def __init__(self, game: HandGame, up: str, strategy: Strategy) -> None:
        self.game = game
        self.up = up
        self.strategy = strategy
        self.number = {card: place for place, card in enumerate(sorted(FULL_PACK - {up}, key=parse_card))} | {up: 23}
        self.sets = {
            held: place for size in range(5) for place, held in enumerate(itertools.combinations(range(23), size))
        }

    def __call__(self, own: Own, history: History, actions: list[str]) -> list[float]:
        if not any(len(word) == 2 for word in history) and history[-1:] in ((), ("pass",), ("accept",)):
            return self._bids(own, history, actions)
        weights = self._plays(own, history, actions) if len(actions) > 1 else [1.0]
        total = sum(weights)
        return [weight / total if total > 0 else 1 / len(actions) for weight in weights]

    def _bids(self, own: Own, history: History, actions: list[str]) -> list[float]:
        decision = len(history) if history[-1:] != ("accept",) else 3 + len(history)
        return list(self.strategy.bidding[decision, self.sets[self._numbers(own.dealt)], : len(actions)])

    def _plays(self, own: Own, history: History, actions: list[str]) -> list[float]:
        plays = [word for word in history if len(word) == 2]
        taken_up = "discards" in history
        bids = history[: history.index("accept") if taken_up else 3 + (history[2] == "pass")]
        contract = len(bids) if taken_up else 3 * len(bids) - 7 + "CDH".index(bids[-1])
        coded = sum(self.number[card] * 24 ** (len(plays) - 1 - place) for place, card in enumerate(plays))
        block = stored_block(self.game, contract, len(plays), coded)
        left = self._numbers(tuple(card for card in own.dealt if card not in plays and card != own.discard))
        discard, holds = (self.number[own.discard], self.up not in plays) if own.discard else (-1, False)
        cards = np.zeros(4, np.int64)
        entries = np.zeros(4, np.int64)
        count = list_entries(block, sum(1 << card for card in left), discard, int(holds), cards, entries)
        entry = dict(zip(cards[:count].tolist(), entries[:count].tolist(), strict=True))
        return [float(self.strategy.play[entry[self.number[card]]]) for card in actions]

    def _numbers(self, cards: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(sorted(self.number[card] for card in cards))
