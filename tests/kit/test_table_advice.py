"""What the advice at the table says beside the costs: sound claims, and how the last cards are played hidden."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.kit.test_table_ends import begin, played
from tests.oracles.match_driver import deal_hands, name_trump
from towerlab.analysis.advice import Advice, AdvisedAction
from towerlab.analysis.bowers import ask_bid, ask_bury
from towerlab.analysis.decision import SCALES, Alternative, Decision, exact_costs
from towerlab.analysis.saved_games import read_lines
from towerlab.analysis.stats import Estimate, look_level
from towerlab.analysis.towers.move import why_best
from towerlab.analysis.towers_and_bowers.simulation import stored_solution
from towerlab.games.bowers import call_text
from towerlab.games.cards import mask_text
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.seats import KernelPlayer
from towerlab.table.bowers import LAYOUTS
from towerlab.table.commanding import game_of_file

CLAIM = re.compile(r"takes? (\d+) of the (\d+) tricks left")


@pytest.mark.parametrize(("name", "plays"), [("bowers", 30), ("towie", 30)])
def test_a_claim_that_is_advised_holds_as_the_cards_lie(name: str, plays: int) -> None:
    """Proved against every layout, so also against the true one, all cards seen: by double dummy."""
    path = ROOT / "tests" / "golden" / f"{name}.jsonl"
    game = game_of_file(path)
    engine = game.replay(read_lines(path))
    again = game.start(engine.options)
    seen = 0
    most = {"bowers": 10, "towie": 13}[name]
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


def test_the_solved_play_of_two_cards_is_advised_and_is_how_equilibrium_plays() -> None:
    options = TowersAndBowersOptions(claims="off")
    player = KernelPlayer("equilibrium", options, (0.0,) * 8, stored_solution(("equilibrium",), "tower", options))
    game = game_of_file(ROOT / "tests" / "golden" / "towers-and-bowers-match.jsonl")
    random = np.random.default_rng(3)
    for hands in (("JH 9S", "AS KD"), ("AH TS", "KH JC"), ("9H AS", "TH KC"), ("QH AD", "AH KD")):
        match = name_trump(deal_hands(*hands, "QC", claims="off"), "H")
        seat = match.to_act
        assert seat is not None
        view = match.view(seat)
        drawn = [player.act(view, (), random) for _ in range(400)]
        advice = game.advise(view, TowersAndBowersOptions())
        assert advice is not None and advice.best.reason.startswith("best play does so")
        for action in drawn:
            found = advice.of(action)
            assert found is not None and found.cost.mean <= 1  # mt


def test_what_is_alike_stands_in_one_line() -> None:
    exact = [Estimate(cost, cost, cost, 1) for cost in (0.0, 0.0, 0.0, 1.0, 1.0, 2.0)]
    options = [AdvisedAction(f"play {n}♠", -cost.mean, cost, {"n": n}) for n, cost in enumerate(exact)]
    lines = Advice(tuple(options), SCALES["bowers"]).lines
    assert [(words, option.text) for words, option in lines] == [
        ("play 0♠, 1♠ or 2♠", "play 0♠"), ("play 3♠ or 4♠", "play 3♠"), ("play 5♠", "play 5♠"),
    ]  # fmt: skip
    paired = replace(options[1], cost=Estimate(0.0, -0.5, 0.5, 40))  # as good on average, not card by card
    assert len(Advice((options[0], paired), SCALES["bowers"]).lines) == 2


def test_a_call_of_towie_is_advised_from_as_many_layouts_as_are_asked_for() -> None:
    """Risks of the looks add up to 5 %; the race ends early only where the call is known."""
    assert sum(1 - look_level(look) for look in range(1, 10_000)) == pytest.approx(0.05, abs=1e-5)
    session = begin("towie", 5)
    session.advance()
    view = session.engine.view(0)
    options = session.engine.options
    for most in (6, 18):
        advice = session.game.advise(view, options, 0, most)
        assert advice is not None and advice.drawn <= most and (not advice.can_draw_more or advice.drawn == most)


def test_the_reason_for_a_play_of_towers_follows_its_numbers() -> None:
    now = {"5 on 1": 0, "9 on 2": 0, "J on 3": 2}

    def decision(*values: float) -> Decision[Alternative]:
        options = zip(now, values, exact_costs(values), strict=False)
        return Decision(tuple(Alternative(*option) for option in options), SCALES["towers"])

    said = (
        "5 on 1 makes nothing now and gains 1.60 on the best opponent afterwards; J on 3 makes 2 points and loses 1.50."
    )
    assert why_best(decision(1.6, 1.0, 0.5), now) == said
    assert why_best(decision(-0.5, -0.75, -1.0), now | {"5 on 1": 1, "J on 3": 1}) == (
        "5 on 1 makes 1 point now and loses 1.50 to the best opponent afterwards; 9 on 2 makes nothing and loses 0.75."
    )
    assert why_best(decision(1.6), now) == ""
    session = begin("towers", 5)
    session.advance()
    advice = session.advice(0)
    assert advice is not None and advice.remark.startswith(advice.best.text)


@pytest.mark.parametrize(("game", "many"), [("bowers", 256), ("towers", 300)])
def test_more_layouts_are_drawn_where_they_are_asked_for(game: str, many: int) -> None:
    session = begin(game, 4)
    session.advance()
    view = session.engine.view(0)
    options = session.engine.options
    usual = session.game.advise(view, options)
    more = session.game.advise(view, options, 0, many)
    assert usual is not None and more is not None and (0 < usual.drawn < many) and more.drawn == many
    assert f"{many} " in more.basis
    assert {option.text for option in usual.alternatives} == {option.text for option in more.alternatives}


def test_the_table_of_bowers_advises_what_the_commands_answer() -> None:
    """A call and a bury: the same values, the same reason, intervals that are valid at every look."""
    path = ROOT / "tests" / "golden" / "bowers.jsonl"
    seen = set[str]()
    game = game_of_file(path)
    engine = game.replay(read_lines(path))
    again = game.start(engine.options)
    rules = engine.options
    for action in engine.actions:
        if (kind := action["action"]) in {"call", "bury"} - seen:
            seen.add(kind)
            view = again.view(action["player"])
            advice = game.advise(view, rules)
            hand = mask_text(view.hand)
            if kind == "call":
                called = " ".join(map(call_text, view.auction.calls))
                bid = ask_bid(hand, called, rules, doubled=view.factor == 2, kitties=LAYOUTS, quiet=True, jobs=1)
                answered = [(value.score.mean, value.cost) for value in bid.ranked], bid.why
            else:
                place = view.auction.bidder
                call = call_text(view.call)
                bury = ask_bury(hand, call, rules, place=place, layouts=LAYOUTS, quiet=True, jobs=1)
                answered = [(bury.score.mean, bury.cost) for bury in bury.buries], bury.why
            assert advice is not None and view.factor < 3
            assert [option.value for option in advice.alternatives] == [value for value, _ in answered[0]]
            assert [option.cost.mean for option in advice.alternatives] == [-0.0 + lost.mean for _, lost in answered[0]]
            assert advice.remark == answered[1]
        again.apply(action)
    assert seen == {"call", "bury"}


def test_a_card_that_alone_may_be_played_needs_no_advice() -> None:
    session = begin("towers-and-bowers", 5, towers_to_win=1)
    forced = 0
    for _ in played(session, 5, 200):
        if session.waits_for == 0 and session.forced_action():
            forced += 1
            assert session.advice(0) is None
    assert forced > 3
