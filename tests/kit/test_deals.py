"""Dealing with conditions: as many deals as counting one by one finds, each as likely as any other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from towerlab.games.cards import (
    DECK_52,
    RANKS,
    card_text,
    cards_mask,
    effective_suit,
    mask_cards,
    parse_mask,
    parse_suit,
)
from towerlab.games.errors import DealError
from towerlab.sim.deals import Condition, draw_deals

SMALL_DECK = parse_mask("JS AS 9S JC 9C AH KH 9D")
SPADES = 3


@pytest.fixture(scope="module", autouse=True)
def give_up_soon() -> Iterator[None]:
    """The deals here are few: what 40,000 tries do not find is not there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("towerlab.sim.deals.MOST_TRIES", 40_000)
        yield


def naive_deals(sizes: dict[str, int], where: str) -> set[tuple[int, ...]]:
    """Every deal that fits, found by looking at all of them; the condition is evaluated by Python itself."""
    found = set()
    for hands in _all_hands(mask_cards(SMALL_DECK), list(sizes.values())):
        held = {seat: {card_text(card) for card in hand} for seat, hand in zip(sizes, hands, strict=True)}

        def length(seat: str, suit: str, held: dict[str, set[str]] = held) -> int:
            masks = [parse_mask(card).bit_length() - 1 for card in held[seat]]
            return sum(effective_suit(card, SPADES, True) == parse_suit(suit) for card in masks)

        names = {seat: seat for seat in sizes} | {suit: suit for suit in "HDC"} | {
            "trumps": lambda seat, length=length: length(seat, "S"),
            "length": length,
            "holds": lambda seat, *named, held=held: set(named) <= held[seat],
            "count": lambda seat, *named, held=held: len(set(named) & held[seat]),
            "points": lambda seat, held=held: sum("JQKA".find(card[0]) + 1 for card in held[seat]),
        }  # fmt: skip
        if eval(where, {}, names):
            found.add(tuple(cards_mask(hand) for hand in hands))
    return found


def _all_hands(cards: list[int], sizes: list[int]):
    if not sizes:
        yield ()
        return
    for hand in itertools.combinations(cards, sizes[0]):
        for others in _all_hands([card for card in cards if card not in hand], sizes[1:]):
            yield hand, *others


def draw(sizes: dict[str, int], where: str, n: int, seed: int = 1) -> np.ndarray:
    condition = Condition(where, tuple(sizes), SPADES, SMALL_DECK)
    return draw_deals(condition, sizes, n, np.random.default_rng(seed))


SEATS = st.sampled_from(["a", "b"])
SIGNS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
atoms = st.one_of(
    st.builds("trumps({}) {} {}".format, SEATS, SIGNS, st.integers(0, 4)),
    st.builds("{} <= length({}, {})".format, st.integers(0, 3), SEATS, st.sampled_from("HDC")),
    st.builds("{}holds({}, {!r})".format, st.sampled_from(["", "not "]), SEATS, st.sampled_from(["JS", "JC", "9D"])),
    st.builds("1 <= count({}, 'JS', 'AH', '9S') <= {}".format, SEATS, st.integers(1, 3)),
    st.builds("points({}) > {} + trumps({})".format, SEATS, st.integers(0, 6), SEATS),
)
conditions = st.recursive(
    atoms, lambda part: st.builds("({} {} {})".format, part, st.sampled_from(["and", "or"]), part), max_leaves=3
)


@settings(max_examples=20, deadline=None)
@given(st.lists(conditions, min_size=1, max_size=3).map(" and ".join))
def test_deals_are_those_that_counting_one_by_one_finds(where: str) -> None:
    sizes = {"a": 2, "b": 2}
    expected = naive_deals(sizes, where)
    if not expected:
        with pytest.raises(DealError, match="no deal fits"):
            draw(sizes, where, 1)
        return
    assert {tuple(int(hand) for hand in hands) for hands in draw(sizes, where, 300)} <= expected


@pytest.mark.parametrize(
    "where",
    [
        "trumps(a) >= 0",
        "trumps(a) >= 2 and holds(a, 'JS')",
        "trumps(a) >= 1 and trumps(b) >= 1 and not holds(b, 'AS')",
        "1 <= count(a, 'JS', 'JC', 'AH') <= 2 and length(b, H) == 1",
        "points(a) > points(b)",
    ],
)
def test_every_deal_that_fits_is_equally_likely(where: str) -> None:
    sizes = {"a": 3, "b": 2}
    expected = sorted(naive_deals(sizes, where))
    number = {deal: index for index, deal in enumerate(expected)}
    counts = np.bincount([number[tuple(map(int, deal))] for deal in draw(sizes, where, 60 * len(expected), 7)])
    assert stats.chisquare(counts).pvalue > 0.001


def test_a_hand_named_card_by_card_is_dealt_without_trying() -> None:
    """Thirteen hearts: one deal in 635 thousand million, dealt at once."""
    hearts = " ".join(f"{rank}H," for rank in RANKS)[:-1]
    condition = Condition(f"holds(N, {hearts})", tuple("NESW"), SPADES, DECK_52)
    hands = draw_deals(condition, dict.fromkeys("NESW", 13), 1000, np.random.default_rng(0))
    assert np.all(hands[:, 0] == 0x1FFF << 26)
    assert np.all(np.bitwise_or.reduce(hands, axis=1) == DECK_52)


def test_the_same_seed_deals_the_same() -> None:
    one, other, third = (draw({"a": 3, "b": 2}, "points(a) >= 5", 500, seed) for seed in (5, 5, 6))
    assert np.array_equal(one, other)
    assert not np.array_equal(one, third)
