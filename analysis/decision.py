"""Which alternative is best, which are as good, and what does each cost? One decision, in which every place agrees.

An answer with alternatives holds one `Decision`; the terminal, JSON, the table's marks and bars, graphs, training,
reviews and pages print its verdicts. `SCALES` has each game's unit, tolerance and names of costs, and no other module
has thresholds or words of its own.

The best of several sampled means is chosen from the same numbers that it is then compared by. `paired_costs` allows for
that: its intervals are simultaneous over all alternatives, by the method of Edwards and Hsu, *Multiple comparisons with
the best treatment*, JASA 78 (1983), from paired differences (Bonferroni's share of the risk for each). Costs that are
counted have no interval: both ends are the cost.

>>> [str(Verdict.BEST), str(Verdict.AS_GOOD)]
['best', 'as good']
"""

import enum
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from towerlab.analysis.present import capital, number_of, signed
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.stats import LEVEL, Estimate, wilson
from towerlab.games.written import Record

ROUNDING: Final = 1e-9  # smaller costs are errors of sums
INDIFFERENT: Final = 0.001  # chances of a solution or policy that differ by no more are the same: accurate on average
_MOST_NAMED: Final = 3  # alternatives in a sentence about more
_DIGITS: Final = 6  # of values and costs that count as the same


class Verdict(enum.StrEnum):
    """The state of an alternative."""

    BEST = "best"
    AS_GOOD = "as good"
    WORSE = "worse"
    OPEN = "open"


@dataclass(frozen=True)
class Scale:
    """How costs are measured in a game, and what they are called.

    Attributes:
        unit: of costs in JSON: ``"mt"`` (thousandths of a tower) or ``"points"``.
        noun: of costs in words: ``"points"`` of the game, or ``"percentage points"`` of a chance.
        tolerance: alternatives that lose no more are as good as the best; above it a cost is a slip.
        mistake, blunder: the least cost that is called so.
        per_word: units in one of the noun's.
        value: what an alternative is valued by, in words.
    """

    unit: str
    noun: str
    tolerance: float
    mistake: float
    blunder: float
    per_word: float = 1.0
    value: str = "points you gain on the others"

    @property
    def marks(self) -> Mapping[str, float]:
        """Names of costs and the least of each, the cheapest first."""
        return {"slip": self.tolerance, "mistake": self.mistake, "blunder": self.blunder}

    def verdict(self, cost: Estimate, is_first: bool = False) -> Verdict:
        """Return the verdict on a cost.

        Args:
            cost: against the best, with its simultaneous interval.
            is_first: whether it is that of the alternative that is advised.
        """
        if cost.low > self.tolerance:
            return Verdict.WORSE
        if cost.high <= self.tolerance:
            return Verdict.BEST if is_first else Verdict.AS_GOOD
        return Verdict.OPEN

    def mark(self, cost: Estimate) -> str:
        """Return the name of a cost that is surely one; empty where it is not *worse*."""
        if self.verdict(cost) != Verdict.WORSE:
            return ""
        return max((name for name, least in self.marks.items() if cost.mean >= least), key=self.marks.__getitem__)

    def label(self, cost: Estimate, is_first: bool = False) -> str:
        """Return a verdict in a word: ``"best"``, ``"as good"``, ``"open"``, or the mark; arguments as of `verdict`."""
        return self.mark(cost) or str(self.verdict(cost, is_first))

    def word(self, cost: Estimate, is_first: bool = False) -> str:
        """Return the same as people read it: what is open is ``"ahead"`` or ``"too close"``."""
        label = self.label(cost, is_first)
        return label if label != Verdict.OPEN else "ahead" if is_first else "too close"

    @property
    def bands(self) -> tuple[float, float, float, float]:
        """Return the costs at which four strengths of colour begin: those with names, and that of a full bar."""
        return self.tolerance, self.mistake, self.blunder, 2 * self.blunder

    @property
    def as_good_words(self) -> str:
        """``"As good, within 0.25 points"``."""
        return f"As good, within {self.words(self.tolerance)}"

    def number(self, cost: float) -> float:
        """A cost as people read it, in the noun's unit."""
        return cost / self.per_word

    def words(self, cost: float) -> str:
        """``"1.23 points"``."""
        return f"{self.number(cost):.2f} {self.noun}"

    def cost_words(self, cost: float) -> str:
        """``"best"`` of no cost, else ``"−1.23 points"``."""
        return Verdict.BEST if round(self.number(cost), 2) <= 0 else f"−{self.words(cost)}"

    def interval_words(self, cost: Estimate) -> str:
        """The interval of a cost as changes: ``"−2.10 to +0.30"``; empty where the cost is counted."""
        if cost.low == cost.high:
            return ""
        return signed(" to ".join(f"{-self.number(end):+.2f}" for end in (cost.high, cost.low)))

    def cost_cell(self, cost: Estimate) -> str:
        """A cost in a table: ``"1.23"``, ``"1.23 (0.40 to 2.10)"``; a dash where it is nothing."""
        mean, low, high = (f"{self.number(part):.2f}" for part in cost[:3])
        if cost.low == cost.high:
            return "–" if cost.mean == 0 else mean
        return f"{mean} ({low} to {high})"

    @property
    def short(self) -> str:
        """Return the noun for heads of tables: ``"points"`` or ``"pp"``."""
        return "pp" if self.noun == "percentage points" else self.noun

    def share(self, cost: float) -> float:
        """The length of a cost's bar, 0 to 1: a full bar is twice a blunder, in every place."""
        return min(1.0, max(0.0, cost) / self.bands[-1])


