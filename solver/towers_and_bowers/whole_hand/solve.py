"""Solve a hand: arrays, schedule, averages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.arrays import Floats
from solver.towers_and_bowers.whole_hand.best_response import Strategy, normalised
from solver.towers_and_bowers.whole_hand.hand import (
    ACCEPT,
    ACCEPTED,
    AFTER_A_PASS,
    DECISIONS,
    FIRST_CALL,
    MADE_CALLS,
    MOST_ENTRIES,
    WHOLE,
    BiddingArrays,
    iterate,
)
from solver.towers_and_bowers.whole_hand.hand_game import CONTRACTS, NONDEALER_ACCEPTS, HandGame, deals
from solver.towers_and_bowers.whole_hand.workspace import PlayArrays, Weights, fill_unreached, make_workspace


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
    """Improves a strategy of both players for one hand size and up-card, iteration by iteration.

    It works on the whole hand, or first on the accepted game and then on what follows a pass. The latter is for odd n,
    where the payoff does not depend on who bid: the non-dealer loses nothing by accepting at once, and whoever learns
    both at a time sees that player drift between two actions of the same value.

    Args:
        game: the hand.
        schedule: of the iterations.
        part: what of it: a row of `MADE_CALLS`; `turn_to_passes` goes on from the accepted game.
    """

    def __init__(self, game: HandGame, schedule: Schedule | None = None, part: int = WHOLE) -> None:
        self.game = game
        self.schedule = schedule or Schedule()
        self.part = part
        shape = (DECISIONS, int(game.sets[game.cards]), MOST_ENTRIES)
        self.bidding = BiddingArrays(*(np.zeros(shape) for _ in range(4)))
        visited = np.zeros(game.node_starts.shape, dtype=np.int64)
        self.play = PlayArrays(np.zeros(game.play_size), np.zeros(game.play_size), visited)
        self.iterations = 0
        self.value = float("nan")
        self._workspace = make_workspace(game)
        self._contract_values = np.zeros((CONTRACTS, self._workspace.values.shape[1]))

    def strategy(self) -> Strategy:
        """The average strategy so far; its weights of play are the solver's own array, not a copy."""
        bidding = normalised(self.bidding.averages, self.game.cards)
        if self.part in (ACCEPTED, AFTER_A_PASS):
            bidding[FIRST_CALL] = 0.0
            bidding[FIRST_CALL, :, ACCEPT] = 1.0
        return Strategy(bidding, self.play.averages)

    def strategy_everywhere(self) -> Strategy:
        """A copy of `strategy`; where a hand never comes by its own choices, it plays by its regrets."""
        average = self.strategy()
        play = np.empty_like(average.play)
        fill_unreached(self.game, self.play, play)
        return Strategy(average.bidding, play)

    def turn_to_passes(self, accepted: Floats) -> None:
        """Go on with what follows a pass, where the non-dealer can always accept instead.

        Args:
            accepted: float64[hands], the value of accepting to each hand, summed over the dealer's.
        """
        self.part, self.iterations = AFTER_A_PASS, 0
        self._contract_values[NONDEALER_ACCEPTS, : len(accepted)] = accepted

    def state(self) -> dict[str, NDArray[Any]]:
        """All that a later run needs to go on from here to the identical result (`restore`)."""
        return {
            "part": np.array(self.part),
            "accepted": self._contract_values[NONDEALER_ACCEPTS],
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
        self.part, self.iterations, self.value = int(state["part"]), int(state["iterations"]), float(state["value"])
        self._contract_values[NONDEALER_ACCEPTS] = state["accepted"]
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
            arrays = self.bidding, self.play, self._workspace, self._contract_values
            total = iterate(self.game, MADE_CALLS[self.part], weights, *arrays)
            self.value = total / deals(self.game)
        self.iterations = last
