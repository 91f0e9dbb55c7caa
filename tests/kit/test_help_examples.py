"""Every example at the end of a help text works as it stands there (issue 25, small)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, Answer
from tests.kit.test_command_fuzz import cheap, examples, nothing_runs_for_long

__all__ = ["nothing_runs_for_long"]

LONG = ("compare", "exploit", "simulate", "review", "claim towie", "move towers", "train")


def lines_of(command: str) -> list[list[str]]:
    """Its examples, made cheap; what a long one asks on the way to more, and what another command shows, once."""
    lines = [line for line in examples()[command] if not _is_anothers(line, command)]
    if command in LONG:
        lines = [line for line in lines if not any(other[: len(line)] == line != other for other in lines)]
    return [cheap(["1" if line[0] == "exploit" and word == "2" else word for word in line]) for line in lines]


def _is_anothers(line: list[str], command: str) -> bool:
    name = " ".join(line[:2])
    return name != command and line in examples().get(name, [])


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in examples()]
)
def test_the_examples_of_a_command_work(
    command: str, tmp_path: Path, inside: Callable[..., Answer], nothing_runs_for_long: None
) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    assert lines_of(command)
    for line in lines_of(command):
        answer = inside(*line)
        assert answer.status == 0 and "Not sound" not in answer.stdout, (line, answer.stderr)