CHANCES: Final = Scale("mt", "percentage points", 10.0, 40.0, 80.0, per_word=10.0, value="your chance to win the game")
POINTS: Final = Scale("points", "points", 0.25, 1.0, 2.0)  # of a game without a row of its own
SCALES: Final[Mapping[str, Scale]] = {
    "towers-and-bowers": replace(CHANCES, value="your chance to win the tower"),
    "bowers": POINTS,
    "towie": Scale("points", "points", 5.0, 20.0, 40.0),
    "towers": POINTS,
    "tower-war": Scale("points", "percentage points", 1.0, 4.0, 8.0, value="your chance to win the war"),
}
"""By game. A mistake is a twenty-fifth of what is at stake, a blunder twice as much, as in backgammon (0.08 and 0.16 of
an equity from −1 to 1); at stake is the tower, the war, or the usual difference between a deal or game won and lost."""


@dataclass(frozen=True)
class Alternative(Record, keys="text value cost=cost.mean interval=cost.ends"):
    """One of the things that can be done.

    Attributes:
        text: in words: ``"play 9♠"``.
        value: expected, in the scale's unit.
        cost: against the best, with its simultaneous interval; a single point where it is counted.
    """

    text: str
    value: float
    cost: Estimate


Option = TypeVar("Option", bound=Alternative)


