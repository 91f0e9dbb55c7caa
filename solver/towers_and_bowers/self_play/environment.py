"""How are many hands of Towers & Bowers played at once? In batches, by kernels, as the learned policy sees them.

Hands of one to seven cards share a batch. A set of cards is a mask of 24 bits, in one of two frames:

Up-card frame, before there is a trump: card 6 × suit + rank. Suit 0 is the up-card's, 1 the other suit of its colour, 2
and 3 the other colour in the order S H D C. Ranks 9 T J Q K A are 0 to 5.

Trump frame, from the bid that names a trump (also for the discard): 0 to 6 the trumps 9 T Q K A, left bower, right
bower; 7 to 11 the other suit of their colour, 9 T Q K A; 12 to 17 and 18 to 23 the two other suits, 9 T J Q K A, in the
order of the up-card frame. Of two cards of a suit the higher number wins.

Seat 0 is the non-dealer, seat 1 the dealer. Rules of results are those of `games.towers_and_bowers.rules`; following
and winning in these frames stand here, and a test plays hands through the engine, card by card.

    towerlab study towers-and-bowers self-play --set minutes=1 --out run
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Array, Bools, Floats, Ints
from towerlab.games.bits import lowest_index, popcount
from towerlab.games.jit import kernel, lean_kernel
from towerlab.games.towers_and_bowers import DEFAULT_RULES
from towerlab.games.towers_and_bowers.rules import hand_result, majority, result_is_settled, result_value

CARDS: Final = 24
LARGEST_HAND: Final = 7
ACTIONS: Final = 30
ACCEPT_ACTION: Final = 24  # actions below are cards: to lead, to follow, to discard
PASS_ACTION: Final = 25
NAME_ACTION: Final = 26  # 26 to 28 name suits 1 to 3 of the up-card frame
SECOND_PASS_ACTION: Final = 29
_CALLS: Final = 4  # in both rounds
MOST_DECISIONS: Final = _CALLS + 2 * LARGEST_HAND
PLACES: Final = MOST_DECISIONS + 1  # of decisions in a hand: calls, the discard, cards

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
    """A batch of hands before a decision each; the arrays are int64, [hands] or [hands, 2] with a column a seat.

    Attributes:
        size: cards dealt to each player, 1 to 7.
        decision: `FIRST_CALL` to `FOLLOW`, or `OVER`.
        turn: the seat to act.
        trump: suit of the up-card frame, or `NO_TRUMP_YET`; 0 where the up-card was accepted.
        bidder: the seat of the bidder, or `NO_BIDDER_YET`.
        up: mask of the up-card.
        discard: mask of the dealer's discard, 0 without.
        led: mask of the card led to the trick under way, 0 between tricks.
        hands: masks of the cards held now.
        played: masks of the cards played.
        leads: masks of the cards led, a part of `played`.
        voids: masks of four bits, the suits of the trump frame in which a seat failed to follow.
        tricks: the number of tricks taken.
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


