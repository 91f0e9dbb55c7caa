"""Surprising decisions, found by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.towers_and_bowers.report.equilibrium.data import SURE, Decisions
from analysis.towers_and_bowers.report.view import CLOSE, SEAT_NAMES
from analysis.towers_and_bowers.upcard.answers import UpcardAnswer
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from analysis.towers_and_bowers.upcard.book import book_rows

_OFTEN: Final = 0.001  # a decision reached less often is off the path
_TRIED: Final = 100  # hands that are asked about, in order
BY_STRENGTH: Final = ["trumps", "bowers", "side"]


@dataclass(frozen=True)
class Surprise:
    """A decision found by rule.

    Attributes:
        rule: how it was found.
        answer: what the equilibrium says.
        open_answer: what perfect information says.
        accepts: P(accept) in equilibrium.
    """

    rule: str
    answer: UpcardAnswer
    open_answer: UpcardAnswer
    accepts: float

    @property
    def seat(self) -> str:
        """Whose decision."""
        return SEAT_NAMES[self.answer.seat]

    @property
    def does(self) -> str:
        """The call."""
        return "accepts" if self.accepts >= SURE else "passes" if self.accepts <= 1 - SURE else "mixes"


def surprises(decisions: Sequence[Decisions]) -> tuple[Surprise, ...]:
    """Three of them: two of the largest even hand size at hand, one of two cards."""
    return tuple(_found({each.cards: each.frame for each in decisions if each.cards % 2 == 0}))


def _found(even: Mapping[int, pd.DataFrame]) -> Iterator[Surprise]:
    for seat in ("dealer", "nondealer") if even else ():
        rule = (
            f"The {SEAT_NAMES[seat]}'s strongest hand (by trumps, then bowers, then side strength) that passes and "
            f"gains {CLOSE:g} mt or more by it"
        )
        asked = (_surprise(rule, row, seat) for row in _strongest_that_pass(even[max(even)], seat))
        found = next((each for each in asked if 1000 * each.answer.margin <= -CLOSE), None)
        yield from [found] if found else []
    if 2 in even:
        yield from _disagreement(even[2])


def _strongest_that_pass(frame: pd.DataFrame, seat: str) -> list[dict[Any, Any]]:
    """The first hands that surely pass, strongest first."""
    chosen = frame[(frame[f"{seat}_accepts"] <= 1 - SURE) & (frame[f"{seat}_reached"] > _OFTEN)]
    order = chosen.sort_values([*BY_STRENGTH, "up", "hand"], ascending=[False] * 3 + [True] * 2)
    return order.head(_TRIED).to_dict("records")


def _disagreement(frame: pd.DataFrame) -> Iterator[Surprise]:
    """Where the equilibrium does what perfect information thinks worst of: two cards, every class."""
    book, losses = book_rows(2, 0, len(frame)), {}
    for seat in SEAT_NAMES:
        accept, passing = book[f"{seat}_accept"].to_numpy(), book[f"{seat}_pass"].to_numpy()
        share = frame[f"{seat}_accepts"].to_numpy()
        loss = np.maximum(accept, passing) - share * accept - (1 - share) * passing
        losses[seat] = np.where(frame[f"{seat}_reached"] > _OFTEN, loss, -1.0)
    seat = max(losses, key=lambda name: float(losses[name].max()))
    at = int(losses[seat].argmax())
    if losses[seat][at] > 0:
        yield _surprise("The largest disagreement with perfect information at two cards", frame.iloc[at], seat)


def _surprise(rule: str, row: Any, seat: str) -> Surprise:
    hand, up, dealer = int(row["hand"]), int(row["up"]), seat == "dealer"
    answer, seen = (UpcardQuestion(hand, up, dealer, method=method).answer() for method in ("equilibrium", "pimc"))
    return Surprise(rule, answer, seen, float(row[f"{seat}_accepts"]))
