"""What a player is sure to get of a hand: the best response, hand by hand of the responder's.

Here a *player* bids by a known strategy and plays as `pimc`. The responder knows all that, but not the player's cards.
At the responder's turns the card is played that is best against all layouts still possible together; at the player's
turns the layouts part by the card played; every call and discard of the responder's is tried. With every layout listed
that is the value of the best response, without sampling; with some of them drawn it is more on average, since the
responder then fits the play to those that happened to be drawn. Either way what is left to the player is a lower bound,
on average, of the value of the player's seat in the game.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_bit, lowest_index, popcount
from towerlab.games.cards import TRUMP_FIELD, mask_cards
from towerlab.games.jit import kernel
from towerlab.games.tricks import leader_wins
from towerlab.sim.towers_and_bowers.hand import (
    DEALER,
    HELD,
    LEADER,
    NONDEALER,
    POOL,
    POSITION_SIZE,
    SIZE,
    SURE,
    TAKEN,
    by_seat,
    cards_known,
    lay_out,
    put_card,
    state_at,
    turn,
)
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, InfoState, Model, legal_plays
from towerlab.sim.towers_and_bowers.perfect_information import pimc_play
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from towerlab.solver.towers_and_bowers.upcard import named_suits

_EVERY_CARD: Final = (1 << 60) - 1  # in play order


class Listed(NamedTuple):
    """The player's hands that are possible at the first lead of a contract.

    Attributes:
        held, sure, pool: int64[most], of the player, as in `InfoState`.
        reach: float64[most], how likely the calls and the discard of that hand are.
        order: int64[most], places of the hands; ranges of them share the cards played.
        card: int64[most], what each hand plays next.
    """

    held: Ints
    sure: Ints
    pool: Ints
    reach: Floats
    order: Ints
    card: Ints


class Player(NamedTuple):
    """The player who is responded to, in a contract.

    Attributes:
        is_bidder: whether the player bid.
        values: float64[8], P(the player wins the tower) by the player's tricks, as the player believes.
        model: what the player thinks with.
    """

    is_bidder: bool
    values: Floats
    model: Model


class Walk(NamedTuple):
    """The way to where a walk stands, int64 by depth (number of cards played).

    Attributes:
        at: [depths, `POSITION_SIZE`], positions as the responder knows them. In place of the player's cards, and of
            what the player knows, stand all cards that it may hold, and know, by what was played.
        start, stop: the range of `Listed.order`.
        left: the responder's cards that are still to be tried; at the player's turn where the next range begins.
    """

    at: Ints
    start: Ints
    stop: Ints
    left: Ints


def best_response_to(
    way: DealerBids | NondealerBids, hand: int, up: int, hands: Ints, payoffs: Floats, model: Model
) -> Floats:
    """What the best response to a player wins with one hand, averaged over the player's hands given.

    Args:
        way: how the player bids each hand.
        hand: the responder's dealt cards, a printed mask.
        up: the up-card.
        hands: int64[layouts], the player's dealt cards.
        payoffs: float64[ends, 2, n + 1], the responder's P(win the tower) by whether the responder bids and takes
            so many tricks, in several ways; there is a response to each.
        model: what the player thinks with.

    Returns:
        float64[ends].
    """
    n, seat = hand.bit_count(), NONDEALER if isinstance(way, DealerBids) else DEALER
    room = n * len(hands)
    held, sure, pool, order, card = np.zeros((5, room), np.int64)
    listed = Listed(held, sure, pool, np.zeros(room), order, card)
    walk = Walk(np.zeros((2 * n, POSITION_SIZE), np.int64), *np.zeros((3, 2 * n), np.int64))
    dealt, none = mask_cards(hand), np.zeros((0, 0))

    def wins(trump: int, bids: bool, reach: Floats, discards: Floats = none, own: int | None = None) -> Floats:
        found = np.zeros(len(payoffs))
        player = Player(not bids, model.payoffs[n, int(not bids)], model)
        gone = NO_CARD if own is None else dealt[own]
        _contract_value(
            seat, hand, up, trump, gone, hands, np.ascontiguousarray(reach), discards, payoffs[:, int(bids)],
            player, listed, walk, found,
        )  # fmt: skip
        return found

    paths, named, suit = way.paths(), named_suits(up), up // 13
    names = np.max([wins(trump, True, paths.second) for trump in named], axis=0)
    passed = np.sum([wins(trump, False, paths.named[:, place]) for place, trump in enumerate(named)], axis=0)
    if isinstance(way, DealerBids):
        accepts = wins(suit, True, paths.first, way.discards)
        answered = wins(suit, False, paths.accepted, way.own_discards)
        found = np.maximum(accepts, answered + np.maximum(passed, names))
    else:
        accepted = np.max([wins(suit, False, paths.accepted, own=place) for place in range(n)], axis=0)
        accepts = np.max([wins(suit, True, paths.first, own=place) for place in range(n)], axis=0)
        found = accepted + np.maximum(accepts, passed + names)
    return np.asarray(found / len(hands))


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def _contract_value(
    seat: int,
    hand: int,
    up: int,
    trump: int,
    gone: int,
    hands: Ints,
    reach: Floats,
    discards: Floats,
    payoffs: Floats,
    player: Player,
    listed: Listed,
    walk: Walk,
    found: Floats,
) -> None:
    """What the responder wins in a contract, summed over the layouts, by payoffs.

    Args:
        seat: the responder's.
        gone: the player's discard, a dealer's who takes the up-card.
        reach: float64[layouts], how likely the player lets it come to this contract.
        discards: float64[layouts, n], of a player who deals and takes the up-card.
        payoffs: float64[ends, n + 1], by the responder's tricks.
        found: filled.
    """
    count, exchanged = 0, trump == up // 13
    for layout in range(len(hands)):
        if reach[layout] <= 0.0:
            continue
        left, place = hands[layout], 0
        while left:
            card = gone
            share = reach[layout]
            if exchanged and seat == NONDEALER:
                card = lowest_index(left)
                left &= left - 1
                share *= discards[layout, place]
                place += 1
            else:
                left = 0
            if share > 0.0:
                dealt = (hand, hands[layout]) if seat == NONDEALER else (hands[layout], hand)
                known = cards_known(dealt, up, trump, card, False)
                listed.held[count], listed.sure[count] = known[0, 1 - seat], known[1, 1 - seat]
                listed.pool[count], listed.reach[count], listed.order[count] = known[2, 1 - seat], share, count
                count += 1
    if count:
        at = walk.at[0]
        lay_out(by_seat(seat, hand, 0), up, 1 - seat if player.is_bidder else seat, trump, gone, False, at)
        at[HELD + 1 - seat] = at[SURE + 1 - seat] = at[POOL + 1 - seat] = _EVERY_CARD
        at[SIZE] = popcount(hand)
        _respond(seat, count, payoffs, player, listed, walk, found)


@kernel
def _respond(seat: int, count: int, payoffs: Floats, player: Player, listed: Listed, walk: Walk, found: Floats) -> None:
    """Best play against a list of hands from the first lead at ``walk.at[0]``; arguments as for `_contract_value`."""
    last, depth, entering = 2 * walk.at[0, SIZE] - 2, 0, True
    value = np.zeros((last + 1, len(found)))
    walk.start[0], walk.stop[0] = 0, count
    while True:
        at = walk.at[depth]
        responds = turn(at) == seat
        if entering:
            value[depth] = 0.0
            if depth == last:
                _last_trick(seat, depth, payoffs, listed, walk, value[depth])
            elif responds:
                walk.left[depth] = legal_plays(state_at(at, seat))
            else:
                walk.left[depth] = walk.start[depth]
                _choose_cards(depth, player, listed, walk)
            entering = False
        if depth == last or walk.left[depth] == (0 if responds else walk.stop[depth]):
            if depth == 0:
                found[:] = value[0]
                return
            depth -= 1
            responds = turn(walk.at[depth]) == seat
            for end in range(len(found)):
                below = value[depth + 1, end]
                value[depth, end] = max(value[depth, end], below) if responds else value[depth, end] + below
            continue
        below = depth + 1
        walk.start[below], walk.stop[below] = walk.start[depth], walk.stop[depth]
        if responds:
            card = lowest_bit(walk.left[depth])
            walk.left[depth] ^= card
        else:
            card = listed.card[listed.order[walk.left[depth]]]
            walk.start[below] = walk.left[depth]
            walk.left[depth] = walk.stop[below] = _gather(card, walk.left[depth], walk.stop[depth], listed)
        walk.at[below] = at
        put_card(walk.at[below], card)
        depth, entering = below, True


@kernel
def _choose_cards(depth: int, player: Player, listed: Listed, walk: Walk) -> None:
    """What each hand of a range plays."""
    at = walk.at[depth]
    may = state_at(at, turn(at))
    for place in range(walk.start[depth], walk.stop[depth]):
        row = listed.order[place]
        held, sure, pool = listed.held[row] & may.hand, listed.sure[row] & may.sure, listed.pool[row] & may.pool
        state = InfoState(may.n, may.taken, held, sure, pool, may.led)
        legal = legal_plays(state)
        if legal == lowest_bit(legal):
            listed.card[row] = legal
            continue
        listed.card[row] = pimc_play(state, player.values, player.model)


@kernel
def _gather(card: int, start: int, stop: int, listed: Listed) -> int:
    """Bring the hands of a range that play a card to its beginning; where they end."""
    end = start
    for place in range(start, stop):
        row = listed.order[place]
        if listed.card[row] == card:
            listed.order[place] = listed.order[end]
            listed.order[end] = row
            end += 1
    return end


@kernel
def _last_trick(seat: int, depth: int, payoffs: Floats, listed: Listed, walk: Walk, value: Floats) -> None:
    """One card against one, over all hands of a range."""
    at, won, lost = walk.at[depth], 0.0, 0.0
    mine, may, leads, taken = at[HELD + seat], at[HELD + 1 - seat], at[LEADER] == seat, at[TAKEN + seat]
    for place in range(walk.start[depth], walk.stop[depth]):
        row = listed.order[place]
        theirs = listed.held[row] & may
        wins = leader_wins(mine, theirs, TRUMP_FIELD) if leads else not leader_wins(theirs, mine, TRUMP_FIELD)
        if wins:
            won += listed.reach[row]
        else:
            lost += listed.reach[row]
    for end in range(len(value)):
        value[end] = won * payoffs[end, taken + 1] + lost * payoffs[end, taken]
