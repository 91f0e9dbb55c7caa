"""How does each player of Tower War split, pick, build, play, choose sizes and stack?

A player is five small ints (`PLAYERS`), so that one kernel plays them all; the parts can be mixed to find out what
each of them gains.

>>> list(PLAYERS)
['random', 'novice', 'pimc', 'even']
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from towerlab.games.arrays import Array
from towerlab.games.bits import lowest_index, popcount
from towerlab.games.cards import JOKER_1
from towerlab.games.jit import brief_kernel, kernel
from towerlab.games.tower_war.rules import PROFILE_SIZE, VALUE, addable_sizes, card_points, compare_cards, stash_index
from towerlab.games.tower_war.turns import (
    DECK,
    DISCARD,
    HAND,
    PLAYED,
    SHOWN,
    battle_cards,
    playable_cards,
    profile_seat,
)
from towerlab.sim.choices import random_card
from towerlab.sim.own_players import KnownPlayer
from towerlab.solver.tower_war.battle import WAY_CARD, WAY_PROFILE, WAY_SHOWN, Stakes, ways_of_seat
from towerlab.solver.tower_war.decks import (
    DraftValues,
    cards_of_subset,
    deck_value,
    search_deck,
    split_by_model,
    take_by_model,
)
from towerlab.solver.tower_war.pimc import OPTIONS, Battle, average_options, best_option, possible_hands

# Ways to do each part of the game.
RANDOM = 0
POINTS = 1
MODEL = 2
EVEN_COUNT = 3
TENS = 4
LOW = 5
# Columns of a player's row of kinds.
SPLIT = 0
TAKE = 1
BUILD = 2
PLAY = 3
CAP = 4


@dataclass(frozen=True, kw_only=True)
class Player(KnownPlayer):
    """A player by the way of doing each part: one of the constants above; `cap` is as `play` where it is None."""

    split: int = MODEL
    take: int = MODEL
    build: int = MODEL
    play: int = MODEL
    cap: int | None = None

    def row(self) -> tuple[int, int, int, int, int]:
        return self.split, self.take, self.build, self.play, self.play if self.cap is None else self.cap


PLAYERS: Final[dict[str, Player]] = {
    "random": Player("every choice at random", split=RANDOM, take=RANDOM, build=RANDOM, play=RANDOM),
    "novice": Player(
        "splits, picks and builds by points; leads high, wins as cheaply as possible",
        split=POINTS,
        take=POINTS,
        build=POINTS,
        play=POINTS,
    ),
    "pimc": Player("fitted draft values, searched decks; each battle solved against every hidden hand"),
    "even": Player("pimc, but always cuts three cards to two, as even in points as can be", split=EVEN_COUNT),
}


@brief_kernel
def simple_points(card: int) -> float:
    """Return a novice's value of a card: its points, a joker a little more than an ace; ranks break ties."""
    return 11.0 if card >= JOKER_1 else card_points(card) + 0.01 * (card % 13)


@kernel
def count_in_tens(card: int) -> float:
    """The count of the report's table card, in tens of mt: a joker 11, an ace 6, king 4, queen 3, jack 2, ten 1."""
    if card >= JOKER_1:
        return 11.0
    rank = card % 13
    return 6.0 if rank == 12 else max(0.0, rank - 7.0)


@kernel
def total_in_tens(mask: int) -> int:
    """Return the count of some cards, times 2^54, and below it which they are: ranks first, then spades to clubs."""
    total = 0
    while mask:
        card = lowest_index(mask)
        mask &= mask - 1
        place = card if card >= JOKER_1 else 4 * (card % 13) + card // 13
        total += (int(count_in_tens(card)) << 54) + (1 << place)
    return total


@brief_kernel
def sum_points(mask: int) -> float:
    """Return a novice's value of some cards."""
    total = 0.0
    while mask:
        total += simple_points(lowest_index(mask))
        mask &= mask - 1
    return total


# ----------------------------------------------------------------------------------------------------- in a battle


