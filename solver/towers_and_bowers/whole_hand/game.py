"""How is a hand stored? `hand_game` makes its arrays; the information sets of every history lie in blocks.

A block has its entries by legal card, by rank of the set of hidden cards, by discard. Sets without a choice are not
stored. `make_game` makes the arrays of some of the contracts.

    towerlab study towers-and-bowers hand-equilibrium --set cards=2 --out folder
"""

import functools
import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import binomial, highest_index, lowest_index, popcount
from towerlab.games.cards import DECK_24, TRUMP_FIELD, to_play_order
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import kernel, lean_kernel
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.games.tricks import field_of, leader_wins
from towerlab.solver.towers_and_bowers.bidding import payoffs as bidding_payoffs
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    DEPTH_STARTS,
    LARGEST_SOLVED,
    MIRRORED,
    NONDEALER,
    NONDEALER_NAMES,
    OTHER_CARDS,
    TRUMPS,
    UP_CARD,
    HandGame,
    PlayPlaces,
    card_numbers,
    is_mirrored,
    mirrored_cards,
    nondealer_bids,
    trump_of,
    who_plays,
)


class HistoryBlock(NamedTuple):
    """Where the information sets of a history are stored.

    Attributes:
        start: the first entry; -1 for none.
        mirrored: whether they stand there as those of the mirror image, whose cards the rest names.
        allowed, unseen: the fields `allowed` and `unseen` of `Turn`.
        led: the cards of the suit led as bits, the up-card among them; 0 for the leader.
    """

    start: int
    mirrored: bool
    allowed: int
    unseen: int
    led: int


@lean_kernel
def led_cards(places: HandGame | PlayPlaces, contract: int, depth: int, history: int) -> int:
    """Return the cards of the suit to be followed as bits, 0 for a lead."""
    if depth % 2 == 0:
        return places.leads if depth == 0 else 0
    return int(places.field_masks[contract, places.fields[contract, history % CARDS]])


@lean_kernel
def rows_of(contract: int, player: int, unseen: int) -> int:
    """Return how many entries a set and a card have: one a possible discard for a dealer who took the up-card."""
    return popcount(unseen) if contract <= DEALER_ACCEPTS and player == DEALER else 1


@lean_kernel
def find_groups(hidden: int, holds_up_card: int, allowed: int, led: int, rows: int, groups: Ints) -> int:
    """The parts of a block, by how many cards of the suit led a set holds; returns the size of the block.

    A part has its entries by legal card, by rank of the set, by discard. Sets without a choice are not stored.

    Args:
        groups: int64[5, 3], filled: where each part begins in the block, how many sets it has (times rows: the step
            from card to card), how many legal cards they have, 0 where nothing is stored.
    """
    suited = popcount(allowed & led)
    size = 0
    others = popcount(allowed) - suited
    for held in range(hidden + 1):
        legal = held + (holds_up_card if led >> UP_CARD & 1 else 0)
        if legal == 0:
            legal = hidden + holds_up_card
        step = binomial(suited, held) * binomial(others, hidden - held) * rows
        stored = legal if legal > 1 and step > 0 else 0
        groups[held, 0] = size
        groups[held, 1] = step
        groups[held, 2] = stored
        size += stored * step
    return size


@lean_kernel
def stored_block(places: HandGame | PlayPlaces, contract: int, depth: int, history: int) -> HistoryBlock:
    """Return where the information sets of a history are stored."""
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
def rank_among(hidden: int, allowed: int, led: int) -> tuple[int, int]:
    """Return how many cards of the suit led a set holds, and its rank among the sets allowed that hold as many."""
    rank = other_rank = follows = others = 0
    while hidden:
        below = (hidden & -hidden) - 1
        hidden &= hidden - 1
        if (below + 1) & led:
            follows += 1
            rank += binomial(popcount(allowed & led & below), follows)
        else:
            others += 1
            other_rank += binomial(popcount(allowed & ~led & below), others)
    return follows, rank * binomial(popcount(allowed & ~led), others) + other_rank


