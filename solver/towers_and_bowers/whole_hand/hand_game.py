"""One hand of Towers & Bowers as a game of hidden information: its cards, contracts and information sets as tables.

The up-card is public, so every up-card is a game of its own; renaming suits leaves six of them, one a rank, with a
spade turned up. The whole hand is in it: both rounds of bidding, the dealer's hidden discard, the play. The option
`allow_discard_upcard` stays off (TB-11), hence the dealer surely holds the up-card until it is played; hidden are the
dealer's other cards and the discard.

Cards are numbered 0..22 in printed order without the up-card, which is 23. What a player can hold is numbered too: the
sets of m of the 23 cards, m <= 3, in lexicographic order. A *history* is the cards played so far, in base 24.
"""

from __future__ import annotations

import itertools
import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.arrays import Floats, Ints
from games.cards import DECK_24, TRUMP_FIELD, mask_cards, to_play_order
from games.errors import TowerlabError
from games.jit import kernel, lean_kernel
from games.towers_and_bowers.rules import hand_result, result_value
from games.tricks import field_of, leader_wins

Floats32 = NDArray[np.float32]

LARGEST_SOLVED: Final = 3
OTHERS: Final = 23  # cards that are not the up-card
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


class HandGame(NamedTuple):
    """The tables that kernels read.

    Attributes:
        cards: hand size n.
        sets: int64[4], how many sets of m cards there are.
        set_masks: int64[4, most], the cards of each set as bits 0..22.
        members: int64[4, most, 3], its cards in rising order.
        join: int64[3, most, 23], number of the set with one more card, -1 if the card is in it already.
        place: int64[3, most, 23], where that card then stands among the members.
        fields: int64[8, 24], the field 1..4 that a card follows in each contract; 4 are trumps with both bowers.
        nondealer_wins: float64[8, 2, 24, 23], 1 where the non-dealer's card (last axis) takes the trick against the
            dealer's, by who leads; 0 also for twice the same card.
        last_payoffs: float64[8, 2, n, 2, 24, 24], the non-dealer's payoff by contract, by who leads to the last trick,
            by the tricks that the non-dealer has by then, by whose card the first of the two cards is, and by the two
            cards; 0 for twice the same card, and for a non-dealer with the up-card.
        kept: int64[most, 3], number of the set that is left when the dealer discards each member of a set of n.
        dealt: float64[most], 1 for the sets of n cards that can be dealt; 0 for those beyond a smaller pack.
        payoffs: float64[8, n + 1], the non-dealer's P(win the tower) by tricks taken.
        node_starts: int64[8, nodes], where the block of a history's information sets begins in the arrays of play;
            -1 for what is no decision.
        depth_starts: int64[6], where histories of each length begin among the nodes.
        play_size: how long the arrays of play are.
        uses_mirror: whether of two histories, hands or contracts that differ by swapping diamonds and hearts only one
            is stored and worked on.
        mirror_card: int64[24], the card with diamonds and hearts swapped.
        mirror_set: int64[4, most], the set of those cards.
        mirror_place: int64[4, most, 3], where each member's image stands in it.
    """

    cards: int
    sets: Ints
    set_masks: Ints
    members: Ints
    join: Ints
    place: Ints
    fields: Ints
    nondealer_wins: Floats
    last_payoffs: Floats
    kept: Ints
    dealt: Floats
    payoffs: Floats
    node_starts: Ints
    depth_starts: Ints
    play_size: int
    uses_mirror: bool
    mirror_card: Ints
    mirror_set: Ints
    mirror_place: Ints


class PlayPlaces(NamedTuple):
    """Of a `HandGame`, what it takes to find where a strategy's play is stored: for players, who need no more.

    The fields are those of `HandGame`, in whose place kernels that read a strategy take it.
    """

    join: Ints
    node_starts: Ints
    uses_mirror: bool


