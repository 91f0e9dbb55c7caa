"""Which arrays describe one hand of Towers & Bowers, a game of hidden information? Those of its cards, contracts and
payoffs.

The up-card is public, so every up-card is a game of its own; renaming suits leaves six of them, one a rank, with a
spade turned up. The whole hand is in it: both rounds of bidding, the dealer's hidden discard, the play. The option
`allow_discard_upcard` stays off (TB-11), hence the dealer surely holds the up-card until it is played; hidden are the
dealer's other cards and the discard.

Cards are numbered 0..22 in printed order without the up-card, which is 23. The sets of m of the 23 cards, m <= 4, are
numbered too, in lexicographic order. A *history* is the cards played so far, in base 24.

`who_plays` says whose turn it is after a history, and what that player may still hold.

>>> trump_of(NONDEALER_NAMES), bool(nondealer_bids(DEALER_NAMES))
(0, False)
"""

import math
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import popcount
from towerlab.games.cards import DECK_24, mask_cards
from towerlab.games.jit import kernel, lean_kernel

LARGEST_SOLVED: Final = 4
LARGEST_PLAYED: Final = 3  # whose play players read and best responses measure: of larger hands it takes 10 GB
OTHER_CARDS: Final = 23  # cards that are not the up-card
UP_CARD: Final = 23  # its number
CARDS: Final = 24
FIRST_DIAMOND: Final = 6
FIRST_HEART: Final = 12
FIRST_SPADE: Final = 18
OFF_COLOUR: Final = (1 << FIRST_SPADE) - (1 << FIRST_DIAMOND)  # as bits: the two suits that the mirror swaps
UP_SUIT: Final = 3  # spades
TRUMPS: Final = 4  # the field of trumps
UP_RANKS: Final = (7, 8, 9, 10, 11, 12)  # 9 T J Q K A, as printed ranks

NONDEALER: Final = 0
DEALER: Final = 1

# Contracts, in the order of the bidding; the suits that can be named are clubs, diamonds, hearts.
NONDEALER_ACCEPTS: Final = 0
DEALER_ACCEPTS: Final = 1
NONDEALER_NAMES: Final = 2  # 2, 3, 4
DEALER_NAMES: Final = 5  # 5, 6, 7
CONTRACTS: Final = 8
NAMED_SUITS: Final = (0, 1, 2)

DEPTH_STARTS: Final = np.cumsum([0, *(CARDS**depth for depth in range(2 * LARGEST_SOLVED - 1))])  # among the nodes
MIRRORED: Final = np.array([*range(6), *range(12, 18), *range(6, 12), *range(18, 24)])  # diamonds and hearts swapped

# [the up-card's suit, a suit]: its number once the up-card is a spade, and back. The suit of the same colour becomes
# clubs, the lower of the others diamonds.
RENAMED_SUITS: Final = np.array([(3, 1, 2, 0), (1, 3, 0, 2), (1, 0, 3, 2), (0, 1, 2, 3)])
REAL_SUITS: Final = np.argsort(RENAMED_SUITS, axis=1)


class HandGame(NamedTuple):
    """The tables that kernels read.

    Attributes:
        cards: hand size n.
        sets: int64[5], how many sets of m cards there are.
        set_masks: int64[5, most], the cards of each set as bits 0..22.
        members: int64[5, most, 4], its cards in rising order.
        join: int64[4, most, 23], number of the set with one more card, -1 if the card is in it already.
        fields: int64[8, 24], the field 1..4 that a card follows in each contract; 4 are trumps with both bowers.
        field_masks: int64[8, 5], the cards of each field as bits.
        nondealer_wins: float64[8, 2, 24, 23], 1 where the non-dealer's card (last axis) takes the trick against the
            dealer's, by who leads; 0 also for twice the same card.
        last_payoffs: float64[8, 2, n, 2, 24, 24], the non-dealer's payoff by contract, by who leads to the last trick,
            by the tricks that the non-dealer has by then, by whose card the first of the two cards is, and by the two
            cards; 0 for twice the same card, and for a non-dealer with the up-card.
        sets_left: int64[most, n], number of the set that is left when the dealer discards each member of a set of n.
        dealt: float64[most], 1 for the sets of n cards that can be dealt; 0 for those beyond a smaller pack.
        payoffs: float64[8, n + 1], the non-dealer's P(win the tower) by tricks taken.
        node_starts: int64[8, nodes], where the block of a history's information sets begins in the arrays of play;
            -1 for what is no decision.
        play_size: the length of the arrays of play.
        last_start: the place in them where the blocks of the last decision begin, with two actions if it is stored.
        uses_mirror: whether of two histories, hands or contracts that differ by swapping diamonds and hearts only one
            is stored and worked on.
        mirror_set: int64[5, most], the set with diamonds and hearts swapped.
        leader: the player who leads first.
        seen: the cards as bits that nobody can hold, 0 for a whole hand; the up-card among them where it was played.
        leads: the cards as bits that have to be led first by who holds one, 0 where all may.
        line, line_cards: cards that are played first, in base 24, and how many: passes walk past nothing else.
    """

    cards: int
    sets: Ints
    set_masks: Ints
    members: Ints
    join: Ints
    fields: Ints
    field_masks: Ints
    nondealer_wins: Floats
    last_payoffs: Floats
    sets_left: Ints
    dealt: Floats
    payoffs: Floats
    node_starts: Ints
    play_size: int
    last_start: int
    uses_mirror: bool
    mirror_set: Ints
    leader: int = NONDEALER
    seen: int = 0
    leads: int = 0
    line: int = 0
    line_cards: int = 0


