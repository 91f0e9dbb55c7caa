"""A transcript replayed step by step, with what both players saw before each action."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from analysis.towers_and_bowers.claims import judge
from games import transcript
from games.towers_and_bowers import GAME, Match, MatchState, TowersAndBowersOptions, View

# Between two hands; what changes the odds here is chance: who deals, and the cards.
CHANCE: Final = ("shuffle_starter", "turn", "shuffle", "cut", "decline_cut", "deal")
_BEGINS_A_HAND: Final = ("turn", "deal")  # until the first card the last hand can be accused of a renege (TB-25)


@dataclass(frozen=True)
class Step:
    """One action.

    Attributes:
        number: of the action, from 1.
        hand: number of the hand it belongs to, from 1; the starter belongs to the hand that follows.
        action: as in the transcript.
        record: what the action returned.
        before, after: the match around it.
        views: what player 0 and player 1 saw before it.
        to_act: whose turn it was, or None where either could act.
    """

    number: int
    hand: int
    action: dict[str, Any]
    record: object
    before: MatchState
    after: MatchState
    views: tuple[View, View]
    to_act: int | None

    @property
    def name(self) -> str:
        """The action's word."""
        return str(self.action["action"])

    @property
    def is_chance(self) -> bool:
        """Whether the odds change here by chance only."""
        return self.name in CHANCE


@dataclass(frozen=True)
class Replay:
    """A whole transcript.

    Attributes:
        options: the rules it was played by.
        start: the match before the first step.
        steps: in order.
    """

    options: TowersAndBowersOptions
    start: MatchState
    steps: tuple[Step, ...]

    @property
    def end(self) -> MatchState:
        """The match after the last step."""
        return self.steps[-1].after if self.steps else self.start


def replay(lines: Iterable[str]) -> Replay:
    """Replay a transcript.

    Raises:
        TranscriptError: the number of the line and what is wrong with it.
    """
    steps: list[Step] = []
    deals = 0

    def apply(match: Match, action: dict[str, Any]) -> None:
        nonlocal deals
        before, views, to_act = match.state(), (match.view(0), match.view(1)), match.to_act
        record = match.apply(action)
        number = deals + (before.hand is None or action["action"] in _BEGINS_A_HAND)
        deals += action["action"] == "deal"
        steps.append(Step(len(steps) + 1, number, action, record, before, match.state(), views, to_act))

    match = transcript.replay(lines, GAME, TowersAndBowersOptions, lambda options: Match(options, judge=judge), apply)
    start = steps[0].before if steps else match.state()
    return Replay(match.options, start, tuple(steps))
