"""How is a card, and a set of cards, a number? Masks, their notation, and play order.

Printed cards. A card is an int ``13 * suit + rank`` with suits C D H S = 0..3 and ranks 2..A = 0..12; the jokers
X1, X2 are 52 and 53. A set of cards is one int64 with bit ``card`` set; the 24- and 32-card packs use the same bits.

Play order. Given a trump, `to_play_order` moves the bits so that everything below the rules needs only fields (suits
as they are followed) and bits (the higher one wins). This is the only file that knows what a bower is::

    bits  0..12   field 0   a plain suit          at no trump: C
    bits 13..25   field 1   a plain suit          at no trump: D
    bits 26..38   field 2   the mate of trumps    at no trump: H
    bits 39..55   trumps    13 ranks, left bower, right bower, X1, X2
                            at no trump: S in 39..51, and a joker (54, 55) is a trump field of its own

With bowers the trump's and the mate's jack leave holes at their printed places. The trump field lies above all
others, so of two cards of which the second is a trump or of the first one's field, the higher bit wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from towerlab.games.bits import lowest_index
from towerlab.games.errors import CardError, plain_word
from towerlab.games.jit import kernel

SUITS: Final = "CDHS"
RANKS: Final = "23456789TJQKA"
SYMBOLS: Final = "♣♦♥♠"
NO_TRUMP: Final = 4
TRUMPS: Final = ("C", "D", "H", "S", "NT")
JACK: Final = 9
JOKER_1: Final = 52
JOKER_2: Final = 53

_SUIT_LETTERS = {letter: suit for suit, letter in enumerate(SUITS)} | {s: i for i, s in enumerate(SYMBOLS)}
_SUIT_LETTERS |= {"♧": 0, "♢": 1, "♡": 2, "♤": 3}
_RANK_LETTERS = {letter: rank for rank, letter in enumerate(RANKS)} | {"10": 8}
_RANK_ORDER_OF_SUITS = "SHDC"  # printing order

SUIT_BITS: Final = 0x1FFF
JOKERS: Final = 1 << JOKER_1 | 1 << JOKER_2


def _pack(lowest_rank: str) -> int:
    field = SUIT_BITS & ~((1 << RANKS.index(lowest_rank)) - 1)
    return sum(field << 13 * suit for suit in range(4))


DECK_24: Final = _pack("9")
DECK_32: Final = _pack("7")
DECK_52: Final = _pack("2")
DECK_54: Final = DECK_52 | JOKERS

# Play-order fields.
TRUMP_SHIFT: Final = 39
LEFT_BOWER: Final = 1 << 52
RIGHT_BOWER: Final = 1 << 53
PLAY_JOKERS: Final = 1 << 54 | 1 << 55
TRUMP_FIELD: Final = SUIT_BITS << TRUMP_SHIFT | LEFT_BOWER | RIGHT_BOWER | PLAY_JOKERS
NO_TRUMP_FIELD: Final = PLAY_JOKERS


# --------------------------------------------------------------------------------------------------- single cards


def suit_of(card: int) -> int:
    """Printed suit 0..3 of a card; jokers have none (4)."""
    return card // 13


def rank_of(card: int) -> int:
    """Printed rank 0..12 (2..A) of a card that is no joker."""
    return card % 13


def rename_card(card: int, names: Sequence[int]) -> int:
    """Return the card (id) with the new name of its suit, C D H S = 0..3 in that order; a joker has none."""
    return card if card >= JOKER_1 else 13 * names[card // 13] + card % 13


def former_names(names: Sequence[int]) -> tuple[int, int, int, int]:
    """Return the names of suits that lead back."""
    clubs, diamonds, hearts, spades = (names.index(suit) for suit in range(4))
    return clubs, diamonds, hearts, spades


def card_text(card: int) -> str:
    """Rank then suit, the notation of JSON and of transcripts: ``"TS"``, ``"X1"``; the number of what is no card."""
    if not 0 <= card <= JOKER_2:
        return repr(card)
    if card >= JOKER_1:
        return f"X{card - JOKER_1 + 1}"
    return RANKS[rank_of(card)] + SUITS[suit_of(card)]


def card_texts(cards: Iterable[int]) -> list[str]:
    """Cards in the notation of JSON, in the order given: a line of play, or a hand as it is sorted."""
    return [card_text(card) for card in cards]


def card_symbol(card: int) -> str:
    """The notation for people: ``"10♠"``, ``"J♥"``, ``"X1"``."""
    if card >= JOKER_1:
        return card_text(card)
    rank = RANKS[rank_of(card)]
    return ("10" if rank == "T" else rank) + SYMBOLS[suit_of(card)]


def parse_card(text: str) -> int:
    """A card from ``JS``, ``j♠``, ``♠J``, ``10H``, ``TH`` or ``X1``.

    Raises:
        CardError: not a card.
    """
    upper = text.strip().upper().replace("\ufe0f", "")  # symbols may carry an emoji mark
    if upper in ("X1", "X2"):
        return JOKER_1 + int(upper[1]) - 1
    for rank, suit in ((upper[:-1], upper[-1:]), (upper[1:], upper[:1])):
        if rank in _RANK_LETTERS and suit in _SUIT_LETTERS:
            return 13 * _SUIT_LETTERS[suit] + _RANK_LETTERS[rank]
    raise CardError(f"{text!r} is not a card; expected a rank (2..10, T, J, Q, K, A) and a suit (S, H, D, C): JS, 10H")


def _suit_named(text: str) -> int | None:
    """The suit of a letter, a symbol or a name."""
    word = plain_word(text)
    named = word.removesuffix("s") in ("club", "diamond", "heart", "spade")
    return _SUIT_LETTERS.get(word[0].upper() if named else word.upper())


def parse_trump(text: str) -> int:
    """Suit 0..3 or `NO_TRUMP` from ``S H D C NT``, a suit symbol or a name: ``hearts``, ``no trump``.

    Raises:
        CardError: neither a suit nor ``NT``.
    """
    if plain_word(text) in ("nt", "n", "notrump", "notrumps"):
        return NO_TRUMP
    suit = _suit_named(text)
    if suit is not None:
        return suit
    raise CardError(f"{text!r} is not a trump; expected S, H, D, C or NT")


def parse_suit(text: str) -> int:
    """Suit 0..3 from a letter, a symbol or a name: ``H``, ``♥``, ``hearts``.

    Raises:
        CardError: not a suit.
    """
    suit = _suit_named(text)
    if suit is None:
        raise CardError(f"{text!r} is not a suit; expected S, H, D or C")
    return suit


# --------------------------------------------------------------------------------------------------- sets of cards


def split_cards(text: str) -> list[str]:
    """The words of a text, spaces or commas between them; several ranks of a suit are as many cards.

    >>> split_cards("AKJS, 10H")
    ['AS', 'KS', 'JS', '10H']
    """
    # constants of this file are digested as rules
    rank = r"10|[2-9TJQKA]"
    words = list[str]()
    for word in text.replace(",", " ").split():
        group = re.fullmatch(rf"((?:{rank}){{2,}})([SHDC♣♦♥♠♧♢♡♤]\ufe0f?)", word, re.IGNORECASE)
        words += (
            [f"{rank_text}{group[2]}" for rank_text in re.findall(rank, group[1], re.IGNORECASE)] if group else [word]
        )
    return words


def parse_cards(text: str, deck: int = DECK_52, what: str = "the cards") -> list[int]:
    """Cards separated by spaces or commas, in the order given.

    Args:
        text: for example ``"JS AS, 9♠ 10H"`` or ``"AJ9S 10H"``; may be empty.
        deck: mask of the pack they must belong to.
        what: what these cards are, for the message.

    Raises:
        CardError: not a card, not in the pack, or named twice.
    """
    cards: list[int] = []
    for word in split_cards(text):
        card = parse_card(word)
        if not deck >> card & 1:
            raise CardError(f"{card_text(card)} in {what} is not in this game's pack of {deck.bit_count()} cards")
        if card in cards:
            raise CardError(f"{card_text(card)} stands twice in {what}; expected every card once")
        cards.append(card)
    return cards


def parse_mask(text: str, deck: int = DECK_52, what: str = "the cards", count: int | None = None) -> int:
    """As `parse_cards`, as a mask; with `count`, exactly that many.

    Raises:
        CardError: as `parse_cards`, or a wrong count.
    """
    cards = parse_cards(text, deck, what)
    if count is not None and len(cards) != count:
        raise CardError(f"{what} has {len(cards)} cards; expected {count}")
    return cards_mask(cards)


def cards_mask(cards: Iterable[int]) -> int:
    """The set of some cards as a mask."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def distinct_mask(cards: Iterable[int], what: str) -> int:
    """As `cards_mask`, of different cards; `what` these are, for the message.

    Raises:
        CardError: a card stands twice.
    """
    mask = 0
    for card in cards:
        if mask >> card & 1:
            raise CardError(f"{card_text(card)} stands twice in {what}; expected every card once")
        mask |= 1 << card
    return mask