@lean_kernel
def list_entries(block: HistoryBlock, hidden: int, discard: int, holds_up_card: int, cards: Ints, entries: Ints) -> int:
    """List the cards that a hand may play and where they stand in `Strategy.play`: the one reading of its addresses.

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
    every_suited = popcount(block.allowed & block.led)
    every_other = popcount(block.allowed & ~block.led)
    hidden_count = popcount(held)
    entry = 0
    rows = 1
    row = 0
    if discard >= 0:
        gone = MIRRORED[discard] if block.mirrored else discard
        rows = popcount(block.unseen)
        row = popcount(block.unseen & ((1 << gone) - 1))
    for fewer in range(follows):
        cards_then = fewer + (holds_up_card if block.led >> UP_CARD & 1 else 0)
        if cards_then == 0:
            cards_then = hidden_count + holds_up_card
        sets = binomial(every_suited, fewer) * binomial(every_other, hidden_count - fewer)
        entry += cards_then * sets * rows if cards_then > 1 else 0
    entry += block.start + rank * rows + row
    step = binomial(every_suited, follows) * binomial(every_other, hidden_count - follows) * rows
    left = mirrored_cards(legal) if block.mirrored else legal
    for place in range(count):
        card = lowest_index(left)
        left &= left - 1
        stored = MIRRORED[card] if block.mirrored else card
        cards[place] = card
        entries[place] = entry + popcount(legal & ((1 << stored) - 1)) * step if count > 1 else -1
    return count


@kernel
def number_decisions(places: PlayPlaces, cards: int, first: int, past: int, starts: Ints) -> tuple[int, int]:
    """Give every history that is a decision its block, by depth; (size of all, where those of the last depth begin).

    Args:
        places: the arrays that tell who plays which cards.
        cards: hand size n.
        first, past: the first of the contracts that are numbered, and the one after the last.
        starts: `HandGame.node_starts`, filled; -1 everywhere at first.
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


# -------------------------------------------------------------------------------------- every stored information set


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
    return int(max(game.sets[game.cards], game.sets[hidden] * OTHER_CARDS))


@kernel
def new_sets(game: HandGame) -> Sets:
    most = most_states(game)
    return Sets(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64))


@kernel
def list_sets(game: HandGame, contract: int, depth: int, history: int, sets: Sets) -> int:
    """Fill in what the player to move may hold and have put away; returns how many of both together."""
    turn = who_plays(game, game.cards, contract, depth, history)
    count = 0
    seen = 0
    for place in range(depth):
        seen |= 1 << history // CARDS**place % CARDS
    puts_away = contract <= DEALER_ACCEPTS and turn.player == DEALER
    for number in range(game.sets[turn.hidden]):
        mask = game.set_masks[turn.hidden, number]
        if mask & (~turn.allowed | seen):
            continue
        for discard in range(OTHER_CARDS if puts_away else 1):
            if not puts_away or not (seen | mask) >> discard & 1:
                sets.numbers[count] = number
                sets.discards[count] = discard if puts_away else -1
                count += 1
    return count


@kernel
def entries_at(game: HandGame, contract: int, depth: int, history: int, place: int, sets: Sets) -> int:
    """`list_entries` of one of the sets listed; 0 where there is no choice."""
    turn = who_plays(game, game.cards, contract, depth, history)
    mask = game.set_masks[turn.hidden, sets.numbers[place]]
    block = stored_block(game, contract, depth, history)
    count = list_entries(block, mask, sets.discards[place], turn.holds_up_card, sets.cards, sets.entries)
    return count if count > 1 else 0


def list_decisions(game: HandGame) -> Ints:
    """int64[decisions, 3]: contract, depth and history of every decision that is stored."""
    contracts, nodes = np.nonzero(game.node_starts >= 0)
    depths = np.searchsorted(DEPTH_STARTS, nodes, side="right") - 1
    return np.column_stack((contracts, depths, nodes - DEPTH_STARTS[depths]))


def entry_players(game: HandGame) -> NDArray[np.int8]:
    """int8[play_size]: who is to play at each entry of the arrays of play."""
    nodes = list_decisions(game)
    starts = game.node_starts[nodes[:, 0], DEPTH_STARTS[nodes[:, 1]] + nodes[:, 2]]
    order = np.argsort(starts)
    return np.repeat(_players(game, nodes[order]), np.diff(np.append(starts[order], game.play_size)))


@kernel
def _players(game: HandGame, nodes: Ints) -> NDArray[np.int8]:
    players = np.empty(len(nodes), dtype=np.int8)
    for row in range(len(nodes)):
        players[row] = who_plays(game, game.cards, nodes[row, 0], nodes[row, 1], nodes[row, 2]).player
    return players


def hand_game(cards: int, up_rank: int, next_deal: float, pack: int = DECK_24, mirror: bool = False) -> HandGame:
    """Return the arrays of one hand size and up-card.

    Args:
        cards: hand size n, 1..4.
        up_rank: printed rank of the up-card, 7..12 for 9..A.
        next_deal: W(n - 1); any number at n = 1.
        pack: printed mask of a smaller pack, for tests.
        mirror: whether to work on one of two mirrored information states only: half the time and memory.

    Raises:
        TowerlabError: a hand size that is not solved.
    """
    if not 1 <= cards <= LARGEST_SOLVED:
        raise TowerlabError(f"hands of {cards} cards are not solved exactly; expected 1..{LARGEST_SOLVED}")
    numbers = card_numbers(up_rank)
    by_bidder = np.array(bidding_payoffs(cards, next_deal, DEFAULT_RULES))[:, : cards + 1]
    paid = by_bidder[[0 if nondealer_bids(contract) else 1 for contract in range(CONTRACTS)]]
    trumps = {contract: trump_of(contract) for contract in range(CONTRACTS)}
    game = make_game(cards, dict(enumerate(numbers)), trumps, paid, mirror, LARGEST_SOLVED)
    missing = sum(1 << place for place, card in enumerate(numbers[:OTHER_CARDS]) if not pack >> card & 1)
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
    """Return the arrays of some contracts; `sets_left` and `dealt` are those of no hand.

    Args:
        cards: hand size n.
        numbers: the printed cards by number.
        trumps: the trump suit of each contract.
        payoffs, leader, seen, leads: the fields of `HandGame`.
        mirror: the argument `mirror` of `hand_game`.
        largest: the most cards of which sets are listed.
    """
    fields = np.zeros((CONTRACTS, CARDS), dtype=np.int64)
    wins = np.zeros((CONTRACTS, 2, CARDS, OTHER_CARDS))
    ids = np.array([numbers.get(number, -1) for number in range(CARDS)], dtype=np.int64)
    for contract, trump in trumps.items():
        fill_rules(ids, trump, fields[contract], wins[contract])
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
        mirror_sets(largest) if of == OTHER_CARDS else none,
        leader,
        seen,
        leads,
    )


