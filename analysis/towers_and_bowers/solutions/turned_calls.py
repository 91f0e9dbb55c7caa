"""How often hidden play turns a call of the double-dummy model, by hand size, seat, round and the lead of the call.

Two to four cards: in the game itself, solved, another call is better. Every hand and up-card is counted
(``data/turned_calls.csv``, a table of ``towerlab study towers-and-bowers answer-book``). Five to seven: as two of
`pimc` play the hands out, sampled (``data/model_error.csv`` of the study `hidden-play`); where too few hands were
sampled, and beyond a lead of 3 percentage points, nobody knows.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from towerlab.analysis.towers_and_bowers.solutions.model_error import ALL, FEWEST_CARDS, error_rows
from towerlab.analysis.towers_and_bowers.solutions.shipped import shipped_rows
from towerlab.games.written import Record

BANDS: Final = (0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 100.0)  # percentage points; beyond 3 none was sampled
_POINTS: Final = 10.0  # mt


@dataclass(frozen=True)
class TurnedCalls(Record):
    """How often hidden play turns calls of a kind.

    Attributes:
        least, most: percentage points that the call leads the next one by in the model.
        share: of such calls that are turned.
        low, high: its 95 % interval; closed where every hand is counted.
        n: hands; where all are counted, hands with an up-card.
    """

    least: float
    most: float
    share: float
    low: float
    high: float
    n: int

    @property
    def exact(self) -> bool:
        """Whether every hand was counted."""
        return self.low == self.high


@functools.cache
def turned_calls() -> Mapping[tuple[int, str, int], tuple[TurnedCalls, ...]]:
    """What is known, by hand size, seat and round, in ascending order of the lead."""
    found: dict[tuple[int, str, int], tuple[TurnedCalls, ...]] = {}
    for row in shipped_rows("turned_calls.csv"):
        share = float(row["turned"])
        _add(found, row, TurnedCalls(float(row["least"]), float(row["most"]), share, share, share, int(row["n"])))
    for row in error_rows():
        if row["band"] != ALL and row["turned"] and int(row["cards"]) >= FEWEST_CARDS:
            least, most = (float(end) / _POINTS for end in row["band"].split("-"))
            share, low, high = (float(row[f"turned{end}"]) for end in ("", "_low", "_high"))
            _add(found, row, TurnedCalls(least, most, share, low, high, int(row["signs"])))
    return found


def _add(
    found: dict[tuple[int, str, int], tuple[TurnedCalls, ...]], row: Mapping[str, str], calls: TurnedCalls
) -> None:
    kind = int(row["cards"]), row["seat"], int(row["round"])
    found[kind] = (*found.get(kind, ()), calls)


def turned_calls_of(cards: int, seat: str, turn: int, lead: float) -> TurnedCalls | None:
    """What is known of calls of a kind.

    Args:
        cards, seat, turn: hand size, ``"dealer"`` or ``"nondealer"``, round 1 or 2.
        lead: of the model, in P(win the tower).

    Returns:
        None where nobody knows.
    """
    known = turned_calls().get((cards, seat, turn), ())
    return next((calls for calls in known if calls.least <= 100 * lead < calls.most), None)
