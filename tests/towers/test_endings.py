"""Exact endings of Towers against a naive search, and search before the ending."""

from __future__ import annotations

import random
from copy import deepcopy

import numpy as np
import pytest

from tests.conftest import exhaustive
from tests.oracles.naive_towers import NaiveBoard
from towerlab.games.towers import TowersOptions
from towerlab.games.towers.state import state_of
from towerlab.solver.towers.ending import new_search, solve_ending

OPTIONS = [
    TowersOptions(),
    TowersOptions(layout="square"),
    TowersOptions(ace_strength=13, landing="both_ends_on_bridge"),
    TowersOptions(layout="square", support_check="off", equal_group="pair"),
]


def naive_ending(naive, hands, player):
    """Points still to come with best play, the player's on turn minus the other's; hands are sorted tuples."""
    if not hands[player]:
        player = 1 - player
        return -naive_ending(naive, hands, player) if hands[player] else 0
    return max(difference for _, difference in naive_action_values(naive, hands, player))


def naive_action_values(naive, hands, player):
    """(action, difference) of every action; an action is (value, towers) or a tower to raze."""
    actions = [(value, towers) for value in sorted(set(hands[player])) for towers in naive.legal(value)]
    for action in actions or range(4):
        board = deepcopy(naive)
        left = list(hands)
        if actions:
            log = board.play(*action)
            held = list(left[player])
            held.remove(action[0])
            left[player] = tuple(held)
        else:
            log = board.raze(action)
        made = sum(len(cards) for _, cards in log[1:])
        yield action, made - naive_value(board, tuple(left), 1 - player)


_known = {}


def naive_value(board, hands, player):
    key = (repr(board.codes()), hands, player, board.options)
    if key not in _known:
        _known[key] = naive_ending(board, hands, player)
    return _known[key]


def random_ending(options, rng, cards):
    """A naive board in the middle of a game, and two hands of `cards` cards together."""
    naive = NaiveBoard(options)
    pack = [value for value in range(1, 14) for _ in range(4)]
    rng.shuffle(pack)
    for _ in range(rng.randint(6, 30)):
        plays = [(i, towers) for i in range(len(pack)) for towers in naive.legal(pack[i])]
        if not plays:
            break
        i, towers = rng.choice([play for play in plays if len(play[1]) == 2 and rng.random() < 0.5] or plays)
        naive.play(pack.pop(i), towers)
    first = rng.randint(1, cards)
    return naive, (tuple(sorted(pack[:first])), tuple(sorted(pack[first:cards])))


def as_state(naive, hands, player):
    board = np.zeros((4, 53), dtype=np.int64)
    for c, column in enumerate(naive.columns):
        board[c, 0] = len(column)
        for level, card in enumerate(column, 1):
            board[c, level] = card.value + 16 * (card.towers[0] + 1 if card.is_bridge else 0)
    return state_of(board, hands, (), player)


@pytest.mark.parametrize(("count", "seed", "most_cards"), [(60, 1, 3), exhaustive(1_000, 3, 4)])
def test_tr_12_exact_endings_equal_a_naive_search(count, seed, most_cards):
    rng = random.Random(seed)
    searches = {options: new_search(14) for options in OPTIONS}
    for number in range(count):
        options = OPTIONS[number % len(OPTIONS)]
        naive, hands = random_ending(options, rng, rng.randint(2, most_cards))
        _known.clear()
        expected = [difference for _, difference in naive_action_values(naive, hands, 0)]
        found = solve_ending(as_state(naive, hands, 0), options.rules(), search=searches[options])
        assert found.tolist() == expected
