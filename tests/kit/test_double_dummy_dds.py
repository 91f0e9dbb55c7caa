"""The double-dummy solver against DDS, the bridge world's own, where its package is installed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import exhaustive
from tests.oracles.dds import dds_cards, dds_table, dds_tricks
from towerlab.games.cards import NO_TRUMP, cards_mask, to_play_order, trump_field
from towerlab.solver.double_dummy import DoubleDummy, Position, trick_table

TINY_TABLE = 600  # entries: forgotten many times in a search of a full deal, and now and then in one of eight cards


def random_hands(random: np.random.Generator, size: int, freak: float = 0.0) -> tuple[int, ...]:
    """Four printed hands of `size` cards; the larger `freak` the longer their suits."""
    order = random.random(52) * 4 + freak * np.repeat(random.permutation(4), 13)
    cards = np.argsort(order)[np.sort(random.permutation(52)[: 4 * size])]
    return tuple(cards_mask(int(card) for card in cards[size * seat : size * (seat + 1)]) for seat in range(4))


def position_of(hands: tuple[int, ...], trump: int, leader: int) -> Position:
    masks = tuple(int(to_play_order(hand, trump, False)) for hand in hands)
    return Position(masks, int(trump_field(trump)), leader=leader)


FREAKS = (0.5, 1.0, 2.0)


@pytest.mark.parametrize(
    ("seed", "sizes", "number", "freaks"),
    [
        (10, (1, 4, 7, 9), 80, FREAKS),
        (9, (8, 10), 40, (0.0,)),
        (8, (13,), 5, (0.0,)),
        exhaustive(11, (1, 2, 3, 4, 5, 6, 7, 8), 1000, FREAKS),
        exhaustive(12, (5, 6, 7, 8), 700, (0.0,)),
        exhaustive(13, (9, 10, 11), 150, FREAKS),
        (20, (11, 12, 13), 20, (0.0, 0.0, 0.5, 1.0)),
        *(exhaustive(seed, (13,), 500, (0.0, 0.0, 0.5, 1.0)) for seed in (21, 22, 23)),
    ],
)
def test_endings_and_deals(seed: int, sizes: tuple[int, ...], number: int, freaks: tuple[float, ...]) -> None:
    """Every deal is solved twice, the second time from a random guess and with a table that is soon full."""
    random = np.random.default_rng(seed)
    solver = DoubleDummy()
    for index in range(number):
        size = int(random.choice(sizes))
        hands = random_hands(random, size, float(random.choice(freaks)))
        trump = index % (NO_TRUMP + 1)
        leader = int(random.integers(4))
        guess = int(random.integers(size + 1))
        position = position_of(hands, trump, leader)
        expected = dds_tricks(hands, trump, leader)
        assert solver.tricks(position) == expected, (hands, trump, leader)
        forgetful = DoubleDummy(TINY_TABLE if size < 12 else 40 * TINY_TABLE)
        assert forgetful.tricks(position, guess) == expected, (hands, trump, leader, guess)


def test_every_card_of_endings() -> None:
    random = np.random.default_rng(14)
    solver = DoubleDummy()
    for _ in range(30):
        hands = random_hands(random, int(random.integers(5, 10)))
        trump = int(random.integers(NO_TRUMP + 1))
        leader = int(random.integers(4))
        position = position_of(hands, trump, leader)
        values = {value.card: value.tricks for value in solver.cards(position)}
        expected = dds_cards(hands, trump, leader)
        assert {int(to_play_order(1 << card, trump, False)): tricks for card, tricks in expected.items()} == values


@pytest.mark.parametrize("count", [1, exhaustive(8)])
def test_tables(count: int) -> None:
    random = np.random.default_rng(15)
    for _ in range(count):
        hands = random_hands(random, 13)
        assert trick_table(hands) == dds_table(hands)  # type: ignore[arg-type]
