"""Exploitability of a strategy of the whole hand, exact, by the rules alone.

A best response knows the other's strategy, not the cards. For each hand that can be dealt, the walk below plays it
against the list of all hands, with discards, that the other can have, each with the probability that the other's
strategy plays so far; at the own turns the card is taken that is best against the list as a whole, at the other's turns
the list is split by the card played. Nothing is shared with the regret updates but the rules and the place where
a strategy is stored: cards are real masks in play order, every trick is played out, no pairs are cancelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index
from towerlab.games.cards import TRUMP_FIELD, to_play_order
from towerlab.games.jit import kernel, lean_kernel
from towerlab.games.tricks import field_of, leader_wins, legal_followers
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
    entries_of,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    OTHERS,
    UP_CARD,
    Block,
    Floats32,
    HandGame,
    card_numbers,
    deals,
    list_entries,
    stored_block,
    trump_of,
)

MOST_CHOICES: Final = 4
_AT_ONCE: Final = 512  # hands compared with all others at a time
_NAMED: Final = slice(NONDEALER_NAMES, NONDEALER_NAMES + 3)
_LEFT: Final = slice(DEALER_NAMES, DEALER_NAMES + 3)


class Strategy(NamedTuple):
    """A strategy of both players.

    Attributes:
        bidding: float64[6, sets, 4], probabilities of the actions of each decision
        (`solver.towers_and_bowers.whole_hand.hand`).
        play: float64[play_size], of four cards float32, weights of the cards at each information set
            (`hand_game.list_entries`); all zero where nothing is known, which means that every legal card is as likely.
    """

    bidding: Floats
    play: Floats


class Opponents(NamedTuple):
    """The other's hands that are still possible, by how many cards have been played and by the card played last.

    Attributes:
        first: int64[depths, 24], the first hand under each card, -1 for none; the first list stands under card 0.
        following: int64[depths, most], the next hand under the same card, -1 for none.
        hidden: int64[depths, most], the other's cards as bits 0..22, without the up-card.
        discard: int64[depths, most], -1 for none.
        reach: float64[depths, most], the probability that the other plays so far.
        cards, entries, plays: int64[4], int64[4], float64[4], the cards of the hand in hand that it may play
            (`hand_game.list_entries`), and how likely it plays each.
    """

    first: Ints
    following: Ints
    hidden: Ints
    discard: Ints
    reach: Floats
    cards: Ints
    entries: Ints
    plays: Floats


class Choices(NamedTuple):
    """What a hand may play, as of `Opponents`."""

    cards: Ints
    entries: Ints
    plays: Floats


class _Turn(NamedTuple):
    """Where a walk stands: the cards played and where the other's hands are listed.

    Attributes:
        depth, history: how many cards have been played, and those in base 24.
        leader, tricks: who leads or has led this trick, tricks of the non-dealer.
        holds_up_card: 1 if the player who is to play holds it; in the last trick if anybody does.
        listed, under: the depth and the card of the list.
    """

    depth: int
    history: int
    leader: int
    tricks: int
    holds_up_card: int
    listed: int
    under: int


def normalised(bidding: Floats, cards: int) -> Floats:
    """Averages of the bidding as probabilities; uniform where there are none."""
    probabilities = np.zeros_like(bidding)
    for decision in range(DECISIONS):
        entries = entries_of(decision, cards)
        weights = bidding[decision, :, :entries]
        total = weights.sum(1, keepdims=True)
        probabilities[decision, :, :entries] = np.where(
            total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / entries
        )
    return probabilities


def over_others(game: HandGame, shares: Floats) -> Floats:
    """float64[sets, ..]: sums over all the hands that the other may have beside each; `shares` by hand alike."""
    count = int(game.sets[game.cards])
    masks, dealt = game.set_masks[game.cards, :count], shares * game.dealt[:, None]
    blocks = (masks[first : first + _AT_ONCE, None] for first in range(0, count, _AT_ONCE))
    return np.concatenate([((block & masks) == 0) @ dealt for block in blocks])


def play_order_of(up_rank: int) -> Ints:
    """int64[8, 24]: the play-order mask of every card number in every contract."""
    numbers = card_numbers(up_rank)
    return np.array(
        [[int(to_play_order(1 << card, trump_of(contract), True)) for card in numbers] for contract in range(CONTRACTS)]
    )


def best_response_values(game: HandGame, up_rank: int, strategy: Strategy, responder: int) -> Floats:
    """What a best response wins with each hand.

    Args:
        game, up_rank: which game.
        strategy: the strategy it answers.
        responder: 0 for the non-dealer, 1 for the dealer.

    Returns:
        float64[hands]: P(the responder wins the tower), summed over the other's hands.
    """
    return _respond(game, up_rank, strategy, responder, np.zeros(0))[0]


def best_response(game: HandGame, up_rank: int, strategy: Strategy, responder: int) -> tuple[Floats, Strategy]:
    """As `best_response_values`, with the response itself: one call and one card everywhere.

    What the responder is neither asked nor brings about is left out (zeros), and so is the other player.

    Args:
        game: not a mirrored one: of actions that are worth the same the first is taken.
    """
    return _respond(game, up_rank, strategy, responder, np.zeros(game.play_size))


def _respond(game: HandGame, up_rank: int, strategy: Strategy, responder: int, play: Floats) -> tuple[Floats, Strategy]:
    hands = np.flatnonzero(game.dealt[: int(game.sets[game.cards])])
    values = np.zeros((int(game.sets[game.cards]), CONTRACTS, game.cards))
    values[hands] = contract_values(game, up_rank, strategy, responder, hands, play=play)
    won, bidding = best_calls(game, values, responder)
    bidding[:, game.dealt == 0] = 0.0
    return won, Strategy(bidding, play)


def best_calls(game: HandGame, values: Floats, responder: int, floor: float = 0.0) -> tuple[Floats, Floats]:
    """Best calls and discards out of what each contract wins.

    Args:
        values: float64[hands, 8, n], `contract_values` of all hands.
        responder: who calls.
        floor: least probability of every call.

    Returns:
        float64[hands], what the best calls win, and float64[6, hands, 4], ones at them.
    """

    def best(options: Floats) -> Floats:
        found: Floats = (1 - floor * options.shape[1]) * options.max(axis=1) + floor * options.sum(axis=1)
        return found

    hands = np.arange(len(values))
    named, left = values[:, _NAMED, 0], values[:, _LEFT, 0]
    bidding = np.zeros((DECISIONS, len(hands), MOST_ENTRIES))
    if responder == NONDEALER:
        second = np.column_stack((left.sum(axis=1), named))  # a pass, then the suits
        accepts, passes = values[:, NONDEALER_ACCEPTS, 0], values[:, DEALER_ACCEPTS, 0] + best(second)
        found, first = np.zeros(len(hands)), FIRST_CALL
        bidding[SECOND_CALL, hands, (second.argmax(axis=1) - 1) % (SECOND_PASS + 1)] = 1.0
    else:
        for contract in (NONDEALER_ACCEPTS, DEALER_ACCEPTS):
            bidding[DISCARD + contract, hands, values[:, contract].argmax(axis=1)] = 1.0
        accepts, passes = values[:, DEALER_ACCEPTS].max(axis=1), named.sum(axis=1) + best(left)
        found, first = values[:, NONDEALER_ACCEPTS].max(axis=1), ANSWER
        bidding[LAST_CALL, hands, left.argmax(axis=1)] = 1.0
    bidding[first, hands, np.where(accepts >= passes, ACCEPT, PASS)] = 1.0
    return found + best(np.column_stack((accepts, passes))), bidding


def exploitability(game: HandGame, up_rank: int, strategy: Strategy) -> float:
    """How much the best responses of both players win together beyond the whole (which is 1), per deal."""
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
    tricks: Floats | None = None,
) -> Floats:
    """What the best play of each contract wins with some hands.

    Args:
        game, up_rank, strategy, responder: as in `best_response_values`.
        hands: int64[hands], numbers of the sets of n cards (`HandGame.members`).
        contracts: which of them.
        play: float64[play_size], `Strategy.play` of the responder, filled with ones at the best cards.
        tricks: float64[hands, 8, n, n + 1], filled: the same by the tricks that the non-dealer takes, as weights.

    Returns:
        float64[hands, 8, n]: sums over the other's hands, by the place of the card that a dealer puts away who takes
        the up-card; else at place 0, the others being zero.
    """
    values = np.zeros((len(hands), CONTRACTS, game.cards))
    unread = np.zeros(0) if play is None else play
    taken = np.zeros((*values.shape, game.cards + 1)) if tricks is None else tricks
    which = np.array(contracts, dtype=np.int64)
    _fill_values(game, play_order_of(up_rank), strategy, responder, hands, which, unread, values, taken)
    return values


@kernel
def _fill_values(
    game: HandGame,
    play_order: Ints,
    strategy: Strategy,
    responder: int,
    hands: Ints,
    contracts: Ints,
    play: Floats,
    values: Floats,
    tricks: Floats,
) -> None:
    opponents = new_opponents(game)
    for row in range(len(hands)):
        mask = game.set_masks[game.cards, hands[row]]
        for contract in contracts:
            exchanges = responder == DEALER and contract <= DEALER_ACCEPTS
            for place in range(game.cards if exchanges else 1):
                gone = game.members[game.cards, hands[row], place] if exchanges else -1
                kept = mask & ~(1 << gone) if exchanges else mask
                values[row, contract, place] = _contract_value(
                    game, play_order, strategy, contract, responder, kept, gone, opponents, play,
                    tricks[row, contract, place],
                )  # fmt: skip


@kernel
def new_opponents(game: HandGame) -> Opponents:
    depths, most = 2 * game.cards - 1, game.sets[game.cards] * game.cards * MOST_CHOICES
    return Opponents(
        np.zeros((depths, CARDS), np.int64),
        np.zeros((depths, most), np.int64),
        np.zeros((depths, most), np.int64),
        np.zeros((depths, most), np.int64),
        np.zeros((depths, most)),
        np.zeros(MOST_CHOICES, np.int64),
        np.zeros(MOST_CHOICES, np.int64),
        np.zeros(MOST_CHOICES),
    )


@kernel
def _contract_value(
    game: HandGame,
    play_order: Ints,
    strategy: Strategy,
    contract: int,
    responder: int,
    own: int,
    own_discard: int,
    opponents: Opponents,
    answer: Floats,
    taken: Floats,
) -> float:
    """What the best play of one contract wins for a hand, summed over all that the other may hold there.

    Args:
        own: the responder's cards as bits, without the up-card.
        own_discard: the card put away by a dealer who took the up-card, else -1.
        answer: `Strategy.play` of the responder, filled with ones at the best cards; nothing is if it is empty.
        taken: float64[n + 1], filled with the weights of what the other may hold, by the non-dealer's tricks.
    """
    _list_opponents(game, strategy.bidding, contract, responder, own, own_discard, opponents)
    plays = 2 * (game.cards - 1)  # until the last trick, which is forced
    card = np.full(plays + 1, -1)
    own_cards = np.full(plays + 1, own)
    up_card_held = np.full(plays + 1, 1 if contract <= DEALER_ACCEPTS else 0)
    history, leader, tricks = (
        np.zeros(plays + 1, np.int64),
        np.zeros(plays + 1, np.int64),
        np.zeros(plays + 1, np.int64),
    )
    listed = np.zeros(plays + 1, np.int64)  # the depth and the card under which this depth's opponents are listed
    under = np.zeros(plays + 1, np.int64)
    values = np.zeros(plays + 1)
    tricks_taken = np.zeros((plays + 1, game.cards + 1))
    best = np.full(plays + 1, -1)
    depth = 0
    while True:
        actor = leader[depth] if depth % 2 == 0 else 1 - leader[depth]
        led = play_order[contract, card[depth - 1]] if depth % 2 == 1 else 0
        holds = up_card_held[depth] if actor == DEALER else 0
        following = CARDS
        turn = _Turn(
            depth, history[depth], leader[depth], tricks[depth], up_card_held[depth] if depth == plays else holds,
            listed[depth], under[depth],
        )  # fmt: skip
        if depth == plays:
            values[depth] = _last_trick(
                game, play_order, contract, responder, turn, own_cards[depth], opponents, tricks_taken[depth]
            )
        elif actor == responder:
            following = _next_own_card(own_cards[depth], holds, led, card[depth], play_order, contract)
        else:
            if card[depth] < 0:
                _deal_out_list(game, strategy.play, contract, turn, opponents)
            following = _next_listed_card(opponents, depth + 1, card[depth])
        if following == CARDS:  # all has been tried here: back to the card before
            if depth < plays and actor == responder and best[depth] >= 0 and len(answer) > 0:
                block = stored_block(game, contract, depth, history[depth])
                choices = list_entries(block, own_cards[depth], own_discard, holds, opponents.cards, opponents.entries)
                for choice in range(choices if choices > 1 else 0):
                    if opponents.cards[choice] == best[depth]:
                        answer[opponents.entries[choice]] = 1.0
            if depth == 0:
                taken[:] = tricks_taken[0]
                return float(values[0])
            depth -= 1
            actor = leader[depth] if depth % 2 == 0 else 1 - leader[depth]
            if actor != responder:
                values[depth] += values[depth + 1]
                tricks_taken[depth] += tricks_taken[depth + 1]
                continue
            if values[depth + 1] > values[depth] or tricks_taken[depth].sum() == 0.0:
                tricks_taken[depth] = tricks_taken[depth + 1]
            if values[depth + 1] > values[depth]:
                values[depth], best[depth] = values[depth + 1], card[depth]
            continue
        card[depth] = following
        below = depth + 1
        listed[below], under[below] = listed[depth], under[depth]
        own_cards[below] = own_cards[depth]
        if actor == responder:
            own_cards[below] &= ~(1 << following)
        else:
            listed[below], under[below] = below, following
        up_card_held[below] = 0 if following == UP_CARD else up_card_held[depth]
        history[below] = history[depth] * CARDS + following
        leader[below], tricks[below] = leader[depth], tricks[depth]
        if depth % 2 == 1:
            keeps = leader_wins(led, play_order[contract, following], TRUMP_FIELD)
            leader[below] = leader[depth] if keeps else 1 - leader[depth]
            tricks[below] += 1 if leader[below] == NONDEALER else 0
        card[below] = best[below] = -1
        values[below] = 0.0
        tricks_taken[below] = 0.0
        depth = below


@kernel
def opponents_reach(
    game: HandGame,
    play_order: Ints,
    strategy: Strategy,
    contract: int,
    responder: int,
    own: int,
    own_discard: int,
    cards: Ints,
    opponents: Opponents,
) -> float:
    """How far the other's choices let a player come to where some cards have been played, summed over hands.

    Args:
        own, own_discard: as for `_contract_value`: what the responder held at the first lead.
        cards: the numbers of the cards played, by both.
    """
    _list_opponents(game, strategy.bidding, contract, responder, own, own_discard, opponents)
    leader, listed, under, history, up_card_held = NONDEALER, 0, 0, 0, 1 if contract <= DEALER_ACCEPTS else 0
    for depth in range(len(cards)):
        card = cards[depth]
        actor = leader if depth % 2 == 0 else 1 - leader
        led = play_order[contract, cards[depth - 1]] if depth % 2 == 1 else 0
        if actor != responder:
            holds = up_card_held if actor == DEALER else 0
            turn = _Turn(depth, history, leader, 0, holds, listed, under)
            _deal_out_list(game, strategy.play, contract, turn, opponents)
            listed, under = depth + 1, card
        if card == UP_CARD:
            up_card_held = 0
        history = history * CARDS + card
        if depth % 2 == 1:
            leader = leader if leader_wins(led, play_order[contract, card], TRUMP_FIELD) else 1 - leader
    total, place = 0.0, opponents.first[listed, under]
    while place >= 0:
        total += opponents.reach[listed, place]
        place = opponents.following[listed, place]
    return total


@lean_kernel
def _list_opponents(
    game: HandGame,
    bidding: Floats,
    contract: int,
    responder: int,
    own: int,
    own_discard: int,
    opponents: Opponents,
) -> None:
    """The first list: every hand of the other's at the first lead of a contract."""
    if responder == NONDEALER:
        _list_dealers(game, bidding, contract, own, opponents)
    else:
        gone = own | (1 << own_discard if own_discard >= 0 else 0)
        _list_nondealers(game, bidding, contract, gone, opponents)


