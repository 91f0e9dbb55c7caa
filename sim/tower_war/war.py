"""Whole wars and whole games in one kernel: rules from games/tower_war, decisions from sim/tower_war/players."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from towerlab.games.bits import popcount
from towerlab.games.cards import DECK_54
from towerlab.games.jit import kernel
from towerlab.games.tower_war.battle import (
    NO_CARD,
    NOBODY,
    PROFILE_SIZE,
    SKIRMISHES,
    Array,
    battle_loser,
    battle_outcome,
    skirmish_adder,
)
from towerlab.games.tower_war.draft import ROUND_CARDS, ROUNDS
from towerlab.games.tower_war.seats import (
    HAND,
    HAND_SIZE,
    PLAYED,
    SEAT_SIZE,
    battle_cards,
    clear_battle,
    draw_card,
    drawable_cards,
    play_card,
    playable_cards,
    profile_seat,
    sit_down,
    start_drawing,
)
from towerlab.games.tower_war.tower import (
    LEVEL_PYRAMIDS,
    LEVELS,
    PLACE,
    PLACED,
    REMOVE,
    STACK,
    STASH,
    TOP_COUNT,
    TOP_SIZE,
    TOWER_SIZE,
    add_pyramid,
    addable_sizes,
    reset_tower,
    stack_card,
    take_pyramid_back,
)
from towerlab.sim.tower_war.players import (
    BUILD,
    CAP,
    MODEL,
    PLAY,
    SPLIT,
    TAKE,
    choose_cap,
    choose_pile,
    choose_split,
    decide,
    opponent_hands,
    random_card,
    simple_deck,
)
from towerlab.solver.tower_war.decks import search_deck
from towerlab.solver.tower_war.hidden import Battle
from towerlab.solver.tower_war.pools import DraftValues, some_of
from towerlab.solver.tower_war.war_value import Stakes
from towerlab.solver.tower_war.ways import WAY_CARD, WAY_ROOM, WAY_SHOWN, WAY_SIZE

MAX_HANDS = 10_000  # C(40, 3) = 9,880: every hand of the largest pool

# How a war ended: columns of a result row.
LOSER, REASON, BATTLES, HEIGHT = 0, 1, 2, 3
RESULT_SIZE = 4
DRAWN = -1
BY_FALL, BY_STASH, BY_SHORT, BY_BATTLES = 0, 1, 2, 3
REASONS = ("fall", "stash", "short", "battles")


class Setting(NamedTuple):
    """Everything the kernels need besides the position.

    Attributes:
        stakes: values of a battle's outcomes.
        draft: values of drafted cards.
        short_loses, advanced, perfect_recall, max_battles: options.
        worlds: hidden hands a MODEL player looks at, 0 for all.
    """

    stakes: Stakes
    draft: DraftValues
    short_loses: bool
    advanced: bool
    perfect_recall: bool
    max_battles: int
    worlds: int


class Sides(NamedTuple):
    """The two players of a war.

    Attributes:
        kinds: int64 [2, 5], their rows.
        pools, guesses: int64 [2], of each what the other believes to be drafted and built.
    """

    kinds: Array
    pools: Array
    guesses: Array


class Workspace(NamedTuple):
    """Hands the opponent may hold, both profiles of a battle, the ways of a hand."""

    hands: Array
    profiles: Array
    ways: Array


@kernel
def play_war(
    sides: Sides, decks: Array, tower: Array, setting: Setting, rng: Generator, outcomes: Array, result: Array
) -> None:
    """Play a war from the first battle to its end.

    Args:
        sides: who plays.
        decks: int64 [2], their decks.
        tower: with the stashes at the start; afterwards as it stands at the end.
        rng: numpy Generator.
        outcomes: int64 [OUTCOMES], outcomes of finished battles are added to it.
        result: int64 [RESULT_SIZE], overwritten: LOSER (or DRAWN), REASON, BATTLES, HEIGHT (levels at the end).

    Arrays: tower int64[TOWER_SIZE].
    """
    seats = np.zeros((2, SEAT_SIZE), np.int64)
    sit_down(seats, decks[0], decks[1])
    reset_tower(tower)
    looks = sides.kinds[0, PLAY] == MODEL or sides.kinds[1, PLAY] == MODEL
    hands = np.zeros(MAX_HANDS if looks else 1, np.int64)
    profiles = np.zeros((2, PROFILE_SIZE), np.int64)
    work = Workspace(hands, profiles, np.zeros((WAY_ROOM, WAY_SIZE), np.int64))
    result[LOSER], result[REASON], result[BATTLES] = DRAWN, BY_BATTLES, setting.max_battles
    for battle in range(setting.max_battles):
        leader = battle % 2
        if _play_battle(sides, Battle(seats, tower, leader), setting, rng, work, result):
            result[BATTLES] = battle + 1
            break
        outcomes[battle_outcome(profiles[leader], profiles[1 - leader], setting.stakes.tens_only)] += 1
    result[HEIGHT] = tower[LEVELS]


@kernel
def _lose(player: int, reason: int, result: Array) -> bool:
    result[LOSER], result[REASON] = player, reason
    return True


@kernel
def draw_hand(seats: Array, player: int, rng: Generator) -> Array:
    """Draw three cards, as many as there are (TW-9); the cards, `NO_CARD` after the last: int64[3].

    Arrays: seats int64[2, SEAT_SIZE].
    """
    start_drawing(seats, player)
    drawn = np.full(HAND_SIZE, NO_CARD)
    for place in range(HAND_SIZE):
        drawable = drawable_cards(seats, player)
        if drawable:
            drawn[place] = random_card(drawable, rng)
            draw_card(seats, player, drawn[place])
    return drawn


@kernel
def _draw_hands(seats: Array, leader: int, short_loses: bool, rng: Generator) -> int:
    """Both draw three (TW-9); the player whom a short hand loses the war, the leader if both are short, or NOBODY."""
    for player in range(2):
        draw_hand(seats, player, rng)
    for player in (leader, 1 - leader):
        if short_loses and popcount(seats[player, HAND]) < HAND_SIZE:
            return player
    return NOBODY


@kernel
def _play_battle(
    sides: Sides, battle: Battle, setting: Setting, rng: Generator, work: Workspace, result: Array
) -> bool:
    """A battle (TW-9..19); True if the war ends in it.

    Three skirmishes of two turns each and an end: after each of them somebody may owe pyramids.
    """
    seats, tower, leader, profiles = battle.seats, battle.tower, battle.leader, work.profiles
    falls = setting.stakes.falls
    short = _draw_hands(seats, leader, setting.short_loses, rng)
    if short != NOBODY:
        return _lose(short, BY_SHORT, result)
    side = NOBODY
    for turn in range(2 * SKIRMISHES + 1):
        player, owed = leader ^ (turn % 2), 0
        if turn < 2 * SKIRMISHES:
            _take_turn(sides, False, battle, player, setting, rng, work)
            profile_seat(seats, player, profiles[player])
            if turn % 2 == 1:
                side = skirmish_adder(profiles[leader], profiles[1 - leader], turn // 2, setting.stakes.tens_only)
                owed = 1
        else:
            side = battle_loser(profiles[leader], profiles[1 - leader])
            owed = LEVEL_PYRAMIDS - tower[TOP_COUNT]
        for _ in range(0 if side == NOBODY else owed):
            player = leader ^ side
            if addable_sizes(tower, player) == 0:
                return _lose(player, BY_STASH, result)
            size = _take_turn(sides, True, battle, player, setting, rng, work)
            if rng.random() < falls[player, PLACE, size, tower[LEVELS]]:
                return _lose(player, BY_FALL, result)
            add_pyramid(tower, player, size)
    if side == NOBODY:
        return _return_pyramids(seats, tower, leader, falls, rng, result)
    player = leader ^ side
    return _cap_level(sides.kinds[player, CAP], seats, tower, player, setting.draft.hand_values, falls, rng, result)


@kernel
def _take_turn(
    sides: Sides, choosing: bool, battle: Battle, player: int, setting: Setting, rng: Generator, work: Workspace
) -> int:
    """Play a card, or say the size of the pyramid to add."""
    seats, tower, ways = battle.seats, battle.tower, work.ways
    if choosing and tower[TOP_COUNT] > 0:
        return int(tower[TOP_SIZE])
    if not choosing and playable_cards(seats, player) == 0:
        play_card(seats, player, NO_CARD, NO_CARD)
        return 0
    kind, opponent, count = sides.kinds[player, PLAY], 1 - player, 0
    if kind == MODEL:
        count = opponent_hands(
            seats, opponent, sides.pools[opponent], setting.draft.deck_size, sides.guesses[opponent], setting.worlds,
            rng, work.hands,
        )  # fmt: skip
    chosen = decide(kind, choosing, battle, player, work.hands[:count], setting.stakes, rng, ways)
    if not choosing:
        k = seats[player, PLAYED]
        play_card(seats, player, ways[chosen, WAY_CARD + k], ways[chosen, WAY_SHOWN + k])
    return int(chosen)


@kernel
def _return_pyramids(seats: Array, tower: Array, leader: int, falls: Array, rng: Generator, result: Array) -> bool:
    """After equal totals the leader takes the own pyramids back, then the other (TW-18); True if the tower falls."""
    for turn in range(2):
        player = leader ^ turn
        while tower[PLACED + player] > 0:
            if rng.random() < falls[player, REMOVE, tower[TOP_SIZE], tower[LEVELS]]:
                return _lose(player, BY_FALL, result)
            take_pyramid_back(tower, player)
    clear_battle(seats, 0, NO_CARD)
    return False


@kernel
def _cap_level(
    kind: int, seats: Array, tower: Array, loser: int, hand_values: Array, falls: Array, rng: Generator, result: Array
) -> bool:
    """The loser stacks one of the own cards on the full level (TW-17); True if the war ends."""
    if battle_cards(seats, loser) == 0:
        return _lose(loser, BY_SHORT, result)
    card = choose_cap(kind, seats, loser, hand_values, rng)
    if rng.random() < falls[loser, STACK, tower[TOP_SIZE], tower[LEVELS]]:
        return _lose(loser, BY_FALL, result)
    stack_card(tower)
    clear_battle(seats, loser, card)
    return False


@kernel
def shuffled_pack(rng: Generator) -> Array:
    """Return the pack in random order, but for the last four cards: int64[54]."""
    pack = np.arange(54)
    for place in range(50):
        other = place + int(rng.random() * (54 - place))
        pack[place], pack[other] = pack[other], pack[place]
    return pack


@kernel
def play_draft(
    kinds: Array, setting: Setting, rng: Generator, tower: Array, drafted: Array, decks: Array, third_stash: Array
) -> None:
    """Shuffle, draft ten rounds and build two decks (TW-3..7).

    Args:
        tower: its stashes are written: five of each size and what was drafted.
        drafted: int64 [ROUNDS, 2], overwritten with both pools after each round.
        decks: int64 [2], overwritten.
        third_stash: int64 [3], overwritten with what is left of the third stash.

    Arrays: kinds int64[2, 5].
    """
    pack = shuffled_pack(rng)
    pools = np.zeros(2, np.int64)
    offer = np.zeros(4, np.int64)
    for kind in range(6):
        tower[STASH + kind] = 5
    for size in range(3):
        third_stash[size] = 5 if setting.advanced else 0
    for number in range(ROUNDS):
        splitter, taker = number % 2, 1 - number % 2
        cards = np.sort(pack[ROUND_CARDS * number : ROUND_CARDS * (number + 1)])
        pile = choose_split(kinds[splitter, SPLIT], pools, splitter, cards, setting.draft, third_stash, rng, offer)
        rest = some_of(cards, 31) & ~pile
        taken = choose_pile(kinds[taker, TAKE], pools, taker, pile, rest, setting.draft, offer, rng)
        pools[taker] |= pile if taken == 0 else rest
        pools[splitter] |= rest if taken == 0 else pile
        gainer = taker if taken == offer[3] else splitter
        for size in range(3):
            tower[STASH + 3 * gainer + size] += offer[size]
            third_stash[size] -= offer[size]
        drafted[number, 0] = pools[0]
        drafted[number, 1] = pools[1]
    for player in range(2):
        kind = kinds[player, BUILD]
        if kind == MODEL:
            decks[player] = search_deck(pools[player], setting.draft.deck_size, setting.draft.hand_values)
        else:
            decks[player] = simple_deck(kind, pools[player], setting.draft.deck_size, rng)


@kernel
def play_games(
    kinds: Array, first_unit: int, setting: Setting, rng: Generator, outcomes: Array, results: Array, drafted: Array,
    decks: Array, towers: Array,
) -> None:  # fmt: skip
    """Play whole games; in unit u the two rows of `kinds` swap seats if u is odd.

    Args:
        kinds: int64 [2, 5].
        outcomes: int64 [units, OUTCOMES], outcomes of each war's finished battles are added to its row.
        results: int64 [units, RESULT_SIZE], by seat (player one is 0).
        drafted: int64 [units, ROUNDS, 2], pools after each round, by seat.
        decks: int64 [units, 2], by seat.
        towers: int64 [units, TOWER_SIZE], the stashes with which each war began.
    """
    seated = np.zeros((2, 5), np.int64)
    pools = np.zeros(2, np.int64)
    guesses = np.zeros(2, np.int64)
    third = np.zeros(3, np.int64)
    tower = np.zeros(TOWER_SIZE, np.int64)
    for unit in range(results.shape[0]):
        for seat in range(2):
            seated[seat] = kinds[(seat + first_unit + unit) % 2]
        play_draft(seated, setting, rng, tower, drafted[unit], decks[unit], third)
        towers[unit] = tower
        for seat in range(2):
            pools[seat] = drafted[unit, ROUNDS - 1, seat] if setting.perfect_recall else (
                DECK_54 & ~drafted[unit, ROUNDS - 1, 1 - seat]
            )  # fmt: skip
            needed = seated[1 - seat, PLAY] == MODEL
            guesses[seat] = (
                search_deck(pools[seat], setting.draft.deck_size, setting.draft.hand_values) if needed else 0
            )
        play_war(Sides(seated, pools, guesses), decks[unit], tower, setting, rng, outcomes[unit], results[unit])
