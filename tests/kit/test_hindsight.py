"""Could I have won? Deals looked back at with all cards open."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT, Answer
from tests.oracles import naive
from tests.oracles.tb_tables import deal_hands, name_trump, play
from towerlab.analysis.saved_games import read_lines
from towerlab.analysis.stats import Estimate
from towerlab.games.cards import mask_text
from towerlab.games.towers_and_bowers import Match
from towerlab.table.commanding import game_of_file
from towerlab.table.grading import Judged
from towerlab.table.hindsight import OpenCards, Part, look_back, part_sentences
from towerlab.table.review import review_lines
from towerlab.table.towers_and_bowers.hindsight import open_cards
from towerlab.web.app import review_table
from towerlab.web.reviews import review_page

GOLDEN = ROOT / "tests" / "golden"

ACTION = "action {}".format


@pytest.fixture(autouse=True)
def nobody_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No player of the simulator is asked the same questions: that takes long and is tested elsewhere."""
    monkeypatch.setattr("towerlab.table.review.BENCHMARKS", ())


def parts_of(match: Match, seat: int, tmp_path: Path) -> tuple[Part, ...]:
    path = tmp_path / "match.jsonl"
    path.write_text("\n".join(match.transcript()) + "\n")
    return review_lines(read_lines(path), game_of_file(path), [seat]).parts


def test_a_hand_that_was_thrown_away_names_the_card_that_did_it(tmp_path: Path) -> None:
    """The bidder needs both tricks. Against A♠ they cannot get them; against 9♥ they must draw it before 9♠."""
    match = name_trump(deal_hands("JH 9S", "AS KD", "QC", claims="off"), "H")
    play(match, "9S AS KD JH")
    (mine,) = parts_of(match, 1, tmp_path)
    assert (mine.name, mine.won, mine.winnable, mine.lost_at) == ("hand of 2", False, False, None)
    assert "no other play of its own could win it" in mine.sentence(("a", "b"), "points", ACTION)
    match = name_trump(deal_hands("JH 9S", "9H KD", "QC", claims="off"), "H")
    play(match, "9S 9H KD JH")
    (mine,) = parts_of(match, 1, tmp_path)
    assert (mine.won, mine.winnable, mine.at_first, mine.at_last) == (False, True, "2 tricks", "1 trick")
    assert (mine.done, mine.better, mine.lost_by) == ("play 9♠", "play J♥", 1)
    assert [one.best for one in mine.known][-1] == "play J♥" and "Better by" in mine.sentence(
        ("a", "b"), "points", ACTION
    )
    said = mine.sentence(("a", "b"), "points", ACTION)
    assert (
        f"until action {mine.lost_at}: play 9♠; play J♥ would have kept it" in said and "Better by what could" in said
    )
    (theirs,) = parts_of(match, 0, tmp_path)
    assert theirs.won and theirs.sentence(("a", "b"), "points", ACTION).endswith("won, with 1 trick.")


def test_a_deal_left_before_its_first_card_is_none(inside: Callable[..., Answer], tmp_path: Path) -> None:
    """Bid and left, there was nothing to play: the review says nothing of it, and counts it nowhere."""
    path = tmp_path / "match.jsonl"
    match = name_trump(deal_hands("JH 9S", "AS KD", "QC", claims="off"), "H")
    assert parts_of(match, 1, tmp_path) == ()
    assert "Could it have been won?" not in inside("review", str(path)).stdout
    play(match, "9S")
    assert [part.won for part in parts_of(match, 1, tmp_path)] == [None]
    assert "hand of 2: not finished" in inside("review", str(path)).stdout


def test_could_it_have_been_won_is_said_of_the_play(tmp_path: Path) -> None:
    """With diamonds for trumps five tricks of six, with hearts all: the sentence is about the play, not the bid."""
    match = name_trump(deal_hands("JH AD QS TS 9H TH", "JD KD TD 9D KS KH", "9C", claims="off"), "D")
    play(match, "JH JD")
    (mine,) = parts_of(match, 1, tmp_path)
    assert not mine.winnable
    assert "no other play of its own could win it" in mine.sentence(("a", "b"), "points", ACTION)
    (line,) = part_sentences([mine], ("a", "b"), "points", ACTION)[1:]
    assert "of the others 0 could have been by other play" in line


@pytest.mark.parametrize("name", ["bowers", "towers", "towers-and-bowers-match", "towie"])
def test_open_cards_never_get_better_by_ones_own_action(name: str) -> None:
    """A side can only keep or lose by its own action what it has with best play; the other side can only give."""
    path = GOLDEN / f"{name}.jsonl"
    game = game_of_file(path)
    engine = game.replay(read_lines(path))
    assert game.hindsight is not None
    side = game.hindsight
    again, before, seen = game.start(engine.options), {}, 0
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
    match, random = name_trump(deal_hands(*hands, "QD", claims="off"), "H"), np.random.default_rng(1)
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
            self.place, self.good, self.to_act = place, good, place % 2

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
    known = [Judged(3, 0, None, "move", "bad", "good", Estimate(2.0, 2.0, 2.0, 1), "mistake", {}, 2, "", "")]
    start: Any = Script()
    (part,) = look_back(start, actions, [0], scripted, lambda action, _: action["kind"], known)
    assert (part.first, part.last, part.won, part.winnable, part.lost_at, part.lost_by) == (1, 4, False, True, 3, 0)
    assert (part.done, part.better, list(part.known)) == ("bad", "good", known)


def test_the_answer_is_in_the_json(inside: Callable[..., Answer], tmp_path: Path) -> None:
    path = tmp_path / "deal.jsonl"
    lines = (GOLDEN / "towers-and-bowers-match.jsonl").read_text().splitlines()[:40]
    path.write_text("\n".join(lines) + "\n")
    told = inside("review", str(path), "--seat", "1", "--json").json
    assert told["parts"] and {"winnable", "lost_at", "best_by_what_was_known"} <= told["parts"][0].keys()
    assert json.dumps(told)
    assert told["match"]["luck"] + told["match"]["skill"] == pytest.approx(told["match"]["after"] - 0.5)
    text = " ".join(inside("review", str(path), "--seat", "1").stdout.split())
    assert "points of luck by starters and deals" in text and "Could it have been won?" in text
    review = review_lines(read_lines(path), game_of_file(path), [0])
    page = review_page(review)
    assert "points of luck by starters and deals" in page and "Could it have been won?" in page
    unfinished = review_page(review_table(review.table, review.engine, review.names, 0))  # hands are still hidden
    assert "points of luck" not in unfinished and "Could it have been won?" not in unfinished
