"""Strategies of the whole hand, and the best calls beside known values of play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.jit import fast_kernel, lean_kernel
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    DECISIONS,
    EXCHANGE,
    MOST_ENTRIES,
    NAMING,
    NAMING_PASS_COLUMN,
    value_calls,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    Floats32,
    HandGame,
    HistoryBlock,
    list_entries,
)

MOST_CHOICES: Final = 4
ROUNDING: Final = 1e-11  # of what a hand wins, summed over the opponent's hands


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


def over_others(game: HandGame, shares: Floats) -> Floats:
    """Return for each hand the sums over all hands that the opponent may have.

    Args:
        game: the hand.
        shares: float64[sets, columns], by the opponent's hand.

    Returns:
        float64[sets, columns].
    """
    count = int(game.sets[game.cards])
    masks = game.set_masks[game.cards, :count]
    dealt = shares * game.dealt[:, None]
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
    """Best calls and discards out of what each contract wins, the first of equal ones; a pass comes before suits.

    Args:
        values: float64[hands, 8, n], what the best play of each contract wins (`PlayPasses.best_plays`).
        responder: the player who calls.
        floor: least probability of every call.

    Returns:
        float64[hands], what the best calls win, and float64[6, hands, 4], ones at them.
    """
    hands = np.arange(len(values))
    bidding = np.zeros((DECISIONS, len(hands), MOST_ENTRIES))

    def choose(decision: int, options: Floats) -> Floats:
        first = NAMING_PASS_COLUMN if decision == NAMING else 0
        best = (_first_best(np.roll(options, -first, axis=1)) + first) % options.shape[1]
        bidding[decision, hands, best] = 1.0
        least = floor if decision < EXCHANGE else 0.0
        return np.asarray((1 - least * options.shape[1]) * options.max(axis=1) + least * options.sum(axis=1))

    return value_calls(responder, values, choose), bidding


def options_of(values: Sequence[Floats]) -> dict[int, Floats]:
    """Return what each call and discard of both seats wins, with the best ones after it.

    Args:
        values: float64[hands, 8, n] of both seats, what the best play of each contract wins.

    Returns:
        float64[hands, actions] by decision.
    """
    options: dict[int, Floats] = {}

    def choose(decision: int, won: Floats) -> Floats:
        options[decision] = won
        return np.asarray(won.max(axis=1))

    for seat, won in enumerate(values):
        value_calls(seat, won, choose)
    return options


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
    choices = list_entries(block, hidden, discard, holds_up_card, mix.cards, mix.entries)
    total = 0.0
    for choice in range(choices):
        mix.plays[choice] = weights[mix.entries[choice]] if choices > 1 else 1.0
        total += mix.plays[choice]
    for choice in range(choices):
        mix.plays[choice] = mix.plays[choice] / total if total > 0.0 else 1.0 / choices
    return choices
