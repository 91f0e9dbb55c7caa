"""Walks through a hand of one to three cards in the places where the solved game stores a strategy.

A walk stands on positions of the simulator (`hand`) as one seat knows them, and counts the cards played as
`solver.towers_and_bowers.whole_hand` does, with the up-card a spade. `next_turn` goes through all that a player can
see: every card of the opponent's that fits, the player's own as chosen.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import popcount
from towerlab.games.cards import DECK_24, TRUMP_FIELD, mask_cards, suit_of, to_play_order
from towerlab.games.jit import kernel
from towerlab.games.tricks import field_of
from towerlab.sim.towers_and_bowers.hand import (
    HELD,
    LED,
    POOL,
    POSITION_SIZE,
    SIZE,
    SURE,
    by_seat,
    lay_out,
    put_card,
    turn,
)
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD
from towerlab.sim.towers_and_bowers.solved_play import card_number, suit_beside
from towerlab.solver.towers_and_bowers.whole_hand import HandGame
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    DEALER,
    DEALER_ACCEPTS,
    NONDEALER,
    OTHERS,
    UP_CARD,
    list_entries,
    nondealer_bids,
    stored_block,
)
from towerlab.solver.towers_and_bowers.whole_hand.strategies import MOST_CHOICES

HAND: Final = 0  # places of `Walk.now`
PLACE: Final = 1
DEPTH: Final = 2
GONE: Final = 3


class ContractCards(NamedTuple):
    """The cards of the solved game in one contract, as they are in the suits of the up-card given.

    Attributes:
        ids: int64[24], the cards (ids) behind the numbers 0..23.
        masks: int64[24], the same in play order.
        up, trump: the up-card (id) and the trump suit.
    """

    ids: Ints
    masks: Ints
    up: int
    trump: int


class Around(NamedTuple):
    """The constants of a walk through one seat of a contract.

    Attributes:
        game: of the rank of the up-card, not mirrored.
        contract, seat: 0..7, and who is walked through.
        hands: int64[hands], numbers of that player's sets of n cards.
        cards: of the contract.
    """

    game: HandGame
    contract: int
    seat: int
    hands: Ints
    cards: ContractCards


class Walk(NamedTuple):
    """The way to where a walk stands, int64 by depth (number of cards played).

    Attributes:
        at: [depths, `POSITION_SIZE`], positions as the player who is walked through knows them: the other's cards and
            what the other knows mean nothing.
        card: the number of the card tried here, -1 before the first.
        chosen: the cards that the player plays here (play order), 0 while it is not the player's turn.
        history: the cards played in base 24.
        now: int64[4], the place among the hands, that of the discard, the depth, and the discard's number or -1.
    """

    at: Ints
    card: Ints
    chosen: Ints
    history: Ints
    now: Ints


def cards_beside(up: int, trump: int) -> ContractCards:
    """The cards beside an up-card (id) of any suit when a suit is trumps."""
    ids = np.zeros(CARDS, dtype=np.int64)
    for card in mask_cards(DECK_24):
        ids[card_number(card, up)] = card
    return ContractCards(
        ids, np.array([int(to_play_order(1 << card, trump, True)) for card in ids.tolist()]), up, trump
    )


def real_suit(suit: int, up: int) -> int:
    """The suit beside an up-card that is called so when the up-card is a spade."""
    return next(real for real in range(4) if suit_beside(real, suit_of(up)) == suit)


def new_walk(n: int) -> Walk:
    """A walk through hands of n cards that has not begun."""
    at = np.zeros((2 * n + 1, POSITION_SIZE), dtype=np.int64)
    card, chosen, history = np.zeros((3, 2 * n + 1), dtype=np.int64)
    return Walk(at, card, chosen, history, np.array([-1, 0, -1, -1]))


@kernel
def next_turn(around: Around, walk: Walk, play: Floats) -> bool:
    """Go on until the player has a card to choose, writing ones at the cards chosen before.

    Args:
        around: which hands; with each, a dealer who takes the up-card puts away every card in turn.
        walk: `now` says where the choice is, to be put into `chosen`.
        play: `Strategy.play`.

    Returns:
        Whether there is one: not when every way has been gone with every hand.
    """
    game, now = around.game, walk.now
    exchanges = around.seat == DEALER and around.contract <= DEALER_ACCEPTS
    while not _walk_on(around, walk, play):
        now[PLACE] += 1
        if now[HAND] < 0 or not exchanges or now[PLACE] == game.cards:
            now[HAND] += 1
            now[PLACE] = 0
        if now[HAND] == len(around.hands):
            return False
        hand = around.hands[now[HAND]]
        now[GONE] = game.members[game.cards, hand, now[PLACE]] if exchanges else -1
        _start_hand(around, game.members[game.cards, hand, : game.cards], walk)
    return True


@kernel
def _start_hand(around: Around, members: Ints, walk: Walk) -> None:
    """Write what the player knows at the first lead; of the other's hand nothing is read."""
    cards, dealt, gone = around.cards, 0, NO_CARD
    for member in members:
        dealt |= 1 << cards.ids[member]
    if around.contract <= DEALER_ACCEPTS:
        gone = cards.up if walk.now[GONE] < 0 else cards.ids[walk.now[GONE]]
    bidder = NONDEALER if nondealer_bids(around.contract) else DEALER
    lay_out(by_seat(around.seat, dealt, 0), cards.up, bidder, cards.trump, gone, False, walk.at[0])
    walk.at[0, SIZE] = popcount(dealt)
    walk.card[0], walk.chosen[0], walk.history[0], walk.now[DEPTH] = -1, 0, 0, 0


