"""How do the fast players of Towie decide? The kernels of `random` and `novice`, and the novice's counts.

A player is given its own hand, the exposed six, the calls, dummy once it is open, and the cards played; nothing else
is read from the state.

>>> from towerlab.games.cards import parse_mask
>>> int(high_card_points(parse_mask("AS KS QH JD 10C")))
10
"""

from typing import Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.beating import cards_that_beat
from towerlab.games.bits import highest_bit, lowest_bit, popcount
from towerlab.games.cards import NO_TRUMP, SUIT_BITS, to_play_order, to_printed, trump_field
from towerlab.games.jit import brief_kernel, kernel
from towerlab.games.towie.auction import (
    BID,
    BIDDER,
    DOUBLE,
    LAST_BID,
    PASS,
    REDOUBLE,
    bid_of,
    caller_of,
    level_of,
    strain_of,
    why_illegal,
)
from towerlab.games.towie.dealing import DUMMY, HANDS, trick_winner
from towerlab.games.tricks import beats, field_of
from towerlab.sim.choices import random_card
from towerlab.sim.own_players import KnownPlayer
from towerlab.sim.towie.state import (
    AUCTION,
    CARDS_IN_TRICK,
    FACED,
    LEAD_POSITION,
    LED,
    PHASE,
    TowieState,
    hand_to_act,
    legal_plays,
    position_to_act,
    suit_length,
)
from towerlab.solver.double_dummy.position import run_of

RANDOM, NOVICE, PIMC = range(3)
PLAYERS: Final = {
    "random": KnownPlayer(
        "any legal card; mostly passes, else one of the next bids or a double, at random", RANDOM, is_measured=False
    ),
    "novice": KnownPlayer(
        "counts points and fit with the exposed six, bids game on enough; second hand low, third hand high", NOVICE
    ),
    "pimc": KnownPlayer(
        "deals the unseen cards at random, lets the auction go on, solves double-dummy, takes the best on average", PIMC
    ),
}

POINTS_OF_GAME: Final = 25.0  # at no trump or in a major suit, with the expected points of dummy's hidden cards
POINTS_OF_MINOR_GAME: Final = 28.0
POINTS_OF_SMALL_SLAM: Final = 33.0
POINTS_OF_GRAND_SLAM: Final = 37.0
FIT: Final = 7.5  # trumps expected in both hands, at least
POINTS_TO_DOUBLE: Final = 15.0  # high cards in the hand
HIDDEN_SHARE: Final = 7 / 33  # of the unseen cards are in dummy


# --------------------------------------------------------------------------------------------------- counting a hand


@kernel
def high_card_points(mask: int) -> int:
    """Return the high-card points of a printed mask: A 4, K 3, Q 2, J 1."""
    points = 0
    for suit in range(4):
        honours = (mask >> (13 * suit + 9)) & 0b1111
        points += 4 * (honours >> 3 & 1) + 3 * (honours >> 2 & 1) + 2 * (honours >> 1 & 1) + (honours & 1)
    return points


@kernel
def expected_points(hand: int, exposed: int) -> float:
    """High-card points of a hand and dummy together, dummy's hidden seven taken as an average of the unseen."""
    seen = high_card_points(hand) + high_card_points(exposed)
    return seen + (40 - seen) * HIDDEN_SHARE


@kernel
def expected_trumps(hand: int, exposed: int, suit: int) -> float:
    """Cards of a suit in a hand and dummy together, dummy's hidden seven taken as an average of the unseen."""
    seen = suit_length(hand | exposed, suit)
    return seen + (13 - seen) * HIDDEN_SHARE


@kernel
def strength_in(hand: int, exposed: int, strain: int) -> float:
    """Points with that trump: high cards, for each trump beyond the eighth, for shortness in the own hand."""
    points = expected_points(hand, exposed)
    if strain == NO_TRUMP:
        for suit in range(4):  # a suit that is wide open at no trump
            if high_card_points((hand | exposed) & (SUIT_BITS << (13 * suit))) < 2:
                points -= 1.5
        return points
    trumps = expected_trumps(hand, exposed, strain)
    points += 1.5 * (trumps - 8)
    for suit in range(4):
        if suit != strain:
            points += max(0, 3 - suit_length(hand, suit))
    return points


