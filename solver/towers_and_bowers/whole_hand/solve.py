"""Solve a hand: arrays, schedule, averages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats
from towerlab.solver.towers_and_bowers.whole_hand.game import most_states
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    DECISIONS,
    MOST_ENTRIES,
    BiddingArrays,
    contract_reach,
    first_reach,
    match_regrets,
    normalised,
    ordered_sum,
    states_after_discards,
    update_bidding,
)
from towerlab.solver.towers_and_bowers.whole_hand.last_pairs import LastTricks, make_last_tricks
from towerlab.solver.towers_and_bowers.whole_hand.strategies import Strategy, best_calls, over_others
from towerlab.solver.towers_and_bowers.whole_hand.tables import (
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    HandGame,
    deals,
    nondealer_bids,
)
from towerlab.solver.towers_and_bowers.whole_hand.update import play_pass
from towerlab.solver.towers_and_bowers.whole_hand.workspace import (
    PlayArrays,
    WalkBuffers,
    Weights,
    fill_play,
    make_workspace,
)

COMPACT_FROM: Final = 4  # hand size that does not fit into memory otherwise
REPLY: Final = Weights(0, np.ones(2), np.ones(2), np.ones(2), np.ones(2), 0.0, 0.0, True, True)  # nothing is learnt
Both = Callable[[Callable[[int], None], Iterable[int]], Iterable[None]]


@dataclass(frozen=True)
class Schedule:
    """How regrets fade and how iterations are weighted.

    Attributes:
        alpha, beta: of discounted CFR, for positive and negative regrets; multiples of a half.
        power: iteration t counts t ** power in the average.
        averages_from: the first iteration that counts. Off the equilibrium path the play is an average over
            rare visits, which the first steps of learning would drown.
        average_every: of play only each so-manyth iteration counts, which spares two thirds of the memory's work.
        floor: least probability of every call with every hand, so that all that can be asked is met and learnt.
        plus: CFR+ instead, which drops negative regrets.
    """

    alpha: float = 1.5
    beta: float = 0.5
    power: float = 4.0
    averages_from: int = 1
    average_every: int = 1
    floor: float = 0.0
    plus: bool = False

    def factors(self, iterations: int) -> tuple[Floats, Floats, Floats, Floats]:
        """float64[iterations + 1] each: what positive and negative regrets are multiplied with after an iteration, and
        the running products of both."""
        positive = _discounts(iterations, self.alpha)
        negative = _discounts(iterations, self.beta)
        if self.plus:
            positive = np.ones(iterations + 1)
            negative = np.zeros(iterations + 1)
        return positive, negative, _running_product(positive), _running_product(negative)


def _discounts(iterations: int, power: float) -> Floats:
    # Roots round alike on every processor, powers do not; all powers in use are multiples of a half.
    numbers = np.sqrt(np.arange(iterations + 1) ** round(2 * power))
    factors: Floats = np.asarray(numbers / (numbers + 1), dtype=np.float64)
    factors[0] = 1.0
    return factors


def _running_product(factors: Floats) -> Floats:
    """Ones where factors are zero: what CFR+ drops needs no making up for."""
    return np.asarray(np.cumprod(np.where(factors > 0.0, factors, 1.0)), dtype=np.float64)


class Measured(NamedTuple):
    """The value of a strategy to the non-dealer, and what the best reply of either player gains against it."""

    nondealer: float
    nondealer_gain: float
    dealer_gain: float


class PlayPasses:
    """Passes over the play of all contracts, with the buffers that they take.

    Args:
        game: the hand.
        play: what play has learnt.
        both: calls a function for both bidders: `map`, or one that runs two threads, with the identical result.
        kind: the numbers that the last two tricks are worked out in; None for those of the regrets.

    Attributes:
        values: float64[8, states], the values of every contract for the player updated, after a run.
    """

    def __init__(self, game: HandGame, play: PlayArrays, both: Both = map, kind: Any = None) -> None:
        self.game = game
        self.play = play
        self._both = both
        self._buffers = [
            (make_workspace(game), make_last_tricks(kind or play.regrets.dtype.type))
            for _ in range(1 if both is map else 2)
        ]
        self.values = np.zeros((CONTRACTS, self._buffers[0][0].values.shape[1]))

    def run(self, updated: int, weights: Weights, bidding: Floats) -> None:
        """Update one player in every contract; fills `values`.

        Args:
            updated: 0 the non-dealer, 1 the dealer.
            weights: of the iteration.
            bidding: float64[6, sets, 4], how both bid.
        """
        has_mirror = self.game.uses_mirror
        hearts = (NONDEALER_NAMES + 2, DEALER_NAMES + 2)

        def play_bidder(bidder: int) -> None:
            buffers = self._buffers[bidder % len(self._buffers)]
            for contract in range(CONTRACTS):
                if nondealer_bids(contract) == (bidder == NONDEALER) and not (has_mirror and contract in hearts):
                    self._play(contract, updated, weights, bidding, *buffers)

        list(self._both(play_bidder, (NONDEALER, DEALER)))
        if has_mirror:
            images = self.game.mirror_set[self.game.cards, : len(self.game.dealt)]
            for contract in hearts:
                self.values[contract, : len(images)] = self.values[contract - 1, images]  # those of diamonds

    def _play(
        self, contract: int, updated: int, weights: Weights, bidding: Floats, work: WalkBuffers, tricks: LastTricks
    ) -> None:
        game = self.game
        scale = 1.0
        work.reach[:, 0] = first_reach(game, contract, bidding)
        if weights.evens:
            # How often bids lead to a contract changes while they are learnt. Where they come to it ever more rarely,
            # what was learnt there first would weigh more than all that follows: so the mean over hands is raised to 1.
            other = work.reach[1 - updated, 0]
            scale = ordered_sum(other) / float(game.dealt.sum())
            if scale > 0.0:
                other /= scale
        play_pass(game, contract, updated, weights, self.play, work, tricks)
        self.values[contract] = scale * work.values[0]

    def won(self, seat: int) -> Floats:
        """float64[sets, 8, n]: what each contract has won for the hands of the player updated (`hand.value_calls`)."""
        game = self.game
        hands = len(self.game.dealt)
        won = np.zeros((hands, CONTRACTS, game.cards))
        won[:, :, 0] = self.values[:, :hands].T
        if seat == DEALER:
            after = states_after_discards(game)
            for contract in (NONDEALER_ACCEPTS, DEALER_ACCEPTS):
                won[:, contract] = self.values[contract, after]
        return won

    def best_plays(self, bidding: Floats, responder: int, weights: Weights = REPLY) -> Floats:
        """Return what the best play of each contract wins with each hand against the average play so far.

        The passes that learn find it for all hands at once.

        Args:
            bidding: float64[6, sets, 4], how the other bids.
            responder: who plays best.
            weights: of a pass that responds.

        Returns:
            float64[sets, 8, n]: sums over the other's hands, as of `hand.value_calls`.
        """
        self.run(responder, weights, bidding)
        won = self.won(responder)
        if responder == DEALER:  # whose payoffs are minus the other's
            reached = over_others(self.game, contract_reach(self.game, bidding)[:, NONDEALER, : len(won)].T)
            won[:, :NONDEALER_NAMES] += reached[:, :NONDEALER_NAMES, None]
            won[:, NONDEALER_NAMES:, 0] += reached[:, NONDEALER_NAMES:]
        return won


class HandSolver:
    """Improves a strategy of both players for one hand size and up-card, iteration by iteration.

    Args:
        game: the hand.
        schedule: of the iterations.
        compact: learn in single precision and average the last decisions in 16 bits; None for hands that need it.
        both: as of `PlayPasses`.
    """

    def __init__(
        self,
        game: HandGame,
        schedule: Schedule | None = None,
        compact: bool | None = None,
        both: Both = map,
    ) -> None:
        self.game = game
        self.schedule = schedule or Schedule()
        self.compact = game.cards >= COMPACT_FROM if compact is None else compact
        shape = (DECISIONS, int(game.sets[game.cards]), MOST_ENTRIES)
        self.bidding = BiddingArrays(*(np.zeros(shape) for _ in range(3)))
        self.both = both
        self.passes = PlayPasses(game, empty_play(game, self.compact), both)
        self.iterations = 0
        self.value = float("nan")

    @property
    def play(self) -> PlayArrays:
        """Regrets and averages of the play."""
        return self.passes.play

    def bids(self) -> Floats:
        """float64[6, sets, 4], the average bidding so far."""
        return normalised(self.bidding.averages, self.game.cards)

    def strategy(self) -> Strategy:
        """Return a copy of the average strategy so far."""
        play = np.zeros(self.game.play_size)
        fill_play(self.game, self.play, play)
        return Strategy(self.bids(), play)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that a later run needs to go on from here to the identical result (`restore`)."""
        return {
            "iterations": np.array(self.iterations),
            "value": np.array(self.value),
            "bidding_regrets": self.bidding.regrets,
            "bidding_averages": self.bidding.averages,
            **self.play._asdict(),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state of the same game and schedule."""
        self.iterations = int(state["iterations"])
        self.value = float(state["value"])
        self.bidding.regrets[:] = state["bidding_regrets"]
        self.bidding.averages[:] = state["bidding_averages"]
        self.passes.play = PlayArrays(*(state[name] for name in PlayArrays._fields))

    def run(self, iterations: int) -> None:
        """So many more iterations."""
        last = self.iterations + iterations
        for now in range(self.iterations + 1, last + 1):
            average = float(now) ** self.schedule.power if now >= self.schedule.averages_from else 0.0
            bids = self._weights(now, last, average)
            weights = bids._replace(average=average * (now % self.schedule.average_every == 0))
            for updated in (NONDEALER, DEALER):
                match_regrets(self.game, weights.floor, self.bidding)
                self.passes.run(updated, weights, self.bidding.strategy)
                total = update_bidding(self.game, updated, bids, self.bidding, self.passes.won(updated))
                if updated == NONDEALER:
                    self.value = total / deals(self.game)
        self.iterations = last

    def _weights(self, now: int, last: int, average: float) -> Weights:
        floor = self.schedule.floor
        return Weights(now, *self.schedule.factors(last), average, floor, False, floor > 0.0)

    def measure(self, floor: float = 0.0) -> Measured:
        """Return the value and gains of the average strategy; each call of a best reply has at least the floor."""
        bids = self.bids()
        return measured(self.game, [self.passes.best_plays(bids, seat) for seat in (NONDEALER, DEALER)], floor)


def measured(game: HandGame, plays: Sequence[Floats], floor: float = 0.0) -> Measured:
    """Return the value, and what best replies gain.

    The value lies between what both best replies leave; it is reported as their middle.

    Args:
        plays: float64[sets, 8, n] of both seats, what the best play of each contract wins (`PlayPasses.best_plays`).
        floor: least probability of every call of a best reply.
    """
    won = [float(best_calls(game, plays[seat], seat, floor)[0][game.dealt > 0].sum() / deals(game)) for seat in (0, 1)]
    best = won[NONDEALER]
    least = 1.0 - won[DEALER]
    value = (best + least) / 2
    return Measured(value, best - value, value - least)


def empty_play(game: HandGame, compact: bool) -> PlayArrays:
    """Play before anything has been learnt."""
    size = game.play_size
    last = game.last_start
    kind = np.float32 if compact else np.float64
    return PlayArrays(
        np.zeros(size, dtype=kind),
        np.zeros(last if compact else size, dtype=kind),
        np.zeros((size - last) // 2 if compact else 0, dtype=np.uint16),
        np.zeros((CONTRACTS, 2, int(most_states(game)))),
        np.zeros(game.node_starts.shape, dtype=np.int16),
    )
