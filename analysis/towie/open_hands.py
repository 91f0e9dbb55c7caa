"""A bridge deal with all cards seen: who takes how many tricks, and how.

>>> from analysis.towie.open_hands import solve_open_hands
>>> solve_open_hands("N:A2... KQ... 3.2.. 4.3..", trump="NT", lead="N").tricks
1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.present.answers import Answer
from analysis.towie.par import Par, find_par
from games.cards import TRUMPS, card_texts, parse_trump, to_play_order, trump_field
from games.errors import TowerlabError
from games.pbn import SEATS, parse_deal
from games.written import CardId, Mask, SuitId
from solver.double_dummy import DoubleDummy, Position, trick_table
from solver.double_dummy.position import MOST_CARDS
from solver.double_dummy.printed import Lead, printed_cards, printed_leads


@dataclass(frozen=True)
class OpenHands(Answer, shown_by="analysis.towie.present:hands_report", table="leads"):
    """Best play of a deal, or of an ending, North and South against East and West.

    Attributes:
        trump: 0..4 for C D H S NT.
        hands: printed masks by seat.
        lead: who leads.
        tricks: of North and South.
        leads: every card the leader may lead, best first.
        line: one best line, printed cards in order of play.
        table: tricks by declarer and trump, or None.
        par: of a whole deal whose table was asked for, or None.
    """

    trump: SuitId
    hands: Mapping[str, Mask]
    lead: str
    tricks: int
    leads: tuple[Lead, ...]
    line: tuple[CardId, ...]
    table: Mapping[tuple[str, int], int] | None = None
    par: Par | None = None

    @property
    def others(self) -> int:
        """Tricks of East and West."""
        return self.hands["N"].bit_count() - self.tricks

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab solve towie --json`."""
        answer: dict[str, Any] = {
            "game": "towie",
            "trump": TRUMPS[self.trump],
            "lead": self.lead,
            "tricks": {"NS": self.tricks, "EW": self.others},
            "leads": [lead.to_json() for lead in self.leads],
            "line": card_texts(self.line),
        }
        if self.table is not None:
            order = ("NT", "S", "H", "D", "C")
            answer["table"] = {seat: {t: self.table[seat, TRUMPS.index(t)] for t in order} for seat in SEATS}
        if self.par is not None:
            answer["par"] = self.par.to_json()
        return answer


def solve_open_hands(deal: str, *, trump: str, lead: str, table: bool = False, vulnerable: str = "none") -> OpenHands:
    """Best play of a bridge deal, or of an ending, North and South against East and West.

    Args:
        deal: in PBN (games/pbn.py).
        trump: S, H, D, C or NT.
        lead: N, E, S or W.
        table: also the tricks of every declarer in every trump, and par of a whole deal.
        vulnerable: none, ns, ew or all; counts for par.

    Raises:
        TowerlabError: a deal, trump or seat that cannot be.
    """
    hands = parse_deal(deal)
    suit = parse_trump(trump)
    seat = lead.strip().upper()
    if seat not in tuple(SEATS):
        raise TowerlabError(f"{seat!r} is not a seat; expected one of {', '.join(SEATS)}")
    leader = SEATS.index(seat)
    masks = tuple(int(to_play_order(hand, suit, False)) for hand in hands)
    solver = DoubleDummy()
    solved = solver.solve(Position(masks, int(trump_field(suit)), leader=leader))
    results = {(SEATS[declarer], t): n for (declarer, t), n in trick_table(hands, solver).items()} if table else None
    return OpenHands(
        suit,
        dict(zip(SEATS, hands, strict=True)),
        seat,
        solved.tricks,
        printed_leads(solved.cards, suit, False, mine=leader % 2 == 0, size=hands[0].bit_count()),
        printed_cards(solved.line, suit, False),
        results,
        find_par(results, vulnerable) if results and hands[0].bit_count() == MOST_CARDS else None,
    )
