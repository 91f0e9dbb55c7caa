"""The player `endgame`: what it plays, and that hardly anything can be won from it."""

from __future__ import annotations

import numpy as np
import pytest

from docs import endings as four_cards
from tests.conftest import exhaustive
from tests.oracles.match_driver import deal_hands, name_trump, play
from towerlab.analysis.players import find_player
from towerlab.analysis.towers_and_bowers.exploitability import source_of_player
from towerlab.analysis.towers_and_bowers.last_cards import PlayedHistory
from towerlab.analysis.towers_and_bowers.move import Reference
from towerlab.analysis.towers_and_bowers.ranges import Calls
from towerlab.analysis.towers_and_bowers.simulation import ENDGAME, play_batch, seat_in_match
from towerlab.analysis.towers_and_bowers.whole_strategies import whole_game
from towerlab.games.cards import parse_card, parse_mask
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.batch import BatchRequest
from towerlab.solver.towers_and_bowers.whole_hand.solve import exploitability


@pytest.mark.parametrize(("cards", "rank"), [(1, 9), (2, 9), (2, 12), exhaustive(3, 9)])
def test_best_responses_win_less_than_a_thousandth(cards: int, rank: int) -> None:
    source = source_of_player(ENDGAME, cards)
    assert exploitability(whole_game(cards, rank), source.strategy_for(39 + rank)) < 1e-3


def test_cards_are_drawn_from_the_mix_that_is_advised() -> None:
    assert find_player(ENDGAME, "towers-and-bowers") == ENDGAME
    options = TowersAndBowersOptions(claims="off")
    act = seat_in_match(ENDGAME, options)
    random = np.random.default_rng(1)
    for hands in (("AH TS", "KH JC"), ("9H AS", "TH KC"), ("QH AD", "AH KD")):
        match = name_trump(deal_hands(*hands, "QC", claims="off"), "H")
        view = match.view(match.to_act or 0)
        shares = {parse_card(play.card): play.share or 0.0 for play in Reference(options).move(view).plays}
        drawn = [parse_card(act(view, (), random)["card"]) for _ in range(100)]
        for card, share in shares.items():
            assert drawn.count(card) / 100 == pytest.approx(share, abs=0.2)


@pytest.mark.slow
def test_ranges_of_four_cards_are_hands_that_play_so() -> None:
    """The first trick as `docs.endings` has it is the player's; only hands that would have played it are left."""
    act = seat_in_match(ENDGAME, TowersAndBowersOptions(claims="off"))
    hands = ("AH TS KD 9C", "9H AS JD TC")
    match = name_trump(deal_hands(*hands, "QC", claims="off"), "H")
    public = PlayedHistory(Calls(4, parse_card("QC"), 2, True), True, (0.0, 0.2, 0.4, 0.7, 1.0), ())
    for hand in hands:
        card = act(match.view(match.to_act or 0), (), np.random.default_rng(0))["card"]
        found = four_cards.pimc_cards(public, np.array([parse_mask(hand)]), np.zeros(1, dtype=np.int64), np.ones(1))
        assert found.tolist() == [parse_card(card)]
        play(match, card)
        public = public.after(int(found[0]))
    for seat in range(2):
        left = public.ending().states(seat)[four_cards.true_range(public, seat) > 0, 0]
        before = public._replace(played=public.played[:seat])
        cards = four_cards.pimc_cards(before, left | public.cards_of(seat), np.zeros_like(left), np.ones(len(left)))
        assert len(left) and set(cards.tolist()) == {public.played[seat]}


def test_it_plays_whole_hands_of_any_size_in_the_simulator() -> None:
    for cards in (1, 2, 5):
        options = TowersAndBowersOptions(first_n=cards)
        seed = np.random.SeedSequence(cards)
        found = play_batch(BatchRequest((ENDGAME, "pimc"), 0, 2, seed, "hand", None, options))
        assert not found.failure