@kernel
def level_for(strength: float, strain: int) -> int:
    """Return the level a novice bids to with so many points, 0 for none."""
    if strength >= POINTS_OF_GRAND_SLAM:
        return 7
    if strength >= POINTS_OF_SMALL_SLAM:
        return 6
    if strain < 2:
        return 5 if strength >= POINTS_OF_MINOR_GAME else 0
    if strength < POINTS_OF_GAME:
        return 0
    return 3 if strain == NO_TRUMP else 4


# ---------------------------------------------------------------------------------------------------------- calling


@kernel
def random_call(auction: Ints, rng: np.random.Generator) -> int:
    """In an auction, int64[5], two times in three a pass; else one of the next five bids, a double or redouble."""
    if rng.random() < 2 / 3:
        return PASS
    for call in (DOUBLE, REDOUBLE):
        if why_illegal(auction, call) == 0 and rng.random() < 0.5:
            return call
    bid: int = auction[BID] + 1 + int(rng.random() * 5)
    return bid if bid <= LAST_BID else PASS


@brief_kernel
def novice_call(auction: Ints, hand: int, exposed: int) -> int:
    """Bid at once as high as points and fit allow, double a game on many points, else pass; auction int64[5]."""
    if auction[BIDDER] == caller_of(auction):
        return PASS
    best = PASS
    most = -1.0
    for strain in range(5):
        if strain != NO_TRUMP and expected_trumps(hand, exposed, strain) < FIT:
            continue
        strength = strength_in(hand, exposed, strain)
        level = level_for(strength, strain)
        if level == 0:
            continue
        bid = bid_of(level, strain)
        merit = strength + (3.0 if strain >= 2 else 0.0) + (10.0 if level >= 6 else 0.0)
        if bid > auction[BID] and merit > most:
            best = bid
            most = merit
    return best if best != PASS else novice_doubles(auction, hand)


@brief_kernel
def novice_doubles(auction: Ints, hand: int) -> int:
    """In an auction, int64[5], a double of a game on many points, or on fewer with long trumps; else a pass."""
    if why_illegal(auction, DOUBLE) == 0 and level_of(auction[BID]) >= 3:
        trumps = 0
        if strain_of(auction[BID]) != NO_TRUMP:
            trumps = suit_length(hand, strain_of(auction[BID]))
        if high_card_points(hand) + 2 * max(0, trumps - 3) >= POINTS_TO_DOUBLE:
            return DOUBLE
    return PASS


# ---------------------------------------------------------------------------------------------------------- playing


@kernel
def is_high(card: int, others: int, trumps: int) -> bool:
    """Return whether no card of `others` in the card's field is higher (play-order masks)."""
    return (others & field_of(card, trumps)) < card


@kernel
def longest_field(cards: int) -> int:
    """Return the field with most cards, 0 without any; of equals the higher one."""
    best = 0
    most = 0
    for shift in (0, 13, 26, 39):
        count = popcount(cards & SUIT_BITS << shift)
        if 0 < count >= most:
            best = SUIT_BITS << shift
            most = count
    return best


@kernel
def lead_as_novice(hand: int, partner: int, unseen: int, trumps: int, strain: int, ours: bool) -> int:
    """Return a lead: high cards first, then the long suit, of a sequence its top; declarer draws trumps before.

    Args:
        hand: play-order mask of the hand that leads.
        partner: the other hand of declarer's side, where that side leads; else 0.
        unseen: play-order mask of the cards in hands that are not the side's, as far as is known.
        ours: whether declarer's side leads.
    """
    trump_cards = trumps if strain != NO_TRUMP else 0
    if ours and hand & trump_cards and unseen & trump_cards:
        return highest_bit(hand & trump_cards)
    best = 0
    longest = 0
    for shift in (0, 13, 26, 39):  # a high card of the longest suit
        field = SUIT_BITS << shift
        if field & trump_cards:
            continue
        mine = hand & field
        if mine and is_high(highest_bit(mine), unseen, trumps):
            length = popcount(mine | partner & field)
            if length > longest:
                best = highest_bit(mine)
                longest = length
    if best:
        return best
    long = longest_field((hand | partner if ours else hand) & ~trump_cards) & hand
    if long == 0:
        long = hand & ~trump_cards if hand & ~trump_cards else hand
    top = highest_bit(long)
    if not ours and (top >> 1) & long:
        return top  # of a sequence
    return lowest_bit(long)