@dataclass(frozen=True)
class Decision(Record, Generic[Option], keys="verdict=sentence"):
    """The alternatives of one decision.

    Attributes:
        alternatives: the advised one first.
        scale: of the game.
        basis: how the values were got: ``"exact: 11,440 layouts"`` or ``"sampled: n = 200, seed 0"``.
        drawn: how many layouts were; 0 where all were counted.
        draws: what was drawn.
    """

    alternatives: tuple[Option, ...]
    scale: Scale
    basis: str = ""
    drawn: int = 0
    draws: str = "layout"

    @property
    def best(self) -> Option:
        """Return the alternative that is advised."""
        return self.alternatives[0]

    def verdict(self, alternative: Alternative) -> Verdict:
        """Return what is known of an alternative."""
        return self.scale.verdict(alternative.cost, alternative is self.best)

    def mark(self, alternative: Alternative) -> str:
        """Return the name of an alternative's cost; empty where it is not worse than the best."""
        return self.scale.mark(alternative.cost)

    @property
    def is_open(self) -> bool:
        """Whether following the advice may lose more than the tolerance, as far as is known."""
        return self.verdict(self.best) == Verdict.OPEN

    @property
    def can_draw_more(self) -> bool:
        """Whether more layouts may decide it."""
        return self.is_open and self.drawn > 0

    @property
    def groups(self) -> list[list[Option]]:
        """Return the alternatives in order, those in one list that have the same value and cost."""

        def numbers(alternative: Alternative) -> list[float]:
            return [round(number, _DIGITS) for number in (alternative.value, *alternative.cost[:3])]

        return [[*same] for _, same in itertools.groupby(self.alternatives, numbers)]

    @property
    def sentence(self) -> str:
        """Return the verdict on the decision; empty where there is one alternative."""
        if len(self.alternatives) < 2 or self.is_open:
            return self.rivals
        return " ".join(filter(None, [f"Best: {self._lead}.", self.rivals]))

    @property
    def rivals(self) -> str:
        """Return which alternatives are not worse than the advised one; empty where all the others are."""
        if self.is_open:
            return self._close_call
        heads = {Verdict.AS_GOOD: self.scale.as_good_words, Verdict.OPEN: "May be as good"}
        words = {kind: name_together([item.text for item in self._others(kind)], 5) for kind in heads}
        return " ".join(f"{heads[kind]}: {names}." for kind, names in words.items() if names)

    def _others(self, verdict: Verdict) -> list[Option]:
        """Return the alternatives of a verdict that have not the numbers of the advised one."""
        return [item for same in self.groups[1:] for item in same if self.verdict(item) == verdict]

    @property
    def _lead(self) -> str:
        return name_together([item.text for item in self.groups[0]], 5)

    @property
    def _close_call(self) -> str:
        """``"10♦ is ahead by a hair; too close to call between 10♦ and Q♦."``: its lead is within the tolerance."""
        texts = [item.text for item in self.alternatives]
        names = dict(zip(texts, without_verb(texts), strict=True))
        lead = name_together([names[item.text] for item in self.groups[0]], _MOST_NAMED)
        rivals = self._others(Verdict.OPEN)
        if not rivals:
            return f"{capital(lead)} is ahead; too close to call."
        named = [names[item.text] for item in rivals]
        if len(named) > _MOST_NAMED + 1:
            named[_MOST_NAMED:] = [f"{len(named) - _MOST_NAMED} others"]
        *listed, last = [lead if len(self.groups[0]) == 1 else "them", *named]
        how = " by a hair" if rivals[0].cost.mean <= self.scale.tolerance else ""
        return f"{capital(lead)} is ahead{how}; too close to call between {', '.join(listed)} and {last}."

    @property
    def open_words(self) -> str:
        """Return how much was looked at without deciding it: ``"Open after 24 layouts"``."""
        return f"Open after {number_of(self.drawn, self.draws)}" if self.drawn else "Open within the model's error"

    def label(self, alternative: Alternative) -> str:
        """Return an alternative's verdict in a word: ``"best"``, ``"as good"``, ``"open"``, or its mark."""
        return self.scale.label(alternative.cost, alternative is self.best)

    def word(self, alternative: Alternative) -> str:
        """Return the same as people read it: ``"ahead"`` or ``"too close"`` where it is open."""
        return self.scale.word(alternative.cost, any(alternative is item for item in self.groups[0]))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return every alternative as JSON, with its verdict."""
        return self.with_verdicts(item.to_json() for item in self.alternatives)

    def with_verdicts(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return rows about the alternatives, in their order, with their verdicts."""
        return [{**row, "verdict": str(self.verdict(item))} for row, item in zip(rows, self.alternatives, strict=True)]


@dataclass(frozen=True)
class DecidedAnswer(Answer):
    """Base of the answers whose `plays` are the alternatives of a decision, in their order: JSON has its verdicts."""

    @property
    def decision(self) -> Decision[Any]:
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        answer = super().to_json()
        decision = self.decision
        return answer | {"verdict": decision.sentence, "plays": decision.with_verdicts(answer["plays"])}


def name_together(texts: Sequence[str], most: int = 1) -> str:
    """``"play 9♠"``, ``"play 9♠ or 10♠"``, ``"play 9♠, 10♠ or K♥"``, ``"pass or any of 10 others"``; empty of nothing.

    Args:
        most: how many are named where there are two others at least, and more than three in all.
    """
    if not texts:
        return ""
    texts = [texts[0], *without_verb(texts)[1:]]
    if len(texts) > max(3, most + 1):
        return f"{', '.join(texts[:most])} or any of {len(texts) - most} others"
    first, *others = texts
    return " or ".join(filter(None, [", ".join([first, *others[:-1]]), *others[-1:]]))


