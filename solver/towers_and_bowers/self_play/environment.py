"""Hands of Towers & Bowers in batches: one program over the array API, for numpy and for jax.numpy.

Every function is pure and takes `xp`, the array module; with jax.numpy it can be compiled. Shapes do not depend on the
hand size, so hands of one to seven cards share a batch. A set of cards is an int32 mask of 24 bits, in one of two
frames:

Up-card frame, before there is a trump: card 6 × suit + rank. Suit 0 is the up-card's, 1 the other suit of its colour, 2
and 3 the other colour in the order S H D C. Ranks 9 T J Q K A are 0 to 5.

Trump frame, from the bid that names a trump (also for the discard): 0 to 6 the trumps 9 T Q K A, left bower, right
bower; 7 to 11 the other suit of their colour, 9 T Q K A; 12 to 17 and 18 to 23 the two other suits, 9 T J Q K A, in the
order of the up-card frame. Of two cards of a suit the higher number wins.

Seat 0 is the non-dealer, seat 1 the dealer.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final, NamedTuple

import numpy as np

Array = Any  # of numpy or of JAX, as `xp` is

CARDS: Final = 24
LARGEST_HAND: Final = 7
ACTIONS: Final = 30
ACCEPT: Final = 24  # actions below are cards: to lead, to follow, to discard
PASS: Final = 25
NAME: Final = 26  # 26 to 28 name suits 1 to 3 of the up-card frame
SECOND_PASS: Final = 29
MOST_DECISIONS: Final = 18  # of a hand: four calls and fourteen cards

FIRST_CALL: Final = 0
SECOND_CALL: Final = 1
DISCARD: Final = 2
LEAD: Final = 3
FOLLOW: Final = 4
OVER: Final = 5  # nothing is left to decide

NO_TRUMP_YET: Final = 4
NO_BIDDER_YET: Final = 2
SUIT_MASKS: Final = (0x7F, 0x1F << 7, 0x3F << 12, 0x3F << 18)  # of the trump frame
DECK: Final = (1 << CARDS) - 1


class State(NamedTuple):
    """A batch of hands before a decision each; the arrays are int32, [hands] or [hands, 2] with a column a seat.

    Attributes:
        size: cards dealt to each player, 1 to 7.
        decision: `FIRST_CALL` to `FOLLOW`, or `OVER`.
        turn: the seat to act.
        trump: suit of the up-card frame, or `NO_TRUMP_YET`; 0 where the up-card was accepted.
        bidder: seat, or `NO_BIDDER_YET`.
        up: mask of the up-card.
        discard: mask of the dealer's discard, 0 without.
        led: mask of the card led to the trick under way, 0 between tricks.
        hands: masks of the cards held now.
        played: masks of the cards played.
        leads: masks of the cards led, a part of `played`.
        voids: masks of four bits, the suits of the trump frame in which a seat failed to follow.
        tricks: tricks taken.
    """

    size: Array
    decision: Array
    turn: Array
    trump: Array
    bidder: Array
    up: Array
    discard: Array
    led: Array
    hands: Array
    played: Array
    leads: Array
    voids: Array
    tricks: Array


def deal(scores: Array, size: Array, xp: ModuleType = np) -> State:
    """Deal hands, each uniformly at random if the scores are.

    Args:
        scores: float[hands, 24], different numbers within a row; the cards are dealt in their order.
        size: int[hands], cards to each player.
        xp: numpy or jax.numpy.
    """
    place = xp.argsort(xp.argsort(scores, axis=1), axis=1)  # of each card in the pack
    cards = xp.arange(CARDS, dtype=xp.int32)
    count = size[:, None]
    is_up = place == 2 * count
    up_suit = xp.sum(xp.where(is_up, cards // 6, 0), axis=1, dtype=xp.int32)
    bits = 1 << (6 * ((cards // 6) ^ up_suit[:, None]) + cards % 6)  # suits renamed: the up-card's becomes 0
    nondealer, dealer, up = (
        xp.sum(xp.where(chosen, bits, 0), axis=1, dtype=xp.int32)
        for chosen in (place < count, (place >= count) & (place < 2 * count), is_up)
    )
    return start(size, xp.stack([nondealer, dealer], axis=1), up, xp)


def start(size: Array, hands: Array, up: Array, xp: ModuleType = np) -> State:
    """Return dealt hands before the first call.

    Args:
        size: int[hands].
        hands: int32[hands, 2], masks of the up-card frame.
        up: int32[hands], masks of the up-card, a card of suit 0.
        xp: numpy or jax.numpy.
    """
    zero = xp.zeros_like(up)
    pair = xp.zeros_like(hands)
    return State(
        xp.asarray(size, dtype=xp.int32),
        *(zero + FIRST_CALL, zero, zero + NO_TRUMP_YET, zero + NO_BIDDER_YET),
        *(up, zero, zero),
        *(hands, pair, pair, pair, pair),
    )


def legal_mask(state: State, xp: ModuleType = np) -> Array:
    """int32[hands]: the legal actions as masks of 30 bits; 0 where the hand is over."""
    hand = of_seat(state.hands, state.turn, xp)
    following = hand & suit_of(state.led, xp)
    cards = xp.where((state.decision == FOLLOW) & (following != 0), following, hand)
    names = 0b111 << NAME
    dealer = state.turn == 1
    actions = xp.where(state.decision == FIRST_CALL, 1 << ACCEPT | 1 << PASS, cards)
    second = xp.where(dealer, names, names | 1 << SECOND_PASS)
    actions = xp.where(state.decision == SECOND_CALL, second, actions)
    return xp.asarray(xp.where(state.decision == OVER, 0, actions), dtype=xp.int32)


def legal(state: State, xp: ModuleType = np) -> Array:
    """bool[hands, 30]: the legal actions; none where the hand is over."""
    return bits_of(legal_mask(state, xp), ACTIONS, xp) != 0


def step(state: State, action: Array, xp: ModuleType = np) -> State:
    """Return the hands after a legal action each; hands that are over stay as they are, whatever the action.

    Args:
        state: hands before a decision.
        action: int[hands], 0 to 29.
        xp: numpy or jax.numpy.
    """
    action = xp.asarray(action, dtype=xp.int32)
    called = _call(state, action, xp)
    card = xp.where(action < CARDS, 1 << xp.minimum(action, CARDS - 1), 0)
    plays = (state.decision == LEAD) | (state.decision == FOLLOW)
    after = select_hands(state.decision == DISCARD, _give(state, card, xp), called, xp)
    return select_hands(plays, _play(state, card, xp), after, xp)


def _call(state: State, action: Array, xp: ModuleType) -> State:
    """The hands after a call of either round; others as they are."""
    calls = state.decision <= SECOND_CALL
    accepts = calls & (action == ACCEPT)
    names = calls & (action >= NAME) & (action < SECOND_PASS)
    bids = accepts | names
    passes = calls & ((action == PASS) | (action == SECOND_PASS))
    trump = xp.where(accepts, 0, xp.where(names, action - NAME + 1, state.trump))
    decision = xp.where(accepts, DISCARD, xp.where(names, LEAD, state.decision))
    turned_down = passes & (state.decision == FIRST_CALL) & (state.turn == 1)
    turn = xp.where(passes, 1 - state.turn, xp.where(accepts, 1, xp.where(names, 0, state.turn)))
    return state._replace(
        decision=xp.where(turned_down, SECOND_CALL, decision),
        turn=turn,
        trump=trump,
        bidder=xp.where(bids, state.turn, state.bidder),
        up=xp.where(bids, to_trump_frame(state.up, trump, xp), state.up),
        hands=xp.where(bids[:, None], to_trump_frame(state.hands, trump[:, None], xp), state.hands),
    )


def _give(state: State, card: Array, xp: ModuleType) -> State:
    """The hands after the dealer's discard (TB-10)."""
    held = (state.hands[:, 1] | state.up) & ~card
    return state._replace(
        decision=xp.full_like(state.decision, LEAD),
        turn=xp.zeros_like(state.turn),
        discard=card,
        hands=xp.stack([state.hands[:, 0], held], axis=1),
    )