class PlayPlaces(NamedTuple):
    """The fields of a `HandGame` that say where a strategy's play is stored; players need no more.

    The fields are those of `HandGame`, in whose place kernels that read a strategy take it.
    """

    fields: Ints
    field_masks: Ints
    nondealer_wins: Floats
    node_starts: Ints
    uses_mirror: bool
    leader: int = NONDEALER
    seen: int = 0
    leads: int = 0


def card_numbers(up_rank: int) -> list[int]:
    """Return the printed cards behind the numbers 0..23 when the spade of that rank is turned up."""
    up = 13 * UP_SUIT + up_rank
    return [card for card in mask_cards(DECK_24) if card != up] + [up]


def trump_of(contract: int) -> int:
    """Return the trump suit of a contract."""
    return UP_SUIT if contract <= DEALER_ACCEPTS else NAMED_SUITS[(contract - NONDEALER_NAMES) % 3]


@kernel
def nondealer_bids(contract: int) -> bool:
    """Return whether the non-dealer is the bidder of a contract."""
    return bool(contract == NONDEALER_ACCEPTS or NONDEALER_NAMES <= contract < DEALER_NAMES)


def count_deals(game: HandGame) -> int:
    """Return how many pairs of hands there are beside the up-card."""
    hands = int(game.dealt.sum())
    pack = next(size for size in range(OTHER_CARDS + 1) if math.comb(size, game.cards) == hands)
    return hands * math.comb(pack - game.cards, game.cards)


@lean_kernel
def mirrored_cards(cards: int) -> int:
    """Return a set of cards as bits with diamonds and hearts swapped."""
    width = FIRST_HEART - FIRST_DIAMOND
    suit = (1 << width) - 1
    diamonds = cards >> FIRST_DIAMOND & suit
    hearts = cards >> FIRST_HEART & suit
    return (cards & ~OFF_COLOUR) | diamonds << FIRST_HEART | hearts << FIRST_DIAMOND


@lean_kernel
def place_in_set(card: int, held: int) -> int:
    """Return where a card stands among those of a set."""
    return popcount(held & (1 << card) - 1)


@kernel
def is_own_image(contract: int, seen: int) -> bool:
    """Return whether swapping diamonds and hearts changes nothing about a contract and the cards played so far."""
    if seen & OFF_COLOUR:
        return False
    return contract in (NONDEALER_ACCEPTS, DEALER_ACCEPTS, NONDEALER_NAMES, DEALER_NAMES)


@kernel
def is_mirrored(contract: int, depth: int, history: int) -> bool:
    """Return whether the mirror image of a history stands for it: hearts are trumps, or come before diamonds."""
    if contract in (NONDEALER_NAMES + 1, DEALER_NAMES + 1):
        return False
    if contract in (NONDEALER_NAMES + 2, DEALER_NAMES + 2):
        return True
    for turn in range(depth):
        card = history // CARDS ** (depth - 1 - turn) % CARDS
        if FIRST_DIAMOND <= card < FIRST_SPADE:
            return bool(card >= FIRST_HEART)
    return False


class Turn(NamedTuple):
    """The player whose turn it is after some cards, and what that player may still hold.

    Attributes:
        player: -1 where the cards cannot have been played so: twice the same, or a suit after showing out of it.
        hidden: the number of hidden cards that the player has.
        holds_up_card: 1 if the player holds it besides.
        allowed: cards as bits that the player may have held when the trick began, without the up-card.
        unseen: the hidden cards that nobody had played by then.
    """

    player: int
    hidden: int
    holds_up_card: int
    allowed: int
    unseen: int


