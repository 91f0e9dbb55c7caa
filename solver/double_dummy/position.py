"""From which position does the double-dummy search start, and in which form? Three or four open hands, checked.

The search works on play-order masks, lanes, and one flat board of machine words.

>>> position = Position((0b10, 0b100, 0b1), trumps=0, leader=0)
>>> [card for card, _ in legal_moves(position)]
[2]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from towerlab.games.arrays import Ints
from towerlab.games.bits import highest_index, lowest_bit, lowest_index, popcount
from towerlab.games.cards import NO_TRUMP_FIELD, SUIT_BITS, TRUMP_FIELD, TRUMP_SHIFT, mask_cards
from towerlab.games.errors import CardError
from towerlab.games.jit import JIT_ENABLED, inlined_kernel, kernel, lean_kernel
from towerlab.games.tricks import beats, field_of, legal_followers

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
KEY: Final = 7  # suit lengths and tricks that remain, see `pack_lengths`
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
        """Return a word of a flat array, without the test for negative indices and without strides."""
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
    """Return the field of a lane."""
    if lane == 3 and trumps == TRUMP_FIELD:
        return TRUMP_FIELD
    return SUIT_BITS << (13 * lane)


@kernel
def card_lane(index: int) -> int:
    """Return the lane of a card by its number; of a joker at no trump 3, where nothing is counted."""
    return (index * 5) >> 6 if index < 52 else 3


@lean_kernel
def pack_lengths(board: Ints) -> int:
    """Return the cards of every hand in lanes 0..2, four bits each, and above them the tricks that remain.

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
    """Return the digit of a card in `pack_lengths`."""
    index = lowest_index(card)
    return 1 << (16 * card_lane(index) + 4 * seat) if index < TRUMP_SHIFT else 0


@inlined_kernel
def relevant_prefixes(relevant: int, remaining: int, trumps: int) -> int:
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
        card: the card of `hand`.
        others: the other hands' cards and the card that is winning.
        field: the field of the card.
    """
    others &= field
    above = lowest_bit(others & -card)
    return hand & field & (above - 1) & (-1 << (highest_index(others & (card - 1)) + 1))


PLAIN_FIELDS: Final = (PLAIN_1, PLAIN_2, PLAIN_3, PLAIN_4)
"""The fields a led joker may name at no trump: the suits C D H S."""

MOST_CARDS: Final = 13


@dataclass(frozen=True)
class Position:
    """The hands, in play-order masks, and the cards on the table.

    Attributes:
        hands: three or four hands in the order of play. With four, seats 0 and 2 play against 1 and 3.
        trumps: the trump field, `games.cards.trump_field(trump)`.
        leader: seat that leads, or has led, the current trick.
        trick: cards on the table in order, each a mask of one bit; no longer in the hands.
        named: the field named by a joker that was led at no trump, one of `PLAIN_FIELDS`; else 0.
        declarer: seat of the declarer. With three hands that is one against two.
        fewest: whether the declarer wants as few tricks as possible (misère) rather than as many.
        names: whether a joker led at no trump names the suit to follow; else anything may be played to it.
    """

    hands: tuple[int, ...]
    trumps: int
    leader: int
    trick: tuple[int, ...] = ()
    named: int = 0
    declarer: int = 0
    fewest: bool = False
    names: bool = True


def legal_moves(position: Position) -> list[tuple[int, int]]:
    """Return the cards that may be played, each with the field that a led joker names (else 0), lowest first."""
    hand = position.hands[_to_move(position)]
    if position.trick:
        led = position.named or int(field_of(position.trick[0], position.trumps))
        return [(1 << card, 0) for card in mask_cards(int(legal_followers(hand, led)))]
    moves = []
    for card in mask_cards(hand):
        joker = position.names and position.trumps == NO_TRUMP_FIELD and 1 << card & NO_TRUMP_FIELD
        moves += [(1 << card, named) for named in (PLAIN_FIELDS if joker else (0,))]
    return moves


def equal_card(position: Position, card: int) -> int:
    """Return the highest card of the player to move that is as good as a given one: no other card parts them."""
    seat = _to_move(position)
    others = sum(hand for other, hand in enumerate(position.hands) if other != seat) | sum(position.trick)
    run = int(run_of(card, position.hands[seat], others, int(field_of(card, position.trumps))))
    return 1 << (run.bit_length() - 1)


def play_card(position: Position, card: int, named: int = 0) -> tuple[Position, int]:
    """Return the position after a legal card, and the tricks (0 or 1) that the declarer's side has won by it."""
    count = len(position.hands)
    seat = _to_move(position)
    hands = tuple(hand & ~card if other == seat else hand for other, hand in enumerate(position.hands))
    trick = (*position.trick, card)
    if len(trick) < count:
        return replace(position, hands=hands, trick=trick, named=position.named or named), 0
    best = 0
    for step in range(1, count):
        if beats(trick[step], trick[best], position.trumps):
            best = step
    winner = (position.leader + best) % count
    ours = winner == position.declarer or (count == 4 and (winner - position.declarer) % 4 == 2)
    return replace(position, hands=hands, trick=(), named=0, leader=winner), int(ours)