@brief_kernel
def decide(
    kind: int, choosing: bool, battle: Battle, player: int, hands: Array, stakes: Stakes, rng: Generator, ways: Array
) -> int:
    """Return the next card of a player, or the size added to an empty level.

    Args:
        kind: the kind of the player, RANDOM, POINTS, LOW or MODEL.
        choosing: whether a size is chosen (of which one must be left), not a card.
        hands: the opponent's possible hands, for MODEL only.
        ways: overwritten with the player's ways; the row returned begins with the next card.

    Returns:
        A row of `ways`, or a size.

    Arrays: hands int64[hands], ways int64[WAY_ROOM, WAY_SIZE].
    """
    seats = battle.seats
    tower = battle.tower
    values = np.zeros(OPTIONS)
    if kind == MODEL:
        own = average_options(battle, player, hands, choosing, stakes, ways, values)
    else:
        own = ways_of_seat(seats, player, seats[player, HAND], ways)
    if choosing:
        own = 3
        sizes = addable_sizes(tower, player)
        for size in range(3):
            if kind == RANDOM:
                values[size] = rng.random()
            elif kind != MODEL:
                values[size] = float(tower[stash_index(player, size)])
            if not (sizes >> size) & 1:
                values[size] = -1.0
    elif kind == RANDOM:
        return int(_random_way(ways, own, seats[player, PLAYED], random_card(playable_cards(seats, player), rng), rng))
    elif kind != MODEL:
        _like_ways(kind, ways, own, battle, player, stakes.tens_only, values)
    return int(best_option(values, own))


@kernel
def _random_way(ways: Array, own: int, k: int, card: int, rng: Generator) -> int:
    """Return a random way among those that play a card next."""
    matching = 0
    chosen = 0
    for row in range(own):
        if card >> ways[row, WAY_CARD + k] == 1:
            matching += 1
            if rng.random() * matching < 1.0:
                chosen = row
    return chosen


@kernel
def _like_ways(kind: int, ways: Array, own: int, battle: Battle, player: int, tens_only: bool, values: Array) -> None:
    """Lead the highest value (LOW: the lowest); follow with the lowest that wins, or the lowest of all."""
    seats = battle.seats
    profile = np.zeros(PROFILE_SIZE, np.int64)
    k = seats[player, PLAYED]
    profile_seat(seats, 1 - player, profile)
    for row in range(own):
        value = ways[row, WAY_PROFILE + VALUE + k]
        rank = ways[row, WAY_SHOWN + k] % 13
        values[row] = float(value) + 0.01 * rank
        if player != battle.leader:
            wins = compare_cards(value, rank, profile[VALUE + k], seats[1 - player, SHOWN + k] % 13, tens_only) > 0
            values[row] = (1e6 if wins else 0.0) - values[row]
        elif kind == LOW:
            values[row] = -values[row]


@brief_kernel
def choose_cap(kind: int, seats: Array, player: int, hand_values: Array, rng: Generator) -> int:
    """Return the card that a loser builds in: a random one, the lowest, or the least useful one of the deck.

    Arrays: seats int64[2, SEAT_SIZE], hand_values float32[TRIPLES].
    """
    cards = battle_cards(seats, player)
    if kind == RANDOM:
        return lowest_index(random_card(cards, rng))
    deck = seats[player, DECK] | seats[player, DISCARD] | cards
    best = -1
    best_value = -1e18
    left = cards
    while left:
        card = lowest_index(left)
        left &= left - 1
        value = deck_value(deck & ~(1 << card), hand_values) if kind == MODEL else -simple_points(card)
        if value > best_value:
            best = card
            best_value = value
    return best


# ------------------------------------------------------------------------------------------------------ in the draft


