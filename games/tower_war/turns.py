"""What does a war wait for, and what do the players hold? After every draw, card and pyramid (TW-8..10, TW-15..21).

Turn: int64[7].

    0  LOSER    of the war; NO_LOSER while it goes on, and in a draw
    1  REASON   how it ended; NO_REASON while it goes on
    2  BATTLE   number of the running battle, from 1
    3  LEADING  who leads it
    4  PHASE    what the war waits for, or OVER
    5  PLAYER   whose turn it is, or for whom cards are drawn
    6  OUTCOME  of the last battle whose totals were compared

Seats: int64[2, SEAT_SIZE], a row a player. A shuffled deck is a set from which cards are drawn at random, so that no
order has to be kept. Masks hold printed cards (games/cards.py).

    0  DECK      not yet drawn
    1  HAND      drawn this battle and not yet played
    2  DISCARD   open to both
    3  BUILT     built into the tower
    4  CERTAIN   drawn in this battle for certain: the last cards of a deck, before its discards were shuffled
    5  SOURCE    what the other cards of this battle's hand were drawn from
    6  PLAYED    cards played this battle, forfeited skirmishes (TW-9, TW-13) included
    7..9         those cards, NO_CARD for a forfeit
    10..12       the same as played: a joker is the card it copies

>>> seats = new_seats(0b111, 0b111000)  # of player 0 the lowest three clubs
>>> start_drawing(seats, 0)
>>> int(drawable_cards(seats, 0))
7
"""

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.bits import popcount
from towerlab.games.cards import JOKERS
from towerlab.games.jit import kernel
from towerlab.games.tower_war.rules import (
    LEVEL_PYRAMIDS,
    NO_CARD,
    NO_SIDE,
    PLACE,
    PLACED,
    PROFILE_SIZE,
    REMOVE,
    SKIRMISHES,
    TOP_COUNT,
    add_pyramid,
    addable_sizes,
    battle_outcome,
    outcome_loser,
    profile_cards,
    skirmish_adder,
    stack_card,
    take_pyramid_back,
)

# Places of a player's row of seats.
DECK = 0
HAND = 1
DISCARD = 2
BUILT = 3
CERTAIN = 4
SOURCE = 5
PLAYED = 6
CARD = 7
SHOWN = 10
SEAT_SIZE = 13
HAND_SIZE = 3

# Places of a turn's array, and what a war waits for.
LOSER, REASON, BATTLE, LEADING, PHASE, PLAYER, OUTCOME = range(7)
# A pyramid is added, taken back, a card stacked: in the order of PLACE, REMOVE and STACK.
DRAWING, PLAYING, ADDING, TAKING_BACK, CAPPING, OVER = range(6)
NO_LOSER = NO_REASON = -1
BY_FALL, BY_STASH, BY_SHORT, BY_BATTLES = range(4)
REASONS: Final = ("fall", "stash", "short", "battles")


@kernel
def new_seats(deck_one: int, deck_two: int) -> Array:
    """Return both players before the first battle (TW-8): int64[2, SEAT_SIZE]."""
    seats = np.zeros((2, SEAT_SIZE), np.int64)
    seats[0, DECK] = deck_one
    seats[1, DECK] = deck_two
    clear_table(seats)
    return seats


@kernel
def clear_table(seats: Array) -> None:
    """No card played yet in this battle.

    Arrays: seats int64[2, SEAT_SIZE].
    """
    seats[:, PLAYED] = 0
    seats[:, CARD:] = NO_CARD


@kernel
def start_drawing(seats: Array, player: int) -> None:
    """Note what this battle's hand will be drawn from: it is what the opponent can know of it.

    Arrays: seats int64[2, SEAT_SIZE].
    """
    if popcount(seats[player, DECK]) < HAND_SIZE:
        seats[player, CERTAIN] = seats[player, DECK]
        seats[player, SOURCE] = seats[player, DISCARD]
    else:
        seats[player, CERTAIN] = 0
        seats[player, SOURCE] = seats[player, DECK]


@kernel
def drawable_cards(seats: Array, player: int) -> int:
    """Return the cards of which each is the next to be drawn with the same chance; 0 if there are none (TW-9).

    Arrays: seats int64[2, SEAT_SIZE].
    """
    return int(seats[player, DECK] if seats[player, DECK] else seats[player, DISCARD])


