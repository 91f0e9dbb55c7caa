"""Read the scores of a question about a call."""

from __future__ import annotations

from typing import Final

from towerlab.analysis.present.faults import blame
from towerlab.games.errors import TowerlabError

LARGEST: Final = 999_999  # of a score


def read_scores(text: str, example: str, least: int = -LARGEST, most: int = 3) -> tuple[int, ...]:
    """Return the scores of the asker, of the player on the left, of the one on the right and of those who wait.

    Args:
        text: numbers with commas or blanks between them.
        example: of such a text.
        least: that a score can be.
        most: how many scores there can be.

    Raises:
        TowerlabError: fewer than three whole numbers or more than `most`, or one below `least`.
    """
    try:
        scores = tuple(map(int, text.replace(",", " ").split()))
        known = 3 <= len(scores) <= most and all(least <= score <= LARGEST for score in scores)
    except ValueError:
        known = False
    if not known:
        expected = f"three whole numbers, yours, of the player on your left, on your right, such as {example}"
        raise blame(TowerlabError(f"--scores {text!r} cannot be; expected {expected}"), "scores")
    return scores
