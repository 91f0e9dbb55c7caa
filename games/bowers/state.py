"""How does a kernel hold a game of Bowers? As one int64 array; and the kernels that take it from decision to decision.

The engine, the simulator and its players all keep their state in it. The rules are the kernels of `games.bowers.rules`;
the kernels here call them in order. Until the bid is settled cards are printed masks; from the play on they
are in the bid's play order. Every kernel changes the `state` it is given, int64[STATE_SIZE].

>>> state = new_state()
>>> start_game(state, 2)
>>> int(state[PHASE]) == DEAL, int(state[DEALER])
(True, 2)
"""

from typing import Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.bowers.options import BowersRules
from towerlab.games.bowers.rules import (
    HAND_SIZE,
    MISERE,
    OPEN,
    PASS,
    PLAYERS,
    THROWN_IN,
    auction_status,
    bid_trumps,
    deal_pack,
    deal_points,
    field_to_follow,
    game_winner,
    next_dealer,
    next_factor,
    to_bid_order,
)
from towerlab.games.jit import kernel
from towerlab.games.tricks import beats, field_of, legal_followers

# Phases, in the order of `games.bowers.records.Phase`.
DEAL, BID, BURY, PLAY, OVER = range(5)

# Places in the array; three places where a value is by seat.
PHASE: Final = 0
DEALER: Final = 1  # of this deal or, in phase DEAL, of the next
FACTOR: Final = 2
DEALS: Final = 3  # dealt so far
SCORES: Final = 4
POINTS: Final = 7  # of the last deal
WINNER: Final = 10  # seat, or -1
TO_ACT: Final = 11
STANDING: Final = 12  # the standing bid, and the one that is played
BIDDER: Final = 13  # seat, or -1
PASSES: Final = 14
KITTY: Final = 15  # printed, as dealt
BURIED: Final = 16  # printed
HANDS: Final = 17  # printed until the play, then in play order
LED: Final = 20  # field to follow, 0 before a lead
BEST: Final = 21  # card that is winning
BEST_SEAT: Final = 22
CARDS_IN_TRICK: Final = 23  # cards in the trick
NAMED: Final = 24  # field that a led joker names
TRICK: Final = 25  # its cards, by place
TAKEN: Final = 28
PLAYED: Final = 31  # all cards played, play order
VOIDS: Final = 32  # fields that a seat does not hold, play order
PLAYED_BY: Final = 35  # cards a seat has played, play order
DEALT_BY: Final = 38  # dealer of this deal or, in phase DEAL, of the last one
STAKES: Final = 39  # its factor
STATE_SIZE: Final = 40


def new_state() -> Ints:
    """Return an array for a game, int64[STATE_SIZE]."""
    return np.zeros(STATE_SIZE, dtype=np.int64)


@kernel
def start_game(state: Ints, dealer: int) -> None:
    """An empty table; `dealer` deals first."""
    state[:] = 0
    state[DEALER] = dealer
    state[FACTOR] = 1
    state[WINNER] = -1
    state[TO_ACT] = dealer


@kernel
def deal(state: Ints, pack: Ints) -> None:
    """Deal a pack, int64[32 or 33] (BO-1); the dealer's left speaks first (BO-3)."""
    dealer = state[DEALER]
    state[KITTY] = deal_pack(pack, dealer, state[HANDS : HANDS + PLAYERS])
    state[PHASE] = BID
    state[DEALS] += 1
    state[DEALT_BY], state[STAKES] = dealer, state[FACTOR]
    state[LED : PLAYED_BY + PLAYERS] = 0
    state[STANDING] = PASS
    state[BIDDER] = -1
    state[PASSES] = 0
    state[BURIED] = 0
    state[TO_ACT] = (dealer + 1) % PLAYERS


@kernel
def call(state: Ints, made: int, rules: BowersRules) -> None:
    """Take a call of the player to act; the call that ends the auction gives the bidder the kitty (BO-5 .. BO-7)."""
    seat = state[TO_ACT]
    if made == PASS:
        state[PASSES] += 1
    else:
        state[STANDING] = made
        state[BIDDER] = seat
        state[PASSES] = 0
    status = auction_status(state[STANDING], state[PASSES])
    if status == OPEN:
        state[TO_ACT] = (seat + 1) % PLAYERS
    elif status == THROWN_IN:
        _close(state, 1, rules)
    elif state[STANDING] == MISERE:
        _begin_play(state, rules)
    else:
        state[HANDS + state[BIDDER]] |= state[KITTY]
        state[PHASE], state[TO_ACT] = BURY, state[BIDDER]


