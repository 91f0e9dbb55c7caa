"""Solve a hand: arrays, schedule, averages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.equilibrium.best_response import Strategy, normalised
from solver.equilibrium.hand import DECISIONS, MOST_ENTRIES, BiddingArrays, iterate
from solver.equilibrium.hand_game import CONTRACTS, Floats, HandGame, deals
from solver.equilibrium.update import PlayArrays, Weights, make_desk


@dataclass(frozen=True)
class Schedule:
    """How regrets fade and how iterations are weighted.

    Attributes:
        alpha, beta: of discounted CFR, for positive and negative regrets.
        power: iteration t counts t ** power in the average.
        averages_from: the first iteration that counts. What is played off the equilibrium path is an average over
            rare visits, which the first steps of learning would drown.
        average_every: only each so-manyth iteration counts, which spares two thirds of the memory's work.
        floor: least probability of every bid, so that there is an answer to an auction that nobody should bring about.
        plus: CFR+ instead, which drops negative regrets.
    """

    alpha: float = 1.5
    beta: float = 0.5
    power: float = 4.0
    averages_from: int = 1
    average_every: int = 1
    floor: float = 0.0
    plus: bool = False

    def factors(self, iterations: int) -> tuple[Floats, Floats]:
        """float64[iterations + 1] each: what positive and negative regrets are multiplied with after an iteration."""
        if self.plus:
            return np.ones(iterations + 1), np.zeros(iterations + 1)
        return _discounts(iterations, self.alpha), _discounts(iterations, self.beta)


def _discounts(iterations: int, power: float) -> Floats:
    numbers = np.arange(iterations + 1, dtype=np.float64)
    factors: Floats = np.asarray(numbers**power / (numbers**power + 1), dtype=np.float64)
    factors[0] = 1.0
    return factors


def _running_product(factors: Floats) -> Floats:
    """Ones where factors are zero: what CFR+ drops needs no making up for."""
    return np.asarray(np.cumprod(np.where(factors > 0.0, factors, 1.0)), dtype=np.float64)


class HandSolver:
    """Improves a strategy of both players for one hand size and up-card, iteration by iteration."""

    def __init__(self, game: HandGame, schedule: Schedule | None = None) -> None:
        self.game = game
        self.schedule = schedule or Schedule()
        shape = (DECISIONS, int(game.sets[game.cards]), MOST_ENTRIES)
        self.bidding = BiddingArrays(*(np.zeros(shape) for _ in range(4)))
        visited = np.zeros(game.node_starts.shape, dtype=np.int64)
        self.play = PlayArrays(np.zeros(game.play_size), np.zeros(game.play_size), visited)
        self.iterations = 0
        self.value = float("nan")
        self._desk = make_desk(game)
        self._contract_values = np.zeros((CONTRACTS, self._desk.values.shape[1]))

    def strategy(self) -> Strategy:
        """The average strategy so far; its weights of play are the solver's own array, not a copy."""
        return Strategy(normalised(self.bidding.averages, self.game.cards), self.play.averages)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that a later run needs to go on from here to the identical result (`restore`)."""
        return {
            "iterations": np.array(self.iterations),
            "value": np.array(self.value),
            "bidding_regrets": self.bidding.regrets,
            "bidding_averages": self.bidding.averages,
            "regrets": self.play.regrets,
            "averages": self.play.averages,
            "visited": self.play.visited,
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state of the same game and schedule."""
        self.iterations, self.value = int(state["iterations"]), float(state["value"])
        self.bidding.regrets[:] = state["bidding_regrets"]
        self.bidding.averages[:] = state["bidding_averages"]
        self.play = PlayArrays(state["regrets"], state["averages"], state["visited"])

    def run(self, iterations: int) -> None:
        """So many more iterations."""
        last = self.iterations + iterations
        positive, negative = self.schedule.factors(last)
        products = _running_product(positive), _running_product(negative)
        for now in range(self.iterations + 1, last + 1):
            counts = now >= self.schedule.averages_from and now % self.schedule.average_every == 0
            average = float(now) ** self.schedule.power if counts else 0.0
            weights = Weights(now, positive, negative, *products, average, self.schedule.floor)
            total = iterate(self.game, weights, self.bidding, self.play, self._desk, self._contract_values)
            self.value = total / deals(self.game)
        self.iterations = last
