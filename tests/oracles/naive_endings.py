"""The last cards of a hand with hidden hands again, on card texts: a game tree, its linear program, best answers."""

from __future__ import annotations

import functools
import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from scipy.sparse import coo_matrix

from tests.oracles import naive
from tests.oracles.naive_bidding import Sequences, sequence_form_value

PACK = tuple(rank + suit for suit in "CDHS" for rank in "9TJQKA")
Played = tuple[str, ...]


class Own(NamedTuple):
    """What one player alone knows: the cards held when the ending begins, the card put away or ``""``."""

    held: frozenset[str]
    away: str = ""


@dataclass(frozen=True)
class NaiveEnding:
    """A public state, and how likely each hand is as the other player sees it; players are 0 (non-dealer) and 1.

    Attributes:
        payoffs: of player 0, by the tricks taken from here on.
        led: the card led, which its hand includes, or ``""``.
        up: the card that player 1 is known to have, or ``""``.
        hides: whether player 1 has put a card away.
        unseen: all cards that are not gone.
        ranges: by player.
    """

    trump: str
    leader: int
    payoffs: tuple[float, ...]
    led: str
    up: str
    hides: bool
    unseen: tuple[str, ...]
    ranges: tuple[Mapping[Own, float], Mapping[Own, float]]

    @property
    def cards(self) -> int:
        return len(next(iter(self.ranges[0])).held)

    def standing(self, played: Played) -> tuple[int, int]:
        """(who is to play, -1 at the end; tricks of player 0)."""
        leader, tricks = self.leader, 0
        for led, reply in zip(played[::2], played[1::2], strict=False):
            leader = leader if naive.leader_wins(led, reply, self.trump) else 1 - leader
            tricks += leader == 0
        if len(played) == 2 * self.cards:
            return -1, tricks
        return leader if len(played) % 2 == 0 else 1 - leader, tricks

    def actions(self, own: Own, played: Played) -> list[str]:
        """The cards that may be played."""
        if not played and self.led:
            return [self.led]
        left = sorted(own.held - set(played))
        return naive.legal_replies(left, played[-1], self.trump) if len(played) % 2 else left

    @functools.cached_property
    def pairs(self) -> list[tuple[Own, Own, float]]:
        """Every pair of hands that share no card, with its weight."""
        return [
            (one, other, weight * beside)
            for one, weight in self.ranges[0].items()
            for other, beside in self.ranges[1].items()
            if not (one.held | {one.away or "-"}) & (other.held | {other.away})
        ]

    def value_by_linear_program(self) -> float:
        """What the ending is worth to player 0, in sequence form (von Stengel 1996)."""
        plans = Sequences(), Sequences()
        payoffs: dict[tuple[int, int], float] = defaultdict(float)

        def walk(owns: tuple[Own, Own], weight: float, played: Played, reached: tuple[tuple[object, ...], ...]) -> None:
            player, tricks = self.standing(played)
            if player < 0:
                payoffs[plans[0][reached[0]], plans[1][reached[1]]] += weight * self.payoffs[tricks]
                return
            key, actions, before = (owns[player], played), self.actions(owns[player], played), reached[player]
            forced = len(actions) == 1 and before != ()
            if not forced and (*key, actions[0]) not in plans[player].places:
                plans[player].decide(key, before or None, actions)
            for action in actions:
                now = before if forced else (*key, action)
                walk(owns, weight, (*played, action), (now, reached[1]) if player == 0 else (reached[0], now))

        pairs = self.pairs
        for one, other, weight in pairs:
            walk((one, other), weight, (), ((), ()))
        places = list(zip(*payoffs, strict=True))
        payoff = coo_matrix((list(payoffs.values()), places), (plans[0].count, plans[1].count))
        return sequence_form_value(*plans, payoff) / sum(weight for *_, weight in pairs)

    def best_answer(self, player: int, own: Own, mix: Callable[[Own, Played], Mapping[str, float]]) -> float:
        """What a hand wins with the best answer to an opponent's mix, over the opponent's hands."""
        owns = {(pair[player], pair[1 - player]): pair[2] for pair in self.pairs if pair[player] == own}
        others = {pair[1]: weight / self.ranges[player][own] for pair, weight in owns.items()}
        return self._answer(player, own, mix, (), others) / sum(others.values())

    def _answer(
        self,
        player: int,
        own: Own,
        mix: Callable[[Own, Played], Mapping[str, float]],
        played: Played,
        others: Mapping[Own, float],
    ) -> float:
        to_play, tricks = self.standing(played)
        if to_play < 0:
            return sum(others.values()) * (self.payoffs[tricks] if player == 0 else 1 - self.payoffs[tricks])
        if to_play == player:
            answers = [(*played, card) for card in self.actions(own, played)]
            return max(self._answer(player, own, mix, later, others) for later in answers)
        later: dict[str, dict[Own, float]] = defaultdict(dict)
        for other, weight in others.items():
            for card, share in mix(other, played).items():
                later[card][other] = weight * share
        return sum(self._answer(player, own, mix, (*played, card), left) for card, left in later.items())


def drawn_ending(draw: random.Random, cards: int, most_hands: int, unseen: int) -> NaiveEnding:
    """An ending with a few hands a player, drawn.

    Args:
        draw: chance.
        cards: each player's.
        most_hands: of a player's range.
        unseen: how many cards are.
    """
    pool, payoff = draw.sample(PACK, unseen), sorted(draw.random() for _ in range(cards + 1))
    trump, leader = draw.choice("CDHS"), draw.randrange(2)
    hides, holds = draw.choice([(False, False), (True, False), (True, True)])
    up = draw.choice([card for card in pool if card[1] == trump] or [""]) if holds else ""
    led = ""
    if cards > 2 and draw.random() < 0.4:
        led = draw.choice([card for card in pool if card != up or leader == 1])
    sure = [{led} - {""} if leader == 0 else set(), ({up} | ({led} if leader == 1 else set())) - {""}]
    ranges: tuple[dict[Own, float], dict[Own, float]] = {}, {}
    for player in range(2):
        for _ in range(draw.randint(1, most_hands)):
            free = [card for card in pool if card not in sure[0] | sure[1] | {up}]
            drawn = draw.sample(free, cards - len(sure[player]) + 1)
            held = frozenset({*drawn[1:], *sure[player]})
            ranges[player][Own(held, drawn[0] if hides and player else "")] = draw.random() + 0.01
    ending = NaiveEnding(trump, leader, tuple(payoff), led, up, hides, tuple(pool), ranges)
    return ending if ending.pairs else drawn_ending(draw, cards, most_hands, unseen)


@functools.cache
def mask_of(cards: frozenset[str]) -> int:
    """The cards as a printed mask."""
    return sum(1 << 13 * "CDHS".index(suit) + "23456789TJQKA".index(rank) for rank, suit in cards)
