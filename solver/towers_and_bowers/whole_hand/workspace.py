"""The state of a walk over histories: weights of the iteration, what play has learnt, a workspace."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.jit import kernel, lean_kernel
from towerlab.solver.towers_and_bowers.whole_hand.game import find_groups, led_cards, most_states, rows_of
from towerlab.solver.towers_and_bowers.whole_hand.tables import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    DEPTH_STARTS,
    LARGEST_SOLVED,
    NONDEALER,
    OTHERS,
    HandGame,
    who_plays,
)

AnyFloats = NDArray[Any]  # float64, or float32 in compact solutions


class Weights(NamedTuple):
    """The factors of the iteration in hand.

    Attributes:
        iteration: its number, from 1.
        positive, negative: float64[iterations + 1], factors of positive and negative regrets after each iteration.
        positive_product, negative_product: running products of those.
        average: weight of this iteration's strategy in the average.
        floor: least probability of every bid.
        responds: whether nothing is learnt: the player updated takes the best card against the other's average.
        evens: whether every place is learnt as if play always came there: regrets are divided by how often the other's
            calls lead to it, else what is met ever more rarely would be governed by the first steps.
        keeps_values: whether, with `responds`, the value of each card is written in the place of its regret.
    """

    iteration: int
    positive: Floats
    negative: Floats
    positive_product: Floats
    negative_product: Floats
    average: float
    floor: float
    responds: bool
    evens: bool = False
    keeps_values: bool = False


class PlayArrays(NamedTuple):
    """Regrets and averages of the play.

    Attributes:
        regrets: float64[play_size], by history, set, card and discard (`hand_game.list_entries`).
        averages: float64[play_size] alike. In a compact solution both are float32, and `averages` stop at `last_start`.
        shares: uint16[(play_size - last_start) / 2], in a compact solution how often the lower card is played at the
            last decisions, from 1 for never to 65535 for always, 0 where the player has not come; else empty.
        comes: float64[8, 2, sets × discards], how much has gone into the averages of each hand at the first lead.
        visited: int16[8, nodes], the iteration of the last change of a history's regrets.
    """

    regrets: AnyFloats
    averages: AnyFloats
    shares: NDArray[np.uint16]
    comes: Floats
    visited: NDArray[np.int16]


class WalkBuffers(NamedTuple):
    """Buffers and the way to where the walk is, an entry a depth (number of cards played).

    Attributes:
        reach: float64[2, depths, sets × discards], how far each player's choices lead.
        reach_at: int64[2, depths], at which depth that player's vector of this depth lies: it changes with a play.
        values: float64[depths, sets × discards], counterfactual values of the player who is updated.
        strategy, card_values: float64[depths, entries of a block].
        comes: float64[depths, sets × discards], how much has gone into the averages of the player who is updated, as
            `reach` is stored.
        row: float64[24], one more row.
        legal: bool[4], which cards of the set in hand may be played.
        history, seen, leader, tricks: the cards played in base 24, the same as bits, who leads or has led this trick,
            tricks of the non-dealer.
        card: the card tried at this depth.
        holds_up_card: 1 while the dealer has the up-card.
        hidden: int64[2, depths], how many unknown cards each has.
        allowed: int64[2, depths], the cards as bits that each may hold.
        unseen: int64[depths, 24], the card of each row: of each possible discard.
        rows: int64[depths], how many there are.
        groups: int64[5, 3], of `hand_game.find_groups`.
        stored, step: int64[depths, sets], where the entries of a set stand in its block, and from card to card.
        reachable: bool[2, depths], whether any hand of each comes here.
    """

    reach: Floats
    reach_at: Ints
    values: Floats
    strategy: Floats
    card_values: Floats
    comes: Floats
    row: Floats
    legal: Bools
    history: Ints
    seen: Ints
    leader: Ints
    tricks: Ints
    card: Ints
    holds_up_card: Ints
    hidden: Ints
    allowed: Ints
    unseen: Ints
    rows: Ints
    groups: Ints
    stored: Ints
    step: Ints
    reachable: Bools


def make_workspace(game: HandGame) -> WalkBuffers:
    """Buffers for passes at one hand size."""
    widest = int(most_states(game))
    depths = 2 * game.cards - 1
    return WalkBuffers(
        reach=np.zeros((2, depths, widest)),
        reach_at=np.zeros((2, depths), dtype=np.int64),
        values=np.zeros((depths, widest)),
        strategy=np.zeros((depths, widest * game.cards)),
        card_values=np.zeros((depths, widest * game.cards)),
        comes=np.zeros((depths, widest)),
        row=np.zeros(CARDS),
        legal=np.zeros(4, dtype=np.bool_),
        history=np.zeros(depths, dtype=np.int64),
        seen=np.zeros(depths, dtype=np.int64),
        leader=np.zeros(depths, dtype=np.int64),
        tricks=np.zeros(depths, dtype=np.int64),
        card=np.zeros(depths, dtype=np.int64),
        holds_up_card=np.zeros(depths, dtype=np.int64),
        hidden=np.zeros((2, depths), dtype=np.int64),
        allowed=np.zeros((2, depths), dtype=np.int64),
        unseen=np.zeros((depths, CARDS), dtype=np.int64),
        rows=np.zeros(depths, dtype=np.int64),
        groups=np.zeros((LARGEST_SOLVED + 1, 3), dtype=np.int64),
        stored=np.zeros((depths, widest), dtype=np.int64),
        step=np.zeros((depths, widest), dtype=np.int64),
        reachable=np.zeros((2, depths), dtype=np.bool_),
    )


@lean_kernel
def discards_of(contract: int, player: int) -> int:
    """How many entries a set has in a player's vectors: one a discard for a dealer who took the up-card."""
    return OTHERS if contract <= DEALER_ACCEPTS and player == DEALER else 1


