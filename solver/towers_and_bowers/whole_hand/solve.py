"""How is a hand solved, and what is a strategy worth exactly: against a best response, against another, by call?

`HandSolver` iterates: arrays, schedule, averages. Nothing is learnt by the rest. A best response (`best_response`)
knows the opponent's strategy, not the opponent's cards; it takes a pass of the solver. Of two given strategies (`meet`)
each is written where regrets stand, so that matching regrets gives it back, and one pass of
`solver.towers_and_bowers.whole_hand.update` adds the gain of each action over the mix. Those games are not mirrored: of
two hands that differ by swapping diamonds and hearts each has its own strategy. `call_values` has the values of the
calls, discards and contracts of a hand, with best play after them.

    towerlab study towers-and-bowers hand-equilibrium --set cards=2 --out folder
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    HandGame,
    count_deals,
    nondealer_bids,
)
from towerlab.solver.towers_and_bowers.whole_hand.game import (
    entries_at,
    entry_players,
    list_decisions,
    list_sets,
    most_states,
    new_sets,
    with_payoffs,
)
from towerlab.solver.towers_and_bowers.whole_hand.iteration import (
    ACCEPT_COLUMN,
    ANSWER,
    DECISIONS,
    EXCHANGE,
    FIRST_CALL,
    LAST_CALL,
    MOST_ENTRIES,
    NAMING,
    NAMING_PASS_COLUMN,
    PASS_COLUMN,
    BiddingArrays,
    PlayArrays,
    WalkBuffers,
    Weights,
    contract_reach,
    entries_of,
    fill_play,
    first_reach,
    make_workspace,
    match_regrets,
    normalise_bidding,
    ordered_sum,
    states_after_discards,
    update_bidding,
)
from towerlab.solver.towers_and_bowers.whole_hand.last_tricks import LastTricks, make_last_tricks
from towerlab.solver.towers_and_bowers.whole_hand.strategies import (
    ROUNDING,
    Strategy,
    best_calls,
    options_of,
    sum_over_others,
)
from towerlab.solver.towers_and_bowers.whole_hand.update import play_pass

COMPACT_FROM: Final = 4  # hand size that does not fit into memory otherwise
REPLY: Final = Weights(0, np.ones(2), np.ones(2), np.ones(2), np.ones(2), 0.0, 0.0, True, True)  # nothing is learnt
Both = Callable[[Callable[[int], None], Iterable[int]], Iterable[None]]


@dataclass(frozen=True)
class Schedule:
    """How regrets fade and how iterations are weighted.

    Attributes:
        alpha, beta: the exponents of discounted CFR for positive and negative regrets; multiples of a half.
        power: the exponent by which iteration t counts t ** power in the average.
        averages_from: the first iteration that counts. Off the equilibrium path the play is an average over
            rare visits, which the first steps of learning would drown.
        average_every: the period of the iterations of play that count, which spares two thirds of the memory's work.
        floor: least probability of every call with every hand, so that all that can be asked is met and learnt.
        plus: whether CFR+ is used instead, which drops negative regrets.
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
        play: the arrays of what play has learnt.
        both: a function that calls one for both bidders: `map`, or one that runs two threads, with the same result.
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
            weights: the factors of the iteration.
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
        """float64[sets, 8, n]: what each contract has won for the updated player's hands (`iteration.value_calls`)."""
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
            responder: the player who plays best.
            weights: the factors of a pass that responds.

        Returns:
            float64[sets, 8, n]: sums over the other's hands, as of `iteration.value_calls`.
        """
        self.run(responder, weights, bidding)
        won = self.won(responder)
        if responder == DEALER:  # whose payoffs are minus the other's
            reached = sum_over_others(self.game, contract_reach(self.game, bidding)[:, NONDEALER, : len(won)].T)
            won[:, :NONDEALER_NAMES] += reached[:, :NONDEALER_NAMES, None]
            won[:, NONDEALER_NAMES:, 0] += reached[:, NONDEALER_NAMES:]
        return won


class HandSolver:
    """Improves a strategy of both players for one hand size and up-card, iteration by iteration.

    Args:
        game: the hand.
        schedule: the schedule of the iterations.
        compact: whether to learn in single precision, last decisions averaged in 16 bits; None for hands that need it.
        both: the argument `both` of `PlayPasses`.
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
        return normalise_bidding(self.bidding.averages, self.game.cards)

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
                    self.value = total / count_deals(self.game)
        self.iterations = last

    def _weights(self, now: int, last: int, average: float) -> Weights:
        floor = self.schedule.floor
        return Weights(now, *self.schedule.factors(last), average, floor, False, floor > 0.0)

    def measure(self, floor: float = 0.0) -> Measured:
        """Return the value and gains of the average strategy; each call of a best reply has at least the floor."""
        bids = self.bids()
        return measure_plays(self.game, [self.passes.best_plays(bids, seat) for seat in (NONDEALER, DEALER)], floor)


