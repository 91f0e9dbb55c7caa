"""What the answers about open hands of games of three or four hands have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from towerlab.analysis.present.answers import Answer
from towerlab.games.written import CardId, Mask, SuitId
from towerlab.solver.double_dummy.printed import Lead


@dataclass(frozen=True)
class SolvedHands(Answer, method="double-dummy", table="leads", keys="trump lead tricks=by_side leads line"):
    """Best play of open hands, one side against the other.

    Attributes:
        trump: 0..4 for C D H S NT.
        hands: printed masks by the name of the seat, the first of them on the side that tricks are counted for.
        lead: who leads.
        tricks: of that side.
        leads: every card the leader may lead, best first.
        line: one best line, printed cards in order of play.
    """

    game: ClassVar[str]
    sides: ClassVar[tuple[str, str]]

    trump: SuitId
    hands: Mapping[str, Mask]
    lead: str
    tricks: int
    leads: tuple[Lead, ...]
    line: tuple[CardId, ...]

    @property
    def cards(self) -> int:
        """That each holds."""
        return next(iter(self.hands.values())).bit_count()

    @property
    def others(self) -> int:
        """Tricks of the other side."""
        return self.cards - self.tricks

    def to_row(self) -> dict[str, Any]:
        """One row of a table of answers."""
        return hands_row(self.by_side)

    @property
    def by_side(self) -> Mapping[str, int]:
        return dict(zip(self.sides, (self.tricks, self.others), strict=True))


def hands_row(by_side: Mapping[str, int]) -> dict[str, Any]:
    """One row of a table of answers, from the tricks of each side."""
    return {f"tricks_{side}": tricks for side, tricks in by_side.items()}
