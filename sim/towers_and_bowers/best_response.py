"""Best responses, exact, by the rules alone: to a strategy of the whole hand.

A best response knows the other's strategy, not the cards. For each hand that can be dealt, `respond` plays it against
the list of all hands that the other can have, each as likely as the other's strategy makes it so far: at the
responder's turns the card is taken that is best against the list as a whole, at the other's turns the list is parted by
the card played. Nothing is shared with the regret updates (`solver.towers_and_bowers.whole_hand.update`) but the rules
and the places where a strategy is stored: every trick is played out, no pairs are cancelled.
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
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, legal_plays
from towerlab.sim.towers_and_bowers.walks import ContractCards, Walk, cards_beside, entry_of, new_walk, next_of, play_on
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
    trump_of,
)
from towerlab.solver.towers_and_bowers.whole_hand.strategies import (
    MOST_CHOICES,
    CardMix,
    Strategy,
    best_calls,
    card_shares,
)

_EVERY_CARD = (1 << 60) - 1  # in play order


class Others(NamedTuple):
    """The other's hands that are possible at the first lead, and lists of them by how many cards have been played.

    Attributes:
        held: int64[hands], as in `InfoState` at the first lead.
        numbers, discard: int64[hands], the cards as bits 0..22, and the discard or -1.
        first: int64[depths, 24], where the list under each card (number) begins, -1 for none; that of the first lead
            stands under 0.
        following, row, reach: [depths, most], the next of the list or -1, the hand, how likely it plays so far.
        choices: of the hand in hand.
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
    """A strategy of the whole hand as the other's: in one contract, against a responder with a discard (or -1)."""

    game: HandGame
    contract: int
    play: Floats
    own_discard: int


def new_others(n: int, hands: int, choices: int) -> Others:
    """Room for so many hands of n cards, each of which may play so many cards at a time."""
    depths, most = 2 * n - 1, hands * choices
    held, numbers, discard = np.zeros((3, hands), dtype=np.int64)
    first = np.zeros((depths, CARDS), dtype=np.int64)
    following, row = np.zeros((2, depths, most), dtype=np.int64)
    cards, entries = np.zeros((2, MOST_CHOICES), dtype=np.int64)
    made = CardMix(cards, entries, np.zeros(MOST_CHOICES))
    return Others(held, numbers, discard, first, following, row, np.zeros((depths, most)), made)


# ------------------------------------------------------------------------------------------ to a whole strategy


def best_response_values(game: HandGame, up_rank: int, strategy: Strategy, responder: int) -> Floats:
    """Return what a best response wins with each hand.

    Args:
        game, up_rank: which game.
        strategy: the strategy it answers.
        responder: 0 for the non-dealer, 1 for the dealer.

    Returns:
        float64[hands]: P(the responder wins the tower), summed over the other's hands.
    """
    return best_response(game, up_rank, strategy, responder, plays=False)[0]


def best_response(
    game: HandGame, up_rank: int, strategy: Strategy, responder: int, plays: bool = True
) -> tuple[Floats, Strategy]:
    """Return the values of `best_response_values` with the response itself: one call and one card everywhere.

    What the responder is neither asked nor brings about is left out (zeros), and so is the other player.

    Args:
        game: not a mirrored one: of actions of equal value the first is taken.
        up_rank, strategy, responder: as for `best_response_values`.
        plays: whether the cards of the response are wanted, too.

    Returns:
        float64[sets], and the response: `Strategy.play` is float64[play_size], float64[0] without `plays`.
    """
    play = np.zeros(game.play_size if plays else 0)
    hands = np.flatnonzero(game.dealt[: int(game.sets[game.cards])])
    values = np.zeros((int(game.sets[game.cards]), CONTRACTS, game.cards))
    values[hands] = contract_values(game, up_rank, strategy, responder, hands, play=play)
    won, bidding = best_calls(game, values, responder)
    bidding[:, game.dealt == 0] = 0.0
    return won, Strategy(bidding, play)