def measure_plays(game: HandGame, plays: Sequence[Floats], floor: float = 0.0) -> Measured:
    """Return the value, and what best replies gain.

    The value lies between what both best replies leave; it is reported as their middle.

    Args:
        plays: float64[sets, 8, n] of both seats, what the best play of each contract wins (`PlayPasses.best_plays`).
        floor: least probability of every call of a best reply.
    """
    won = [
        float(best_calls(game, plays[seat], seat, floor)[0][game.dealt > 0].sum() / count_deals(game))
        for seat in (0, 1)
    ]
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


_NONDEALERS: Final = (0, 2)  # decisions of the bidding
_ONE_STEP: Final = Weights(1, np.ones(2), np.ones(2), np.ones(2), np.ones(2), 1.0, 0.0, False)


class Meeting(NamedTuple):
    """One strategy of a non-dealer against one of a dealer.

    Attributes:
        value: the non-dealer's P(win the tower).
        gains: the gain of each action of the player looked at over the mix, both going on as they do, summed
            over the other's hands as far as it plays so, by the places of `Strategy`; 0 for the other player, and
        without a meaning for cards that may not be played.
        reach: the share with which the player's own choices lead there, times the probability of the action.
    """

    value: float
    gains: Strategy
    reach: Strategy


def meet(game: HandGame, nondealer: Strategy, dealer: Strategy, looked_at: int = NONDEALER) -> Meeting:
    """Let two strategies meet.

    Args:
        game: a game that is not mirrored.
        nondealer, dealer: the two strategies; of each only the half of that seat is read.
        looked_at: 0 for the non-dealer, 1 for the dealer.
    """
    shape = (DECISIONS, int(game.sets[game.cards]), MOST_ENTRIES)
    bids = dealer.bidding.copy()
    bids[list(_NONDEALERS)] = nondealer.bidding[list(_NONDEALERS)]
    plays = dealer.play.copy()
    np.copyto(plays, nondealer.play, where=entry_players(game) == NONDEALER)
    bidding = BiddingArrays(bids.copy(), np.zeros(shape), np.zeros(shape))
    passes = PlayPasses(game, empty_play(game, compact=False))
    passes.play.regrets[:] = plays
    match_regrets(game, 0.0, bidding)
    passes.run(looked_at, _ONE_STEP, bidding.strategy)
    total = update_bidding(game, looked_at, _ONE_STEP, bidding, passes.won(looked_at))
    gains = Strategy(bidding.regrets - bids, np.subtract(passes.play.regrets, plays, out=plays))
    value = total if looked_at == NONDEALER else -total
    return Meeting(value / count_deals(game), gains, Strategy(bidding.averages, passes.play.averages))


# --------------------------------------------------------------------------------------------------- costliest sets


class Costs(NamedTuple):
    """The costliest decisions of a meeting, a row each, in no order.

    Attributes:
        costs: float64[most], own reach × (best action − mix), summed over the other's hands; -1 for an empty row.
        places: int64[most, 5], in the bidding -1, decision, number of the hand, 0, 0; in the play contract, depth,
            history, number of the set of hidden cards, discard (0 without one).
    """

    costs: Floats
    places: Ints


def costliest_decisions(game: HandGame, meeting: Meeting, most: int) -> Costs:
    """Return the decisions of the player looked at that cost most, each on its own."""
    costs = Costs(np.full(most, -1.0), np.zeros((most, 5), dtype=np.int64))
    _bidding_costs(game, meeting.gains.bidding, meeting.reach.bidding, costs)
    _play_costs(game, list_decisions(game), meeting.gains.play, meeting.reach.play, costs)
    return costs


@kernel
def _bidding_costs(game: HandGame, gains: Floats, reach: Floats, costs: Costs) -> None:
    place = np.zeros(5, np.int64)
    for decision in range(DECISIONS):
        for hand in range(game.sets[game.cards]):
            place[:] = (-1, decision, hand, 0, 0)
            entries = entries_of(decision, game.cards)
            _keep(reach[decision, hand, :entries].sum() * gains[decision, hand, :entries].max(), place, costs)


