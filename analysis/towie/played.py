"""What did each card of a played bridge deal cost? Every card, the opening lead and a claim, double-dummy, in tricks.

A card costs as many tricks as its side can take before it with best play by all, and no longer can after it. Dummy's
cards are declarer's. A side that concedes a trick it could still take loses it; so does a side that grants too large a
claim.

    towerlab review match.pbn
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from towerlab.analysis.batches import answer_rows, check_out
from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.questions import QuestionRow, read_boards, write_answers
from towerlab.analysis.question_rows import BatchQuestion, Row, answer_each
from towerlab.games.bits import lowest_index
from towerlab.games.cards import card_text, parse_card, parse_trump, to_play_order, to_printed, trump_field
from towerlab.games.errors import TowerlabError
from towerlab.games.pbn import COMPASS_SEATS, BridgeBoard, parse_deal, seat_after
from towerlab.games.untrusted import formats, suffix_of
from towerlab.solver.double_dummy import Position, shared_solver
from towerlab.solver.double_dummy.position import legal_moves, play_card

CLAIM: Final = "claim"
PASSED: Final = "Pass"
_NAMED_ERRORS: Final = 5


@dataclass(frozen=True)
class PlayReview(
    Answer, game="towie", method="double-dummy", shown_by="towerlab.analysis.towie.present:play_report", table="plays",
    keys="boards plays players errors?",
):  # fmt: skip
    """The costs of the cards of played deals.

    Attributes:
        boards: how many were read.
        plays: a row a card or claim: ``board``, ``table`` (1, then 2 of the same board), ``contract``, ``declarer``,
            ``trick``, ``seat`` (of the hand), ``player`` (of the hand, or declarer for dummy: a name, else a seat),
            ``card``, ``cost`` in tricks, ``tricks`` that declarer then takes.
        players: a row a player, the costliest first: ``player``, ``boards``, ``cards``, ``costly`` (cards that cost
            tricks), ``cost`` in tricks, ``leads`` and ``lead_cost`` of the opening leads among them.
        errors: the error of a board, by its number, of a second table by ``1, table 2``.
    """

    boards: int
    plays: tuple[Mapping[str, Any], ...]
    players: tuple[Mapping[str, Any], ...]
    errors: Mapping[str, str] | None

    @property
    def unanswered(self) -> str:
        """Return which boards could not be reviewed, in a line; the command then ends with status 2."""
        if not self.errors:
            return ""
        return f"{len(self.errors)} of {number_of(self.boards, 'board')} not reviewed: {_listed(self.errors)}"


def _listed(errors: Mapping[str, str]) -> str:
    named = "; ".join(f"board {name}: {problem}" for name, problem in [*errors.items()][:_NAMED_ERRORS])
    return named + "; …" * (len(errors) > _NAMED_ERRORS)


def review_boards(
    path: str | Path, out: str | Path | None = None, *, jobs: int | None = None, quiet: bool = True
) -> PlayReview:
    """Return the grades of the play of every board in a PBN or LIN file.

    Args:
        path: the file.
        out: a file for the rows of plays, by its suffix.
        jobs: worker processes; None for all cores.
        quiet: no progress on stderr.

    Raises:
        TowerlabError: no file of boards, or none with play that can be read; why one cannot is in `PlayReview.errors`.
    """
    source = Path(path)
    target = None if out is None else Path(out)
    check_out(target, source, BATCH)
    if target is not None and suffix_of(target) == ".pbn":
        raise TowerlabError(f"{target} cannot hold the cost of cards; expected {formats(of_deals=False, written=True)}")
    boards = read_boards(source)
    answers = answer_rows(BATCH, [_question(board) for board in boards], {}, jobs=jobs, quiet=quiet).rows
    plays: list[dict[str, Any]] = []
    errors = dict[str, str]()
    tables = Counter[str]()
    for place, (board, answer) in enumerate(zip(boards, answers, strict=True), 1):
        number = board.number or str(place)
        tables[number] += 1
        table = tables[number]
        if problem := answer.get("error") or answer.get("problem"):
            errors[name_table(number, table)] = problem
        about = {"board": number, "table": table, "contract": board.contract, "declarer": board.declarer}
        for row in answer.get("costs") or ():
            chooser = board.declarer if row["seat"] == seat_after(board.declarer, 2) else row["seat"]
            names = {"seat": row["seat"], "player": board.players[COMPASS_SEATS.index(chooser)] or chooser}
            plays.append({**about, "trick": row["trick"], **names, **row})
    if len(errors) == len(boards):
        raise TowerlabError(f"{source}: no board can be reviewed: {_listed(errors)}; expected boards with their play")
    if not errors and not any(board.play or board.contract == PASSED for board in boards):
        raise TowerlabError(f"{source} holds no play; expected boards with their contract and the cards played")
    if target is not None:
        write_answers(plays, target)
    return PlayReview(len(boards), tuple(plays), tuple(_players(plays)), errors or None)


def name_table(board: str, table: int) -> str:
    """Return a board's number, with the table after the first."""
    return board if table == 1 else f"{board}, table {table}"


