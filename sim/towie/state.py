"""How does a kernel hold a game of Towie? As a tuple of arrays; and the kernels that take it from action to action.

The arrays are of int64. `now` holds the single numbers, columns as named below; hands are printed
masks in the order dealer, left, right, dummy; trick and voids are by position from declarer (`games.towie.dealing`).

>>> from towerlab.games.towie.options import TowieOptions
>>> state = new_state(TowieOptions(), 3)
>>> start_game(state, np.arange(3))
>>> int(state.now[PHASE]) == CHANCE, state.active.tolist()
(True, [0, 1, 2])
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

# Phases.
CHANCE, AUCTION, PLAY, OVER = range(4)

# Columns of `TowieState.now`.
PHASE, DEALER_SEAT, GOULASHES, FACED, LEAD_POSITION, CARDS_IN_TRICK, LED, WON, PLAYED_DEALS, PASSED_OUT = range(10)
ALL_GOULASHES = 10
DEALS = 11
NOW_SIZE: Final = 12

MOST_CALLS: Final = 3 * 3 * 35 + 3
"""Of an auction: every bid, its double and redouble, two passes before each of them, and those at the end."""


class TowieState(NamedTuple):
    """The state of a game: see the head of this module.

    Attributes:
        now: the single numbers of the state, by the columns above.
        hands, dealt: printed masks [4], the cards left and the cards dealt.
        auction: the state of the auction, see `games.towie.auction`.
        calls: the calls of this auction in order, as many as it has.
        trick: printed masks of one card [4] by position, 0 where none is yet.
        voids: the voids by position, bit s when it has failed to follow suit s.
        active, waiting, ledger, games: the seats, points and games won of the whole game.
        rules: the rules, from `TowieOptions.rules`, with a limit of goulashes.
        pack, piles: the pack of the last deal and the piles of the last goulash.
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


def new_state(options: TowieOptions, players: int) -> TowieState:
    """Return the state of a game of so many players."""
    rules = options.rules()
    if rules[MAX_GOULASH] == NO_LIMIT:
        rules[MAX_GOULASH] = SIM_MAX_GOULASH
    sizes = (NOW_SIZE, HANDS, HANDS, AUCTION_SIZE, MOST_CALLS, HANDS, HANDS, 3, players - 3, players, players)
    arrays = [np.zeros(size, dtype=np.int64) for size in sizes]
    pack = np.arange(PACK_SIZE, dtype=np.int64)
    piles = np.zeros((HANDS, HAND_SIZE), dtype=np.int64)
    return TowieState._make((*arrays, rules, pack, piles))


@kernel
def start_game(state: TowieState, seats: Ints) -> None:
    """Clear the state for a new game.

    Args:
        seats: int64[players], the first three sit down, the others wait in this order.
    """
    state.now[:] = 0
    state.ledger[:] = 0
    state.games[:] = 0
    state.active[:] = seats[:3]
    state.waiting[:] = seats[3:]
    state.now[PHASE] = CHANCE
    state.pack[:] = np.arange(PACK_SIZE)
    state.now[GOULASHES] = -1  # the next cards are shuffled


@kernel
def deal_cards(state: TowieState, rng: np.random.Generator) -> None:
    """Let chance decide before an auction: a shuffled deal or a goulash, and the six cards (TO-2, TO-3, TO-9)."""
    now = state.now
    if now[GOULASHES] < 0:
        shuffle_cards(state.pack, PACK_SIZE, rng)
        deal_singly(state.pack, state.hands)
        now[DEALS] += 1
    else:
        goulash(state.hands, state.rules, rng, state.piles, state.pack)
        now[ALL_GOULASHES] += 1
    now[GOULASHES] += 1
    state.dealt[:] = state.hands
    state.voids[:] = 0
    state.trick[:] = 0
    now[FACED] = expose_at_random(state.hands[DUMMY], rng)
    start_auction(state.auction)
    now[PHASE] = AUCTION


