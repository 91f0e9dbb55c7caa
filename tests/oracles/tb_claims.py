"""Random positions with claims, and what is known in them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.oracles import claims as oracle
from tests.oracles.naive import PACK, suit_followed
from towerlab.games.cards import SUITS, TRUMP_FIELD, parse_mask, to_play_order
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.explanation import refute
from towerlab.solver.claims.judging import NODES
from towerlab.solver.claims.refutation import OPPONENT, Refutation

CLAIMANT = 0


def play_mask(cards: Iterable[str], trump: str) -> int:
    """Card texts as a mask in play order."""
    return int(to_play_order(parse_mask(" ".join(cards)), SUITS.index(trump), True))


def belief_of(hand: int, sure: int, pool: int, led: int = 0, turn: int = CLAIMANT, trumps: int = TRUMP_FIELD) -> Belief:
    """What a claimant knows who holds `hand`; the opponent surely holds `sure`, the rest comes from `pool`."""
    me, tricks = frozenset({CLAIMANT}), hand.bit_count() + (led != 0 and turn == OPPONENT)
    return Belief((hand, sure), (OPPONENT,), (pool,), me, me, tricks, turn, trumps, (led,) if led else ())


@dataclass(frozen=True)
class Position:
    """A belief on card texts, as the oracle takes it."""

    hand: frozenset[str]
    sure: frozenset[str]
    pool: frozenset[str]
    led: str | None
    turn: int
    trump: str

    @property
    def count(self) -> int:
        return len(self.hand) + (0 if self.led is None else 1 if self.turn == OPPONENT else -1)

    @property
    def belief(self) -> Belief:
        led = [] if self.led is None else [self.led]
        hand, sure, pool, table = (play_mask(cards, self.trump) for cards in (self.hand, self.sure, self.pool, led))
        return belief_of(hand, sure, pool, table, self.turn)

    @property
    def layouts(self) -> frozenset[frozenset[str]]:
        return oracle.layouts(self.sure, self.pool, self.count)

    @property
    def rest(self) -> tuple[Any, ...]:
        return self.led, self.turn, self.trump


def random_position(draw: random.Random, most_cards: int, most_pool: int) -> Position:
    """Any position: trick starts, both kinds of middle, voids, sure cards, pools of every size."""
    while True:
        trump, turn, middle = draw.choice(SUITS), draw.randrange(2), draw.random() < 0.5
        cards = draw.sample(PACK, len(PACK))
        size = draw.randint(1, most_cards)
        hand, cards = cards[:size], cards[size:]
        led = cards.pop() if middle else None
        sure = frozenset(cards[: draw.choice((0, 0, 1, 2))])
        void = draw.choice((None, None, *SUITS))
        pool = [c for c in cards[len(sure) :] if suit_followed(c, trump) != void]
        pool = pool[: draw.randint(0, most_pool)]
        made = Position(frozenset(hand), sure, frozenset(pool), led, turn, trump)
        if 0 <= made.count - len(sure) <= len(pool) and 1 <= made.belief.tricks <= 7:
            return made


def positions(count: int, most_cards: int, most_pool: int, seed: int) -> list[Position]:
    draw = random.Random(seed)
    return [random_position(draw, most_cards, most_pool) for _ in range(count)]


def refuted(belief: Belief, claim: int) -> Refutation:
    """Why a claim with one hidden hand fails, which is more than is guaranteed."""
    return refute(belief, claim, NODES)
