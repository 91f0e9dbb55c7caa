"""The whole review of a match: decisions, players, hands."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from analysis.table.grading import Grading, Judged, Ledger
from analysis.towers_and_bowers.review.equity import Equity
from analysis.towers_and_bowers.review.grading import BENCHMARKS, MARKS, MT, NOT_GRADED, Decision, Grader, action_text
from analysis.towers_and_bowers.review.ledger import HandReview, MatchLuck, match_luck, points, review_hands
from analysis.towers_and_bowers.review.reference import EQUILIBRIUM, PIMC
from analysis.towers_and_bowers.review.steps import Replay, Step, replay
from analysis.towers_and_bowers.upcard.answers import HIDDEN_MODEL, INDIFFERENT, METHODS, OFF_PATH
from analysis.towers_and_bowers.upcard.asking import why_no_equilibrium
from games.cards import SYMBOLS, card_symbol
from games.errors import TowerlabError
from games.towers_and_bowers import Match, MatchState, Played, TowersAndBowersOptions
from games.written import Record

OPEN_MODEL: Final = "perfect information after the decision (pimc)"
_ACTIONS: Final = {
    "renege": "reneges",
    "correct": "corrections",
    "accuse": "accusations",
    "take_penalty": "penalties taken",
    "decline_penalty": "penalties declined",
}
_DETAILS: Final = Path(__file__).with_name("templates") / "method.txt"
_COLUMNS: Final = (
    "hand",
    "cards",
    "score",
    "up",
    "trumps",
    "before",
    "after",
    "luck",
    "costs",
    "theirs",
    "unseen",
)


@dataclass(frozen=True)
class PlayerReview(Record, keys="decisions unforced cost_mt mt_per_decision blunders beside"):
    """What a player's decisions cost.

    Attributes:
        decisions: graded ones, forced ones included.
        unforced: those with more than one alternative of different meaning.
        cost_mt: sum of the costs.
        marks: how many decisions bear each mark.
        beside: the error rate that players of the simulator would have had in this place, by name.
    """

    decisions: int
    unforced: int
    cost_mt: float
    marks: Counter[str]
    beside: Mapping[str, float] = field(default_factory=dict)

    @property
    def mt_per_decision(self) -> float | None:
        """The error rate: mt per unforced decision; None if there was none."""
        return self.cost_mt / self.unforced if self.unforced else None

    @property
    def blunders(self) -> int:
        return self.marks[MARKS[-1][1]]


@dataclass(frozen=True)
class Review(Record, keys="game:towers-and-bowers players decisions reference fallback hands match"):
    """A graded match.

    Attributes:
        options: the rules it was played by.
        graded: the decisions in order, each with its step.
        hands: in order; the last may be unfinished. None of a record of one player's views.
        end: the match after the last action.
        not_graded: how often each kind of action was not graded: reneges, corrections, accusations, penalties.
        reference: what was asked for, `EQUILIBRIUM` or `PIMC`; the latter grades what the former does not cover.
        unsolved: hand sizes with bids or discards that `PIMC` graded for want of a solution.
    """

    options: TowersAndBowersOptions
    graded: tuple[tuple[Step, Decision], ...] = field(repr=False)
    hands: tuple[HandReview, ...]
    end: MatchState
    not_graded: Counter[str]
    reference: str = EQUILIBRIUM
    unsolved: tuple[int, ...] = ()

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The graded ones, in order."""
        return tuple(decision for _, decision in self.graded)

    @property
    def players(self) -> tuple[PlayerReview, PlayerReview]:
        """Of player 0 and player 1."""
        return _review_player(self.decisions, 0), _review_player(self.decisions, 1)

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
    def match(self) -> MatchLuck | None:
        """Luck and skill over the whole match; None before its first hand."""
        return match_luck(self.hands)

    def method(self) -> tuple[str, ...]:
        """How it was graded, and what was not, in sentences."""
        doubtful, mistake, blunder = (f"{least:g}" for least, _ in MARKS)
        counted = ", ".join(f"{_ACTIONS[kind]}: {count}" for kind, count in self.not_graded.items())
        sentences = (
            f"Exact: {len(self.graded):,} decisions graded. Model: {self.model}.",
            self.indifference,
            f"1 mt is a thousandth of the chance to win the tower; from {doubtful} mt on a decision is doubtful, from "
            f"{mistake} a mistake, from {blunder} a blunder.",
            f"Not graded, the reference knows only legal play: {counted}." if counted else "",
        )
        return tuple(filter(None, sentences))

    def summary(self, names: Sequence[str]) -> tuple[str, ...]:
        """Who played better by the reference, and how far an unfinished match went."""
        score = f"{self.end.towers[0]}–{self.end.towers[1]}"
        unfinished = (f"The match is unfinished at {score} towers.",) if self.end.winner is None else ()
        return (self._comparison(names), *unfinished)

    def _comparison(self, names: Sequence[str]) -> str:
        mine, theirs = (player.mt_per_decision for player in self.players)
        if mine is None or theirs is None:
            return "Not both players had something to decide."
        better = "neither" if mine == theirs else names[int(theirs < mine)]
        said = f"{names[0]} lost {mine:.1f} mt per unforced decision, {names[1]} {theirs:.1f}: {better} played better"
        return f"{said[0].upper()}{said[1:]} by the reference."

    def ledger(self, names: Sequence[str]) -> Ledger | None:
        """Where the first player's chance to win the match went."""
        if self.match is None:
            return None
        own, gained = (sum(hand.skill[player] for hand in self.hands) for player in (0, 1))
        costs = f"Of the skill, {points(own)} points are costs of {names[0]} and {points(gained)} those of {names[1]}"
        return Ledger(
            (self.match.sentence(names[0]), f"{costs}; the rest is what the unseen cards made of the decisions."),
            (self.hands[0].before, *(hand.after for hand in self.hands)),
            _COLUMNS,
            tuple(_row(hand) for hand in self.hands),
            self.match.to_json(),
        )