@lean_kernel
def _list_dealers(game: HandGame, bidding: Floats, contract: int, gone: int, opponents: Opponents) -> None:
    """Every hand, with its discard, that a dealer may have who bids so far."""
    count = 0
    for hand in range(game.sets[game.cards]):
        mask = game.set_masks[game.cards, hand]
        if mask & gone or game.dealt[hand] == 0.0:
            continue
        reach = 1.0
        if contract == DEALER_ACCEPTS:
            reach = bidding[ANSWER, hand, ACCEPT]
        elif contract >= NONDEALER_NAMES:
            reach = bidding[ANSWER, hand, PASS]
        if contract >= DEALER_NAMES:
            reach *= bidding[LAST_CALL, hand, contract - DEALER_NAMES]
        if contract > DEALER_ACCEPTS:
            count = _append(opponents, count, mask, -1, reach)
            continue
        for place in range(game.cards):
            discard = game.members[game.cards, hand, place]
            discards = bidding[DISCARD + contract, hand, place]
            count = _append(opponents, count, mask & ~(1 << discard), discard, reach * discards)
    _chain_all(opponents, count)


@lean_kernel
def _list_nondealers(game: HandGame, bidding: Floats, contract: int, gone: int, opponents: Opponents) -> None:
    """Every hand that a non-dealer may have who bids so far."""
    count = 0
    for hand in range(game.sets[game.cards]):
        mask = game.set_masks[game.cards, hand]
        if mask & gone or game.dealt[hand] == 0.0:
            continue
        reach = bidding[FIRST_CALL, hand, ACCEPT if contract == NONDEALER_ACCEPTS else PASS]
        if contract >= DEALER_NAMES:
            reach *= bidding[SECOND_CALL, hand, SECOND_PASS]
        elif contract >= NONDEALER_NAMES:
            reach *= bidding[SECOND_CALL, hand, contract - NONDEALER_NAMES]
        count = _append(opponents, count, mask, -1, reach)
    _chain_all(opponents, count)


