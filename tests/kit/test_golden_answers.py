"""Answers as JSON, question by question, as they once were: what moves code must not move them.

`tests/golden/answers.jsonl` has each question once, a line each: the command's words, what it needs (commands asked
before it, files it reads) and its answer, of tables the first rows. Where an answer changes on purpose, `python -m
tests.kit.test_golden_answers WORD…` asks the questions that hold all these words again and writes the file; look at
what git says has changed.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Answer, run_python
from tests.kit.test_random_positions import questions
from towerlab.commands import COMMANDS, Games, module_of

FILE = ROOT / "tests" / "golden" / "answers.jsonl"
NEVER_THE_SAME = ("seconds", "processor_seconds", "games_per_second", "version", "versions", "digest", "out", "source")
CLOSE = 1e-6  # solved endings add up in the order that the processor's vectors take: digits after the seventh differ
ROWS = 3
QUESTIONS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def asked(question: Mapping[str, Any], folder: Path, ask: Callable[..., Answer]) -> Any:
    """The answer to a question now, as `first_rows` and `lasting` shorten it."""
    for name, text in question.get("files", {}).items():
        (folder / name).write_text(text, encoding="utf-8")
    for words in [*question.get("before", []), question["asked"]]:
        answer = ask(*(word.replace("{folder}", str(folder)) for word in words), *question.get("last", ["--json"]))
    return first_rows(lasting(json.loads(answer.stdout), str(folder)))


def first_rows(answer: Any) -> Any:
    """An answer with the first rows of each table, which people read: others come from the same code."""
    if isinstance(answer, dict):
        is_table = len(answer) > 8 and all(isinstance(row, dict) for row in answer.values())
        return {name: first_rows(row) for name, row in [*answer.items()][: ROWS if is_table else None]}
    return [*map(first_rows, answer[:ROWS])] if isinstance(answer, list) else answer


def lasting(answer: Any, folder: str) -> Any:
    """An answer without what no two runs share."""
    if isinstance(answer, dict):
        return {name: lasting(value, folder) for name, value in answer.items() if name not in NEVER_THE_SAME}
    if isinstance(answer, list):
        return [lasting(value, folder) for value in answer]
    return answer.replace(folder, "{folder}") if isinstance(answer, str) else answer


def differences(now: Any, then: Any, place: str = "") -> list[str]:
    """Where two answers differ: other keys, another order of keys, other types, numbers not `CLOSE`."""
    if isinstance(now, dict) and isinstance(then, dict) and list(now) == list(then):
        return [line for name in then for line in differences(now[name], then[name], f"{place}.{name}")]
    if isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        return [
            line for i, pair in enumerate(zip(now, then, strict=True)) for line in differences(*pair, f"{place}[{i}]")
        ]
    if type(now) is type(then) is float:
        return [] if math.isclose(now, then, rel_tol=CLOSE, abs_tol=CLOSE) else [f"{place}: {now}, was {then}"]
    same = type(now) is type(then) and now == then
    return [] if same else [f"{place}: {str(now)[:300]}, was {str(then)[:300]}"]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: " ".join(question["asked"])[:80])
def test_the_answer_is_what_it_was(
    question: dict[str, Any], tmp_path: Path, inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert differences(asked(question, tmp_path, inside), question["answer"]) == []


@pytest.mark.parametrize(("name", "game"), questions())
def test_every_question_is_among_them_in_every_way_to_ask_it(name: str, game: str) -> None:
    """Alone, from a table and as a concession: each has keys of its own."""
    place = COMMANDS[name]
    default = (isinstance(place, Games) and place.default) or ""
    module = module_of(game) if isinstance(place, Games) else place
    declared = getattr(importlib.import_module(f"towerlab.commands.{module}"), name).question
    ways = [""] + ["--from"] * bool(declared.tables) + ["--concede"] * ("concede" in declared.parameters)
    asked = [one["asked"] for one in QUESTIONS if one["asked"][0] == name]
    own = [words for words in asked if game in (*words[1:2], default * words[1].startswith("--"))] if game else asked
    for way in ways:
        assert any(way in ("", *words) for words in own), (
            f"no line of tests/golden/answers.jsonl asks {name} {game} {way}; "
            f'add {{"asked": ["{name}", …]}} and run `python -m tests.kit.test_golden_answers {name}`'
        )


if __name__ == "__main__":
    import tempfile

    def ask(*words: str) -> Answer:
        done = run_python("-m", "towerlab", *words, check=False)
        return Answer(done.returncode, done.stdout, done.stderr)

    for one in QUESTIONS:
        if all(word in " ".join(one["asked"]) for word in sys.argv[1:]):
            with tempfile.TemporaryDirectory() as made:
                one["answer"] = asked(one, Path(made), ask)
    FILE.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in QUESTIONS), encoding="utf-8")
