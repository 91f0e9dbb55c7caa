"""Which play is best once the source is empty? With two players left every card is known to both: exact endings.

Alpha-beta over score differences with a transposition table. Values are differences of points still to be made,
player 0's minus player 1's; player 0 maximises, player 1 minimises. The same player may be on turn twice running
(TR-12), so levels do not alternate.

    towerlab simulate towers --players search,builder --games 2
"""

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import kernel
from towerlab.games.towers.rules import COLUMNS, KING, NO_LOG, PACK_SIZE, new_board
from towerlab.games.towers.state import HANDS, MOST_ACTIONS, NOBODY, ON_TURN, PACK, act, copy_state, legal_actions
from towerlab.solver.towers.search import points_of

INFINITY: Final = 1 << 20
UNFINISHED: Final = 1 << 21
DEPTH: Final = 24  # ten cards and the razes between them, at most one a card
_EXACT = 0
_AT_LEAST = 1
_AT_MOST = 2
_CODES: Final = 80  # section codes are below


class Search(NamedTuple):
    """Working memory of a search, and the positions it remembers.

    Attributes:
        states: int64[depth, 8, 53], the line being searched.
        actions: int64[depth, actions], in the order in which they are tried.
        frames: int64[depth, 9], see the constants below.
        scratch: a board.
        log: never written.
        section_keys, hand_keys: random int64s, whose exclusive or names a position.
        positions: int64[positions, 2], the transposition table: key, ``value * 4 + kind``.
    """

    states: Array
    actions: Array
    frames: Array
    scratch: Array
    log: Array
    section_keys: Array
    hand_keys: Array
    positions: Array


_COUNT, _NEXT, _ALPHA, _BETA, _LOW, _HIGH, _BEST, _GAIN, _KEY = range(9)


def new_search(log2_positions: int = 18) -> Search:
    """Fresh memory; positions found under one set of rule options must not be used under another."""
    random = np.random.default_rng(20)
    return Search(
        states=np.zeros((DEPTH, HANDS + 2, PACK_SIZE + 1), dtype=np.int64),
        actions=np.zeros((DEPTH, MOST_ACTIONS), dtype=np.int64),
        frames=np.zeros((DEPTH, 9), dtype=np.int64),
        scratch=new_board(),
        log=NO_LOG,
        section_keys=random.integers(1 << 62, size=(COLUMNS, PACK_SIZE + 1, _CODES)),
        hand_keys=random.integers(1 << 62, size=(2, KING + 1, 5)),
        positions=np.zeros((1 << log2_positions, 2), dtype=np.int64),
    )


@kernel
def position_key(state: Array, search: Search) -> int:
    """Return a number that names board, hands and player on turn; two positions share one with probability 2 ** -62.

    Arrays: state int64[6 + players, 53].
    """
    key = search.hand_keys[state[ON_TURN, 0], 0, 0]
    for column in range(COLUMNS):
        for level in range(1, state[column, 0] + 1):
            key ^= search.section_keys[column, level, state[column, level]]
    for player in range(2):
        for value in range(1, KING + 1):
            if state[HANDS + player, value]:
                key ^= search.hand_keys[player, value, state[HANDS + player, value]]
    return int(key)


@kernel
def sort_by_points(search: Search, depth: int, rules: Array) -> None:
    """Write the actions of a node, those that make most points now first.

    Arrays: rules int64[9].
    """
    state = search.states[depth]
    actions = search.actions[depth]
    count = legal_actions(state, rules, actions)
    search.frames[depth, _COUNT] = count
    for i in range(count):
        action = actions[i]
        points = points_of(state, action, rules, search.scratch, search.log)
        j = i
        while j > 0 and actions[j - 1] >> 8 < points:
            actions[j] = actions[j - 1]
            j -= 1
        actions[j] = action | points << 8
    actions[:count] &= 255


@kernel
def enter(search: Search, depth: int, alpha: int, beta: int, rules: Array) -> int:
    """Open a node for a search between alpha and beta; its value where it is known at once, else `UNFINISHED`.

    Arrays: rules int64[9].
    """
    state = search.states[depth]
    frame = search.frames[depth]
    if state[ON_TURN, 0] == NOBODY:
        return 0
    key = position_key(state, search)
    slot = key & (search.positions.shape[0] - 1)
    if search.positions[slot, 0] == key:
        value = search.positions[slot, 1] >> 2
        kind = search.positions[slot, 1] & 3
        if kind == _EXACT or (kind == _AT_LEAST and value >= beta) or (kind == _AT_MOST and value <= alpha):
            return int(value)
    sort_by_points(search, depth, rules)
    frame[_NEXT] = 0
    frame[_ALPHA] = alpha
    frame[_BETA] = beta
    frame[_BEST] = -INFINITY if state[ON_TURN, 0] == 0 else INFINITY
    frame[_KEY] = key
    return UNFINISHED


