"""The interactive match of Towers & Bowers: dealing, bidding, play, towers (TB-1 .. TB-21) and its options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.match_driver import DEALER, NON_DEALER, mask, never, random_action
from towerlab.games.cards import DECK_24, SUITS, cards_mask, mask_cards, parse_card, parse_cards
from towerlab.games.errors import CardError, IllegalAction, TowerlabError
from towerlab.games.towers_and_bowers import (
    Match,
    Phase,
    TowersAndBowersOptions,
    legal_replies,
    packet_schedules,
    shuffled_pack,
)

PLAIN = TowersAndBowersOptions(claims="off")


# ---------------------------------------------------------------------------------------- match and tower (TB-1 .. 4)


def test_tb_2_hands_of_a_tower_have_7_to_1_cards_and_one_card_always_ends_it() -> None:
    rng = np.random.default_rng(5)
    shortest = 8
    longest = 0
    for _ in range(60):
        match = Match(TowersAndBowersOptions(claims="off", towers_to_win=1, starter="fixed"))
        sizes = []
        while match.phase != Phase.MATCH_OVER:
            action = random_action(match, rng)
            match.apply(action)
            if action["action"] == "deal":
                sizes.append(match.state().n)
        assert sizes == list(range(7, 7 - len(sizes), -1))
        shortest, longest = min(shortest, len(sizes)), max(longest, len(sizes))
    assert longest == 7 and shortest < 7


def test_tb_4_pack_must_be_the_24_cards() -> None:
    match = Match(TowersAndBowersOptions(starter="fixed", claims="off"))
    whole = mask_cards(DECK_24)
    for pack in (whole[:-1], [*whole[:-1], whole[0]], [*whole[:-1], parse_card("8S")], [*whole[:-1], 99], [-1] * 24):
        assert not match.can_shuffle(pack)
        with pytest.raises(CardError, match="24 cards once"):
            match.shuffle(pack)
    assert match.can_shuffle(whole[::-1])


# ------------------------------------------------------------------------------------ starter and deal (TB-5 .. TB-9)


@pytest.mark.parametrize("turner", [0, 1])
@pytest.mark.parametrize("place", [1, 2, 3, 4, 23])
def test_tb_6_first_card_goes_to_the_other_player_and_first_black_jack_deals(turner: int, place: int) -> None:
    red = [card for card in mask_cards(DECK_24) if card not in parse_cards("JC JS")]
    pack = [*red[: place - 1], parse_card("JC"), *red[place - 1 :], parse_card("JS")]
    match = Match(PLAIN)
    match.shuffle_starter(pack, turner)
    assert match.to_act is None and match.chance(np.random.default_rng(0))["player"] == turner
    for k in range(place):
        assert match.state().dealer is None and match.view(0).turned == tuple(pack[:k])
        match.turn()
    assert match.state().dealer == (1 - turner if place % 2 else turner)
    assert match.phase == Phase.SHUFFLE
    with pytest.raises(IllegalAction, match=r"\(TB-6\)$"):
        match.turn()


@pytest.mark.parametrize("n", range(1, 8))
def test_tb_8_every_packet_schedule_deals_the_non_dealer_first(n: int) -> None:
    pack = shuffled_pack(np.random.default_rng(n))
    for schedule in packet_schedules(n):
        match = Match(TowersAndBowersOptions(starter="fixed", first_n=n, claims="off"))
        match.shuffle(pack)
        match.decline_cut()
        match.deal(schedule)
        dealt = match.state().hand
        expected: dict[int, list[int]] = {DEALER: [], NON_DEALER: []}
        rest = list(pack)
        for size in schedule:
            for player in (NON_DEALER, DEALER):
                expected[player] += [rest.pop(0) for _ in range(size)]
        assert dealt.hands == (cards_mask(expected[DEALER]), cards_mask(expected[NON_DEALER]))
        assert (dealt.up_card, match.actions[-1]["packets"]) == (rest[0], list(schedule))


# ---------------------------------------------------------------------------------------- results (TB-20 and TB-21)


@pytest.mark.parametrize("tie_to", ["defender", "bidder"])
def test_tb_21_stopping_early_never_changes_a_result(tie_to: str) -> None:
    rng = np.random.default_rng(21)
    stopped = 0
    for _ in range(60):
        match = Match(TowersAndBowersOptions(claims="off", starter="fixed", early_stop=False, tie_to=tie_to))
        twin = Match(TowersAndBowersOptions(claims="off", starter="fixed", early_stop=True, tie_to=tie_to))
        while match.state().hand is None or match.state().hand.outcome is None:
            action = random_action(match, rng)
            match.apply(action)
            if twin.state().hand is None or twin.state().hand.outcome is None:
                twin.apply(action)
            else:
                stopped += 1
        full = match.state().hand.outcome
        early = twin.state().hand.outcome
        assert (full.tower_to, full.next_dealer) == (early.tower_to, early.next_dealer)
    assert stopped > 50


# --------------------------------------------------------------------------------------------- views and the triples


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from(["forbidden", "enforced"]))
def test_views_never_contradict_the_cards(seed: int, renege_mode: str) -> None:
    rng = np.random.default_rng(seed)
    options = TowersAndBowersOptions(claims="free", renege_mode=renege_mode, towers_to_win=1)
    match = Match(options)
    for _ in range(400):
        if match.phase == Phase.MATCH_OVER:
            break
        match.apply(random_action(match, rng))
        hand = match.state().hand
        if hand is None:
            continue
        for player in (0, 1):
            view = match.view(player)
            theirs = hand.hands[1 - player]
            assert view.hand == hand.hands[player] and view.opponent_cards == theirs.bit_count()
            assert view.gone & (view.hand | theirs) == 0
            if match.phase != Phase.DISCARD:
                assert view.opponent_holds & ~theirs == 0
            if view.trump is not None and not hand.reneges:
                for suit in view.opponent_voids:
                    led = mask("A" + SUITS[suit])
                    following = legal_replies(theirs, led, view.trump) if theirs else 0
                    assert following == theirs and not theirs & led


def test_every_action_is_a_triple_and_is_refused_with_a_rule_out_of_its_phase() -> None:
    match = Match(PLAIN)
    pack = mask_cards(DECK_24)
    bare = ("turn", "decline_cut", "deal", "accept", "pass_", "take_penalty", "decline_penalty", "consent", "insist")
    calls: dict[str, tuple[Any, ...]] = dict.fromkeys(bare, ())
    calls |= {"shuffle": (pack,), "cut": (12,), "name": (0,), "discard": (pack[0],), "play": (pack[0],)}
    calls |= {"correct": (pack[0],), "accuse": (0, 1), "claim": (0, 1), "concede": (0, 1)}
    before = match.state()
    for name, arguments in calls.items():
        assert not getattr(match, f"can_{name}")(*arguments)
        for form in (f"verify_{name}", name):
            with pytest.raises(IllegalAction, match=r"\(TB-\d+\)$"):
                getattr(match, form)(*arguments)
    assert match.state() == before and match.actions == ()
    assert match.can_shuffle_starter(pack, 0)
    match.verify_shuffle_starter(pack, 0)
    assert match.state() == before
    match.shuffle_starter(pack, 0)
    assert match.state() != before and len(match.actions) == 1


@pytest.mark.parametrize(
    "options",
    [
        TowersAndBowersOptions(claims="off"),
        TowersAndBowersOptions(claims="free", tie_to="bidder", starter="alternate", force_dealer_to_name=False),
        TowersAndBowersOptions(renege_mode="enforced", allow_discard_upcard=True, starter="fixed"),
        TowersAndBowersOptions(renege_mode="enforced", renege_declined="stand", accuse_scope="hand", claims="free"),
        TowersAndBowersOptions(renege_mode="enforced", renege_declined="award_hand", claims="off", first_n=4),
    ],
    ids=["default", "tie-alternate", "enforced", "stand-hand", "award"],
)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_random_matches_conserve_cards_and_end(options: TowersAndBowersOptions, seed: int) -> None:
    rng = np.random.default_rng(seed)
    match = Match(options, judge=lambda question: bool(question.view.hand & 1 << parse_card("AS")))
    while match.phase != Phase.MATCH_OVER:
        assert len(match.actions) < 20_000
        match.apply(random_action(match, rng))
        assert_cards_are_conserved(match)
    assert sorted(match.state().towers)[1] == options.towers_to_win
    assert match.state().towers[match.winner] == options.towers_to_win


def assert_cards_are_conserved(match: Match) -> None:
    hand = match.state().hand
    if hand is None:
        return
    places = [*mask_cards(hand.hands[0]), *mask_cards(hand.hands[1]), *hand.stock]
    places += [card for trick in hand.tricks for card in (trick.led, trick.reply)]
    places += [] if hand.led is None else [hand.led]
    places.append(hand.up_card if hand.discard is None else hand.discard)
    assert sorted(places) == mask_cards(DECK_24)
    if hand.trump is not None and match.phase != Phase.DISCARD:
        cards = [held.bit_count() + len(hand.tricks) for held in hand.hands]
        if hand.led is not None:
            cards[hand.leader] += 1
        assert cards == [hand.n, hand.n]


def test_tb_29_verified_claims_need_a_judge() -> None:
    with pytest.raises(TowerlabError, match="claims=verified needs a judge"):
        Match()
    assert Match(judge=never).options.claims == "verified"