@kernel
def _walk_on(around: Around, walk: Walk, play: Floats) -> bool:
    """Go on with the hand: whether there is a card to choose."""
    depth, seat, last = walk.now[DEPTH], around.seat, 2 * around.game.cards - 2
    while depth >= 0:
        own_turn = turn(walk.at[depth]) == seat
        if depth < last and own_turn and walk.card[depth] < 0 and walk.chosen[depth] == 0:
            break
        number = _next_card(depth, seat, around.cards, walk) if depth < last else CARDS  # the last trick is forced
        if number == CARDS:
            depth -= 1
            continue
        walk.card[depth] = number
        if own_turn:
            entry = entry_of(around.game, around.contract, seat, walk.now[GONE], depth, around.cards, walk)
            if entry >= 0:
                play[entry] = 1.0
        play_on(depth, number, around.cards, walk)
        depth += 1
    walk.now[DEPTH] = depth
    return bool(depth >= 0)


@kernel
def _next_card(depth: int, seat: int, cards: ContractCards, walk: Walk) -> int:
    """The next card that the player plays or the other may play here, 24 when there is none."""
    plays, at = walk.chosen[depth], walk.at[depth]
    if plays == 0:
        led, sure = at[LED], at[SURE + seat]
        plays, field = sure | at[POOL + seat], field_of(led, TRUMP_FIELD) if led else 0
        if at[SIZE] - depth // 2 == popcount(sure):
            plays = sure  # there is no other card
        if sure & field:
            plays &= field
    return next_of(plays, walk.card[depth], cards)


@kernel
def next_of(plays: int, before: int, cards: ContractCards) -> int:
    """The next card of some (play order) after the number `before`, 24 when there is none."""
    for card in range(before + 1, CARDS):
        if plays & cards.masks[card]:
            return card
    return CARDS


@kernel
def play_on(depth: int, number: int, cards: ContractCards, walk: Walk) -> None:
    """The position below, a card later."""
    below = depth + 1
    walk.card[depth] = number
    walk.at[below] = walk.at[depth]
    put_card(walk.at[below], cards.masks[number])
    walk.history[below] = walk.history[depth] * CARDS + number
    walk.card[below], walk.chosen[below] = -1, 0


@kernel
def entry_of(
    game: HandGame, contract: int, seat: int, discard: int, depth: int, cards: ContractCards, walk: Walk
) -> int:
    """Return where the card tried at a depth stands in `Strategy.play`, -1 where there is no choice."""
    held, own = 0, walk.at[depth, HELD + seat]
    for card in range(OTHERS):
        held |= 1 << card if own & cards.masks[card] else 0
    holds_up_card = 1 if own & cards.masks[UP_CARD] else 0
    block = stored_block(game, contract, depth, walk.history[depth])
    choices, entries = np.empty(MOST_CHOICES, np.int64), np.empty(MOST_CHOICES, np.int64)
    for choice in range(list_entries(block, held, discard, holds_up_card, choices, entries)):
        if choices[choice] == walk.card[depth]:
            return int(entries[choice])
    return -1