@lean_kernel
def player_at(depth: int, work: WalkBuffers) -> int:
    """Return the player whose turn it is."""
    return int(work.leader[depth] if depth % 2 == 0 else 1 - work.leader[depth])


@lean_kernel
def cards_to_choose(depth: int, player: int, work: WalkBuffers) -> int:
    """How many cards a player has at a depth, the up-card included."""
    return int(work.hidden[player, depth]) + int(work.holds_up_card[depth] if player == DEALER else 0)


@lean_kernel
def trick_winner(game: HandGame, contract: int, leader: int, led: int, card: int) -> int:
    """Return the winner of a trick."""
    if leader == NONDEALER:
        takes = game.nondealer_wins[contract, leader, card, led]
    else:
        takes = game.nondealer_wins[contract, leader, led, card]
    return NONDEALER if takes > 0.0 else DEALER


@lean_kernel
def discounts_since(weights: Weights, since: int) -> tuple[float, float]:
    """Return the discounts that positive and negative regrets last changed in iteration `since` have missed so far."""
    before = weights.iteration - 1
    positive = weights.positive_product[before] / weights.positive_product[since]
    return positive, weights.negative_product[before] / weights.negative_product[since]


@kernel
def fill_play(game: HandGame, learnt: PlayArrays, play: AnyFloats) -> None:
    """The averages as `Strategy.play`.

    Args:
        play: zeros, float64[play_size] or float32, filled; what is zero is not touched, which spares the memory.
    """
    groups = np.zeros((LARGEST_SOLVED + 1, 3), dtype=np.int64)
    for contract in range(CONTRACTS):
        for depth in range(2 * (game.cards - 1)):
            for history in range(CARDS**depth):
                start = game.node_starts[contract, DEPTH_STARTS[depth] + history]
                if start < 0:
                    continue
                turn = who_plays(game, game.cards, contract, depth, history)
                led = led_cards(game, contract, depth, history)
                rows = rows_of(contract, turn.player, turn.unseen)
                find_groups(turn.hidden, turn.holds_up_card, turn.allowed, led, rows, groups)
                for held in range(turn.hidden + 1):
                    _fill_group(game, learnt, start + groups[held, 0], groups[held], play)


@kernel
def _fill_group(game: HandGame, learnt: PlayArrays, start: int, group: Ints, play: AnyFloats) -> None:
    step = group[1]
    choices = group[2]
    for first in range(start, start + (step if choices > 0 else 0)):
        for entry in range(first, first + choices * step, step):
            if start < len(learnt.averages) and learnt.averages[entry] > 0.0:
                play[entry] = learnt.averages[entry]
        if start >= len(learnt.averages):
            share = learnt.shares[(start - game.last_start) // 2 + first - start]
            if share > 0:
                play[first] = (share - 1.0) / 65534.0
                play[first + step] = 1.0 - play[first]
