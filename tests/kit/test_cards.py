"""Cards: notation in and out, play order, following and winning (chapter 0, TB-16..19, BO-2, BO-9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towerlab.games.bits import highest_bit, highest_index, lowest_bit, lowest_index, popcount
from towerlab.games.cards import (
    DECK_24,
    DECK_32,
    DECK_52,
    DECK_54,
    NO_TRUMP,
    NO_TRUMP_FIELD,
    TRUMP_FIELD,
    card_symbol,
    card_text,
    effective_suit,
    mask_text,
    parse_card,
    parse_cards,
    parse_mask,
    parse_suit,
    parse_trump,
    to_play_order,
    to_printed,
    trump_field,
)
from towerlab.games.errors import CardError
from towerlab.games.tricks import beats, field_of

trumps = st.integers(0, NO_TRUMP)
masks = st.integers(0, DECK_54)


@pytest.mark.parametrize("text", ["10H", "TH", "th", "♥10", "10♥", "H10", " 10h ", "♥T", "♥️10"])
def test_all_ways_to_write_the_ten_of_hearts(text: str) -> None:
    assert card_text(parse_card(text)) == "TH"


def test_ids_are_13_times_suit_plus_rank() -> None:
    assert [parse_card(text) for text in ("2C", "AC", "2D", "JH", "AS", "X1", "X2")] == [0, 12, 13, 35, 51, 52, 53]


@pytest.mark.parametrize("card", range(54))
def test_what_is_printed_is_read_back(card: int) -> None:
    assert parse_card(card_text(card)) == parse_card(card_symbol(card)) == card


@pytest.mark.parametrize("text", ["", "1H", "11H", "HH", "AX", "X3", "10", "♥", "ASS"])
def test_what_is_no_card_is_named(text: str) -> None:
    with pytest.raises(CardError, match="is not a card; expected"):
        parse_card(text)


def test_sets_of_cards_are_checked() -> None:
    assert parse_cards("AS, 10h\n9♦") == [51, 34, 20]
    with pytest.raises(CardError, match="AS stands twice in the hand"):
        parse_mask("AS AS", what="the hand")
    with pytest.raises(CardError, match="8S in the cards is not in this game's pack of 24"):
        parse_mask("AS 8S", DECK_24)
    with pytest.raises(CardError, match="has 1 cards; expected 2"):
        parse_mask("AS", count=2)
    with pytest.raises(CardError, match="not a trump"):
        parse_trump("X")
    with pytest.raises(CardError, match="not a suit"):
        parse_suit("NT")


def test_packs_have_their_sizes() -> None:
    assert [pack.bit_count() for pack in (DECK_24, DECK_32, DECK_52, DECK_54)] == [24, 32, 52, 54]
    assert DECK_24 & ~DECK_32 == DECK_32 & ~DECK_52 == DECK_52 & ~DECK_54 == 0


@pytest.mark.parametrize(
    ("trump", "order"),
    [
        ("S", "JS JC AS KS QS TS 9S"),
        ("C", "JC JS AC KC QC TC 9C"),
        ("D", "JD JH AD KD QD TD 9D"),
        ("H", "JH JD AH KH QH TH 9H"),
    ],
)
def test_tb_16_order_of_trumps(trump: str, order: str) -> None:
    suit = parse_suit(trump)
    found = mask_text(DECK_24, suit, bowers=True).split()
    assert found[:7] == order.split()
    bits = [to_play_order(1 << parse_card(card), suit, True) for card in order.split()]
    assert bits == sorted(bits, reverse=True) and all(bit & TRUMP_FIELD for bit in bits)
    sizes = sorted(popcount(to_play_order(DECK_24, suit, True) & 0x1FFF << 13 * field) for field in range(3))
    assert sizes == [5, 6, 6]


def test_tb_17_left_bower_belongs_to_trumps() -> None:
    assert effective_suit(parse_card("JD"), parse_suit("H"), bowers=True) == parse_suit("H")
    assert effective_suit(parse_card("JD"), parse_suit("S"), bowers=True) == parse_suit("D")
    assert effective_suit(parse_card("JD"), parse_suit("H"), bowers=False) == parse_suit("D")


@given(masks, trumps, st.booleans())
def test_play_order_is_a_permutation(mask: int, trump: int, bowers: bool) -> None:
    play = to_play_order(mask, trump, bowers)
    assert to_printed(play, trump, bowers) == mask
    assert popcount(play) == popcount(mask)


def test_bo_9_a_joker_is_the_only_trump_at_no_trump() -> None:
    joker, ace = (to_play_order(1 << parse_card(card), NO_TRUMP, False) for card in ("X1", "AS"))
    assert trump_field(NO_TRUMP) == NO_TRUMP_FIELD == field_of(joker, NO_TRUMP_FIELD)
    assert beats(joker, ace, NO_TRUMP_FIELD) and not beats(ace, joker, NO_TRUMP_FIELD)
    low_club, high_spade = (to_play_order(1 << parse_card(card), NO_TRUMP, False) for card in ("2C", "AS"))
    assert not beats(high_spade, low_club, NO_TRUMP_FIELD)  # another suit never beats without trumps


@given(st.integers(1, 1 << 60))
def test_bits(mask: int) -> None:
    assert popcount(mask) == mask.bit_count()
    assert (1 << lowest_index(mask)) == lowest_bit(mask) == mask & -mask
    assert (1 << highest_index(mask)) == highest_bit(mask)
    assert highest_index(mask) == mask.bit_length() - 1


def test_several_cards_of_a_suit_are_one_word() -> None:
    """``AKJS`` is what people write; it means the same in every question, table and record."""
    assert parse_cards("AKJ10S,9h x1", DECK_54) == [parse_card(card) for card in ("AS", "KS", "JS", "TS", "9H", "X1")]
    assert parse_mask("AJ♠ KH") == parse_mask("AS JS KH")
    for wrong in ("A1S", "AKX", "SAK", "AAS"):
        with pytest.raises(CardError):
            parse_cards(wrong)
