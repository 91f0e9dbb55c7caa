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
    DECK_24,
    DECK_52,
    NO_TRUMP,
    card_text,
    cards_mask,
    effective_suit,
    mask_cards,
    parse_mask,
    parse_suit,
)
from towerlab.games.errors import DealError
from towerlab.sim.conditions import parse_condition
from towerlab.sim.deals import Dealer, Dealing

SMALL_DECK = parse_mask("JS AS 9S JC 9C AH KH 9D")
SPADES = 3


@pytest.fixture(scope="module", autouse=True)
def give_up_soon() -> Iterator[None]:
    """The deals here are few: what 40,000 tries do not find is not there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("towerlab.sim.deals.MOST_TRIES", 40_000)
        yield


def naive_deals(dealing: Dealing, where: str) -> set[tuple[int, ...]]:
    """Every deal that fits, found by looking at all of them; the condition is evaluated by Python itself."""
    cards = mask_cards(dealing.deck)
    seats = list(dealing.hands)
    found = set()
    for hands in _all_hands(cards, list(dealing.hands.values())):
        held = {seat: {card_text(card) for card in hand} for seat, hand in zip(seats, hands, strict=True)}

        def length(seat: str, suit: str, held: dict[str, set[str]] = held) -> int:
            masks = [parse_mask(card).bit_length() - 1 for card in held[seat]]
            return sum(effective_suit(card, dealing.trump, dealing.bowers) == parse_suit(suit) for card in masks)

        names = {seat: seat for seat in seats} | {suit: suit for suit in "HDC"} | {
            "trumps": lambda seat, length=length: length(seat, "S"),
            "length": length,
            "holds": lambda seat, *named, held=held: set(named) <= held[seat],
            "count": lambda seat, *named, held=held: len(set(named) & held[seat]),
            "points": lambda seat, held=held: sum("JQKA".find(card[0]) + 1 for card in held[seat]),
        }  # fmt: skip
        if not where or eval(where, {}, names):
            found.add(tuple(cards_mask(hand) for hand in hands))
    return found


def _all_hands(cards: list[int], sizes: list[int]):
    if not sizes:
        yield ()
        return
    for hand in itertools.combinations(cards, sizes[0]):
        for others in _all_hands([card for card in cards if card not in hand], sizes[1:]):
            yield hand, *others


def small(hands: dict[str, int]) -> Dealing:
    return Dealing(SMALL_DECK, hands, trump=SPADES, bowers=True)


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
@given(st.lists(conditions, max_size=3).map(" and ".join))
def test_deals_are_those_that_counting_one_by_one_finds(where: str) -> None:
    dealing = small({"a": 2, "b": 2})
    expected = naive_deals(dealing, where)
    if not expected:
        with pytest.raises(DealError, match=r"no deal fits|none of"):
            Dealer(dealing, where).deal(1, np.random.default_rng(0))
        return
    dealer = Dealer(dealing, where)
    assert dealer.count >= len(expected)
    if dealer._condition.test is None:
        assert dealer.count == len(expected)
    drawn = {tuple(int(hand) for hand in hands) for hands in dealer.deal(300, np.random.default_rng(1))}
    assert drawn <= expected


@pytest.mark.parametrize(
    "where",
    [
        "",
        "trumps(a) >= 2 and holds(a, 'JS')",
        "trumps(a) >= 1 and trumps(b) >= 1 and not holds(b, 'AS')",
        "1 <= count(a, 'JS', 'JC', 'AH') <= 2 and length(b, H) == 1",
        "points(a) > points(b)",
    ],
)
def test_every_deal_that_fits_is_equally_likely(where: str) -> None:
    dealing = small({"a": 3, "b": 2})
    expected = sorted(naive_deals(dealing, where))
    number = {deal: index for index, deal in enumerate(expected)}
    drawn = Dealer(dealing, where).deal(60 * len(expected), np.random.default_rng(7))
    counts = np.bincount([number[tuple(map(int, deal))] for deal in drawn], minlength=len(expected))
    assert stats.chisquare(counts).pvalue > 0.001


def test_rare_hands_are_dealt_without_trying() -> None:
    """Thirteen hearts: one deal in 635 thousand million, dealt at once."""
    dealing = Dealing(DECK_52, dict.fromkeys("NESW", 13))
    dealer = Dealer(dealing, "length(N, H) == 13")
    assert dealer._condition.test is None
    hands = dealer.deal(1000, np.random.default_rng(0))
    assert np.all(hands[:, 0] == 0x1FFF << 26)
    assert np.all(np.bitwise_or.reduce(hands, axis=1) == DECK_52)


def test_the_left_bower_is_a_trump_tb_17() -> None:
    dealing = Dealing(DECK_24, {"me": 7, "them": 7}, trump=SPADES, bowers=True)
    hands = Dealer(dealing, "trumps(me) == 7 and length(them, C) == 5").deal(50, np.random.default_rng(0))
    trumps = parse_mask("9S TS JS QS KS AS JC")
    assert np.all(hands[:, 0] == trumps)


def test_the_same_seed_deals_the_same() -> None:
    dealer = Dealer(Dealing(DECK_24, {"me": 5, "them": 5}), "points(me) >= 10 and length(me, H) >= 2")
    one, other = (dealer.deal(500, np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(one, other)
    assert not np.array_equal(one, dealer.deal(500, np.random.default_rng(6)))


def test_trumps_need_a_trump() -> None:
    with pytest.raises(DealError, match="expected a trump suit"):
        parse_condition("trumps(me) > 1", ("me",), NO_TRUMP)
