"""What has an iteration learnt so far, and how does it update the bidding around the play of its eight contracts?

`Weights` are the factors of the iteration, `PlayArrays` what the play of a contract has learnt, `WalkBuffers` the
workspace of a walk over histories; `BiddingArrays` what calls and discards have learnt, which `update_bidding` updates.

    towerlab study towers-and-bowers hand-equilibrium --set cards=2 --out folder
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.jit import kernel, lean_kernel
from towerlab.solver.towers_and_bowers.bidding import apply_floor
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    DEPTH_STARTS,
    LARGEST_SOLVED,
    MIRRORED,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    OTHER_CARDS,
    HandGame,
    who_plays,
)
from towerlab.solver.towers_and_bowers.whole_hand.game import find_groups, led_cards, most_states, rows_of

AnyFloats = NDArray[Any]  # float64, or float32 in compact solutions


class Weights(NamedTuple):
    """The factors of the current iteration.

    Attributes:
        iteration: the number of the iteration, from 1.
        positive, negative: float64[iterations + 1], factors of positive and negative regrets after each iteration.
        positive_product, negative_product: running products of those.
        average: weight of this iteration's strategy in the average.
        floor: least probability of every bid.
        responds: whether nothing is learnt: the player updated takes the best card against the other's average.
        evens: whether every place is learnt as if play always came there: regrets are divided by how often the other's
            calls lead to it; otherwise rarely reached decisions would keep the weights of early iterations.
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
        regrets: float64[play_size], by history, set, card and discard (`game.list_entries`).
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
    """Buffers and the path to the current node, an entry a depth (number of cards played).

    Attributes:
        reach: float64[2, depths, sets × discards], how far each player's choices lead.
        reach_at: int64[2, depths], at which depth that player's vector of this depth lies: it changes with a play.
        values: float64[depths, sets × discards], counterfactual values of the player who is updated.
        strategy, card_values: float64[depths, entries of a block].
        comes: float64[depths, sets × discards], how much has gone into the averages of the player who is updated, as
            `reach` is stored.
        row: float64[24], one more row.
        legal: bool[4], which cards of the current set may be played.
        history, seen, leader, tricks: the cards played in base 24, the same as bits, who leads or has led this trick,
            tricks of the non-dealer.
        card: the card tried at this depth.
        holds_up_card: 1 while the dealer has the up-card.
        hidden: int64[2, depths], how many unknown cards each has.
        allowed: int64[2, depths], the cards as bits that each may hold.
        unseen: int64[depths, 24], the card of each row: of each possible discard.
        rows: int64[depths], how many there are.
        groups: int64[5, 3], of `game.find_groups`.
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
    """Return how many entries a set has in a player's vectors: one a discard for a dealer who took the up-card."""
    return OTHER_CARDS if contract <= DEALER_ACCEPTS and player == DEALER else 1


@lean_kernel
def player_at(depth: int, work: WalkBuffers) -> int:
    """Return the player whose turn it is."""
    return int(work.leader[depth] if depth % 2 == 0 else 1 - work.leader[depth])


@lean_kernel
def cards_to_choose(depth: int, player: int, work: WalkBuffers) -> int:
    """Return how many cards a player has at a depth, the up-card included."""
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


def normalise_bidding(bidding: Floats, cards: int) -> Floats:
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
        calls[:] = apply_floor(calls, floor)


def match_regrets(game: HandGame, floor: float, bidding: BiddingArrays) -> None:
    """The current strategy, from the regrets; no bid is rarer than the floor, so that every auction is met."""
    bidding.strategy[:] = normalise_bidding(np.maximum(bidding.regrets, 0.0), game.cards)
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
        game, contract: the hand, and the number of the contract, 0..7.
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
    return game.sets_left * OTHER_CARDS + game.members[game.cards, : len(game.dealt), : game.cards]


# ------------------------------------------------------------------------------------------------ values of the calls


def value_calls(seat: int, won: Floats, choose: Callable[[int, Floats], Floats]) -> Floats:
    """Return what a seat's hands win in all contracts together, by backward induction over its own decisions.

    Args:
        seat: 0 the non-dealer, 1 the dealer.
        won: float64[hands, 8, n], what each contract wins, by the place of the card that a dealer puts away who takes
            the up-card; else at place 0.
        choose: a function that returns a decision's value, float64[hands], from its number and its actions' values,
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
        game, weights: the hand, and the factors of the iteration.
        updated: the player whose bidding is updated.
        bidding: the arrays of the bidding, updated in place.
        won: float64[hands, 8, n], the values that `PlayPasses.won` returns.

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
    """Return the mean over hands that can be dealt."""
    return ordered_sum(game.dealt * shares) / float(game.dealt.sum())


def ordered_sum(values: Floats) -> float:
    """Return the sum from the first to the last; in what order numpy's own adds up depends on the processor."""
    return float(np.cumsum(values)[-1])


def _update_decision(
    decision: int, values: Floats, comes: Floats, leads: float, weights: Weights, bidding: BiddingArrays
) -> Floats:
    """Regrets and average of one decision from the values of its actions; returns its value, by hand.

    Args:
        decision, values: the number of the decision and what each of its actions wins, from `value_calls`.
        comes: the share with which the player's own calls lead here.
        leads: the divisor of regrets (`solve.PlayPasses`); 0 where the other's calls never lead here.
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
