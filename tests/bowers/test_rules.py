"""Bowers: the vectors of RULES 5.6, the options of 5.5, and the kernels against their naive twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import naive_bowers as naive
from towerlab.games.arrays import Ints
from towerlab.games.bowers import (
    CALLS,
    HAND_SIZE,
    MISERE,
    OPEN,
    PASS,
    THROWN_IN,
    WON,
    Auction,
    BowersOptions,
    bid_of,
    bid_trumps,
    bid_value,
    buries,
    call_key,
    call_level,
    call_symbol,
    call_text,
    call_trump,
    deal_pack,
    deal_points,
    field_to_follow,
    from_bid_order,
    game_winner,
    is_legal_call,
    next_dealer,
    next_factor,
    parse_call,
    shuffled_pack,
    to_bid_order,
)
from towerlab.games.cards import (
    DECK_32,
    JOKER_1,
    NO_TRUMP,
    SUITS,
    TRUMP_FIELD,
    card_text,
    card_texts,
    mask_cards,
    parse_mask,
    sorted_cards,
)
from towerlab.games.errors import CallError, IllegalAction, OptionError
from towerlab.games.tricks import beats, legal_followers

RULES = BowersOptions().rules()
STATUS = {OPEN: "open", WON: "won", THROWN_IN: "thrown in"}


def legal(call: str, over: str = "P", min_bid: int = 1) -> bool:
    return bool(is_legal_call(parse_call(over), parse_call(call), min_bid))


def points(call: str, tricks: int, left: int = 0, factor: int = 1, **options: object) -> tuple[int, int, int]:
    return deal_points(parse_call(call), tricks, left, factor, BowersOptions(**options).rules())


# ------------------------------------------------------------------------------------------------------ the vectors


def test_bo_v1_ranks_with_clubs_as_trumps() -> None:
    ranked = " ".join(card_texts(sorted_cards(DECK_32, SUITS.index("C"), bowers=True)))
    assert ranked == ("JC JS AC KC QC TC 9C 8C 7C AS KS QS TS 9S 8S 7S AH KH QH JH TH 9H 8H 7H AD KD QD JD TD 9D 8D 7D")


def test_bo_2_no_trump_and_misere_know_no_bowers() -> None:
    for call in ("5NT", "M"):
        ranked = card_texts(sorted_cards(DECK_32, int(call_trump(parse_call(call))), bowers=True))
        assert ranked == [rank + suit for suit in "SHDC" for rank in "AKQJT987"]
        assert int(bid_trumps(parse_call(call))) & int(to_bid_order(DECK_32, parse_call(call))) == 0


def test_bo_v2_a_suit_beats_no_trump_of_the_same_number() -> None:
    assert legal("5S", over="5NT")


def test_bo_v3_a_suit_is_beaten_by_a_higher_number_only() -> None:
    assert not legal("5H", over="5S")
    assert not legal("5NT", over="5S")
    assert legal("6NT", over="5S")


def test_bo_v4_misere_needs_a_standing_bid_at_six() -> None:
    assert legal("M", over="6NT") and legal("M", over="6S")
    assert not any(legal("M", over=standing) for standing in ("5S", "P", "7NT", "M"))


def test_bo_v5_over_misere() -> None:
    assert not legal("6S", over="M")
    assert legal("7NT", over="M") and legal("7D", over="M")


def test_bo_v6_seven() -> None:
    assert legal("7NT", over="6S")
    assert legal("7H", over="7NT")
    assert not legal("7NT", over="7H")


def test_bo_v7_three_opening_passes_throw_the_deal_in() -> None:
    auction = Auction.parse("P P P")
    assert (auction.status, auction.bidder) == (THROWN_IN, None)
    assert next_factor(1, True, RULES) == 2


def test_bo_v8_two_opening_passes_leave_the_third_player_to_speak() -> None:
    assert Auction.parse("P P").status == OPEN
    auction = Auction.parse("P P 5NT P P")
    assert (auction.status, auction.bidder, call_text(auction.standing)) == (WON, 2, "5NT")


def test_bo_v9_a_player_who_passed_may_bid_again() -> None:
    auction = Auction.parse("P 5NT P 5S P P")
    assert (auction.status, auction.bidder, call_text(auction.standing)) == (WON, 0, "5S")


def test_bo_v10_two_passes_end_the_auction() -> None:
    assert Auction.parse("5S P").status == OPEN
    auction = Auction.parse("5S P P")
    assert (auction.status, auction.bidder, call_text(auction.standing)) == (WON, 0, "5S")


def test_bo_v11_most_points() -> None:
    assert points("10S", 10) == (25, 0, 0)
    assert max(bid_value(call, 10) for call in range(CALLS)) == 25


def test_bo_v12_overtricks_score_nothing() -> None:
    assert points("7S", 9, 1) == (12, 0, 0)


def test_bo_v13_a_failed_seven() -> None:
    assert points("7S", 6, 1) == (-12, 4, 4)


def test_bo_v14_a_failed_nine() -> None:
    assert points("9NT", 8, 2) == (-24, 2, 2)


def test_bo_v15_a_failed_doubled_six() -> None:
    assert points("6H", 4, 3, factor=2) == (-12, 12, 12)


def test_bo_v16_a_failed_misere() -> None:
    assert points("M", 1, 5) == (-10, 9, 9)


def test_bo_v17_the_second_player_wins() -> None:
    scores = np.add((44, 48, 30), points("6S", 5, 2))
    assert scores.tolist() == [38, 53, 35]
    assert game_winner(*scores, 50) == 1


def test_bo_v18_the_first_player_wins() -> None:
    scores = np.add((44, 48, 30), points("6S", 6, 2))
    assert scores.tolist() == [50, 48, 30]
    assert game_winner(*scores, 50) == 0


def test_bo_v19_the_left_bower_follows_trumps() -> None:
    call = parse_call("5H")
    led, hand = (int(to_bid_order(parse_mask(text), call)) for text in ("KD", "JD AS"))
    trumps = int(bid_trumps(call))
    legal_cards = legal_followers(hand, field_to_follow(led, 0, trumps, 1))
    assert int(from_bid_order(legal_cards, call)) == parse_mask("JD AS")
    assert beats(int(to_bid_order(parse_mask("JD"), call)), led, trumps)


# ------------------------------------------------------------------------------------------------ rules and options


def test_bo_1_pack_hands_and_kitty() -> None:
    sizes = {"none": (32, 2), "replace_7c": (32, 2), "add": (33, 3)}
    for joker, (cards, kitty) in sizes.items():
        options = BowersOptions(joker=joker)
        assert (options.deck.bit_count(), options.kitty) == (cards, kitty)
        assert bool(options.deck >> JOKER_1 & 1) == (joker != "none")
    assert BowersOptions(joker="replace_7c").deck & parse_mask("7C") == 0


def test_bo_1_the_deal_begins_on_the_dealers_left() -> None:
    pack = mask_cards(DECK_32)
    hands = np.zeros(3, dtype=np.int64)
    kitty = int(deal_pack(np.array(pack), 1, hands))
    assert [card_text(min(mask_cards(hand))) for hand in hands.tolist()] == ["8C", "9C", "7C"]
    assert mask_cards(kitty) == pack[30:]


def test_bo_3_there_are_51_bids_on_21_rungs() -> None:
    calls = [call_text(call) for call in range(CALLS)]
    assert calls == naive.ALL_CALLS
    assert [int(call_key(call)) for call in range(CALLS)] == [naive.rung(call) for call in calls]
    assert max(call_key(call) for call in range(CALLS)) == 21


def test_bo_3_min_bid() -> None:
    assert legal("5NT", min_bid=5) and not legal("4S", min_bid=5) and legal("P", min_bid=5)
    assert legal("M", over="6NT", min_bid=6)
    with pytest.raises(IllegalAction, match=r"call 1, 4S, is too low; expected at least 5 tricks \(BO-3\)"):
        Auction.parse("4S", min_bid=5)


def test_bo_6_after_a_pass_out() -> None:
    assert [int(next_factor(factor, True, RULES)) for factor in (1, 2)] == [2, 2]
    assert int(next_factor(2, False, RULES)) == 1
    compounding = BowersOptions(compound_doubling=True).rules()
    assert [int(next_factor(factor, True, compounding)) for factor in (1, 2, 4)] == [2, 4, 8]
    assert [int(next_dealer(dealer, True, RULES)) for dealer in range(3)] == [1, 2, 0]
    same = BowersOptions(passout_dealer="same").rules()
    assert [int(next_dealer(2, thrown_in, same)) for thrown_in in (True, False)] == [2, 0]


def test_bo_7_there_are_66_buries_and_286_with_an_added_joker() -> None:
    found = buries(parse_mask("AS KS QS JS TS 9S 8S 7S AH KH QH JH"))
    assert len(set(found)) == 66 and all(bury.bit_count() == 2 for bury in found)
    assert len(buries(DECK_32 & ~((1 << 13) - 1) & ~parse_mask("AS KS QS JS TS 9S 8S 7S AH KH QH"), 3)) == 286


def test_bo_9_a_joker_is_the_only_trump_at_no_trump() -> None:
    call = parse_call("7NT")
    trumps = int(bid_trumps(call))
    hand, spade, joker = (
        int(to_bid_order(parse_mask(text, 1 << JOKER_1 | DECK_32), call)) for text in ("X1 7S", "AS", "X1")
    )
    following = legal_followers(hand, field_to_follow(spade, 0, trumps, 1))
    assert following == hand & ~joker  # only when unable to follow
    assert beats(joker, spade, trumps) and not beats(spade, joker, trumps)
    named = int(to_bid_order(parse_mask("AS KS QS JS TS 9S 8S 7S"), call))
    assert legal_followers(hand & ~joker, field_to_follow(joker, named, trumps, 1)) == hand & ~joker
    assert field_to_follow(joker, named, trumps, 0) == trumps  # nobody can follow it then


def test_bo_9_a_joker_is_the_highest_trump_of_a_suit() -> None:
    call = parse_call("7H")
    joker, right = (int(to_bid_order(parse_mask(text, 1 << JOKER_1 | DECK_32), call)) for text in ("X1", "JH"))
    assert bid_trumps(call) == TRUMP_FIELD and joker & TRUMP_FIELD
    assert beats(joker, right, TRUMP_FIELD) and not beats(right, joker, TRUMP_FIELD)


def test_bo_10_values_of_the_bids() -> None:
    values = [int(bid_value(int(bid_of(level, NO_TRUMP)), 10)) for level in range(1, 11)]
    assert values == [1, 2, 3, 4, 5, 6, 12, 13, 24, 25]


def test_bo_11_opponents_may_score_when_the_bid_is_made() -> None:
    assert points("6S", 7, 1, opponents_score_when_made=True) == (6, 1, 2)
    assert points("6S", 5, 1, opponents_score_when_made=True) == (-6, 5, 5)


def test_bo_12_misere() -> None:
    assert points("M", 0, 4) == (10, 0, 0)
    assert points("M", 0, 4, misere_value=12) == (12, 0, 0)
    assert points("M", 3, 4, misere_fail_opponents="bidder_tricks") == (-10, 3, 3)
    assert points("M", 3, 4, misere_fail_opponents="zero", factor=2) == (-20, 0, 0)
    assert points("6S", 3, 4, misere_fail_opponents="zero") == (-6, 7, 7)


def test_bo_14_equal_tops_play_on() -> None:
    assert int(game_winner(52, 52, 10, 50)) == -1
    assert int(game_winner(51, 52, 52, 50)) == -1
    assert int(game_winner(49, -3, 12, 50)) == -1
    assert int(game_winner(60, 60, 61, 50)) == 2


def test_options_that_cannot_be_are_refused() -> None:
    for wrong in ({"target": 0}, {"min_bid": 11}, {"joker": "two"}, {"misere_fail_opponents": "half"}):
        with pytest.raises(OptionError, match=next(iter(wrong))):
            BowersOptions(**wrong)


# --------------------------------------------------------------------------------------------------- words and errors


def test_calls_are_read_as_people_write_them() -> None:
    words = {"5S": "5S", "5♠": "5S", "10nt": "10NT", " p ": "P", "pass": "P", "M": "M", "misère": "M", "Misere": "M"}
    assert {word: call_text(parse_call(word)) for word in words} == words
    assert all(parse_call(call_text(call)) == call for call in range(CALLS))
    assert [call_symbol(parse_call(word)) for word in ("5S", "6NT", "M", "P")] == ["5♠", "6NT", "misère", "pass"]


@pytest.mark.parametrize("word", ["", "0S", "11S", "5", "S", "5X", "NT", "5SS", "-5S", "XX"])
def test_a_word_that_is_no_call_is_refused(word: str) -> None:
    with pytest.raises(CallError, match="is not a call; expected P, M"):
        parse_call(word)


@pytest.mark.parametrize(
    "calls, message",
    [
        ("P 5S 5H", r"call 3, 5H, is illegal over 5S; expected P, or 6NT or higher \(BO-3\)"),
        ("5S M", r"call 2, M \(misère\), is illegal over 5S; expected a standing bid of 6NT or 6 of a suit \(BO-4\)"),
        ("misere", r"call 1, M \(misère\), is illegal as the opening bid; .* \(BO-4\)"),
        ("6NT 6S 6NT", r"call 3, 6NT, is illegal over 6S; expected P, or M or higher \(BO-3\)"),
        ("7NT 7NT", r"call 2, 7NT, is illegal over 7NT; expected P, or 7 of a suit or higher \(BO-3\)"),
        ("10S 10H", r"call 2, 10H, is illegal over 10S; no bid is higher; expected P \(BO-3\)"),
        ("5S P P P", r"call 4, P, comes after the auction ended with two passes after 5S \(BO-5\)"),
        ("P P P 1NT", r"call 4, 1NT, comes after the auction ended with three opening passes \(BO-6\)"),
    ],
)
def test_an_illegal_auction_names_the_call_and_why(calls: str, message: str) -> None:
    with pytest.raises(IllegalAction, match=message):
        Auction.parse(calls)


# ---------------------------------------------------------------------------------------------- against naive twins

CALL = st.sampled_from(naive.ALL_CALLS)


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
    auction, made = Auction(), []
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
    trump, trumps, named = (
        ("NT" if call == "M" else call.lstrip("0123456789")),
        int(bid_trumps(number)),
        "CDHS"[seed % 4],
    )
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
    best, winner = int(to_bid_order(1 << cards[0], number)), 0
    for place in (1, 2):
        card = int(to_bid_order(1 << cards[place], number))
        if beats(card, best, trumps):
            best, winner = card, place
    assert winner == naive.trick_winner(card_texts(cards), trump)


def test_nobody_has_bid_at_the_start() -> None:
    auction = Auction()
    assert (auction.standing, auction.bidder, auction.passes) == (PASS, None, 0)
    assert len(auction.legal_calls()) == 1 + 50  # every bid but misère
