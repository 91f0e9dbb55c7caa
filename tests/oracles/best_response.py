"""Best responses by the rules alone, one hand of the responder at a time.

For each hand that can be dealt, `respond` plays it against the list of all hands that the opponent can have, each as
likely as the opponent's strategy makes it so far: at the responder's turns the card is taken that is best against the
whole list, at the opponent's turns the list is split by the card played. With the program's engine
(`solver.towers_and_bowers.whole_hand.best_response`) it shares the rules and the places where a strategy is stored:
every trick is played out, no pairs are cancelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import popcount
from towerlab.games.cards import TRUMP_FIELD
from towerlab.games.jit import kernel
from towerlab.games.tricks import leader_wins
from towerlab.sim.towers_and_bowers.exploitability.whole_strategy import (
    ContractCards,
    Walk,
    contract_cards,
    entry_of,
    new_walk,
    next_of,
    play_on,
)
from towerlab.sim.towers_and_bowers.hand import (
    HELD,
    LEADER,
    POOL,
    SIZE,
    SURE,
    TAKEN,
    by_seat,
    lay_out,
    state_at,
    turn,
)
from towerlab.sim.towers_and_bowers.players.knowledge import NO_CARD, legal_plays
from towerlab.solver.towers_and_bowers.whole_hand.hand import contract_reach
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    NONDEALER,
    OTHERS,
    UP_CARD,
    UP_SUIT,
    HandGame,
    deals,
    stored_block,
)
from towerlab.solver.towers_and_bowers.whole_hand.strategies import (
    MOST_CHOICES,
    ROUNDING,
    CardMix,
    Strategy,
    best_calls,
    card_shares,
)

_EVERY_CARD = (1 << 60) - 1  # in play order


class Others(NamedTuple):
    """The opponent's hands that are possible at the first lead, and lists of them by how many cards have been played.

    Attributes:
        held: int64[hands], the cards of each at the first lead, in play order.
        numbers, discard: int64[hands], the cards as bits 0..22, and the discard or -1.
        first: int64[depths, 24], where the list under each card (number) begins, -1 for none; that of the first lead
            is under 0.
        following, row, reach: [depths, most], the next of the list or -1, the hand, how likely it plays so far.
        choices: of one hand.
    """

    held: Ints
    numbers: Ints
    discard: Ints
    first: Ints
    following: Ints
    row: Ints
    reach: Floats
    choices: CardMix


class Stored(NamedTuple):
    """The opponent's strategy: in one contract, against a responder with a discard (or -1)."""

    game: HandGame
    contract: int
    play: Floats
    own_discard: int


def best_response(game: HandGame, up_rank: int, strategy: Strategy, responder: int) -> tuple[Floats, Strategy]:
    """As `solver.towers_and_bowers.whole_hand.best_response.best_response`."""
    play, values = np.zeros(game.play_size), np.zeros((int(game.sets[game.cards]), CONTRACTS, game.cards))
    hands = np.flatnonzero(game.dealt[: len(values)])
    values[hands] = contract_values(game, up_rank, strategy, responder, hands, play=play)
    won, bidding = best_calls(game, values, responder)
    bidding[:, game.dealt == 0] = 0.0
    return won, Strategy(bidding, play)


def exploitability(game: HandGame, up_rank: int, strategy: Strategy) -> float:
    """As `solver.towers_and_bowers.whole_hand.best_response.exploitability`; the game may be mirrored."""
    hands, total = np.flatnonzero(game.dealt[: int(game.sets[game.cards])]), 0.0
    for seat in (NONDEALER, DEALER):
        values = np.zeros((int(game.sets[game.cards]), CONTRACTS, game.cards))
        values[hands] = contract_values(game, up_rank, strategy, seat, hands)
        total += float(best_calls(game, values, seat)[0].sum())
    return total / deals(game) - 1.0


