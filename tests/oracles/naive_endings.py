"""The last cards of a hand with hidden hands again, on card texts, as a game of `tests.oracles.hidden_play`."""

from __future__ import annotations

import functools
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tests.oracles import naive
from tests.oracles.hidden_play import Odds, Standing
from towerlab.games.cards import parse_card
from towerlab.solver.towers_and_bowers.ending_solver import SolvedEnding

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
    players = (0, 1)

    @property
    def cards(self) -> int:
        return len(next(iter(self.ranges[0])).held)

    def standing(self, played: Played) -> Standing:
        leader = self.leader
        tricks = 0
        for led, reply in zip(played[::2], played[1::2], strict=False):
            leader = leader if naive.leader_wins(led, reply, self.trump) else 1 - leader
            tricks += leader == 0
        if len(played) == 2 * self.cards:
            return Standing(None, tricks)
        return Standing(leader if len(played) % 2 == 0 else 1 - leader, tricks)

    def actions(self, own: Own, played: Played) -> list[str]:
        """The cards that may be played."""
        if not played and self.led:
            return [self.led]
        left = sorted(own.held - set(played))
        return naive.legal_replies(left, played[-1], self.trump) if len(played) % 2 else left

    @functools.cached_property
    def deals(self) -> list[tuple[Own, Own, float]]:
        """Every pair of hands that share no card, with its weight."""
        return [
            (one, other, weight * beside)
            for one, weight in self.ranges[0].items()
            for other, beside in self.ranges[1].items()
            if not (one.held | {one.away or "-"}) & (other.held | {other.away})
        ]

    def others(self, player: int, own: Own) -> dict[Own, float]:
        """The other player's hands beside a hand, with their weights."""
        return {pair[1 - player]: pair[2] / self.ranges[player][own] for pair in self.deals if pair[player] == own}

    def payoff(self, played: Played) -> float:
        return self.payoffs[self.standing(played).tricks]

    def after(self, own: Own, played: Played, card: str) -> tuple[Own, Played]:
        return own, (*played, card)


def drawn_ending(draw: random.Random, cards: int, most_hands: int, unseen: int) -> NaiveEnding:
    """An ending with a few hands a player, drawn.

    Args:
        draw: chance.
        cards: each player's.
        most_hands: of a player's range.
        unseen: how many cards are.
    """
    pool = draw.sample(PACK, unseen)
    payoff = sorted(draw.random() for _ in range(cards + 1))
    trump = draw.choice("CDHS")
    leader = draw.randrange(2)
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
    return ending if ending.deals else drawn_ending(draw, cards, most_hands, unseen)


@functools.cache
def mask_of(cards: frozenset[str]) -> int:
    """The cards as a printed mask."""
    return sum(1 << 13 * "CDHS".index(suit) + "23456789TJQKA".index(rank) for rank, suit in cards)


def odds_of(ending: SolvedEnding) -> Odds:
    """How the cards of a solved ending are mixed."""

    def odds(own: Own, played: Played, actions: list[str]) -> list[float]:
        if len(actions) == 1:  # as a card that is led already
            return [1.0]
        hand = mask_of(own.held - set(played))
        away = mask_of(frozenset({own.away} - {""}))
        mix = ending.mix(hand, away, [parse_card(card) for card in played])
        return [mix.get(parse_card(card), 0.0) for card in actions]

    return odds
