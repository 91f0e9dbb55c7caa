"""PIMC as a strategy of a whole hand of one to three cards, with layouts as likely as the bidding makes them, or alike.

Perfect information Monte Carlo (Long, Sturtevant, Buro and Furtak 2010) takes the action whose mean over layouts of
the other's cards is best, all cards being open after it. Here every layout is counted, nothing is sampled. Layouts are
as likely as the other's calls and discard make them if the other bids as this player would; where nobody would bid so
they are alike. Of equal calls the earlier one is made, of equal cards those that win more tricks, the rest of equals
each alike.
"""

from __future__ import annotations

import itertools
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.bits import deposit_bits, lowest_bit, next_subset, popcount
from towerlab.games.jit import kernel
from towerlab.sim.towers_and_bowers.hand import state_at, turn
from towerlab.sim.towers_and_bowers.knowledge import InfoState, opponent_cards
from towerlab.sim.towers_and_bowers.open_cards import EQUAL, OpenCardValues, open_cards
from towerlab.sim.towers_and_bowers.perfect_information import MOST_GAPS, distinct_plays, gaps_between, tricks_of_play
from towerlab.sim.towers_and_bowers.walks import (
    DEPTH,
    HAND,
    Around,
    ContractCards,
    Walk,
    cards_beside,
    new_walk,
    next_turn,
)
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, Strategy
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
    contract_reach,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    NONDEALER,
    OTHERS,
    UP_CARD,
    UP_SUIT,
    trump_of,
)
from towerlab.solver.two_hands.tablebase import TableArrays, load_tables

SAME_CALL: Final = 1e-8  # of calls that differ by less, by tricks only, the earlier one is made


# --------------------------------------------------------------------------------------------------------- bidding


def weighted_pimc(game: HandGame, up_rank: int) -> Strategy:
    """Return the strategy of PIMC in a whole hand with layouts as likely as its own bidding makes them.

    Args:
        game: not mirrored; the payoffs are its own.
        up_rank: printed rank of the up-card, a spade.
    """
    bidding = _weighted_bids(game, open_cards(game, up_rank))
    return Strategy(bidding, mean_play(game, up_rank, bidding, weighted=True))


def _weighted_bids(game: HandGame, cards: OpenCardValues) -> Floats:
    """`Strategy.bidding` of `weighted_pimc`."""
    fits, kept = cards.fits, game.kept[: len(cards.fits)]
    bidding = np.zeros((DECISIONS, len(fits), MOST_ENTRIES))
    named, left = (cards.contract(bidder) for bidder in (NONDEALER, DEALER))
    second = np.maximum(named.max(axis=0), left.min(axis=0))
    accepts = cards.exchanged(NONDEALER, kept)
    answers = cards.exchanged(DEALER, kept)
    first = np.minimum(answers.min(axis=2), second)
    every = np.ones(len(fits))

    def likely(shares: Floats, of_dealer: bool) -> Floats:
        """The layouts of each hand, with their weights: float64[hands, hands]."""
        table = fits if of_dealer else fits.T
        weights = table * shares
        weights[weights.sum(axis=1) == 0.0] = 1.0  # nobody would bid so
        return np.asarray(weights * table)

    layouts = likely(every, True)
    takes = _mean(layouts, accepts.min(axis=2)) >= _mean(layouts, first) - SAME_CALL
    _choose(bidding[FIRST_CALL], takes)

    for decision, values, shares in (
        (DISCARD, accepts, bidding[FIRST_CALL, :, ACCEPT]),
        (DISCARD + 1, answers, bidding[FIRST_CALL, :, PASS]),
    ):
        layouts = likely(shares, False)
        means = np.stack([_mean(layouts, values[:, :, place].T) for place in range(game.cards)], axis=1)
        bidding[decision, :, : game.cards] = _best_alike(-means)
    takes = means.min(axis=1) <= _mean(layouts, second.T) + SAME_CALL
    _choose(bidding[ANSWER], takes)

    layouts = likely(bidding[ANSWER, :, PASS], True)
    means = np.stack([_mean(layouts, named[suit]) for suit in range(3)], axis=1)
    names = means.max(axis=1) >= _mean(layouts, left.min(axis=0)) - SAME_CALL
    bidding[SECOND_CALL, :, :3] = _best_alike(means) * names[:, None]
    bidding[SECOND_CALL, :, SECOND_PASS] = ~names

    layouts = likely(bidding[FIRST_CALL, :, PASS] * bidding[SECOND_CALL, :, SECOND_PASS], False)
    means = np.stack([_mean(layouts, left[suit].T) for suit in range(3)], axis=1)
    bidding[LAST_CALL, :, :3] = _best_alike(-means)
    return bidding