def _play(state: State, card: Array, xp: ModuleType) -> State:
    """The hands after a card is led, or after the reply (TB-18, TB-19)."""
    leads = state.decision == LEAD
    seat = state.turn
    own = (xp.arange(2) == seat[:, None]) * card[:, None]
    follows = (card & suit_of(state.led, xp)) != 0
    led_wins = xp.where(follows, card < state.led, (card & SUIT_MASKS[0]) == 0)
    winner = xp.where(led_wins, 1 - seat, seat)
    fails = ~leads & ~follows
    void = xp.where(fails, 1 << _suit_number(state.led, xp), 0)
    tricks = state.tricks + (~leads[:, None] & (xp.arange(2) == winner[:, None]))
    over = xp.sum(tricks, axis=1) == state.size
    return state._replace(
        decision=xp.where(leads, FOLLOW, xp.where(over, OVER, LEAD)),
        turn=xp.where(leads, 1 - seat, winner),
        led=xp.where(leads, card, 0),
        hands=state.hands & ~own,
        played=state.played | own,
        leads=xp.where(leads[:, None], state.leads | own, state.leads),
        voids=state.voids | (xp.arange(2) == seat[:, None]) * void[:, None],
        tricks=xp.asarray(tricks, dtype=xp.int32),
    )


# ---------------------------------------------------------------------------------------------------------- results


