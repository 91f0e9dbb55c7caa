"""What do the answers about calls and buries have in common? Their verdict, its scale, and the scores of a question.

>>> read_scores("38,12,44", "38,12,44"), tolerance_of("bowers", by_chances=False)
((38, 12, 44), 0.25)
"""

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar, Final

from towerlab.analysis.decision import CHANCES, SCALES, Alternative, Decision, Scale
from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.stats import Estimate
from towerlab.games.errors import TowerlabError, blame

LARGEST: Final = 999_999  # of a score


class ComparedAnswer(Answer, method="sampled"):
    """Base of the answers whose alternatives ran a race (`race.Race`).

    Attributes:
        draws: a layout in the words of the game.
    """

    game: ClassVar[str]
    draws: ClassVar[str] = "layout"

    @property
    def by_chances(self) -> bool:
        """Whether the alternatives are compared by P(win the game), not by points."""
        return False

    def alternative_values(self) -> Iterable[tuple[str, Estimate, Estimate]]:
        """Yield the name, value and cost of each alternative, the best first."""
        raise NotImplementedError

    @cached_property
    def decision(self) -> Decision[Alternative]:
        """The alternatives with their verdicts."""
        scale, unit = cost_scale(self.game, self.by_chances)
        rows = [
            Alternative(name, unit * value.mean, cost.scaled(unit)) for name, value, cost in self.alternative_values()
        ]
        drawn = rows[0].cost.n
        return Decision(tuple(rows), scale, f"sampled: {number_of(drawn, self.draws)}", drawn, self.draws)

    @property
    def decided(self) -> bool:
        return not self.decision.is_open

    @property
    def verdict(self) -> str:
        return self.decision.sentence


def cost_scale(game: str, by_chances: bool) -> tuple[Scale, float]:
    """Return a game's scale of costs, and how many of its units a point (or a certain win) is."""
    return (CHANCES, 1000.0) if by_chances else (SCALES[game], 1.0)


def tolerance_of(game: str, by_chances: bool) -> float:
    """Return the cost up to which an alternative is as good as the best one, in points or in P(win the game)."""
    scale, unit = cost_scale(game, by_chances)
    return scale.tolerance / unit


def read_scores(text: str, example: str, least: int = -LARGEST, most: int = 3) -> tuple[int, ...]:
    """Return the scores of the asker, the player on the left, the one on the right and the waiting players, in order.

    Args:
        text: numbers with commas or blanks between them.
        example: a correct text, which the error message shows.
        least: the lowest possible score.
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