@kernel
def _play_costs(game: HandGame, nodes: Ints, gains: Floats, reach: Floats, costs: Costs) -> None:
    sets = new_sets(game)
    row = np.zeros(5, np.int64)
    for node in range(len(nodes)):
        contract = nodes[node, 0]
        depth = nodes[node, 1]
        history = nodes[node, 2]
        for place in range(list_sets(game, contract, depth, history, sets)):
            comes = 0.0
            best = 0.0
            for choice in range(entries_at(game, contract, depth, history, place, sets)):
                comes += reach[sets.entries[choice]]
                best = max(best, gains[sets.entries[choice]])
            if comes * best > 0.0:
                row[:] = (contract, depth, history, sets.numbers[place], max(sets.discards[place], 0))
                _keep(comes * best, row, costs)


@kernel
def _keep(cost: float, place: Ints, costs: Costs) -> None:
    """Put a decision in the place of the cheapest one kept, if it costs more."""
    cheapest = costs.costs.argmin()
    if cost > costs.costs[cheapest] and cost > 0.0:
        costs.costs[cheapest] = cost
        costs.places[cheapest] = place


# ------------------------------------------------------------------------------------------------ without the mirror


def without_mirror(mirrored: HandGame, game: HandGame, strategy: Strategy) -> Strategy:
    """Return a strategy of a mirrored game in the places of the same game without the mirror."""
    return Strategy(strategy.bidding, _copy_mirrored(mirrored, game, list_decisions(game), strategy.play))


@kernel
def _copy_mirrored(mirrored: HandGame, game: HandGame, nodes: Ints, source: Floats) -> Floats:
    target = np.zeros(game.play_size)
    sets = new_sets(game)
    stored = new_sets(game)
    for node in range(len(nodes)):
        contract = nodes[node, 0]
        depth = nodes[node, 1]
        history = nodes[node, 2]
        count = list_sets(game, contract, depth, history, sets)
        stored.numbers[:count], stored.discards[:count] = sets.numbers[:count], sets.discards[:count]
        for place in range(count):
            choices = entries_at(game, contract, depth, history, place, sets)
            entries_at(mirrored, contract, depth, history, place, stored)
            for choice in range(choices):
                for other in range(choices):
                    if sets.cards[choice] == stored.cards[other]:
                        target[sets.entries[choice]] = source[stored.entries[other]]
    return target


_KEEP_VALUES: Final = REPLY._replace(evens=False, keeps_values=True)


class BestResponse(NamedTuple):
    """A best response.

    Attributes:
        values: float64[sets], P(the responder wins the tower) with each hand, summed over the opponent's hands.
        strategy: one call and one card everywhere, the first of equal ones; zeros for the opponent, and where the
            opponent never comes.
    """

    values: Floats
    strategy: Strategy


def best_response(game: HandGame, strategy: Strategy, responder: int) -> BestResponse:
    """Return the best response of a player to a strategy.

    Args:
        game: a hand that is not mirrored.
        strategy: the opponent's; the other half is not read.
        responder: 0 for the non-dealer, 1 for the dealer.
    """
    best_plays, card_values = _respond(game, strategy, responder)
    values, bidding = best_calls(game, best_plays, responder)
    bidding[:, game.dealt == 0] = 0.0
    play = _choose_best(game, list_decisions(game), card_values, opponent_reach(game, strategy, responder))
    return BestResponse(np.where(game.dealt > 0, values, 0.0), Strategy(bidding, play))


def best_response_values(game: HandGame, strategy: Strategy, responder: int) -> Floats:
    """Return `BestResponse.values`; the game may be mirrored."""
    values = best_calls(game, _respond(game, strategy, responder)[0], responder)[0]
    return np.where(game.dealt > 0, values, 0.0)


def exploitability(game: HandGame, strategy: Strategy) -> float:
    """Return how much the best responses of both players win together beyond the whole (which is 1), per deal."""
    total = sum(best_response_values(game, strategy, player).sum() for player in (NONDEALER, DEALER))
    return float(total / count_deals(game) - 1.0)


