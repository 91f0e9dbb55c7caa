"""The kernels of Towers against cards as objects, over both layouts and all options."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest

from tests.conftest import exhaustive
from tests.oracles.naive_towers import NaiveBoard
from towerlab.games.towers import TowersOptions
from towerlab.games.towers.rules import COLUMNS, STEPS, legal_places, new_board, new_log, resolve, span_of, value_of

OPTIONS = {
    "layout": ("line", "square"),
    "ace_strength": (14, 13, 6),
    "landing": ("any_end", "both_ends_on_bridge"),
    "support_check": ("always", "after_bridge_loss", "off"),
    "equal_supports": (True, False),
    "equal_group": ("all", "pair"),
    "uneven_level": ("both", "higher", "lower"),
}
ALL_OPTIONS = [
    TowersOptions(**dict(zip(OPTIONS, values, strict=True))) for values in itertools.product(*OPTIONS.values())
]


def kernel_codes(board):
    """The kernel's board as `NaiveBoard.codes` writes it."""
    return [
        [
            (int(value_of(s)), (c,) if span_of(s) < 0 else (int(span_of(s)), (int(span_of(s)) + 1) % COLUMNS))
            for s in board[c, 1 : board[c, 0] + 1]
        ]
        for c in range(COLUMNS)
    ]


def kernel_log(log):
    """The kernel's log as the oracle writes it."""
    rows = log[1 : log[0, 0] + 1].tolist()
    return [
        (STEPS[step], sorted(section % 16 for _, _, section in group))
        for (_, step), group in itertools.groupby(rows, key=lambda row: (row[0], row[1]))
    ]


def place_of(towers):
    return towers[0] + COLUMNS * (len(towers) - 1)


def naive_mask(naive, value):
    return sum(1 << place_of(towers) for towers in naive.legal(value))


def compare_one_table(options, rng, actions=60):
    """Play and raze at random, with the cards that are not on the board, and compare after every action.

    Returns how often each step of the log occurred.
    """
    rules = options.rules()
    board = new_board()
    naive = NaiveBoard(options)
    steps = Counter()
    for _ in range(actions):
        log = new_log()
        on_board = [card.value for card in naive.cards()]
        pack = [value for value in range(1, 14) for _ in range(4 - on_board.count(value))]
        for value in set(pack):
            assert legal_places(board, value, rules) == naive_mask(naive, value)
        plays = [(value, towers) for value in set(pack) for towers in naive.legal(value)]
        standing = [tower for tower in range(COLUMNS) if naive.columns[tower]]
        if standing and (rng.random() < 0.05 or not plays):
            tower = rng.choice(standing)
            expected = naive.raze(tower)
            points = resolve(board, tower, rules, log)
        else:
            value, towers = rng.choice(interesting(naive, plays, rng) or plays)
            expected = naive.play(value, towers)
            points = resolve(board, 8 * value + place_of(towers), rules, log)
        assert kernel_codes(board) == naive.codes()
        assert kernel_log(log) == expected
        assert points == sum(len(cards) for _, cards in expected[1:])
        assert naive.broken_invariants() == []
        steps.update(step for step, _ in expected)
    return steps


def interesting(naive, plays, rng):
    """Plays that meet an equal card or lay a bridge: what cascades are made of, and rare among random ones."""
    kind = rng.random()
    if kind < 0.4:
        return [(value, towers) for value, towers in plays if len(towers) == 2]
    if kind < 0.6:
        return [(value, towers) for value, towers in plays if meets_equal(naive, value, towers)]
    return []


def meets_equal(naive, value, towers):
    below = len(naive.columns[towers[0]])
    others = [column for tower, column in enumerate(naive.columns) if tower not in towers]
    return any(len(column) > below and column[below].value == value for column in others)


def compare(actions, seed):
    """Compare so many actions, going through all options in turn; how often each step of TR-8 occurred."""
    rng = random.Random(seed)
    order = itertools.cycle(rng.sample(ALL_OPTIONS, len(ALL_OPTIONS)))
    steps = Counter()
    for _ in range(actions // 60):
        steps += compare_one_table(next(order), rng)
    return steps


@pytest.mark.parametrize(("actions", "seed"), [(9_000, 1), exhaustive(150_000, 2)])
def test_tr_8_cascade_equals_cards_as_objects_and_tr_10_holds(actions, seed):
    steps = compare(actions, seed)
    assert steps.keys() == set(STEPS)
    assert min(steps.values()) > actions // 1_000


def test_tr_8_the_log_is_optional():
    rules = TowersOptions(layout="square").rules()
    rng = random.Random(3)
    with_log = new_board()
    without = new_board()
    none = np.zeros((0, 3), dtype=np.int64)
    for _ in range(400):
        value = rng.randint(1, 13)
        places = [place for place in range(8) if legal_places(with_log, value, rules) >> place & 1]
        action = 8 * value + rng.choice(places) if places and with_log[:, 0].max() < 40 else 1
        assert resolve(with_log, action, rules, new_log()) == resolve(without, action, rules, none)
        assert kernel_codes(with_log) == kernel_codes(without)
