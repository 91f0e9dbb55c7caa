"""How many tricks does best play make of a bridge deal with open cards? And one line of it.

>>> from towerlab.analysis.towie.open_hands import solve_open_hands
>>> solve_open_hands("N:A2... KQ... 3.2.. 4.3..", trump="NT", lead="N").tricks
1
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.open_hands import SolvedHands, hands_row, with_trick
from towerlab.analysis.question_rows import Arguments, BatchQuestion, Row, answer_each
from towerlab.analysis.towie.par import Par, find_par, read_vulnerability
from towerlab.games.cards import TRUMPS, parse_trump, to_play_order, trump_field
from towerlab.games.errors import TowerlabError
from towerlab.games.pbn import COMPASS_SEATS, UNKNOWN, VULNERABLE, parse_deal, parse_hands
from towerlab.solver.double_dummy import Position, shared_solver, trick_table
from towerlab.solver.double_dummy.position import MOST_CARDS

Hands = tuple[int, int, int, int]
Table = Mapping[tuple[str, int], int]
STRAINS: Final = range(len(TRUMPS))[::-1]  # no trump first


@dataclass(frozen=True)
class OpenHands(
    SolvedHands,
    shown_by="towerlab.analysis.towie.present:hands_report",
    keys="trump lead trick? tricks=by_side leads line table=by_seat? par?",
):
    """Best play of a deal, or of an ending, North and South against East and West.

    Attributes:
        table: the tricks by declarer and trump, or None.
        par: the par, where `table` is that of a whole deal; else None.
    """

    game = "towie"
    sides = ("NS", "EW")
    bowers = False

    table: Table | None = None
    par: Par | None = None

    @property
    def by_seat(self) -> Mapping[str, Mapping[str, int]] | None:
        """The table by seat, no trump first."""
        return None if self.table is None else by_seat(self.table)

    def to_row(self) -> dict[str, Any]:
        return deal_row(self.cards, self.tricks, self.table, self.par)


@dataclass(frozen=True)
class DealTable(
    Answer,
    game="towie",
    method="double-dummy",
    shown_by="towerlab.analysis.towie.present:table_report",
    table="table",
    keys="table=by_seat par?",
):
    """The tricks of every declarer in every trump.

    Attributes:
        hands: printed masks of N, E, S, W.
        table: the tricks by declarer and trump.
        par: the par of a whole deal, or None.
    """

    hands: Hands
    table: Table
    par: Par | None

    @property
    def cards(self) -> int:
        """Number of cards in each hand."""
        return self.hands[0].bit_count()

    @property
    def by_seat(self) -> Mapping[str, Mapping[str, int]]:
        """The table by seat, no trump first."""
        return by_seat(self.table)


def by_seat(table: Table) -> Mapping[str, Mapping[str, int]]:
    """Return a table by the declarer's seat, then by trump, no trump first."""
    return {seat: {TRUMPS[trump]: table[seat, trump] for trump in STRAINS} for seat in COMPASS_SEATS}


def solve_open_hands(deal: str, **question: Any) -> OpenHands | DealTable:
    """Return best play of a bridge deal, or of an ending, North and South against East and West.

    Args:
        deal, question: the arguments of `read_row`.

    Raises:
        TowerlabError: as `read_row`.
    """
    hands, position, vulnerable = read_row(deal, **question)
    results, par = (None, None) if vulnerable is None else solve_table(hands, vulnerable)
    if position is None:
        assert results is not None
        return DealTable(hands, results, par)
    answer = OpenHands.of(position, dict(zip(COMPASS_SEATS, hands, strict=True)), parse_trump(question["trump"]))
    return replace(answer, table=results, par=par)


def _read_deal(deal: str, trick: str, table: bool) -> Hands:
    if trick and table:
        raise TowerlabError("a table is of the start of a trick; expected no trick under way with it")
    return parse_hands(deal) if trick else parse_deal(deal)


def read_position(hands: Hands, trump: str, lead: str, trick: str = "") -> Position:
    """Return the position to solve.

    Raises:
        TowerlabError: a trump or seat that cannot be.
    """
    suit = parse_trump(trump)
    seat = lead.strip().upper()
    if seat not in tuple(COMPASS_SEATS):
        raise TowerlabError(f"lead {seat!r} is not a seat; expected one of {', '.join(COMPASS_SEATS)}")
    masks = tuple(int(to_play_order(hand, suit, False)) for hand in hands)
    return with_trick(Position(masks, int(trump_field(suit)), leader=COMPASS_SEATS.index(seat)), trick, suit, False)


def solve_table(hands: Hands, vulnerable: str) -> tuple[Table, Par | None]:
    """Return tricks by declarer and trump, and par of a whole deal whose vulnerability is known."""
    results = {(COMPASS_SEATS[declarer], trump): tricks for (declarer, trump), tricks in trick_table(hands).items()}
    has_par = hands[0].bit_count() == MOST_CARDS and vulnerable != UNKNOWN
    return results, find_par(results, vulnerable) if has_par else None


def deal_row(size: int, tricks: int | None, table: Table | None, par: Par | None) -> dict[str, Any]:
    """Return the row of a table of answers: tricks of both sides, of every declarer (``N_NT`` to ``W_C``), and par."""
    sides = {} if tricks is None else hands_row({"NS": tricks, "EW": size - tricks})
    by_declarer = {
        f"{seat}_{TRUMPS[trump]}": table[seat, trump]
        for seat in COMPASS_SEATS
        for trump in STRAINS
        if table is not None
    }
    best = {} if par is None else {"par_NS": par.score, "par": "; ".join(map(str, par.contracts)) or "all pass"}
    return sides | by_declarer | best


def read_row(
    deal: str,
    trump: str | None = None,
    lead: str | None = None,
    trick: str = "",
    table: bool = False,
    vul: str | None = None,
) -> tuple[Hands, Position | None, str | None]:
    """Return the hands, the position, and the vulnerability for a `table`, which needs no trump and no lead.

    Args:
        deal: the deal in PBN (games/pbn.py).
        trump: S, H, D, C or NT.
        lead: N, E, S or W: the leader of the next trick, or of the one under way.
        trick: the cards of the trick in order of play, which no hand holds any more.
        table: whether to add the tricks of every declarer in every trump, and par; without trump and lead alone.
        vul: the vulnerable sides, for par: none, ns, ew or all; None for none.

    Raises:
        TowerlabError: a deal, trump, seat or vulnerability that cannot be, or no trump and no lead without a table.
    """
    for name, value in (("trump", trump), ("lead", lead)):
        if value is None and not table:
            raise TowerlabError(f"no {name} is given; expected --{name}, a column of that name, or --table alone")
    hands = _read_deal(deal, trick, table)
    position = None if trump is None or lead is None else read_position(hands, trump, lead, trick)
    return hands, position, read_vulnerability(vul or "") if table else None


def _answer(arguments: Arguments, _: Any) -> Row:
    hands, position, vul = read_row(**arguments)
    tricks = None if position is None else shared_solver().tricks(position)
    size = max(hand.bit_count() for hand in hands)
    results, par = (None, None) if vul is None else solve_table(hands, vul)
    row = deal_row(size, tricks, results, par)
    return row if par is None else row | {"vul": next(word for word in VULNERABLE if word.lower() == vul)}


BATCH: Final = BatchQuestion("towie", read_row, answer_each(_answer), rows=100)
