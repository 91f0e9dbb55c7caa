"""One hand of Towers & Bowers as a game of hidden information: its cards, contracts and information sets as tables.

The up-card is public, so every up-card is a game of its own; renaming suits leaves six of them, one a rank, with a
spade turned up. The whole hand is in it: both rounds of bidding, the dealer's hidden discard, the play. The option
`allow_discard_upcard` stays off (TB-11), hence the dealer surely holds the up-card until it is played; hidden are the
dealer's other cards and the discard.

Cards are numbered 0..22 in printed order without the up-card, which is 23. What a player can hold is numbered too: the
sets of m of the 23 cards, m <= 4, in lexicographic order. A *history* is the cards played so far, in base 24.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index, popcount
from towerlab.games.cards import DECK_24, TRUMP_FIELD, mask_cards, to_play_order
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import kernel, lean_kernel
from towerlab.games.towers_and_bowers.rules import hand_result, result_value
from towerlab.games.tricks import field_of, leader_wins

Floats32 = NDArray[np.float32]

LARGEST_SOLVED: Final = 4
LARGEST_PLAYED: Final = 3  # whose play players read and best responses measure: of larger hands it takes 10 GB
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

DEPTH_STARTS: Final = np.cumsum([0, *(CARDS**depth for depth in range(2 * LARGEST_SOLVED - 1))])  # among the nodes
MIRRORED: Final = np.array([*range(6), *range(12, 18), *range(6, 12), *range(18, 24)])  # diamonds and hearts swapped


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
        play_size: how long the arrays of play are.
        last_start: where the blocks of the last decision begin in them, which has two actions wherever it is stored.
        uses_mirror: whether of two histories, hands or contracts that differ by swapping diamonds and hearts only one
            is stored and worked on.
        mirror_set: int64[5, most], the set with diamonds and hearts swapped.
        leader: who leads first.
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
    """Of a `HandGame`, what it takes to find where a strategy's play is stored: for players, who need no more.

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
        cards: hand size n, 1..4.
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
    payoffs = np.zeros((CONTRACTS, cards + 1))
    for contract, tricks in np.ndindex(payoffs.shape):
        payoffs[contract, tricks] = _payoff(contract, cards, tricks, next_deal, tie_to_bidder)
    trumps = {contract: trump_of(contract) for contract in range(CONTRACTS)}
    game = make_game(cards, dict(enumerate(numbers)), trumps, payoffs, mirror, LARGEST_SOLVED)
    missing = sum(1 << place for place, card in enumerate(numbers[:OTHERS]) if not pack >> card & 1)
    dealt = np.where(game.set_masks[cards, : game.sets[cards]] & missing, 0.0, 1.0)
    return game._replace(dealt=dealt, sets_left=_sets_left(game))


def make_game(
    cards: int,
    numbers: Mapping[int, int],
    trumps: Mapping[int, int],
    payoffs: Floats,
    mirror: bool,
    largest: int,
    leader: int = NONDEALER,
    seen: int = 0,
    leads: int = 0,
) -> HandGame:
    """The tables of some contracts; `sets_left` and `dealt` are those of no hand.

    Args:
        cards: hand size n.
        numbers: the printed cards by number.
        trumps: the trump suit of each contract.
        payoffs, leader, seen, leads: as of `HandGame`.
        mirror: as of `hand_game`.
        largest: of how many cards sets are listed at most.
    """
    fields, wins = np.zeros((CONTRACTS, CARDS), dtype=np.int64), np.zeros((CONTRACTS, 2, CARDS, OTHERS))
    for contract, trump in trumps.items():
        fill_rules(numbers, trump, fields[contract], wins[contract])
    nodes = max(int(DEPTH_STARTS[2 * (cards - 1)]), 1)
    node_starts = np.full((max(trumps) + 1, nodes), -1, dtype=np.int64)
    places = PlayPlaces(fields, field_masks(fields), wins, node_starts, mirror, leader, seen, leads)
    play_size, last_start = number_decisions(places, cards, min(trumps), max(trumps) + 1, node_starts)
    none = np.zeros((1, 1), dtype=np.int64)
    of = len(numbers) - (UP_CARD in numbers)
    return HandGame(
        cards,
        *sets_of_cards(of, largest),
        *places[:3],
        last_payoffs(wins, payoffs),
        none,
        np.ones(1),
        payoffs,
        node_starts,
        int(play_size),
        int(last_start),
        mirror,
        mirror_sets(largest) if of == OTHERS else none,
        leader,
        seen,
        leads,
    )


