"""Advice about a decision: the value of each action, its cost against the best, and the name of such a cost."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from towerlab.analysis.stats import Estimate
from towerlab.games.transcript import Action
from towerlab.games.written import Record

Marks: TypeAlias = tuple[tuple[float, str], ...]
"""Least costs and what a decision of that cost is called, ascending; below the first it is good enough."""
DIGITS: Final = 6  # of values that count as alike
MISTAKES: Final[Marks] = ((0.0, "mistake"),)


def capital(sentence: str) -> str:
    """A sentence that may begin with a player's name, as it is written."""
    return sentence[:1].upper() + sentence[1:]


def mark_of(loss: Estimate, marks: Marks) -> str:
    """Return the name of a cost; empty where its interval holds 0, or below the tolerance."""
    return next((name for least, name in reversed(marks) if loss.low > 0 and loss.mean >= least), "")


@dataclass(frozen=True)
class Choice(Record, keys="text action"):
    """A legal action as a person takes it.

    Attributes:
        action: the engine's record.
        text: the action in words, ``"play J♠"``.
        words: other words to type for it besides its number, in any case: ``("JS",)``.
        card: the card of the own hand that it is about, if any.
        label: for a button beneath that card; empty where the card itself is the button.
        is_aside: possible at any time, such as a claim; listed in a line of its own.
        cell: row and column, where the choices are a table, such as bids by tricks and suits.
    """

    action: Action
    text: str
    words: tuple[str, ...] = ()
    card: str = ""
    label: str = ""
    is_aside: bool = False
    cell: tuple[str, str] | None = None


@dataclass(frozen=True)
class Advised(Record, keys="text action value reason loss=loss.mean interval=loss.ends"):
    """One action as the advice values it.

    Attributes:
        action: the engine's record.
        text: of the action.
        value: expected value in the advice's unit.
        loss: the cost against the best, with its paired interval; a single point where exact.
        note: its value as people read it, ``"58.4 %"``.
        reason: why, in a line.
    """

    action: Action
    text: str
    value: float
    loss: Estimate
    note: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Advice(Record, keys="unit basis model remark actions=options"):
    """The actions of a decision and their values, the best first.

    Attributes:
        options: the actions that are judged.
        unit: ``"mt"`` or ``"points"``.
        grade: judges actions that are not listed, where there are too many.
        basis: ``"exact: 11,440 layouts"`` or ``"sampled: n = 200, seed 0"``.
        model: the assumption, in words.
        remark: one more line, such as a claim that is sound now.
        marks: names of costs; the first is the tolerance, the same in training and in reviews.
        drawn: how many layouts were; 0 where all were counted.
    """

    options: tuple[Advised, ...]
    unit: str
    basis: str
    model: str
    remark: str = ""
    grade: Callable[[Action], Advised | None] | None = None
    marks: Marks = MISTAKES
    drawn: int = 0

    @property
    def groups(self) -> list[tuple[str, Advised]]:
        """The actions, those that are alike in one line: its words, and the first of them."""

        def value_of(option: Advised) -> list[float]:
            return [round(number, DIGITS) for number in (option.value, *option.loss[:3])]

        alike = [[*same] for _, same in itertools.groupby(self.options, value_of)]
        return [(_words([option.text for option in same]), same[0]) for same in alike]

    @property
    def verdict(self) -> str:
        """Return what to do, in a sentence: the best action, or all that are as good as far as intervals tell."""
        good = [option for option in self.options if option.loss.low <= 0]
        if len(good) < 2:
            return f"Best: {good[0].text}." if len(self.options) > 1 else ""
        within = "; the differences are within the error" if any(option.loss.high > 0 for option in good) else ""
        return f"Any of these: {_words([option.text for option in good], 5)}{within}."

    @property
    def method(self) -> str:
        """How the values were got, in two sentences."""
        return f"{capital(self.basis)}. Model: {self.model.rstrip('.')}."

    @property
    def is_open(self) -> bool:
        """Whether more layouts may decide: another action is not surely worse than the best."""
        return self.drawn > 0 and any(option.loss.low <= 0 < option.loss.high for option in self.options)

    def of(self, action: Action) -> Advised | None:
        """Return the advised action that a record is; None where it is none."""
        advised = next((option for option in self.options if option.action == action), None)
        return self.grade(action) if advised is None and self.grade is not None else advised

    def why(self, advised: Advised) -> str:
        """Return the reason for an action's cost, as a sentence; that of the whole decision where it has none."""
        return f"{capital(advised.reason)}." if advised.reason else self.remark

    def mark(self, advised: Advised) -> str:
        """Return the name of an action's cost; empty where it has none."""
        return mark_of(advised.loss, self.marks)


def _words(texts: Sequence[str], most: int = 1) -> str:
    """``"play 9♠"``, ``"play 9♠ or 10♠"``, ``"play 9♠, 10♠ or K♥"``, ``"pass or any of 10 others"``.

    Args:
        most: how many are named where there are two others at least, and more than three in all.
    """
    verb = texts[0].partition(" ")[0] + " "
    is_common = verb.strip().isalpha() and all(text.startswith(verb) for text in texts)
    texts = [texts[0], *(text.removeprefix(verb) if is_common else text for text in texts[1:])]
    if len(texts) > max(3, most + 1):
        return f"{', '.join(texts[:most])} or any of {len(texts) - most} others"
    first, *others = texts
    return " or ".join(filter(None, [", ".join([first, *others[:-1]]), *others[-1:]]))
