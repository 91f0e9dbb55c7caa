"""Which players are there, and what does each decide? Dispatch by number, since kernels take no functions.

`random`, `novice` and `family` follow habits, which are here; `pimc` and `cautious` search (`pimc`); `equilibrium`
looks decisions up (`equilibrium`). Points of `family` are tenths of a trick.

>>> sorted(PLAYERS, key=PLAYER_IDS.__getitem__)
['random', 'novice', 'family', 'pimc', 'cautious', 'equilibrium']
"""

from __future__ import annotations

from typing import Any, Final

from towerlab.games.bits import highest_bit, lowest_bit, lowest_index, popcount
from towerlab.games.cards import LEFT_BOWER, RIGHT_BOWER, SUIT_BITS, TRUMP_FIELD, TRUMP_SHIFT, to_play_order, to_printed
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.rules import HandRules, majority
from towerlab.games.tricks import field_of, leader_wins
from towerlab.sim.choices import draw_number, random_card
from towerlab.sim.own_players import KnownPlayer
from towerlab.sim.towers_and_bowers.equilibrium import NOT_STORED, equilibrium_bids, solved_play
from towerlab.sim.towers_and_bowers.info_state import NO_CARD, NO_SUIT, BidPlan, History, InfoState, Model, legal_plays
from towerlab.sim.towers_and_bowers.pimc import cautious_play, pimc_bids, pimc_play

RANDOM: Final = 0
NOVICE: Final = 1
FAMILY: Final = 2
PIMC: Final = 3
CAUTIOUS: Final = 4
EQUILIBRIUM: Final = 5

PLAYERS: Final = {
    "random": KnownPlayer("every legal call and card alike", RANDOM),
    "novice": KnownPlayer("bids on three trumps; leads high, follows with the cheapest winner", NOVICE),
    "family": KnownPlayer("counts points; draws trumps with the boss, cashes boss cards, throws losers", FAMILY),
    "pimc": KnownPlayer(
        "best on average over every hand the opponent can hold, all cards seen afterwards (nothing is sampled)", PIMC
    ),
    "cautious": KnownPlayer("as pimc, but keeps whatever the claim prover shows to be safe", CAUTIOUS),
    "equilibrium": KnownPlayer(
        "bids and discards hands of up to 4 cards as solved, and plays hands of 1 or 2 so; else as pimc", EQUILIBRIUM
    ),
}
PLAYER_IDS: Final = {name: player.kind for name, player in PLAYERS.items()}


@kernel
def plan_bids(player: int, hand: int, up: int, is_dealer: bool, rules: HandRules, model: Model, random: Any) -> BidPlan:
    """How a player will bid.

    Args:
        player: the number of the player, `RANDOM` … `EQUILIBRIUM`.
        hand: printed mask of the cards dealt to the player.
        up: the up-card.
        is_dealer: the player's seat.
        rules, model: the rules by which the game is played, and the model of the players.
        random: a numpy Generator for players who toss coins.
    """
    if follows_habits(player):
        return habitual_bids(player, hand, up, is_dealer, rules, random)
    return searched_bids(player, hand, up, is_dealer, rules, model, random)


@kernel
def habitual_bids(player: int, hand: int, up: int, is_dealer: bool, rules: HandRules, random: Any) -> BidPlan:
    """`plan_bids` for players who follow habits."""
    if player == RANDOM:
        return random_bids(hand, up, is_dealer, rules, random)
    if player == NOVICE:
        return novice_bids(hand, up, is_dealer, rules)
    return family_bids(hand, up, is_dealer, rules)


@kernel
def searched_bids(
    player: int, hand: int, up: int, is_dealer: bool, rules: HandRules, model: Model, random: Any
) -> BidPlan:
    """`plan_bids` for the others."""
    if player == EQUILIBRIUM:
        return equilibrium_bids(hand, up, is_dealer, rules, model, random)
    return pimc_bids(hand, up, is_dealer, rules, model)


@kernel
def choose_play(player: int, state: InfoState, history: History, values: Any, model: Model, random: Any) -> int:
    """Return the card a player plays, as a play-order mask.

    Args:
        player: the number of the player, `RANDOM` … `EQUILIBRIUM`.
        state: the knowledge of the player.
        history: the bids and plays that led there.
        values: float64[8], P(winning the tower) by the player's tricks of the hand (a row of `Model.payoffs`).
        model: tables and workspace.
        random: a numpy Generator.
    """
    if follows_habits(player):
        return habitual_play(player, state, random)
    return searched_play(player, state, history, values, model, random)


@kernel
def follows_habits(player: int) -> bool:
    """Return whether the player decides without searching, and hence without a `Model`."""
    return player <= FAMILY


@kernel
def habitual_play(player: int, state: InfoState, random: Any) -> int:
    """`choose_play` for players who follow habits."""
    if player == RANDOM:
        return random_card(legal_plays(state), random)
    if player == NOVICE:
        return novice_play(state)
    return family_play(state)


@kernel
def searched_play(player: int, state: InfoState, history: History, values: Any, model: Model, random: Any) -> int:
    """`choose_play` for the others."""
    if player == EQUILIBRIUM:
        card = solved_play(state, history, model.solution.play, random)
        if card != NOT_STORED:
            return card
    if player == CAUTIOUS:
        return cautious_play(state, values, model)
    return pimc_play(state, values, model)


# places in a field
_ACE = 12
_KING = 11
_QUEEN = 10
_TEN = 8

# ---------------------------------------------------------------------------------------------------------- random


@kernel
def random_bids(hand: int, up: int, is_dealer: bool, rules: HandRules, random: Any) -> BidPlan:
    """Every legal call alike, every legal discard alike."""
    suit = draw_number(random, 3 if is_dealer and rules.force_dealer_to_name else 4)
    names = NO_SUIT if suit == 3 else suit + (suit >= up // 13)
    discards = hand | (1 << up) if rules.allow_discard_upcard else hand
    discard = lowest_index(random_card(discards, random)) if is_dealer else NO_CARD
    return BidPlan(draw_number(random, 2) == 0, names, discard, discard)


# ---------------------------------------------------------------------------------------------------------- novice


@kernel
def lowest_of(cards: int) -> int:
    """Return the card lowest in its suit, plain suits before trumps."""
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
    """Return the lowest of some legal replies that wins the trick, 0 if none does."""
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
    """Return the card whose loss costs the fewest points, the lowest of equal ones."""
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
    """Return the points with the up-card's suit as trump, in tenths of a trick.

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
    unseen = state.opponent_holds | state.pool
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
    """Return the lowest plain card that is not boss of its suit, else the lowest card."""
    unseen = state.opponent_holds | state.pool
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