def holds(mask: int, card: int) -> bool:
    """Whether a card, which may be any number, is among the cards of a mask."""
    return 0 <= card <= JOKER_2 and bool(mask >> card & 1)


def mask_cards(mask: int) -> list[int]:
    """The cards of a mask, lowest bit first.

    Raises:
        CardError: a negative number.
    """
    if mask < 0:
        raise CardError(f"{mask} is no set of cards; expected a mask of cards, 0 or more")
    cards = []
    while mask:
        low = mask & -mask
        cards.append(low.bit_length() - 1)
        mask ^= low
    return cards


def sorted_cards(mask: int, trump: int = NO_TRUMP, bowers: bool = False) -> list[int]:
    """Cards as a player sorts a hand: trumps first, then S H D C, high to low (bowers among trumps)."""

    def place(card: int) -> tuple[int, int]:
        play = int(to_play_order(1 << card, trump, bowers))
        if play & (NO_TRUMP_FIELD if trump == NO_TRUMP else TRUMP_FIELD):
            return (-1, -play)
        return (_RANK_ORDER_OF_SUITS.index(SUITS[suit_of(card)]), -play)

    return sorted(mask_cards(mask), key=place)


def mask_text(mask: int, trump: int = NO_TRUMP, bowers: bool = False) -> str:
    """A set of cards in JSON notation, sorted as a player would: ``"JS AS 9S"``."""
    return " ".join(card_text(card) for card in sorted_cards(mask, trump, bowers))


