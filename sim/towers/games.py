"""Who plays Towers how, and who wins whole games?

>>> list(PLAYERS)
['random', 'greedy', 'builder', 'search', 'novice']
"""

import dataclasses
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.errors import OptionError
from towerlab.games.jit import brief_kernel, kernel
from towerlab.games.towers import TowersOptions
from towerlab.games.towers.rules import (
    COLUMNS,
    KING,
    MOST_PLACES,
    NO_LOG,
    PACK_SIZE,
    meets_equal,
    new_board,
    open_columns,
    open_spans,
    resolve,
)
from towerlab.games.towers.state import (
    HANDS,
    MOST_ACTIONS,
    NOBODY,
    ON_TURN,
    PACK,
    act,
    copy_board,
    deal,
    legal_actions,
    new_state,
    sorted_pack,
)
from towerlab.sim.own_players import KnownPlayer
from towerlab.solver.towers.ending import Search, best_action, new_search
from towerlab.solver.towers.search import (
    Sampler,
    choose_at_random,
    choose_by_sampling,
    choose_greedily,
    count_unseen,
    new_sampler,
    points_of,
)

RANDOM, GREEDY, BUILDER, SEARCH, NOVICE = range(5)
PLAYERS: Final = {
    "random": KnownPlayer("any legal play, at random", RANDOM),
    "greedy": KnownPlayer("most points now, ties at random", GREEDY),
    "builder": KnownPlayer(
        "points now, less what the next player can expect, plus its own next ones; low cards first", BUILDER
    ),
    "search": KnownPlayer(
        "deals the unseen cards often and plays on greedily for some turns; exact endings with 2 players", SEARCH
    ),
    "novice": KnownPlayer(
        "most points now; without any the highest card that fits, on the lowest tower, bridges last", NOVICE
    ),
}
TURNS, MEETINGS, RAZES, RAZE_POINTS = range(4)  # columns of `GameResults.events`

# Weights of the builder next to the points now, in points: the next player's expected points (taken off), its own best
# points next time, each card it could still play, each place farther right (bridges beyond towers), each point of the
# card's value, the most points that any card takes which the next player may hold (taken off).
BUILDER_WEIGHTS: Final = (0.5, 0.3, 0.01, 0.0, -0.03, 0.0)
REPLY, OWN_NEXT, PLAYABLE, PLACE, CARD, ANY_REPLY = range(6)
SEARCH_SAMPLES: Final = 24
SEARCH_HORIZON: Final = 4
ENDING_NODES: Final = 200_000


class Memory(NamedTuple):
    """Working memory of the players of one game."""

    actions: Array
    gains: Array
    values: Array
    scratch: Array
    board: Array
    unseen: Array
    chances: Array
    leads: Array
    log: Array
    weights: Array
    sampler: Sampler
    ending: Search


def new_memory(n_players: int, samples: int, weights: Sequence[float] = BUILDER_WEIGHTS) -> Memory:
    """Return a workspace for games of so many players and one set of rule options.

    Args:
        samples: the number of times that ``search`` plays on.
        weights: the weights of the player ``builder``.
    """
    return Memory(
        actions=np.zeros(MOST_ACTIONS, dtype=np.int64),
        values=np.zeros(MOST_ACTIONS, dtype=np.int64),
        gains=np.zeros(KING + 1, dtype=np.int64),
        scratch=new_board(),
        board=new_board(),
        unseen=np.zeros(KING + 1, dtype=np.int64),
        chances=np.zeros(KING + 1, dtype=np.float64),
        leads=np.zeros((samples, MOST_ACTIONS), dtype=np.int64),
        log=NO_LOG,
        weights=np.array(weights, dtype=np.float64),
        sampler=new_sampler(n_players),
        ending=new_search(16),
    )


# ----------------------------------------------------------------------------------------------------------- builder


@kernel
def best_points(board: Array, value: int, rules: Array, memory: Memory) -> int:
    """Return the most points that a card of that value makes on a board at once; 0 when it cannot be played.

    Arrays: board int64[4, 53], rules int64[9].
    """
    places = open_columns(board, value) | open_spans(board, rules)
    most = 0
    for place in range(MOST_PLACES):
        if places >> place & 1 and meets_equal(board, place, value, rules):
            most = max(most, points_of(board, 8 * value + place, rules, memory.scratch, memory.log))
    return most