def last_payoffs(wins: Floats, payoffs: Floats) -> Floats:
    """Return `HandGame.last_payoffs`.

    Args:
        wins: float64[8, 2, 24, 23], `HandGame.nondealer_wins`.
        payoffs: float64[8, n + 1], `HandGame.payoffs`.

    Returns:
        float64[8, 2, n, 2, 24, 24].
    """
    cards = payoffs.shape[1] - 1
    array = np.zeros((CONTRACTS, 2, cards, 2, CARDS, CARDS))
    different = np.arange(CARDS)[:, None] != np.arange(OTHER_CARDS)
    for tricks in range(cards):
        lost = payoffs[:, tricks, None, None, None]
        won = payoffs[:, tricks + 1, None, None, None]
        ends = np.where(different, np.where(wins > 0, won, lost), 0.0)
        array[:, :, tricks, DEALER, :, :OTHER_CARDS] = ends
        array[:, :, tricks, NONDEALER, :OTHER_CARDS, :] = ends.swapaxes(2, 3)
    return array


def with_payoffs(game: HandGame, payoffs: Floats) -> HandGame:
    """Return the same game with other `HandGame.payoffs`, float64[8, n + 1]."""
    return game._replace(payoffs=payoffs, last_payoffs=last_payoffs(game.nondealer_wins, payoffs))


@kernel
def fill_rules(ids: Ints, trump: int, fields: Ints, wins: Floats) -> None:
    """Write the rows of one contract of `HandGame.fields` and `HandGame.nondealer_wins`.

    Args:
        ids: int64[24], the printed card of each number, -1 for none.
        trump: the trump suit.
        fields, wins: int64[24] and float64[2, 24, 23], zeros.
    """
    cards = np.zeros(CARDS, np.int64)
    for number in range(CARDS):
        if ids[number] >= 0:
            cards[number] = to_play_order(1 << ids[number], trump, True)
            fields[number] = (highest_index(field_of(cards[number], TRUMP_FIELD)) + 1) // 13
    for dealers in range(CARDS):
        for nondealers in range(OTHER_CARDS):
            theirs = cards[dealers]
            mine = cards[nondealers]
            if theirs and mine and theirs != mine:
                wins[NONDEALER, dealers, nondealers] = leader_wins(mine, theirs, TRUMP_FIELD)
                wins[DEALER, dealers, nondealers] = not leader_wins(theirs, mine, TRUMP_FIELD)


@functools.lru_cache(maxsize=64)
def sets_of_cards(cards: int, largest: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return `sets`, `set_masks`, `members`, `join` of `HandGame`, of so many cards beside the up-card.

    Args:
        cards: the number of cards, 23 for a whole hand.
        largest: the most cards of which sets are listed.

    Returns:
        int64[5], int64[5, most], int64[5, most, 4], int64[4, .., 23]; `most` is the number of the largest sets.
    """
    listed = [list(itertools.combinations(range(cards), size)) for size in range(largest + 1)]
    most = len(listed[-1])
    number = {members: place for of_size in listed for place, members in enumerate(of_size)}
    masks = np.zeros((LARGEST_SOLVED + 1, most), dtype=np.int64)
    members = np.zeros((LARGEST_SOLVED + 1, most, LARGEST_SOLVED), dtype=np.int64)
    join = np.full((LARGEST_SOLVED, len(listed[max(largest - 1, 0)]), OTHER_CARDS), -1, dtype=np.int64)
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
    sets, masks = sets_of_cards(OTHER_CARDS, largest)[:2]
    images = np.zeros_like(masks)
    for size, count in enumerate(sets):
        number = {int(mask): place for place, mask in enumerate(masks[size, :count])}
        images[size, :count] = [number[mirrored_cards(mask)] for mask in number]
    return images


def _sets_left(game: HandGame) -> Ints:
    """`HandGame.sets_left`."""
    cards = game.cards
    numbers = np.zeros((int(game.sets[game.cards]), game.cards), dtype=np.int64)
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
