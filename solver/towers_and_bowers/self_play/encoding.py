"""The view of a seat before a decision, as 304 numbers of 0 or 1.

| numbers | what |
|---|---|
| 7 | hand size, one-hot |
| 5 | decision, one-hot: first-round call, second-round call, discard, lead, follow |
| 5 | flags: dealer; bidder; there is a trump; the up-card was accepted; it was turned down |
| 5 | trump's suit in the up-card frame, one-hot; 4: none yet |
| 24 × 10 | masks: hand; up-card; up-card if the other surely holds it; cards the other may hold; own discard; cards \
played by the seat, by the other; of these, cards led by the seat, by the other; the card led to the trick under way |
| 4, 4 | suits of the trump frame in which the other, the seat itself, has failed to follow |
| 8, 8, 8 | one-hot: tricks of the seat; of the other; cards of each still to be played |
| 8 | one-hot: tricks that the seat still needs for its aim (bidder: more than half; else the rest + 1) |
| 2 | flags: the seat has all tricks so far; the other has |

The frames of cards are those of `environment`.

**Standard order.** The two suits of the colour that is not trump's, or not the up-card's before there is a trump, are
cards 12 to 17 and 18 to 23. A symmetric policy sees them exchanged where that makes the first the larger by what the
seat knows of each (`_knowledge_of_suit`), and its actions are exchanged back. A trump of that colour in the up-card
frame, 2 or 3, is told as 2: there only the name differs. A view whose two suits are alike is its own mirror image
(*tied*), and actions that mirror each other have the mean of their outputs. Renaming suits so changes no probability.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Ints
from towerlab.games.bits import lowest_index
from towerlab.games.jit import kernel, lean_kernel
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACTIONS,
    CARDS,
    DECK,
    DISCARD,
    LARGEST_HAND,
    NAME,
    NO_TRUMP_YET,
    OVER,
    SECOND_CALL,
    SUIT_MASKS,
    Array,
    State,
    bits_of,
    of_seat,
    tricks_needed,
)

_DECISION: Final = LARGEST_HAND
_FLAGS: Final = _DECISION + OVER
_TRUMP: Final = _FLAGS + 5
_MASKS: Final = _TRUMP + NO_TRUMP_YET + 1
_MASK_COUNT: Final = 10
_VOIDS: Final = _MASKS + CARDS * _MASK_COUNT
_COUNTS: Final = _VOIDS + 2 * len(SUIT_MASKS)
_ALL_TRICKS: Final = _COUNTS + 4 * (LARGEST_HAND + 1)
INPUTS: Final = _ALL_TRICKS + 2  # 304
CRITIC_INPUTS: Final = INPUTS + 2 * CARDS
MOST_ONES: Final = 96  # more than any view has

_FIRST: Final = 12  # card of the first of the two suits
_SECOND: Final = 18
_SUIT: Final = 63  # its six ranks
_MIRRORED_ACTIONS: Final = np.arange(ACTIONS)
_MIRRORED_ACTIONS[_FIRST:CARDS] = [*range(_SECOND, CARDS), *range(_FIRST, _SECOND)]
_MIRRORED_ACTIONS[NAME + 1 : NAME + 3] = NAME + 2, NAME + 1
MIRRORED_ACTIONS: Final[Ints] = _MIRRORED_ACTIONS


class Encoded(NamedTuple):
    """What seats see, arrays of [rows].

    Attributes:
        ones: int16[rows, 96]: the inputs that are 1.
        total: int64, how many of them there are.
        mirrored: bool, whether the two suits were exchanged.
        tied: bool, whether the view is its own mirror image; only of the standard order.
    """

    ones: NDArray[np.int16]
    total: Ints
    mirrored: Bools
    tied: Bools


def encode(state: State, rows: Ints, symmetric: bool) -> Encoded:
    """Return what the seats to act see, of their own cards and of what is public.

    Args:
        state: hands; of the other seat's cards nothing is read.
        rows: int64, of the hands.
        symmetric: whether suits are put into the standard order.
    """
    count = len(rows)
    encoded = Encoded(
        np.empty((count, MOST_ONES), dtype=np.int16),
        np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.bool_),
        np.empty(count, dtype=np.bool_),
    )
    _encode(state, rows, symmetric, encoded)
    return encoded


def some_views(encoded: Encoded, rows: Ints) -> Encoded:
    """Return some of the rows."""
    return Encoded(encoded.ones[rows], encoded.total[rows], encoded.mirrored[rows], encoded.tied[rows])


def inputs(state: State, symmetric: bool = False) -> NDArray[np.uint8]:
    """uint8[hands, 304]: what the seats to act see; for the arguments see `encode`."""
    return dense(encode(state, np.arange(len(state.size)), symmetric))


def dense(encoded: Encoded) -> NDArray[np.uint8]:
    """uint8[rows, 304]: the inputs as numbers."""
    numbers = np.zeros((len(encoded.total), INPUTS), dtype=np.uint8)
    _fill(encoded, numbers)
    return numbers


def critic_inputs(state: State, symmetric: bool = False) -> NDArray[np.uint8]:
    """uint8[hands, 352]: the inputs of the seat to act, then the other's hand and the dealer's discard."""
    encoded = encode(state, np.arange(len(state.size)), symmetric)
    hidden = np.stack([of_seat(state.hands, 1 - state.turn), state.discard], axis=1)
    bits = bits_of(hidden, CARDS)
    bits[encoded.mirrored] = bits[encoded.mirrored][..., MIRRORED_ACTIONS[:CARDS]]
    return np.concatenate([dense(encoded), bits.reshape(len(bits), 2 * CARDS).astype(np.uint8)], axis=1)


def mirror_actions(rows: Array, mirrored: Bools) -> Array:
    """Return what belongs to the 30 actions, [rows, 30], with the two suits exchanged where they are mirrored."""
    return np.where(mirrored[:, None], rows[:, MIRRORED_ACTIONS], rows)


def possible_cards(state: State, seat: Array) -> Ints:
    """int64[hands]: the cards that the other player may hold, as far as the seat knows."""
    masks = np.empty(len(seat), dtype=np.int64)
    _possible(state, np.asarray(seat), masks)
    return masks


# ------------------------------------------------------------------------------------------------------------ kernels


@kernel
def _fill(encoded: Encoded, numbers: Any) -> None:
    for row in range(len(encoded.total)):
        for place in range(encoded.total[row]):
            numbers[row, encoded.ones[row, place]] = 1


@kernel
def _possible(state: State, seats: Any, masks: Any) -> None:
    for row in range(len(seats)):
        masks[row] = _may_hold(state, row, seats[row])


@kernel
def _encode(state: State, rows: Any, symmetric: bool, encoded: Encoded) -> None:
    for place in range(len(rows)):
        row = rows[place]
        trump = state.trump[row]
        named_only = trump in (2, 3)
        order = 0
        if symmetric and not named_only:
            order = _knowledge_of_suit(state, row, 0) - _knowledge_of_suit(state, row, 1)
        encoded.mirrored[place] = order < 0
        encoded.tied[place] = symmetric and not named_only and order == 0
        shown = 2 if symmetric and named_only else trump
        encoded.total[place] = _write_ones(state, row, order < 0, shown, encoded.ones[place])


@lean_kernel
def _knowledge_of_suit(state: State, row: int, place: int) -> int:
    """What the seat to act knows of the first or second of the two suits, as a number: a larger one comes first."""
    seat = state.turn[row]
    other = 1 - seat
    shift = _FIRST + 6 * place
    hand = state.hands[row, seat] >> shift & _SUIT
    played = state.played[row, seat] >> shift & _SUIT
    discard = state.discard[row] >> shift & _SUIT if seat == 1 else 0
    key = hand | played | discard
    key = key << 6 | state.played[row, other] >> shift & _SUIT
    key = key << 6 | hand
    key = key << 6 | state.leads[row, seat] >> shift & _SUIT
    key = key << 6 | state.leads[row, other] >> shift & _SUIT
    key = key << 6 | state.led[row] >> shift & _SUIT
    key = key << 6 | discard
    key = key << 1 | state.voids[row, seat] >> 2 + place & 1
    return int(key << 1 | state.voids[row, other] >> 2 + place & 1)


@lean_kernel
def _write_ones(state: State, row: int, mirrored: bool, trump: int, ones: Any) -> int:
    """Write the inputs of a view that are 1; return how many there are."""
    seat = state.turn[row]
    other = 1 - seat
    size = state.size[row]
    decision = state.decision[row]
    has_trump = trump != NO_TRUMP_YET
    is_bidder = state.bidder[row] == seat
    ones[0] = size - 1
    count = 1
    if decision < OVER:
        count = _add(ones, count, _DECISION + decision, True)
    count = _add(ones, count, _FLAGS, seat == 1)
    count = _add(ones, count, _FLAGS + 1, is_bidder)
    count = _add(ones, count, _FLAGS + 2, has_trump)
    count = _add(ones, count, _FLAGS + 3, trump == 0)
    count = _add(ones, count, _FLAGS + 4, (has_trump and trump > 0) or decision == SECOND_CALL)
    count = _add(ones, count, _TRUMP + trump, True)
    count = _add_cards(ones, count, 0, state.hands[row, seat], mirrored)
    count = _add_cards(ones, count, 1, state.up[row], mirrored)
    count = _add_cards(ones, count, 2, _surely_held(state, row, seat), mirrored)
    count = _add_cards(ones, count, 3, _may_hold(state, row, seat), mirrored)
    count = _add_cards(ones, count, 4, state.discard[row] if seat == 1 else 0, mirrored)
    count = _add_cards(ones, count, 5, state.played[row, seat], mirrored)
    count = _add_cards(ones, count, 6, state.played[row, other], mirrored)
    count = _add_cards(ones, count, 7, state.leads[row, seat], mirrored)
    count = _add_cards(ones, count, 8, state.leads[row, other], mirrored)
    count = _add_cards(ones, count, 9, state.led[row], mirrored)
    count = _add_voids(ones, count, _VOIDS, state.voids[row, other], mirrored)
    count = _add_voids(ones, count, _VOIDS + len(SUIT_MASKS), state.voids[row, seat], mirrored)
    taken = state.tricks[row, seat]
    lost = state.tricks[row, other]
    complete = taken + lost
    needed = max(tricks_needed(size, is_bidder) - taken, 0)
    count = _add(ones, count, _COUNTS + taken, True)
    count = _add(ones, count, _COUNTS + 8 + lost, True)
    count = _add(ones, count, _COUNTS + 16 + size - complete, True)
    count = _add(ones, count, _COUNTS + 24 + needed, True)
    count = _add(ones, count, _ALL_TRICKS, taken == complete)
    return _add(ones, count, _ALL_TRICKS + 1, lost == complete)


@lean_kernel
def _add(ones: Any, count: int, number: int, is_one: bool) -> int:
    if is_one:
        ones[count] = number
        return count + 1
    return count


@lean_kernel
def _add_cards(ones: Any, count: int, number: int, cards: int, mirrored: bool) -> int:
    """Add the inputs of a mask, the suits exchanged where they are mirrored."""
    left = cards
    if mirrored:
        left = left & (1 << _FIRST) - 1 | (left >> _SECOND & _SUIT) << _FIRST | (left >> _FIRST & _SUIT) << _SECOND
    while left:
        ones[count] = _MASKS + CARDS * number + lowest_index(left)
        count += 1
        left &= left - 1
    return count


@lean_kernel
def _add_voids(ones: Any, count: int, start: int, voids: int, mirrored: bool) -> int:
    if mirrored:
        voids = voids & 3 | (voids >> 3 & 1) << 2 | (voids >> 2 & 1) << 3
    for suit in range(len(SUIT_MASKS)):
        count = _add(ones, count, start + suit, (voids >> suit & 1) != 0)
    return count


@lean_kernel
def _may_hold(state: State, row: int, seat: int) -> int:
    """The cards that the other player may hold, as far as the seat knows."""
    known = state.hands[row, seat] | state.played[row, 0] | state.played[row, 1]
    if seat == 1:
        known |= state.discard[row]
    if _surely_held(state, row, seat) == 0:
        known |= state.up[row]
    voids = state.voids[row, 1 - seat]
    for suit in range(len(SUIT_MASKS)):
        if voids >> suit & 1:
            known |= SUIT_MASKS[suit]
    return int(DECK & ~known)


@lean_kernel
def _surely_held(state: State, row: int, seat: int) -> int:
    """The up-card, where the seat is the non-dealer and the dealer has taken and not yet played it; else 0."""
    held = state.trump[row] == 0 and state.decision[row] > DISCARD and seat == 0
    return int(state.up[row] & ~state.played[row, 1]) if held else 0
