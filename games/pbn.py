"""Bridge deals in PBN, the Portable Bridge Notation: ``N:AKQJ.T98.76.5432 …``.

A seat and a colon, then the four hands clockwise from that seat, separated by spaces; each hand is its spades, hearts,
diamonds and clubs, separated by dots. A void is an empty suit.
"""

from __future__ import annotations

from typing import Final

from towerlab.games.cards import RANKS, SUITS, card_text, distinct_mask, mask_cards, rank_of, suit_of
from towerlab.games.errors import CardError

SEATS: Final = "NESW"
_SUIT_ORDER: Final = "SHDC"


def parse_deal(text: str) -> tuple[int, int, int, int]:
    """The four hands N, E, S, W of a deal or of an ending of one, as printed masks.

    Args:
        text: with or without the ``[Deal "…"]`` around it; ranks in upper or lower case, ten as ``T``.

    Raises:
        CardError: not four equal hands of different cards; the message names the hand or the card.
    """
    body = text.strip()
    if body.startswith("[Deal"):
        body = body.removeprefix("[Deal").removesuffix("]").strip().strip('"')
    first, colon, rest = body.partition(":")
    first = first.strip().upper()
    if not colon or len(first) != 1 or first not in SEATS:
        raise CardError(f"deal {text!r} does not begin with a seat; expected N:, E:, S: or W: before the hands")
    words = rest.split()
    if len(words) != len(SEATS):
        raise CardError(f"deal of {len(words)} hands; expected 4, separated by spaces")
    start = SEATS.index(first)
    hands = [0, 0, 0, 0]
    seen: dict[int, str] = {}
    for step, word in enumerate(words):
        seat = SEATS[(start + step) % 4]
        for card in _parse_hand(word, f"{seat}'s hand"):
            if card in seen:
                holder = "twice in" if seen[card] == seat else f"in {seen[card]}'s hand and in"
                raise CardError(f"{card_text(card)} stands {holder} {seat}'s hand; expected every card once")
            seen[card] = seat
            hands[(start + step) % 4] |= 1 << card
    sizes = [hand.bit_count() for hand in hands]
    if len(set(sizes)) != 1 or not 1 <= sizes[0] <= 13:
        counts = ", ".join(f"{seat} {size}" for seat, size in zip(SEATS, sizes, strict=True))
        raise CardError(f"hands of different sizes ({counts}); expected the same number of cards, 1 to 13, in each")
    return hands[0], hands[1], hands[2], hands[3]


def parse_hand(text: str, count: int = 13, what: str = "the hand") -> int:
    """One hand, ``AKQJ.T98.76.5432``, as a printed mask.

    Args:
        text: spades, hearts, diamonds and clubs, separated by dots.
        count: how many cards it must have.
        what: whose hand it is, for the message.

    Raises:
        CardError: not so many different cards.
    """
    hand = distinct_mask(_parse_hand(text.strip(), what), what)
    if hand.bit_count() != count:
        raise CardError(f"{what} has {hand.bit_count()} cards; expected {count}")
    return hand


def deal_text(hands: tuple[int, ...]) -> str:
    """Four printed masks N, E, S, W in PBN, from North."""
    return "N:" + " ".join(hand_text(hand) for hand in hands)


def _parse_hand(word: str, what: str) -> list[int]:
    suits = word.upper().replace("10", "T").split(".")
    if len(suits) != len(_SUIT_ORDER):
        raise CardError(
            f"{what} {word!r} has {len(suits)} suits; expected spades, hearts, diamonds and clubs "
            "separated by three dots"
        )
    cards = []
    for suit, ranks in zip(_SUIT_ORDER, suits, strict=True):
        for rank in ranks:
            if rank not in RANKS:
                raise CardError(f"{rank!r} in {what} {word!r} is not a rank; expected some of {RANKS[::-1]}")
            cards.append(13 * SUITS.index(suit) + RANKS.index(rank))
    return cards


def hand_text(hand: int) -> str:
    """A printed mask in PBN: spades, hearts, diamonds and clubs, separated by dots."""
    suits = dict.fromkeys(_SUIT_ORDER, "")
    for card in reversed(mask_cards(hand)):
        suits[SUITS[suit_of(card)]] += RANKS[rank_of(card)]
    return ".".join(suits.values())