@kernel
def draw_card(seats: Array, player: int, card: int) -> None:
    """Draw a card; an empty deck is first made anew from the discard pile (TW-9).

    Arrays: seats int64[2, SEAT_SIZE].
    """
    if seats[player, DECK] == 0:
        seats[player, DECK] = seats[player, DISCARD]
        seats[player, DISCARD] = 0
    seats[player, DECK] &= ~(1 << card)
    seats[player, HAND] |= 1 << card


@kernel
def playable_cards(seats: Array, player: int) -> int:
    """Return the cards that may be played now: a joker only after a card it can copy (TW-13); 0 forfeits (TW-9, TW-13).

    Arrays: seats int64[2, SEAT_SIZE].
    """
    hand = int(seats[player, HAND])
    for k in range(seats[player, PLAYED]):
        if seats[player, SHOWN + k] != NO_CARD:
            return hand
    return hand & ~JOKERS


@kernel
def play_card(seats: Array, player: int, card: int, shown: int) -> None:
    """Play a card, or forfeit a skirmish with `NO_CARD`.

    Arrays: seats int64[2, SEAT_SIZE].
    """
    k = seats[player, PLAYED]
    seats[player, CARD + k] = card
    seats[player, SHOWN + k] = shown
    seats[player, PLAYED] = k + 1
    if card != NO_CARD:
        seats[player, HAND] &= ~(1 << card)


@kernel
def cards_on_table(seats: Array, player: int) -> int:
    """Return the cards that a player has played in this battle, as a mask.

    Arrays: seats int64[2, SEAT_SIZE].
    """
    cards = 0
    for k in range(seats[player, PLAYED]):
        if seats[player, CARD + k] != NO_CARD:
            cards |= 1 << seats[player, CARD + k]
    return cards


@kernel
def battle_cards(seats: Array, player: int) -> int:
    """Return a player's cards of this battle as a mask: one of them is what a loser builds in (TW-17).

    Arrays: seats int64[2, SEAT_SIZE].
    """
    return int(seats[player, HAND] | cards_on_table(seats, player))


@kernel
def clear_battle(seats: Array, loser: int, built: int) -> None:
    """End a battle: its cards go to the discard piles, except the one the loser built in (TW-17, TW-19).

    Args:
        loser: the player who stacked a card; anything when `built` is `NO_CARD`.
        built: that card, or `NO_CARD` after equal totals.

    Arrays: seats int64[2, SEAT_SIZE].
    """
    for player in range(2):
        cards = battle_cards(seats, player)
        if built != NO_CARD and player == loser:
            cards &= ~(1 << built)
            seats[player, BUILT] |= 1 << built
        seats[player, DISCARD] |= cards
        seats[player, HAND] = 0
    clear_table(seats)


@kernel
def profile_seat(seats: Array, player: int, profile: Array) -> None:
    """Fill the profile of what a player has played so far (see games/tower_war/rules.py).

    Arrays: seats int64[2, SEAT_SIZE], profile int64[PROFILE_SIZE].
    """
    profile_cards(seats[player, SHOWN : SHOWN + SKIRMISHES], profile)


class War(NamedTuple):
    """A war as it stands, and the options that decide how it goes on.

    Attributes:
        seats, tower: int64 [2, SEAT_SIZE] and [TOWER_SIZE].
        turn: int64 [7].
        profiles: int64 [2, PROFILE_SIZE], of what both have played.
        max_battles, tens_only, short_loses: the options of these names.
    """

    seats: Array
    tower: Array
    turn: Array
    profiles: Array
    max_battles: int
    tens_only: bool
    short_loses: bool


@kernel
def start_war(seats: Array, tower: Array, max_battles: int, tens_only: bool, short_loses: bool) -> War:
    """Return a war between players who have sat down, its first battle led by player one (TW-8).

    Arrays: seats int64[2, SEAT_SIZE], tower int64[TOWER_SIZE].
    """
    turn = np.array([NO_LOSER, NO_REASON, 0, 1, OVER, 0, 0])
    war = War(seats, tower, turn, np.zeros((2, PROFILE_SIZE), np.int64), max_battles, tens_only, short_loses)
    start_battle(war)
    return war


@kernel
def start_battle(war: War) -> None:
    """The next battle, led by the other player (TW-8), or a draw after as many as were agreed."""
    turn = war.turn
    if turn[BATTLE] == war.max_battles:
        end_war(turn, NO_LOSER, BY_BATTLES)
        return
    turn[BATTLE] += 1
    turn[LEADING] = 1 - turn[LEADING]
    turn[PHASE], turn[PLAYER] = DRAWING, turn[LEADING]