@kernel
def caller_to_act(state: TowieState) -> int:
    """Return the next to choose, as caller 0..2 from the dealer; declarer for dummy's cards."""
    if state.now[PHASE] == AUCTION:
        return caller_of(state.auction)
    return caller_at(position_to_act(state), state.auction[BIDDER])


@kernel
def player_of(state: TowieState, caller: int) -> int:
    """Return the player of a caller."""
    player: int = state.active[(state.now[DEALER_SEAT] + caller) % 3]
    return player


@kernel
def position_to_act(state: TowieState) -> int:
    """Return the position that plays next."""
    position: int = (state.now[LEAD_POSITION] + state.now[CARDS_IN_TRICK]) % HANDS
    return position


@kernel
def hand_to_act(state: TowieState) -> int:
    """Return the hand that plays next."""
    return hand_at(position_to_act(state), state.auction[BIDDER])


@kernel
def legal_plays(state: TowieState) -> int:
    """Printed mask of the cards that may be played now."""
    return legal_cards(state.hands[hand_to_act(state)], state.now[LED], strain_of(state.auction[BID]))


@kernel
def act(state: TowieState, choice: int) -> None:
    """Make a call, or play a card (a printed mask of one bit), whichever is due."""
    if state.now[PHASE] == AUCTION:
        act_call(state, choice)
    else:
        act_play(state, choice)


@kernel
def act_call(state: TowieState, call: int) -> None:
    """Make a legal call; the last one starts the play, a goulash or the next deal (TO-5 .. TO-7)."""
    now = state.now
    auction = state.auction
    state.calls[auction[MADE]] = call
    make_call(auction, call)
    if not auction_is_over(auction):
        return
    if is_game_contract(auction[BID], auction[DOUBLING], state.rules[DOUBLED_COUNTS]):
        now[PHASE] = PLAY
        now[LEAD_POSITION] = LEADER
        now[CARDS_IN_TRICK] = 0
        now[LED] = 0
        now[WON] = 0
        return
    now[PHASE] = CHANCE
    if now[GOULASHES] >= state.rules[MAX_GOULASH]:
        now[PASSED_OUT] += 1
        now[DEALER_SEAT] = next_dealer(now[DEALER_SEAT])
        now[GOULASHES] = -1


@kernel
def act_play(state: TowieState, card: int) -> None:
    """Play a legal card, a printed mask of one bit; the last one of a deal scores it (TO-8 .. TO-22)."""
    now = state.now
    position = position_to_act(state)
    hand = hand_to_act(state)
    state.hands[hand] &= ~card
    state.trick[position] = card
    if now[CARDS_IN_TRICK] == 0:
        now[LED] = card
    elif highest_index(card) // 13 != highest_index(now[LED]) // 13:
        state.voids[position] |= 1 << (highest_index(now[LED]) // 13)
    now[CARDS_IN_TRICK] += 1
    if now[CARDS_IN_TRICK] < HANDS:
        return
    winner = trick_winner(state.trick, now[LEAD_POSITION], strain_of(state.auction[BID]))
    now[WON] += 1 - winner % 2
    now[LEAD_POSITION] = winner
    now[CARDS_IN_TRICK] = 0
    now[LED] = 0
    state.trick[:] = 0
    if state.hands[hand] == 0:
        _end_deal(state)


@kernel
def _end_deal(state: TowieState) -> None:
    now = state.now
    auction = state.auction
    seat = (now[DEALER_SEAT] + auction[BIDDER]) % 3
    _, _, _, over, _ = end_deal(
        auction, state.dealt, now[WON], seat, state.active, state.waiting, state.ledger, state.games, state.rules
    )
    now[PLAYED_DEALS] += 1
    now[GOULASHES] = -1
    now[PHASE] = OVER if over or now[PLAYED_DEALS] == MOST_DEALS else CHANCE
    if now[PHASE] == CHANCE:
        now[DEALER_SEAT] = next_dealer(now[DEALER_SEAT])


@kernel
def suit_length(mask: int, suit: int) -> int:
    """Return how many cards of a suit a printed mask holds."""
    return popcount((mask >> (13 * suit)) & SUIT_BITS)