def card_numbers(up_rank: int) -> list[int]:
    """The printed cards behind the numbers 0..23 when the spade of that rank is turned up."""
    up = 13 * UP_SUIT + up_rank
    return [card for card in mask_cards(DECK_24) if card != up] + [up]


def trump_of(contract: int) -> int:
    """The trump suit of a contract."""
    return UP_SUIT if contract <= DEALER_ACCEPTS else NAMED_SUITS[(contract - NONDEALER_NAMES) % 3]


@kernel
def nondealer_bids(contract: int) -> bool:
    """Whether the non-dealer is the bidder of a contract."""
    return bool(contract == NONDEALER_ACCEPTS or NONDEALER_NAMES <= contract < DEALER_NAMES)


def deals(game: HandGame) -> int:
    """How many pairs of hands there are beside the up-card."""
    hands = int(game.dealt.sum())
    pack = next(size for size in range(OTHERS + 1) if math.comb(size, game.cards) == hands)
    return hands * math.comb(pack - game.cards, game.cards)


def last_payoffs(wins: Floats, payoffs: Floats) -> Floats:
    """Return `HandGame.last_payoffs`.

    Args:
        wins: float64[8, 2, 24, 23], `HandGame.nondealer_wins`.
        payoffs: float64[8, n + 1], `HandGame.payoffs`.

    Returns:
        float64[8, 2, n, 2, 24, 24].
    """
    cards = payoffs.shape[1] - 1
    table = np.zeros((CONTRACTS, 2, cards, 2, CARDS, CARDS))
    different = np.arange(CARDS)[:, None] != np.arange(OTHERS)
    for tricks in range(cards):
        lost, won = payoffs[:, tricks, None, None, None], payoffs[:, tricks + 1, None, None, None]
        ends = np.where(different, np.where(wins > 0, won, lost), 0.0)
        table[:, :, tricks, DEALER, :, :OTHERS] = ends
        table[:, :, tricks, NONDEALER, :OTHERS, :] = ends.swapaxes(2, 3)
    return table


def paying(game: HandGame, payoffs: Floats) -> HandGame:
    """Return the same game with other `HandGame.payoffs`, float64[8, n + 1]."""
    return game._replace(payoffs=payoffs, last_payoffs=last_payoffs(game.nondealer_wins, payoffs))


def _payoff(contract: int, cards: int, tricks: int, next_deal: float, tie_to_bidder: bool) -> float:
    bids = nondealer_bids(contract)
    result = hand_result(cards, tricks if bids else cards - tricks, tie_to_bidder)
    return float(result_value(result, bids, next_deal))


def fill_rules(numbers: Mapping[int, int], trump: int, fields: Ints, wins: Floats) -> None:
    """Write the rows of one contract of `HandGame.fields` and `HandGame.nondealer_wins`.

    Args:
        numbers: the printed cards by number.
        trump: the trump suit.
        fields, wins: int64[24] and float64[2, 24, 23], zeros.
    """
    play = {number: int(to_play_order(1 << card, trump, True)) for number, card in numbers.items()}
    for number, card in play.items():
        fields[number] = int(field_of(card, TRUMP_FIELD)).bit_length() // 13
    for dealers, nondealers in itertools.permutations(play, 2):
        if nondealers != UP_CARD:
            takes = leader_wins(play[nondealers], play[dealers], TRUMP_FIELD)
            wins[NONDEALER, dealers, nondealers] = takes
            takes = not leader_wins(play[dealers], play[nondealers], TRUMP_FIELD)
            wins[DEALER, dealers, nondealers] = takes