def without_verb(texts: Sequence[str]) -> list[str]:
    """Return texts without the verb with which all begin: ``["9♠", "10♠"]`` of ``["play 9♠", "play 10♠"]``."""
    verb = texts[0].partition(" ")[0] if texts else ""
    is_common = verb.isalpha() and verb.islower() and all(text.startswith(f"{verb} ") for text in texts)
    return [text.removeprefix(f"{verb} ") if is_common else text for text in texts]


# ------------------------------------------------------------------------------------------------------------- costs


def exact_costs(values: Sequence[float]) -> tuple[Estimate, ...]:
    """Return what each alternative costs against the best, where its value is counted or proved."""
    costs = (max(values) - value for value in values)
    return tuple(Estimate(cost, cost, cost, 1) for cost in (cost if cost > ROUNDING else 0.0 for cost in costs))


def paired_costs(samples: ArrayLike, level: float = LEVEL, kinds: Sequence[int] | None = None) -> tuple[Estimate, ...]:
    """Return what each alternative costs against the best, with intervals that hold for all of them at once.

    Alternatives that are the same (mirror images, equal cards) are one kind. Where two differ by the same in
    every sample, another difference can have been missed: as often as Wilson's interval of none says, and as large as
    that between the highest value and the lowest.

    Args:
        samples: float[samples, alternatives], higher is better; a row's values are of the same layout.
        level: of all intervals together; `stats.look_level` where a sample is tested again as it grows.
        kinds: a column for each alternative, those of one kind the same; None where all are different.

    Returns:
        An estimate for each alternative, its mean that of the best less its own; infinite ends where there are
        fewer than two samples.

    >>> generator = np.random.default_rng(1)
    >>> layouts = generator.normal(size=(400, 1))
    >>> costs = paired_costs(layouts + generator.normal([0.0, 0.0, -1.0], 0.5, size=(400, 3)))
    >>> [cost.low > 0 for cost in costs]
    [False, False, True]
    """
    from scipy import special

    values = np.asarray(samples, dtype=np.float64)
    if kinds is not None:
        distinct = sorted({*kinds})
        costs = paired_costs(values[:, distinct], level)
        return tuple(costs[distinct.index(kind)] for kind in kinds)
    count, width = values.shape
    means = values.mean(axis=0)
    if width == 1 or count < 2:
        reach = np.full((width, width), math.inf if width > 1 else 0.0)
        np.fill_diagonal(reach, 0.0)
        return costs_of_differences(means, reach, count)
    level = 1 - (1 - level) / (width - 1)
    covariances = np.atleast_2d(np.cov(values, rowvar=False))
    variances = np.diag(covariances)
    spread = variances[:, None] + variances[None, :] - 2 * covariances
    reach = float(special.stdtrit(count - 1, (1 + level) / 2)) * np.sqrt(np.maximum(spread, 0.0) / count)
    missed = wilson(0, count, level)[1] * float(values.max() - values.min())
    reach = np.where(spread <= ROUNDING * (1 + variances[:, None]), missed, reach)
    np.fill_diagonal(reach, 0.0)
    return costs_of_differences(means, reach, count)


def costs_of_differences(means: ArrayLike, reach: ArrayLike, count: int) -> tuple[Estimate, ...]:
    """Return costs against the best from intervals of all differences: Edwards and Hsu's comparisons with the best.

    An alternative may be the best unless another surely beats it. The cost of each lies between the least and the
    largest that it would be if one of those were the best.

    Args:
        means: float[alternatives].
        reach: float[alternatives, alternatives], half the width of the interval of a difference; for every alternative
            as the first of the two, all its differences hold at once.
        count: samples.
    """
    centre = np.asarray(means, dtype=np.float64)
    differences = centre[:, None] - centre[None, :]
    half = np.asarray(reach, dtype=np.float64)
    may_be_best = (differences + half >= 0).all(axis=1)
    low = np.maximum(differences - half, 0.0)[may_be_best].min(axis=0)
    high = np.maximum(differences + half, 0.0)[may_be_best].max(axis=0)
    costs = centre.max() - centre
    return tuple(map(Estimate, costs.tolist(), low.tolist(), high.tolist(), [count] * len(centre)))
