"""One question has one answer wherever it is asked: of every hand size, seat and round, in seven places."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import towerlab as tl
from tests.conftest import Answer, exhaustive
from tests.oracles.match_driver import deal_hands
from towerlab.analysis.decision import INDIFFERENT
from towerlab.analysis.towers_and_bowers.answers import SELF_PLAY, UpcardAnswer
from towerlab.analysis.towers_and_bowers.move import Reference
from towerlab.analysis.towers_and_bowers.rollouts import TABLE_ROLLOUTS
from towerlab.analysis.towers_and_bowers.studies.answer_book import count_classes
from towerlab.analysis.towers_and_bowers.upcard import ask_upcard
from towerlab.games.cards import DECK_24, SUITS, card_text, mask_cards, mask_text
from towerlab.solver.towers_and_bowers.bidding import make_deals, up_cards
from towerlab.table.towers_and_bowers.game import TABLE
from towerlab.table.towers_and_bowers.review import grade
from towerlab.table.train import Trainer

CLOSE = {"rel": 0, "abs": 1e-9}
HANDS = {1: 3, 2: 3, 3: 3, 4: 3, 5: 1, 6: 1, 7: 1}  # by size: of four questions each


@pytest.mark.parametrize(("cards", "hands"), [*HANDS.items(), *(exhaustive(cards, 7) for cards in HANDS)])
def test_one_question_has_one_answer_in_seven_places(
    cards: int, hands: int, inside: Callable[..., Answer], capsys: pytest.CaptureFixture[str]
) -> None:
    random = np.random.default_rng(cards)
    questions = []
    for number in range(hands):
        up = up_cards()[number % 6]
        place = int(random.integers(count_classes(cards)))
        hand = int(make_deals(cards, up).classes[place])
        for seat, second in [(seat, second) for seat in ("dealer", "nondealer") for second in (False, True)]:
            asked = {"hand": mask_text(hand), "up": card_text(up), "seat": seat, "second_round": second}
            questions.append(asked)
            answer = ask_upcard(**asked, quiet=False)  # type: ignore[arg-type]
            notes = capsys.readouterr().err.splitlines()
            assert [note for note in notes if not note.startswith("compiling kernels")] == []  # nothing to excuse
            _as_at_the_table(answer, hand, up, random)
    many = tl.upcard_many(pd.DataFrame(questions), jobs=1).to_dict("records")
    for asked, row in zip(questions, many, strict=True):
        rollouts = TABLE_ROLLOUTS if row["method_used"] == SELF_PLAY else None  # as many as a row of a table has
        _as_in_a_table(ask_upcard(**asked, method=row["method_used"], rollouts=rollouts), row)  # type: ignore[arg-type]
    words = [word for name in ("hand", "up", "seat") for word in (f"--{name}", str(questions[0][name]))]
    said = json.loads(inside("upcard", *words, "--json").stdout)
    first = ask_upcard(**questions[0])  # type: ignore[arg-type]
    assert (said["recommend"], said["margin"]) == (first.recommend, pytest.approx(first.margin, **CLOSE))


def _as_in_a_table(answer: UpcardAnswer, row: dict[str, Any]) -> None:
    """Many questions at once: call, chances, gap and mix."""
    assert row["recommend"] == answer.recommend and row["method_used"] == answer.method
    assert row["margin_points"] == pytest.approx(100 * answer.margin, abs=1e-7)
    for name in answer.actions:
        column = f"name_{name}_percent" if name in SUITS else f"{name}_percent"
        assert row[column] == pytest.approx(100 * answer.tower(name), abs=1e-7)
    mix = answer.mix
    if mix is not None and mix.applies:
        assert row["equilibrium_percent"] == pytest.approx(100 * mix.probabilities[answer.recommend], abs=1e-7)


def _as_at_the_table(answer: UpcardAnswer, hand: int, up: int, random: np.random.Generator) -> None:
    """`move`'s reference, advice, review and training at a match that has come there: what every call costs."""
    dealer = answer.seat == "dealer"
    others = random.choice(mask_cards(DECK_24 & ~hand & ~(1 << up)), answer.cards, replace=False)
    held = mask_text(hand)
    other = " ".join(card_text(int(card)) for card in others)
    match = deal_hands(*((other, held) if dealer else (held, other)), card_text(up), claims="off")
    for _ in range(dealer + 2 * answer.second_round):
        match.pass_()
    seat = match.to_act
    lost = answer.losses()
    assert seat is not None
    choice = Reference(match.options).bid(match.view(seat), answer.second_round)
    advice = TABLE.advise(match.view(seat), match.options)
    trained = Trainer(TABLE, None)._advise(match, seat)  # what an answer is graded by
    assert advice is not None and advice == trained
    options = {one.action["suit"] if "suit" in one.action else one.action["action"]: one for one in advice.alternatives}
    assert set(options) == set(answer.actions)
    for name, cost in lost.of.items():
        word = f"name {name}" if name in SUITS else name
        assert choice.values[word] == pytest.approx(answer.tower(name), **CLOSE)
        assert choice.losses.of[word] == pytest.approx(cost, **CLOSE)
        assert options[name].value == pytest.approx(1000 * answer.tower(name), abs=1e-6)
        assert options[name].cost.mean == pytest.approx(1000 * cost, abs=1e-6)
    assert lost.of[answer.recommend] <= INDIFFERENT and options[answer.recommend].cost.mean == 0
    called = str(random.choice(list(answer.actions)))
    match.apply({"action": "name", "suit": called} if called in SUITS else {"action": called})
    decision = grade(match, ("player 1", "player 2"), (seat,), "equilibrium").decisions[-1]
    assert decision.cost.mean == pytest.approx(1000 * lost.of[called], abs=1e-5)
