"""Which alternative is best, which others are as good, and what does each cost?

An answer with alternatives holds one `Decision`. The terminal, JSON, the table, training, reviews and pages all print
its verdicts. `SCALES` holds each game's unit, tolerance and names of costs; no other module has such thresholds.

Sampled means have a problem: the best one is chosen by the same numbers that it is then compared by. The intervals of
`paired_costs` allow for that. They hold for all alternatives at once, by the method of Edwards and Hsu, *Multiple
comparisons with the best treatment*, JASA 78 (1983): paired differences, with Bonferroni's share of the risk for each.
Counted costs have no interval: both ends are the cost.

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
INDIFFERENT: Final = 0.001  # a solution or policy is no more accurate: chances that differ by less are the same
_MOST_NAMED: Final = 3  # alternatives in a sentence about more
_DIGITS: Final = 6  # values and costs that agree in so many count as the same
_SUBJECTS: Final = {
    "play": "",
    "pass": "a pass",
    "accept": "accepting",
    "name": "naming",
    "discard": "discarding",
    "lay": "laying",
    "take": "taking",
}


class Verdict(enum.StrEnum):
    """What is known of an alternative: the best, as good, worse, or still open."""

    BEST = "best"
    AS_GOOD = "as good"
    WORSE = "worse"
    OPEN = "open"


@dataclass(frozen=True)
class Scale:
    """How a game measures and names costs.

    Attributes:
        unit: the unit of costs in JSON: ``"mt"`` (thousandths of a tower) or ``"points"``.
        noun: the unit of costs in words: ``"points"`` of the game, or ``"percentage points"`` of a chance.
        tolerance: an alternative that costs no more is as good as the best; one that costs more is a slip.
        mistake, blunder: the least cost of a mistake, and of a blunder.
        per_word: how many units make one of the noun's.
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
            cost: the cost against the best, with its simultaneous interval.
            is_first: whether the cost is the advised alternative's.
        """
        if cost.low > self.tolerance:
            return Verdict.WORSE
        if cost.high <= self.tolerance:
            return Verdict.BEST if is_first else Verdict.AS_GOOD
        return Verdict.OPEN

    def mark(self, cost: Estimate) -> str:
        """Return the name of a cost, such as ``"mistake"``; empty unless its verdict is *worse*."""
        if self.verdict(cost) != Verdict.WORSE:
            return ""
        return max((name for name, least in self.marks.items() if cost.mean >= least), key=self.marks.__getitem__)

    def label(self, cost: Estimate, is_first: bool = False) -> str:
        """Return a verdict in a word: ``"best"``, ``"as good"``, ``"open"``, or the mark; see `verdict`."""
        return self.mark(cost) or str(self.verdict(cost, is_first))

    def word(self, cost: Estimate, is_first: bool = False) -> str:
        """Return the verdict in everyday words: what is open is ``"ahead"`` or ``"too close"``."""
        label = self.label(cost, is_first)
        return label if label != Verdict.OPEN else "ahead" if is_first else "too close"

    @property
    def bands(self) -> tuple[float, float, float, float]:
        """The costs at which the four strengths of colour begin: slip, mistake, blunder, and a full bar."""
        return self.tolerance, self.mistake, self.blunder, 2 * self.blunder

    @property
    def as_good_words(self) -> str:
        """The words for what is as good as the best: ``"As good, within 0.25 points"``."""
        return f"As good, within {self.words(self.tolerance)}"

    def number(self, cost: float) -> float:
        """Return a cost in the noun's unit, as people read it."""
        return cost / self.per_word

    def words(self, cost: float) -> str:
        """Return a cost as an amount: ``"1.23 points"``."""
        return f"{self.number(cost):.2f} {self.noun}"

    def cost_words(self, cost: float) -> str:
        """Return a cost as a loss: ``"−1.23 points"``; ``"best"`` where there is none."""
        change = self.change(cost)
        return change if change == Verdict.BEST else f"{change} {self.noun}"

    def change(self, cost: float) -> str:
        """Return a cost as a loss without its unit: ``"−1.23"``; ``"best"`` where there is none."""
        number = f"{self.number(cost):.2f}"
        return f"−{number}" if float(number) > 0 else Verdict.BEST

    def interval_words(self, cost: Estimate) -> str:
        """Return the interval of a cost as gains: ``"−2.10 to +0.30"``; empty where the cost is counted."""
        if cost.low == cost.high:
            return ""
        return signed(" to ".join(f"{-self.number(end):+.2f}" for end in (cost.high, cost.low)))

    def cost_cell(self, cost: Estimate) -> str:
        """Return a cost as the cell of a table: ``"1.23"``, ``"1.23 (0.40 to 2.10)"``; a dash where it is nothing."""
        mean, low, high = (f"{self.number(part):.2f}" for part in cost[:3])
        if cost.low == cost.high:
            return "–" if cost.mean == 0 else mean
        return f"{mean} ({low} to {high})"

    @property
    def short(self) -> str:
        """The noun in the head of a table: ``"points"`` or ``"pp"``."""
        return "pp" if self.noun == "percentage points" else self.noun

    def share(self, cost: float) -> float:
        """Return the length of a cost's bar, 0 to 1: a full bar is twice a blunder, on every screen."""
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
"""By game. A mistake is a twenty-fifth of the stake, a blunder twice as much, as in backgammon (0.08 and 0.16 of an
equity from −1 to 1). The stake is the tower, the war, or the usual difference between a deal or game won and lost."""