@kernel
def follow_as_novice(legal: int, lead: int, best: int, partner_wins: bool, count: int, trumps: int, unseen: int) -> int:
    """Not the first card of a trick: second hand low, third hand high, fourth hand as cheaply as it can be won.

    Args:
        legal: play-order mask.
        lead, best: play-order masks of the card led and of the one that is winning.
        partner_wins: whether the partner has played `best`.
        count: the number of cards on the table.
        unseen: play-order mask of cards that may still be played against this hand.
    """
    winners = cards_that_beat(legal, best, trumps)
    low = card_to_throw(legal, trumps)
    if winners == 0 or (partner_wins and (count == 3 or is_high(best, unseen, trumps))):
        return low
    led = field_of(lead, trumps)
    follows = legal & led != 0
    if count == 3:
        return lowest_bit(winners)
    if count == 1 and follows:
        top = highest_bit(winners)
        return top if is_high(top, unseen, trumps) and beats(top, best, trumps) and popcount(legal) < 3 else low
    if not follows:
        return low if partner_wins else lowest_bit(winners)
    # Third hand high: the lowest of the cards that are as good as the highest.
    return lowest_bit(run_of(highest_bit(winners), winners, unseen, led))


@kernel
def card_to_throw(cards: int, trumps: int) -> int:
    """Return a card to throw: the lowest of the longest field that is not the trumps."""
    plain = cards & ~trumps
    return lowest_bit(longest_field(plain) & plain) if plain else lowest_bit(cards)


@brief_kernel
def card_as_novice(state: TowieState) -> int:
    """Return the novice's card, a printed mask of one bit."""
    legal = legal_plays(state)
    if legal & (legal - 1) == 0:
        return legal
    strain = strain_of(state.auction[BID])
    declarer = state.auction[BIDDER]
    trumps = trump_field(strain)
    position = position_to_act(state)
    hand = to_play_order(state.hands[hand_to_act(state)], strain, False)
    ours = position % 2 == 0
    partner = 0
    if ours:
        other = declarer if position == 2 else DUMMY
        partner = to_play_order(state.hands[other], strain, False)
    # The cards that are not the side's: for a defender the partner's are among them, being unseen.
    unseen = 0
    for hand_number in range(HANDS):
        unseen |= to_play_order(state.hands[hand_number], strain, False)
    unseen &= ~(hand | partner)
    if state.now[CARDS_IN_TRICK] == 0:
        card = lead_as_novice(hand, partner, unseen, trumps, strain, ours)
    else:
        order = to_play_order(legal, strain, False)
        lead = to_play_order(state.now[LED], strain, False)
        winner = trick_winner(state.trick, state.now[LEAD_POSITION], strain)
        best = to_play_order(state.trick[winner], strain, False)
        partner_wins = (winner - position) % 2 == 0
        card = follow_as_novice(order, lead, best, partner_wins, state.now[CARDS_IN_TRICK], trumps, unseen)
    return to_printed(card, strain, False)


@kernel
def choose(kind: int, state: TowieState, rng: np.random.Generator) -> int:
    """Return a call, or a printed mask of one card, of a player that is a kernel."""
    if state.now[PHASE] == AUCTION:
        if kind == RANDOM:
            return random_call(state.auction, rng)
        return novice_call(state.auction, state.hands[caller_of(state.auction)], state.now[FACED])
    return random_card(legal_plays(state), rng) if kind == RANDOM else card_as_novice(state)
