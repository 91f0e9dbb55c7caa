"""How does a fast player of Bowers decide? From the state of the game: what the player sees, then what it does.

For example::

    towerlab simulate bowers --players novice,random,random --games 20
"""

from numpy.random import Generator

from towerlab.games.arrays import Ints
from towerlab.games.bits import popcount
from towerlab.games.bowers.options import BowersRules
from towerlab.games.bowers.rules import MISERE, PLAYERS, bid_trumps, from_bid_order, to_bid_order
from towerlab.games.bowers.state import (
    BEST,
    BEST_SEAT,
    BID,
    BIDDER,
    BURIED,
    BURY,
    CARDS_IN_TRICK,
    HANDS,
    LED,
    PHASE,
    PLAYED,
    STANDING,
    TO_ACT,
    legal_cards,
)
from towerlab.games.cards import NO_TRUMP_FIELD
from towerlab.games.jit import brief_kernel, kernel
from towerlab.sim.bowers.habits import TrickView, habitual_bury, novice_call, novice_card, random_call, side_field
from towerlab.sim.choices import draw_number, random_card, random_subset

RANDOM, NOVICE, OUTSIDE = range(3)


@brief_kernel
def trick_view_of(state: Ints, rules: BowersRules) -> TrickView:
    """Return the view of the player who is to play a card."""
    seat = state[TO_ACT]
    bidder = state[BIDDER]
    bid = state[STANDING]
    hand = state[HANDS + seat]
    gone = hand | state[PLAYED]
    if seat == bidder:
        gone |= to_bid_order(state[BURIED], bid)
    cards_in_trick = state[CARDS_IN_TRICK]
    enemy_wins = cards_in_trick > 0 and (seat == bidder or state[BEST_SEAT] == bidder)
    has_played = (bidder - seat) % PLAYERS >= PLAYERS - cards_in_trick
    return TrickView(
        hand,
        legal_cards(state),
        to_bid_order(rules.deck, bid) & ~gone,
        state[LED],
        state[BEST],
        1 if enemy_wins else 0,
        1 if seat != bidder and not has_played else 0,
        1 if seat == bidder else 0,
        1 if bid == MISERE else 0,
        bid_trumps(bid),
    )


@kernel
def choose(state: Ints, kind: int, rules: BowersRules, random: Generator) -> tuple[int, int]:
    """Return the decision of the player to act, `RANDOM` or `NOVICE`, as `games.bowers.state.act` takes it."""
    hand = state[HANDS + state[TO_ACT]]
    if state[PHASE] == BID:
        if kind == RANDOM:
            return random_call(state[STANDING], rules.min_bid, random), 0
        return novice_call(hand, state[STANDING], rules), 0
    if state[PHASE] == BURY:
        bid = state[STANDING]
        if kind == RANDOM:
            return random_subset(hand, rules.kitty, random), 0
        return from_bid_order(habitual_bury(to_bid_order(hand, bid), bid_trumps(bid), rules.kitty), bid), 0
    sight = trick_view_of(state, rules)
    card = random_card(sight.legal, random) if kind == RANDOM else novice_card(sight)
    named = 0
    if rules.names_suit and sight.led == 0 and sight.trumps == NO_TRUMP_FIELD and card & sight.trumps:
        named = side_field(draw_number(random, 4), sight.trumps) if kind == RANDOM else _longest(hand, sight.trumps)
    return card, named


@kernel
def _longest(hand: int, trumps: int) -> int:
    """Return the longest plain field of a hand."""
    longest = side_field(0, trumps)
    for index in range(1, 4):
        field = side_field(index, trumps)
        if popcount(hand & field) > popcount(hand & longest):
            longest = field
    return longest