class _Replay(NamedTuple):
    """What the cards played so far tell.

    Attributes:
        leader: the leader of the trick.
        seen: cards that have been played, or that nobody holds, as bits.
        unseen, nondealers, dealers: hidden cards that nobody had played when the trick began, and those that each may
            have held then.
        holds_up_card: 1 if the dealer holds it.
        nondealer_left, dealer_left: the number of hidden cards that each has.
    """

    leader: int
    seen: int
    unseen: int
    nondealers: int
    dealers: int
    holds_up_card: int
    nondealer_left: int
    dealer_left: int


@lean_kernel
def who_plays(places: HandGame | PlayPlaces, cards: int, contract: int, depth: int, history: int) -> Turn:
    """Return the turn after a history.

    Args:
        places: the arrays from which fields and winners are read.
        cards: hand size n.
        contract: the number of the contract, 0..7.
        depth: the number of cards played, fewer than 2n.
        history: those cards in base 24, the first one most significant.
    """
    nobody = Turn(-1, 0, 0, 0, 0)
    state = _before_play(places, cards, contract)
    led = -1
    for turn in range(depth):
        card = history // CARDS ** (depth - 1 - turn) % CARDS
        player = state.leader if turn % 2 == 0 else 1 - state.leader
        if not _may_play(state, player, card) or (turn == 0 and places.leads and not places.leads >> card & 1):
            return nobody
        state = _play_card(state, player, card)
        if state.dealer_left < 0:
            return nobody
        if turn % 2 == 0:
            led = card
            continue
        void = 0
        if places.fields[contract, card] != places.fields[contract, led]:
            void = places.field_masks[contract, places.fields[contract, led]]
        if player == DEALER and state.holds_up_card and void >> UP_CARD & 1:
            return nobody
        state = _close_trick(places, contract, state, led, card, void)
    player = state.leader if depth % 2 == 0 else 1 - state.leader
    if player == NONDEALER:
        return Turn(NONDEALER, state.nondealer_left, 0, state.nondealers, state.unseen)
    return Turn(DEALER, state.dealer_left, state.holds_up_card, state.dealers, state.unseen)


@lean_kernel
def _before_play(places: HandGame | PlayPlaces, cards: int, contract: int) -> _Replay:
    holds = 1 if contract <= DEALER_ACCEPTS and not places.seen >> UP_CARD & 1 else 0
    hidden = (1 << OTHER_CARDS) - 1 & ~places.seen
    return _Replay(places.leader, places.seen, hidden, hidden, hidden, holds, cards, cards - holds)


@lean_kernel
def _may_play(state: _Replay, player: int, card: int) -> bool:
    """Return whether no card played so far excludes that the player holds this one."""
    if player == NONDEALER:
        held = state.nondealers
    else:
        held = state.dealers | state.holds_up_card << UP_CARD
    return held & ~state.seen & 1 << card != 0


@lean_kernel
def _play_card(state: _Replay, player: int, card: int) -> _Replay:
    """Once the player has played a card: one hidden card fewer, or no up-card any more."""
    plays_up_card = player == DEALER and card == UP_CARD
    return _Replay(
        state.leader,
        state.seen | 1 << card,
        state.unseen,
        state.nondealers,
        state.dealers,
        0 if plays_up_card else state.holds_up_card,
        state.nondealer_left - (player == NONDEALER),
        state.dealer_left - (player == DEALER and not plays_up_card),
    )


@lean_kernel
def _close_trick(
    places: HandGame | PlayPlaces, contract: int, state: _Replay, led: int, reply: int, void: int
) -> _Replay:
    """Once both have played to the trick; the player of the reply has none of `void`, cards as bits."""
    unseen = state.unseen & ~state.seen
    if state.leader == NONDEALER:
        wins = places.nondealer_wins[contract, NONDEALER, reply, led]
        nondealers = state.nondealers & unseen
        dealers = state.dealers & unseen & ~void
    else:
        wins = places.nondealer_wins[contract, DEALER, led, reply]
        nondealers = state.nondealers & unseen & ~void
        dealers = state.dealers & unseen
    return _Replay(
        NONDEALER if wins > 0.0 else DEALER,
        state.seen,
        unseen,
        nondealers,
        dealers,
        state.holds_up_card,
        state.nondealer_left,
        state.dealer_left,
    )
