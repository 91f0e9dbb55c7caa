"""What does a printed rule say, and what does it cost to follow it? The same clauses make the sentence and the choice.

A clause keeps the options with the highest key; the clauses of a rule are applied in the order in which they are read.
If more than one option is left, the sentence does not say which to choose, and all of them count alike.

`single_losses` describes the losses of a rule in single hands: how many hands lose more than a limit, and which hand
loses most. If a hand is valued on a sample, its largest loss is mostly luck. So the layouts are halved: one half
chooses the best call, the other half measures the loss against it.

>>> even = Clause("an even number", lambda situation, number: number % 2 == 0)
>>> PrintedRule(even).choices(None, [3, 6, 4])
[6, 4]
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pandas as pd

from towerlab.analysis.stats import mean_interval, share_interval
from towerlab.games.arrays import Bools, Floats

Situation = TypeVar("Situation")


@dataclass(frozen=True)
class Clause(Generic[Situation]):
    """A part of a rule.

    Attributes:
        words: the printed words.
        key: (situation, option) → a sort key; options with the highest key are kept.
    """

    words: str
    key: Callable[[Situation, Any], Any]


@dataclass(frozen=True)
class PrintedRule(Generic[Situation]):
    """A rule: clauses in order; `sentence` says the same in one sentence, where that reads better.

    >>> even = Clause("an even number", lambda situation, number: number % 2 == 0)
    >>> rule = PrintedRule(even, Clause("the lowest", lambda situation, number: -number))
    >>> str(rule), rule.choices(None, [3, 6, 4]), PrintedRule(even).choices(None, [3, 6, 4])
    ('an even number, the lowest', [4], [6, 4])
    """

    clauses: tuple[Clause[Situation], ...]
    sentence: str

    def __init__(self, *clauses: Clause[Situation], sentence: str = "") -> None:
        object.__setattr__(self, "clauses", clauses)
        object.__setattr__(self, "sentence", sentence)

    def __str__(self) -> str:
        return self.sentence or ", ".join(clause.words for clause in self.clauses)

    def choices(self, situation: Situation, options: Iterable[Any]) -> list[Any]:
        """Return the options that the sentence leaves."""
        left = list(options)
        for clause in self.clauses:
            keys = [clause.key(situation, option) for option in left]
            best = max(keys)
            left = [option for option, key in zip(left, keys, strict=True) if key == best]
        return left


def loss_on_halves(values: Floats, chosen: int) -> dict[str, float]:
    """Return the loss of a call against the call that is best on every second layout.

    Args:
        values: the value of each call, float64[layouts, calls].
        chosen: the column of the call.

    Returns:
        ``seems``: the mean loss on the layouts that chose the best call; ``lost``: on the others, with Student's
        interval.
    """
    best = values[::2].mean(axis=0).argmax()
    less = values[:, best] - values[:, chosen]
    return {"seems": float(less[::2].mean()), **mean_interval(less[1::2]).row("lost")}


def single_losses(
    kinds: Mapping[str, Bools], hands: pd.DataFrame, most: float, about: Iterable[str] = ("hand",)
) -> pd.DataFrame:
    """Return a row for each kind of hands: the share that loses more than a limit, and the hand that loses most.

    Args:
        kinds: which hands are of each kind, bool[hands] by the kind's name; kinds without hands are left out.
        hands: the columns ``seems``, ``lost``, ``lost_low``, ``lost_high`` (`loss_on_halves`; all equal for exact
            losses).
        most: the limit; a hand loses more if both ``seems`` and ``lost`` are above it.
        about: columns that describe the worst hand.

    Returns:
        The columns kind, over with Wilson's interval, worst with its interval, those of `about`, and n. The worst hand
        is the one that seems to lose most; its loss is measured on the other half of the layouts.
    """
    rows = []
    for kind, of_kind in kinds.items():
        if of_kind.any():
            chosen = hands[of_kind]
            over = share_interval(int((chosen[["seems", "lost"]].min(axis=1) > most).sum()), len(chosen)).row("over")
            worst = chosen.sort_values("seems", ascending=False, kind="stable").iloc[0]
            ends = {"worst": worst["lost"], "worst_low": worst["lost_low"], "worst_high": worst["lost_high"]}
            rows.append({"kind": kind, **over, **ends, **worst[[*about]], "n": len(chosen)})
    return pd.DataFrame(rows)
