"""The base of answers about open hands of games of three or four hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from towerlab.analysis.present.answers import Answer
from towerlab.games.written import CardId, Mask, SuitId
from towerlab.solver.double_dummy import Position, shared_solver
from towerlab.solver.double_dummy.printed import Lead, printed_cards, printed_leads


@dataclass(frozen=True)
class SolvedHands(Answer, method="double-dummy", table="leads", keys="trump lead tricks=by_side leads line"):
    """Best play of open hands, one side against the other.

    Attributes:
        trump: 0..4 for C D H S NT.
        hands: printed masks by the name of the seat; the first, and of four the third, on the side that tricks are
            counted for.
        lead: who leads.
        tricks: of that side.
        leads: every card the leader may lead, best first.
        line: one best line, printed cards in order of play.
    """

    game: ClassVar[str]
    sides: ClassVar[tuple[str, str]]
    bowers: ClassVar[bool]

    trump: SuitId
    hands: Mapping[str, Mask]
    lead: str
    tricks: int
    leads: tuple[Lead, ...]
    line: tuple[CardId, ...]

    @classmethod
    def of(cls, position: Position, hands: Mapping[str, int], suit: int) -> Self:
        """Return best play of a position.

        Args:
            position: no card of which is played.
            hands: as above, in the order of play.
            suit: the trump, 0..4.
        """
        solver, side = shared_solver(), (0, 2) if len(hands) == 4 else (0,)
        leads = printed_leads(
            solver.cards(position), suit, cls.bowers, mine=position.leader in side, size=position.hands[0].bit_count(),
            fewest=position.fewest,
        )  # fmt: skip
        lead, line = list(hands)[position.leader], printed_cards(solver.line(position), suit, cls.bowers)
        return cls(suit, hands, lead, solver.tricks(position), leads, line)

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
