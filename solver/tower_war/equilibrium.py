"""How is a battle played with hidden hands? One strategy for all hands the opponent may hold, and its exploitability.

The tree starts with chance dealing one of the leader's and one of the follower's possible hands, all pairs equally
likely; then six cards and at most one choice of size, as in solver/tower_war/battle.py. Nodes that a player cannot
distinguish (by the own hand, the cards shown and the size) share an information set. Nodes are ordered by depth,
parents before children, so that every pass below is a loop forwards or backwards over arrays.

Equilibria come from CFR+ with linear averaging (Tammelin 2014, Solving Large Imperfect Information Games Using CFR+);
their exploitability is measured by best responses.

    towerlab battle tower-war --mine "AH TC 6C" --their-deck "9S 4S 2S KD QD 7D 5H" --leader them
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.cards import JOKER_1
from towerlab.games.jit import kernel
from towerlab.games.tower_war.rules import (
    NO_SIDE,
    PROFILE_SIZE,
    SKIRMISHES,
    battle_outcome,
    outcome_adder,
    outcome_loser,
)
from towerlab.solver.tower_war.battle import (
    MAX_WAYS,
    WAY_CARD,
    WAY_CLASS,
    WAY_PROFILE,
    WAY_ROOM,
    WAY_SHOWN,
    WAY_SIZE,
    ways_to_play,
)

LEADER = 0
FOLLOWER = 1
LEAF = 2
NO_SIZE = 3
MAX_ACTIONS = 6
_NODES_A_PAIR = 600  # more than the largest tree of two hands has

# Columns of a node.
PARENT, MOVER, KEY, ACTION, FIRST, SECOND, ROW, COLUMN, PLY, SIZE, DEPTH = range(11)
_COLUMNS = 11


@dataclass(frozen=True)
class BattleGame:
    """A battle with hidden hands as arrays; node 0 .. pairs − 1 are the deals.

    Attributes:
        nodes: int64 [nodes, columns], KEY replaced by the number of the information set.
        payoffs: float [nodes], P(the leader wins the war) at leaves.
        pairs: number of deals.
        information_sets: the number of information sets.
    """

    nodes: Array
    payoffs: Array
    pairs: int
    information_sets: int


@dataclass(frozen=True)
class Equilibrium:
    """Average strategies of both sides.

    Attributes:
        value: P(the leader wins the war) when both play them.
        exploitability: mean gain of a best response, over both sides.
        strategy: float [information sets, MAX_ACTIONS].
        iterations: the number of iterations of CFR+.
    """

    value: float
    exploitability: float
    strategy: Array
    iterations: int


def battle_game(
    leader_hands: Sequence[int], follower_hands: Sequence[int], payoffs: Array, tens_only: bool = False
) -> BattleGame:
    """Return the game of a battle about to begin.

    Args:
        leader_hands, follower_hands: masks of the hands each side may hold; every pair is equally likely. A side of
            one hand is open to the other.
        payoffs: float [OUTCOMES, 3] of `battle_payoffs`.
        tens_only: the option `tie_break`.
    """
    pairs = len(leader_hands) * len(follower_hands)
    nodes = np.zeros((pairs * _NODES_A_PAIR, _COLUMNS), np.int64)
    values = np.zeros(len(nodes))
    count = _grow(np.array(leader_hands), np.array(follower_hands), payoffs, tens_only, nodes, values)
    nodes, values = nodes[:count], values[:count]
    inner = nodes[:, MOVER] != LEAF
    keys, numbers = np.unique(nodes[inner, KEY], return_inverse=True)
    nodes[inner, KEY] = numbers
    return BattleGame(nodes, values, pairs, len(keys))


def solve_equilibrium(game: BattleGame, iterations: int = 500) -> Equilibrium:
    """Return an approximate equilibrium by CFR+, with its measured exploitability."""
    regrets = np.zeros((game.information_sets, MAX_ACTIONS))
    sums = np.zeros_like(regrets)
    counts = _action_counts(game)
    _improve(game.nodes, game.payoffs, game.pairs, counts, iterations, regrets, sums)
    strategy = _normalise(sums, counts)
    value = float(strategy_values(game, strategy, LEADER)[0][: game.pairs].mean())
    gains = best_response(game, strategy, LEADER)[0] - best_response(game, strategy, FOLLOWER)[0]
    return Equilibrium(value, gains / 2, strategy, iterations)


def best_response(game: BattleGame, strategy: Array, player: int) -> tuple[float, Array]:
    """P(the leader wins) when `player` answers the other's strategy as well as possible, and that pure strategy.

    Arrays: strategy float64[information sets, MAX_ACTIONS].
    """
    answer = strategy.copy()
    reach = np.zeros(len(game.nodes))
    _reach(game.nodes, strategy, game.pairs, 1 - player, reach)
    values = game.payoffs.copy()
    gains = np.zeros_like(strategy)
    counts = _action_counts(game)
    depths = game.nodes[:, DEPTH]
    levels = np.searchsorted(depths, np.arange(int(depths[-1]) + 2))  # where each begins, and their end
    for depth in range(len(levels) - 2, 0, -1):
        _answer_level(game.nodes, levels[depth - 1 : depth + 2], player, reach, counts, gains, answer, values)
    return float(values[: game.pairs].mean()), answer


def best_single_strategy(game: BattleGame, player: int) -> tuple[float, Array]:
    """Return the best single strategy of a side with an open hand, against every hand of the other.

    The opponent plays each hand as if both hands were open (double-dummy); its cards are all one learns about it.
    Exact: the answer is a best response over information sets.

    Returns:
        P(the leader wins the war), and the strategy [information sets, MAX_ACTIONS].

    Raises:
        ValueError: the side has several hands, so that the other cannot see it.
    """
    if game.nodes[: game.pairs, FIRST + player].any():
        raise ValueError("one strategy is sought for one known hand; expected a game whose side has one hand")
    return best_response(game, open_play(game)[1], player)


def open_play(game: BattleGame) -> tuple[Array, Array]:
    """Both sides see both hands: P(the leader wins the war) at every node, and a best play of each hand.

    Returns:
        float [nodes], and a strategy [information sets, MAX_ACTIONS] that is one where an information set is one node.
    """
    values = game.payoffs.copy()
    strategy = np.zeros((game.information_sets, MAX_ACTIONS))
    _open_play(game.nodes, game.pairs, values, strategy)
    return values, strategy


def strategy_values(game: BattleGame, strategy: Array, player: int) -> tuple[Array, Array]:
    """P(the leader wins the war) at every node when both play a strategy, and how likely the other side and chance
    are to allow the node to `player`: two float [nodes].
    """
    values = game.payoffs.copy()
    reach = np.zeros(len(game.nodes))
    _back_up(game.nodes, strategy, game.pairs, values)
    _reach(game.nodes, strategy, game.pairs, 1 - player, reach)
    return values, reach


def _action_counts(game: BattleGame) -> Array:
    """Return the number of actions of each information set: int64 [information sets]."""
    counts = np.zeros(game.information_sets, np.int64)
    children = game.nodes[game.pairs :]
    np.maximum.at(counts, game.nodes[children[:, PARENT], KEY], children[:, ACTION] + 1)
    return counts


def _normalise(sums: Array, counts: Array) -> Array:
    totals = sums.sum(axis=1, keepdims=True)
    uniform = (np.arange(MAX_ACTIONS) < counts[:, None]) / counts[:, None]
    return np.where(totals > 0, sums / np.where(totals > 0, totals, 1), uniform)


# ------------------------------------------------------------------------------------------------------ the tree


@kernel
def _grow(
    leader_hands: Array, follower_hands: Array, payoffs: Array, tens_only: bool, nodes: Array, values: Array
) -> int:
    """Fill `nodes` breadth first and the leaves' values; returns how many there are."""
    firsts = leader_hands.size
    seconds = follower_hands.size
    ways = np.zeros((2, max(firsts, seconds), WAY_ROOM, WAY_SIZE), np.int64)
    counts = np.zeros((2, max(firsts, seconds)), np.int64)
    for first in range(firsts):
        counts[0, first] = ways_to_play(leader_hands[first], 0, ways[0, first])
    for second in range(seconds):
        counts[1, second] = ways_to_play(follower_hands[second], 0, ways[1, second])
    end = 0
    for first in range(firsts):
        for second in range(seconds):
            nodes[end, PARENT] = -1
            nodes[end, FIRST] = first
            nodes[end, SECOND] = second
            nodes[end, SIZE] = NO_SIZE
            end += 1
    node = 0
    while node < end:
        leader, follower = ways[0, nodes[node, FIRST]], ways[1, nodes[node, SECOND]]
        row = nodes[node, ROW]
        column = nodes[node, COLUMN]
        ply = nodes[node, PLY]
        outcome = battle_outcome(
            leader[row, WAY_PROFILE : WAY_PROFILE + PROFILE_SIZE],
            follower[column, WAY_PROFILE : WAY_PROFILE + PROFILE_SIZE],
            tens_only,
        )
        chooser = _chooser_now(outcome, ply, nodes[node, SIZE])
        if chooser != NO_SIDE:
            nodes[node, MOVER] = chooser
            _set_key(nodes[node], leader, follower, 1)
            for size in range(3):
                end = _append(nodes, node, end, size, row, column, ply, size)
        elif ply == 2 * SKIRMISHES:
            nodes[node, MOVER] = LEAF
            size = nodes[node, SIZE]
            values[node] = payoffs[outcome, 0 if size == NO_SIZE else size]
        else:
            nodes[node, MOVER] = ply % 2
            _set_key(nodes[node], leader, follower, 0)
            end = _append_cards(nodes, node, end, ways[ply % 2, nodes[node, FIRST + ply % 2]],
                                counts[ply % 2, nodes[node, FIRST + ply % 2]])  # fmt: skip
        node += 1
    return end


