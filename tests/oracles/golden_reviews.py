"""Reviews of the golden matches of Towers & Bowers, made once for all tests of a process: they solve many endings."""

from __future__ import annotations

import functools
import json

from tests.conftest import ROOT
from towerlab.analysis.towers_and_bowers.move import EQUILIBRIUM
from towerlab.table.review import GameReview, review_lines
from towerlab.table.towers_and_bowers.game import TABLE


def golden_lines(name: str = "match", is_whole: bool = False) -> list[str]:
    """Return the transcript of `tests/golden/towers-and-bowers-NAME.jsonl`; of `match` the first tower, as a match."""
    lines = (ROOT / "tests" / "golden" / f"towers-and-bowers-{name}.jsonl").read_text().splitlines()
    if name == "match" and not is_whole:
        head = json.loads(lines[0])
        head["options"]["towers_to_win"] = 1
        lines[:] = [json.dumps(head), *lines[1:87]]
    return lines


@functools.cache
def golden_review(reference: str = EQUILIBRIUM, name: str = "match") -> GameReview:
    """Return the review of a golden match."""
    return review_lines(golden_lines(name), TABLE, reference=reference)
