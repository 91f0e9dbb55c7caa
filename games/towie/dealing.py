"""How is a deal of Towie dealt, and how is it played? TO-2, TO-3, TO-8 to TO-11, with the goulash.

Hands stand in the order of the callers with dummy last: 0 the dealer's, 1 the left neighbour's, 2 the right
neighbour's, 3 dummy's. In the play positions are counted from declarer, clockwise: 0 declarer, 1 the left neighbour who
leads, 2 dummy, 3 the right neighbour. So 0 and 2 play against 1 and 3, wherever the vacant place was when the cards
were dealt. Following and winning are `games.tricks`, on play-order masks.

>>> [int(hand_at(position, 1)) for position in range(4)]  # where the dealer's left neighbour declares
[1, 2, 3, 0]
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.bits import lowest_index, nth_bit
from towerlab.games.cards import DECK_52, card_text, cards_mask, suit_of, to_play_order, to_printed, trump_field
from towerlab.games.errors import CardError, IllegalAction
from towerlab.games.jit import kernel
from towerlab.games.shuffling import shuffle_cards
from towerlab.games.towie.auction import CALLERS
from towerlab.games.towie.options import ANYWHERE, CUT, RANK_DESCENDING
from towerlab.games.tricks import beats, field_of, legal_followers

DEALER: Final = 0
LEFT: Final = 1
RIGHT: Final = 2
DUMMY: Final = 3
HANDS: Final = 4
HAND_SIZE: Final = 13
PACK_SIZE: Final = 52
EXPOSED: Final = 6
DEAL_ORDER: Final = (LEFT, DUMMY, RIGHT, DEALER)
STACK_ORDER: Final = (RIGHT, DUMMY, LEFT, DEALER)  # top to bottom
PACKETS: Final = (5, 5, 3)
SMALLEST_PART: Final = 4  # of a stack that is cut


# ---------------------------------------------------------------------------------------------------------- kernels


@kernel
def deal_singly(pack: Ints, hands: Ints) -> None:
    """Deal 52 cards one at a time from the dealer's left (TO-2).

    Args:
        pack: card ids, top first.
        hands: output, printed masks [4].
    """
    hands[:] = 0
    for place in range(PACK_SIZE):
        hands[DEAL_ORDER[place % HANDS]] |= 1 << pack[place]


@kernel
def stack_piles(piles: Ints, cut: int, pack: Ints) -> None:
    """Lay four sorted hands on one another and cut (TO-9, TO-10).

    From top to bottom: right, dummy, left, dealer; then the top `cut` cards go to the bottom.

    Args:
        piles: card ids [4, 13], each from the top.
        cut: the number of cards cut from the top, 0..51.
        pack: output, card ids [52], top first.
    """
    for place in range(PACK_SIZE):
        from_top = (place + cut) % PACK_SIZE
        pack[place] = piles[STACK_ORDER[from_top // HAND_SIZE], from_top % HAND_SIZE]


@kernel
def deal_packets(pack: Ints, hands: Ints) -> None:
    """Deal 52 cards in packets of 5, 5 and 3 from the dealer's left (TO-9).

    Args:
        pack: card ids, int64[52], top first.
        hands: output, printed masks, int64[4].
    """
    hands[:] = 0
    place = 0
    for size in PACKETS:
        for hand in DEAL_ORDER:
            for _ in range(size):
                hands[hand] |= 1 << pack[place]
                place += 1


@kernel
def expose_at_random(dummy: int, rng: np.random.Generator) -> int:
    """Six of dummy's 13 cards as a printed mask, every choice as likely as any other (TO-3)."""
    exposed = 0
    wanted = EXPOSED
    left = HAND_SIZE
    rest = dummy
    while wanted:
        card = rest & -rest
        rest ^= card
        if rng.random() * left < wanted:
            exposed |= card
            wanted -= 1
        left -= 1
    return exposed


@kernel
def sort_hand(hand: int, rank_descending: int, rng: np.random.Generator, pile: Ints) -> None:
    """Sort a hand for a goulash (TO-11): suits in a random order, cards of a suit too or from the highest down.

    Args:
        hand: printed mask of 13 cards.
        rank_descending: the option.
        pile: output, card ids [13] from the top.
    """
    place = 0
    suits_left = 0b1111
    for count in range(HANDS, 0, -1):
        suit = lowest_index(nth_bit(suits_left, int(rng.random() * count)))
        suits_left ^= 1 << suit
        first = place
        for rank in range(12, -1, -1):
            card = 13 * suit + rank
            if hand >> card & 1:
                pile[place] = card
                place += 1
        if not rank_descending:
            shuffle_cards(pile[first:], place - first, rng)


@kernel
def draw_cut(rules: Ints, rng: np.random.Generator) -> int:
    """Where the stack is cut (TO-11): by the option in `rules`, int64[12], or with four cards at least in each part."""
    if rules[CUT] != ANYWHERE:
        fixed: int = rules[CUT]
        return fixed
    return SMALLEST_PART + int(rng.random() * (PACK_SIZE - 2 * SMALLEST_PART + 1))