def contract_values(
    game: HandGame,
    up_rank: int,
    strategy: Strategy,
    responder: int,
    hands: Ints,
    contracts: Sequence[int] = range(CONTRACTS),
    play: Floats | None = None,
) -> Floats:
    """What the best play of each contract wins with some hands.

    Args:
        hands: int64[hands], numbers of the sets of n cards (`HandGame.members`).
        contracts: which of them.
        play: float64[play_size], `Strategy.play` of the responder, filled with ones at the best cards.

    Returns:
        float64[hands, 8, n]: sums over the opponent's hands, by the place of the card that a dealer puts away who takes
        the up-card; else at place 0, the others being zero.
    """
    n, most = game.cards, int(game.sets[game.cards]) * game.cards
    values, walk = np.zeros((len(hands), CONTRACTS, n)), new_walk(n)
    held, numbers, discard = np.zeros((3, most), dtype=np.int64)
    following, row = np.zeros((2, 2 * n - 1, most * MOST_CHOICES), dtype=np.int64)
    mix = CardMix(*np.zeros((2, MOST_CHOICES), dtype=np.int64), np.zeros(MOST_CHOICES))
    first = np.zeros((2 * n - 1, CARDS), dtype=np.int64)
    others = Others(held, numbers, discard, first, following, row, np.zeros(row.shape), mix)
    response, reach = np.zeros(0) if play is None else play, contract_reach(game, strategy.bidding)
    for contract in contracts:
        cards = contract_cards(13 * UP_SUIT + up_rank, contract)
        stored = Stored(game, contract, strategy.play, -1)
        _fill_values(responder, stored, hands, reach[contract, 1 - responder], cards, others, walk, response, values)
    return values


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def _fill_values(
    seat: int,
    stored: Stored,
    hands: Ints,
    reach: Floats,
    cards: ContractCards,
    others: Others,
    walk: Walk,
    response: Floats,
    values: Floats,
) -> None:
    """One contract of `contract_values`; `reach` is the opponent's, of `contract_reach`."""
    game, contract = stored.game, stored.contract
    exchanges = seat == DEALER and contract <= DEALER_ACCEPTS
    payoffs = game.payoffs[contract].copy() if seat == NONDEALER else 1.0 - game.payoffs[contract, ::-1]
    for row in range(len(hands)):
        mask = game.set_masks[game.cards, hands[row]]
        for place in range(game.cards if exchanges else 1):
            gone = game.members[game.cards, hands[row], place] if exchanges else -1
            held_after = mask & ~(1 << gone) if exchanges else mask
            met = Stored(game, contract, stored.play, gone)
            if _start(seat, met, held_after, reach, cards, others, walk):
                values[row, contract, place] = respond(seat, met, payoffs, cards, others, walk, response)


@kernel
def _start(seat: int, stored: Stored, own: int, reach: Floats, cards: ContractCards, others: Others, walk: Walk) -> int:
    """List the opponent's hands at the first lead, and put the walk there; how many there are.

    Args:
        own: the responder's cards as bits, without the up-card.
    """
    game, exchanged = stored.game, stored.contract <= DEALER_ACCEPTS
    gone, other_exchanges = own, exchanged and seat == NONDEALER
    if stored.own_discard >= 0:
        gone |= 1 << stored.own_discard
    size, discards, count = game.cards - other_exchanges, OTHERS if other_exchanges else 1, 0
    for number in range(game.sets[size]):
        mask = game.set_masks[size, number]
        if mask & gone:
            continue
        for discard in range(discards):
            share = reach[number * discards + discard]
            if share <= 0.0 or (other_exchanges and own >> discard & 1):
                continue
            others.numbers[count], others.discard[count] = mask, discard if other_exchanges else -1
            others.held[count] = cards.masks[UP_CARD] if other_exchanges else 0
            for member in game.members[size, number, :size]:
                others.held[count] |= cards.masks[member]
            others.row[0, count], others.reach[0, count], others.following[0, count] = count, share, count + 1
            count += 1
    others.first[0, 0] = 0 if count else -1
    if count:
        others.following[0, count - 1] = -1
    hand, at = 0, walk.at[0]
    for card in range(OTHERS):
        hand |= 1 << cards.ids[card] if gone >> card & 1 else 0
    put_away = NO_CARD if not exchanged else cards.up if stored.own_discard < 0 else cards.ids[stored.own_discard]
    lay_out(by_seat(seat, hand, 0), cards.up, NONDEALER, cards.trump, put_away, False, at)  # the bidder is not read
    at[HELD + 1 - seat] = at[SURE + 1 - seat] = at[POOL + 1 - seat] = _EVERY_CARD
    at[SIZE] = popcount(hand)
    walk.card[0], walk.history[0] = -1, 0
    return count