def grade(
    match: Match, names: Sequence[str], seats: Sequence[int], unclear: frozenset[int] | None, reference: str
) -> Grading:
    """What there is to say of a match as far as it was played; the arguments are those of `TableGame.grade`."""
    replayed = replay(match.transcript())
    if unclear is None:
        review = _review(replayed, reference)
    else:
        review = _review(replayed, reference, seats, unclear)
    decisions = [_judged(step, one, review.model) for step, one in review.graded if one.player in seats]
    return Grading(
        tuple(decisions),
        unadvised=sum(one.number in (unclear or ()) and one.action.get("player") in seats for one in replayed.steps),
        ledger=review.ledger(names),
        summary=review.summary(names) if unclear is None else (),
        method=review.method(),
        details=tuple(_DETAILS.read_text(encoding="utf-8").splitlines()),
        caution=review.fallback or "",
        record=review,
    )


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
    return _review(replay(lines), reference)


def _review(
    match: Replay, reference: str, seats: Sequence[int] = (0, 1), unclear: frozenset[int] | None = None
) -> Review:
    """The review of a match; of a record of views, where some actions are unclear or none, without luck."""
    graded = tuple(Grader(match.options, reference).decisions(match.steps, seats, unclear or ()))
    return Review(
        options=match.options,
        graded=graded,
        hands=review_hands(match, graded, Equity(match.options)) if unclear is None else (),
        end=match.end,
        not_graded=_not_graded(match),
        reference=reference,
        unsolved=_unsolved(graded) if reference == EQUILIBRIUM else (),
    )


def _judged(step: Step, one: Decision, model: str) -> Judged:
    """A decision as all games have it."""
    return Judged(
        number=step.number,
        seat=one.player,
        view=step.views[one.player],
        habit=one.action.split()[0],
        done=action_text(one.action),
        best=action_text(one.best),
        loss=one.loss,
        mark=one.mark,
        others=one.others,
        options=one.kinds,
        basis=f"exact: {one.layouts:,} layouts counted, {one.reference}" if one.layouts else one.reference,
        model=model,
        is_forced=not one.is_unforced,
        where=f"hand {one.hand}, {one.phase}",
        note=one.note,
    )


def _row(hand: HandReview) -> tuple[str, ...]:
    last = hand.last
    dealt = ("–",) * 3
    if last is not None:
        dealt = str(last.n), card_symbol(last.up_card), "–" if last.trump is None else SYMBOLS[last.trump]
    cards, up_card, trump = dealt
    changes = map(points, (hand.luck, *hand.skill, hand.unseen))
    score = f"{hand.towers[0]}–{hand.towers[1]}"
    return (str(hand.number), cards, score, up_card, trump, f"{hand.before:.1%}", f"{hand.after:.1%}", *changes)


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