@kernel
def goulash(hands: Ints, rules: Ints, rng: np.random.Generator, piles: Ints, pack: Ints) -> int:
    """A whole goulash: sort, stack, cut, deal (TO-9 .. TO-11).

    Args:
        hands: printed masks [4], changed.
        rules: the rules, from `TowieOptions.rules`.
        piles: output, the sorted hands, card ids [4, 13].
        pack: output, the stack after the cut, card ids [52].

    Returns:
        the cut.
    """
    for hand in range(HANDS):
        sort_hand(hands[hand], rules[RANK_DESCENDING], rng, piles[hand])
    cut = draw_cut(rules, rng)
    stack_piles(piles, cut, pack)
    deal_packets(pack, hands)
    return cut


# ----------------------------------------------------------------------------------------------------- friendly side


def check_pack(pack: Sequence[int]) -> None:
    """Refuse a pack that is not the 52 cards in some order.

    Raises:
        CardError: how many cards there are, or which one is missing or strange.
    """
    if len(pack) != PACK_SIZE:
        raise CardError(f"a pack of {len(pack)} cards; expected {PACK_SIZE}")
    seen = 0
    for card in pack:
        if not 0 <= card < PACK_SIZE:
            raise CardError(f"card {card} in the pack does not exist; expected 0 to {PACK_SIZE - 1}")
        if seen >> card & 1:
            raise CardError(f"{card_text(card)} stands twice in the pack; expected every card once")
        seen |= 1 << card


def check_exposed(exposed: int, dummy: int) -> None:
    """Refuse cards that are not six of dummy's.

    Raises:
        CardError: how many there are, or which one dummy does not hold.
    """
    strange = exposed & ~dummy
    if strange:
        card = card_text((strange & -strange).bit_length() - 1)
        raise CardError(f"{card} is not among dummy's cards; expected {EXPOSED} of them")
    if exposed.bit_count() != EXPOSED:
        raise CardError(f"{exposed.bit_count()} exposed cards; expected {EXPOSED}")


def check_pile(pile: Sequence[int], hand: int, rank_descending: bool) -> None:
    """Refuse a pile that is not the hand sorted by suit.

    Raises:
        CardError: not the cards of the hand.
        IllegalAction: a suit in several parts, or out of rank order where the option asks for it.
    """
    if len(pile) != HAND_SIZE or any(not 0 <= card < PACK_SIZE for card in pile):
        raise CardError(f"a sorted hand of {len(pile)} cards; expected the {HAND_SIZE} cards of the hand")
    if cards_mask(pile) != hand & DECK_52:
        raise CardError("a sorted hand with other cards than were held; expected the same cards")
    suits = [suit_of(card) for card in pile]
    changes = sum(a != b for a, b in pairwise(suits))
    if changes != len(set(suits)) - 1:
        raise IllegalAction("a hand is not sorted by suit; expected the cards of a suit together", "TO-9")
    if rank_descending and any(suit_of(a) == suit_of(b) and a < b for a, b in pairwise(pile)):
        raise IllegalAction("a hand is not sorted by rank; expected each suit from the highest down", "TO-11")


def check_cut(cut: int, fixed: int | None) -> None:
    """Refuse a cut that leaves fewer than four cards, or is not the one the option asks for.

    Raises:
        IllegalAction: what was expected.
    """
    if fixed is not None:
        if cut != fixed:
            raise IllegalAction(f"cut at {cut}; expected {fixed} by the option goulash_cut", "TO-11")
    elif not SMALLEST_PART <= cut <= PACK_SIZE - SMALLEST_PART:
        last = PACK_SIZE - SMALLEST_PART
        raise IllegalAction(f"cut at {cut}; expected {SMALLEST_PART} to {last}, four cards in each part", "TO-11")


LEADER: Final = 1
TRICKS: Final = 13


@kernel
def hand_at(position: int, declarer: int) -> int:
    """The hand (0 dealer's, 1 left, 2 right, 3 dummy's) at a position of the play, when that caller is declarer."""
    if position == 2:
        return DUMMY
    step = 0 if position == 0 else 1 if position == 1 else 2
    return (declarer + step) % CALLERS


@kernel
def caller_at(position: int, declarer: int) -> int:
    """Return the caller who chooses the card at a position: declarer plays dummy's hand as well."""
    return declarer if position == 2 else hand_at(position, declarer)


@kernel
def legal_cards(hand: int, led: int, strain: int) -> int:
    """Return the cards of a printed hand that may be played.

    Args:
        hand: printed mask, not empty.
        led: printed mask of the card led, 0 for the leader.
        strain: trump suit 0..3 or `NO_TRUMP`.
    """
    if led == 0:
        return hand
    field = field_of(to_play_order(led, strain, False), trump_field(strain))
    return to_printed(legal_followers(to_play_order(hand, strain, False), field), strain, False)


@kernel
def trick_winner(cards: Ints, leader: int, strain: int) -> int:
    """Return the position that wins a trick of four.

    Args:
        cards: printed masks of one card [4], by position.
        leader: position that led.
        strain: trump suit 0..3 or `NO_TRUMP`.
    """
    trumps = trump_field(strain)
    winner = leader
    best = to_play_order(cards[leader], strain, False)
    for step in range(1, HANDS):
        position = (leader + step) % HANDS
        card = to_play_order(cards[position], strain, False)
        if beats(card, best, trumps):
            winner = position
            best = card
    return winner
