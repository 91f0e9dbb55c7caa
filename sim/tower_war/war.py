"""Who wins whole wars and whole games? One kernel plays them in batches: the rules are those of games/tower_war, the
decisions those of sim/tower_war/players.

    towerlab simulate tower-war --players pimc,novice --games 10
"""

import functools
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from towerlab.games.arrays import Array
from towerlab.games.bits import lowest_index
from towerlab.games.cards import DECK_54
from towerlab.games.jit import kernel
from towerlab.games.tower_war import TowerWarOptions
from towerlab.games.tower_war.records import ROUND_CARDS, ROUNDS
from towerlab.games.tower_war.rules import (
    LEVELS,
    NO_CARD,
    OUTCOMES,
    PLACE,
    STACK,
    STASH,
    TOP_COUNT,
    TOP_SIZE,
    TOWER_SIZE,
    reset_tower,
)
from towerlab.games.tower_war.turns import (
    ADDING,
    BATTLE,
    BY_BATTLES,
    BY_FALL,
    DRAWING,
    HAND_SIZE,
    LEADING,
    LOSER,
    OUTCOME,
    OVER,
    PHASE,
    PLAYED,
    PLAYER,
    PLAYING,
    REASON,
    War,
    after_draw,
    after_handling,
    draw_card,
    drawable_cards,
    end_war,
    handle,
    new_seats,
    play,
    start_drawing,
    start_war,
)
from towerlab.sim.choices import random_card
from towerlab.sim.tower_war.players import (
    BUILD,
    CAP,
    MODEL,
    PLAY,
    SPLIT,
    TAKE,
    Player,
    choose_cap,
    choose_deck,
    choose_pile,
    choose_split,
    decide,
    opponent_hands,
)
from towerlab.solver.tower_war.battle import WAY_CARD, WAY_ROOM, WAY_SHOWN, WAY_SIZE, Stakes
from towerlab.solver.tower_war.decks import DraftValues, cards_of_subset, search_deck
from towerlab.solver.tower_war.model import shipped_draft, shipped_stakes
from towerlab.solver.tower_war.pimc import Battle

MAX_HANDS = 10_000  # C(40, 3) = 9,880: every hand of the largest pool

# A result row: LOSER, REASON and BATTLE of games.tower_war.turns, then the levels at the end.
HEIGHT = 3
RESULT_SIZE = 4


class Setting(NamedTuple):
    """Everything the kernels need besides the position.

    Attributes:
        stakes: values of a battle's outcomes.
        draft: values of drafted cards.
        short_loses, advanced, perfect_recall, max_battles: the options of these names.
        worlds: the number of hidden hands that a MODEL player looks at, 0 for all.
    """

    stakes: Stakes
    draft: DraftValues
    short_loses: bool
    advanced: bool
    perfect_recall: bool
    max_battles: int
    worlds: int


class GameBatch(NamedTuple):
    """The results of some games; arrays by game, seats in the order player one, player two.

    Attributes:
        results: int64 [games, RESULT_SIZE], see the top of this file.
        drafted: int64 [games, ROUNDS, 2], pools after each round.
        decks: int64 [games, 2].
        towers: int64 [games, TOWER_SIZE], the stashes with which each war began.
        outcomes: int64 [games, OUTCOMES], how often each outcome of a battle occurred.
        first_unit: number of the first game.
    """

    results: Array
    drafted: Array
    decks: Array
    towers: Array
    outcomes: Array
    first_unit: int

    @property
    def winning_seat(self) -> Array:
        """Seat that won each game, -1 for a drawn war."""
        loser = self.results[:, LOSER]
        return np.where(loser < 0, -1, 1 - loser)

    @property
    def winners(self) -> Array:
        """Index of the player who won each game (player p sits in seat (p + unit) % 2), -1 for a drawn war."""
        units = self.first_unit + np.arange(len(self.results))
        seat = self.winning_seat
        return np.where(seat < 0, -1, (seat - units) % 2)


class Sides(NamedTuple):
    """The two players of a war.

    Attributes:
        kinds: int64 [2, 5], their rows.
        pools, guesses: int64 [2], of each the other's belief about drafted and built cards.
        hands, ways: workspace for the hands that one may hold and the ways of a hand.
    """

    kinds: Array
    pools: Array
    guesses: Array
    hands: Array
    ways: Array