def _mean(layouts: Floats, values: Floats) -> Floats:
    total = layouts.sum(axis=1)
    return np.asarray(np.einsum("ij,ij->i", layouts, values) / np.where(total > 0, total, 1.0))


def _best_alike(means: Floats) -> Floats:
    """The best of each row, equal ones alike."""
    best = means >= means.max(axis=1, keepdims=True) - EQUAL
    return np.asarray(best / best.sum(axis=1, keepdims=True))


def _choose(shares: Floats, accepts: Bools) -> None:
    shares[:, ACCEPT], shares[:, PASS] = accepts, ~accepts


# ------------------------------------------------------------------------------------------------------------ play


class HandWeights(NamedTuple):
    """The probabilities that a player gives the other's hands at the first lead of a contract.

    Attributes:
        weighted: whether they differ; else nothing below is read.
        reach: float64[..], the other's hands as `whole_hand.hand` stores them: by set, or by set kept and discard.
        shares: float64[sets], of the hand that is walked through: the same by set alone.
    """

    weighted: bool
    reach: Floats
    shares: Floats


class WeightedLayouts(NamedTuple):
    """Layouts (play-order masks, int64[hands]) and their weights (float64[hands])."""

    layouts: Ints
    weights: Floats


def mean_play(game: HandGame, up_rank: int, bidding: Floats, weighted: bool = False) -> Floats:
    """`Strategy.play` of PIMC.

    Args:
        game, up_rank: which game, not mirrored.
        bidding: float64[6, sets, 4], the player's own, read if layouts are weighed.
        weighted: whether layouts are as likely as this player's own bidding makes them.

    Returns:
        float64[play_size].
    """
    play, reach, sets = np.zeros(game.play_size), contract_reach(game, bidding), int(game.sets[game.cards])
    workspace, hands = (
        WeightedLayouts(np.zeros(sets, dtype=np.int64), np.zeros(sets)),
        np.flatnonzero(game.dealt[:sets]),
    )
    for contract, seat in itertools.product(range(CONTRACTS), (NONDEALER, DEALER)):
        around = Around(game, contract, seat, hands, cards_beside(13 * UP_SUIT + up_rank, trump_of(contract)))
        belief = HandWeights(weighted, reach[contract, 1 - seat], np.zeros(sets))
        _fill_seat(around, belief, load_tables(), workspace, new_walk(game.cards), play)
    return play


@kernel
def _fill_seat(
    around: Around, belief: HandWeights, tables: TableArrays, workspace: WeightedLayouts, walk: Walk, play: Floats
) -> None:
    """One seat of one contract, every hand and every discard: ones at the cards that are played."""
    game, contract, seat, now = around.game, around.contract, around.seat, walk.now
    values = game.payoffs[contract] if seat == NONDEALER else 1.0 - game.payoffs[contract, ::-1]
    shared = -1
    while next_turn(around, walk, play):
        if belief.weighted and shared != now[HAND]:
            shared = now[HAND]
            own = game.set_masks[game.cards, around.hands[shared]]
            _share_out(game, own, contract <= DEALER_ACCEPTS and seat == NONDEALER, belief)
        state, seen = state_at(walk.at[now[DEPTH]], seat), _seen_of_other(now[DEPTH], seat, walk)
        walk.chosen[now[DEPTH]] = _best_by_mean(game, state, seen, belief, values, around.cards, tables, workspace)