@functools.lru_cache(maxsize=64)
def sets_of_cards(cards: int, largest: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return `sets`, `set_masks`, `members`, `join` of `HandGame`, of so many cards beside the up-card.

    Args:
        cards: how many numbers there are, 23 of a whole hand.
        largest: of how many cards sets are listed at most.

    Returns:
        int64[5], int64[5, most], int64[5, most, 4], int64[4, .., 23]; `most` is the number of the largest sets.
    """
    listed = [list(itertools.combinations(range(cards), size)) for size in range(largest + 1)]
    most = len(listed[-1])
    number = {members: place for of_size in listed for place, members in enumerate(of_size)}
    masks = np.zeros((LARGEST_SOLVED + 1, most), dtype=np.int64)
    members = np.zeros((LARGEST_SOLVED + 1, most, LARGEST_SOLVED), dtype=np.int64)
    join = np.full((LARGEST_SOLVED, len(listed[max(largest - 1, 0)]), OTHERS), -1, dtype=np.int64)
    counts = np.zeros(LARGEST_SOLVED + 1, dtype=np.int64)
    for size, of_size in enumerate(listed):
        counts[size] = len(of_size)
        for index, held in enumerate(of_size):
            masks[size, index] = sum(1 << card for card in held)
            members[size, index, :size] = held
            for card in set(range(cards)) - set(held) if size < largest else ():
                join[size, index, card] = number[tuple(sorted((*held, card)))]
    return counts, masks, members, join


@functools.lru_cache(maxsize=4)
def mirror_sets(largest: int) -> Ints:
    """int64[5, most]: `HandGame.mirror_set`, of sets of so many cards at most."""
    sets, masks = sets_of_cards(OTHERS, largest)[:2]
    images = np.zeros_like(masks)
    for size, count in enumerate(sets):
        number = {int(mask): place for place, mask in enumerate(masks[size, :count])}
        images[size, :count] = [number[mirrored_cards(mask)] for mask in number]
    return images


def _sets_left(game: HandGame) -> Ints:
    """`HandGame.sets_left`."""
    cards, numbers = game.cards, np.zeros((int(game.sets[game.cards]), game.cards), dtype=np.int64)
    number = {int(mask): place for place, mask in enumerate(game.set_masks[cards - 1, : game.sets[cards - 1]])}
    for hand, entry in np.ndindex(numbers.shape):
        numbers[hand, entry] = number[int(game.set_masks[cards, hand] & ~(1 << game.members[cards, hand, entry]))]
    return numbers


def field_masks(fields: Ints) -> Ints:
    """int64[8, 5]: `HandGame.field_masks` from `HandGame.fields`, int64[8, 24]."""
    masks = np.zeros((CONTRACTS, TRUMPS + 1), dtype=np.int64)
    for contract, card in np.ndindex(fields.shape):
        masks[contract, fields[contract, card]] |= 1 << card
    return masks


@kernel
def number_decisions(places: PlayPlaces, cards: int, first: int, past: int, starts: Ints) -> tuple[int, int]:
    """Give every history that is a decision its block, by depth; (size of all, where those of the last depth begin).

    Args:
        places: where they are written.
        cards: hand size n.
        first, past: of the contracts that are numbered.
        starts: `places.node_starts`, -1 everywhere.
    """
    groups = np.zeros((LARGEST_SOLVED + 1, 3), dtype=np.int64)
    size = last = 0
    for depth in range(2 * (cards - 1)):
        last = size
        for contract in range(first, past):
            for history in range(CARDS**depth):
                if places.uses_mirror and is_mirrored(contract, depth, history):
                    continue
                turn = who_plays(places, cards, contract, depth, history)
                if turn.player >= 0:
                    starts[contract, DEPTH_STARTS[depth] + history] = size
                    rows = rows_of(contract, turn.player, turn.unseen)
                    led = led_cards(places, contract, depth, history)
                    size += find_groups(turn.hidden, turn.holds_up_card, turn.allowed, led, rows, groups)
    return size, last


# ------------------------------------------------------------------------------------------- where sets are stored


class Turn(NamedTuple):
    """The player whose turn it is after some cards, and what that player may still hold.

    Attributes:
        player: -1 where the cards cannot have been played so: twice the same, or a suit after showing out of it.
        hidden: how many hidden cards the player has.
        holds_up_card: 1 if the player holds it besides.
        allowed: cards as bits that the player may have held when the trick began, without the up-card.
        unseen: the hidden cards that nobody had played by then.
    """

    player: int
    hidden: int
    holds_up_card: int
    allowed: int
    unseen: int


class HistoryBlock(NamedTuple):
    """Where the information sets of a history are stored.

    Attributes:
        start: the first entry; -1 for none.
        mirrored: whether they stand there as those of the mirror image, whose cards the rest names.
        allowed, unseen: as in `Turn`.
        led: the cards of the suit led as bits, the up-card among them; 0 for the leader.
    """

    start: int
    mirrored: bool
    allowed: int
    unseen: int
    led: int


@lean_kernel
def who_plays(places: HandGame | PlayPlaces, cards: int, contract: int, depth: int, history: int) -> Turn:
    """The turn after a history.

    Args:
        places: whose fields and winners are read.
        cards: hand size n.
        contract: 0..7.
        depth: cards played, fewer than 2n.
        history: those cards in base 24, the first one most significant.
    """
    fields = places.fields
    leader, seen, led = places.leader, places.seen, -1
    holds = 1 if contract <= DEALER_ACCEPTS and not seen >> UP_CARD & 1 else 0
    unseen = nondealers = dealers = (1 << OTHERS) - 1 & ~seen
    nondealer_left, dealer_left = cards, cards - holds
    for turn in range(depth):
        card = history // CARDS ** (depth - 1 - turn) % CARDS
        actor = leader if turn % 2 == 0 else 1 - leader
        may = (nondealers if actor == NONDEALER else dealers) | (holds << UP_CARD if actor == DEALER else 0)
        if seen >> card & 1 or not may >> card & 1 or (turn == 0 and places.leads and not places.leads >> card & 1):
            return Turn(-1, 0, 0, 0, 0)
        seen |= 1 << card
        if actor == NONDEALER:
            nondealer_left -= 1
        elif card == UP_CARD:
            holds = 0
        else:
            dealer_left -= 1
        if dealer_left < 0:
            return Turn(-1, 0, 0, 0, 0)
        if turn % 2 == 0:
            led = card
            continue
        unseen &= ~seen
        void = 0
        if fields[contract, card] != fields[contract, led]:
            void = places.field_masks[contract, fields[contract, led]]
        if actor == DEALER and holds and void >> UP_CARD & 1:
            return Turn(-1, 0, 0, 0, 0)
        nondealers &= unseen & ~(void if actor == NONDEALER else 0)
        dealers &= unseen & ~(void if actor == DEALER else 0)
        if leader == NONDEALER:
            leader = NONDEALER if places.nondealer_wins[contract, NONDEALER, card, led] > 0.0 else DEALER
        else:
            leader = NONDEALER if places.nondealer_wins[contract, DEALER, led, card] > 0.0 else DEALER
    actor = leader if depth % 2 == 0 else 1 - leader
    if actor == NONDEALER:
        return Turn(NONDEALER, nondealer_left, 0, nondealers, unseen)
    return Turn(DEALER, dealer_left, holds, dealers, unseen)


@lean_kernel
def led_cards(places: HandGame | PlayPlaces, contract: int, depth: int, history: int) -> int:
    """The cards of the suit to be followed as bits, 0 for a lead."""
    if depth % 2 == 0:
        return places.leads if depth == 0 else 0
    return int(places.field_masks[contract, places.fields[contract, history % CARDS]])


@lean_kernel
def rows_of(contract: int, player: int, unseen: int) -> int:
    """How many entries a set and a card have: one a possible discard for a dealer who took the up-card."""
    return popcount(unseen) if contract <= DEALER_ACCEPTS and player == DEALER else 1


@lean_kernel
def choose(of: int, count: int) -> int:
    """Binomial coefficient of at most four."""
    if count < 0 or of < count:
        return 0
    ways = 1
    for taken in range(count):
        ways = ways * (of - taken) // (taken + 1)
    return ways


@lean_kernel
def find_groups(hidden: int, holds_up_card: int, allowed: int, led: int, rows: int, groups: Ints) -> int:
    """The parts of a block, by how many cards of the suit led a set holds; returns the size of the block.

    A part has its entries by legal card, by rank of the set, by discard. Sets without a choice are not stored.

    Args:
        groups: int64[5, 3], filled: where each part begins in the block, how many sets it has (times rows: the step
            from card to card), how many legal cards they have, 0 where nothing is stored.
    """
    suited, size = popcount(allowed & led), 0
    others = popcount(allowed) - suited
    for held in range(hidden + 1):
        legal = held + (holds_up_card if led >> UP_CARD & 1 else 0)
        if legal == 0:
            legal = hidden + holds_up_card
        step = choose(suited, held) * choose(others, hidden - held) * rows
        stored = legal if legal > 1 and step > 0 else 0
        groups[held, 0], groups[held, 1], groups[held, 2] = size, step, stored
        size += stored * step
    return size


@lean_kernel
def stored_block(places: HandGame | PlayPlaces, contract: int, depth: int, history: int) -> HistoryBlock:
    """Where the information sets of a history are stored."""
    mirrored = places.uses_mirror and is_mirrored(contract, depth, history)
    if mirrored:
        image = 0
        for turn in range(depth):
            image = image * CARDS + MIRRORED[history // CARDS ** (depth - 1 - turn) % CARDS]
        history = image
        contract -= 1 if contract in (NONDEALER_NAMES + 2, DEALER_NAMES + 2) else 0
    turn_here = who_plays(places, LARGEST_SOLVED, contract, depth, history)
    start = places.node_starts[contract, DEPTH_STARTS[depth] + history]
    led = led_cards(places, contract, depth, history)
    return HistoryBlock(start, mirrored, turn_here.allowed, turn_here.unseen, led)


@lean_kernel
def mirrored_cards(cards: int) -> int:
    """A set of cards as bits with diamonds and hearts swapped."""
    width = FIRST_HEART - FIRST_DIAMOND
    suit = (1 << width) - 1
    diamonds, hearts = cards >> FIRST_DIAMOND & suit, cards >> FIRST_HEART & suit
    return (cards & ~OFF_COLOUR) | diamonds << FIRST_HEART | hearts << FIRST_DIAMOND


@lean_kernel
def place_of(card: int, held: int) -> int:
    """Where a card stands among those of a set."""
    return popcount(held & (1 << card) - 1)


@lean_kernel
def rank_among(hidden: int, allowed: int, led: int) -> tuple[int, int]:
    """How many cards of the suit led a set holds, and its rank among the sets allowed that hold as many."""
    rank = other_rank = follows = others = 0
    while hidden:
        below = (hidden & -hidden) - 1
        hidden &= hidden - 1
        if (below + 1) & led:
            follows += 1
            rank += choose(popcount(allowed & led & below), follows)
        else:
            others += 1
            other_rank += choose(popcount(allowed & ~led & below), others)
    return follows, rank * choose(popcount(allowed & ~led), others) + other_rank


@lean_kernel
def list_entries(block: HistoryBlock, hidden: int, discard: int, holds_up_card: int, cards: Ints, entries: Ints) -> int:
    """The cards that a hand may play and where they stand in `Strategy.play`: the one reading of its addresses.

    Args:
        block: `stored_block` of the cards played.
        hidden: the hidden cards held as bits.
        discard: number of the card put away, -1 for none.
        holds_up_card: 1 if it is held besides.
        cards, entries: int64[4], filled with the numbers of the cards and their entries, from the lowest; a card
            played without a choice has the entry -1.

    Returns:
        How many cards may be played.
    """
    held = mirrored_cards(hidden) if block.mirrored else hidden
    every = held | holds_up_card << UP_CARD
    legal = every & block.led if every & block.led else every
    count = popcount(legal)
    follows, rank = rank_among(held, block.allowed, block.led)
    every_suited, every_other = popcount(block.allowed & block.led), popcount(block.allowed & ~block.led)
    hidden_count, entry = popcount(held), 0
    rows, row = 1, 0
    if discard >= 0:
        gone = MIRRORED[discard] if block.mirrored else discard
        rows, row = popcount(block.unseen), popcount(block.unseen & ((1 << gone) - 1))
    for fewer in range(follows):
        cards_then = fewer + (holds_up_card if block.led >> UP_CARD & 1 else 0)
        if cards_then == 0:
            cards_then = hidden_count + holds_up_card
        sets = choose(every_suited, fewer) * choose(every_other, hidden_count - fewer)
        entry += cards_then * sets * rows if cards_then > 1 else 0
    entry += block.start + rank * rows + row
    step = choose(every_suited, follows) * choose(every_other, hidden_count - follows) * rows
    left = mirrored_cards(legal) if block.mirrored else legal
    for place in range(count):
        card = lowest_index(left)
        left &= left - 1
        stored = MIRRORED[card] if block.mirrored else card
        cards[place] = card
        entries[place] = entry + popcount(legal & ((1 << stored) - 1)) * step if count > 1 else -1
    return count


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


# ------------------------------------------------------------------------------------------------- all that is stored


class Sets(NamedTuple):
    """Buffers: the sets that a player may have at a history, and the cards and entries of one of them.

    Attributes:
        numbers: int64[sets × discards], of the hidden cards among the sets of that many.
        discards: int64[sets × discards], -1 for none.
        cards, entries: int64[4], of `list_entries`.
    """

    numbers: Ints
    discards: Ints
    cards: Ints
    entries: Ints


@kernel
def most_states(game: HandGame) -> int:
    """How long vectors over what a player may hold, and have put away, are."""
    hidden = game.cards - (1 if not game.seen >> UP_CARD & 1 else 0)
    return int(max(game.sets[game.cards], game.sets[hidden] * OTHERS))


@kernel
def new_sets(game: HandGame) -> Sets:
    most = most_states(game)
    return Sets(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64))


@kernel
def list_sets(game: HandGame, contract: int, depth: int, history: int, sets: Sets) -> int:
    """Fill in what the player to move may hold and have put away; returns how many of both together."""
    turn, count, seen = who_plays(game, game.cards, contract, depth, history), 0, 0
    for place in range(depth):
        seen |= 1 << history // CARDS**place % CARDS
    puts_away = contract <= DEALER_ACCEPTS and turn.player == DEALER
    for number in range(game.sets[turn.hidden]):
        mask = game.set_masks[turn.hidden, number]
        if mask & (~turn.allowed | seen):
            continue
        for discard in range(OTHERS if puts_away else 1):
            if not puts_away or not (seen | mask) >> discard & 1:
                sets.numbers[count], sets.discards[count] = number, discard if puts_away else -1
                count += 1
    return count


@kernel
def entries_at(game: HandGame, contract: int, depth: int, history: int, place: int, sets: Sets) -> int:
    """`list_entries` of one of the sets listed; 0 where there is no choice."""
    turn = who_plays(game, game.cards, contract, depth, history)
    mask, block = game.set_masks[turn.hidden, sets.numbers[place]], stored_block(game, contract, depth, history)
    count = list_entries(block, mask, sets.discards[place], turn.holds_up_card, sets.cards, sets.entries)
    return count if count > 1 else 0


def decisions(game: HandGame) -> Ints:
    """int64[decisions, 3]: contract, depth and history of every decision that is stored."""
    contracts, nodes = np.nonzero(game.node_starts >= 0)
    depths = np.searchsorted(DEPTH_STARTS, nodes, side="right") - 1
    return np.column_stack((contracts, depths, nodes - DEPTH_STARTS[depths]))


def owners(game: HandGame) -> NDArray[np.int8]:
    """int8[play_size]: who is to play at each entry of the arrays of play."""
    nodes = decisions(game)
    starts = game.node_starts[nodes[:, 0], DEPTH_STARTS[nodes[:, 1]] + nodes[:, 2]]
    order = np.argsort(starts)
    return np.repeat(_players(game, nodes[order]), np.diff(np.append(starts[order], game.play_size)))


@kernel
def _players(game: HandGame, nodes: Ints) -> NDArray[np.int8]:
    players = np.empty(len(nodes), dtype=np.int8)
    for row in range(len(nodes)):
        players[row] = who_plays(game, game.cards, nodes[row, 0], nodes[row, 1], nodes[row, 2]).player
    return players
