"""What the advice at the table says beside the costs: claims that are sound now, and the exact play of small hands."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.oracles.tb_tables import deal_hands, name_trump
from towerlab.analysis.saved_games import read_lines
from towerlab.analysis.towers_and_bowers.simulation import stored_solution
from towerlab.analysis.towers_and_bowers.solutions.whole_hand import load_play
from towerlab.games.cards import card_text, parse_card
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.seats import KernelPlayer, solved_shares
from towerlab.table.commanding import game_of_file

CLAIM = re.compile(r"takes? (\d+) of the (\d+) tricks left")


@pytest.mark.parametrize(("name", "plays"), [("bowers", 30), ("towie", 30)])
def test_a_claim_that_is_advised_holds_as_the_cards_lie(name: str, plays: int) -> None:
    """Proved against every layout, so also against the true one, all cards seen: by double dummy."""
    path = ROOT / "tests" / "golden" / f"{name}.jsonl"
    game = game_of_file(path)
    engine = game.replay(read_lines(path))
    again, seen, most = game.start(engine.options), 0, {"bowers": 10, "towie": 13}[name]
    assert game.hindsight is not None
    open_cards = game.hindsight
    for number, action in enumerate(engine.actions):
        seat = again.to_act
        if seat is not None and action["action"] == "play" and seen < plays:
            advice = game.advise(again.view(seat), again.options)
            told = CLAIM.search(advice.remark) if advice is not None else None
            if told is not None:
                seen += 1
                claimed, left = map(int, told.groups())
                found = open_cards(again, seat)
                assert found is not None and claimed <= left
                declarer = int(found.words.split()[0])
                state = again.state()
                taken = state.deal.taken[state.deal.bidder] if name == "bowers" else state.deal.declarer_tricks
                is_declarer = found.words.endswith(("bidder", "declarer")) and _declares(name, state, seat)
                is_his = is_declarer or "declarer takes" in advice.remark
                mine = declarer - taken if is_his else (most - declarer) - (most - left - taken)
                assert mine >= claimed, (number, advice.remark, found)
        again.apply(action)
    assert seen >= plays / 3


def _declares(name: str, state: object, seat: int) -> bool:
    deal = state.deal  # type: ignore[attr-defined]
    return seat == (deal.bidder if name == "bowers" else deal.players[deal.contract.declarer])


def test_the_exact_play_of_two_cards_is_advised_and_is_what_equilibrium_plays() -> None:
    options = TowersAndBowersOptions(claims="off")
    solved = load_play((2,))
    player = KernelPlayer("equilibrium", options, (0.0,) * 8, stored_solution(("equilibrium",), "tower", options))
    random, mixed = np.random.default_rng(3), 0
    for hands in (("JH 9S", "AS KD"), ("AH TS", "KH JC"), ("9H AS", "TH KC"), ("QH AD", "AH KD")):
        match = name_trump(deal_hands(*hands, "QC", claims="off"), "H")
        seat = match.to_act
        assert seat is not None
        view = match.view(seat)
        shares = solved_shares(view, solved)
        assert shares is not None and sum(shares.values()) == pytest.approx(1)
        drawn = [parse_card(player.act(view, (), random)["card"]) for _ in range(400)]
        for card, share in shares.items():
            assert drawn.count(card) / 400 == pytest.approx(share, abs=0.09)
            mixed += 0.05 < share < 0.95
        game = game_of_file(ROOT / "tests" / "golden" / "towers-and-bowers-match.jsonl")
        advice = game.advise(view, TowersAndBowersOptions())
        best = max(shares, key=shares.__getitem__)
        assert advice is not None and "The equilibrium of the whole hand" in advice.remark
        symbol = card_text(best).replace("T", "10")[:-1]
        assert f"plays {symbol}" in advice.remark


def test_where_no_play_is_stored_nothing_is_said_of_it() -> None:
    match = name_trump(deal_hands("JH 9S KC AS", "AC KD 9D TD", "QC", claims="off"), "H")
    view = match.view(match.to_act or 0)
    assert solved_shares(view, load_play((2,))) is None
    game = game_of_file(ROOT / "tests" / "golden" / "towers-and-bowers-match.jsonl")
    advice = game.advise(view, TowersAndBowersOptions())
    assert advice is not None and "equilibrium of the whole hand" not in advice.remark
