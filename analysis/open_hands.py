"""What the answers about open hands of games of three or four hands have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from analysis.present.answers import Answer
from games.cards import TRUMPS, card_texts
from games.written import CardId, Mask, SuitId
from solver.double_dummy.printed import Lead


@dataclass(frozen=True)
class SolvedHands(Answer, table="leads"):
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
    def others(self) -> int:
        """Tricks of the other side."""
        return next(iter(self.hands.values())).bit_count() - self.tricks

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab solve --json`, as far as every game has it."""
        return {
            "game": self.game,
            "trump": TRUMPS[self.trump],
            "lead": self.lead,
            "tricks": dict(zip(self.sides, (self.tricks, self.others), strict=True)),
            "leads": [lead.to_json() for lead in self.leads],
            "line": card_texts(self.line),
        }