def opponent_reach(game: HandGame, strategy: Strategy, player: int) -> Floats:
    """Return how far the opponent's choices lead to each of a player's information sets of the play.

    Args:
        game: a hand that is not mirrored.
        strategy: the opponent's; the other half is not read.
        player: 0 for the non-dealer, 1 for the dealer.

    Returns:
        float64[play_size], summed over the opponent's hands, at every card of the set.
    """
    certain_win = np.full_like(game.payoffs, 1.0 if player == NONDEALER else -1.0)  # a dealer's payoffs are negated
    return _respond(with_payoffs(game, certain_win), strategy, player)[1]


def _respond(game: HandGame, strategy: Strategy, responder: int) -> tuple[Floats, Floats]:
    """float64[sets, 8, n] of `PlayPasses.best_plays`, and float64[play_size], the values of the responder's cards."""
    passes = PlayPasses(game, empty_play(game, compact=False)._replace(averages=strategy.play))
    best_plays = passes.best_plays(strategy.bidding, responder, _KEEP_VALUES)
    return best_plays, passes.play.regrets


@kernel
def _choose_best(game: HandGame, nodes: Ints, values: Floats, reach: Floats) -> Floats:
    """Return ones at the best card of every information set that the opponent reaches."""
    play = np.zeros(game.play_size)
    sets = new_sets(game)
    for node in range(len(nodes)):
        contract = nodes[node, 0]
        depth = nodes[node, 1]
        history = nodes[node, 2]
        for place in range(list_sets(game, contract, depth, history, sets)):
            choices = entries_at(game, contract, depth, history, place, sets)
            if choices == 0 or reach[sets.entries[0]] <= ROUNDING:
                continue
            best = sets.entries[0]
            for entry in sets.entries[1:choices]:
                if values[entry] > values[best] + ROUNDING:
                    best = entry
            play[best] = 1.0
    return play


_PER_TRICK: Final = 1e-5  # P(win the tower), so that of plays that win as much the one with more tricks is taken
_BONUS: Final = 1e-8  # what a number of tricks pays more while it is counted


def values_of_calls(game: HandGame, bidding: Floats, hands: Ints, own: Floats, dealers: Floats) -> Floats:
    """Return P(win the tower) after each call or discard, for the player who makes it, with best play from there on.

    Args:
        game: the hand.
        bidding: float64[6, sets, 4], how the other bids.
        hands: int64[hands], numbers of the sets of n cards (`HandGame.members`) to be evaluated.
        own, dealers: float64[hands, 8, n], what best play of every contract wins (`PlayPasses.best_plays`) as the
            non-dealer and as the dealer.

    Returns:
        float64[hands, 2 n + 11] by `solver.towers_and_bowers.bidding.value_columns`: means over the other's
        hands, each as likely as the calls so far; nan where the other never calls so.
    """
    dealer_leads, nondealer_leads = (leads[hands, :, None] for leads in leading_calls(game, bidding))
    options = options_of((own, dealers))
    reached = {  # by decision, in the order of the columns: how far the other's calls lead there
        FIRST_CALL: dealer_leads[:, NONDEALER_ACCEPTS],
        NAMING: dealer_leads[:, NONDEALER_NAMES],
        EXCHANGE + NONDEALER_ACCEPTS: nondealer_leads[:, NONDEALER_ACCEPTS],
        ANSWER: nondealer_leads[:, DEALER_ACCEPTS],
        EXCHANGE + DEALER_ACCEPTS: nondealer_leads[:, DEALER_ACCEPTS],
        LAST_CALL: nondealer_leads[:, DEALER_NAMES],
    }
    with np.errstate(invalid="ignore"):  # 0 / 0 where the other never calls so
        return np.hstack([options[decision] / leads for decision, leads in reached.items()])


def leading_calls(game: HandGame, bidding: Floats) -> tuple[Floats, Floats]:
    """Return how far the calls of the dealer, and of the non-dealer, lead to each contract.

    Args:
        game: the hand.
        bidding: float64[6, sets, 4], how both bid.

    Returns:
        float64[sets, 8] each: summed over the hands that the one who calls may have beside each hand of the other. In
        contracts that this player names the last call is the other's.
    """
    nondealer, dealer = contract_reach(game, bidding)[:, :, : len(game.dealt)].transpose(1, 2, 0)
    # whatever is discarded
    dealer[:, NONDEALER_ACCEPTS] = 1.0
    dealer[:, DEALER_ACCEPTS] = bidding[ANSWER, :, ACCEPT_COLUMN]
    return sum_over_others(game, dealer), sum_over_others(game, nondealer)


