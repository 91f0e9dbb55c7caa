"""A position of three or four open hands, checked, and its legal moves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.cards import NO_TRUMP_FIELD, TRUMP_FIELD, mask_cards
from towerlab.games.errors import CardError
from towerlab.games.tricks import beats, field_of, legal_followers
from towerlab.solver.double_dummy.layout import PLAIN_1, PLAIN_2, PLAIN_3, PLAIN_4, run_of

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
    """The highest card of the player to move that is as good as a given one: no other card parts them."""
    seat = _to_move(position)
    others = sum(hand for other, hand in enumerate(position.hands) if other != seat) | sum(position.trick)
    run = int(run_of(card, position.hands[seat], others, int(field_of(card, position.trumps))))
    return 1 << (run.bit_length() - 1)


def play_card(position: Position, card: int, named: int = 0) -> tuple[Position, int]:
    """The position after a legal card, and the tricks (0 or 1) that the declarer's side has won by it."""
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
