"""What a page says of a deal is what its decisions cost; alternatives that cost nothing are not called worse."""

from __future__ import annotations

import html
import re
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.conftest import exhaustive, slow
from tests.kit.test_table_ends import begin
from towerlab.analysis.decision import INDIFFERENT, Verdict
from towerlab.analysis.towers.move import move
from towerlab.analysis.towers_and_bowers.upcard import ask_upcard
from towerlab.games.cards import DECK_24, card_text, cards_mask, mask_cards, mask_text
from towerlab.games.engine import Engine
from towerlab.table.commanding import table_of
from towerlab.table.game import TableGame
from towerlab.table.grading import ReviewedDecision
from towerlab.table.postmortem import post_mortem
from towerlab.table.review import judge_some, review_game
from towerlab.table.session import Session
from towerlab.web.pages import table_page

GAMES = {
    "towers-and-bowers": {"first_n": 3},
    "bowers": {},
    "towie": {},
    "towers": {},
    "tower-war": {},
}
STRONG = {
    "towers-and-bowers": "equilibrium",
    "bowers": "novice",
    "towie": "novice",
    "towers": "builder",
    "tower-war": "even",
}
OLD = ("Not proved", "Any of these", "gave it away", "within the error", "Nothing you decided")
FEW = {
    "towerlab.table.bowers.LAYOUTS": 6, "towerlab.analysis.bowers.move.LAYOUTS": 6,
    "towerlab.analysis.towie.bid.LAYOUTS": 6,
    "towerlab.analysis.towie.move.LAYOUTS": 4, "towerlab.analysis.towie.move.FIRST_LAYOUTS": 2,
    "towerlab.analysis.towie.move.LEADS": 4, "towerlab.table.towers.SAMPLES": 20,
}  # fmt: skip


def finished_deals(game: str, seed: int, count: int) -> list[Session]:
    """Sessions whose last deal has just ended, against random, novice and strong players by turns."""
    sessions = []
    for number in range(count):
        against = ("random", "novice", STRONG[game])[number % 3]
        session = begin(game, seed + number, against, **GAMES[game])
        random = np.random.default_rng(seed + number)
        while not (session.is_over or session.is_between_hands):
            if session.waits_for is None:
                session.step()
            elif session.engine.to_act is None:
                session.agree(0)
            else:
                actions = [choice.action for choice in session.prompt(0).choices if not choice.is_aside]
                session.act(0, actions[int(random.integers(len(actions)))])
        sessions.append(session)
    return sessions


def page_of(session: Session) -> tuple[str, list[ReviewedDecision]]:
    """The page after the end of a deal, every decision graded, and those decisions."""
    numbers = session.deciders(0, session.length)
    session.judged |= judge_some(session.game, session.engine, numbers, 1e9)
    graded = [decision for number in numbers for decision in session.judged[number]]
    told = post_mortem(session.game, session.engine, session.names(0), 0, session.length, graded)
    session.post_mortems[0, session.length] = told
    shown: dict[str, Any] = {"message": "", "is_asked": False, "more": 0, "proof": [], "plays_forced": False}
    return table_page(session, 0, name="x", token="t", **shown), graded


def as_text(page: str) -> str:
    plain = re.sub(r"<[^>]*>", " ", re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL))
    return re.sub(r"\s+", " ", html.unescape(plain))


def check_deal(session: Session) -> None:
    """Compare sentence, marks, bars, line, costs, review and JSON of a deal."""
    scale = session.game.scale
    page, graded = page_of(session)
    text = as_text(page).replace("\u202f", " ").replace("−", "-")
    own = [decision for decision in graded if decision.seat == 0]
    worst = max(graded, key=lambda decision: decision.cost.mean, default=None)
    costly = {}
    for decision in graded:
        if decision.is_costly and decision.cost.mean >= costly.get(decision.number, decision).cost.mean:
            costly[decision.number] = decision
    assert not [words for words in OLD if words in text]
    if worst is not None and worst.is_costly:
        said = f"{worst.lost}{f' ({worst.mark})' if worst.mark else ''}.".replace("−", "-")
        assert f"The costliest decision was {'yours' if worst.seat == 0 else ''}" in text and said in text
    else:
        assert "The costliest decision was" not in text
    if any(decision.cost.mean >= scale.mistake for decision in own):
        assert "The cards decided it" not in text
    if own and not any(decision.is_costly for decision in own):
        assert f"No decision of yours cost more than {scale.words(scale.tolerance)}" in text
    marks = re.findall(r'<span class="cost (\S+)">(\S+)</span> <a href="[^"]*at=(\d+)"', page)
    assert {int(number): (mark, cost) for mark, cost, number in marks} == {
        number: (decision.label, scale.cost_words(decision.cost.mean).split()[0]) for number, decision in costly.items()
    }
    bars = re.findall(r'y="94" width="[\d.]+" height="([\d.]+)" class="(\S+)"', page)
    heights = [(max(3.0, 40 * scale.share(item.cost.mean)), item.label) for item in costly.values()]
    assert sorted((float(height), mark) for height, mark in bars) == sorted(
        (round(height, 1), mark) for height, mark in heights
    )
    line = session.post_mortems[0, session.length].line
    valued = [decision for decision in own if decision.value is not None]
    assert list(line[: len(valued)]) == [(decision.number - 1, decision.value) for decision in valued]
    for decision in graded:
        row = decision.to_json()
        assert row["verdict"] == decision.verdict and row["cost"] == decision.cost.mean
        assert (decision.verdict == Verdict.WORSE) == bool(decision.mark) == (decision.cost.low > scale.tolerance)
    reviewed = review_game(session.game, session.engine, session.names(0), (0,)).decisions
    by_number = {(item.number, item.done): item for item in reviewed}
    for decision in own:
        same = by_number[decision.number, decision.done]
        assert (same.cost, same.verdict, same.best) == (decision.cost, decision.verdict, decision.best)


