"""Iterations over a whole hand: the bidding around the play of its eight contracts."""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.bidding import floored
from towerlab.solver.towers_and_bowers.whole_hand.game import most_states
from towerlab.solver.towers_and_bowers.whole_hand.tables import (
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
)
from towerlab.solver.towers_and_bowers.whole_hand.workspace import Weights

# Decisions before the play; the entries of the first two are accept, pass, of the third three suits, pass.
FIRST_CALL: Final = 0  # the non-dealer's
ANSWER: Final = 1  # the dealer's, to a pass
NAMING: Final = 2  # the non-dealer's, after two passes
LAST_CALL: Final = 3  # the dealer names, after three
EXCHANGE: Final = 4  # 4, 5: the dealer's, in the contracts 0, 1
DECISIONS: Final = 6
ACCEPT_COLUMN: Final = 0
PASS_COLUMN: Final = 1
NAMING_PASS_COLUMN: Final = 3
MOST_ENTRIES: Final = 4


class BiddingArrays(NamedTuple):
    """Regrets, averages and current strategy of bids and discards, each float64[6, sets, 4]."""

    regrets: Floats
    averages: Floats
    strategy: Floats


@kernel
def entries_of(decision: int, cards: int) -> int:
    """Return the number of actions of a decision."""
    if decision >= EXCHANGE:
        return cards
    return 4 if decision == NAMING else 3 if decision == LAST_CALL else 2


# ------------------------------------------------------------------------------------------------------- strategies


def normalised(bidding: Floats, cards: int) -> Floats:
    """Return weights of the bidding as probabilities; uniform where there are none.

    Args:
        bidding: float64[6, sets, 4], weights, as averages are.
        cards: hand size n.

    Returns:
        float64[6, sets, 4].
    """
    probabilities = np.zeros_like(bidding)
    for decision in range(DECISIONS):
        entries = entries_of(decision, cards)
        weights = bidding[decision, :, :entries]
        total = weights.sum(1, keepdims=True)
        probabilities[decision, :, :entries] = np.where(
            total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / entries
        )
    return probabilities


def raise_calls(bidding: Floats, cards: int, floor: float) -> None:
    """Raise the probability of each call to a floor at least, in place; of discards none."""
    for decision in range(EXCHANGE):
        calls = bidding[decision, :, : entries_of(decision, cards)]
        calls[:] = floored(calls, floor)


def match_regrets(game: HandGame, floor: float, bidding: BiddingArrays) -> None:
    """The strategy in hand, from the regrets; no bid is rarer than the floor, so that every auction is met."""
    bidding.strategy[:] = normalised(np.maximum(bidding.regrets, 0.0), game.cards)
    raise_calls(bidding.strategy, game.cards, floor)
    if game.uses_mirror:
        _mirror_bidding(game, bidding.strategy)


def _mirror_bidding(game: HandGame, strategy: Floats) -> None:
    """Make mirrored hands bid and discard alike to the last bit."""
    hands = np.arange(len(game.dealt))[:, None]
    images = game.mirror_set[game.cards, : len(hands), None]
    for decision in range(DECISIONS):
        mix = strategy[decision, :, : entries_of(decision, game.cards)]
        image = mix[images, mirrored_entries(game, decision)]
        mix[:] = np.where(images < hands, image, np.where(images == hands, (mix + image) / 2, mix))


def mirrored_entries(game: HandGame, decision: int) -> Ints:
    """Return, for each hand and action, the place of its image among the mirrored hand's actions."""
    hands = len(game.dealt)
    entries = entries_of(decision, game.cards)
    if decision >= EXCHANGE:
        images = MIRRORED[game.members[game.cards, :hands, :entries]]
        return np.argsort(np.argsort(images, axis=1), axis=1)
    places = np.array([0, 2, 1, 3]) if decision in (NAMING, LAST_CALL) else np.arange(entries)
    return np.tile(places[:entries], (hands, 1))


# ------------------------------------------------------------------------------------------------ reach of contracts


def first_reach(game: HandGame, contract: int, strategy: Floats) -> Floats:
    """Return both players' vectors at the first lead of a contract.

    Args:
        game, contract: which hand, and 0..7.
        strategy: float64[6, sets, 4], probabilities of the actions of each decision.

    Returns:
        float64[2, states], by player.
    """
    reach = np.zeros((2, most_states(game)))
    hands = len(game.dealt)
    dealt = game.dealt
    suit = (contract - NONDEALER_NAMES) % 3
    passes = strategy[FIRST_CALL, :, PASS_COLUMN]
    refuses = strategy[ANSWER, :, PASS_COLUMN]
    if contract == NONDEALER_ACCEPTS:
        reach[NONDEALER, :hands] = dealt * strategy[FIRST_CALL, :, ACCEPT_COLUMN]
    elif contract == DEALER_ACCEPTS:
        reach[NONDEALER, :hands] = dealt * passes
    else:
        call = suit if contract < DEALER_NAMES else NAMING_PASS_COLUMN
        reach[NONDEALER, :hands] = dealt * passes * strategy[NAMING, :, call]
    if contract <= DEALER_ACCEPTS:
        bids = dealt * strategy[ANSWER, :, ACCEPT_COLUMN] if contract == DEALER_ACCEPTS else dealt
        discards = strategy[EXCHANGE + contract, :, : game.cards]
        reach[DEALER, states_after_discards(game)] = bids[:, None] * discards
    else:
        names = strategy[LAST_CALL, :, suit] if contract >= DEALER_NAMES else 1.0
        reach[DEALER, :hands] = dealt * refuses * names
    return reach


