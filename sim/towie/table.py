"""One table of Towie as kernels know it, over the rule kernels of `games.towie`: deal, calls, cards, score, seats.

The table is a tuple of int64 arrays. Its `now` holds the single numbers, columns as named below; hands are printed
masks in the order dealer, left, right, dummy; trick and voids are by position from declarer (`games.towie.dealing`).
"""

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.bits import highest_index, popcount
from towerlab.games.cards import SUIT_BITS
from towerlab.games.jit import kernel
from towerlab.games.shuffling import shuffle_cards
from towerlab.games.towie.auction import (
    AUCTION_SIZE,
    BID,
    BIDDER,
    DOUBLING,
    MADE,
    auction_is_over,
    caller_of,
    is_game_contract,
    make_call,
    start_auction,
    strain_of,
)
from towerlab.games.towie.dealing import (
    DUMMY,
    HAND_SIZE,
    HANDS,
    LEADER,
    PACK_SIZE,
    caller_at,
    deal_singly,
    expose_at_random,
    goulash,
    hand_at,
    legal_cards,
    trick_winner,
)
from towerlab.games.towie.options import DOUBLED_COUNTS, MAX_GOULASH, NO_LIMIT, TowieOptions
from towerlab.games.towie.scoring import end_deal, next_dealer

SIM_MAX_GOULASH: Final = 100
"""Goulashes in a row in simulated games when the options set no limit."""
MOST_DEALS: Final = 2000
"""Played deals after which a simulated game is broken off; nobody has won it then."""

# Phases of a table.
CHANCE, AUCTION, PLAY, OVER = range(4)

# Columns of `TowieTable.now`.
PHASE, DEALER_SEAT, GOULASHES, FACED, LEAD_POSITION, ON_TABLE, LED, WON, PLAYED_DEALS, PASSED_OUT = range(10)
ALL_GOULASHES = 10
DEALS = 11
NOW_SIZE: Final = 12

MOST_CALLS: Final = 3 * 3 * 35 + 3
"""Of an auction: every bid, its double and redouble, two passes before each of them, and those at the end."""


class TowieTable(NamedTuple):
    """A table: see the head of this module.

    Attributes:
        now: single numbers.
        hands, dealt: printed masks [4], the cards left and the cards dealt.
        auction: of `games.towie.auction`.
        calls: of this auction in order, as many as it has.
        trick: printed masks of one card [4] by position, 0 where none is yet.
        voids: by position, bit s when it has failed to follow suit s.
        active, waiting, ledger, games: of the whole game.
        rules: of `TowieOptions.rules`, with a limit of goulashes.
        pack, piles: of the last deal and the last goulash.
    """

    now: Ints
    hands: Ints
    dealt: Ints
    auction: Ints
    calls: Ints
    trick: Ints
    voids: Ints
    active: Ints
    waiting: Ints
    ledger: Ints
    games: Ints
    rules: Ints
    pack: Ints
    piles: Ints


def new_table(options: TowieOptions, players: int) -> TowieTable:
    """Return a table for so many players."""
    rules = options.rules()
    if rules[MAX_GOULASH] == NO_LIMIT:
        rules[MAX_GOULASH] = SIM_MAX_GOULASH
    sizes = (NOW_SIZE, HANDS, HANDS, AUCTION_SIZE, MOST_CALLS, HANDS, HANDS, 3, players - 3, players, players)
    arrays = [np.zeros(size, dtype=np.int64) for size in sizes]
    pack = np.arange(PACK_SIZE, dtype=np.int64)
    piles = np.zeros((HANDS, HAND_SIZE), dtype=np.int64)
    return TowieTable._make((*arrays, rules, pack, piles))


@kernel
def start_game(table: TowieTable, seats: Ints) -> None:
    """Clear the table for a new game.

    Args:
        seats: int64[players], the first three sit down, the others wait in this order.
    """
    table.now[:] = 0
    table.ledger[:] = 0
    table.games[:] = 0
    table.active[:] = seats[:3]
    table.waiting[:] = seats[3:]
    table.now[PHASE] = CHANCE
    table.pack[:] = np.arange(PACK_SIZE)
    table.now[GOULASHES] = -1  # the next cards are shuffled