@kernel
def expected_reply(board: Array, rules: Array, memory: Memory) -> float:
    """Points that a hand makes at once on average, if it holds value v with probability ``memory.chances[v]``.

    Arrays: board int64[4, 53], rules int64[9].
    """
    chances = memory.chances
    gains = memory.gains
    for value in range(1, KING + 1):
        gains[value] = best_points(board, value, rules, memory) if chances[value] > 0 else 0
    expected = 0.0
    none_better = 1.0
    while True:
        best = 1 + gains[1:].argmax()
        if gains[best] == 0:
            return expected
        expected += none_better * chances[best] * gains[best]
        none_better *= 1.0 - chances[best]
        gains[best] = 0


@kernel
def choose_as_builder(state: Array, rules: Array, rng: np.random.Generator, memory: Memory) -> int:
    """Return the best action by points now, less the next player's expected points, plus a value of the hand left.

    Arrays: state int64[6 + players, 53], rules int64[9].
    """
    player = state[ON_TURN, 0]
    board = memory.board
    weights = memory.weights
    total = count_unseen(state, player, memory.unseen)
    following = (player + 1) % (state.shape[0] - HANDS)
    size = state[HANDS + following, 0]
    for value in range(1, KING + 1):
        missing = 1.0
        for i in range(size):
            missing *= max(0.0, 1.0 - memory.unseen[value] / (total - i)) if total > i else 1.0
        memory.chances[value] = 1.0 - missing
    count = legal_actions(state, rules, memory.actions)
    best = memory.actions[0]
    most = -1e9
    for i in range(count):
        action = memory.actions[i]
        copy_board(state, board)
        score = resolve(board, action, rules, memory.log) + 1e-6 * rng.random()
        if weights[REPLY] != 0.0:
            score -= weights[REPLY] * expected_reply(board, rules, memory)
        if weights[ANY_REPLY] != 0.0:
            most_taken = 0
            for value in range(1, KING + 1):
                if memory.chances[value] > 0.0:
                    most_taken = max(most_taken, best_points(board, value, rules, memory))
            score -= weights[ANY_REPLY] * most_taken
        spent = action >> 3
        points = 0
        playable = 0
        for value in range(1, KING + 1):
            left = state[HANDS + player, value] - (value == spent)
            if left > 0:
                points = max(points, best_points(board, value, rules, memory))
                playable += left * ((open_columns(board, value) | open_spans(board, rules)) != 0)
        score += weights[OWN_NEXT] * points + weights[PLAYABLE] * playable
        score += weights[PLACE] * (action & 7) + weights[CARD] * spent
        if score > most:
            best = action
            most = score
    return int(best)


# ------------------------------------------------------------------------------------------------------------ novice


@brief_kernel
def choose_as_novice(state: Array, rules: Array, memory: Memory) -> int:
    """Return the action with the most points now; of equal ones the highest card, on the lowest tower, a bridge last.

    Arrays: state int64[6 + players, 53], rules int64[9].
    """
    count = legal_actions(state, rules, memory.actions)
    best = memory.actions[0]
    most = -1.0
    for i in range(count):
        action = memory.actions[i]
        place = action & 7
        value = action >> 3
        height = 60 if place >= COLUMNS else state[place, 0]
        score = 10_000.0 * points_of(state, action, rules, memory.scratch, memory.log) + 100.0 * value + 99 - height
        if score > most:
            best = action
            most = score
    return int(best)


# ------------------------------------------------------------------------------------------------------- whole games


@kernel
def choose(kind: int, state: Array, rules: Array, rng: np.random.Generator, memory: Memory) -> int:
    """Return the action of a player of that kind, one of the numbers above.

    Arrays: state int64[6 + players, 53], rules int64[9].
    """
    if kind == RANDOM:
        return choose_at_random(state, rules, rng)
    if kind == GREEDY:
        return choose_greedily(state, False, rules, rng, memory.scratch, memory.actions, memory.log)
    if kind == NOVICE:
        return choose_as_novice(state, rules, memory)
    if kind == BUILDER:
        return choose_as_builder(state, rules, rng, memory)
    if state.shape[0] == HANDS + 2 and state[PACK, 0] == PACK_SIZE:
        count = legal_actions(state, rules, memory.actions)
        best = best_action(memory.ending, state, memory.actions[:count], rules, memory.values, ENDING_NODES, False)
        if best >= 0:
            return int(memory.actions[best])
    return choose_by_sampling(state, memory.leads.shape[0], SEARCH_HORIZON, rules, rng, memory.sampler, memory.leads)


class GameResults(NamedTuple):
    """Games between players.

    Attributes:
        seats: int64[games, players], the seat of each player; seat 0 begins unless it is drawn.
        points: int64[games, players].
        events: int64[games, 4]: turns, turns on which equal cards met, razes, points made by razing.
    """

    seats: Array
    points: Array
    events: Array

    @property
    def winners(self) -> Array:
        """int64[games]: the player with the highest score, -1 where several share it."""
        best = self.points.max(axis=1)
        shared = (self.points == best[:, None]).sum(axis=1) > 1
        return np.where(shared, -1, self.points.argmax(axis=1))