def _question(board: BridgeBoard) -> QuestionRow:
    cells = {"deal": board.deal, "contract": board.contract, "declarer": board.declarer}
    cells["play"] = " / ".join(" ".join(trick) for trick in board.play)
    cells["tricks"] = str(board.tricks) if board.claimed and board.tricks is not None else ""
    problem = board.problem and f"line {board.line}: {board.problem}"
    if problem is None and board.play and not (board.contract and board.declarer):
        unknown = f"line {board.line}: no contract of the cards played; expected a Contract and a Declarer"
        problem = "; ".join(board.left_out) or unknown
    return QuestionRow(1, board.line, {name: cell for name, cell in cells.items() if cell}, problem)


def grade_play(deal: str, contract: str = "", declarer: str = "", play: str = "", tricks: int | None = None) -> Row:
    """Return the costs of the cards of a deal: rows under ``costs``, and the ``problem`` at which they end, or None.

    Args:
        deal: the deal in PBN.
        contract, declarer: the same as in `games.pbn.BridgeBoard`.
        play: the suit and rank of each card, tricks separated by ``/``, the cards of a trick in any order.
        tricks: how many declarer took, if the last were claimed; None charges nobody with what was not played.

    Raises:
        TowerlabError: no deal.
    """
    hands = parse_deal(deal)
    costs: list[dict[str, Any]] = []
    if not declarer or contract in ("", PASSED) or not play:
        return {"costs": costs, "problem": None}
    suit = parse_trump(contract[1:].rstrip("X"))
    position = Position(
        tuple(int(to_play_order(hand, suit, False)) for hand in hands),
        int(trump_field(suit)),
        COMPASS_SEATS.index(seat_after(declarer)),
    )
    solver = shared_solver()
    side = COMPASS_SEATS.index(declarer) % 2
    size = hands[0].bit_count()
    taken = 0
    value = solver.tricks(position)  # of North and South, from here
    try:
        for number, words in enumerate(play.split("/"), 1):
            for card in _in_order(
                position, [int(to_play_order(1 << parse_card(w), suit, False)) for w in words.split()]
            ):
                seat = (position.leader + len(position.trick)) % 4
                if (card, 0) not in legal_moves(position):
                    name = card_text(int(lowest_index(int(to_printed(card, suit, False)))))
                    raise TowerlabError(
                        f"trick {number}: {COMPASS_SEATS[seat]} plays {name}; expected a card of the suit led"
                    )
                after, won = play_card(position, card)
                left = solver.tricks(after, max(value - won, 0)) if any(after.hands) else 0
                cost = (value - won - left) * (1 if seat % 2 == 0 else -1)
                taken, value, position = taken + won, left, after
                final = taken + left if side == 0 else size - taken - left
                text = card_text(int(lowest_index(int(to_printed(card, suit, False)))))
                costs.append(
                    {"trick": number, "seat": COMPASS_SEATS[seat], "card": text, "cost": cost, "tricks": final}
                )
            if position.trick:  # the rest of it is not known
                tricks = tricks if number == play.count("/") + 1 else None
                break
        if tricks is not None and not 0 <= tricks <= size:
            raise TowerlabError(f"declarer took {tricks} tricks; expected 0 to {size}")
    except TowerlabError as error:
        return {"costs": costs, "problem": str(error)}
    if tricks is not None and any(position.hands) and costs and tricks != costs[-1]["tricks"]:
        lost = costs[-1]["tricks"] - tricks
        seat = COMPASS_SEATS.index(declarer) + (lost < 0)
        costs.append(
            {"trick": number, "seat": COMPASS_SEATS[seat % 4], "card": CLAIM, "cost": abs(lost), "tricks": tricks}
        )
    return {"costs": costs, "problem": None}


def _in_order(position: Position, cards: Sequence[int]) -> Iterable[int]:
    """Return the cards of a trick from its leader on, up to the first unknown one.

    Raises:
        TowerlabError: a card that no hand holds, or two cards of a hand.
    """
    by_seat: dict[int, int] = {}
    for card in cards:
        seat = next((seat for seat, hand in enumerate(position.hands) if hand & card), None)
        if seat is None or seat in by_seat:
            raise TowerlabError("a trick has a card that is in no hand, or two of one; expected a card of each hand")
        by_seat[seat] = card
    order = ((position.leader + step) % 4 for step in range(4))
    return [by_seat[seat] for seat in itertools.takewhile(by_seat.__contains__, order)]


def _players(plays: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row a player, the costliest first."""
    rows = []
    for player in dict.fromkeys(row["player"] for row in plays):
        own = [row for row in plays if row["player"] == player]
        cards = [row for row in own if row["card"] != CLAIM]
        leads = [row for row in cards if row["trick"] == 1 and row["seat"] == seat_after(row["declarer"])]
        costs = [row["cost"] for row in own]
        lead_costs = [row["cost"] for row in leads]
        rows.append({
            "player": player, "boards": len({(row["board"], row["table"]) for row in own}), "cards": len(cards),
            "costly": sum(cost > 0 for cost in costs), "cost": sum(costs), "leads": len(leads),
            "lead_cost": sum(lead_costs),
        })  # fmt: skip
    return sorted(rows, key=lambda row: -row["cost"])


BATCH: Final = BatchQuestion("towie", grade_play, answer_each(lambda arguments, _: grade_play(**arguments)), rows=2)
