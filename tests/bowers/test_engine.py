"""The engine of Bowers: phases, illegal actions, views, transcripts, and that it plays as the simulator does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import naive_bowers as naive
from tests.oracles.bowers_driver import dealt_game
from towerlab.games.bowers import MISERE, BowersGame, BowersOptions, Phase, call_text
from towerlab.games.cards import DECK_32, JOKER_1, SUITS, card_texts, mask_cards, parse_mask
from towerlab.table.bowers import TABLE

JOKERS = st.sampled_from(["none", "replace_7c", "add"])


def play_on(game: BowersGame, random: np.random.Generator, deals: int) -> None:
    """Any legal action by lot, mostly a pass in an auction, until so many deals are over."""
    while game.winner is None and deals:
        record = game.chance(random) if game.to_act is None else game.legal().sample(random)
        if game.phase == Phase.BID and random.random() < 0.6:
            record = {**record, "call": "P"}
        game.apply(record)
        deals -= game.phase in (Phase.DEAL, Phase.OVER)


# ---------------------------------------------------------------------------------------------------- the whole way


@settings(max_examples=15)
@given(st.integers(0, 2**32), JOKERS, st.booleans(), st.sampled_from(["bidder", "left_of_dealer"]))
def test_no_card_is_lost(seed: int, joker: str, names: bool, first_lead: str) -> None:
    options = BowersOptions(joker=joker, joker_names_suit=names, first_lead=first_lead)
    game = BowersGame(options)
    random = np.random.default_rng(seed)
    for _ in range(3):
        play_on(game, random, 1)
        deal = game.state().deal
        played = [card for trick in deal.tricks for card in trick.cards]
        if deal.outcome.thrown_in:
            cards = [*mask_cards(deal.hands[0] | deal.hands[1] | deal.hands[2]), *mask_cards(deal.kitty)]
        else:
            assert sum(deal.outcome.taken) == len(deal.tricks) == 10 and deal.hands == (0, 0, 0)
            cards = [*played, *mask_cards(deal.kitty if deal.call == MISERE else deal.buried)]
        assert sorted(cards) == mask_cards(options.deck)


@settings(max_examples=15)
@given(st.integers(0, 2**32), JOKERS)
def test_play_and_scores_are_those_of_the_naive_twin(seed: int, joker: str) -> None:
    game = BowersGame(BowersOptions(joker=joker))
    play_on(game, np.random.default_rng(seed), 2)
    deal = game.state().deal
    calls = [call_text(call) for call in deal.auction.calls]
    state, bidder, standing = naive.run_auction(calls)
    if bidder is None:
        assert state == "thrown in" and deal.outcome.thrown_in
        return
    seat = (deal.dealer + 1 + bidder) % 3
    assert (state, seat, standing) == ("won", deal.bidder, call_text(deal.call))
    trump = "NT" if standing == "M" else standing.lstrip("0123456789")
    leader = seat
    for trick in deal.tricks:
        assert trick.leader == leader
        leader = (leader + naive.trick_winner(card_texts(trick.cards), trump)) % 3
        assert trick.winner == leader
    turned = [deal.outcome.taken[(seat + step) % 3] for step in range(3)]
    points = naive.points(standing, (turned[0], turned[1], turned[2]), deal.factor)
    assert [deal.outcome.points[(seat + step) % 3] for step in range(3)] == list(points)


# ----------------------------------------------------------------------------------------------------- the joker


JOKER_HANDS = (
    "X1 AS KS QS AH KH AD KD AC KC",
    "JS TS 9S QH JH TH QD JD QC JC",
    "8S 7S 9H 8H 7H TD 9D 8D TC 9C",
)  # with `replace_7c`; the kitty: 7D 8C


def test_bo_9_the_table_says_which_suit_a_joker_names() -> None:
    for names in (True, False):
        game = dealt_game(JOKER_HANDS, "7NT P P", joker="replace_7c", joker_names_suit=names)
        game.bury(parse_mask("7D 8C"))
        choices = [one.text for one in TABLE.prompt(game.view(0), game.legal(0)).choices]
        assert choices.count("play Joker1, ♦ to follow") == names and choices.count("play Joker1") == 1 - names
        game.play(JOKER_1, SUITS.index("D") if names else None)
        said = TABLE.action_line(game.last_action, game.view(1), ("left", "you", "right"))
        assert said == "left: Joker1" + ", ♦ to follow" * names
        facts = TABLE.scene(game.view(1), ("", "", ""), game.options).parts[0].facts
        assert (("joker", "♦ to follow") in facts) == names
        assert TABLE.hindsight(game, 0).words == "10 tricks for the bidder"


# ------------------------------------------------------------------------------------------------------ transcripts


@pytest.mark.parametrize("dealer", [1.0, True, None, 3, -1])
def test_the_first_dealer_is_a_seat(dealer: Any) -> None:
    assert not BowersGame().can_deal(mask_cards(DECK_32), dealer)
