"""Deals looked back at with all cards open: what a side still makes, and the action that lost a deal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.oracles import naive
from tests.oracles.tb_tables import deal_hands, name_trump
from towerlab.analysis.saved_games import read_lines
from towerlab.games.cards import mask_text
from towerlab.table.commanding import game_of_file
from towerlab.table.hindsight import OpenCards, better_action, look_back
from towerlab.table.towers_and_bowers.hindsight import open_cards

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
            if was is None or now is None or was.is_over or was.part != now.part:
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


def test_a_game_of_scripted_values_finds_the_last_turn_and_what_would_have_kept_it() -> None:
    """Two own actions lose, the other side gives it back between them: the second counts."""

    class Script:
        seats = range(2)
        values = (True, False, True, False, False)

        def __init__(self, place: int = 0, good: bool = False) -> None:
            self.place = place
            self.good = good
            self.to_act = place % 2

        def copy(self) -> Script:
            return Script(self.place, self.good)

        def apply(self, action: dict[str, Any]) -> None:
            self.place, self.good = self.place + 1, action.get("kind") == "good"
            self.to_act = self.place % 2

        def legal(self, seat: int | None) -> list[dict[str, Any]]:
            return [{"action": "move", "player": seat, "kind": kind} for kind in ("bad", "good")]

    def scripted(game: Script, seat: int) -> OpenCards:
        wins = game.good or game.values[game.place]
        return OpenCards("deal", wins if seat == 0 else not wins, f"{int(wins)} won", game.place == 4)

    actions = [{"action": "move", "player": place % 2, "kind": "bad"} for place in range(4)]
    start: Any = Script()
    deals = [look_back(start, actions, seat, scripted) for seat in range(2)]
    assert [(deal.won, deal.winnable, deal.lost_at) for deal in deals] == [(False, True, 3), (True, True, None)]
    assert better_action(Script(2), actions[2], 0, scripted) == {"action": "move", "player": 0, "kind": "good"}
