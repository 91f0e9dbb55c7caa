"""Iterations over a whole hand: the bidding around the play of its eight contracts."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    MIRRORED,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    OTHERS,
    HandGame,
    most_states,
    nondealer_bids,
    place_of,
)
from towerlab.solver.towers_and_bowers.whole_hand.last_tricks.buffers import LastTricks
from towerlab.solver.towers_and_bowers.whole_hand.update import play_pass
from towerlab.solver.towers_and_bowers.whole_hand.workspace import PlayArrays, WalkBuffers, Weights

# Decisions before the play; the entries of the first two are accept, pass, of the third three suits, pass.
FIRST_CALL: Final = 0  # the non-dealer's
ANSWER: Final = 1  # the dealer's, to a pass
SECOND_CALL: Final = 2  # the non-dealer's, after two passes
LAST_CALL: Final = 3  # the dealer names, after three
DISCARD: Final = 4  # 4, 5: the dealer's, in the contracts 0, 1
DECISIONS: Final = 6
ACCEPT: Final = 0
PASS: Final = 1
SECOND_PASS: Final = 3
MOST_ENTRIES: Final = 4


class BiddingArrays(NamedTuple):
    """Regrets, averages, current strategy and action values of bids and discards, each float64[6, sets, 4]."""

    regrets: Floats
    averages: Floats
    strategy: Floats
    values: Floats


@kernel
def entries_of(decision: int, cards: int) -> int:
    """Return the number of actions of a decision."""
    if decision >= DISCARD:
        return cards
    return 4 if decision == SECOND_CALL else 3 if decision == LAST_CALL else 2


@kernel
def play_contracts(
    game: HandGame,
    bidder: int,
    updated: int,
    weights: Weights,
    bidding: BiddingArrays,
    play: PlayArrays,
    work: WalkBuffers,
    tricks: LastTricks,
    contract_values: Floats,
) -> None:
    """Half an iteration of play, one player's, in the contracts of one bidder.

    Args:
        bidder: 0 for the non-dealer. The contracts of both touch nothing in common but what they read.
        bidding: the strategy in hand is read.
        contract_values: float64[8, sets × discards], filled for the player updated.
    """
    for contract in range(CONTRACTS):
        if nondealer_bids(contract) != (bidder == NONDEALER):
            continue
        if game.uses_mirror and contract in (NONDEALER_NAMES + 2, DEALER_NAMES + 2):  # hearts mirror diamonds
            for hand in range(game.sets[game.cards]):
                image = game.mirror_set[game.cards, hand]
                contract_values[contract, hand] = contract_values[contract - 1, image]
            continue
        first_reach(game, contract, bidding.strategy, work.reach[:, 0])
        scale = _raise_to_one(game, work.reach[1 - updated, 0]) if weights.evens else 1.0
        play_pass(game, contract, updated, weights, play, work, tricks)
        contract_values[contract] = scale * work.values[0]


@kernel
def _raise_to_one(game: HandGame, reach: Floats) -> float:
    """Multiply a vector at the first lead so that its mean over hands is one; returns what takes that back.

    How often bids lead to a contract changes while they are learnt. Where they come to it ever more rarely, what was
    learnt there first would weigh more than all that follows.
    """
    mean = reach.sum() / game.dealt.sum()
    if mean > 0.0:
        reach /= mean
    return float(mean)


@kernel
def update_bidding(
    game: HandGame, updated: int, weights: Weights, bidding: BiddingArrays, contract_values: Floats
) -> float:
    """Update one player's bidding from the values of the contracts.

    Args:
        game, weights: of which hand, and of the iteration.
        updated: whose bidding.
        bidding: updated in place.
        contract_values: float64[8, sets × discards], of `play_contracts`.

    Returns:
        The value of the hand to the non-dealer, summed over deals; 0 for a dealer.
    """
    if updated == NONDEALER:
        return _update_nondealer(game, weights, bidding, contract_values)
    _update_dealer(game, weights, bidding, contract_values)
    return 0.0


@kernel
def _mean(game: HandGame, shares: Floats) -> float:
    """The mean over hands that can be dealt."""
    return float((game.dealt * shares).sum() / game.dealt.sum())


@kernel
def match_regrets(game: HandGame, floor: float, bidding: BiddingArrays) -> None:
    """The strategy in hand, from the regrets; no bid is rarer than the floor, so that every auction is met."""
    for decision in range(DECISIONS):
        entries = entries_of(decision, game.cards)
        least = floor if decision < DISCARD else 0.0
        for hand in range(game.sets[game.cards]):
            regrets = bidding.regrets[decision, hand]
            total = 0.0
            for entry in range(entries):
                total += max(regrets[entry], 0.0)
            for entry in range(entries):
                share = max(regrets[entry], 0.0) / total if total > 0.0 else 1.0 / entries
                bidding.strategy[decision, hand, entry] = least + (1.0 - entries * least) * share
    if game.uses_mirror:
        _mirror_bidding(game, bidding.strategy)


@kernel
def _mirror_bidding(game: HandGame, strategy: Floats) -> None:
    """Make mirrored hands bid and discard alike to the last bit."""
    for decision in range(DECISIONS):
        entries = entries_of(decision, game.cards)
        for hand in range(game.sets[game.cards]):
            image = game.mirror_set[game.cards, hand]
            if image < hand:
                continue
            for entry in range(entries):
                other = mirrored_entry(game, decision, hand, entry)
                if image > hand:
                    strategy[decision, image, other] = strategy[decision, hand, entry]
                elif other > entry:
                    both = (strategy[decision, hand, entry] + strategy[decision, hand, other]) / 2
                    strategy[decision, hand, entry] = strategy[decision, hand, other] = both


@kernel
def mirrored_entry(game: HandGame, decision: int, hand: int, entry: int) -> int:
    """Return where an action's image stands among the actions of the mirrored hand."""
    if decision >= DISCARD:
        image = game.set_masks[game.cards, game.mirror_set[game.cards, hand]]
        return place_of(MIRRORED[game.members[game.cards, hand, entry]], image)
    if decision in (SECOND_CALL, LAST_CALL) and entry in (1, 2):
        return 3 - entry
    return entry