@kernel
def _share_out(game: HandGame, own: int, discards: bool, belief: HandWeights) -> None:
    """`HandWeights.shares` of one hand: a dealer's sets that may have been kept, whatever unseen card was put away."""
    if not discards:
        belief.shares[:] = belief.reach[: len(belief.shares)]
        return
    for kept in range(game.sets[game.cards - 1]):
        belief.shares[kept] = 0.0
        for card in range(OTHERS):
            if not own >> card & 1:
                belief.shares[kept] += belief.reach[kept * OTHERS + card]


@kernel
def _seen_of_other(depth: int, seat: int, walk: Walk) -> int:
    """The cards that the other has played, by number, the up-card left out."""
    seen = 0
    for place in range(depth):
        if turn(walk.at[place]) != seat and walk.card[place] != UP_CARD:
            seen |= 1 << walk.card[place]
    return seen


@kernel
def _best_by_mean(
    game: HandGame,
    state: InfoState,
    seen: int,
    belief: HandWeights,
    values: Floats,
    table: ContractCards,
    tables: TableArrays,
    workspace: WeightedLayouts,
) -> int:
    """The cards with the best mean over the layouts, and of them those with most tricks; of touching cards the lowest.

    Args:
        state: what the player knows; all masks in play order.
        seen: cards that the other has played, as numbers.
        belief: how likely the other's hands are.
        values: float64[n + 1], P(winning the tower) by the player's tricks.
        table, tables, workspace: the cards of the contract, the tablebase, a workspace.
    """
    plays = distinct_plays(state)
    if popcount(plays) == 1 or values[state.taken] == values[state.taken + popcount(state.hand)]:
        return lowest_bit(plays)  # no choice, or none that matters
    gaps = np.empty(MOST_GAPS, dtype=np.int64)
    gap_count = gaps_between(state.sure | state.pool, state.hand | state.led, gaps)
    count = _list_by_belief(game, state, seen, belief, table, workspace)
    total = workspace.weights[:count].sum()
    best, best_value, best_tricks = 0, 0.0, 0.0
    while plays:
        play = lowest_bit(plays)
        plays ^= play
        value, tricks = 0.0, 0.0
        for layout in range(count):
            more = tricks_of_play(tables, state, workspace.layouts[layout], play, gaps, gap_count)
            value += workspace.weights[layout] * values[state.taken + more]
            tricks += workspace.weights[layout] * more
        if best == 0 or _is_better(value, tricks, best_value, best_tricks, total):
            best, best_value, best_tricks = play, value, tricks
        elif not _is_better(best_value, best_tricks, value, tricks, total):
            best |= play
    return best


@kernel
def _is_better(value: float, tricks: float, than: float, than_tricks: float, total: float) -> bool:
    slack = EQUAL * total
    return value > than + slack or (value >= than - slack and tricks > than_tricks + slack)


@kernel
def _list_by_belief(
    game: HandGame, state: InfoState, seen: int, belief: HandWeights, table: ContractCards, workspace: WeightedLayouts
) -> int:
    """The hands that the other may have and how likely each is; all alike if none is likely. Returns how many."""
    size, chosen = popcount(state.pool), (1 << opponent_cards(state) - popcount(state.sure)) - 1
    count, total = 0, 0.0
    while chosen < 1 << size:
        layout, held = state.sure | deposit_bits(chosen, state.pool), seen
        for card in range(OTHERS):
            if layout & table.masks[card]:
                held |= 1 << card
        share = belief.shares[_set_number(game, held)] if belief.weighted else 1.0
        workspace.layouts[count], workspace.weights[count] = layout, share
        total += share
        count += 1
        if chosen == 0:
            break
        chosen = next_subset(chosen)
    if total == 0.0:
        workspace.weights[:count] = 1.0
    return count


@kernel
def _set_number(game: HandGame, held: int) -> int:
    number, size = 0, 0
    for card in range(OTHERS):
        if held >> card & 1:
            number = game.join[size, number, card]
            size += 1
    return number