def exploitability(game: HandGame, up_rank: int, strategy: Strategy) -> float:
    """Return how much the best responses of both players win together beyond the whole (which is 1), per deal."""
    total = sum(best_response_values(game, up_rank, strategy, player).sum() for player in (NONDEALER, DEALER))
    return float(total / deals(game) - 1.0)


def contract_values(
    game: HandGame,
    up_rank: int,
    strategy: Strategy,
    responder: int,
    hands: Ints,
    contracts: Sequence[int] = range(CONTRACTS),
    play: Floats | None = None,
) -> Floats:
    """Return what the best play of each contract wins with some hands.

    Args:
        game, up_rank, strategy, responder: as in `best_response_values`.
        hands: int64[hands], numbers of the sets of n cards (`HandGame.members`).
        contracts: which of them.
        play: float64[play_size], `Strategy.play` of the responder, filled with ones at the best cards.

    Returns:
        float64[hands, 8, n]: sums over the other's hands, by the place of the card that a dealer puts away who takes
        the up-card; else at place 0, the others being zero.
    """
    values = np.zeros((len(hands), CONTRACTS, game.cards))
    others, walk = _room(game), new_walk(game.cards)
    answer, reach = np.zeros(0) if play is None else play, contract_reach(game, strategy.bidding)
    for contract in contracts:
        cards = cards_beside(13 * UP_SUIT + up_rank, trump_of(contract))
        stored = Stored(game, contract, strategy.play, -1)
        _fill_values(responder, stored, hands, reach[contract, 1 - responder], cards, others, walk, answer, values)
    return values


def reach_along(
    game: HandGame, up_rank: int, strategy: Strategy, contract: int, seat: int, own: int, discard: int, played: Ints
) -> float:
    """Return how far the other's choices let a player come to where some cards have been played, summed over hands.

    Args:
        game, up_rank, strategy: which game, and how the other bids and plays.
        contract, seat: 0..7, and the player's.
        own, discard: what the player held at the first lead, as bits without the up-card, and put away, or -1.
        played: int64[cards], the numbers of the cards played, by both.
    """
    others, cards = _room(game), cards_beside(13 * UP_SUIT + up_rank, trump_of(contract))
    reach = contract_reach(game, strategy.bidding)[contract, 1 - seat]
    stored = Stored(game, contract, strategy.play, discard)
    return float(_reach_along(seat, stored, own, reach, played, cards, others, new_walk(game.cards)))


def _room(game: HandGame) -> Others:
    return new_others(game.cards, int(game.sets[game.cards]) * game.cards, MOST_CHOICES)


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
    answer: Floats,
    values: Floats,
) -> None:
    """One contract of `contract_values`; `reach` is the other's, of `contract_reach`."""
    game, contract = stored.game, stored.contract
    exchanges = seat == DEALER and contract <= DEALER_ACCEPTS
    payoffs = np.empty((1, game.cards + 1))
    payoffs[0] = game.payoffs[contract] if seat == NONDEALER else 1.0 - game.payoffs[contract, ::-1]
    for row in range(len(hands)):
        mask = game.set_masks[game.cards, hands[row]]
        for place in range(game.cards if exchanges else 1):
            gone = game.members[game.cards, hands[row], place] if exchanges else -1
            kept = mask & ~(1 << gone) if exchanges else mask
            met = Stored(game, contract, stored.play, gone)
            if _start(seat, met, kept, reach, cards, others, walk):
                respond(seat, met, payoffs, cards, others, walk, answer, values[row, contract, place : place + 1])


@kernel
def _reach_along(
    seat: int, stored: Stored, own: int, reach: Floats, played: Ints, cards: ContractCards, others: Others, walk: Walk
) -> float:
    listed = under = 0
    _start(seat, stored, own, reach, cards, others, walk)
    for depth in range(len(played)):
        if turn(walk.at[depth]) != seat:
            _part(depth, listed, under, stored, cards, others, walk)
            listed, under = depth + 1, played[depth]
        play_on(depth, played[depth], cards, walk)
    total, place = 0.0, others.first[listed, under]
    while place >= 0:
        total += others.reach[listed, place]
        place = others.following[listed, place]
    return total