# ------------------------------------------------------------------------------------------------------ play order


@kernel
def to_play_order(mask: int, trump: int, bowers: bool) -> int:
    """A printed mask in play order.

    Args:
        mask: printed cards.
        trump: suit 0..3 or `NO_TRUMP`.
        bowers: whether the jacks of the trump's colour are the highest trumps.
    """
    jokers = (mask & JOKERS) << 2
    if trump == NO_TRUMP:
        return (mask & DECK_52) | jokers
    trumps = (mask >> (13 * trump)) & SUIT_BITS
    mates = (mask >> (13 * (3 - trump))) & SUIT_BITS
    plain = _first_plain(trump)
    first = (mask >> (13 * plain)) & SUIT_BITS
    second = (mask >> (13 * (3 - plain))) & SUIT_BITS
    if bowers:
        jack = 1 << JACK
        trumps = (trumps & ~jack) | ((mates & jack) << 4) | ((trumps & jack) << 5)
        mates &= ~jack
    return first | (second << 13) | (mates << 26) | (trumps << TRUMP_SHIFT) | jokers


@kernel
def to_printed(mask: int, trump: int, bowers: bool) -> int:
    """The inverse of `to_play_order`."""
    jokers = (mask & PLAY_JOKERS) >> 2
    if trump == NO_TRUMP:
        return (mask & DECK_52) | jokers
    trumps = (mask >> TRUMP_SHIFT) & SUIT_BITS
    mates = (mask >> 26) & SUIT_BITS
    if bowers:
        jack = 1 << JACK
        trumps |= (mask >> (TRUMP_SHIFT + 5)) & jack
        mates |= (mask >> (TRUMP_SHIFT + 4)) & jack
    first = mask & SUIT_BITS
    second = (mask >> 13) & SUIT_BITS
    plain = _first_plain(trump)
    return (
        (first << (13 * plain))
        | (second << (13 * (3 - plain)))
        | (mates << (13 * (3 - trump)))
        | (trumps << (13 * trump))
        | jokers
    )


@kernel
def _first_plain(trump: int) -> int:
    """The lower of the two suits whose colour is not the trump's: C for a red trump, D for a black one (no branch)."""
    return 1 ^ (trump & 1) ^ (trump >> 1)


@kernel
def trump_field(trump: int) -> int:
    """The play-order field that beats all others: at no trump the jokers alone."""
    return NO_TRUMP_FIELD if trump == NO_TRUMP else TRUMP_FIELD


def effective_suit(card: int, trump: int, bowers: bool) -> int:
    """The suit 0..3 a card follows (the left bower is a trump, TB-17); a joker at no trump has none (4)."""
    play = int(to_play_order(1 << card, trump, bowers))
    if trump != NO_TRUMP and play & TRUMP_FIELD:
        return trump
    return suit_of(card)


def bower_cards(trump: int) -> tuple[int, int]:
    """Return the right and the left bower of a suit, printed cards: its jack, and that of its colour's other suit.

    >>> card_texts(bower_cards(3))
    ['JS', 'JC']
    """
    bowers = (to_printed(bower, trump, True) for bower in (RIGHT_BOWER, LEFT_BOWER))
    right, left = map(first_card, bowers)
    return right, left


def first_card(mask: int) -> int:
    """The card of a mask of one bit, or its lowest card."""
    return int(lowest_index(mask))
