"""Command lines of `tests/golden/`: those that are refused, and what people read in the answers to others."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

import pytest

from tests.conftest import ROOT, Answer


def lines(name: str) -> Iterator[tuple[str, list[str]]]:
    """(command line, what is said) of each row; `refusals.txt` says how a file is written."""
    before = ""
    for line in (ROOT / "tests" / "golden" / name).read_text(encoding="utf-8").splitlines():
        asked, arrow, said = line.partition(" => ")
        if not arrow and not line.startswith("#"):
            before = line
        elif arrow:
            yield f"{before} {asked.strip()}" if line.startswith(" ") else asked, said.split(" && ")


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the repository are named from there."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(("asked", "said"), [*lines("refusals.txt")])
def test_what_cannot_be_is_refused_in_one_line(inside: Callable[..., Answer], asked: str, said: list[str]) -> None:
    inside(*shlex.split(asked)).assert_refused(*said)


@pytest.mark.parametrize(("asked", "said"), [*lines("said.txt")])
def test_people_read(inside: Callable[..., Answer], asked: str, said: list[str]) -> None:
    answer = inside(*shlex.split(asked), COLUMNS="120")
    assert answer.status == 0, answer.stderr
    printed = " ".join(answer.stdout.split())
    assert [part for part in said if part not in printed] == [], printed
