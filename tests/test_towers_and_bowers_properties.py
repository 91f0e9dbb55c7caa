"""Properties of any match of Towers & Bowers: views, the triples of actions, cards conserved, options listed."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.cards import DECK_24, SUITS, mask_cards, parse_card
from games.errors import IllegalAction, TowerlabError
from games.towers_and_bowers import (
    Match,
    Phase,
    TowersAndBowersOptions,
    legal_replies,
)
from tests.tb_tables import (
    DEALER,
    NON_DEALER,
    deal_hands,
    is_possible,
    mask,
    name_trump,
    never,
    play,
    random_action,
    random_match,
)

PLAIN = TowersAndBowersOptions(claims="off")
SPOKEN = ("shuffle", "accuse", "claim", "concede")  # actions whose player is an argument


# --------------------------------------------------------------------------------------------- views and the triples


def test_view_holds_what_a_player_has_seen_and_nothing_else() -> None:
    match = deal_hands("JH 9D AS", "KH QD TS", "TH")
    match.pass_()
    match.accept()
    match.discard(parse_card("TS"))
    play(match, "AS QD")
    mine, his = match.view(DEALER), match.view(NON_DEALER)
    assert mine.hand == mask("KH TH") and his.hand == mask("JH 9D")
    assert mine.discard == parse_card("TS") and his.discard is None
    assert mine.gone == mask("AS QD TS") and his.gone == mask("AS QD")
    assert mine.opponent_holds == 0 and his.opponent_holds == mask("TH")
    assert mine.opponent_voids == () and his.opponent_voids == (SUITS.index("S"),)
    assert mine.opponent_cards == his.opponent_cards == 2
    assert mine.claim is None and mine.penalty is None and mine.outcome is None
    assert mine.taken == (0, 1) and mine.bidder == DEALER and mine.trump == SUITS.index("H")
    assert (his.to_act, his.legal, mine.legal) == (NON_DEALER, mask("JH 9D"), 0)


def test_view_voids_are_effective_suits() -> None:
    match = name_trump(deal_hands("9D JH", "JD AS", "QC"), "H")
    play(match, "9D JD")
    assert match.view(NON_DEALER).opponent_voids == (SUITS.index("D"),)
    assert match.view(DEALER).opponent_voids == ()


def test_view_before_any_deal_is_empty() -> None:
    view = Match(PLAIN).view(0)
    assert (view.hand, view.up_card, view.trump, view.phase) == (0, None, None, Phase.STARTER)


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
            view, theirs = match.view(player), hand.hands[1 - player]
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
    calls: dict[str, tuple[Any, ...]] = {
        "turn": (),
        "shuffle": (pack,),
        "cut": (12,),
        "decline_cut": (),
        "deal": (),
        "accept": (),
        "pass_": (),
        "name": (0,),
        "discard": (pack[0],),
        "play": (pack[0],),
        "correct": (pack[0],),
        "accuse": (0, 1),
        "take_penalty": (),
        "decline_penalty": (),
        "claim": (0, 1),
        "concede": (0, 1),
        "consent": (),
        "insist": (),
    }
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


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), enforced=st.booleans())
def test_can_tells_exactly_which_actions_are_taken_and_a_refused_one_changes_nothing(seed: int, enforced: bool) -> None:
    rng = np.random.default_rng(seed)
    options = TowersAndBowersOptions(renege_mode="enforced" if enforced else "forbidden", towers_to_win=1)
    actions = random_match(rng, options).actions
    match, other = Match(options, never), random_match(rng, options).actions
    for action in actions:
        tried = other[int(rng.integers(len(other)))]
        if not is_possible(match, {key: tried[key] for key in tried if key != "player" or tried["action"] in SPOKEN}):
            before = match.state(), match.actions
            with pytest.raises(TowerlabError):
                match.apply(tried)
            assert (match.state(), match.actions) == before
        match.apply(action)


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
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_random_matches_conserve_cards_and_end(options: TowersAndBowersOptions, seed: int) -> None:
    rng = np.random.default_rng(seed)
    match = Match(options, judge=lambda question: bool(question.hand & 1 << parse_card("AS")))
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


def test_a_random_match_of_towers_is_won_by_somebody_with_three() -> None:
    towers = random_match(np.random.default_rng(3), TowersAndBowersOptions(claims="off")).state().towers
    assert max(towers) == 3 and min(towers) < 3


@pytest.mark.parametrize("module", ["match", "rules"])
def test_examples_of_the_documentation_run(module: str) -> None:
    results = doctest.testmod(importlib.import_module(f"games.towers_and_bowers.{module}"))
    assert results.attempted > 0 and results.failed == 0


def test_options_command_lists_every_option(towerlab: Callable[..., Any]) -> None:
    listed = {entry["name"]: entry for entry in towerlab("options", "towers-and-bowers", "--json").json["options"]}
    defaults = {
        "towers_to_win": 3,
        "first_n": 7,
        "starter": "procedure",
        "allow_discard_upcard": False,
        "force_dealer_to_name": True,
        "tie_to": "defender",
        "renege_mode": "forbidden",
        "renege_declined": "undo",
        "accuse_scope": "trick",
        "claims": "verified",
        "early_stop": True,
    }
    assert {name: entry["default"] for name, entry in listed.items()} == defaults
    assert all(entry["rule"].startswith("TB-") and entry["help"] for entry in listed.values())
    printed = towerlab("options", "towers-and-bowers")
    assert printed.status == 0
    assert all(name in printed.stdout for name in defaults)


def test_options_command_offers_the_nearest_game(towerlab: Callable[..., Any]) -> None:
    towerlab("options", "towers-and-bower").assert_refused("towers-and-bower", "towers-and-bowers")