@kernel
def first_reach(game: HandGame, contract: int, strategy: Floats, reach: Floats) -> None:
    """Fill in both players' vectors at the first lead of a contract.

    Args:
        game, contract: which hand, and 0..7.
        strategy: float64[6, sets, 4], probabilities of the actions of each decision.
        reach: float64[2, states], filled, by player.
    """
    nondealer, dealer = reach[NONDEALER], reach[DEALER]
    dealer[:] = 0.0
    suit = (contract - NONDEALER_NAMES) % 3
    for hand in range(game.sets[game.cards]):
        dealt = game.dealt[hand]
        passes = dealt * strategy[FIRST_CALL, hand, PASS]
        if contract == NONDEALER_ACCEPTS:
            nondealer[hand] = dealt * strategy[FIRST_CALL, hand, ACCEPT]
        elif contract == DEALER_ACCEPTS:
            nondealer[hand] = passes
        elif contract < DEALER_NAMES:
            nondealer[hand] = passes * strategy[SECOND_CALL, hand, suit]
        else:
            nondealer[hand] = passes * strategy[SECOND_CALL, hand, SECOND_PASS]
        if contract >= DEALER_NAMES:
            dealer[hand] = dealt * strategy[ANSWER, hand, PASS] * strategy[LAST_CALL, hand, suit]
        elif contract >= NONDEALER_NAMES:
            dealer[hand] = dealt * strategy[ANSWER, hand, PASS]
        else:
            bids = strategy[ANSWER, hand, ACCEPT] if contract == DEALER_ACCEPTS else 1.0
            for entry in range(game.cards):
                state = state_after_discard(game, hand, entry)
                dealer[state] = dealt * bids * strategy[DISCARD + contract, hand, entry]


def contract_reach(game: HandGame, bidding: Floats) -> Floats:
    """float64[8, 2, states]: `first_reach` of both seats in every contract, by a bidding float64[6, sets, 4]."""
    reach = np.zeros((CONTRACTS, 2, most_states(game)))
    for contract in range(CONTRACTS):
        first_reach(game, contract, bidding, reach[contract])
    return reach


@kernel
def state_after_discard(game: HandGame, hand: int, entry: int) -> int:
    """Return where a dealer's vector has the dealer who discards the card of that place in the hand."""
    return int(game.sets_left[hand, entry] * OTHERS + game.members[game.cards, hand, entry])


