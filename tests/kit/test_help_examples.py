"""Every example at the end of a help text works as it stands there (issue 25, small)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, Answer
from tests.kit.test_command_fuzz import cheap, examples, nothing_runs_for_long

__all__ = ["nothing_runs_for_long"]

LONG = ("compare", "exploit", "simulate", "review", "claim towie", "move towers", "train")


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in examples()]
)
def test_the_examples_of_a_command_work(
    command: str, tmp_path: Path, inside: Callable[..., Answer], nothing_runs_for_long: None
) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    assert examples()[command]
    for line in examples()[command]:
        answer = inside(*cheap(line))
        assert answer.status == 0 and "Not sound" not in answer.stdout, (line, answer.stderr)