def deal(scores: Floats, size: Ints) -> State:
    """Deal hands, each uniformly at random if the scores are.

    Args:
        scores: float[hands, 24], different numbers within a row; the cards are dealt in their order.
        size: int[hands], cards to each player.
    """
    place = np.argsort(np.argsort(scores, axis=1), axis=1)  # of each card in the pack
    cards = np.arange(CARDS)
    count = np.asarray(size)[:, None]
    is_up = place == 2 * count
    up_suit = np.where(is_up, cards // 6, 0).sum(axis=1)
    bits = 1 << (6 * ((cards // 6) ^ up_suit[:, None]) + cards % 6)  # suits renamed: the up-card's becomes 0
    nondealer, dealer, up = (
        np.where(chosen, bits, 0).sum(axis=1)
        for chosen in (place < count, (place >= count) & (place < 2 * count), is_up)
    )
    return start(size, np.stack([nondealer, dealer], axis=1), up)


def start(size: Ints, hands: Array, up: Array) -> State:
    """Return dealt hands before the first call.

    Args:
        size: int[hands].
        hands: int[hands, 2], masks of the up-card frame.
        up: int[hands], masks of the up-card, a card of suit 0.
    """
    count = len(up)
    state = State(
        *(np.zeros(count if place < 8 else (count, 2), dtype=np.int64) for place in range(len(State._fields)))
    )
    state.size[:] = size
    state.trump[:] = NO_TRUMP_YET
    state.bidder[:] = NO_BIDDER_YET
    state.up[:] = up
    state.hands[:] = hands
    return state


@kernel
def legal_mask(state: State) -> Ints:
    """int64[hands]: the legal actions as masks of 30 bits; 0 where the hand is over."""
    masks = np.empty_like(state.size)
    for row in range(len(masks)):
        masks[row] = legal_actions(state, row)
    return masks


def legal(state: State) -> Bools:
    """bool[hands, 30]: the legal actions; none where the hand is over."""
    return np.asarray(bits_of(legal_mask(state), ACTIONS) != 0)


def step(state: State, action: Ints) -> State:
    """Return the hands after a legal action each; hands that are over stay as they are, whatever the action.

    Args:
        state: hands before a decision.
        action: int[hands], 0 to 29.
    """
    after = copy_hands(state)
    act_in(after, np.arange(len(action)), np.asarray(action, dtype=np.int64))
    return after


@kernel
def act_in(state: State, rows: Ints, action: Ints) -> None:
    """Make a legal action each in some hands, whose arrays are changed."""
    for place in range(len(rows)):
        act(state, rows[place], action[place])


@kernel
def next_choices(state: State, rows: Ints, to_end: bool) -> tuple[Ints, Ints]:
    """Play hands on, by their only legal actions, to the next decision with a choice; their arrays are changed.

    Args:
        state: the hands.
        rows: int64, of those that are played on.
        to_end: whether also where no card left can change the result.

    Returns:
        int64[choices] twice: the rows with a choice, and the places in the hand of their decisions, 0 to 18: the four
        calls, the discard, fourteen cards.
    """
    choices = np.empty_like(rows)
    places = np.empty_like(rows)
    count = 0
    for row in rows:
        while state.decision[row] != OVER and (to_end or not row_is_settled(state, row)):
            actions = legal_actions(state, row)
            if actions & (actions - 1):
                choices[count] = row
                places[count] = _place_in_hand(state, row)
                count += 1
                break
            act(state, row, lowest_index(actions))
    return choices[:count], places[:count]


# ---------------------------------------------------------------------------------------------------------- results


def tricks_to_make(size: Array) -> Array:
    """Return how many tricks the bidder needs (TB-13)."""
    return size // 2 + 1


def next_dealer(state: State) -> Ints:
    """int[hands]: the seat that deals next if nobody has all tricks, of hands that are over (TB-20)."""
    makes = of_seat(state.tricks, state.bidder) >= tricks_to_make(state.size)
    return np.where(makes, state.bidder, 1 - state.bidder)


def tower_winner(state: State) -> Ints:
    """int[hands]: the seat that has all tricks and takes the tower, of hands that are over; -1 without (TB-20)."""
    return np.where(state.tricks[:, 0] == state.size, 0, np.where(state.tricks[:, 1] == state.size, 1, -1))


@kernel
def is_settled(state: State) -> Bools:
    """bool[hands]: whether no card left can change the result (TB-21); false before there is a bidder."""
    settled = np.empty(len(state.size), dtype=np.bool_)
    for row in range(len(settled)):
        settled[row] = row_is_settled(state, row)
    return settled


@kernel
def payoffs(state: State, deal_values: Floats) -> Floats:
    """float[hands, 2]: each seat's probability of taking the tower, of hands that are over.

    Args:
        state: hands that are over, or settled.
        deal_values: float[7]: W(n), the value of dealing n cards, at place n; place 0 is not read.
    """
    values = np.empty((len(state.size), 2))
    for row in range(len(values)):
        size = state.size[row]
        bidder = min(state.bidder[row], 1)
        result = hand_result(size, state.tricks[row, bidder], DEFAULT_RULES)
        for seat in range(2):
            values[row, seat] = result_value(result, seat == bidder, deal_values[max(size - 1, 0)])
    return values


# ------------------------------------------------------------------------------------------------------------ kernels


@lean_kernel
def _place_in_hand(state: State, row: int) -> int:
    decision = state.decision[row]
    if decision <= SECOND_CALL:
        return int(2 * decision + state.turn[row])
    if decision == DISCARD:
        return _CALLS
    played = popcount(state.played[row, 0]) + popcount(state.played[row, 1])
    return _CALLS + 1 + played


@lean_kernel
def legal_actions(state: State, row: int) -> int:
    """Return the legal actions of a hand as a mask of 30 bits; 0 where it is over."""
    decision = state.decision[row]
    if decision == FIRST_CALL:
        return 1 << ACCEPT_ACTION | 1 << PASS_ACTION
    if decision == SECOND_CALL:
        names = 0b111 << NAME_ACTION
        return names if state.turn[row] == 1 else names | 1 << SECOND_PASS_ACTION
    if decision == OVER:
        return 0
    hand: int = state.hands[row, state.turn[row]]
    if decision == DISCARD:
        return hand
    following = hand & suit_of(state.led[row])
    return following if following else hand


@lean_kernel
def row_is_settled(state: State, row: int) -> bool:
    """Return whether no card left of a hand can change its result (TB-21); false before there is a bidder."""
    bidder = state.bidder[row]
    if bidder == NO_BIDDER_YET:
        return False
    return result_is_settled(state.size[row], state.tricks[row, bidder], state.tricks[row, 1 - bidder], DEFAULT_RULES)


@lean_kernel
def act(state: State, row: int, action: int) -> None:
    """Make a legal action in a hand; one that is over stays as it is."""
    decision = state.decision[row]
    if decision <= SECOND_CALL:
        _call(state, row, action)
    elif decision == DISCARD:  # TB-10
        card = 1 << action
        state.discard[row] = card
        state.hands[row, 1] = (state.hands[row, 1] | state.up[row]) & ~card
        state.decision[row] = LEAD
        state.turn[row] = 0
    elif decision != OVER:
        _play(state, row, 1 << action)


@lean_kernel
def _call(state: State, row: int, action: int) -> None:
    seat = state.turn[row]
    if action in (PASS_ACTION, SECOND_PASS_ACTION):
        if seat == 1 and action == PASS_ACTION:
            state.decision[row] = SECOND_CALL
        state.turn[row] = 1 - seat
        return
    accepts = action == ACCEPT_ACTION
    trump = 0 if accepts else action - NAME_ACTION + 1
    state.decision[row] = DISCARD if accepts else LEAD
    state.turn[row] = 1 if accepts else 0
    state.trump[row] = trump
    state.bidder[row] = seat
    state.up[row] = _in_trump_frame(state.up[row], trump)
    for player in range(2):
        state.hands[row, player] = _in_trump_frame(state.hands[row, player], trump)


@lean_kernel
def _play(state: State, row: int, card: int) -> None:
    """Lead a card, or reply with it (TB-18, TB-19)."""
    seat = state.turn[row]
    led = state.led[row]
    state.hands[row, seat] &= ~card
    state.played[row, seat] |= card
    if led == 0:
        state.leads[row, seat] |= card
        state.led[row] = card
        state.decision[row] = FOLLOW
        state.turn[row] = 1 - seat
        return
    suit = suit_of(led)
    follows = card & suit
    if follows:
        led_wins = card < led
    else:
        led_wins = (card & SUIT_MASKS[0]) == 0
        state.voids[row, seat] |= 1 << _suit_number(led)
    winner = 1 - seat if led_wins else seat
    state.tricks[row, winner] += 1
    state.led[row] = 0
    state.turn[row] = winner
    over = state.tricks[row, 0] + state.tricks[row, 1] == state.size[row]
    state.decision[row] = OVER if over else LEAD


def to_trump_frame(masks: Any, trump: Any) -> Any:
    """Return masks of the up-card frame in the trump frame; anything where there is no trump yet.

    Args:
        masks: int, any shape.
        trump: int, suits of the up-card frame, of a shape that fits.
    """
    suit = trump & 3
    trumps = masks >> 6 * suit & 63
    mates = masks >> 6 * (suit ^ 1) & 63
    first = masks >> 6 * (2 - (suit & 2)) & 63
    second = masks >> 6 * (3 - (suit & 2)) & 63
    bowers = (mates >> 2 & 1) << 5 | (trumps >> 2 & 1) << 6
    plain_trumps = trumps & 3 | trumps >> 3 << 2  # without the jack's place
    plain_mates = mates & 3 | mates >> 3 << 2
    return plain_trumps | bowers | plain_mates << 7 | first << 12 | second << 18


_in_trump_frame: Final = lean_kernel(to_trump_frame)  # of one mask


@lean_kernel
def suit_of(card: int) -> int:
    """Return the mask of a card's suit in the trump frame; card is a mask of one bit, or 0 (any suit)."""
    return DECK if card == 0 else SUIT_MASKS[_suit_number(card)]


@lean_kernel
def _suit_number(card: int) -> int:
    """0 to 3."""
    return (card > SUIT_MASKS[0]) + (card > SUIT_MASKS[1]) + (card > SUIT_MASKS[2])


@lean_kernel
def tricks_needed(size: int, is_bidder: bool) -> int:
    """Return the tricks that a player aims at: the bidder the contract (TB-13), the other enough to defeat it."""
    return majority(size) if is_bidder else size - majority(size) + 1


# ------------------------------------------------------------------------------------------------------------ arrays


def of_seat(pairs: Array, seat: Array) -> Array:
    """Return the column of a seat, per hand, of [hands, 2]."""
    return np.where(seat == 1, pairs[:, 1], pairs[:, 0])


def bits_of(masks: Array, count: int) -> Array:
    """int[..., count]: the lowest bits of masks, 0 or 1."""
    return np.asarray(masks[..., None] >> np.arange(count, dtype=masks.dtype) & 1)


def copy_hands(state: State) -> State:
    """Return the hands in arrays of their own."""
    return State(*(array.copy() for array in state))


def rows_of(state: State, rows: Array) -> State:
    """Return some hands of a batch."""
    return State(*(array[rows] for array in state))


def mirror_hands(state: State) -> State:
    """Return hands with the two suits of the other colour exchanged: those of the up-card's, then of trump's."""
    names_only = (state.trump == 2) | (state.trump == 3)
    ranks = 0x3F
    arrays = {}
    for name in ("up", "discard", "led", "hands", "played", "leads"):
        masks = getattr(state, name)
        exchanged = masks & 0xFFF | (masks >> 18 & ranks) << 12 | (masks >> 12 & ranks) << 18
        arrays[name] = np.where(names_only if masks.ndim == 1 else names_only[:, None], masks, exchanged)
    voids = state.voids & 3 | (state.voids >> 3 & 1) << 2 | (state.voids >> 2 & 1) << 3
    arrays["voids"] = np.where(names_only[:, None], state.voids, voids)
    return state._replace(trump=np.where(names_only, state.trump ^ 1, state.trump), **arrays)


def select_hands(chosen: Bools, these: State, others: State) -> State:
    """Return hands of one batch where chosen, else of the other."""
    return State(
        *(
            np.where(chosen if this.ndim == 1 else chosen[:, None], this, other)
            for this, other in zip(these, others, strict=True)
        )
    )
