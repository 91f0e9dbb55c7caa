"""What do both do in a whole hand? Strategies, the best calls for known values of play, and bidding by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.jit import fast_kernel, lean_kernel
from towerlab.solver.towers_and_bowers.bidding.deals import Deals, make_deals
from towerlab.solver.towers_and_bowers.bidding.strategies import BiddingStrategies, symmetric
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
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
    raise_calls,
    value_calls,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    MIRRORED,
    UP_SUIT,
    Floats32,
    HandGame,
    HistoryBlock,
    card_numbers,
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


def by_class(game: HandGame, rank: int, strategy: Strategy) -> tuple[Deals, BiddingStrategies]:
    """Return bidding and discards by class: mirrored hands share the strategy of the one that stands for both."""
    deals = make_deals(game.cards, 13 * UP_SUIT + rank)
    numbers = numbers_of(game, rank)
    bidding = strategy.bidding[:, [numbers[int(hand)] for hand in deals.classes]]
    own = bidding[:, :, : game.cards]
    strategies = BiddingStrategies(
        bidding[FIRST_CALL, :, ACCEPT_COLUMN],
        bidding[NAMING],
        own[EXCHANGE],
        bidding[ANSWER, :, ACCEPT_COLUMN],
        own[EXCHANGE + 1],
        bidding[LAST_CALL, :, :3],
    )
    return deals, symmetric(deals, strategies)


def as_strategy(
    game: HandGame, rank: int, deals: Deals, bidding: BiddingStrategies, play: Floats, floor: float = 0.0
) -> Strategy:
    """Return bidding by class as the strategy of every hand, each call made at least with the floor.

    Args:
        game, rank: which game.
        deals, bidding: of `by_class`.
        play: float64[play_size], taken over as `Strategy.play`.
        floor: least probability of every call.
    """
    numbers = numbers_of(game, rank)
    full = np.zeros((6, int(game.sets[game.cards]), 4))
    hands = np.array([numbers[int(hand)] for hand in deals.hands])
    rows = deals.row
    mirrored = deals.mirrored
    suits = np.where(mirrored[:, None], [0, 2, 1], [0, 1, 2])  # diamonds and hearts change places
    full[FIRST_CALL, hands, ACCEPT_COLUMN] = bidding.accepts[rows]
    full[FIRST_CALL, hands, PASS_COLUMN] = 1 - bidding.accepts[rows]
    full[ANSWER, hands, ACCEPT_COLUMN] = bidding.answers[rows]
    full[ANSWER, hands, PASS_COLUMN] = 1 - bidding.answers[rows]
    full[NAMING, hands, :3] = np.take_along_axis(bidding.names[rows, :3], suits, 1)
    full[NAMING, hands, 3] = bidding.names[rows, 3]
    full[LAST_CALL, hands, :3] = np.take_along_axis(bidding.left[rows], suits, 1)
    held = game.members[game.cards, hands, : game.cards]
    places = np.argsort(np.argsort(np.where(mirrored[:, None], MIRRORED[held], held)))  # in the class
    for decision, discards in ((EXCHANGE, bidding.discards), (EXCHANGE + 1, bidding.own_discards)):
        full[decision, hands, : game.cards] = np.take_along_axis(discards[rows], places, 1)
    raise_calls(full, game.cards, floor)
    return Strategy(full, play)


def numbers_of(game: HandGame, rank: int) -> dict[int, int]:
    """The number of each set of n cards by its printed mask."""
    cards = card_numbers(rank)
    held = game.members[game.cards, : int(game.sets[game.cards]), : game.cards]
    return {sum(1 << cards[card] for card in hand): number for number, hand in enumerate(held.tolist())}
