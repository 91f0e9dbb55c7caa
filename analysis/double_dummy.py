"""Double-dummy questions: what a deal is worth when all cards are seen (`towerlab solve bowers`, `solve towie`).

>>> from analysis.double_dummy import solve_bowers
>>> solve_bowers("JC AC", "KC 7H", "AH KH", trump="C", lead="declarer").tricks
2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from games.bits import lowest_index
from games.bowers import ANY_PACK, HAND_SIZE
from games.cards import (
    SUITS,
    TRUMPS,
    card_text,
    card_texts,
    parse_mask,
    parse_trump,
    to_play_order,
    to_printed,
    trump_field,
)
from games.errors import CardError, TowerlabError
from games.pbn import SEATS, parse_deal
from solver.double_dummy import PLAIN_FIELDS, CardValue, DoubleDummy, Position, trick_table

BOWERS_SEATS: Final = ("declarer", "left", "right")


@dataclass(frozen=True)
class Lead:
    """A card that may be led and the tricks its side then takes; `named` is the suit a joker names, else None."""

    card: int
    named: int | None
    tricks: int


@dataclass(frozen=True)
class Answer:
    """Best play of a deal.

    Attributes:
        game: its name on the command line.
        trump: 0..4 for C D H S NT.
        hands: printed masks by the name of the seat.
        lead: who leads.
        tricks: of the declarer, or of North and South.
        others: of the defenders, or of East and West.
        leads: every card the leader may lead, best first.
        line: one best line, printed cards in order of play.
        misere: whether the declarer plays to lose.
        at_least: the number asked for and whether the declarer takes as many, or None.
        table: tricks by declarer and trump of a bridge deal, or None.
    """

    game: str
    trump: int
    hands: Mapping[str, int]
    lead: str
    tricks: int
    others: int
    leads: tuple[Lead, ...]
    line: tuple[int, ...]
    misere: bool = False
    at_least: tuple[int, bool] | None = None
    table: Mapping[tuple[str, int], int] | None = None

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        sides = ("NS", "EW") if self.game == "towie" else ("declarer", "defenders")
        answer: dict[str, Any] = {
            "game": self.game,
            "trump": TRUMPS[self.trump],
            "lead": self.lead,
            "tricks": dict(zip(sides, (self.tricks, self.others), strict=True)),
            "leads": [_lead_json(lead) for lead in self.leads],
            "line": card_texts(self.line),
        }
        if self.game == "bowers":
            answer["misere"] = self.misere
        if self.at_least is not None:
            answer["at_least"] = {"tricks": self.at_least[0], "made": self.at_least[1]}
        if self.table is not None:
            order = ("NT", "S", "H", "D", "C")
            answer["table"] = {seat: {t: self.table[seat, TRUMPS.index(t)] for t in order} for seat in SEATS}
        return answer


def solve_bowers(
    declarer: str,
    left: str,
    right: str,
    *,
    trump: str,
    lead: str = "declarer",
    misere: bool = False,
    at_least: int | None = None,
) -> Answer:
    """Best play of three open hands of Bowers; the joker X1 may be among the cards.

    Args:
        declarer, left, right: cards, as many in each.
        trump: S, H, D, C or NT.
        lead: ``"declarer"``, ``"left"`` or ``"right"``.
        misere: the declarer wants as few tricks as possible.
        at_least: also ask whether the declarer takes so many.

    Raises:
        TowerlabError: cards, trump or seat that cannot be; hands of different sizes.
    """
    if misere and at_least is not None:
        raise TowerlabError("--at-least asks for tricks, --misere for none; expected one of them")
    suit = parse_trump(trump)
    texts = dict(zip(BOWERS_SEATS, (declarer, left, right), strict=True))
    hands = {seat: parse_mask(text, ANY_PACK, f"{seat}'s hand") for seat, text in texts.items()}
    _check_hands(hands)
    leader = _seat(lead, BOWERS_SEATS)
    if at_least is not None and not 0 <= at_least <= hands["declarer"].bit_count():
        raise TowerlabError(f"--at-least {at_least}; expected 0 to {hands['declarer'].bit_count()} tricks")
    masks = tuple(int(to_play_order(hand, suit, True)) for hand in hands.values())
    position = Position(masks, int(trump_field(suit)), leader=leader, fewest=misere)
    solved = DoubleDummy().solve(position)
    size = hands["declarer"].bit_count()
    return Answer(
        "bowers",
        suit,
        hands,
        lead,
        solved.tricks,
        size - solved.tricks,
        _leads(solved.cards, suit, True, mine=leader == 0, size=size, fewest=misere),
        _printed(solved.line, suit, True),
        misere,
        None if at_least is None else (at_least, solved.tricks >= at_least),
    )


def solve_towie(deal: str, *, trump: str, lead: str, table: bool = False) -> Answer:
    """Best play of a bridge deal, or of an ending, North and South against East and West.

    Args:
        deal: in PBN (games/pbn.py).
        trump: S, H, D, C or NT.
        lead: N, E, S or W.
        table: also the tricks of every declarer in every trump.

    Raises:
        TowerlabError: a deal, trump or seat that cannot be.
    """
    hands = parse_deal(deal)
    suit = parse_trump(trump)
    seat = lead.strip().upper()
    leader = _seat(seat, tuple(SEATS))
    masks = tuple(int(to_play_order(hand, suit, False)) for hand in hands)
    solver = DoubleDummy()
    solved = solver.solve(Position(masks, int(trump_field(suit)), leader=leader))
    size = hands[0].bit_count()
    results = {(SEATS[declarer], t): n for (declarer, t), n in trick_table(hands, solver).items()} if table else None
    return Answer(
        "towie",
        suit,
        dict(zip(SEATS, hands, strict=True)),
        seat,
        solved.tricks,
        size - solved.tricks,
        _leads(solved.cards, suit, False, mine=leader % 2 == 0, size=size),
        _printed(solved.line, suit, False),
        table=results,
    )


def warm_up() -> None:
    """Compile the solver's kernels."""
    solve_bowers("JC AC", "KC 7H", "AH KH", trump="C")


