"""Which parts of a review may a game fill by itself? The costs of its decisions, the chances to win it.

Example:
    towerlab review match.jsonl
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from towerlab.analysis.decision import Scale, Verdict, subject_of
from towerlab.analysis.present import capital
from towerlab.analysis.stats import Estimate
from towerlab.games.written import Record


@dataclass(frozen=True)
class ReviewedDecision(
    Record,
    keys="number player=seat kind=habit action=done best cost=cost.mean interval=cost.ends verdict mistake=is_mistake "
    "basis link?",
):
    """One decision.

    Attributes:
        number: the number of the action, from 1.
        seat: the seat that decided.
        view: the seat's view at the decision.
        habit: the kind of decision that it was, for the table of habits.
        done, best: the action that was done and the best one, in words.
        cost: the cost of the action that was done, with its interval.
        scale: the scale of the game's costs.
        value: the value of the best alternative, on the way to the deal's result; None where no chance is known.
        others: the costs of what players of the simulator would have done here, by name.
        options: the number of alternatives that differed in meaning.
        basis, model: the basis and the model of the advice.
        is_forced: whether there was nothing to decide, so that it does not count.
        note: a further remark on the decision.
        link: the position as a short text, of games that have one.
    """

    number: int
    seat: int
    view: Any
    habit: str
    done: str
    best: str
    cost: Estimate
    scale: Scale
    value: float | None
    others: Mapping[str, float]
    options: int
    basis: str
    model: str = ""
    is_forced: bool = False
    note: str = ""
    link: str | None = None

    @property
    def verdict(self) -> str:
        """Return the verdict on what was done."""
        return str(self.scale.verdict(self.cost, self.done == self.best))

    @property
    def mark(self) -> str:
        """Return the name of the cost; empty where it is not surely one."""
        return self.scale.mark(self.cost)

    @property
    def label(self) -> str:
        """Return the verdict in a word: ``"best"``, ``"as good"``, ``"open"``, or the mark."""
        return self.scale.label(self.cost, self.done == self.best)

    @property
    def is_mistake(self) -> bool:
        """Whether it surely cost something, more than a slip."""
        return self.verdict == Verdict.WORSE and self.cost.mean >= self.scale.mistake

    @property
    def is_costly(self) -> bool:
        """Whether it cost more than the tolerance, surely or as far as is known."""
        return self.cost.mean > self.scale.tolerance

    @property
    def remark(self) -> str:
        """Return what would have been better, what it cost, and how sure that is."""
        return f"{self.lost} ({self.verdict_words}). {self._grounds}"

    @property
    def how_sure(self) -> str:
        """Return how sure the verdict is, and how the values were got."""
        return f"{capital(self.verdict_words)}. {self._grounds}"

    @property
    def _grounds(self) -> str:
        return f"{capital('; '.join(filter(None, (self.basis, self.note))))}."

    @property
    def verdict_words(self) -> str:
        """Return the verdict with the interval: ``"mistake, 95 %: −2.10 to −0.90"``."""
        interval = self.scale.interval_words(self.cost)
        return f"{self.scale.word(self.cost, self.done == self.best)}{interval and f', 95 %: {interval}'}"

    @property
    def outcome(self) -> str:
        """Return what came of it: `lost`, or that it was right and what little it cost."""
        if self.is_costly:
            return self.lost
        is_free = self.scale.cost_words(self.cost.mean) == Verdict.BEST
        cost = "" if is_free else f": it cost {self.scale.words(self.cost.mean)} against {subject_of(self.best)}"
        return f"{capital(subject_of(self.done))} was right{cost}"

    @property
    def lost(self) -> str:
        """Return what was done, what it cost and what was better: ``"9♣ cost 19.85 points; 10♥ was better"``."""
        done, best = map(subject_of, (self.done, self.best))
        words = self.scale.words(self.cost.mean)
        if self.verdict == Verdict.OPEN:
            return f"{capital(done)} may have cost {words}; {best} is ahead"
        return f"{capital(done)} cost {words}; {best} was better"


@dataclass(frozen=True)
class OpenCards:
    """The result of a seat's side from here on with all cards seen and best play by everybody.

    Attributes:
        wins: whether the side wins the deal.
        words: the result, such as ``"3 tricks"``.
        made: the result as a number.
        end: the value of the result of a deal that is over, to the seat, in the unit of its costs; else None.
    """

    wins: bool
    words: str
    made: int
    end: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the deal is over, and this its result."""
        return self.end is not None


Hindsight = Callable[[Any, int], OpenCards | None]
"""(engine, seat) → what its side makes; None while nothing is played or nothing is known. Also right after the end."""


@dataclass(frozen=True)
class Ledger:
    """Luck and skill of a game, part by part.

    Attributes:
        sentences: the sentences about the whole game.
        chances: the first seat's chance to win before the first part and after each: one more than there are parts.
        columns, rows: the parts as a table, in order.
        totals: `match` of the JSON.
    """

    sentences: tuple[str, ...]
    chances: tuple[float, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    totals: dict[str, Any]

    @property
    def decisive(self) -> list[tuple[str, ...]]:
        """The parts, those with the largest changes first."""
        change = [abs(after - before) for before, after in zip(self.chances, self.chances[1:], strict=False)]
        return [self.rows[place] for place in sorted(range(len(self.rows)), key=lambda place: -change[place])]


@dataclass(frozen=True)
class Grading:
    """The grades of a game's decisions.

    Attributes:
        decisions: the graded decisions, in order.
        unadvised: the decisions of which nothing is known.
        ledger: luck and skill, where they can be kept apart; None before there is any.
        summary: sentences about who played better.
        method: sentences about how the game was graded; docs/methods/reviews.md has more of it.
        model: those sentences for JSON, where its costs are in another unit; empty where they are not.
        caution: a warning for stderr, such as that a reference is missing.
        whole: the JSON of the whole game, where the game has its own.
    """

    decisions: tuple[ReviewedDecision, ...]
    unadvised: int = 0
    ledger: Ledger | None = None
    summary: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    caution: str = ""
    whole: Mapping[str, Any] | None = field(default=None, repr=False)


def total(decisions: Sequence[ReviewedDecision]) -> float:
    """Return what decisions cost together."""
    return math.fsum(decision.cost.mean for decision in decisions)