@kernel
def deal_cards(table: TowieTable, rng: np.random.Generator) -> None:
    """Let chance decide before an auction: a shuffled deal or a goulash, and the six cards (TO-2, TO-3, TO-9)."""
    now = table.now
    if now[GOULASHES] < 0:
        shuffle_cards(table.pack, PACK_SIZE, rng)
        deal_singly(table.pack, table.hands)
        now[DEALS] += 1
    else:
        goulash(table.hands, table.rules, rng, table.piles, table.pack)
        now[ALL_GOULASHES] += 1
    now[GOULASHES] += 1
    table.dealt[:] = table.hands
    table.voids[:] = 0
    table.trick[:] = 0
    now[FACED] = expose_at_random(table.hands[DUMMY], rng)
    start_auction(table.auction)
    now[PHASE] = AUCTION


@kernel
def caller_to_act(table: TowieTable) -> int:
    """The next to choose, as caller 0..2 from the dealer; declarer for dummy's cards."""
    if table.now[PHASE] == AUCTION:
        return caller_of(table.auction)
    return caller_at(position_to_act(table), table.auction[BIDDER])


@kernel
def player_of(table: TowieTable, caller: int) -> int:
    """Return the player of a caller."""
    player: int = table.active[(table.now[DEALER_SEAT] + caller) % 3]
    return player


@kernel
def position_to_act(table: TowieTable) -> int:
    """Return the position that plays next."""
    position: int = (table.now[LEAD_POSITION] + table.now[ON_TABLE]) % HANDS
    return position


@kernel
def hand_to_act(table: TowieTable) -> int:
    """Return the hand that plays next."""
    return hand_at(position_to_act(table), table.auction[BIDDER])


@kernel
def legal_plays(table: TowieTable) -> int:
    """Printed mask of the cards that may be played now."""
    return legal_cards(table.hands[hand_to_act(table)], table.now[LED], strain_of(table.auction[BID]))


@kernel
def act(table: TowieTable, choice: int) -> None:
    """Make a call, or play a card (a printed mask of one bit), whichever the table waits for."""
    if table.now[PHASE] == AUCTION:
        act_call(table, choice)
    else:
        act_play(table, choice)


@kernel
def act_call(table: TowieTable, call: int) -> None:
    """Make a legal call; the last one starts the play, a goulash or the next deal (TO-5 .. TO-7)."""
    now = table.now
    auction = table.auction
    table.calls[auction[MADE]] = call
    make_call(auction, call)
    if not auction_is_over(auction):
        return
    if is_game_contract(auction[BID], auction[DOUBLING], table.rules[DOUBLED_COUNTS]):
        now[PHASE] = PLAY
        now[LEAD_POSITION] = LEADER
        now[ON_TABLE] = 0
        now[LED] = 0
        now[WON] = 0
        return
    now[PHASE] = CHANCE
    if now[GOULASHES] >= table.rules[MAX_GOULASH]:
        now[PASSED_OUT] += 1
        now[DEALER_SEAT] = next_dealer(now[DEALER_SEAT])
        now[GOULASHES] = -1


@kernel
def act_play(table: TowieTable, card: int) -> None:
    """Play a legal card, a printed mask of one bit; the last one of a deal scores it (TO-8 .. TO-22)."""
    now = table.now
    position = position_to_act(table)
    hand = hand_to_act(table)
    table.hands[hand] &= ~card
    table.trick[position] = card
    if now[ON_TABLE] == 0:
        now[LED] = card
    elif highest_index(card) // 13 != highest_index(now[LED]) // 13:
        table.voids[position] |= 1 << (highest_index(now[LED]) // 13)
    now[ON_TABLE] += 1
    if now[ON_TABLE] < HANDS:
        return
    winner = trick_winner(table.trick, now[LEAD_POSITION], strain_of(table.auction[BID]))
    now[WON] += 1 - winner % 2
    now[LEAD_POSITION] = winner
    now[ON_TABLE] = 0
    now[LED] = 0
    table.trick[:] = 0
    if table.hands[hand] == 0:
        _end_deal(table)


@kernel
def _end_deal(table: TowieTable) -> None:
    now = table.now
    auction = table.auction
    seat = (now[DEALER_SEAT] + auction[BIDDER]) % 3
    _, _, _, over, _ = end_deal(
        auction, table.dealt, now[WON], seat, table.active, table.waiting, table.ledger, table.games, table.rules
    )
    now[PLAYED_DEALS] += 1
    now[GOULASHES] = -1
    now[PHASE] = OVER if over or now[PLAYED_DEALS] == MOST_DEALS else CHANCE
    if now[PHASE] == CHANCE:
        now[DEALER_SEAT] = next_dealer(now[DEALER_SEAT])


@kernel
def suit_length(mask: int, suit: int) -> int:
    """How many cards of a suit a printed mask holds."""
    return popcount((mask >> (13 * suit)) & SUIT_BITS)