@kernel
def _start(seat: int, stored: Stored, own: int, reach: Floats, cards: ContractCards, others: Others, walk: Walk) -> int:
    """List the other's hands at the first lead, and put the walk there; how many there are.

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
            list_first(others, count, share)
            count += 1
    hand = 0
    for card in range(OTHERS):
        hand |= 1 << cards.ids[card] if gone >> card & 1 else 0
    put_away = NO_CARD if not exchanged else cards.up if stored.own_discard < 0 else cards.ids[stored.own_discard]
    start(seat, hand, put_away, count, cards, others, walk)
    return count


@kernel
def list_first(others: Others, row: int, reach: float) -> None:
    """One more hand on the list of the first lead, which has `row` of them."""
    others.row[0, row], others.reach[0, row], others.following[0, row] = row, reach, row + 1


@kernel
def start(seat: int, hand: int, gone: int, count: int, cards: ContractCards, others: Others, walk: Walk) -> None:
    """Put a walk at the first lead, as the responder knows it, and close the list of so many hands.

    Args:
        hand: the responder's dealt cards, a printed mask.
        gone: the dealer's discard (id), `NO_CARD` where the up-card was not taken.
    """
    others.first[0, 0] = 0 if count else -1
    if count:
        others.following[0, count - 1] = -1
    at = walk.at[0]
    lay_out(by_seat(seat, hand, 0), cards.up, NONDEALER, cards.trump, gone, False, at)  # who bid is not read
    at[HELD + 1 - seat] = at[SURE + 1 - seat] = at[POOL + 1 - seat] = _EVERY_CARD
    at[SIZE] = popcount(hand)
    walk.card[0], walk.history[0] = -1, 0


@kernel
def respond(
    seat: int,
    stored: Stored,
    payoffs: Floats,
    cards: ContractCards,
    others: Others,
    walk: Walk,
    answer: Floats,
    found: Floats,
) -> None:
    """Best play against a list of hands from the first lead on (`start`).

    Args:
        seat: the responder's.
        stored: how the other plays.
        payoffs: float64[ends, n + 1], the responder's by own tricks; there is a response to each.
        cards, others, walk: of the contract.
        answer: `Strategy.play` of the responder, filled with ones at the best cards; nothing if empty.
        found: float64[ends], filled: what the responder wins, summed over the list.
    """
    last, depth = 2 * walk.at[0, SIZE] - 2, 0
    value, best = np.zeros((last + 1, len(found))), np.full(last + 1, -1)
    listed, under = np.zeros(last + 1, np.int64), np.zeros(last + 1, np.int64)  # where the hands of a depth are listed
    while True:
        responds = turn(walk.at[depth]) == seat
        if walk.card[depth] < 0:
            value[depth], best[depth] = 0.0, -1
            if depth == last:
                _last_trick(seat, depth, listed[depth], under[depth], payoffs, others, walk, value[depth])
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
        if len(answer) > 0 and best[depth] >= 0:
            walk.card[depth] = best[depth]
            entry = entry_of(stored.game, stored.contract, seat, stored.own_discard, depth, cards, walk)
            if entry >= 0:
                answer[entry] = 1.0
        if depth == 0:
            found[:] = value[0]
            return
        depth -= 1
        responds = turn(walk.at[depth]) == seat
        if responds and (best[depth] < 0 or value[depth + 1, 0] > value[depth, 0]):
            best[depth] = walk.card[depth]
        for end in range(len(found)):
            before, after = value[depth, end], value[depth + 1, end]
            value[depth, end] = max(before, after) if responds else before + after


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
def _last_trick(
    seat: int, depth: int, listed: int, under: int, payoffs: Floats, others: Others, walk: Walk, value: Floats
) -> None:
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
    for end in range(len(value)):
        value[end] = won * payoffs[end, taken + 1] + lost * payoffs[end, taken]
