"""Tab in a shell: games, and what the game that was typed has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Answer


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("towerlab sim", {"simulate"}),
        ("towerlab study towi", {"towie"}),
        ("towerlab study towers-and-bowers ans", {"answer-book"}),
        ("towerlab simulate bowers --players pimc,nov", {"pimc,novice"}),
        ("towerlab simulate towie --option goulash_o", {"goulash_open="}),
        ("towerlab upcard --option tie", {"tie_to="}),
        ("towerlab play tower-war --against nov", {"novice"}),
        ("towerlab bid bow", {"bowers"}),
        ("towerlab simulate chess --players n", set()),
    ],
)
def test_tab_offers(inside: Callable[..., Answer], typed: str, expected: set[str]) -> None:
    words = typed.split()
    answer = inside(COMP_WORDS=typed, COMP_CWORD=str(len(words) - 1), _TOWERLAB_COMPLETE="bash_complete")
    assert {line.removeprefix("plain,") for line in answer.stdout.split()} == expected