@kernel
def act(state: Ints, choice: int, named: int, rules: BowersRules) -> None:
    """Take a decision of the player to act: a call, a burial or a card; see the kernels below."""
    if state[PHASE] == BID:
        call(state, choice, rules)
    elif state[PHASE] == BURY:
        bury(state, choice, rules)
    else:
        play(state, choice, named, rules)


@kernel
def bury(state: Ints, cards: int, rules: BowersRules) -> None:
    """The bidder buries; `cards` is a printed mask (BO-7)."""
    state[HANDS + state[BIDDER]] &= ~cards
    state[BURIED] = cards
    _begin_play(state, rules)


@kernel
def legal_cards(state: Ints) -> int:
    """Play-order mask of the cards that the player to act may play (BO-8, BO-9)."""
    hand = state[HANDS + state[TO_ACT]]
    return hand if state[CARDS_IN_TRICK] == 0 else legal_followers(hand, state[LED])


@kernel
def play(state: Ints, card: int, named: int, rules: BowersRules) -> None:
    """Play a card of the player to act (BO-8, BO-9).

    Args:
        card: play-order mask of one bit.
        named: the field that a joker led at no trump names; not read otherwise.
    """
    seat = state[TO_ACT]
    trumps = bid_trumps(state[STANDING])
    state[HANDS + seat] ^= card
    state[PLAYED] |= card
    state[PLAYED_BY + seat] |= card
    state[TRICK + state[CARDS_IN_TRICK]] = card
    if state[CARDS_IN_TRICK] == 0:
        field = field_to_follow(card, named, trumps, rules.names_suit)
        state[LED] = field
        state[NAMED] = 0 if field == field_of(card, trumps) else field
        state[BEST] = card
        state[BEST_SEAT] = seat
    else:
        if card & state[LED] == 0:
            state[VOIDS + seat] |= state[LED]
        if beats(card, state[BEST], trumps):
            state[BEST] = card
            state[BEST_SEAT] = seat
    state[CARDS_IN_TRICK] += 1
    state[TO_ACT] = (seat + 1) % PLAYERS
    if state[CARDS_IN_TRICK] == PLAYERS:
        state[TAKEN + state[BEST_SEAT]] += 1
        state[TO_ACT] = state[BEST_SEAT]
        state[CARDS_IN_TRICK] = 0
        state[LED] = 0
        state[BEST] = 0
        state[NAMED] = 0
        if state[TAKEN] + state[TAKEN + 1] + state[TAKEN + 2] == HAND_SIZE:
            _close(state, 0, rules)


@kernel
def _begin_play(state: Ints, rules: BowersRules) -> None:
    for seat in range(PLAYERS):
        state[HANDS + seat] = to_bid_order(state[HANDS + seat], state[STANDING])
    state[PHASE] = PLAY
    state[TO_ACT] = (state[DEALER] + 1) % PLAYERS if rules.eldest_leads else state[BIDDER]


@kernel
def _close(state: Ints, thrown_in: int, rules: BowersRules) -> None:
    """Score the deal and make the next one ready, or end the game (BO-6, BO-10 .. BO-14)."""
    state[POINTS : POINTS + PLAYERS] = 0
    if not thrown_in:
        bidder = state[BIDDER]
        left, right = (bidder + 1) % PLAYERS, (bidder + 2) % PLAYERS
        points = deal_points(state[STANDING], state[TAKEN + bidder], state[TAKEN + left], state[FACTOR], rules)
        state[POINTS + bidder], state[POINTS + left], state[POINTS + right] = points
    state[SCORES : SCORES + PLAYERS] += state[POINTS : POINTS + PLAYERS]
    state[WINNER] = game_winner(state[SCORES], state[SCORES + 1], state[SCORES + 2], rules.target)
    state[DEALER] = next_dealer(state[DEALER], thrown_in, rules)
    state[FACTOR] = next_factor(state[FACTOR], thrown_in, rules)
    state[TO_ACT] = state[DEALER]
    state[PHASE] = DEAL if state[WINNER] < 0 else OVER