@kernel
def leave(search: Search, depth: int) -> int:
    """Return the value of a node whose actions are all tried or cut off; stored as the bound that it proves."""
    frame = search.frames[depth]
    value = frame[_BEST]
    kind = _EXACT
    if value <= frame[_LOW]:
        kind = _AT_MOST
    elif value >= frame[_HIGH]:
        kind = _AT_LEAST
    slot = frame[_KEY] & (search.positions.shape[0] - 1)
    search.positions[slot, 0] = frame[_KEY]
    search.positions[slot, 1] = value * 4 + kind
    return int(value)


@kernel
def value_between(search: Search, alpha: int, beta: int, rules: Array, most_nodes: int) -> int:
    """Return the value of the state at depth 0 if it is between alpha and beta, else a bound on that side.

    `UNFINISHED` when `most_nodes` actions did not suffice.

    Arrays: rules int64[9].
    """
    depth = 0
    nodes = 0
    low = alpha
    high = beta
    while True:
        value = enter(search, depth, low, high, rules)
        known = value != UNFINISHED
        if not known:
            search.frames[depth, _LOW] = low
            search.frames[depth, _HIGH] = high
        while known or is_done(search.frames[depth]):
            if not known:
                value = leave(search, depth)
            known = False
            if depth == 0:
                return value
            depth -= 1
            take(search.frames[depth], search.states[depth, ON_TURN, 0], value)
        nodes += 1
        if nodes > most_nodes:
            return UNFINISHED
        frame = search.frames[depth]
        following = search.states[depth + 1]
        copy_state(search.states[depth], following)
        made = act(following, search.actions[depth, frame[_NEXT]], rules, search.log)
        frame[_NEXT] += 1
        frame[_GAIN] = made if search.states[depth, ON_TURN, 0] == 0 else -made
        low, high = frame[_ALPHA] - frame[_GAIN], frame[_BETA] - frame[_GAIN]
        depth += 1


@kernel
def is_done(frame: Array) -> bool:
    """Return whether all actions of a node are tried, or the rest cannot matter.

    Arrays: frame int64[9].
    """
    return bool(frame[_NEXT] == frame[_COUNT] or frame[_ALPHA] >= frame[_BETA])


@kernel
def take(frame: Array, player: int, value: int) -> None:
    """Take the value of the action just tried into its node.

    Arrays: frame int64[9].
    """
    value += frame[_GAIN]
    if player == 0:
        frame[_BEST] = max(frame[_BEST], value)
        frame[_ALPHA] = max(frame[_ALPHA], value)
    else:
        frame[_BEST] = min(frame[_BEST], value)
        frame[_BETA] = min(frame[_BETA], value)


@kernel
def best_action(
    search: Search, state: Array, actions: Array, rules: Array, values: Array, most_nodes: int, all_exact: bool
) -> int:
    """Write the value of each action of a state; the index of the first best one.

    Args:
        values: the answer, in player 0's favour, the action's own points included. Unless `all_exact`, actions that
            are no better than an earlier one get a bound that shows just that.
        most_nodes: the most actions that may be tried for each; -1 is returned when they did not suffice.

    Arrays: state int64[6 + players, 53], actions int64[actions], rules int64[9], values int64[actions].
    """
    sign = 1 if state[ON_TURN, 0] == 0 else -1
    low, high = -INFINITY, INFINITY
    best = -1
    for i in range(actions.shape[0]):
        root = search.states[0]
        copy_state(state, root)
        made = sign * act(root, actions[i], rules, search.log)
        value = value_between(search, low - made, high - made, rules, most_nodes)
        if value == UNFINISHED:
            return -1
        values[i] = value + made
        if best < 0 or sign * values[i] > sign * values[best]:
            best = i
            if not all_exact:
                low, high = (values[i], high) if sign > 0 else (low, values[i])
    return best


def solve_ending(
    state: Array, rules: Array, *, most_nodes: int = 2_000_000, search: Search | None = None
) -> Array | None:
    """Exact values of all actions when the source is empty and two players are left.

    Args:
        state: a state with two players, the source empty, at most five cards a hand.
        rules: the rules, `TowersOptions.rules`.
        most_nodes: the most actions that the search may try for each of the player's own; None is returned beyond.
        search: memory of earlier searches under the same rules.

    Returns:
        int64[actions], in the order of `games.towers.state.legal_actions`: points still to come with best play on both
        sides, the player's on turn minus the other's, those of the action itself included.

    Raises:
        TowerlabError: more players, cards left to draw, or no player on turn.

    Arrays: state int64[6 + players, 53], rules int64[9].
    """
    if len(state) != HANDS + 2 or state[PACK, 0] < PACK_SIZE or state[ON_TURN, 0] == NOBODY:
        raise TowerlabError("an ending has two players, an empty source and a player on turn (TR-12)")
    search = search or new_search()
    buffer = np.zeros(MOST_ACTIONS, dtype=np.int64)
    actions = buffer[: legal_actions(state, rules, buffer)]
    values = np.zeros(len(actions), dtype=np.int64)
    if best_action(search, state, actions, rules, values, most_nodes, True) < 0:
        return None
    return values if state[ON_TURN, 0] == 0 else -values