@lean_kernel
def _append(opponents: Opponents, count: int, hidden: int, discard: int, reach: float) -> int:
    """Put one hand on the first list unless it never comes there; returns how many it has."""
    if reach <= 0.0:
        return count
    opponents.hidden[0, count] = hidden
    opponents.discard[0, count] = discard
    opponents.reach[0, count] = reach
    return count + 1


@lean_kernel
def _chain_all(opponents: Opponents, count: int) -> None:
    """The first list as one chain."""
    for place in range(count):
        opponents.following[0, place] = place + 1 if place + 1 < count else -1
    opponents.first[0, 0] = 0 if count > 0 else -1


@lean_kernel
def _last_trick(
    game: HandGame,
    play_order: Ints,
    contract: int,
    responder: int,
    turn: _Turn,
    own: int,
    opponents: Opponents,
    taken: Floats,
) -> float:
    """The last trick, one card against one, over all hands under a card: what the responder wins."""
    own_card = UP_CARD if responder == DEALER and turn.holds_up_card else lowest_index(own)
    mine = play_order[contract, own_card]
    total = 0.0
    place = opponents.first[turn.listed, turn.under]
    while place >= 0:
        card = (
            UP_CARD
            if responder == NONDEALER and turn.holds_up_card
            else lowest_index(opponents.hidden[turn.listed, place])
        )
        theirs = play_order[contract, card]
        if turn.leader == responder:
            wins = leader_wins(mine, theirs, TRUMP_FIELD)
        else:
            wins = not leader_wins(theirs, mine, TRUMP_FIELD)
        nondealers = turn.tricks + (1 if wins == (responder == NONDEALER) else 0)
        payoff = game.payoffs[contract, nondealers]
        taken[nondealers] += opponents.reach[turn.listed, place]
        total += opponents.reach[turn.listed, place] * (payoff if responder == NONDEALER else 1.0 - payoff)
        place = opponents.following[turn.listed, place]
    return total