@kernel
def end_war(turn: Array, loser: int, reason: int) -> None:
    """Nothing is waited for any more."""
    turn[PHASE] = OVER
    turn[LOSER] = loser
    turn[REASON] = reason


@kernel
def after_draw(war: War) -> None:
    """A hand has been drawn, the leader's first; less than three cards may lose the war (TW-9)."""
    turn = war.turn
    player = war.turn[PLAYER]
    if war.short_loses and popcount(war.seats[player, HAND]) < HAND_SIZE:
        end_war(turn, player, BY_SHORT)
    elif player == turn[LEADING]:
        turn[PHASE] = DRAWING
        turn[PLAYER] = 1 - player
    else:
        _next_card(war, False)


@kernel
def play(war: War, card: int, shown: int) -> None:
    """Play a card of the player on turn."""
    _lay(war, war.turn[PLAYER], card, shown)
    _next_card(war, True)


@kernel
def handle(war: War, action: int, size: int, card: int) -> None:
    """Place or remove a pyramid, or stack a card.

    Args:
        action: `PLACE`, `REMOVE` or `STACK`.
        size: the size of a pyramid that is placed.
        card: the card that is stacked.
    """
    player = war.turn[PLAYER]
    if action == PLACE:
        add_pyramid(war.tower, player, size)
    elif action == REMOVE:
        take_pyramid_back(war.tower, player)
    else:
        stack_card(war.tower)
        clear_battle(war.seats, player, card)


@kernel
def after_handling(war: War, action: int) -> None:
    """Nothing has fallen."""
    if action == PLACE:
        _next_card(war, False)
    elif action == REMOVE:
        _return_pyramids(war)
    else:
        start_battle(war)


@kernel
def _next_card(war: War, played: bool) -> None:
    """Wait for the next card, or for what comes before it; who has none to play forfeits the skirmish (TW-9, TW-13).

    Args:
        played: whether a card has just been played, so that somebody may have to add a pyramid (TW-15).
    """
    seats = war.seats
    turn = war.turn
    leader = war.turn[LEADING]
    while True:
        count = seats[0, PLAYED] + seats[1, PLAYED]
        if played and count % 2 == 0:
            side = skirmish_adder(war.profiles[leader], war.profiles[1 - leader], count // 2 - 1, war.tens_only)
            if side != NO_SIDE:
                _must_add(war, leader ^ side)
                return
        if count == 2 * SKIRMISHES:
            _end_battle(war)
            return
        player = leader ^ (count % 2)
        turn[PHASE] = PLAYING
        turn[PLAYER] = player
        if playable_cards(seats, player):
            return
        _lay(war, player, NO_CARD, NO_CARD)
        played = True


@kernel
def _lay(war: War, player: int, card: int, shown: int) -> None:
    play_card(war.seats, player, card, shown)
    profile_seat(war.seats, player, war.profiles[player])


@kernel
def _must_add(war: War, player: int) -> None:
    """Wait for a pyramid; without one that fits the war is lost (TW-15, TW-21)."""
    war.turn[PHASE] = ADDING
    war.turn[PLAYER] = player
    if not addable_sizes(war.tower, player):
        end_war(war.turn, player, BY_STASH)


@kernel
def _end_battle(war: War) -> None:
    """After three skirmishes equal totals take back (TW-18), the lower total fills the level and caps it (TW-17)."""
    turn = war.turn
    turn[OUTCOME] = battle_outcome(war.profiles[turn[LEADING]], war.profiles[1 - turn[LEADING]], war.tens_only)
    side = outcome_loser(turn[OUTCOME])
    loser = turn[LEADING] ^ side
    if side == NO_SIDE:
        _return_pyramids(war)
    elif war.tower[TOP_COUNT] < LEVEL_PYRAMIDS:
        _must_add(war, loser)
    else:
        turn[PHASE] = CAPPING
        turn[PLAYER] = loser
        if not battle_cards(war.seats, loser):
            end_war(turn, loser, BY_SHORT)


@kernel
def _return_pyramids(war: War) -> None:
    """The leader takes all of the own pyramids back, then the other; then the battle is over (TW-18)."""
    turn = war.turn
    for side in range(2):
        player = turn[LEADING] ^ side
        if war.tower[PLACED + player]:
            turn[PHASE] = TAKING_BACK
            turn[PLAYER] = player
            return
    clear_battle(war.seats, 0, NO_CARD)
    start_battle(war)