@kernel
def _update_nondealer(game: HandGame, weights: Weights, bidding: BiddingArrays, values: Floats) -> float:
    """The non-dealer's regrets at both calls; the value of the hand to the non-dealer, summed over deals."""
    total, answer = 0.0, bidding.strategy[ANSWER]
    comes_back = _mean(game, answer[:, PASS])
    for hand in range(game.sets[game.cards]):
        if game.dealt[hand] == 0.0:
            continue
        second = bidding.values[SECOND_CALL, hand]
        second[SECOND_PASS] = 0.0
        for suit in range(3):
            second[suit] = values[NONDEALER_NAMES + suit, hand]
            second[SECOND_PASS] += values[DEALER_NAMES + suit, hand]
        comes = bidding.strategy[FIRST_CALL, hand, PASS]
        later = _update_decision(game, SECOND_CALL, hand, comes, comes_back, weights, bidding)
        first = bidding.values[FIRST_CALL, hand]
        first[ACCEPT] = values[NONDEALER_ACCEPTS, hand]
        first[PASS] = values[DEALER_ACCEPTS, hand] + later
        total += _update_decision(game, FIRST_CALL, hand, 1.0, 1.0, weights, bidding)
    return total


@kernel
def _update_dealer(game: HandGame, weights: Weights, bidding: BiddingArrays, values: Floats) -> None:
    """The dealer's regrets: at both calls and the discard that follows the acceptance of either."""
    passed, accepted = bidding.strategy[FIRST_CALL, :, PASS], _mean(game, bidding.strategy[FIRST_CALL, :, ACCEPT])
    once, thrice = _mean(game, passed), _mean(game, passed * bidding.strategy[SECOND_CALL, :, SECOND_PASS])
    for hand in range(game.sets[game.cards]):
        _value_discards(game, NONDEALER_ACCEPTS, hand, bidding, values)
        _update_decision(game, DISCARD + NONDEALER_ACCEPTS, hand, 1.0, accepted, weights, bidding)
        passes = bidding.strategy[ANSWER, hand, PASS]
        accepts = bidding.strategy[ANSWER, hand, ACCEPT]
        answer = bidding.values[ANSWER, hand]
        _value_discards(game, DEALER_ACCEPTS, hand, bidding, values)
        answer[ACCEPT] = _update_decision(game, DISCARD + DEALER_ACCEPTS, hand, accepts, once, weights, bidding)
        answer[PASS] = 0.0
        for suit in range(3):
            bidding.values[LAST_CALL, hand, suit] = values[DEALER_NAMES + suit, hand]
            answer[PASS] += values[NONDEALER_NAMES + suit, hand]
        answer[PASS] += _update_decision(game, LAST_CALL, hand, passes, thrice, weights, bidding)
        _update_decision(game, ANSWER, hand, 1.0, once, weights, bidding)


@kernel
def _value_discards(game: HandGame, contract: int, hand: int, bidding: BiddingArrays, values: Floats) -> None:
    for entry in range(game.cards):
        bidding.values[DISCARD + contract, hand, entry] = values[contract, state_after_discard(game, hand, entry)]


@kernel
def _update_decision(
    game: HandGame, decision: int, hand: int, comes: float, leads: float, weights: Weights, bidding: BiddingArrays
) -> float:
    """Regrets and average of one decision from the values of its actions; returns its value.

    Args:
        comes: how far the player's own calls lead here.
        leads: how far the other's do, the mean over hands. Regrets are divided by it: see `_raise_to_one`.
    """
    entries, now = entries_of(decision, game.cards), weights.iteration
    strategy, values = bidding.strategy[decision, hand], bidding.values[decision, hand]
    value = 0.0
    for entry in range(entries):
        value += strategy[entry] * values[entry]
    for entry in range(entries):
        regret = bidding.regrets[decision, hand, entry]
        if not weights.evens:
            regret += values[entry] - value
        elif leads > 0.0:
            regret += (values[entry] - value) / leads
        regret *= weights.positive[now] if regret > 0.0 else weights.negative[now]
        bidding.regrets[decision, hand, entry] = regret
        bidding.averages[decision, hand, entry] += weights.average * comes * strategy[entry]
    return value
