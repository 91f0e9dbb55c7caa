"""The whole review of a match: decisions, players, hands."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from analysis.present.answers import Answer
from analysis.table.hindsight import Known, Part, look_back
from analysis.table.store import read_lines
from analysis.towers_and_bowers.claims import judge
from analysis.towers_and_bowers.review.equity import Equity
from analysis.towers_and_bowers.review.grading import BENCHMARKS, MT, NOT_GRADED, Decision, Grader, Mark, action_text
from analysis.towers_and_bowers.review.hindsight import open_cards
from analysis.towers_and_bowers.review.ledger import HandReview, MatchLuck, match_luck, review_hands
from analysis.towers_and_bowers.review.reference import EQUILIBRIUM, PIMC
from analysis.towers_and_bowers.review.steps import Replay, Step, replay
from analysis.towers_and_bowers.upcard.answers import HIDDEN_MODEL, INDIFFERENT, METHODS, OFF_PATH
from analysis.towers_and_bowers.upcard.asking import why_no_equilibrium
from games.errors import TowerlabError
from games.towers_and_bowers import GAME, Match, MatchState, Played, TowersAndBowersOptions
from games.written import Record

OPEN_MODEL: Final = "perfect information after the decision (pimc)"

__all__ = ["GAME", "PlayerReview", "Review", "review_file", "review_transcript"]


@dataclass(frozen=True)
class PlayerReview(Record):
    """What a player's decisions cost.

    Attributes:
        decisions: graded ones, forced ones included.
        unforced: those with more than one alternative of different meaning.
        cost_mt: sum of the costs.
        marks: how many decisions bear each mark.
        beside: the error rate that players of the simulator would have had in his place, by name.
    """

    decisions: int
    unforced: int
    cost_mt: float
    marks: Counter[Mark]
    beside: Mapping[str, float] = field(default_factory=dict)

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
            "beside": dict(self.beside),
        }


@dataclass(frozen=True)
class Review(Answer, shown_by="analysis.towers_and_bowers.present.review:review_report", table="decisions"):
    """A graded match.

    Attributes:
        options: the rules it was played by.
        decisions: graded ones, in order.
        players: of player 0 and player 1.
        hands: in order; the last may be unfinished.
        start, end: the match before the first and after the last action.
        not_graded: how often each kind of action was not graded: reneges, corrections, accusations, penalties.
        reference: what was asked for, `EQUILIBRIUM` or `PIMC`; the latter grades what the former does not cover.
        parts: could they have won? Every hand of both players with all cards open.
        unsolved: hand sizes with bids or discards that `PIMC` graded for want of a solution.
    """

    options: TowersAndBowersOptions
    decisions: tuple[Decision, ...]
    players: tuple[PlayerReview, PlayerReview]
    hands: tuple[HandReview, ...]
    start: MatchState
    end: MatchState
    not_graded: Counter[str]
    reference: str = EQUILIBRIUM
    unsolved: tuple[int, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def model(self) -> str:
        """What the decisions were graded by, in words."""
        if all(decision.reference == PIMC for decision in self.decisions):
            return OPEN_MODEL
        other = f"; those of {_sizes(self.unsolved)}, plays and claims" if self.unsolved else "; plays and claims"
        if any(decision.note == OFF_PATH for decision in self.decisions):
            other = f"; where {OFF_PATH}{other.replace(';', ',')}"
        return f"bids and discards: {HIDDEN_MODEL}{other}: {OPEN_MODEL}"

    @property
    def fallback(self) -> str | None:
        """Why bids or discards were not graded by the reference that was asked for; None if all were."""
        if not self.unsolved:
            return None
        why = why_no_equilibrium(self.unsolved[-1], self.options)
        return f"{why}; pimc grades bids and discards of {_sizes(self.unsolved)}"

    @property
    def indifference(self) -> str:
        """What costs nothing though it is not the best, in a sentence; empty without an equilibrium."""
        if self.model == OPEN_MODEL:
            return ""
        return f"Bids and discards within {MT * INDIFFERENT:g} mt of the best are indifferent and cost nothing."

    @property
    def costliest(self) -> list[Decision]:
        """Decisions that cost something, the costliest first."""
        costly = [decision for decision in self.decisions if decision.cost_mt > 0]
        return sorted(costly, key=lambda decision: -decision.cost_mt)

    @property
    def decisive(self) -> list[HandReview]:
        """The hands, those with the largest swings of P(win the match) first."""
        return sorted(self.hands, key=lambda hand: -abs(hand.swing))

    @property
    def match(self) -> MatchLuck | None:
        """Luck and skill over the whole match; None before its first hand."""
        return match_luck(self.hands)

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab review --json`."""
        return {
            "game": GAME,
            "players": [player.to_json() for player in self.players],
            "decisions": [decision.to_json() for decision in self.decisions],
            "reference": self.reference,
            "fallback": self.fallback,
            "hands": [hand.to_json() for hand in self.hands],
            "match": None if self.match is None else self.match.to_json(),
            "parts": [part.to_json() for part in self.parts],
        }


