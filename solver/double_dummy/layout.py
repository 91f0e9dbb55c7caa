"""How the double-dummy search sees a position: play-order masks, lanes, and one flat board of machine words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from numba import types
from numba.extending import intrinsic

from towerlab.games.arrays import Ints
from towerlab.games.bits import highest_index, lowest_bit, lowest_index, popcount
from towerlab.games.cards import NO_TRUMP_FIELD, SUIT_BITS, TRUMP_FIELD, TRUMP_SHIFT
from towerlab.games.jit import JIT_ENABLED, inlined_kernel, kernel, lean_kernel

SEATS: Final = 4
LANES: Final = 4
"""Fields by number: 0..2 plain suits at bits 0, 13, 26; 3 the trumps or, at no trump, the suit at bits 39..51. At no
trump the joker has a field of its own and no lane."""

PLAIN_1: Final = SUIT_BITS
PLAIN_2: Final = SUIT_BITS << 13
PLAIN_3: Final = SUIT_BITS << 26
PLAIN_4: Final = SUIT_BITS << TRUMP_SHIFT
ALL_CARDS: Final = (1 << 56) - 1


class SearchRules(NamedTuple):
    """The game that is searched.

    Attributes:
        trumps: the trump field.
        trick_size: 3 or 4 hands.
        maximizer: the side that wants side 0 to take tricks: 0, or 1 when the declarer plays to lose.
        names: 1 if a joker led at no trump names the suit to follow, 0 if anything may be played to it.
    """

    trumps: int
    trick_size: int
    maximizer: int
    names: int


class Hands(NamedTuple):
    """Four hands as the player to move sees them; of three hands one is empty."""

    me: int
    left: int
    partner: int
    right: int


# The board: the hands by seat, the deal the table knows, then a frame a ply: the position before the card of that ply
# and the state of the loop over its moves.
KNOWN_DEAL: Final = 4  # its hands, and all other inputs of the results
FRAMES: Final = 16
PLIES: Final = 56
STRIDE: Final = 48
BOARD_SIZE: Final = FRAMES + PLIES * STRIDE

SEAT: Final = 0  # to play
PLAYED: Final = 1  # cards on the table
LED_FIELD: Final = 2  # field to follow, 0 at the start of a trick
BEST: Final = 3  # card that is winning; before a lead, the winner of the last trick
BEST_SEAT: Final = 4
TRICK: Final = 5  # cards on the table; before a lead, the last trick
NEED: Final = 6  # tricks side 0 has to take from here, this one included
KEY: Final = 7  # suit lengths and tricks that remain, see `lengths`
CARD: Final = 8  # the one being tried
UNTRIED: Final = 9  # legal cards that are neither tried nor ruled out
ORDER: Final = 10  # how the next card is chosen: one of the orders in ordering.py, or UNORDERED
FIRST: Final = 11  # a follower's classes of cards, or how many leads are listed
SECOND: Final = 12  # or the number of the next lead
THIRD: Final = 13
RELEVANT: Final = 14  # relevant cards of the failed moves
OWNERS_0: Final = 15  # pattern words, at the start of a trick
OWNERS_1: Final = 16
WINNERS: Final = 17  # a follower's cards that beat the best
PLACE: Final = 18  # in the cut-off memory, or -1
TAG: Final = 19
LEADS: Final = 20  # the listed leads, best first

UNORDERED: Final = 0  # only a remembered card has been tried


if TYPE_CHECKING or not JIT_ENABLED:

    def peek(array: Ints, index: int) -> int:
        """A word of a flat array, without the test for negative indices and without strides."""
        return int(array[index])

    def poke(array: Ints, index: int, word: int) -> None:
        """Write a word of a flat array."""
        array[index] = word

else:

    @intrinsic
    def peek(typing_context, array, index):
        """A word of a flat array, without the test for negative indices and without strides."""

        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            return builder.load(builder.gep(data, [arguments[1]]))

        return types.int64(array, types.int64), generate

    @intrinsic
    def poke(typing_context, array, index, word):
        """Write a word of a flat array."""

        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            builder.store(arguments[2], builder.gep(data, [arguments[1]]))
            return context.get_dummy_value()

        return types.void(array, types.int64, types.int64), generate


@kernel
def lane_field(lane: int, trumps: int) -> int:
    """The field of a lane."""
    if lane == 3 and trumps == TRUMP_FIELD:
        return TRUMP_FIELD
    return SUIT_BITS << (13 * lane)


@kernel
def card_lane(index: int) -> int:
    """The lane of a card by its number; of a joker at no trump 3, where nothing is counted."""
    return (index * 5) >> 6 if index < 52 else 3


@lean_kernel
def lengths(board: Ints) -> int:
    """The cards of every hand in lanes 0..2, four bits each, and above them the tricks that remain.

    The lengths in lane 3 follow from the hands' size, at no trump once the joker's owner is known.
    """
    word = 0
    most = 0
    for seat in range(SEATS):
        hand = peek(board, seat)
        for lane in range(3):
            word |= popcount(hand & (SUIT_BITS << (13 * lane))) << (16 * lane + 4 * seat)
        most = max(most, popcount(hand))
    return word | most << 48


@inlined_kernel
def length_digit(card: int, seat: int) -> int:
    """Return the digit of a card in `lengths`."""
    index = lowest_index(card)
    return 1 << (16 * card_lane(index) + 4 * seat) if index < TRUMP_SHIFT else 0


@inlined_kernel
def prefixes(relevant: int, remaining: int, trumps: int) -> int:
    """The remaining cards of each field from its top down to its lowest relevant card; at no trump with the joker."""
    cards = remaining & trumps if trumps == NO_TRUMP_FIELD else 0
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        cards |= remaining & field & -lowest_bit(relevant & field)
    return cards


@kernel
def run_of(card: int, hand: int, others: int, field: int) -> int:
    """Return the cards of a hand that are equal to one of them: no card of `others` is between them.

    Args:
        card: of `hand`.
        others: the other hands' cards and the card that is winning.
        field: of the card.
    """
    others &= field
    above = lowest_bit(others & -card)
    return hand & field & (above - 1) & (-1 << (highest_index(others & (card - 1)) + 1))
