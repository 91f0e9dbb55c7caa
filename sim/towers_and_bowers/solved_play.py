"""Play drawn from the exact solution of the whole hand: the player `equilibrium` where one is at hand.

Weights stand as `solver.equilibrium` stores them, with the up-card a spade: his cards and those played are renamed on
the way there. Which of the two suits of the other colour becomes diamonds does not matter: mirrored places share their
weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.bits import lowest_bit, lowest_index, popcount
from games.cards import DECK_24, mask_cards, to_printed
from games.jit import kernel
from sim.choices import draw_share
from sim.towers_and_bowers.knowledge import NO_CARD, NO_SOLVED_PLAY, Course, Situation, SolvedPlay, legal_plays
from solver.classes import suit_renamings
from solver.equilibrium.best_response import MOST_CHOICES, card_shares, play_order_of
from solver.equilibrium.hand_game import (
    CARDS,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    UP_CARD,
    UP_SUIT,
    HandGame,
    PlayPlaces,
    card_numbers,
    stored_block,
)

NOT_STORED = 0  # in place of a card
_CARD_BITS = 6
_LAST_CARDS = (1 << 10 * _CARD_BITS) - 1


def stack_play(games: Mapping[tuple[int, int], HandGame], weights: Mapping[int, NDArray[np.float32]]) -> SolvedPlay:
    """Solutions as kernels take them.

    Args:
        games: by hand size, 2 or 3, and rank of the up-card.
        weights: by hand size, `Strategy.play` of those games one after the other, float32[games * play_size].
    """
    if not games:
        return NO_SOLVED_PLAY
    any_game = next(iter(games.values()))
    rows = np.full_like(NO_SOLVED_PLAY.rows, -1)
    first = np.zeros(len(games), dtype=np.int64)
    nodes = max(game.node_starts.shape[1] for game in games.values())
    node_starts = np.full((len(games), any_game.node_starts.shape[0], nodes), -1, dtype=np.int64)
    places = dict.fromkeys(weights, 0)
    for row, ((cards, rank), game) in enumerate(games.items()):
        rows[cards, rank], first[row] = row, places[cards]
        places[cards] += game.play_size
        node_starts[row, :, : game.node_starts.shape[1]] = game.node_starts
    none = NO_SOLVED_PLAY.weights_of_2
    return SolvedPlay(
        rows,
        first,
        weights.get(2, none),
        weights.get(3, none),
        node_starts,
        any_game.depth_starts,
        any_game.join,
        any_game.mirror_card,
        np.array([play_order_of(rank) for _, rank in games]),
        *_renamings(),
    )


def _renamings() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`numbers` and `suits` of `SolvedPlay`."""
    numbers, suits = np.full((52, 52), -1, dtype=np.int64), np.zeros((4, 4), dtype=np.int64)
    for suit in range(4):
        suits[suit] = next(names for names in suit_renamings() if names[suit] == UP_SUIT)
    for up in mask_cards(DECK_24):
        number = {card: place for place, card in enumerate(card_numbers(up % 13))}
        for card in mask_cards(DECK_24):
            numbers[up, card] = number[13 * suits[up // 13, card // 13] + card % 13]
    return numbers, suits


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def with_card(history: int, card: int) -> int:
    """`Course.history` after one more card (id)."""
    return (history << _CARD_BITS | card) & _LAST_CARDS


@kernel
def solved_play(situation: Situation, course: Course, solved: SolvedPlay, random: Any) -> int:
    """The card, as a play-order mask, drawn as the solution plays; `NOT_STORED` where there is none.

    Where the solution never comes, it plays every legal card alike.
    """
    row = solved.rows[situation.n, course.up % 13]
    legal = legal_plays(situation)
    if row < 0 or legal == lowest_bit(legal):
        return legal if row >= 0 else NOT_STORED
    numbers = solved.numbers[course.up]
    cards, shares = np.empty(MOST_CHOICES, dtype=np.int64), np.empty(MOST_CHOICES)
    count = list_shares(situation, course, solved, row, numbers, cards, shares)
    chosen = cards[draw_share(shares, 0, count, random)]
    while numbers[_printed(lowest_bit(legal), course.trump)] != chosen:
        legal ^= lowest_bit(legal)
    return lowest_bit(legal)


@kernel
def list_shares(
    situation: Situation, course: Course, solved: SolvedPlay, row: int, numbers: Any, cards: Any, shares: Any
) -> int:
    """The numbers of his cards and how likely the solution plays each; returns how many cards he has."""
    places = PlayPlaces(solved.join, solved.node_starts[row], solved.depth_starts, True, solved.mirror_card)
    weights = solved.weights_of_2 if situation.n == 2 else solved.weights_of_3
    hidden, left = 0, situation.hand
    while left:
        hidden |= 1 << numbers[_printed(lowest_bit(left), course.trump)]
        left &= left - 1
    holds_up_card = hidden >> UP_CARD & 1
    depth = 2 * (situation.n - popcount(situation.hand)) + (situation.led != 0)
    contract, history = _contract(course, solved.suits), 0
    for turn in range(depth - 1, -1, -1):
        history = history * CARDS + numbers[course.history >> _CARD_BITS * turn & (1 << _CARD_BITS) - 1]
    block, mirrored = stored_block(places, contract, depth, history)
    led = 0 if situation.led == 0 else solved.play_order[row, contract, history % CARDS]
    return card_shares(
        places,
        solved.play_order[row],
        weights,
        contract,
        solved.first[row] + block,
        mirrored,
        hidden & ~(1 << UP_CARD),
        -1 if course.discard == NO_CARD else numbers[course.discard],
        holds_up_card,
        led,
        cards,
        shares,
    )


@kernel
def _printed(card: int, trump: int) -> int:
    """The card (id) of a play-order mask."""
    return lowest_index(to_printed(card, trump, True))


@kernel
def _contract(course: Course, suits: Any) -> int:
    """The contract as `solver.equilibrium.hand_game` numbers it."""
    nondealer_bids = course.is_bidder != course.is_dealer
    if course.trump == course.up // 13:
        return NONDEALER_ACCEPTS if nondealer_bids else DEALER_ACCEPTS
    first = NONDEALER_NAMES if nondealer_bids else DEALER_NAMES
    return first + int(suits[course.up // 13, course.trump])
