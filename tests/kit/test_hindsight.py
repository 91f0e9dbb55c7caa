"""Deals looked back at with all cards open: what a side still makes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.oracles import naive
from tests.oracles.match_driver import deal_hands, name_trump
from towerlab.analysis.saved_games import read_lines
from towerlab.games.cards import mask_text
from towerlab.table.commanding import game_of_file
from towerlab.table.grading import OpenCards
from towerlab.table.towers_and_bowers.game import open_cards

GOLDEN = ROOT / "tests" / "golden"


@pytest.mark.parametrize("name", ["bowers", "towers", "towers-and-bowers-match", "towie"])
def test_open_cards_never_get_better_by_ones_own_action(name: str) -> None:
    """A side can only keep or lose by its own action what it has with best play; the other side can only give."""
    path = GOLDEN / f"{name}.jsonl"
    game = game_of_file(path)
    engine = game.replay(read_lines(path))
    assert game.hindsight is not None
    side = game.hindsight
    again = game.start(engine.options)
    before = {}
    seen = 0
    for action in engine.actions:
        actor = action.get("player", again.to_act)
        again.apply(action)
        after = {seat: side(again, seat) for seat in again.seats}
        for seat, now in after.items():
            was: OpenCards | None = before.get(seat)
            if was is None or now is None or was.is_over:
                continue
            seen += 1
            assert not (now.wins and not was.wins and actor == seat), (action, was, now)
        before = after
    assert seen > 5


@pytest.mark.parametrize("hands", [("JH 9S KC", "9H KD AC"), ("AS TD 9C", "KS QH AC"), ("JD KH 9S", "AH AS QC")])
def test_the_tricks_of_a_hand_are_those_of_a_naive_search(hands: tuple[str, str]) -> None:
    match = name_trump(deal_hands(*hands, "QD", claims="off"), "H")
    random = np.random.default_rng(1)
    while (hand := match.state().hand) is not None and hand.outcome is None:
        if hand.led is None:
            held = [frozenset(mask_text(mask).split()) for mask in hand.hands]
            mine = naive.leader_tricks(held[hand.leader], held[1 - hand.leader], "H") + hand.taken[hand.leader]
            seen = open_cards(match, hand.leader)
            assert seen.words.split()[0] == str(mine)
        match.apply(match.legal().sample(random))