@pytest.mark.parametrize(
    ("game", "first", "deals"),
    [
        *((game, 11, 1) for game in GAMES),
        slow("tower-war", 12, 10),
        *(exhaustive(game, 1000 + part, 20) for game in GAMES for part in range(0, 200, 20)),  # 200 deals of each game
    ],
)
def test_what_is_said_of_a_deal_is_what_its_decisions_cost(
    game: str, first: int, deals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("towerlab.table.review.BENCHMARKS", ())
    for name, few in FEW.items():
        monkeypatch.setattr(name, few)
    for session in finished_deals(game, first, deals):
        check_deal(session)


def marked_positions(game: TableGame, positions: int, times: int, seed: int) -> tuple[int, int, int]:
    """Count positions of games between novices in which an alternative that costs nothing is called worse.

    What it truly costs is said by so many times as many layouts: nothing where their interval holds 0.

    Returns:
        (positions, those with such a mark, alternatives that cost nothing).
    """
    random = np.random.default_rng(seed)
    seen = marked = nothing = 0
    options = table_of(game.name).start(_options(game.name)).options
    while seen < positions:
        engine: Engine[Any, Any] = game.start(options)
        novices = [game.simulation.seat("novice", options) for _ in engine.seats]
        while engine.result is None and seen < positions:
            seat = engine.to_act
            if seat is None:
                engine.apply(engine.chance(random))
                continue
            view = engine.view(seat)
            if random.random() < 0.1 and len(engine.legal(seat)) > 1:
                few = game.advise(view, options, 1)
                if few is not None and few.drawn:
                    many = game.advise(view, options, 2, times * few.drawn)
                    assert many is not None
                    free = {option.text for option in many.alternatives if option.cost.low <= 0}
                    worse = {option.text for option in few.alternatives if few.verdict(option) == Verdict.WORSE}
                    seen += 1
                    nothing += len(free)
                    marked += bool(free & worse)
            engine.apply({**novices[seat](view, (), random), "player": seat})
    return seen, marked, nothing


def _options(game: str) -> Any:
    from towerlab.analysis.catalog import find_game

    return find_game(game).load("options")()


@pytest.mark.parametrize(
    ("game", "positions", "times", "seed"),
    [
        ("towers", 6, 10, 5),
        slow("bowers", 6, 20, 6),
        slow("towie", 2, 10, 6),
        *(exhaustive("towers", 30, 100, seed) for seed in range(10)),  # 300 positions of each game
        *(exhaustive("bowers", 100, 100, seed) for seed in range(3)),
        *(exhaustive("towie", 15, 100, seed) for seed in range(20)),
    ],
)
def test_alternatives_that_cost_nothing_are_hardly_ever_called_worse(
    game: str, positions: int, times: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From few layouts, where the choice of the best misleads most; the truth from so many times as many."""
    for name, few in FEW.items():
        monkeypatch.setattr(name, few)
    seen, marked, nothing = marked_positions(table_of(game), positions, times, seed)
    assert seen == positions and marked <= 0.05 * seen and nothing > seen


@pytest.mark.parametrize(("questions", "seed"), [(6, 1), *(exhaustive(60, seed) for seed in range(2, 7))])
def test_calls_that_cost_nothing_are_hardly_ever_called_worse(questions: int, seed: int) -> None:
    """Played out on 100 deals; the truth from 100 times as many (six questions: 10 times)."""
    draw = Random(seed)
    truth = 1_000 if questions < 60 else 10_000
    marked = 0
    for number in range(questions):
        *hand, up = draw.sample(mask_cards(DECK_24), 6 + number % 3)
        asked = {"hand": mask_text(cards_mask(hand)), "up": card_text(up), "seat": ("dealer", "nondealer")[number % 2]}
        few, many = (ask_upcard(**asked, rollouts=deals).decision for deals in (100, truth))
        free = {item.text for item in many.alternatives if item.cost.mean <= 1000 * INDIFFERENT}
        marked += any(item.text in free and few.verdict(item) == Verdict.WORSE for item in few.alternatives)
    assert marked <= 0.05 * questions


def test_best_plays_of_the_empty_board_and_their_mirror_images_are_not_marked() -> None:
    """Of 12 hands: a play and its mirror image are one alternative, and nothing as good as the best is marked."""
    random = np.random.default_rng(7)
    pack = np.repeat(np.arange(1, 14), 4)
    for seed in range(12):
        dealt = random.permutation(pack)[:5]
        hand = " ".join("A23456789TJQK"[rank - 1] for rank in dealt)
        answer = move("-|-|-|-", hand, samples=60, seed=seed)
        decision = answer.decision
        listed = {option.text for option in decision.alternatives}
        assert len(listed) == len(decision.alternatives)
        for option in decision.alternatives:
            card, _, tower = option.text.partition(":")
            if tower in "1234" and tower:
                mirrored = next(one for one in decision.alternatives if one.text == f"{card}:{5 - int(tower)}")
                assert (mirrored.value, mirrored.cost) == (option.value, option.cost), (hand, option)
                assert decision.label(mirrored) == decision.label(option) or option is decision.best
