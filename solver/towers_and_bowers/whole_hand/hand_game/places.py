"""Where a strategy's play is stored: the information sets of every history, in blocks.

A block has its entries by legal card, by rank of the set of hidden cards, by discard. Sets without a choice are not
stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Ints
from towerlab.games.bits import binomial, lowest_index, popcount
from towerlab.games.jit import kernel, lean_kernel
from towerlab.solver.towers_and_bowers.whole_hand.hand_game.tables import (
    CARDS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    DEPTH_STARTS,
    LARGEST_SOLVED,
    MIRRORED,
    NONDEALER,
    NONDEALER_NAMES,
    OTHERS,
    UP_CARD,
    HandGame,
    PlayPlaces,
    is_mirrored,
    mirrored_cards,
)


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


class _Replay(NamedTuple):
    """What the cards played so far tell.

    Attributes:
        leader: of the trick.
        seen: cards that have been played, or that nobody holds, as bits.
        unseen, nondealers, dealers: hidden cards that nobody had played when the trick began, and those that each may
            have held then.
        holds_up_card: 1 if the dealer holds it.
        nondealer_left, dealer_left: how many hidden cards each has.
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
    """The turn after a history.

    Args:
        places: whose fields and winners are read.
        cards: hand size n.
        contract: 0..7.
        depth: cards played, fewer than 2n.
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
    hidden = (1 << OTHERS) - 1 & ~places.seen
    return _Replay(places.leader, places.seen, hidden, hidden, hidden, holds, cards, cards - holds)


@lean_kernel
def _may_play(state: _Replay, player: int, card: int) -> bool:
    """Whether no card played so far excludes that the player holds this one."""
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
def rank_among(hidden: int, allowed: int, led: int) -> tuple[int, int]:
    """How many cards of the suit led a set holds, and its rank among the sets allowed that hold as many."""
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
    return int(max(game.sets[game.cards], game.sets[hidden] * OTHERS))


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
        for discard in range(OTHERS if puts_away else 1):
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
