"""Recorded games in words, checked, and looked back at."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import math
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import towerlab
from tests.conftest import ROOT, Answer, slow
from towerlab.analysis.advice import Advice, AdvisedAction, capital
from towerlab.analysis.present import _PLAIN, _Console
from towerlab.analysis.saved_games import read_lines
from towerlab.analysis.stats import Estimate
from towerlab.games.errors import TowerlabError
from towerlab.table.commanding import game_of_file
from towerlab.table.drawing import card_words
from towerlab.table.game import Pick
from towerlab.table.present import rate_columns, review_report
from towerlab.table.review import review_file, review_game, review_lines
from towerlab.table.session import Lineup, Session
from towerlab.table.showing import seat_names, show_game
from towerlab.table.train import Trainer
from towerlab.web.app import review_table
from towerlab.web.reviews import review_page

GOLDEN = ROOT / "tests" / "golden"
MATCH = read_lines(GOLDEN / "towers-and-bowers-match.jsonl")
FILES = ("bowers", "tower-war", "towers", "towers-and-bowers-match", "towers-and-bowers-enforced", "towie")


@pytest.fixture(autouse=True)
def a_novice_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cheapest player of the simulator alone is asked the same questions."""
    monkeypatch.setattr("towerlab.table.review.BENCHMARKS", ("novice",))


@pytest.mark.parametrize("name", FILES)
def test_every_golden_game_reads_well(name: str) -> None:
    path = GOLDEN / f"{name}.jsonl"
    shown = show_game(read_lines(path), game_of_file(path))
    assert shown.actions == len(path.read_text().splitlines()) - 1
    engine = game_of_file(path).replay(read_lines(path))
    assert engine.result is not None and engine.result.winner is not None
    winner = seat_names(read_lines(path), game_of_file(path), engine)[engine.result.winner]
    assert shown.verdict.startswith(f"{capital(winner)} wins the ")
    assert any(" holds " in line for line in shown.lines) and "{" not in "".join(shown.lines)


def test_what_cannot_be_shown_or_reviewed_is_refused(inside: Callable[..., Answer], tmp_path: Path) -> None:
    lines = (GOLDEN / "towers.jsonl").read_text().splitlines()
    broken = tmp_path / "broken.jsonl"
    nonsense = tmp_path / "nonsense.jsonl"
    broken.write_text("\n".join([*lines[:5], '{"action": "raze", "player": 0, "column": 1}', *lines[5:]]) + "\n")
    nonsense.write_text("nonsense\n")
    for command, path, *more, expected in (
        ("show", broken, "line 6"),
        ("review", broken, "line 6"),
        ("show", nonsense, "header"),
    ):
        inside(command, str(path), *more).assert_refused(expected)


def test_a_review_grades_what_could_be_seen_and_tells_how_much_was_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("towerlab.table.review.BENCHMARKS", ("novice", "random"))
    path = tmp_path / "game.jsonl"
    game = game_of_file(GOLDEN / "towers.jsonl")
    lines = (GOLDEN / "towers.jsonl").read_text().splitlines()[:9]
    path.write_text("\n".join(lines) + "\n")
    engine = game.replay(read_lines(path))
    review = review_game(game, engine, seat_names(lines, game, engine), [0])
    assert {one.seat for one in review.decisions} == {0} and len(review.decisions) == 4
    for one in review.decisions:
        assert one.cost.mean >= 0 and one.is_mistake == (
            one.cost.low > game.scale.tolerance and one.cost.mean >= game.scale.mistake
        )
    rate = review.rate(0)
    assert math.isclose(rate["cost_per_decision"] * 4, sum(one.cost.mean for one in review.decisions))
    assert set(review.benchmarks) == {"novice", "random"} and review.cost_of_players(0)["random"][0] == 4
    (told,) = review.to_json()["players"]
    assert told["judged_share"] == told["judged"] / 4 and sum(row["decisions"] for row in told["habits"]) == 4
    assert math.isclose(sum(row["cost"] for row in told["habits"]), 4 * told["cost_per_decision"])
    costs = [(one.verdict == "worse", one.cost.mean) for one in review.costliest]
    assert costs == sorted(costs, reverse=True)
    text = json.dumps(review.to_json())
    assert json.loads(text)["decisions"][0]["number"] == 2 and "choices are clear" in " ".join(review.sentences)


def test_the_best_actions_by_the_advice_cost_nothing() -> None:
    game = game_of_file(GOLDEN / "towers.jsonl")
    session = Session.begin(game, game.start(None).options, Lineup(("human", "novice"), 3), None)
    for _ in range(2):
        session.advance()
        advice = game.advise(session.engine.view(0), session.engine.options)
        session.act(0, advice.alternatives[0].action)
    review = review_game(game, session.engine, ("player 1", "player 2"), [0])
    assert [one.cost.mean for one in review.decisions] == [0.0, 0.0] and review.costliest == []


def test_a_card_of_dummy_is_told_as_dummys() -> None:
    path = GOLDEN / "towie.jsonl"
    game = game_of_file(path)
    (_, *actions) = read_lines(path)
    lines = [line.strip().partition(" ")[2].strip() for line in show_game(read_lines(path), game).lines]
    engine = game.start(game.replay(read_lines(path)).options)
    names = [f"player {seat + 1}" for seat in engine.seats]
    told = []
    for action in map(json.loads, actions):
        view = engine.view(engine.to_act or 0)
        if action["action"] == "play":
            dummys = view.contract is not None and (view.leader + len(view.plays)) % 4 == 2
            told.append(f"{'dummy' if dummys else names[action['player']]}: {card_words(action['card'])}")
        engine.apply(action)
    shown = iter(lines)  # in this order, calls between them
    assert all(any(line == card or line.startswith((f"{card} ", f"{card}.")) for line in shown) for card in told)
    assert sum(line.startswith("dummy: ") for line in lines) == len(told) // 4