def _check_hands(hands: Mapping[str, int]) -> None:
    sizes = {seat: hand.bit_count() for seat, hand in hands.items()}
    if len(set(sizes.values())) != 1 or not 1 <= sizes["declarer"] <= HAND_SIZE:
        counts = ", ".join(f"{seat} {size}" for seat, size in sizes.items())
        raise CardError(f"hands of {counts} cards; expected the same number, 1 to {HAND_SIZE}, in each")
    for one, other in (("declarer", "left"), ("declarer", "right"), ("left", "right")):
        common = hands[one] & hands[other]
        if common:
            card = card_text(int(lowest_index(common)))
            raise CardError(f"{card} stands in {one}'s and in {other}'s hand; expected every card once")


def _seat(name: str, seats: tuple[str, ...]) -> int:
    if name not in seats:
        raise TowerlabError(f"{name!r} is not a seat; expected one of {', '.join(seats)}")
    return seats.index(name)


def _leads(
    cards: tuple[CardValue, ...], trump: int, bowers: bool, *, mine: bool, size: int, fewest: bool = False
) -> tuple[Lead, ...]:
    """Tricks of the leader's side for each lead, best first; `mine` when the leader is on the declarer's side."""
    leads = []
    for value in cards:
        (card,) = _printed((value.card,), trump, bowers)
        named = PLAIN_FIELDS.index(value.named) if value.named else None
        leads.append(Lead(card, named, value.tricks if mine else size - value.tricks))
    # At misère both sides want few: who takes a trick spares the other one.
    return tuple(sorted(leads, key=lambda lead: lead.tricks if fewest else -lead.tricks))


def _printed(cards: tuple[int, ...], trump: int, bowers: bool) -> tuple[int, ...]:
    return tuple(int(lowest_index(int(to_printed(card, trump, bowers)))) for card in cards)


def _lead_json(lead: Lead) -> dict[str, Any]:
    entry = {"card": card_text(lead.card), "tricks": lead.tricks}
    return entry if lead.named is None else entry | {"names": SUITS[lead.named]}