def contract(size: Array) -> Array:
    """Return how many tricks the bidder needs (TB-13)."""
    return size // 2 + 1


def next_dealer(state: State, xp: ModuleType = np) -> Array:
    """int32[hands]: the seat that deals next if nobody has all tricks, of hands that are over (TB-20)."""
    makes = of_seat(state.tricks, state.bidder, xp) >= contract(state.size)
    return xp.where(makes, state.bidder, 1 - state.bidder)


def tower_winner(state: State, xp: ModuleType = np) -> Array:
    """int32[hands]: the seat that has all tricks and takes the tower, of hands that are over; -1 without (TB-20)."""
    return xp.where(state.tricks[:, 0] == state.size, 0, xp.where(state.tricks[:, 1] == state.size, 1, -1))


def is_settled(state: State, xp: ModuleType = np) -> Array:
    """bool[hands]: whether no card left can change the result (TB-21); false before there is a bidder."""
    bidder = xp.minimum(state.bidder, 1)
    own = of_seat(state.tricks, bidder, xp)
    others = of_seat(state.tricks, 1 - bidder, xp)
    fixed = (own >= contract(state.size)) | (state.size - others < contract(state.size))
    return (own + others == state.size) | (fixed & (own > 0) & (others > 0))


def payoffs(state: State, deal_values: Array, xp: ModuleType = np) -> Array:
    """float[hands, 2]: each seat's probability of taking the tower, of hands that are over.

    Args:
        state: hands that are over, or settled.
        deal_values: float[7]: W(n), the value of dealing n cards, at place n; place 0 is not read.
        xp: numpy or jax.numpy.
    """
    winner = tower_winner(state, xp)
    deals = next_dealer(state, xp)
    value = deal_values[xp.maximum(state.size - 1, 0)]
    dealer = xp.where(winner >= 0, xp.where(winner == 1, 1.0, 0.0), xp.where(deals == 1, value, 1 - value))
    return xp.stack([1 - dealer, dealer], axis=1)


# ------------------------------------------------------------------------------------------------------------ cards


def to_trump_frame(masks: Array, trump: Array, xp: ModuleType = np) -> Array:
    """Return masks of the up-card frame in the trump frame; anything where there is no trump yet.

    Args:
        masks: int32, any shape.
        trump: int32, suits of the up-card frame, of a shape that fits.
        xp: numpy or jax.numpy.
    """
    suit = trump & 3
    trumps = masks >> 6 * suit & 63
    mates = masks >> 6 * (suit ^ 1) & 63
    first = masks >> 6 * (2 - (suit & 2)) & 63
    second = masks >> 6 * (3 - (suit & 2)) & 63
    bowers = (mates >> 2 & 1) << 5 | (trumps >> 2 & 1) << 6
    return _without_jack(trumps) | bowers | _without_jack(mates) << 7 | first << 12 | second << 18


def _without_jack(ranks: Array) -> Array:
    """Close the jack's place in a mask of six ranks."""
    return ranks & 3 | ranks >> 3 << 2


def suit_of(card: Array, xp: ModuleType = np) -> Array:
    """int32[hands]: the mask of a card's suit in the trump frame; card is a mask of one bit, or 0 (any suit)."""
    suits = (xp.where((card & suit) != 0, suit, 0) for suit in SUIT_MASKS)
    return sum(suits, xp.where(card == 0, DECK, 0))


def _suit_number(card: Array, xp: ModuleType) -> Array:
    """int32[hands]: 0 to 3."""
    return sum(xp.where(card > suit, 1, 0) for suit in SUIT_MASKS[:3])


def of_seat(pairs: Array, seat: Array, xp: ModuleType = np) -> Array:
    """Return the column of a seat, per hand, of [hands, 2]."""
    return xp.where(seat == 1, pairs[:, 1], pairs[:, 0])


def bits_of(masks: Array, count: int, xp: ModuleType = np) -> Array:
    """int32[..., count]: the lowest bits of masks, 0 or 1."""
    return masks[..., None] >> xp.arange(count, dtype=xp.int32) & 1


def rows_of(state: State, rows: Array) -> State:
    """Return some hands of a batch."""
    return State(*(array[rows] for array in state))


def select_hands(chosen: Array, these: State, others: State, xp: ModuleType = np) -> State:
    """Return hands of one batch where chosen, else of the other, as int32."""
    mixed = (
        xp.where(chosen if this.ndim == 1 else chosen[:, None], this, other)
        for this, other in zip(these, others, strict=True)
    )
    return State(*(xp.asarray(array, dtype=xp.int32) for array in mixed))
