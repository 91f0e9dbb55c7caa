"""Players who follow habits: `random`, `novice` and `family`. Points are tenths of a trick."""

from typing import Any

from towerlab.games.bits import highest_bit, lowest_bit, lowest_index, popcount
from towerlab.games.cards import LEFT_BOWER, RIGHT_BOWER, SUIT_BITS, TRUMP_FIELD, TRUMP_SHIFT, to_play_order, to_printed
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.rules import HandRules, majority
from towerlab.games.tricks import field_of, leader_wins
from towerlab.sim.choices import draw, random_card
from towerlab.sim.towers_and_bowers.players.knowledge import NO_CARD, NO_SUIT, BidPlan, InfoState, legal_plays

# places in a field
_ACE = 12
_KING = 11
_QUEEN = 10
_TEN = 8

# ---------------------------------------------------------------------------------------------------------- random


@kernel
def random_bids(hand: int, up: int, is_dealer: bool, rules: HandRules, random: Any) -> BidPlan:
    """Every legal call alike, every legal discard alike."""
    suit = draw(random, 3 if is_dealer and rules.force_dealer_to_name else 4)
    names = NO_SUIT if suit == 3 else suit + (suit >= up // 13)
    discards = hand | (1 << up) if rules.allow_discard_upcard else hand
    discard = lowest_index(random_card(discards, random)) if is_dealer else NO_CARD
    return BidPlan(draw(random, 2) == 0, names, discard, discard)


# ---------------------------------------------------------------------------------------------------------- novice


@kernel
def lowest_of(cards: int) -> int:
    """The card lowest in its suit, plain suits before trumps."""
    plain = cards & ~TRUMP_FIELD
    if plain == 0:
        return lowest_bit(cards)
    best = lowest_bit(plain)
    while plain:
        card = lowest_bit(plain)
        plain ^= card
        if lowest_index(card) % 13 < lowest_index(best) % 13:
            best = card
    return best


@kernel
def cheapest_winner(plays: int, led: int) -> int:
    """The lowest of some legal replies that wins the trick, 0 if none does."""
    while plays:
        card = lowest_bit(plays)
        plays ^= card
        if not leader_wins(led, card, TRUMP_FIELD):
            return card
    return 0


@kernel
def _trumps_held(hand: int, trump: int) -> int:
    return popcount(to_play_order(hand, trump, True) & TRUMP_FIELD)


@kernel
def novice_bids(hand: int, up: int, is_dealer: bool, rules: HandRules) -> BidPlan:
    """Bids on three trumps, the up-card counted for the dealer; in small hands on as many as make the contract."""
    enough = min(3, majority(popcount(hand)))
    accepts = _trumps_held(hand, up // 13) + is_dealer >= enough
    names = NO_SUIT
    most = 0 if is_dealer and rules.force_dealer_to_name else enough
    for suit in range(4):
        held = _trumps_held(hand, suit)
        if suit != up // 13 and held >= most and (names == NO_SUIT or held > most):
            names = suit
            most = held
    lowest = lowest_of(to_play_order(hand, up // 13, True))
    discard = lowest_index(to_printed(lowest, up // 13, True)) if is_dealer else NO_CARD
    return BidPlan(accepts, names, discard, discard)


@kernel
def novice_play(state: InfoState) -> int:
    """Leads the highest card, trumps first; follows with the cheapest winner, else with the lowest card."""
    plays = legal_plays(state)
    if state.led == 0:
        return highest_bit(plays)
    winner = cheapest_winner(plays, state.led)
    return winner if winner else lowest_of(plays)


# ---------------------------------------------------------------------------------------------------------- family


@kernel
def hand_points(hand: int, trump: int) -> int:
    """Return the tricks that a printed hand should take with that trump, in tenths."""
    cards = to_play_order(hand, trump, True)
    points = 0
    while cards:
        card = lowest_bit(cards)
        cards ^= card
        if card & TRUMP_FIELD:
            rank = lowest_index(card) - TRUMP_SHIFT
            points += 10 if card == RIGHT_BOWER else 9 if card == LEFT_BOWER else max(4, rank - 4)
        else:
            rank = lowest_index(card) % 13
            points += 6 if rank == _ACE else 3 if rank == _KING else rank == _QUEEN
    return points


@kernel
def _family_discard(hand: int, up: int) -> int:
    """The card whose loss costs the fewest points, the lowest of equal ones."""
    best = NO_CARD
    best_points = -1
    best_rank = 0
    for card in range(52):
        if hand >> card & 1:
            points = hand_points(hand & ~(1 << card), up // 13)
            if points > best_points or (points == best_points and card % 13 < best_rank):
                best = card
                best_points = points
                best_rank = card % 13
    return best


@kernel
def bidding_points(hand: int, up: int, is_dealer: bool) -> int:
    """Points with the up-card's suit as trump, in tenths of a trick.

    The dealer's are those after the exchange; the non-dealer's are less by half of what the up-card brings the dealer.
    """
    if is_dealer:
        return hand_points(hand & ~(1 << _family_discard(hand, up)) | (1 << up), up // 13)
    return hand_points(hand, up // 13) - hand_points(1 << up, up // 13) // 2


@kernel
def family_bids(hand: int, up: int, is_dealer: bool, rules: HandRules) -> BidPlan:
    """Bids early: who makes the contract deals next, and who passes lets the other choose.

    Three points a card are enough, three and a half where the contract needs more than half the tricks; two in the
    second round (found by trying a few against the other players).
    """
    n = popcount(hand)
    discard = _family_discard(hand, up) if is_dealer else NO_CARD
    points = bidding_points(hand, up, is_dealer)
    names = NO_SUIT
    most = 0 if is_dealer and rules.force_dealer_to_name else 2 * n
    for suit in range(4):
        in_suit = hand_points(hand, suit)
        if suit != up // 13 and in_suit >= most and (names == NO_SUIT or in_suit > most):
            names = suit
            most = in_suit
    enough = 3 * n + (n % 2 == 0) * n // 2
    return BidPlan(points >= enough, names, discard, discard)


@kernel
def _family_lead(state: InfoState) -> int:
    """Draws trumps with the boss trump, cashes boss cards, else leads low from the longest plain suit."""
    unseen = state.sure | state.pool
    trumps = state.hand & TRUMP_FIELD
    their_trumps = unseen & TRUMP_FIELD
    has_boss_trump = trumps > their_trumps
    if their_trumps and has_boss_trump and popcount(trumps) >= 2:
        return highest_bit(trumps)
    boss = 0
    boss_followers = -1
    low = 0
    longest = 0
    for shift in (0, 13, 26):
        mine = state.hand & (SUIT_BITS << shift)
        theirs = unseen & (SUIT_BITS << shift)
        if mine > theirs and popcount(theirs) > boss_followers:
            boss = highest_bit(mine)
            boss_followers = popcount(theirs)
        if popcount(mine) > longest:
            low = lowest_bit(mine)
            longest = popcount(mine)
    if boss:
        return boss
    if trumps and (their_trumps == 0 or low == 0):
        return highest_bit(trumps) if has_boss_trump else lowest_bit(trumps)
    return low


@kernel
def _family_throw(state: InfoState) -> int:
    """The lowest plain card that is not boss of its suit, else the lowest card."""
    unseen = state.sure | state.pool
    losers = 0
    for shift in (0, 13, 26):
        mine = state.hand & (SUIT_BITS << shift)
        theirs = unseen & (SUIT_BITS << shift)
        losers |= mine & (highest_bit(theirs) - 1) if theirs else 0
    return lowest_of(losers if losers else state.hand)


@kernel
def family_play(state: InfoState) -> int:
    """Wins as cheaply as it can; keeps boss cards, and the left bower for when the right one is gone."""
    if state.led == 0:
        return _family_lead(state)
    plays = legal_plays(state)
    winner = cheapest_winner(plays, state.led)
    if winner:
        return winner
    if plays & field_of(state.led, TRUMP_FIELD):
        return lowest_bit(plays)
    return _family_throw(state)