def contract_reach(game: HandGame, bidding: Floats) -> Floats:
    """float64[8, 2, states]: `first_reach` of both seats in every contract, by a bidding float64[6, sets, 4]."""
    return np.stack([first_reach(game, contract, bidding) for contract in range(CONTRACTS)])


def states_after_discards(game: HandGame) -> Ints:
    """int64[hands, n]: where a dealer's vector has the dealer who discards each card of each hand."""
    return game.sets_left * OTHERS + game.members[game.cards, : len(game.dealt), : game.cards]


# ------------------------------------------------------------------------------------------------ values of the calls


def value_calls(seat: int, won: Floats, choose: Callable[[int, Floats], Floats]) -> Floats:
    """Return what a seat's hands win in all contracts together, by backward induction over its own decisions.

    Args:
        seat: 0 the non-dealer, 1 the dealer.
        won: float64[hands, 8, n], what each contract wins, by the place of the card that a dealer puts away who takes
            the up-card; else at place 0.
        choose: returns the value of a decision, float64[hands], from its number and what each of its actions wins,
            float64[hands, actions]. Later decisions are chosen first.
    """
    named = won[:, NONDEALER_NAMES:DEALER_NAMES, 0]
    left = won[:, DEALER_NAMES:, 0]
    if seat == NONDEALER:
        second = choose(NAMING, np.column_stack((named, left.sum(axis=1))))
        accepts = won[:, NONDEALER_ACCEPTS, 0]
        passes = won[:, DEALER_ACCEPTS, 0] + second
        return choose(FIRST_CALL, np.column_stack((accepts, passes)))
    other_accepts = choose(EXCHANGE + NONDEALER_ACCEPTS, won[:, NONDEALER_ACCEPTS])
    accepts = choose(EXCHANGE + DEALER_ACCEPTS, won[:, DEALER_ACCEPTS])
    passes = named.sum(axis=1) + choose(LAST_CALL, left)
    return other_accepts + choose(ANSWER, np.column_stack((accepts, passes)))


def update_bidding(game: HandGame, updated: int, weights: Weights, bidding: BiddingArrays, won: Floats) -> float:
    """Update one player's bidding from the values of the contracts.

    Args:
        game, weights: of which hand, and of the iteration.
        updated: whose bidding.
        bidding: updated in place.
        won: float64[hands, 8, n], of `PlayPasses.won`.

    Returns:
        The value of the hand to that player, summed over deals; a dealer's payoffs are minus the non-dealer's.
    """
    strategy = bidding.strategy
    certain = np.ones(len(game.dealt))
    passes = strategy[FIRST_CALL, :, PASS_COLUMN]
    refuses = strategy[ANSWER, :, PASS_COLUMN]
    once = _mean(game, passes)
    # By decision: how far the player's own calls lead there, and how far the other's do, the mean over hands.
    reached = {
        FIRST_CALL: (certain, 1.0),
        NAMING: (passes, _mean(game, refuses)),
        EXCHANGE + NONDEALER_ACCEPTS: (certain, _mean(game, strategy[FIRST_CALL, :, ACCEPT_COLUMN])),
        ANSWER: (certain, once),
        EXCHANGE + DEALER_ACCEPTS: (strategy[ANSWER, :, ACCEPT_COLUMN], once),
        LAST_CALL: (refuses, _mean(game, passes * strategy[NAMING, :, NAMING_PASS_COLUMN])),
    }

    def choose(decision: int, values: Floats) -> Floats:
        comes, leads = reached[decision]
        return _update_decision(decision, values, comes, leads if weights.evens else 1.0, weights, bidding)

    return ordered_sum(value_calls(updated, won, choose)[game.dealt > 0.0])


def _mean(game: HandGame, shares: Floats) -> float:
    """The mean over hands that can be dealt."""
    return ordered_sum(game.dealt * shares) / float(game.dealt.sum())


def ordered_sum(values: Floats) -> float:
    """Return the sum from the first to the last; in what order numpy's own adds up depends on the processor."""
    return float(np.cumsum(values)[-1])


def _update_decision(
    decision: int, values: Floats, comes: Floats, leads: float, weights: Weights, bidding: BiddingArrays
) -> Floats:
    """Regrets and average of one decision from the values of its actions; returns its value, by hand.

    Args:
        decision, values: of `value_calls`.
        comes: how far the player's own calls lead here.
        leads: what regrets are divided by (`solve.PlayPasses`); 0 where the other's calls never lead here.
    """
    now = weights.iteration
    entries = slice(values.shape[1])
    strategy = bidding.strategy[decision, :, entries]
    regrets = bidding.regrets[decision, :, entries]
    value: Floats = (strategy * values).sum(axis=1)
    if leads > 0.0:
        regrets += (values - value[:, None]) / leads
    regrets *= np.where(regrets > 0.0, weights.positive[now], weights.negative[now])
    bidding.averages[decision, :, entries] += (weights.average * comes)[:, None] * strategy
    return value