@kernel
def play_war(
    sides: Sides, decks: Array, tower: Array, setting: Setting, rng: Generator, outcomes: Array, result: Array
) -> None:
    """Play a war from the first battle to its end.

    Args:
        sides: the players.
        decks: int64 [2], their decks.
        tower: the tower with the stashes at the start; changed to the final one.
        rng: numpy Generator.
        outcomes: int64 [OUTCOMES], outcomes of finished battles are added to it.
        result: int64 [RESULT_SIZE], overwritten.

    Arrays: tower int64[TOWER_SIZE].
    """
    seats = new_seats(decks[0], decks[1])
    reset_tower(tower)
    war = start_war(seats, tower, setting.max_battles, setting.stakes.tens_only, setting.short_loses)
    turn = war.turn
    while turn[PHASE] != OVER:
        battle = turn[BATTLE]
        player = turn[PLAYER]
        if turn[PHASE] == DRAWING:
            if player == turn[LEADING]:
                for seat in range(2):
                    draw_hand(seats, seat, rng)
            after_draw(war)
        elif turn[PHASE] == PLAYING:
            way = sides.ways[_decide(sides, war, setting, rng)]
            k = seats[player, PLAYED]
            play(war, way[WAY_CARD + k], way[WAY_SHOWN + k])
        else:
            _build(sides, war, setting, rng)
        if turn[BATTLE] > battle or turn[REASON] == BY_BATTLES:
            outcomes[turn[OUTCOME]] += 1
    result[:HEIGHT] = turn[:HEIGHT]
    result[HEIGHT] = tower[LEVELS]


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
            drawn[place] = lowest_index(random_card(drawable, rng))
            draw_card(seats, player, drawn[place])
    return drawn


@kernel
def _decide(sides: Sides, war: War, setting: Setting, rng: Generator) -> int:
    """Choose a card, as a row of the ways of the player on turn, or the size of the level's first pyramid."""
    seats = war.seats
    player = war.turn[PLAYER]
    count = 0
    kind = sides.kinds[player, PLAY]
    opponent = 1 - player
    if kind == MODEL:
        count = opponent_hands(
            seats, opponent, sides.pools[opponent], setting.draft.deck_size, sides.guesses[opponent], setting.worlds,
            rng, sides.hands,
        )  # fmt: skip
    battle = Battle(seats, war.tower, war.turn[LEADING])
    adds = war.turn[PHASE] == ADDING
    return int(decide(kind, adds, battle, player, sides.hands[:count], setting.stakes, rng, sides.ways))


@kernel
def _build(sides: Sides, war: War, setting: Setting, rng: Generator) -> None:
    """Add a pyramid or take one back, or stack a card, until the tower falls (TW-15, TW-17, TW-18, TW-21)."""
    tower = war.tower
    player = war.turn[PLAYER]
    action = war.turn[PHASE] - ADDING
    size = tower[TOP_SIZE]
    card = NO_CARD
    if action == PLACE and tower[TOP_COUNT] == 0:
        size = _decide(sides, war, setting, rng)
    elif action == STACK:
        card = choose_cap(sides.kinds[player, CAP], war.seats, player, setting.draft.hand_values, rng)
    if rng.random() < setting.stakes.falls[player, action, size, tower[LEVELS]]:
        end_war(war.turn, player, BY_FALL)
    else:
        handle(war, action, size, card)
        after_handling(war, action)


@kernel
def shuffled_pack(rng: Generator) -> Array:
    """Return the pack in random order, but for the last four cards: int64[54]."""
    pack = np.arange(54)
    for place in range(50):
        other = place + int(rng.random() * (54 - place))
        pack[place], pack[other] = pack[other], pack[place]
    return pack


