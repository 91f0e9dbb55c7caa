"""How much of a match was luck, how much skill? Where P(win the match) went, hand by hand.

All numbers are player 0's P(win the match) with open cards (`analysis.towers_and_bowers.open_hands`). Its change over
the match is the sum of *luck* and *skill*. Luck is a sum of control variates with mean zero, however the players play;
so skill is an unbiased estimate of what the better player gains, with less noise. Its interval treats hands as
independent, with the variance that was observed.

The change over a hand is the sum of

- *luck*: the change by chance alone: the starter and the deal (cards and up-card);
- *skill*: the cost of each graded decision times the value of the present tower in the match, a loss for the player who
  decided and a gain for the other;
- *unseen*: the rest. Decisions are graded by what the player could know, while the equity sees all cards. So this part
  has the effect of the hidden cards on decisions, and actions that are not graded. A player who must guess often does
  worse than one who sees all cards, so its mean is not zero.

    towerlab review match.jsonl
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from towerlab.analysis.present import signed
from towerlab.analysis.stats import NORMAL_95
from towerlab.analysis.towers_and_bowers.open_hands import Equity
from towerlab.games.towers_and_bowers import HandState
from towerlab.games.written import Record
from towerlab.table.towers_and_bowers.grading import MT, GradedDecision
from towerlab.table.towers_and_bowers.steps import Step

_AVERAGED: Final = ("before", "after", "luck", "unseen")


@dataclass(frozen=True)
class MatchLuck(Record, keys="before after luck skill skill_interval"):
    """Where player 0's P(win the match) went over the whole match.

    Attributes:
        before, after: the chance at the beginning and at the end.
        luck: the change by starters and deals.
        skill: the rest of the change, all that the players made of them.
        margin: half the width of the 95 % interval of skill.
    """

    before: float
    after: float
    luck: float
    skill: float
    margin: float

    @property
    def skill_interval(self) -> tuple[float, float]:
        return self.skill - self.margin, self.skill + self.margin


def points(change: float) -> str:
    """Return a change of a probability in percentage points: ``"+3.1"``."""
    return signed(f"{100 * change:+.1f}")


def match_luck(hands: Sequence[HandReview], spread: float = 0.0) -> MatchLuck | None:
    """Return luck and skill over some hands; None if there are none.

    Args:
        spread: standard error of their luck, where it is averaged over ways the unseen cards can lie.
    """
    if not hands:
        return None
    left = [hand.after - hand.before - hand.luck for hand in hands]
    margin = NORMAL_95 * math.sqrt(math.fsum(part * part for part in left) + spread * spread)
    luck = math.fsum(hand.luck for hand in hands)
    return MatchLuck(hands[0].before, hands[-1].after, luck, math.fsum(left), margin)


@dataclass(frozen=True)
class HandReview(Record, keys="hand=number cards=last.n towers before after luck unseen skill"):
    """One hand and what it did to player 0's P(win the match).

    Attributes:
        number: the number of the hand, from 1.
        towers: the towers of player 0 and player 1 before the hand.
        last: the hand as far as it went, or None if its cards were not dealt.
        before, after: P(player 0 wins the match) before the starter or the deal, and at the end of the hand.
        luck: change by starter and deal.
        skill: change by costs: what player 1's decisions gave player 0, minus what player 0's own cost.
        unseen: the rest of the change.
    """

    number: int
    towers: tuple[int, int]
    last: HandState | None
    before: float
    after: float
    luck: float
    skill: tuple[float, float]
    unseen: float


def average_hands(ways: Sequence[Sequence[HandReview]]) -> tuple[tuple[HandReview, ...], float]:
    """Return the hands of a match averaged over ways its unseen cards can lie, and the standard error of their luck."""
    if len(ways) == 1:
        return tuple(ways[0]), 0.0
    hands = tuple(
        replace(same[0], **{name: statistics.fmean(getattr(hand, name) for hand in same) for name in _AVERAGED})
        for same in zip(*ways, strict=True)
    )
    return hands, statistics.stdev(math.fsum(hand.luck for hand in way) for way in ways) / math.sqrt(len(ways))


def review_hands(
    steps: Sequence[Step], graded: Iterable[tuple[Step, GradedDecision]], equity: Equity
) -> tuple[HandReview, ...]:
    """Return every hand of a match, in order.

    Args:
        steps: the steps of the match.
        graded: the decisions with their steps.
    """
    lost: dict[int, list[float]] = {}
    for step, decision in graded:
        cost = decision.cost.mean / MT * equity.leverage(equity.towers(step.before))
        lost.setdefault(step.hand, [0.0, 0.0])[decision.seat] += cost
    hands: dict[int, list[Step]] = {}
    for step in steps:
        hands.setdefault(step.hand, []).append(step)
    return tuple(_review_hand(own, lost.get(number, [0.0, 0.0]), equity) for number, own in hands.items())


def _review_hand(steps: Sequence[Step], lost: Sequence[float], equity: Equity) -> HandReview:
    first = steps[0]
    last = steps[-1]
    before, after = equity.of(first.before), equity.of(last.after)
    luck = sum(equity.of(step.after) - equity.of(step.before) for step in steps if step.is_chance)
    skill = (-lost[0], lost[1])
    dealt = any(step.name == "deal" for step in steps)
    return HandReview(
        number=first.hand,
        towers=equity.towers(first.before),
        last=last.after.hand if dealt else None,
        before=before,
        after=after,
        luck=luck,
        skill=skill,
        unseen=after - before - luck - sum(skill),
    )
