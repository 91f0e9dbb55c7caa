"""The double-dummy solver against DDS, the bridge world's own, where its package is installed."""

from __future__ import annotations

import numpy as np
import pytest

from games.cards import NO_TRUMP, cards_mask, to_play_order, trump_field
from solver.double_dummy import DoubleDummy, Position, trick_table
from tests.oracles.dds import dds_cards, dds_table, dds_tricks

pytestmark = pytest.mark.slow


def random_hands(random: np.random.Generator, size: int) -> tuple[int, ...]:
    """Four printed hands of `size` cards."""
    cards = random.permutation(52)
    return tuple(cards_mask(int(card) for card in cards[size * seat : size * (seat + 1)]) for seat in range(4))


def position_of(hands: tuple[int, ...], trump: int, leader: int) -> Position:
    masks = tuple(int(to_play_order(hand, trump, False)) for hand in hands)
    return Position(masks, int(trump_field(trump)), leader=leader)


def assert_equals_dds(seed: int, sizes: tuple[int, ...], number: int) -> None:
    random = np.random.default_rng(seed)
    solver = DoubleDummy()
    for _ in range(number):
        hands = random_hands(random, int(random.choice(sizes)))
        trump, leader = int(random.integers(NO_TRUMP + 1)), int(random.integers(4))
        assert solver.tricks(position_of(hands, trump, leader)) == dds_tricks(hands, trump, leader), (hands, trump)


def test_endings_of_6_to_11_cards() -> None:
    assert_equals_dds(seed=11, sizes=(6, 7, 8), number=8000)
    assert_equals_dds(seed=12, sizes=(9, 10, 11), number=2500)


def test_full_deals() -> None:
    assert_equals_dds(seed=13, sizes=(13,), number=1000)


def test_every_card_of_endings() -> None:
    random = np.random.default_rng(14)
    solver = DoubleDummy()
    for _ in range(300):
        hands = random_hands(random, int(random.integers(5, 10)))
        trump, leader = int(random.integers(NO_TRUMP + 1)), int(random.integers(4))
        position = position_of(hands, trump, leader)
        values = {value.card: value.tricks for value in solver.cards(position)}
        expected = dds_cards(hands, trump, leader)
        assert {int(to_play_order(1 << card, trump, False)): tricks for card, tricks in expected.items()} == values


def test_tables_of_twenty() -> None:
    random = np.random.default_rng(15)
    solver = DoubleDummy()
    for _ in range(15):
        hands = random_hands(random, 13)
        assert trick_table(hands, solver) == dds_table(hands)  # type: ignore[arg-type]