@kernel
def play_games(
    packs: Array, kinds: Array, first_players: Array, rules: Array, rng: np.random.Generator, state: Array,
    memory: Memory, points: Array, events: Array,
) -> None:  # fmt: skip
    """Play whole games.

    Args:
        packs: int64[games, 52].
        kinds: int64[games, seats], the kind of player in each seat.
        first_players: int64[games], the first players.
        points: int64[games, seats], overwritten.
        events: int64[games, 4], added to: turns, turns on which equal cards met, razes, points made by razing.

    Arrays: rules int64[9], state int64[6 + players, 53].
    """
    for game in range(packs.shape[0]):
        state[PACK, 1:] = packs[game]
        deal(state, first_players[game])
        while state[ON_TURN, 0] != NOBODY:
            action = choose(kinds[game, state[ON_TURN, 0]], state, rules, rng, memory)
            is_raze = action < 8
            meets = not is_raze and meets_equal(state, action & 7, action >> 3, rules)
            made = act(state, action, rules, memory.log)
            events[game, TURNS] += 1
            events[game, MEETINGS] += meets
            events[game, RAZES] += is_raze
            events[game, RAZE_POINTS] += made * is_raze
        points[game] = state[ON_TURN, 1 : 1 + points.shape[1]]


def shuffled_packs(count: int, rng: np.random.Generator) -> Array:
    """int64[count, 52]."""
    return rng.permuted(np.broadcast_to(sorted_pack(), (count, PACK_SIZE)), axis=1)


def draw_packs(
    seed: np.random.SeedSequence, games: int, seated: int, repeats: int, options: TowersOptions
) -> tuple[Array, Array, np.random.Generator]:
    """Return a batch's packs int64[games, 52], first players int64[games], and the generator of its players.

    Args:
        seed: the seed of the batch.
        games: the number of games.
        seated: the number of players at the table.
        repeats: the number of games in a row that have one pack.
        options: rule options.
    """
    pack_rng, play_rng = (np.random.default_rng(child) for child in seed.spawn(2))
    different = -(-games // repeats)
    packs = shuffled_packs(different, pack_rng)
    first_players = np.zeros(different, dtype=np.int64)
    if options.first_player == "random":
        first_players = pack_rng.integers(seated, size=different)
    return np.repeat(packs, repeats, axis=0)[:games], np.repeat(first_players, repeats)[:games], play_rng


def simulate_games(
    players: Sequence[str],
    games: int,
    seed: np.random.SeedSequence,
    options: TowersOptions | None = None,
    *,
    first_game: int = 0,
    same_pack: bool = True,
    samples: int = SEARCH_SAMPLES,
    weights: Sequence[float] = BUILDER_WEIGHTS,
) -> GameResults:
    """Whole games between players, seats rotating: player p sits in seat (p + game) % players.

    The packs do not depend on the players.

    Args:
        players: names of `PLAYERS`, one a seat.
        games: the number of games.
        seed: the seed of packs, first players and random players.
        options: rule options; `n_players` must be its default or the number of players.
        first_game: number of the first game, for the rotation.
        same_pack: whether a whole rotation has one pack, so that players are compared on the same cards.
        samples: the number of times that ``search`` plays on.
        weights: the weights of the player ``builder``.

    Raises:
        OptionError: `n_players` is another number, or more are named than may play.
    """
    options = options or TowersOptions()
    seated = len(players)
    if options.n_players not in (seated, TowersOptions().n_players):
        raise OptionError(f"option n_players={options.n_players} contradicts the {seated} players named (TR-2)")
    options = dataclasses.replace(options, n_players=seated)
    packs, first_players, play_rng = draw_packs(seed, games, seated, seated if same_pack else 1, options)
    seats = (np.arange(seated)[None, :] + first_game + np.arange(games)[:, None]) % seated
    kinds = np.zeros((games, seated), dtype=np.int64)
    np.put_along_axis(kinds, seats, np.array([[PLAYERS[name].kind for name in players]]), axis=1)
    points = np.zeros((games, seated), dtype=np.int64)
    events = np.zeros((games, 4), dtype=np.int64)
    state = new_state(seated)
    memory = new_memory(seated, samples, weights)
    play_games(packs, kinds, first_players, options.rules(), play_rng, state, memory, points, events)
    return GameResults(seats, np.take_along_axis(points, seats, axis=1), events)