@kernel
def play_draft(kinds: Array, setting: Setting, rng: Generator, tower: Array, drafted: Array, decks: Array) -> int:
    """Shuffle, draft ten rounds and build two decks (TW-3..7); the base of the tower.

    Args:
        tower: the tower, into which the stashes are written: five of each size and the drafted ones.
        drafted: int64 [ROUNDS, 2], overwritten with both pools after each round.
        decks: int64 [2], overwritten.

    Arrays: kinds int64[2, 5].
    """
    pack = shuffled_pack(rng)
    third_stash = np.full(3, 5 if setting.advanced else 0)
    pools = np.zeros(2, np.int64)
    offer = np.zeros(4, np.int64)
    known = pools if setting.perfect_recall else np.zeros(2, np.int64)
    tower[STASH : STASH + 6] = 5
    for number in range(ROUNDS):
        splitter = number % 2
        taker = 1 - number % 2
        cards = np.sort(pack[ROUND_CARDS * number : ROUND_CARDS * (number + 1)])
        pile = choose_split(kinds[splitter, SPLIT], known, splitter, cards, setting.draft, third_stash, rng, offer)
        rest = cards_of_subset(cards, 31) & ~pile
        taken = choose_pile(kinds[taker, TAKE], known, taker, pile, rest, setting.draft, offer, rng)
        pools[taker] |= pile if taken == 0 else rest
        pools[splitter] |= rest if taken == 0 else pile
        gainer = taker if taken == offer[3] else splitter
        for size in range(3):
            tower[STASH + 3 * gainer + size] += offer[size]
            third_stash[size] -= offer[size]
        drafted[number] = pools
    for player in range(2):
        decks[player] = choose_deck(kinds[player, BUILD], pools[player], setting.draft, rng)
    return int(pack[ROUND_CARDS * ROUNDS])


@kernel
def play_games(kinds: Array, batch: GameBatch, setting: Setting, rng: Generator) -> None:
    """Play whole games; in unit u the two rows of `kinds` swap seats if u is odd.

    Args:
        kinds: int64 [2, 5].
        batch: overwritten, its outcomes added to.
    """
    hands = np.zeros(MAX_HANDS, np.int64)
    ways = np.zeros((WAY_ROOM, WAY_SIZE), np.int64)
    sides = Sides(np.zeros((2, 5), np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64), hands, ways)
    tower = np.zeros(TOWER_SIZE, np.int64)
    for unit in range(batch.results.shape[0]):
        for seat in range(2):
            sides.kinds[seat] = kinds[(seat + batch.first_unit + unit) % 2]
        base = play_draft(sides.kinds, setting, rng, tower, batch.drafted[unit], batch.decks[unit])
        batch.towers[unit] = tower
        for seat in range(2):
            pools = batch.drafted[unit, ROUNDS - 1]
            guess = 0
            sides.pools[seat] = pools[seat] if setting.perfect_recall else DECK_54 & ~(pools[1 - seat] | 1 << base)
            if sides.kinds[1 - seat, PLAY] == MODEL:
                guess = search_deck(sides.pools[seat], setting.draft.deck_size, setting.draft.hand_values)
            sides.guesses[seat] = guess
        play_war(sides, batch.decks[unit], tower, setting, rng, batch.outcomes[unit], batch.results[unit])


SIMULATED_WORLDS = 32  # hidden hands a simulated player looks at; the command line looks at all


@functools.lru_cache(maxsize=8)
def setting_of(
    options: TowerWarOptions, worlds: int = SIMULATED_WORLDS, *, players: tuple[Player, ...] = ()
) -> Setting:
    """Return the kernels' arguments for some options.

    Positions are valued by the table of the basic stashes; in the advanced game players take more than five
    pyramids of a size for five.

    Args:
        options: rule options.
        worlds: hidden hands a player looks at, 0 for all.
        players: the players; the war table (half a second) is left out if none of them uses it.
    """
    return Setting(
        stakes=shipped_stakes(options, not players or any(player.play == MODEL for player in players)),
        draft=shipped_draft(options),
        short_loses=options.short_hand == "lose",
        advanced=options.advanced,
        perfect_recall=options.recall == "perfect",
        max_battles=options.max_battles,
        worlds=worlds,
    )


def play_batch_of_games(
    players: tuple[Player, Player], games: int, setting: Setting, rng: np.random.Generator, first_unit: int = 0
) -> GameBatch:
    """Play whole games; in game u of the simulation player p sits in seat (p + u) % 2, seat 0 being player one."""
    batch = GameBatch(
        results=np.zeros((games, RESULT_SIZE), np.int64),
        drafted=np.zeros((games, ROUNDS, 2), np.int64),
        decks=np.zeros((games, 2), np.int64),
        towers=np.zeros((games, TOWER_SIZE), np.int64),
        outcomes=np.zeros((games, OUTCOMES), np.int64),
        first_unit=first_unit,
    )
    play_games(np.array([player.row() for player in players], np.int64), batch, setting, rng)
    return batch
