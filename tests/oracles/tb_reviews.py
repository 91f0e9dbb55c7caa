"""The review of the golden match of Towers & Bowers, made once for all tests of a process: it solves forty endings."""

from __future__ import annotations

import functools

from tests.conftest import ROOT
from towerlab.analysis.towers_and_bowers.reference import EQUILIBRIUM
from towerlab.table.review import GameReview, review_lines
from towerlab.table.towers_and_bowers.game import TABLE


def golden_lines(name: str = "match") -> list[str]:
    """Return the transcript of `tests/golden/towers-and-bowers-NAME.jsonl`."""
    return (ROOT / "tests" / "golden" / f"towers-and-bowers-{name}.jsonl").read_text().splitlines()


@functools.cache
def golden_review(reference: str = EQUILIBRIUM, name: str = "match") -> GameReview:
    """Return the review of a golden match."""
    return review_lines(golden_lines(name), TABLE, reference=reference)