@kernel
def _split_in_tens(cards: Array) -> int:
    """Return a pile of the split of the report's table card, whose clauses weigh in order.

    Arrays: cards int64[5].
    """
    best = 0
    least = 1 << 62
    for subset in range(1, 31):
        pile = cards_of_subset(cards, subset)
        first, second = total_in_tens(pile), total_in_tens(cards_of_subset(cards, 31 - subset))
        gap = (first >> 54) - (second >> 54)
        more = 2 * popcount(pile) - 5
        if gap < 0 or (gap == 0 and more > 0):  # this pile counts more; of equal ones it is the smaller
            continue
        lying = (more + 3) // 2 if gap else (-more) // 2
        small = (first if more < 0 else second) & ((1 << 54) - 1)
        uneven = ((4 * gap + lying) << 54) - small
        if uneven < least:
            best = pile
            least = uneven
    return int(best)


@brief_kernel
def choose_split(
    kind: int, pools: Array, player: int, cards: Array, values: DraftValues, stash: Array, rng: Generator, offer: Array
) -> int:
    """Pile 0 of a split, and in `offer` the pyramids [large, medium, small] and the pile they belong to.

    Arrays: pools int64[2], cards int64[5], stash int64[3].
    """
    offer[:] = 0
    if kind == MODEL:
        return int(split_by_model(pools, player, cards, values, stash, offer))
    if kind == RANDOM:
        for letter in range(3):
            offer[letter] = int(rng.random() * (stash[letter] + 1))
        return cards_of_subset(cards, 1 + int(rng.random() * 15))
    if kind == TENS:
        return int(_split_in_tens(cards))
    best = 1
    least = 1e18
    total = sum_points(cards_of_subset(cards, 31))
    for subset in range(1, 16):
        pile = cards_of_subset(cards, subset)
        uneven = abs(total - 2.0 * sum_points(pile))
        if kind == EVEN_COUNT and not 2 <= popcount(pile) <= 3:
            continue
        if uneven < least:
            best = subset
            least = uneven
    return cards_of_subset(cards, best)


@brief_kernel
def choose_pile(
    kind: int, pools: Array, player: int, pile: int, other: int, values: DraftValues, offer: Array, rng: Generator
) -> int:
    """Return the pile (0 or 1) a player takes.

    Arrays: pools int64[2], offer int64[4].
    """
    if kind == MODEL:
        return int(take_by_model(pools, player, pile, other, values, offer))
    if kind == RANDOM:
        return 0 if rng.random() < 0.5 else 1
    if kind == TENS:
        return 0 if total_in_tens(pile) > total_in_tens(other) else 1
    return 0 if sum_points(pile) >= sum_points(other) else 1


@brief_kernel
def simple_deck(kind: int, pool: int, size: int, rng: Generator) -> int:
    """Return a random deck, or the cards of most points or of the highest count."""
    deck = pool
    while popcount(deck) > size:
        if kind == RANDOM:
            deck &= ~random_card(deck, rng)
            continue
        lowest = -1
        least = math.inf
        left = deck
        while left:
            card = lowest_index(left)
            left &= left - 1
            value = float(total_in_tens(1 << card)) if kind == TENS else simple_points(card)
            if value < least:
                lowest = card
                least = value
        deck &= ~(1 << lowest)
    return deck


@brief_kernel
def choose_deck(kind: int, pool: int, draft: DraftValues, rng: Generator) -> int:
    """Return the deck that a player builds."""
    if kind == MODEL:
        return search_deck(pool, draft.deck_size, draft.hand_values)
    return int(simple_deck(kind, pool, draft.deck_size, rng))


@kernel
def opponent_hands(
    seats: Array, opponent: int, pool: int, size: int, guess: int, worlds: int, rng: Generator, hands: Array
) -> int:
    """Write the hands that the opponent may hold and return how many: `worlds` of them, drawn, or all where it is 0.

    Arrays: seats int64[2, SEAT_SIZE], hands int64[MAX_HANDS].
    """
    count = possible_hands(seats, opponent, pool, size, guess, hands)
    if worlds and count > worlds:
        for place in range(worlds):
            other = place + int(rng.random() * (count - place))
            hands[place], hands[other] = hands[other], hands[place]
        count = worlds
    return count
