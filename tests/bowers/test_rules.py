"""Bowers: the kernels against their naive twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import naive_bowers as naive
from tests.oracles.bowers_driver import STATUS, points
from towerlab.games.arrays import Ints
from towerlab.games.bowers import (
    CALLS,
    HAND_SIZE,
    MISERE,
    OPEN,
    Auction,
    BowersOptions,
    bid_of,
    bid_trumps,
    call_key,
    call_level,
    call_text,
    call_trump,
    deal_pack,
    field_to_follow,
    from_bid_order,
    is_legal_call,
    parse_call,
    shuffled_pack,
    to_bid_order,
)
from towerlab.games.cards import SUITS, card_text, card_texts, mask_cards
from towerlab.games.errors import IllegalAction
from towerlab.games.tricks import beats, legal_followers


def legal(call: str, over: str = "P", min_bid: int = 1) -> bool:
    return bool(is_legal_call(parse_call(over), parse_call(call), min_bid))


CALL = st.sampled_from(naive.ALL_CALLS)


def test_bo_3_there_are_51_bids_on_21_rungs() -> None:
    calls = [call_text(call) for call in range(CALLS)]
    assert calls == naive.ALL_CALLS
    assert [parse_call(call) for call in calls] == [*range(CALLS)]
    assert [int(call_key(call)) for call in range(CALLS)] == [naive.rung(call) for call in calls]
    assert max(call_key(call) for call in range(CALLS)) == 21


def test_the_ladder_is_that_of_the_naive_twin() -> None:
    for min_bid in (1, 5, 7):
        for standing in naive.ALL_CALLS:
            for call in naive.ALL_CALLS:
                assert legal(call, standing, min_bid) == naive.is_legal(standing, call, min_bid), (standing, call)
    for call in naive.ALL_CALLS[1:]:
        number = parse_call(call)
        assert call_level(number) == naive.level(call)
        if number != MISERE:
            assert bid_of(call_level(number), call_trump(number)) == number


@given(st.lists(CALL, max_size=12), st.booleans())
def test_auctions_go_as_those_of_the_naive_twin(calls: list[str], mostly_pass: bool) -> None:
    auction = Auction()
    made = []
    for place, call in enumerate(calls):
        if auction.status != OPEN:
            break
        if mostly_pass and place % 3:
            call = "P"
        number = parse_call(call)
        if number in auction.legal_calls():
            auction, made = auction.after(number), [*made, call]
        else:
            with pytest.raises(IllegalAction, match=call_text(number)):
                auction.after(number)
    assert (STATUS[auction.status], auction.bidder, call_text(auction.standing)) == naive.run_auction(made)


@given(
    CALL.filter(lambda call: call != "P"),
    st.integers(0, 10).flatmap(lambda mine: st.tuples(st.just(mine), st.integers(0, 10 - mine))),
    st.sampled_from([1, 2, 4]),
    st.integers(0, 15),
    st.sampled_from(["joint_tricks", "bidder_tricks", "zero"]),
    st.booleans(),
)
def test_scores_are_those_of_the_naive_twin(
    call: str, tricks: tuple[int, int], factor: int, misere: int, fail: str, made_scores: bool
) -> None:
    taken = (*tricks, 10 - sum(tricks))
    options = {"misere_value": misere, "misere_fail_opponents": fail, "opponents_score_when_made": made_scores}
    assert points(call, *tricks, factor=factor, **options) == naive.points(
        call, taken, factor, misere, fail, made_scores
    )


@given(st.integers(0, 2**32), st.sampled_from(["none", "replace_7c", "add"]), st.sampled_from(naive.ALL_CALLS[1:]))
def test_following_and_winning_are_those_of_the_naive_twin(seed: int, joker: str, call: str) -> None:
    options = BowersOptions(joker=joker)
    dealt: Ints = np.zeros(3, dtype=np.int64)
    kitty = int(deal_pack(np.array(shuffled_pack(options, np.random.default_rng(seed))), seed % 3, dealt))
    hands = dealt.tolist()
    assert hands[0] | hands[1] | hands[2] | kitty == options.deck
    assert [hand.bit_count() for hand in (*hands, kitty)] == [HAND_SIZE] * 3 + [options.kitty]
    number = parse_call(call)
    trump = "NT" if call == "M" else call.lstrip("0123456789")
    trumps = int(bid_trumps(number))
    named = "CDHS"[seed % 4]
    named_field = int(to_bid_order(((1 << 13) - 1) << 13 * SUITS.index(named), number))
    led = max(mask_cards(hands[0])) if seed % 5 else min(mask_cards(hands[0]))
    cards = [led]
    field = int(field_to_follow(int(to_bid_order(1 << led, number)), named_field, trumps, 1))
    for seat in (1, 2):
        legal_mask = int(legal_followers(int(to_bid_order(hands[seat], number)), field))
        found = mask_cards(int(from_bid_order(legal_mask, number)))
        texts = naive.legal_cards(card_texts(mask_cards(hands[seat])), card_text(led), trump, named)
        assert sorted(card_texts(found)) == texts
        cards.append(found[seed % len(found)])
    best = int(to_bid_order(1 << cards[0], number))
    winner = 0
    for place in (1, 2):
        card = int(to_bid_order(1 << cards[place], number))
        if beats(card, best, trumps):
            best = card
            winner = place
    assert winner == naive.trick_winner(card_texts(cards), trump)