@kernel
def respond(
    seat: int,
    stored: Stored,
    payoffs: Floats,
    cards: ContractCards,
    others: Others,
    walk: Walk,
    response: Floats,
) -> float:
    """What the responder's best play wins from the first lead on (`_start`), summed over the list.

    Args:
        seat: the responder's.
        stored: how the opponent plays.
        payoffs: float64[n + 1], the responder's by own tricks.
        cards, others, walk: of the contract.
        response: `Strategy.play` of the responder, filled with ones at the first of the best cards; not if empty.
    """
    last, depth = 2 * walk.at[0, SIZE] - 2, 0
    value, best = np.zeros(last + 1), np.full(last + 1, -1)
    listed, under = np.zeros(last + 1, np.int64), np.zeros(last + 1, np.int64)  # where the hands of a depth are listed
    while True:
        responds = turn(walk.at[depth]) == seat
        if walk.card[depth] < 0:
            value[depth], best[depth] = 0.0, -1
            if depth == last:
                value[depth] = _last_trick(seat, depth, listed[depth], under[depth], payoffs, others, walk)
            elif responds:
                walk.chosen[depth] = legal_plays(state_at(walk.at[depth], seat))
            else:
                _part(depth, listed[depth], under[depth], stored, cards, others, walk)
        card = CARDS
        if depth < last and responds:
            card = next_of(walk.chosen[depth], walk.card[depth], cards)
        elif depth < last:
            card = _next_listed(depth + 1, walk.card[depth], others)
        if card < CARDS:
            below = depth + 1
            listed[below], under[below] = (listed[depth], under[depth]) if responds else (below, card)
            play_on(depth, card, cards, walk)
            depth = below
            continue
        if len(response) > 0 and best[depth] >= 0:
            walk.card[depth] = best[depth]
            entry = entry_of(stored.game, stored.contract, seat, stored.own_discard, depth, cards, walk)
            if entry >= 0:
                response[entry] = 1.0
        if depth == 0:
            return float(value[0])
        depth -= 1
        if turn(walk.at[depth]) != seat:
            value[depth] += value[depth + 1]
        elif best[depth] < 0 or value[depth + 1] > value[depth] + ROUNDING:
            best[depth], value[depth] = walk.card[depth], value[depth + 1]


@kernel
def _part(
    depth: int,
    listed: int,
    under: int,
    stored: Stored,
    cards: ContractCards,
    others: Others,
    walk: Walk,
) -> None:
    """List the hands of a depth for the next one under each card that they play, with how likely that is."""
    below, count, seen = depth + 1, 0, 0
    others.first[below] = -1
    for before in range(depth):
        seen |= 1 << walk.card[before]
    block = stored_block(stored.game, stored.contract, depth, walk.history[depth])
    place = others.first[listed, under]
    while place >= 0:
        row = others.row[listed, place]
        hidden, away = others.numbers[row] & ~seen, others.discard[row]
        holds_up_card = int(away >= 0 and not seen >> UP_CARD & 1)
        choices = card_shares(block, stored.play, hidden, away, holds_up_card, others.choices)
        for choice in range(choices):
            share, card = others.choices.plays[choice], others.choices.cards[choice]
            if share > 0.0:
                others.row[below, count], others.reach[below, count] = row, others.reach[listed, place] * share
                others.following[below, count] = others.first[below, card]
                others.first[below, card] = count
                count += 1
        place = others.following[listed, place]


@kernel
def _next_listed(depth: int, before: int, others: Others) -> int:
    """The next card after the number `before` under which any hand is listed, 24 when there is none."""
    for card in range(before + 1, CARDS):
        if others.first[depth, card] >= 0:
            return card
    return CARDS


@kernel
def _last_trick(seat: int, depth: int, listed: int, under: int, payoffs: Floats, others: Others, walk: Walk) -> float:
    """One card against one, over all hands of a list."""
    at, won, lost = walk.at[depth], 0.0, 0.0
    mine, may, leads, taken = at[HELD + seat], at[HELD + 1 - seat], at[LEADER] == seat, at[TAKEN + seat]
    place = others.first[listed, under]
    while place >= 0:
        theirs = others.held[others.row[listed, place]] & may
        wins = leader_wins(mine, theirs, TRUMP_FIELD) if leads else not leader_wins(theirs, mine, TRUMP_FIELD)
        if wins:
            won += others.reach[listed, place]
        else:
            lost += others.reach[listed, place]
        place = others.following[listed, place]
    return float(won * payoffs[taken + 1] + lost * payoffs[taken])