def test_how_many_cards_are_expected_is_said_in_the_right_number() -> None:
    pick = Pick(("JS", "QS", "KS"), 2, 2, lambda cards: {"cards": list(cards)}, "bury")
    with pytest.raises(TowerlabError, match=r"^1 card chosen; expected 2$"):
        pick.check(1)
    with pytest.raises(TowerlabError, match=r"^3 cards chosen; expected 1 to 2$"):
        dataclasses.replace(pick, least=1).check(3)


def test_a_tolerance_is_the_same_in_training_and_in_reviews(tmp_path: Path) -> None:
    """Below 2 percentage points a decision is good enough, from there on it is doubtful; said with the mark in both."""
    game = game_of_file(GOLDEN / "towers-and-bowers-match.jsonl")
    cost = 5.6

    def advise(view: object, options: object) -> Advice:
        loss = [Estimate(0.0, 0.0, 0.0, 1), Estimate(cost, cost, cost, 1)]
        both = zip(("accept", "pass"), loss, strict=True)
        told = tuple(AdvisedAction(word, 0.0, one, {"action": word, "player": view.player}) for word, one in both)
        return Advice(told, game.scale)

    game = copy.copy(game)
    game.advise = advise
    trainer = Trainer(game, None)
    item = trainer.item
    trainer._puzzles = {}  # so that the advice is asked
    said = []
    for cost in (5.6, 19.9, 20.0, 40.0, 80.0):
        trainer._current = item
        graded = trainer.answer({"action": "pass", "player": item.seat})
        assert graded.is_right == (not game.scale.mark(graded.done.cost)) == (cost <= 10)
        said.append(graded.sentence)
    assert said == [
        "Right: a pass is as good as accepting.",
        "Wrong, a slip: a pass costs 1.99 percentage points; accepting is best.",
        "Wrong, a slip: a pass costs 2.00 percentage points; accepting is best.",
        "Wrong, a mistake: a pass costs 4.00 percentage points; accepting is best.",
        "Wrong, a blunder: a pass costs 8.00 percentage points; accepting is best.",
    ]  # fmt: skip
    (tmp_path / "match.jsonl").write_text("".join(f"{line}\n" for line in MATCH[:40]))
    review = review_file(tmp_path / "match.jsonl")
    assert any(one.mark for one in review.decisions)
    for one in review.decisions:
        assert one.mark == game.scale.mark(one.cost) and one.is_mistake == (one.cost.mean >= 40)


def test_luck_is_said_once_the_game_is_over() -> None:
    """Before, it would tell of the opponent's hand."""
    review = review_lines(MATCH[:26], game_of_file(GOLDEN / "towers-and-bowers-match.jsonl"), [0])
    assert "the starters and deals made" in review_page(review)
    unfinished = review_table(review.table, review.engine, review.names, 0)
    assert "the starters and deals made" not in review_page(unfinished)


@pytest.mark.parametrize(
    ("name", "actions", "kind"),
    [
        slow("towers-and-bowers-match", 20, str),
        ("bowers", 3, str),
        ("towie", 6, Path),
    ],
)
def test_a_game_is_reviewed_from_python(name: str, actions: int, kind: type, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f"{line}\n" for line in read_lines(GOLDEN / f"{name}.jsonl")[:actions]))
    review = towerlab.review(kind(path))
    assert review.table.name in name and len(review.to_frame("decisions")) == len(review.decisions) > 0
    assert len(review.to_frame()) == len(review.seats)
    with pytest.raises(TowerlabError, match="unknown player 'x' of "):
        towerlab.review(kind(path), "x")
    names = [f"{name}, the {place}th at the table" for place, name in enumerate(review.names)]
    for width in range(60, 121, 12):
        console = _Console(file=io.StringIO(), width=width, **_PLAIN)
        console.print(review_report(dataclasses.replace(review, names=tuple(names))))
        printed = set(console.file.getvalue().split())  # type: ignore[attr-defined]
        assert {word for heading in rate_columns(review) for word in heading.split()} <= printed, width


def test_a_review_says_while_it_judges_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """It said nothing for 208 seconds; the first decision alone can take minutes."""
    said = threading.Event()
    printed = list[str]()
    monkeypatch.setattr("towerlab.analysis.present.progress.FIRST_LINE", 0.01)
    monkeypatch.setattr("towerlab.analysis.present.progress.note", lambda line: [printed.append(line), said.set()])
    monkeypatch.setattr("towerlab.table.review._judge", lambda *_: None if said.wait(300) else pytest.fail("silent"))
    game = game_of_file(GOLDEN / "bowers.jsonl")
    lines = read_lines(GOLDEN / "bowers.jsonl")[:6]
    review_lines(lines, game, quiet=False)
    assert printed[0].startswith("review of Bowers: ")


def test_people_are_named_in_plain_english() -> None:
    game = game_of_file(GOLDEN / "towers-and-bowers-match.jsonl")
    engine = game.replay(read_lines(GOLDEN / "towers-and-bowers-match.jsonl")[:26])
    page = review_page(review_game(game, engine, ("you", "pimc"), [0]), alone=True)
    assert "Your habits" in page and "Your chance to win the match went" in page and "Habits of you" not in page
    review = review_game(game, engine, ("you", "pimc"), [0])
    one = dataclasses.replace(review, grading=dataclasses.replace(review.grading, unadvised=1))
    assert one.sentences[-1] == "1 decision has no advice."
