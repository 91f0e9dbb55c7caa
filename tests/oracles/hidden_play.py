"""Hands that stay hidden, on words: the linear program of a game, best answers to a player and what strategies win.

A game has `players`, the first one first; `deals`, the hands of both with a weight; `others(player, own)`, the hands
that the other can hold with their weights; and by history, a tuple of words, `standing`, `actions(own, history)`,
`after(own, history, action)` (the hand and the history then) and `payoff(history)`, the first player's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, hstack, lil_matrix

History = tuple[str, ...]
Odds = Callable[[Any, History, list[str]], Sequence[float]]
Ends = tuple[float, dict[int, float]]


class Standing(NamedTuple):
    """What a history says to everybody."""

    to_play: Any  # None when the hand is over
    tricks: int = 0  # of the first player
    trump: str = ""
    bidder: str = ""
    led: str = ""


class _Plan:
    """A player's sequences and the constraints that make a plan of them."""

    def __init__(self) -> None:
        self.places: dict[tuple[object, ...], int] = {}
        self.decisions: list[tuple[int | None, list[int]]] = []

    def decide(self, name: tuple[object, ...], after: tuple[object, ...] | None, actions: list[str]) -> None:
        made = []
        for action in actions:
            self.places[(*name, action)] = len(self.places)
            made.append(self.places[(*name, action)])
        self.decisions.append((None if after is None else self.places[after], made))

    def constraints(self) -> tuple[lil_matrix, np.ndarray]:
        matrix = lil_matrix((len(self.decisions), len(self.places)))
        ones = np.zeros(len(self.decisions))
        for row, (after, made) in enumerate(self.decisions):
            for place in made:
                matrix[row, place] = 1
            if after is None:
                ones[row] = 1
            else:
                matrix[row, after] = -1
        return matrix, ones


def value_by_linear_program(game: Any) -> float:
    """What a game is worth to its first player, in sequence form (von Stengel 1996)."""
    plans = {player: _Plan() for player in game.players}
    payoffs: dict[tuple[int, int], float] = defaultdict(float)

    def walk(owns: dict[Any, Any], weight: float, history: History, reached: dict[Any, Any]) -> None:
        player = game.standing(history).to_play
        if player is None:
            row, column = (plans[each].places[reached[each]] for each in game.players)
            payoffs[row, column] += weight * game.payoff(history)
            return
        own = owns[player]
        before = reached[player]
        actions = game.actions(own, history)
        key = (player, *own, history)
        forced = len(actions) == 1 and before is not None
        if not forced and (*key, actions[0]) not in plans[player].places:
            plans[player].decide(key, before, actions)
        for action in actions:
            then, later = game.after(own, history, action)
            walk(owns | {player: then}, weight, later, reached | {player: before if forced else (*key, action)})

    deals = game.deals
    for *hands, weight in deals:
        walk(dict(zip(game.players, hands, strict=True)), weight, (), dict.fromkeys(game.players))
    rows, columns = (plans[player] for player in game.players)
    shape = len(rows.places), len(columns.places)
    payoff = coo_matrix((list(payoffs.values()), list(zip(*payoffs, strict=True))), shape)
    return _sequence_form_value(rows, columns, payoff) / sum(deal[-1] for deal in deals)


def _sequence_form_value(rows: _Plan, columns: _Plan, payoff: Any) -> float:
    """The value to the rows' player, by a linear program over both players' sequences.

    The other's dual: the row plan x >= 0 and free prices q maximise the prices of its root decisions, where no sequence
    of its costs less than it is priced.
    """
    constraints, ones = rows.constraints()
    other_constraints, other_ones = columns.constraints()
    # max other_ones' q  over x >= 0, q free:  constraints x = ones,  other_constraints' q <= payoff' x.
    found = linprog(
        np.concatenate([np.zeros(len(rows.places)), -other_ones]),
        A_ub=hstack([-payoff.T, other_constraints.T]).tocsr(),
        b_ub=np.zeros(len(columns.places)),
        A_eq=hstack([constraints, lil_matrix((constraints.shape[0], len(other_ones)))]).tocsr(),
        b_eq=ones,
        bounds=[(0, None)] * len(rows.places) + [(None, None)] * len(other_ones),
        method="highs",
    )
    assert found.status == 0, found.message
    return float(-found.fun)


def best_value(
    game: Any, odds: Odds, player: Any, own: Any, history: History = (), others: dict[Any, float] | None = None
) -> float:
    """What a hand wins with the best answer to an opponent, over their hands, each with its probability so far."""
    return best_ends(game, odds, player, own, history, others)[0]


def best_ends(
    game: Any,
    odds: Odds,
    player: Any,
    own: Any,
    history: History = (),
    others: dict[Any, float] | None = None,
    own_odds: Odds | None = None,
) -> Ends:
    """As `best_value`; and how often the first player then takes so many tricks, summed alike.

    With `own_odds` the player does not answer as well as possible but as they say.
    """
    if others is None:
        others = game.others(player, own)
    standing = game.standing(history)
    if standing.to_play is None:
        total = sum(others.values())
        won = total * game.payoff(history)
        return won if player == game.players[0] else total - won, {standing.tricks: total}
    if standing.to_play == player:
        actions = game.actions(own, history)
        ways = [
            best_ends(game, odds, player, *game.after(own, history, action), others, own_odds) for action in actions
        ]
        if own_odds is None:
            return max(ways, key=lambda way: way[0])
        return _sum(zip(own_odds(own, history, actions), ways, strict=True))
    after: dict[History, dict[Any, float]] = defaultdict(dict)
    for other, reach in others.items():
        actions = game.actions(other, history)
        for action, probability in zip(actions, odds(other, history, actions), strict=True):
            if probability > 0:
                then, later = game.after(other, history, action)
                after[later][then] = reach * probability
    return _sum((1.0, best_ends(game, odds, player, own, later, left, own_odds)) for later, left in after.items())


def _sum(parts: Iterable[tuple[float, Ends]]) -> Ends:
    value = 0.0
    ends = defaultdict[int, float](float)
    for share, (part, tricks) in parts:
        value += share * part
        for taken, often in tricks.items():
            ends[taken] += share * often
    return value, ends