@lean_kernel
def _next_own_card(own: int, holds_up_card: int, led: int, before: int, play_order: Ints, contract: int) -> int:
    """The next legal card of the responder after the number `before`, 24 when there is none."""
    hand = play_order[contract, UP_CARD] if holds_up_card else 0
    for card in range(OTHERS):
        if own >> card & 1:
            hand |= play_order[contract, card]
    legal = legal_followers(hand, field_of(led, TRUMP_FIELD)) if led else hand
    for card in range(before + 1, CARDS):
        if legal & play_order[contract, card] and (card != UP_CARD or holds_up_card):
            return card
    return CARDS


@lean_kernel
def _next_listed_card(opponents: Opponents, depth: int, before: int) -> int:
    """The next card after the number `before` under which any hand is listed, 24 when there is none."""
    for card in range(before + 1, CARDS):
        if opponents.first[depth, card] >= 0:
            return card
    return CARDS


@lean_kernel
def _deal_out_list(
    game: HandGame,
    weights: Floats,
    contract: int,
    turn: _Turn,
    opponents: Opponents,
) -> None:
    """List the hands of a depth for the next one under each card they may play, with the probability that they do."""
    below, count, listed = turn.depth + 1, 0, turn.listed
    for card in range(CARDS):
        opponents.first[below, card] = -1
    block = stored_block(game, contract, turn.depth, turn.history)
    place = opponents.first[listed, turn.under]
    while place >= 0:
        hidden, discard = opponents.hidden[listed, place], opponents.discard[listed, place]
        choices = card_shares(block, weights, hidden, discard, turn.holds_up_card, opponents)
        for choice in range(choices):
            if opponents.plays[choice] > 0.0:
                card = opponents.cards[choice]
                opponents.hidden[below, count] = hidden & ~(1 << card)
                opponents.discard[below, count] = discard
                opponents.reach[below, count] = opponents.reach[listed, place] * opponents.plays[choice]
                opponents.following[below, count] = opponents.first[below, card]
                opponents.first[below, card] = count
                count += 1
        place = opponents.following[listed, place]


@lean_kernel
def card_shares(
    block: Block, weights: Floats | Floats32, hidden: int, discard: int, holds_up_card: int, found: Opponents | Choices
) -> int:
    """The cards that a hand may play and with which probability a strategy plays each; returns how many.

    Args:
        block: `stored_block` of the cards played.
        weights: `Strategy.play`.
        hidden, discard, holds_up_card: the hand, as for `list_entries`.
        found: its `cards`, `entries` and `plays` are filled.
    """
    choices, total = list_entries(block, hidden, discard, holds_up_card, found.cards, found.entries), 0.0
    for choice in range(choices):
        found.plays[choice] = weights[found.entries[choice]] if choices > 1 else 1.0
        total += found.plays[choice]
    for choice in range(choices):
        found.plays[choice] = found.plays[choice] / total if total > 0.0 else 1.0 / choices
    return choices
