"""What a walk over histories carries: weights of the iteration, what play has learnt, a workspace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from games.arrays import Bools, Floats, Ints
from games.jit import kernel, lean_kernel
from solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    NONDEALER,
    OTHERS,
    HandGame,
    who_plays,
)


class Weights(NamedTuple):
    """What the iteration in hand multiplies with.

    Attributes:
        iteration: its number, from 1.
        positive, negative: float64[iterations + 1], factors of positive and negative regrets after each iteration.
        positive_product, negative_product: running products of those.
        average: weight of this iteration's strategy in the average.
        floor: least probability of every bid.
    """

    iteration: int
    positive: Floats
    negative: Floats
    positive_product: Floats
    negative_product: Floats
    average: float
    floor: float


class PlayArrays(NamedTuple):
    """What play has learnt.

    Attributes:
        regrets, averages: float64[play_size], by history, set, card and discard, see `HandGame.node_starts`.
        visited: int64[8, nodes], the iteration of the last change of a history's regrets.
    """

    regrets: Floats
    averages: Floats
    visited: Ints


class Workspace(NamedTuple):
    """Buffers and the way to where the walk is, an entry a depth (number of cards played).

    Attributes:
        reach: float64[2, depths, sets × discards], how far each player's choices lead.
        reach_at: int64[2, depths], at which depth that player's vector of this depth lies: it changes with a play.
        values: float64[depths, sets × discards], counterfactual values of the player who is updated.
        strategy, card_values: float64[depths, entries of a block].
        row: float64[24], one more row.
        last_reach: float64[24], how far the other's choices let the player come with each last card.
        last_values: float64[2, 24], what each last card is worth, by who leads to the last trick.
        last_overlaps: float64[2, 24, 24], how much of that is the other's hands with one more card, which the player
            has just played or put away; by who leads to the last trick and the last card.
        winner: int64[24], who wins the trick in hand with each card that may complete it.
        legal: bool[4], which cards of the set in hand may be played.
        legal_cards: int64[depths, sets], how many may be played of each set.
        history, seen, leader, tricks: the cards played in base 24, the same as bits, who leads or has led this trick,
            tricks of the non-dealer.
        card: the card tried at this depth.
        holds_up_card: 1 while the dealer has the up-card.
        hidden: int64[2, depths], how many unknown cards each has.
        reachable: bool[2, depths], whether any hand of each comes here.
    """

    reach: Floats
    reach_at: Ints
    values: Floats
    strategy: Floats
    card_values: Floats
    row: Floats
    last_reach: Floats
    last_values: Floats
    last_overlaps: Floats
    winner: Ints
    legal: Bools
    legal_cards: Ints
    history: Ints
    seen: Ints
    leader: Ints
    tricks: Ints
    card: Ints
    holds_up_card: Ints
    hidden: Ints
    reachable: Bools


def make_workspace(game: HandGame) -> Workspace:
    """Buffers for passes at one hand size."""
    widest = int(max(game.sets[game.cards], game.sets[game.cards - 1] * OTHERS))
    depths = 2 * game.cards - 1
    return Workspace(
        reach=np.zeros((2, depths, widest)),
        reach_at=np.zeros((2, depths), dtype=np.int64),
        values=np.zeros((depths, widest)),
        strategy=np.zeros((depths, widest * game.cards)),
        card_values=np.zeros((depths, widest * game.cards)),
        row=np.zeros(CARDS),
        last_reach=np.zeros(CARDS),
        last_values=np.zeros((2, CARDS)),
        last_overlaps=np.zeros((2, CARDS, CARDS)),
        winner=np.zeros(CARDS, dtype=np.int64),
        legal=np.zeros(4, dtype=np.bool_),
        legal_cards=np.zeros((depths, widest), dtype=np.int64),
        history=np.zeros(depths, dtype=np.int64),
        seen=np.zeros(depths, dtype=np.int64),
        leader=np.zeros(depths, dtype=np.int64),
        tricks=np.zeros(depths, dtype=np.int64),
        card=np.zeros(depths, dtype=np.int64),
        holds_up_card=np.zeros(depths, dtype=np.int64),
        hidden=np.zeros((2, depths), dtype=np.int64),
        reachable=np.zeros((2, depths), dtype=np.bool_),
    )


@lean_kernel
def discards_of(contract: int, player: int) -> int:
    """How many entries a set has in a player's vectors: one a discard for a dealer who took the up-card."""
    return OTHERS if contract <= DEALER_ACCEPTS and player == DEALER else 1


@lean_kernel
def player_at(depth: int, work: Workspace) -> int:
    """Who is to play."""
    return int(work.leader[depth] if depth % 2 == 0 else 1 - work.leader[depth])


@lean_kernel
def cards_to_choose(depth: int, player: int, work: Workspace) -> int:
    """How many cards a player has at a depth, the up-card included."""
    return int(work.hidden[player, depth]) + int(work.holds_up_card[depth] if player == DEALER else 0)


@lean_kernel
def trick_winner(game: HandGame, contract: int, leader: int, led: int, card: int) -> int:
    """Who takes a trick."""
    if leader == NONDEALER:
        takes = game.nondealer_wins[contract, leader, card, led]
    else:
        takes = game.nondealer_wins[contract, leader, led, card]
    return NONDEALER if takes > 0.0 else DEALER


@lean_kernel
def discounts_since(weights: Weights, since: int) -> tuple[float, float]:
    """What positive and negative regrets that last changed in iteration `since` have missed before this one."""
    before = weights.iteration - 1
    positive = weights.positive_product[before] / weights.positive_product[since]
    return positive, weights.negative_product[before] / weights.negative_product[since]


@kernel
def fill_unreached(game: HandGame, learnt: PlayArrays, play: Floats) -> None:
    """The averages where there are any, the positive regrets where a hand never comes by its own choices.

    Args:
        play: float64[play_size], filled.
    """
    for contract in range(CONTRACTS):
        has_discard = contract <= DEALER_ACCEPTS
        for depth in range(2 * (game.cards - 1)):
            for history in range(CARDS**depth):
                start = game.node_starts[contract, game.depth_starts[depth] + history]
                if start < 0:
                    continue
                actor, hidden, holds = who_plays(game.cards, has_discard, game.nondealer_wins[contract], depth, history)
                choices, rows = hidden + holds, OTHERS if has_discard and actor == DEALER else 1
                for number in range(game.sets[hidden]):
                    for row in range(rows):
                        first, total = start + number * choices * rows + row, 0.0
                        for choice in range(choices):
                            total += learnt.averages[first + choice * rows]
                        for choice in range(choices):
                            place = first + choice * rows
                            regret = max(learnt.regrets[place], 0.0)
                            play[place] = learnt.averages[place] if total > 0.0 else regret
