"""Strategies of the whole hand, and the best calls beside known values of play."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.jit import fast_kernel, lean_kernel
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    ACCEPT,
    ANSWER,
    DECISIONS,
    DISCARD,
    FIRST_CALL,
    LAST_CALL,
    MOST_ENTRIES,
    PASS,
    SECOND_CALL,
    SECOND_PASS,
    entries_of,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    Floats32,
    HandGame,
    HistoryBlock,
    list_entries,
)

MOST_CHOICES: Final = 4
ROUNDING: Final = 1e-11  # of what a hand wins, summed over the opponent's hands
_NAMED: Final = slice(NONDEALER_NAMES, NONDEALER_NAMES + 3)
_LEFT: Final = slice(DEALER_NAMES, DEALER_NAMES + 3)


class Strategy(NamedTuple):
    """A strategy of both players.

    Attributes:
        bidding: float64[6, sets, 4], probabilities of the actions of each decision
        (`solver.towers_and_bowers.whole_hand.hand`).
        play: float64[play_size], of four cards float32, weights of the cards at each information set
            (`hand_game.list_entries`); all zero where nothing is known: every legal card is equally likely.
    """

    bidding: Floats
    play: Floats


class CardMix(NamedTuple):
    """The legal cards of a hand, with the probability of each.

    Attributes:
        cards, entries, plays: int64[4], int64[4], float64[4], the cards (`hand_game.list_entries`) and their
            probabilities.
    """

    cards: Ints
    entries: Ints
    plays: Floats


def normalised(bidding: Floats, cards: int) -> Floats:
    """Return averages of the bidding as probabilities; uniform where there are none.

    Args:
        bidding: float64[6, sets, 4], averages.
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


def over_others(game: HandGame, shares: Floats) -> Floats:
    """Return for each hand the sums over all hands that the opponent may have.

    Args:
        game: the hand.
        shares: float64[sets, columns], by the opponent's hand.

    Returns:
        float64[sets, columns].
    """
    count = int(game.sets[game.cards])
    masks, dealt = game.set_masks[game.cards, :count], shares * game.dealt[:, None]
    sums = np.zeros_like(dealt)
    _add_disjoint(masks, dealt, sums)
    return sums


@fast_kernel
def _add_disjoint(masks: Ints, shares: Floats, sums: Floats) -> None:
    """Add to each hand's sums the shares of all hands without a common card; a matrix product has no fixed order."""
    for hand in range(len(masks)):
        for other in range(len(masks)):
            if not masks[hand] & masks[other]:
                for column in range(shares.shape[1]):
                    sums[hand, column] += shares[other, column]


def best_calls(game: HandGame, values: Floats, responder: int, floor: float = 0.0) -> tuple[Floats, Floats]:
    """Best calls and discards out of what each contract wins, the first of equal ones.

    Args:
        values: float64[hands, 8, n], what the best play of each contract wins (`PlayPasses.best_plays`).
        responder: the player who calls.
        floor: least probability of every call.

    Returns:
        float64[hands], what the best calls win, and float64[6, hands, 4], ones at them.
    """

    def best(options: Floats) -> Floats:
        values: Floats = (1 - floor * options.shape[1]) * options.max(axis=1) + floor * options.sum(axis=1)
        return values

    hands = np.arange(len(values))
    named, left = values[:, _NAMED, 0], values[:, _LEFT, 0]
    bidding = np.zeros((DECISIONS, len(hands), MOST_ENTRIES))
    if responder == NONDEALER:
        second = np.column_stack((left.sum(axis=1), named))  # a pass, then the suits
        accepts, passes = values[:, NONDEALER_ACCEPTS, 0], values[:, DEALER_ACCEPTS, 0] + best(second)
        certain, first = np.zeros(len(hands)), FIRST_CALL
        bidding[SECOND_CALL, hands, (_first_best(second) - 1) % (SECOND_PASS + 1)] = 1.0
    else:
        for contract in (NONDEALER_ACCEPTS, DEALER_ACCEPTS):
            bidding[DISCARD + contract, hands, _first_best(values[:, contract])] = 1.0
        accepts, passes = values[:, DEALER_ACCEPTS].max(axis=1), named.sum(axis=1) + best(left)
        certain, first = values[:, NONDEALER_ACCEPTS].max(axis=1), ANSWER
        bidding[LAST_CALL, hands, _first_best(left)] = 1.0
    bidding[first, hands, np.where(accepts >= passes - ROUNDING, ACCEPT, PASS)] = 1.0
    return certain + best(np.column_stack((accepts, passes))), bidding


def _first_best(options: Floats) -> Ints:
    """int64[hands]: of each row of float64[hands, options] the first that is best but for rounding."""
    return np.asarray(np.argmax(options >= options.max(axis=1, keepdims=True) - ROUNDING, axis=1))


@lean_kernel
def card_shares(
    block: HistoryBlock, weights: Floats | Floats32, hidden: int, discard: int, holds_up_card: int, mix: CardMix
) -> int:
    """List the cards that a hand may play and their probabilities; returns how many.

    Args:
        block: `stored_block` of the cards played.
        weights: `Strategy.play`.
        hidden, discard, holds_up_card: the hand, as for `list_entries`.
        mix: its `cards`, `entries` and `plays` are filled.
    """
    choices, total = list_entries(block, hidden, discard, holds_up_card, mix.cards, mix.entries), 0.0
    for choice in range(choices):
        mix.plays[choice] = weights[mix.entries[choice]] if choices > 1 else 1.0
        total += mix.plays[choice]
    for choice in range(choices):
        mix.plays[choice] = mix.plays[choice] / total if total > 0.0 else 1.0 / choices
    return choices