def hand_game(
    cards: int,
    up_rank: int,
    next_deal: float,
    tie_to_bidder: bool = False,
    pack: int = DECK_24,
    mirror: bool = False,
) -> HandGame:
    """The tables of one hand size and up-card.

    Args:
        cards: hand size n, 1..3.
        up_rank: printed rank of the up-card, 7..12 for 9..A.
        next_deal: W(n - 1); any number at n = 1.
        tie_to_bidder: option `tie_to`.
        pack: printed mask of a smaller pack, for tests.
        mirror: work on one of two mirrored information states only: half the time and memory.

    Raises:
        TowerlabError: a hand size that is not solved.
    """
    if not 1 <= cards <= LARGEST_SOLVED:
        raise TowerlabError(f"hands of {cards} cards are not solved exactly; expected 1..{LARGEST_SOLVED}")
    numbers = card_numbers(up_rank)
    fields = np.zeros((CONTRACTS, CARDS), dtype=np.int64)
    wins = np.zeros((CONTRACTS, 2, CARDS, OTHERS))
    payoffs = np.zeros((CONTRACTS, cards + 1))
    for contract in range(CONTRACTS):
        play = [int(to_play_order(1 << card, trump_of(contract), True)) for card in numbers]
        fields[contract] = [int(field_of(card, TRUMP_FIELD)).bit_length() // 13 for card in play]
        for dealers, nondealers in itertools.permutations(range(CARDS), 2):
            if nondealers != UP_CARD:
                takes = leader_wins(play[nondealers], play[dealers], TRUMP_FIELD)
                wins[contract, NONDEALER, dealers, nondealers] = takes
                takes = not leader_wins(play[dealers], play[nondealers], TRUMP_FIELD)
                wins[contract, DEALER, dealers, nondealers] = takes
        payoffs[contract] = [_payoff(contract, cards, tricks, next_deal, tie_to_bidder) for tricks in range(cards + 1)]
    sets = _sets_of_cards()
    missing = sum(1 << place for place, card in enumerate(numbers[:OTHERS]) if not pack >> card & 1)
    dealt = np.where(sets[1][cards, : sets[0][cards]] & missing, 0.0, 1.0)
    depth_starts = np.array([depth_start(depth) for depth in range(2 * LARGEST_SOLVED)])
    nodes = int(depth_starts[2 * (cards - 1)])
    node_starts = np.full((CONTRACTS, max(nodes, 1)), -1, dtype=np.int64)
    size = 0
    for contract in range(CONTRACTS):
        size = _number_decisions(
            cards, contract, mirror, wins[contract], sets[0], depth_starts, node_starts[contract], size
        )
    return HandGame(
        cards,
        *sets,
        fields,
        wins,
        _last_payoffs(wins, payoffs),
        _kept(cards, *sets[:3]),
        dealt,
        payoffs,
        node_starts,
        depth_starts,
        int(size),
        mirror,
        *_mirror(*sets[:3]),
    )


def card_numbers(up_rank: int) -> list[int]:
    """The printed cards behind the numbers 0..23 when the spade of that rank is turned up."""
    up = 13 * UP_SUIT + up_rank
    return [card for card in mask_cards(DECK_24) if card != up] + [up]


def trump_of(contract: int) -> int:
    """The trump suit of a contract."""
    return UP_SUIT if contract <= DEALER_ACCEPTS else NAMED_SUITS[(contract - NONDEALER_NAMES) % 3]


def nondealer_bids(contract: int) -> bool:
    """Whether the non-dealer is the bidder of a contract."""
    return contract == NONDEALER_ACCEPTS or NONDEALER_NAMES <= contract < DEALER_NAMES


def deals(game: HandGame) -> int:
    """How many pairs of hands there are beside the up-card."""
    hands = int(game.dealt.sum())
    pack = next(size for size in range(OTHERS + 1) if math.comb(size, game.cards) == hands)
    return hands * math.comb(pack - game.cards, game.cards)


def _last_payoffs(wins: Floats, payoffs: Floats) -> Floats:
    """`HandGame.last_payoffs` from the tricks that the non-dealer's cards win and the payoffs by tricks taken."""
    cards = payoffs.shape[1] - 1
    table = np.zeros((CONTRACTS, 2, cards, 2, CARDS, CARDS))
    different = np.arange(CARDS)[:, None] != np.arange(OTHERS)
    for tricks in range(cards):
        lost, won = payoffs[:, tricks, None, None, None], payoffs[:, tricks + 1, None, None, None]
        ends = np.where(different, np.where(wins > 0, won, lost), 0.0)
        table[:, :, tricks, DEALER, :, :OTHERS] = ends
        table[:, :, tricks, NONDEALER, :OTHERS, :] = ends.swapaxes(2, 3)
    return table


def _payoff(contract: int, cards: int, tricks: int, next_deal: float, tie_to_bidder: bool) -> float:
    bids = nondealer_bids(contract)
    result = hand_result(cards, tricks if bids else cards - tricks, tie_to_bidder)
    return float(result_value(result, bids, next_deal))


def _sets_of_cards() -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """`sets`, `set_masks`, `members`, `join`, `place` of `HandGame`."""
    listed = [list(itertools.combinations(range(OTHERS), size)) for size in range(LARGEST_SOLVED + 1)]
    most = len(listed[-1])
    number = {members: place for of_size in listed for place, members in enumerate(of_size)}
    masks = np.zeros((LARGEST_SOLVED + 1, most), dtype=np.int64)
    members = np.zeros((LARGEST_SOLVED + 1, most, LARGEST_SOLVED), dtype=np.int64)
    join = np.full((LARGEST_SOLVED, len(listed[-2]), OTHERS), -1, dtype=np.int64)
    place = np.zeros_like(join)
    for size, of_size in enumerate(listed):
        for index, held in enumerate(of_size):
            masks[size, index] = sum(1 << card for card in held)
            members[size, index, :size] = held
            for card in set(range(OTHERS)) - set(held) if size < LARGEST_SOLVED else ():
                joined = tuple(sorted((*held, card)))
                join[size, index, card] = number[joined]
                place[size, index, card] = joined.index(card)
    return np.array([len(of_size) for of_size in listed]), masks, members, join, place


def _mirror(sets: Ints, masks: Ints, members: Ints) -> tuple[Ints, Ints, Ints]:
    """`mirror_card`, `mirror_set`, `mirror_place` of `HandGame`."""
    cards = np.array([mirrored_card(card) for card in range(CARDS)])
    images, places = np.zeros_like(masks), np.zeros_like(members)
    for size in range(len(sets)):
        number = {int(mask): place for place, mask in enumerate(masks[size, : sets[size]])}
        for index in range(int(sets[size])):
            image = cards[members[size, index, :size]]
            images[size, index] = number[sum(1 << card for card in image.tolist())]
            places[size, index, :size] = np.searchsorted(np.sort(image), image)
    return cards, images, places


def _kept(cards: int, sets: Ints, masks: Ints, members: Ints) -> Ints:
    number = {int(mask): place for place, mask in enumerate(masks[cards - 1, : sets[cards - 1]])}
    kept = np.zeros((int(sets[cards]), cards), dtype=np.int64)
    for hand, entry in np.ndindex(kept.shape):
        kept[hand, entry] = number[int(masks[cards, hand] & ~(1 << members[cards, hand, entry]))]
    return kept


@kernel
def _number_decisions(
    cards: int,
    contract: int,
    mirror: bool,
    wins: Floats,
    sets: Ints,
    depth_starts: Ints,
    starts: Ints,
    size: int,
) -> int:
    """Give every history of one contract that is a decision its block; returns the size reached.

    A block holds, for each set of hidden cards of who is to play, one row a card that could be played (the members in
    order, then the up-card while it is held) with one entry, or one a discard for a dealer who took the up-card.
    """
    lengths = 2 * (cards - 1)
    has_discard = contract <= DEALER_ACCEPTS
    for depth in range(lengths):
        for history in range(CARDS**depth):
            if mirror and is_mirrored(contract, depth, history):
                continue
            actor, hidden, holds_up_card = who_plays(cards, has_discard, wins, depth, history)
            if actor < 0:
                continue
            discards = OTHERS if has_discard and actor == DEALER else 1
            starts[depth_starts[depth] + history] = size
            size += sets[hidden] * discards * (hidden + holds_up_card)
    return size


@lean_kernel
def depth_start(depth: int) -> int:
    """Where histories of so many cards begin among the nodes."""
    return int((CARDS**depth - 1) // (CARDS - 1))


@lean_kernel
def mirrored_card(card: int) -> int:
    """The card with diamonds and hearts swapped."""
    if FIRST_DIAMOND <= card < FIRST_HEART:
        return card + FIRST_HEART - FIRST_DIAMOND
    return card - (FIRST_HEART - FIRST_DIAMOND) if FIRST_HEART <= card < FIRST_SPADE else card


@kernel
def is_own_image(contract: int, seen: int) -> bool:
    """Whether swapping diamonds and hearts changes nothing about a contract and the cards played so far."""
    if seen & OFF_COLOUR:
        return False
    return contract in (NONDEALER_ACCEPTS, DEALER_ACCEPTS, NONDEALER_NAMES, DEALER_NAMES)


@kernel
def is_mirrored(contract: int, depth: int, history: int) -> bool:
    """Whether the mirror image of a history stands for it: hearts are trumps, or come before diamonds."""
    if contract in (NONDEALER_NAMES + 1, DEALER_NAMES + 1):
        return False
    if contract in (NONDEALER_NAMES + 2, DEALER_NAMES + 2):
        return True
    for turn in range(depth):
        card = history // CARDS ** (depth - 1 - turn) % CARDS
        if FIRST_DIAMOND <= card < FIRST_SPADE:
            return bool(card >= FIRST_HEART)
    return False


@lean_kernel
def stored_block(places: HandGame | PlayPlaces, contract: int, depth: int, history: int) -> tuple[int, bool]:
    """Where the information sets of a history are stored, and whether as those of its mirror image."""
    mirrored = places.uses_mirror and is_mirrored(contract, depth, history)
    if mirrored:
        image = 0
        for turn in range(depth):
            image = image * CARDS + mirrored_card(history // CARDS ** (depth - 1 - turn) % CARDS)
        history = image
        contract -= 1 if contract in (NONDEALER_NAMES + 2, DEALER_NAMES + 2) else 0
    return places.node_starts[contract, depth_start(depth) + history], mirrored


@kernel
def who_plays(cards: int, has_discard: bool, wins: Floats, depth: int, history: int) -> tuple[int, int, int]:
    """(player, number of that player's hidden cards, 1 if holding the up-card besides); player -1 for no such history.

    Args:
        cards: hand size n.
        has_discard: whether the contract is the up-card's suit.
        wins: float64[2, 24, 23], `HandGame.nondealer_wins` of the contract.
        depth: cards played, fewer than 2n.
        history: those cards in base 24, the first one most significant.
    """
    leader, seen, up_card_held = NONDEALER, 0, 1 if has_discard else 0
    hidden_nondealer, hidden_dealer = cards, cards - up_card_held
    led = -1
    for turn in range(depth):
        card = history // CARDS ** (depth - 1 - turn) % CARDS
        actor = leader if turn % 2 == 0 else 1 - leader
        if seen >> card & 1 or (card == UP_CARD and not (actor == DEALER and up_card_held)):
            return -1, 0, 0
        seen |= 1 << card
        if actor == NONDEALER:
            hidden_nondealer -= 1
        elif card == UP_CARD:
            up_card_held = 0
        else:
            hidden_dealer -= 1
        if hidden_dealer < 0:
            return -1, 0, 0
        if turn % 2 == 0:
            led = card
        elif leader == NONDEALER:
            leader = NONDEALER if wins[NONDEALER, card, led] > 0.0 else DEALER
        else:
            leader = NONDEALER if wins[DEALER, led, card] > 0.0 else DEALER
    actor = leader if depth % 2 == 0 else 1 - leader
    if actor == NONDEALER:
        return NONDEALER, hidden_nondealer, 0
    return DEALER, hidden_dealer, up_card_held
