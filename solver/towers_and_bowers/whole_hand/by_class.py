"""Between the strategies of a whole hand and their bidding by class, as `solver.towers_and_bowers.bidding` has it."""

from __future__ import annotations

import numpy as np

from towerlab.games.arrays import Floats
from towerlab.solver.towers_and_bowers.bidding.deals import Deals, make_deals
from towerlab.solver.towers_and_bowers.bidding.strategies import BiddingStrategies, symmetric
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    ACCEPT_COLUMN,
    ANSWER,
    EXCHANGE,
    FIRST_CALL,
    LAST_CALL,
    NAMING,
    PASS_COLUMN,
    raise_calls,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import MIRRORED, UP_SUIT, HandGame, card_numbers
from towerlab.solver.towers_and_bowers.whole_hand.strategies import Strategy


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
