"""The whole review of a match: decisions, players, hands."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.review.equity import Equity
from analysis.review.grading import NOT_GRADED, Decision, Grader, Mark
from analysis.review.ledger import HandReview, review_hands
from analysis.review.steps import Replay, replay
from games.errors import TowerlabError
from games.towers_and_bowers import GAME, MatchState, Played, TowersAndBowersOptions

__all__ = ["GAME", "PlayerReview", "Review", "review_file", "review_transcript"]


@dataclass(frozen=True)
class PlayerReview:
    """What a player's decisions cost.

    Attributes:
        decisions: graded ones, forced ones included.
        unforced: those with more than one alternative of different meaning.
        cost_mt: sum of the costs.
        marks: how many decisions bear each mark.
    """

    decisions: int
    unforced: int
    cost_mt: float
    marks: Counter[Mark]

    @property
    def mt_per_decision(self) -> float | None:
        """The error rate: mt per unforced decision; None if there was none."""
        return self.cost_mt / self.unforced if self.unforced else None

    def to_json(self) -> dict[str, Any]:
        """An entry of `players` in `towerlab review --json`."""
        return {
            "decisions": self.decisions,
            "unforced": self.unforced,
            "cost_mt": self.cost_mt,
            "mt_per_decision": self.mt_per_decision,
            "blunders": self.marks[Mark.BLUNDER],
        }


@dataclass(frozen=True)
class Review:
    """A graded match.

    Attributes:
        options: the rules it was played by.
        decisions: graded ones, in order.
        players: of player 0 and player 1.
        hands: in order; the last may be unfinished.
        start, end: the match before the first and after the last action.
        not_graded: how often each kind of action was not graded: reneges, corrections, accusations, penalties.
    """

    options: TowersAndBowersOptions
    decisions: tuple[Decision, ...]
    players: tuple[PlayerReview, PlayerReview]
    hands: tuple[HandReview, ...]
    start: MatchState
    end: MatchState
    not_graded: Counter[str]

    @property
    def costliest(self) -> list[Decision]:
        """Decisions that cost something, the costliest first."""
        costly = [decision for decision in self.decisions if decision.cost_mt > 0]
        return sorted(costly, key=lambda decision: -decision.cost_mt)

    @property
    def decisive(self) -> list[HandReview]:
        """The hands, those with the largest swings of P(win the match) first."""
        return sorted(self.hands, key=lambda hand: -abs(hand.swing))

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab review --json`."""
        return {
            "game": GAME,
            "players": [player.to_json() for player in self.players],
            "decisions": [decision.to_json() for decision in self.decisions],
        }


def review_file(path: Path) -> Review:
    """Grade the match recorded in a file.

    Raises:
        TowerlabError: the file cannot be read as text, or as `review_transcript`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text in UTF-8"
        raise TowerlabError(f"{path} cannot be read: {reason}; expected a transcript of JSON lines") from error
    return review_transcript(text.splitlines())


def review_transcript(lines: Iterable[str]) -> Review:
    """Grade a recorded match, finished or not; see the package's text for the model.

    Args:
        lines: of the transcript, as `games.towers_and_bowers.Match.transcript` writes them.

    Raises:
        TranscriptError: the number of the line and what is wrong with it.
    """
    match = replay(lines)
    graded = list(Grader(match.options).decisions(match.steps))
    decisions = tuple(decision for _, decision in graded)
    return Review(
        options=match.options,
        decisions=decisions,
        players=(_review_player(decisions, 0), _review_player(decisions, 1)),
        hands=review_hands(match, graded, Equity(match.options)),
        start=match.start,
        end=match.end,
        not_graded=_not_graded(match),
    )


def _review_player(decisions: Sequence[Decision], player: int) -> PlayerReview:
    own = [decision for decision in decisions if decision.player == player]
    return PlayerReview(
        decisions=len(own),
        unforced=sum(decision.is_unforced for decision in own),
        cost_mt=round(math.fsum(decision.cost_mt for decision in own), 6),
        marks=Counter(decision.mark for decision in own),
    )


def _not_graded(match: Replay) -> Counter[str]:
    kinds = Counter(step.name for step in match.steps if step.name in NOT_GRADED)
    for step in match.steps:
        if isinstance(step.record, Played) and not step.views[step.record.player].legal >> step.record.card & 1:
            kinds["renege"] += 1
    return kinds