@dataclass(frozen=True)
class Alternative(Record, keys="text value cost=cost.mean interval=cost.ends"):
    """One alternative of a decision.

    Attributes:
        text: the alternative in words: ``"play 9♠"``.
        value: the expected value, in the scale's unit.
        cost: the cost against the best, with its simultaneous interval; both ends are the cost where it is counted.
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
        scale: how the game measures and names costs.
        basis: how the values were got: ``"exact: 11,440 layouts"`` or ``"sampled: n = 200, seed 0"``.
        drawn: how many layouts were drawn; 0 where all were counted.
        draws: what a drawn layout is called.
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
        """Whether the advised alternative may still cost more than the tolerance."""
        return self.verdict(self.best) == Verdict.OPEN

    @property
    def can_draw_more(self) -> bool:
        """Whether more layouts may settle an open decision."""
        return self.is_open and self.drawn > 0

    @property
    def groups(self) -> list[list[Option]]:
        """The alternatives in order, in lists of those with the same value and cost."""

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
        """The alternatives that are not worse than the advised one, in a sentence; empty where all others are worse."""
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
        return name_together([item.text for item in self.groups[0]])

    @property
    def _close_call(self) -> str:
        """A lead within the tolerance: ``"10♦ is ahead by a hair; too close to call between 10♦ and Q♦."``."""
        texts = [item.text for item in self.alternatives]
        names = dict(zip(texts, map(subject_of, without_verb(texts)), strict=True))
        lead = name_together([names[item.text] for item in self.groups[0]])
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
        """How much was drawn without settling the decision: ``"Open after 24 layouts"``."""
        return f"Open after {number_of(self.drawn, self.draws)}" if self.drawn else "Open within the model's error"

    def label(self, alternative: Alternative) -> str:
        """Return the mark of an alternative's cost, or else its verdict: ``"best"``, ``"as good"``, ``"open"``."""
        return self.scale.label(alternative.cost, alternative is self.best)

    def word(self, alternative: Alternative) -> str:
        """Return the verdict in everyday words: ``"ahead"`` or ``"too close"`` where it is open."""
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
    """Return alternatives as one text: ``"play 9♠"``, ``"play 9♠, 10♠ or K♥"``, ``"pass or any of 10 others"``.

    Args:
        texts: the alternatives in words; the text of none is empty.
        most: how many of more than three are named, if that leaves two others at least.
    """
    if not texts:
        return ""
    texts = [texts[0], *without_verb(texts)[1:]]
    if len(texts) > max(3, most + 1):
        return f"{', '.join(texts[:most])} or any of {len(texts) - most} others"
    first, *others = texts
    return " or ".join(filter(None, [", ".join([first, *others[:-1]]), *others[-1:]]))