def review_file(path: Path, reference: str = EQUILIBRIUM) -> Review:
    """Grade the match recorded in a file.

    Args:
        path: of the transcript.
        reference: as in `review_transcript`.

    Raises:
        TowerlabError: the file cannot be read as text, or as `review_transcript`.
    """
    return review_transcript(read_lines(path), reference)


def review_transcript(lines: Iterable[str], reference: str = EQUILIBRIUM) -> Review:
    """Grade a recorded match, finished or not; see the package's text for the models.

    Args:
        lines: of the transcript, as `games.towers_and_bowers.Match.transcript` writes them.
        reference: of bids and discards, one of `analysis.towers_and_bowers.upcard.answers.METHODS`; the equilibrium
        where it is at hand.

    Raises:
        TranscriptError: the number of the line and what is wrong with it.
        TowerlabError: an unknown reference.
    """
    if reference not in METHODS:
        raise TowerlabError(f"unknown reference {reference!r}; expected {' or '.join(METHODS)}")
    match = replay(lines)
    graded = list(Grader(match.options, reference).decisions(match.steps))
    decisions = tuple(decision for _, decision in graded)
    return Review(
        options=match.options,
        decisions=decisions,
        players=(_review_player(decisions, 0), _review_player(decisions, 1)),
        hands=review_hands(match, graded, Equity(match.options)),
        start=match.start,
        end=match.end,
        not_graded=_not_graded(match),
        reference=reference,
        unsolved=_unsolved(graded) if reference == EQUILIBRIUM else (),
        parts=_parts(match, graded),
    )


def _parts(match: Replay, graded: Iterable[tuple[Step, Decision]]) -> tuple[Part, ...]:
    """Every hand of both players looked back at with all cards open."""
    numbers = {id(step): number for number, step in enumerate(match.steps, 1)}
    decided = [(numbers[id(step)], one) for step, one in graded]

    def known(seat: int) -> list[Known]:
        own = ((number, one) for number, one in decided if one.player == seat)
        return [Known(number, action_text(one.action), action_text(one.best), one.cost_mt) for number, one in own]

    def tell(action: Mapping[str, Any], _: object) -> str:
        rest = next((str(action[key]) for key in ("card", "suit", "tricks") if key in action), "")
        return action_text(f"{action['action']} {rest}".rstrip())

    actions = [step.action for step in match.steps]
    return look_back(Match(match.options, judge), actions, (0, 1), open_cards, tell, known, "mt")


def _unsolved(graded: Iterable[tuple[Step, Decision]]) -> tuple[int, ...]:
    """Hand sizes with bids or discards that were graded by perfect information for want of a solution."""
    open_bids = [
        step.before
        for step, decision in graded
        if decision.is_bidding and decision.reference == PIMC and decision.note != OFF_PATH
    ]
    return tuple(sorted({state.hand.n for state in open_bids if state.hand is not None}))


def _sizes(sizes: Sequence[int]) -> str:
    """``"5, 6 and 7 cards"``."""
    *rest, last = map(str, sizes)
    return f"{', '.join(rest)} and {last} cards" if rest else f"{last} card{'s' * (last != '1')}"


def _review_player(decisions: Sequence[Decision], player: int) -> PlayerReview:
    own = [decision for decision in decisions if decision.player == player]
    return PlayerReview(
        decisions=len(own),
        unforced=sum(decision.is_unforced for decision in own),
        cost_mt=round(math.fsum(decision.cost_mt for decision in own), 6),
        marks=Counter(decision.mark for decision in own),
        beside=_beside([decision for decision in own if decision.is_unforced]),
    )


def _beside(unforced: Sequence[Decision]) -> dict[str, float]:
    """Mean costs of the other players over the decisions that they were asked."""
    lost = {name: [one.others[name] for one in unforced if name in one.others] for name in BENCHMARKS}
    return {name: math.fsum(costs) / len(costs) for name, costs in lost.items() if costs}


def _not_graded(match: Replay) -> Counter[str]:
    kinds = Counter(step.name for step in match.steps if step.name in NOT_GRADED)
    for step in match.steps:
        if isinstance(step.record, Played) and not step.views[step.record.player].legal >> step.record.card & 1:
            kinds["renege"] += 1
    return kinds
