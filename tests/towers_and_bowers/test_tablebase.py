"""The two-hand tablebase: against plain minimax, under symmetry, and its friendly side."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import exhaustive
from tests.oracles import naive
from towerlab.games.bits import deposit_bits, deposit_bits_portably, extract_bits, extract_bits_portably
from towerlab.games.cards import DECK_24, card_text, cards_mask, mask_cards, parse_mask, to_play_order
from towerlab.games.errors import CardError
from towerlab.solver.towers_and_bowers.bidding import suit_renamings
from towerlab.solver.two_hands.tablebase import POSITIONS, Tablebase, leader_tricks, load_tablebase, printed_tricks

TABLEBASE = Tablebase.load()


def texts(mask: int) -> frozenset[str]:
    return frozenset(card_text(card) for card in mask_cards(mask))


def random_position(rng: random.Random, cards: int) -> tuple[int, int, int]:
    dealt = rng.sample(mask_cards(DECK_24), 2 * cards)
    return cards_mask(dealt[:cards]), cards_mask(dealt[cards:]), rng.randrange(4)


FEW = {1: 300, 2: 800, 3: 800, 4: 400, 5: 80, 6: 10, 7: 1}
MANY = {1: 1000, 2: 5000, 3: 7000, 4: 5500, 5: 1700, 6: 300, 7: 60}


@pytest.mark.parametrize("sizes", [FEW, exhaustive(MANY)])
def test_table_equals_minimax(sizes: dict[int, int]) -> None:
    rng = random.Random(20261120)
    for cards, count in sizes.items():
        for _ in range(count):
            leader, follower, trump = random_position(rng, cards)
            expected = naive.leader_tricks(texts(leader), texts(follower), "CDHS"[trump])
            assert TABLEBASE.tricks(leader, follower, trump) == expected, (texts(leader), texts(follower), trump)
        naive.leader_tricks.cache_clear()


def test_there_are_959570_positions_of_one_byte_each() -> None:
    tablebase = load_tablebase()
    assert tablebase.tricks.nbytes == POSITIONS == 959_570
    assert sum(array.nbytes for array in tablebase) <= 1 << 20


def test_leads_and_replies_equal_minimax() -> None:
    rng = random.Random(7)
    for _ in range(150):
        leader, follower, trump = random_position(rng, rng.randrange(1, 5))
        letter = "CDHS"[trump]
        leads = TABLEBASE.leads(leader, follower, trump)
        assert set(leads) == set(mask_cards(leader))
        for led, tricks in leads.items():
            replies = TABLEBASE.replies(leader, follower, trump, led)
            expected = {
                reply: naive.tricks_after(texts(leader), texts(follower), letter, card_text(led), reply)
                for reply in naive.legal_replies(texts(follower), card_text(led), letter)
            }
            assert {card_text(reply): value for reply, value in replies.items()} == expected
            assert tricks == min(expected.values())
        assert max(leads.values()) == TABLEBASE.tricks(leader, follower, trump)


@given(st.randoms(use_true_random=False), st.integers(1, 7), st.sampled_from(suit_renamings()))
def test_renaming_suits_changes_nothing(rng: random.Random, cards: int, names: tuple[int, ...]) -> None:
    leader, follower, trump = random_position(rng, cards)

    def renamed(mask: int) -> int:
        return cards_mask(13 * names[card // 13] + card % 13 for card in mask_cards(mask))

    assert TABLEBASE.tricks(leader, follower, trump) == TABLEBASE.tricks(
        renamed(leader), renamed(follower), names[trump]
    )


@given(st.randoms(use_true_random=False), st.integers(1, 7))
def test_line_plays_every_card_once_and_takes_the_value(rng: random.Random, cards: int) -> None:
    leader, follower, trump = random_position(rng, cards)
    letter = "CDHS"[trump]
    line = TABLEBASE.line(leader, follower, trump)
    assert sorted(card for trick in line for card in trick) == mask_cards(leader | follower)
    hands = [texts(leader), texts(follower)]
    first_leads = True
    taken = 0
    for led, reply in line:
        on_lead, second = (0, 1) if first_leads else (1, 0)
        led_text = card_text(led)
        reply_text = card_text(reply)
        assert led_text in hands[on_lead] and reply_text in naive.legal_replies(hands[second], led_text, letter)
        hands[on_lead] -= {led_text}
        hands[second] -= {reply_text}
        if not naive.leader_wins(led_text, reply_text, letter):
            first_leads = not first_leads
        taken += first_leads
    assert taken == TABLEBASE.tricks(leader, follower, trump)


@given(st.randoms(use_true_random=False), st.integers(1, 7))
def test_printed_and_play_order_lookups_agree(rng: random.Random, cards: int) -> None:
    leader, follower, trump = random_position(rng, cards)
    play = [to_play_order(mask, trump, True) for mask in (leader, follower)]
    assert printed_tricks(load_tablebase(), leader, follower, trump) == leader_tricks(load_tablebase(), *play)


@given(st.integers(0, 2**60 - 1), st.integers(0, 2**60 - 1))
def test_bits_are_extracted_and_deposited_alike_on_any_processor(mask: int, selected: int) -> None:
    places = [place for place in range(60) if selected >> place & 1]
    extracted = sum((mask >> place & 1) << index for index, place in enumerate(places))
    deposited = sum((mask >> index & 1) << place for index, place in enumerate(places))
    assert extract_bits(mask, selected) == extract_bits_portably(mask, selected) == extracted
    assert deposit_bits(mask, selected) == deposit_bits_portably(mask, selected) == deposited


@pytest.mark.parametrize(
    ("leader", "follower", "words"),
    [("AS KS", "AH", "2 and 1 cards"), ("AS", "AS", "both hands"), ("8S", "AH", "pack of 24"), ("", "", "0 and 0")],
)
def test_hands_that_cannot_be_are_refused(leader: str, follower: str, words: str) -> None:
    with pytest.raises(CardError, match=words):
        TABLEBASE.tricks(parse_mask(leader), parse_mask(follower), 0)
