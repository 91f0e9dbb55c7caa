"""What happens when two given strategies of the whole hand meet, exact: the value, and what each choice costs.

Nothing is learnt: a strategy is written where regrets stand, so that matching regrets gives it back, and one pass of
`solver.towers_and_bowers.whole_hand.update` adds what each action is worth more than the mix. All games here are not
mirrored: of two hands that differ by swapping diamonds and hearts each has its own strategy.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from games.arrays import Floats, Ints
from games.bits import popcount
from games.jit import kernel, lean_kernel
from solver.towers_and_bowers.whole_hand.best_response import Strategy
from solver.towers_and_bowers.whole_hand.hand import (
    DECISIONS,
    MADE_CALLS,
    MOST_ENTRIES,
    WHOLE,
    BiddingArrays,
    entries_of,
    update_player,
)
from solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    NONDEALER,
    OTHERS,
    UP_CARD,
    HandGame,
    deals,
    mirrored_card,
    stored_block,
    who_plays,
)
from solver.towers_and_bowers.whole_hand.workspace import PlayArrays, Weights, make_workspace

_NONDEALERS: Final = (0, 2)  # decisions of the bidding
_ONE_STEP: Final = Weights(1, np.ones(2), np.ones(2), np.ones(2), np.ones(2), 1.0, 0.0)


class Meeting(NamedTuple):
    """One strategy of a non-dealer against one of a dealer.

    Attributes:
        value: the non-dealer's P(win the tower).
        gains: what each action of the player looked at gains over the mix, both going on as they do, summed
            over the other's hands as far as it plays so, by the places of `Strategy`; 0 for the other player, and
        without a meaning for cards that may not be played.
        reach: how far the player's own choices lead there, times the probability of the action.
        contracts: float64[8, ..], what each contract is worth to each hand of that player (the dealer's less one),
            summed over the other's hands as far as their calls lead there; of a dealer who takes the up-card by
            `state_after_discard`.
    """

    value: float
    gains: Strategy
    reach: Strategy
    contracts: Floats


def meet(game: HandGame, nondealer: Strategy, dealer: Strategy, looked_at: int = NONDEALER) -> Meeting:
    """Let two strategies meet.

    Args:
        game: one that is not mirrored.
        nondealer, dealer: of each only the half of that seat is read.
        looked_at: 0 for the non-dealer, 1 for the dealer; `value` is right for the non-dealer's half of a meeting and
            nan for the dealer's.
    """
    shape = (DECISIONS, int(game.sets[game.cards]), MOST_ENTRIES)
    bids = dealer.bidding.copy()
    bids[list(_NONDEALERS)] = nondealer.bidding[list(_NONDEALERS)]
    plays = dealer.play.copy()
    copy_play(game, nondealer.play, plays, NONDEALER)
    bidding = BiddingArrays(bids.copy(), *(np.zeros(shape) for _ in range(3)))
    play = PlayArrays(plays.copy(), np.zeros(game.play_size), np.zeros(game.node_starts.shape, dtype=np.int64))
    work = make_workspace(game)
    values = np.zeros((CONTRACTS, work.values.shape[1]))
    total = update_player(game, MADE_CALLS[WHOLE], looked_at, _ONE_STEP, bidding, play, work, values)
    gains = Strategy(bidding.regrets - bids, np.subtract(play.regrets, plays, out=plays))
    value = total / deals(game) if looked_at == NONDEALER else float("nan")
    return Meeting(value, gains, Strategy(bidding.averages, play.averages), values)


@kernel
def copy_play(game: HandGame, source: Floats, target: Floats, player: int) -> None:
    """Copy one player's half of the weights of play."""
    for contract in range(CONTRACTS):
        for depth in range(2 * (game.cards - 1)):
            for history in range(CARDS**depth):
                start = game.node_starts[contract, game.depth_starts[depth] + history]
                if start < 0:
                    continue
                wins, exchanged = game.nondealer_wins[contract], contract <= DEALER_ACCEPTS
                actor, hidden, holds = who_plays(game.cards, exchanged, wins, depth, history)
                if actor == player:
                    rows = OTHERS if exchanged and actor == DEALER else 1
                    past = start + game.sets[hidden] * rows * (hidden + holds)
                    target[start:past] = source[start:past]


# --------------------------------------------------------------------------------------------------- costliest sets


class Costs(NamedTuple):
    """The costliest decisions of a meeting, a row each, in no order.

    Attributes:
        costs: float64[most], own reach × (best action − mix), summed over the other's hands; -1 for an empty row.
        places: int64[most, 5], in the bidding -1, decision, number of the hand, 0, 0; in the play contract, depth,
            history, number of the set of hidden cards, discard (0 without one).
    """

    costs: Floats
    places: Ints


def costliest(game: HandGame, meeting: Meeting, most: int) -> Costs:
    """The decisions of the player looked at that cost most, each on its own."""
    found = Costs(np.full(most, -1.0), np.zeros((most, 5), dtype=np.int64))
    _bidding_costs(game, meeting.gains.bidding, meeting.reach.bidding, found)
    _play_costs(game, meeting.gains.play, meeting.reach.play, found)
    return found


@kernel
def _bidding_costs(game: HandGame, gains: Floats, reach: Floats, found: Costs) -> None:
    place = np.zeros(5, np.int64)
    for decision in range(DECISIONS):
        for hand in range(game.sets[game.cards]):
            place[:] = (-1, decision, hand, 0, 0)
            entries = entries_of(decision, game.cards)
            _keep(reach[decision, hand, :entries].sum() * gains[decision, hand, :entries].max(), place, found)


@kernel
def _play_costs(game: HandGame, gains: Floats, reach: Floats, found: Costs) -> None:
    place = np.zeros(5, np.int64)
    for contract in range(CONTRACTS):
        exchanged = contract <= DEALER_ACCEPTS
        for depth in range(2 * (game.cards - 1)):
            for history in range(CARDS**depth):
                start = game.node_starts[contract, game.depth_starts[depth] + history]
                if start < 0:
                    continue
                actor, hidden, holds = who_plays(game.cards, exchanged, game.nondealer_wins[contract], depth, history)
                rows, choices = OTHERS if exchanged and actor == DEALER else 1, hidden + holds
                field, seen = _led_and_seen(game, contract, depth, history)
                for number in range(game.sets[hidden]):
                    if game.set_masks[hidden, number] & seen:
                        continue
                    follows = _followers(game, contract, hidden, number, holds, field) > 0
                    for row in range(rows):
                        if rows > 1 and (seen | game.set_masks[hidden, number]) >> row & 1:
                            continue
                        first, comes, best = start + number * choices * rows + row, 0.0, 0.0
                        for choice in range(choices):
                            card = game.members[hidden, number, choice] if choice < hidden else UP_CARD
                            comes += reach[first + choice * rows]
                            if not follows or game.fields[contract, card] == field:
                                best = max(best, gains[first + choice * rows])
                        if comes * best > 0.0:
                            place[:] = (contract, depth, history, number, row)
                            _keep(comes * best, place, found)


@lean_kernel
def _led_and_seen(game: HandGame, contract: int, depth: int, history: int) -> tuple[int, int]:
    """The field to be followed, 0 for a lead, and the cards played as bits."""
    seen = 0
    for turn in range(depth):
        seen |= 1 << history // CARDS**turn % CARDS
    return game.fields[contract, history % CARDS] if depth % 2 == 1 else 0, seen


@lean_kernel
def _followers(game: HandGame, contract: int, hidden: int, number: int, holds_up_card: int, field: int) -> int:
    """How many cards of a set follow suit."""
    found = 1 if holds_up_card == 1 and game.fields[contract, UP_CARD] == field else 0
    for choice in range(hidden):
        found += 1 if game.fields[contract, game.members[hidden, number, choice]] == field else 0
    return found


@kernel
def choices_in(game: HandGame) -> int:
    """How many information sets with a choice a game has."""
    count, hands = 0, int(game.dealt.sum())
    for decision in range(DECISIONS):
        count += hands if entries_of(decision, game.cards) > 1 else 0
    for contract in range(CONTRACTS):
        exchanged = contract <= DEALER_ACCEPTS
        for depth in range(2 * (game.cards - 1)):
            for history in range(CARDS**depth):
                if game.node_starts[contract, game.depth_starts[depth] + history] < 0:
                    continue
                actor, hidden, holds = who_plays(game.cards, exchanged, game.nondealer_wins[contract], depth, history)
                field, seen = _led_and_seen(game, contract, depth, history)
                for number in range(game.sets[hidden]):
                    held = game.set_masks[hidden, number]
                    if held & seen:
                        continue
                    follow = _followers(game, contract, hidden, number, holds, field)
                    if follow == 1 or hidden + holds == 1:
                        continue
                    if exchanged and actor == DEALER:  # one for every card that may have been put away
                        count += OTHERS - popcount((seen | held) & ((1 << OTHERS) - 1))
                    else:
                        count += 1
    return count


@kernel
def _keep(cost: float, place: Ints, found: Costs) -> None:
    """Put a decision in the place of the cheapest one kept, if it costs more."""
    cheapest = found.costs.argmin()
    if cost > found.costs[cheapest] and cost > 0.0:
        found.costs[cheapest] = cost
        found.places[cheapest] = place


# ------------------------------------------------------------------------------------------------ without the mirror


def unmirrored(mirrored: HandGame, game: HandGame, strategy: Strategy) -> Strategy:
    """A strategy of a mirrored game in the places of the same game without the mirror."""
    play = np.zeros(game.play_size)
    _copy_mirrored(mirrored, game, strategy.play, play)
    return Strategy(strategy.bidding, play)


@kernel
def _copy_mirrored(mirrored: HandGame, game: HandGame, source: Floats, target: Floats) -> None:
    for contract in range(CONTRACTS):
        exchanged = contract <= DEALER_ACCEPTS
        for depth in range(2 * (game.cards - 1)):
            for history in range(CARDS**depth):
                start = game.node_starts[contract, game.depth_starts[depth] + history]
                if start < 0:
                    continue
                stored, swapped = stored_block(mirrored, contract, depth, history)
                actor, hidden, holds = who_plays(game.cards, exchanged, game.nondealer_wins[contract], depth, history)
                rows, choices = OTHERS if exchanged and actor == DEALER else 1, hidden + holds
                for number in range(game.sets[hidden]):
                    image = game.mirror_set[hidden, number] if swapped else number
                    for choice in range(choices):
                        place = game.mirror_place[hidden, number, choice] if swapped and choice < hidden else choice
                        here, there = (number * choices + choice) * rows, (image * choices + place) * rows
                        for row in range(rows):
                            other = mirrored_card(row) if swapped and rows > 1 else row
                            target[start + here + row] = source[stored + there + other]