@kernel
def _chooser_now(outcome: int, ply: int, size: int) -> int:
    """Return the side that now chooses a size: it has just lost the first skirmish with a pyramid, or has to fill."""
    if size != NO_SIZE or ply == 0 or ply % 2 == 1:
        return NO_SIDE
    if outcome_adder(outcome, ply // 2 - 1) != NO_SIDE:
        return outcome_adder(outcome, ply // 2 - 1)
    return outcome_loser(outcome) if ply == 2 * SKIRMISHES else NO_SIDE


@kernel
def _append(nodes: Array, parent: int, end: int, action: int, row: int, column: int, ply: int, size: int) -> int:
    nodes[end, PARENT], nodes[end, ACTION], nodes[end, DEPTH] = parent, action, nodes[parent, DEPTH] + 1
    nodes[end, FIRST], nodes[end, SECOND] = nodes[parent, FIRST], nodes[parent, SECOND]
    nodes[end, ROW] = row
    nodes[end, COLUMN] = column
    nodes[end, PLY] = ply
    nodes[end, SIZE] = size
    return end + 1


@kernel
def _append_cards(nodes: Array, node: int, end: int, ways: Array, count: int) -> int:
    """A child for each card the mover can play next."""
    ply = nodes[node, PLY]
    own = nodes[node, ROW + ply % 2]
    k = ply // 2
    action = 0
    for way in range(count):
        if ways[way, WAY_CLASS + k] == own and ways[way, WAY_CLASS + k + 1] == way:
            row = way if ply % 2 == 0 else nodes[node, ROW]
            column = way if ply % 2 == 1 else nodes[node, COLUMN]
            end = _append(nodes, node, end, action, row, column, ply + 1, nodes[node, SIZE])
            action += 1
    return end


@kernel
def _set_key(node: Array, leader: Array, follower: Array, choosing: int) -> None:
    """Number the mover's information sets: the own hand and cards, the other's cards as seen, the size, the turn."""
    mover = node[MOVER]
    ply = node[PLY]
    other = follower if mover == LEADER else leader
    way = node[COLUMN] if mover == LEADER else node[ROW]
    shown = ply // 2 if mover == LEADER else (ply + 1) // 2
    key = (node[FIRST + mover] * MAX_WAYS + node[ROW + mover]) * 2 + mover
    for k in range(SKIRMISHES):
        seen = 0
        if k < shown:
            seen = 1 + other[way, WAY_SHOWN + k] + 54 * max(0, other[way, WAY_CARD + k] - JOKER_1 + 1)
        key = key * 256 + seen
    node[KEY] = ((key * 4 + node[SIZE]) * 8 + ply) * 2 + choosing


# ------------------------------------------------------------------------------------------------ passes over it


@kernel
def _reach(nodes: Array, strategy: Array, pairs: int, player: int, reach: Array) -> None:
    """Probability that chance and `player` allow each node."""
    for node in range(nodes.shape[0]):
        if node < pairs:
            reach[node] = 1.0 / pairs
            continue
        parent = nodes[node, PARENT]
        reach[node] = reach[parent]
        if nodes[parent, MOVER] == player:
            reach[node] *= strategy[nodes[parent, KEY], nodes[node, ACTION]]


@kernel
def _back_up(nodes: Array, strategy: Array, pairs: int, values: Array) -> None:
    """Expected values of all nodes from those of the leaves."""
    for node in range(nodes.shape[0] - 1, pairs - 1, -1):
        parent = nodes[node, PARENT]
        values[parent] += strategy[nodes[parent, KEY], nodes[node, ACTION]] * values[node]


@kernel
def _open_play(nodes: Array, pairs: int, values: Array, strategy: Array) -> None:
    """Minimax with open hands; where an information set is one node, its best action is the strategy."""
    best = np.full(nodes.shape[0], -1)
    for node in range(nodes.shape[0] - 1, pairs - 1, -1):
        parent = nodes[node, PARENT]
        sign = 1.0 if nodes[parent, MOVER] == LEADER else -1.0
        if best[parent] < 0 or sign * (values[node] - values[best[parent]]) >= 0.0:
            best[parent] = node
            values[parent] = values[node]
    for node in range(nodes.shape[0]):
        if best[node] >= 0:
            strategy[nodes[node, KEY], nodes[best[node], ACTION]] = 1.0


@kernel
def _answer_level(
    nodes: Array, levels: Array, player: int, reach: Array, counts: Array, gains: Array, answer: Array, values: Array
) -> None:
    """Best actions of `player` at the nodes between two levels, from the values of their children below the second."""
    start, middle, end = levels
    sign = 1.0 if player == LEADER else -1.0
    for node in range(middle, end):
        parent = nodes[node, PARENT]
        if nodes[parent, MOVER] == player:
            gains[nodes[parent, KEY], nodes[node, ACTION]] += sign * reach[node] * values[node]
    for node in range(start, middle):
        if nodes[node, MOVER] != player:
            continue
        key = nodes[node, KEY]
        answer[key] = 0.0
        answer[key, gains[key, : counts[key]].argmax()] = 1.0
    for node in range(middle, end):
        parent = nodes[node, PARENT]
        values[parent] += answer[nodes[parent, KEY], nodes[node, ACTION]] * values[node]


@kernel
def _improve(
    nodes: Array, payoffs: Array, pairs: int, counts: Array, iterations: int, regrets: Array, sums: Array
) -> None:
    """CFR+: alternating updates, regrets kept above zero, averages weighted by the iteration."""
    strategy = np.zeros(regrets.shape)
    values = np.zeros(payoffs.size)
    others = np.zeros(payoffs.size)
    own = np.zeros(payoffs.size)
    for iteration in range(1, iterations + 1):
        for player in range(2):
            _match_regrets(regrets, counts, strategy)
            values[:] = payoffs
            _back_up(nodes, strategy, pairs, values)
            _reach(nodes, strategy, pairs, 1 - player, others)
            _reach(nodes, strategy, pairs, player, own)
            sign = 1.0 if player == LEADER else -1.0
            for node in range(pairs, payoffs.size):
                parent = nodes[node, PARENT]
                if nodes[parent, MOVER] != player:
                    continue
                key = nodes[parent, KEY]
                action = nodes[node, ACTION]
                regrets[key, action] += sign * others[parent] * (values[node] - values[parent])
                sums[key, action] += iteration * own[parent] * strategy[key, action]
            np.maximum(regrets, 0.0, regrets)


@kernel
def _match_regrets(regrets: Array, counts: Array, strategy: Array) -> None:
    """Probabilities in proportion to positive regrets, equal where there are none."""
    for key in range(counts.size):
        total = regrets[key, : counts[key]].sum()
        for action in range(counts[key]):
            strategy[key, action] = regrets[key, action] / total if total > 0.0 else 1.0 / counts[key]
