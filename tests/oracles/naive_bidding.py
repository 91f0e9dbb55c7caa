"""The bidding game by brute force, on card texts: payoffs of every pair of hands, its linear program, best answers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

from tests.oracles import naive

Hand = frozenset[str]


@dataclass(frozen=True)
class Game:
    """One up-card, hidden hands, double-dummy play; the dealer bids after the non-dealer."""

    pack: frozenset[str]
    up: str
    cards: int
    next_deal: float

    def hands(self) -> list[Hand]:
        return naive.hands_of(self.pack - {self.up}, self.cards)

    def suits(self) -> list[str]:
        return [suit for suit in "CDHS" if suit != self.up[1]]

    def worth(self, tricks: int, nondealer_bids: bool) -> float:
        """P(the non-dealer wins the tower)."""
        if tricks in (0, self.cards):
            return float(tricks == self.cards)
        bidder = tricks if nondealer_bids else self.cards - tricks
        return self.next_deal if (2 * bidder > self.cards) == nondealer_bids else 1 - self.next_deal

    def accepted(self, nondealer: Hand, dealer: Hand, discard: str, nondealer_bids: bool) -> float:
        kept = (dealer | {self.up}) - {discard}
        return self.worth(naive.leader_tricks(nondealer, kept, self.up[1]), nondealer_bids)

    def named(self, nondealer: Hand, dealer: Hand, suit: str, nondealer_bids: bool) -> float:
        return self.worth(naive.leader_tricks(nondealer, dealer, suit), nondealer_bids)

    def pairs(self) -> list[tuple[Hand, Hand]]:
        return [(one, other) for one, other in itertools.product(self.hands(), repeat=2) if not one & other]


def sequence_form_value(rows: Sequences, columns: Sequences, payoff: Any) -> float:
    """The value to the rows' player, by a linear program over both players' sequences.

    The other's dual: the row plan x >= 0 and free prices q maximise the prices of its root decisions, where no sequence
    of its costs less than it is priced.
    """
    constraints, ones = rows.constraints()
    other_constraints, other_ones = columns.constraints()
    # max other_ones' q  over x >= 0, q free:  constraints x = ones,  other_constraints' q <= payoff' x.
    objective = np.concatenate([np.zeros(rows.count), -other_ones])
    found = linprog(
        objective,
        A_ub=_joined(-payoff.T, other_constraints.T),
        b_ub=np.zeros(columns.count),
        A_eq=_joined(constraints, lil_matrix((constraints.shape[0], len(other_ones)))),
        b_eq=ones,
        bounds=[(0, None)] * rows.count + [(None, None)] * len(other_ones),
        method="highs",
    )
    assert found.status == 0, found.message
    return float(-found.fun)


class Sequences:
    """A player's sequences and the constraints that make a plan of them."""

    def __init__(self) -> None:
        self.places: dict[tuple[object, ...], int] = {}
        self.decisions: list[tuple[int | None, list[int]]] = []

    @property
    def count(self) -> int:
        return len(self.places)

    def __getitem__(self, sequence: tuple[object, ...]) -> int:
        return self.places[sequence]

    def decide(self, name: tuple[object, ...], after: tuple[object, ...] | None, actions: list[str]) -> None:
        made = []
        for action in actions:
            self.places[(*name, action)] = len(self.places)
            made.append(self.places[(*name, action)])
        self.decisions.append((None if after is None else self.places[after], made))

    def constraints(self) -> tuple[lil_matrix, np.ndarray]:
        matrix, ones = lil_matrix((len(self.decisions), self.count)), np.zeros(len(self.decisions))
        for row, (after, made) in enumerate(self.decisions):
            for place in made:
                matrix[row, place] = 1
            if after is None:
                ones[row] = 1
            else:
                matrix[row, after] = -1
        return matrix, ones


def _joined(left: object, right: object) -> object:
    from scipy.sparse import hstack

    return hstack([left, right]).tocsr()


@dataclass(frozen=True)
class Way:
    """How a hand is bid: probabilities of accepting, of second calls, and of discards by who accepted."""

    accepts: float
    names: Mapping[str, float]
    discards: Mapping[str, float]
    own_discards: Mapping[str, float]


def best_answer(game: Game, hand: Hand, dealer: bool, ways: Mapping[Hand, Way], second_round: bool) -> dict[str, float]:
    """P(the asker wins the tower) of each call against an opponent who bids in these ways, by enumeration."""
    suits = game.suits()
    if dealer and all(way.accepts == 1 for way in ways.values()):  # they never pass: all hands alike
        ways = {other: replace(way, accepts=0.0) for other, way in ways.items()}

    def mean(parts: list[tuple[float, float]]) -> float:
        total = sum(weight for weight, _ in parts)
        return sum(weight * value for weight, value in parts) / total if total else 0.0

    if not dealer:
        passed = [(1 - way.accepts, other, way) for other, way in ways.items()]
        second = {suit: mean([(w, game.named(hand, other, suit, True)) for w, other, _ in passed]) for suit in suits}
        second["pass"] = mean(
            [(w * way.names[suit], game.named(hand, other, suit, False)) for w, other, way in passed for suit in suits]
        )
        if second_round:
            return second
        accept = mean(
            [
                (share, game.accepted(hand, other, card, True))
                for other, way in ways.items()
                for card, share in way.discards.items()
            ]
        )
        answered = sum(
            way.accepts * share * game.accepted(hand, other, card, False)
            for other, way in ways.items()
            for card, share in way.own_discards.items()
        )
        rest = sum(w for w, _, _ in passed) * max(second.values())
        return {"accept": accept, "pass": (answered + rest) / len(ways)}
    left = [((1 - way.accepts) * way.names["pass"], other) for other, way in ways.items()]
    second = {suit: 1 - mean([(w, game.named(other, hand, suit, False)) for w, other in left]) for suit in suits}
    if second_round:
        return second
    passed = [(1 - way.accepts, other, way) for other, way in ways.items()]
    total = sum(w for w, _, _ in passed)
    accept = max(1 - mean([(w, game.accepted(other, hand, card, False)) for w, other, _ in passed]) for card in hand)
    named = sum(
        w * way.names[suit] * (1 - game.named(other, hand, suit, True)) for w, other, way in passed for suit in suits
    )
    rest = sum(w for w, _ in left) * max(second.values())
    return {"accept": accept, "pass": (named + rest) / total}
