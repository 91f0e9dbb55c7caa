"""Two given strategies of the whole hand against each other, exact: the value, and what each choice costs.

Nothing is learnt: a strategy is written where regrets stand, so that matching regrets gives it back, and one pass of
`solver.towers_and_bowers.whole_hand.update` adds the gain of each action over the mix. All games here are not
mirrored: of two hands that differ by swapping diamonds and hearts each has its own strategy.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    DECISIONS,
    MOST_ENTRIES,
    BiddingArrays,
    entries_of,
    match_regrets,
    update_bidding,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    NONDEALER,
    HandGame,
    deals,
    decisions,
    entries_at,
    list_sets,
    new_sets,
    owners,
)
from towerlab.solver.towers_and_bowers.whole_hand.solve import PlayPasses, empty_play
from towerlab.solver.towers_and_bowers.whole_hand.strategies import Strategy
from towerlab.solver.towers_and_bowers.whole_hand.workspace import Weights

_NONDEALERS: Final = (0, 2)  # decisions of the bidding
_ONE_STEP: Final = Weights(1, np.ones(2), np.ones(2), np.ones(2), np.ones(2), 1.0, 0.0, False)


class Meeting(NamedTuple):
    """One strategy of a non-dealer against one of a dealer.

    Attributes:
        value: the non-dealer's P(win the tower).
        gains: what each action of the player looked at gains over the mix, both going on as they do, summed
            over the other's hands as far as it plays so, by the places of `Strategy`; 0 for the other player, and
        without a meaning for cards that may not be played.
        reach: how far the player's own choices lead there, times the probability of the action.
    """

    value: float
    gains: Strategy
    reach: Strategy


def meet(game: HandGame, nondealer: Strategy, dealer: Strategy, looked_at: int = NONDEALER) -> Meeting:
    """Let two strategies meet.

    Args:
        game: one that is not mirrored.
        nondealer, dealer: of each only the half of that seat is read.
        looked_at: 0 for the non-dealer, 1 for the dealer.
    """
    shape = (DECISIONS, int(game.sets[game.cards]), MOST_ENTRIES)
    bids = dealer.bidding.copy()
    bids[list(_NONDEALERS)] = nondealer.bidding[list(_NONDEALERS)]
    plays = dealer.play.copy()
    np.copyto(plays, nondealer.play, where=owners(game) == NONDEALER)
    bidding = BiddingArrays(bids.copy(), np.zeros(shape), np.zeros(shape))
    passes = PlayPasses(game, empty_play(game, compact=False))
    passes.play.regrets[:] = plays
    match_regrets(game, 0.0, bidding)
    passes.run(looked_at, _ONE_STEP, bidding.strategy)
    total = update_bidding(game, looked_at, _ONE_STEP, bidding, passes.won(looked_at))
    gains = Strategy(bidding.regrets - bids, np.subtract(passes.play.regrets, plays, out=plays))
    value = total if looked_at == NONDEALER else -total
    return Meeting(value / deals(game), gains, Strategy(bidding.averages, passes.play.averages))


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


def costliest(game: HandGame, meeting: Meeting, most: int) -> Costs:
    """The decisions of the player looked at that cost most, each on its own."""
    costs = Costs(np.full(most, -1.0), np.zeros((most, 5), dtype=np.int64))
    _bidding_costs(game, meeting.gains.bidding, meeting.reach.bidding, costs)
    _play_costs(game, decisions(game), meeting.gains.play, meeting.reach.play, costs)
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


def unmirrored(mirrored: HandGame, game: HandGame, strategy: Strategy) -> Strategy:
    """A strategy of a mirrored game in the places of the same game without the mirror."""
    play = np.zeros(game.play_size)
    _copy_mirrored(mirrored, game, decisions(game), strategy.play, play)
    return Strategy(strategy.bidding, play)


@kernel
def _copy_mirrored(mirrored: HandGame, game: HandGame, nodes: Ints, source: Floats, target: Floats) -> None:
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
