"""The words and the JSON of `upcard` say the same, on the equilibrium's path and off it."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from tests.conftest import Answer
from tests.oracles import naive
from towerlab.analysis.towers_and_bowers.answers import UpcardAnswer
from towerlab.analysis.towers_and_bowers.present import upcard_report
from towerlab.analysis.towers_and_bowers.upcard import ask_upcard

SUITS = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
INDIFFERENT = 0.001


def words_of(answer: UpcardAnswer) -> list[str]:
    """The lines that people read."""
    console = Console(file=io.StringIO(), width=2_000)
    console.print(upcard_report(answer))
    file = console.file
    assert isinstance(file, io.StringIO)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def call_of(words: str) -> str:
    """``"name ♥"``, ``"Accept and discard 9♣"`` … as the key of an action."""
    first = words.split()[0].lower()
    return SUITS[words.split()[1]] if first == "name" else first


def percent(text: str) -> float:
    return float(text.removesuffix("%").strip()) / 100


def assert_agreed(words: list[str], told: dict[str, Any]) -> None:
    sentence = words[2]
    actions = told["actions"]
    start, head = next((place, line) for place, line in enumerate(words) if line.startswith("your call"))
    table = words[start:]
    rows = {call_of(line): line.split("  ") for line in table[1 : 1 + len(actions)]}
    assert rows.keys() == actions.keys()
    best = told["recommend"]
    shares = {name: action.get("probability") for name, action in actions.items()}
    assert ("mix" in head.split()) == (None not in shares.values())
    towers = {name: action["tower"] for name, action in actions.items()}
    if told["method"] == "equilibrium":
        assert max(towers.values()) - towers[best] <= INDIFFERENT
        for name, action in actions.items():
            assert action["cost"] == pytest.approx(max(towers.values()) - towers[name], abs=1e-9)
    else:
        assert towers[best] == max(towers.values())
    if sentence.startswith("Mix: "):
        parts = re.findall(r"(accept|pass|name .) ([\d.]+) %", sentence.split(" of the time.")[0])
        mixed = {call_of(words): float(share) / 100 for words, share in parts}
        sound = {n for n, share in shares.items() if share >= 0.01 and actions[n]["cost"] <= INDIFFERENT}
        assert mixed.keys() == sound and best == max(mixed, key=lambda name: shares[name])
        for name, share in mixed.items():
            assert share == pytest.approx(shares[name], abs=0.0006)
        assert percent(sentence.split("the tower ")[1].split(" of the time")[0]) == pytest.approx(
            towers[best], abs=6e-4
        )
        assert float(sentence.split("within ")[1].split(" percentage points")[0]) <= 100 * INDIFFERENT
    else:
        assert call_of(sentence.split(":")[0]) == best
        assert percent(sentence.split("the tower ")[1].split(" of the time")[0]) == pytest.approx(
            towers[best], abs=6e-4
        )


def random_questions(count: int, sizes: range, seed: int) -> list[tuple[str, str, str, bool]]:
    rng = random.Random(seed)
    asked = []
    for _ in range(count):
        *hand, up = rng.sample(naive.PACK, rng.choice(sizes) + 1)
        asked.append((" ".join(hand), up, rng.choice(["dealer", "nondealer"]), rng.random() < 0.6))
    return asked


@pytest.mark.parametrize("method", ["equilibrium", "pimc"])
def test_words_and_json_agree(method: str) -> None:
    told = []
    for hand, up, seat, second_round in random_questions(60, range(1, 6 if method == "pimc" else 5), 1):
        answer = ask_upcard(hand, up, seat, second_round=second_round, method=method)
        told.append(answer.to_json())
        assert_agreed(words_of(answer), told[-1])
    if method == "equilibrium":  # the questions are such that the test tests something
        hidden = [any(action.get("probability") is None for action in one["actions"].values()) for one in told]
        assert 10 < sum(hidden) < 50
        assert not any("off_path" in one for one in told)


@pytest.mark.slow
def test_words_and_json_agree_on_questions_of_six_and_seven_cards() -> None:
    for hand, up, seat, second_round in random_questions(40, range(6, 8), 2):
        answer = ask_upcard(hand, up, seat, second_round=second_round)
        assert_agreed(words_of(answer), answer.to_json())


def test_off_the_path_values_decide(inside: Callable[..., Answer]) -> None:
    """A second round that the dealer never lets it come to: what is stored of it is what learning happened to leave."""
    asked = ("--hand", "QH KS 9H", "--up", "AC", "--seat", "dealer", "--second-round")
    told = inside("upcard", *asked, "--json").json
    assert told["likelihood"] < 0.01
    assert {action["probability"] for action in told["actions"].values()} == {None}
    assert told["recommend"] == min(told["actions"], key=lambda name: told["actions"][name]["cost"])
    said = inside("upcard", *asked).stdout
    assert "Each wins" not in said and "Mix" not in said and " mix " not in said
    assert "hardly ever comes here" in " ".join(said.split())


def test_on_the_path_the_mix_is_told() -> None:
    answer = ask_upcard("KH QH", "9D", "nondealer")
    assert answer.mix is not None and answer.mix.applies
    assert answer.mix.reached == pytest.approx(1)
    assert sum(action["probability"] for action in answer.to_json()["actions"].values()) == pytest.approx(1)