def _to_move(position: Position) -> int:
    return (position.leader + len(position.trick)) % len(position.hands)


def check_position(position: Position) -> None:
    """Refuse a position that cannot be.

    Raises:
        CardError: the error, and what was expected.
    """
    hands = position.hands
    trick = position.trick
    count = len(position.hands)
    if count not in (3, 4):
        raise CardError(f"{count} hands; expected 3 or 4")
    if position.trumps not in (TRUMP_FIELD, NO_TRUMP_FIELD):
        raise CardError(f"{position.trumps} is not a trump field; expected games.cards.trump_field(trump)")
    if not 0 <= position.leader < count:
        raise CardError(f"leader {position.leader} has no seat; expected 0 to {count - 1}")
    if not 0 <= position.declarer < count:
        raise CardError(f"declarer {position.declarer} has no seat; expected 0 to {count - 1}")
    if len(trick) >= count:
        raise CardError(f"{len(trick)} cards in the trick; expected fewer than {count}")
    if trick and any(card <= 0 or card & (card - 1) for card in trick):
        raise CardError("a trick is a sequence of single cards; expected masks of one bit each")
    if min(hands) < 0 or max(hands) >> 56:
        raise CardError("a hand has bits beyond the 56 of play order; expected play-order masks")
    _check_sizes(position)
    seen = 0
    for mask in (*hands, *trick):
        if seen & mask:
            raise CardError(f"card {mask_cards(seen & mask)[0]} (in play order) stands twice; expected every card once")
        seen |= mask
    if position.trumps == NO_TRUMP_FIELD and (seen & NO_TRUMP_FIELD).bit_count() > 1:
        raise CardError("two jokers at no trump; expected one at most")
    if trick or position.named:
        _check_trick(position)


def check_deals(hands: Ints, like: Position) -> None:
    """Refuse deals that cannot be.

    Args:
        hands: play-order masks [number, 3 or 4].
        like: a position with the same trumps, leader and declarer.

    Raises:
        CardError: the first deal that is wrong, and why.
    """
    if hands.ndim != 2 or hands.shape[1] not in (3, 4):
        raise CardError(f"deals of shape {hands.shape}; expected (number, 3) or (number, 4)")
    sizes = np.bitwise_count(hands)
    union = np.bitwise_or.reduce(hands, axis=1)
    good = (hands >= 0).all(axis=1) & (hands >> 56 == 0).all(axis=1) & (sizes == sizes[:, :1]).all(axis=1)
    good &= (sizes[:, 0] <= MOST_CARDS) & (np.bitwise_count(union) == sizes.sum(axis=1))
    if like.trumps == NO_TRUMP_FIELD:
        good &= np.bitwise_count(union & NO_TRUMP_FIELD) <= 1
    suspects = np.flatnonzero(~good)
    for index in (*suspects[:1], 0):  # the first deal also shows whether the rest is sound
        if index < len(hands):
            check_position(replace(like, hands=tuple(int(hand) for hand in hands[index])))


def _check_sizes(position: Position) -> None:
    count = len(position.hands)
    sizes = [hand.bit_count() for hand in position.hands]
    for step in range(len(position.trick)):
        sizes[(position.leader + step) % count] += 1
    if len(set(sizes)) != 1:
        raise CardError(
            f"hands of {', '.join(map(str, sizes))} cards, those on the table included; expected equal hands"
        )
    if sizes[0] > MOST_CARDS:
        raise CardError(f"hands of {sizes[0]} cards; expected at most {MOST_CARDS}")


def _check_trick(position: Position) -> None:
    trick = position.trick
    trumps = position.trumps
    joker_led = bool(trick) and trumps == NO_TRUMP_FIELD and trick[0] & NO_TRUMP_FIELD != 0
    names = joker_led and position.names
    if names != (position.named in PLAIN_FIELDS) or (not names and position.named):
        expected = "the suit it names, one of PLAIN_FIELDS" if names else "0, for no joker has been led"
        expected = "0, for a led joker names no suit" if joker_led and not names else expected
        raise CardError(f"named field {position.named}; expected {expected}")
    for step, card in enumerate(trick[1:], 1):
        led = position.named or int(field_of(trick[0], trumps))
        hand = position.hands[(position.leader + step) % len(position.hands)]
        if not card & led and hand & led:
            raise CardError(f"card {step + 1} of the trick does not follow although its player holds the suit led")
