"""A bridge deal with all cards seen: who takes how many tricks, and how.

>>> from analysis.towie.open_hands import solve_open_hands
>>> solve_open_hands("N:A2... KQ... 3.2.. 4.3..", trump="NT", lead="N").tricks
1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.present.open_hands import SolvedHands
from analysis.towie.par import Par, find_par
from games.cards import TRUMPS, parse_trump, to_play_order, trump_field
from games.errors import TowerlabError
from games.pbn import SEATS, parse_deal
from solver.double_dummy import DoubleDummy, Position, trick_table
from solver.double_dummy.position import MOST_CARDS
from solver.double_dummy.printed import printed_cards, printed_leads


@dataclass(frozen=True)
class OpenHands(
    SolvedHands,
    shown_by="analysis.towie.present:hands_report",
    keys="trump lead tricks=by_side leads line table=by_seat? par?",
):
    """Best play of a deal, or of an ending, North and South against East and West.

    Attributes:
        table: tricks by declarer and trump, or None.
        par: of a whole deal whose table was asked for, or None.
    """

    game, sides = "towie", ("NS", "EW")

    table: Mapping[tuple[str, int], int] | None = None
    par: Par | None = None

    @property
    def by_seat(self) -> Mapping[str, Mapping[str, int]] | None:
        """The table by seat, no trump first."""
        table, trumps = self.table, list(enumerate(TRUMPS))[::-1]
        return None if table is None else {seat: {name: table[seat, trump] for trump, name in trumps} for seat in SEATS}


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