class ContractOutcomes(NamedTuple):
    """What best play of every contract wins, for both seats.

    The axis n is the card that a dealer who takes the up-card puts away; other hands are at place 0.

    Attributes:
        values: float64[2, sets, 8, n], P(the seat wins the tower) with its best play, the contract having been reached.
        tricks: float64[2, sets, 8, n, n + 1], how likely it takes so many tricks then.
    """

    values: Floats
    tricks: Floats


def contract_outcomes(passes: PlayPasses, bidding: Floats, plays: Sequence[Floats]) -> ContractOutcomes:
    """Value every contract with every hand, once it is reached.

    How often so many tricks are taken follows from what best play wins where they pay a little more; of plays that win
    as much the one with more tricks counts.

    Args:
        passes: the passes over the average play of a game; the last tricks in double precision.
        bidding: float64[6, sets, 4], how both bid, every call at least with a floor.
        plays: float64[sets, 8, n] of both seats: `PlayPasses.best_plays` against it.
    """
    game = passes.game
    tricks = np.zeros((2, *plays[0].shape, game.cards + 1))
    each = _PER_TRICK * np.arange(game.cards + 1)
    for seat, sign in ((NONDEALER, 1), (DEALER, -1)):
        passes.game = with_payoffs(game, game.payoffs + each)
        without = passes.best_plays(bidding, seat)
        for taken in range(game.cards):
            passes.game = with_payoffs(game, game.payoffs + each + _BONUS * (np.arange(game.cards + 1) == taken))
            gain = sign * (passes.best_plays(bidding, seat) - without) / _BONUS
            tricks[seat, ..., taken if seat == NONDEALER else game.cards - taken] = gain
    passes.game = game
    reach = np.stack(leading_calls(game, bidding))[..., None]
    with np.errstate(invalid="ignore"):  # sets that cannot be dealt
        tricks = np.clip(tricks / reach[..., None], 0.0, 1.0)
        rest = np.maximum(1 - tricks.sum(-1), 0.0)
        tricks[NONDEALER, ..., -1], tricks[DEALER, ..., 0] = rest
        return ContractOutcomes(np.stack(plays) / reach, tricks)


def gains_inside(game: HandGame, bidding: Floats, plays: Sequence[Floats]) -> dict[str, float]:
    """Return what best replies of both players gain together in each part of the hand, given that it comes there.

    Args:
        game, bidding, plays: the hand, and the arguments `bidding` and `plays` of `contract_outcomes`.

    Returns:
        P(win the tower) of the accepted game, of the hand after one, two and three passes, and ``named_gain``: the most
        of any contract in a suit that is named.
    """
    own, theirs = plays
    leads = leading_calls(game, bidding)[0]
    reach = contract_reach(game, bidding)[:, :, : len(game.dealt)]
    options = options_of(plays)
    best = {decision: won.max(axis=1) for decision, won in options.items()}
    every = leads[:, NONDEALER_ACCEPTS]
    twice = leads[:, NONDEALER_NAMES]

    def gain(mine: Floats, won: Floats, yours: Floats, theirs_won: Floats, comes: Floats) -> float:
        return float(((mine * won).sum() + (yours * theirs_won).sum()) / (mine * comes).sum() - 1)

    contracts = NONDEALER_ACCEPTS, DEALER_ACCEPTS, DEALER_NAMES
    accepts, passed, thrice = (reach[contract, NONDEALER] for contract in contracts)
    dealers = game.dealt
    called = reach[NONDEALER_NAMES, DEALER]
    suits = [
        gain(reach[each, NONDEALER], own[:, each, 0], reach[each, DEALER], theirs[:, each, 0], leads[:, each])
        for each in range(NONDEALER_NAMES, CONTRACTS)
    ]
    accepted = options[FIRST_CALL][:, ACCEPT_COLUMN]
    left = options[NAMING][:, NAMING_PASS_COLUMN]
    return {
        "accepted_gain": gain(accepts, accepted, dealers, best[EXCHANGE + NONDEALER_ACCEPTS], every),
        "passed_gain": gain(passed, options[FIRST_CALL][:, PASS_COLUMN], dealers, best[ANSWER], every),
        "passed_twice_gain": gain(passed, best[NAMING], called, options[ANSWER][:, PASS_COLUMN], twice),
        "passed_thrice_gain": gain(thrice, left, called, best[LAST_CALL], twice),
        "named_gain": max(suits),
    }