def subject_of(action: str) -> str:
    """Return an action in words as the subject of a sentence.

    >>> subject_of("play J♠"), subject_of("name ♣"), subject_of("pass"), subject_of("4♥")
    ('J♠', 'naming ♣', 'a pass', '4♥')
    """
    verb, _, rest = action.partition(" ")
    return f"{_SUBJECTS[verb]} {rest}".strip() if verb in _SUBJECTS else action


def without_verb(texts: Sequence[str]) -> list[str]:
    """Return texts without the verb with which all begin: ``["9♠", "10♠"]`` of ``["play 9♠", "play 10♠"]``."""
    verb = texts[0].partition(" ")[0] if texts else ""
    is_common = verb.isalpha() and verb.islower() and all(text.startswith(f"{verb} ") for text in texts)
    return [text.removeprefix(f"{verb} ") if is_common else text for text in texts]


# ------------------------------------------------------------------------------------------------------------- costs


def exact_costs(values: Sequence[float]) -> tuple[Estimate, ...]:
    """Return the cost of each alternative against the best, where values are counted or proved."""
    costs = (max(values) - value for value in values)
    return tuple(Estimate(cost, cost, cost, 1) for cost in (cost if cost > ROUNDING else 0.0 for cost in costs))


def paired_costs(samples: ArrayLike, level: float = LEVEL, kinds: Sequence[int] | None = None) -> tuple[Estimate, ...]:
    """Return the cost of each alternative against the best, with intervals that hold for all of them at once.

    Two alternatives may differ by the same amount in every sample. Then another difference can have been missed: as
    often as the upper end of Wilson's interval for no success, and as large as between the highest and lowest value.

    Args:
        samples: float[samples, alternatives], higher is better; the values of a row are of the same layout.
        level: the level of all intervals together; `stats.look_level` where a sample is tested again as it grows.
        kinds: the column that stands for each alternative; alternatives that cannot differ (mirror images, equal
            cards) share one. None where all differ.

    Returns:
        The best mean less the mean of each alternative; the interval is infinite with fewer than two samples.

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
        half_widths = np.full((width, width), math.inf if width > 1 else 0.0)
        np.fill_diagonal(half_widths, 0.0)
        return costs_of_differences(means, half_widths, count)
    level = 1 - (1 - level) / (width - 1)
    covariances = np.atleast_2d(np.cov(values, rowvar=False))
    variances = np.diag(covariances)
    spread = variances[:, None] + variances[None, :] - 2 * covariances
    half_widths = float(special.stdtrit(count - 1, (1 + level) / 2)) * np.sqrt(np.maximum(spread, 0.0) / count)
    missed = wilson(0, count, level)[1] * float(values.max() - values.min())
    half_widths = np.where(spread <= ROUNDING * (1 + variances[:, None]), missed, half_widths)
    np.fill_diagonal(half_widths, 0.0)
    return costs_of_differences(means, half_widths, count)


def costs_of_differences(means: ArrayLike, half_widths: ArrayLike, count: int) -> tuple[Estimate, ...]:
    """Return costs against the best from intervals of all differences: Edwards and Hsu's comparisons with the best.

    An alternative may be the best unless another surely beats it. The interval of a cost reaches from the least to the
    largest cost that is possible against an alternative that may be the best.

    Args:
        means: float[alternatives].
        half_widths: float[alternatives, alternatives], half the width of the interval of each difference. For every
            first alternative, the intervals against all second ones hold at once.
        count: number of samples.
    """
    centre = np.asarray(means, dtype=np.float64)
    differences = centre[:, None] - centre[None, :]
    half = np.asarray(half_widths, dtype=np.float64)
    may_be_best = (differences + half >= 0).all(axis=1)
    low = np.maximum(differences - half, 0.0)[may_be_best].min(axis=0)
    high = np.maximum(differences + half, 0.0)[may_be_best].max(axis=0)
    costs = centre.max() - centre
    return tuple(map(Estimate, costs.tolist(), low.tolist(), high.tolist(), [count] * len(centre)))
