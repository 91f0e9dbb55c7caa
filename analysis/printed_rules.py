"""A rule as it is printed and as it is measured: its clauses make both the sentence and the choice.

A clause keeps the options of the highest key and strikes out the others; the clauses of a rule are applied in the order
in which they are read. Where more than one option is left the sentence does not say which: all of them count alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Situation = TypeVar("Situation")


@dataclass(frozen=True)
class Clause(Generic[Situation]):
    """A part of a rule.

    Attributes:
        words: as it is printed.
        key: (situation, option) → a sort key; options of the highest key are kept.
    """

    words: str
    key: Callable[[Situation, Any], Any]


@dataclass(frozen=True)
class PrintedRule(Generic[Situation]):
    """Clauses in order; `sentence` says the same in one, where that reads better.

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
        """The options that the sentence leaves."""
        left = list(options)
        for clause in self.clauses:
            keys = [clause.key(situation, option) for option in left]
            best = max(keys)
            left = [option for option, key in zip(left, keys, strict=True) if key == best]
        return left
