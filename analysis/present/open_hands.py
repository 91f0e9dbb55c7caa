"""What do answers about open hands have in common? The base of these answers in games of three or four hands, and their
text in any game.

    towerlab solve bowers --trump C --declarer "JC JS AC 9H" --left "KC QC AH KH" --right "TC 7C AD 7H"
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.present.answers import Answer
from towerlab.games.beating import tricks_of_line
from towerlab.games.cards import NO_TRUMP, NO_TRUMP_FIELD, mask_text, parse_card, parse_suit, to_play_order
from towerlab.games.errors import CardError
from towerlab.games.written import Mask, PlayId, SuitId, named_card, play_symbol
from towerlab.solver.double_dummy import PLAIN_FIELDS, Position, shared_solver
from towerlab.solver.double_dummy.solver import Lead, printed_leads, printed_plays


@dataclass(frozen=True)
class SolvedHands(Answer, method="double-dummy", table="leads", keys="trump lead trick? tricks=by_side leads line"):
    """Best play of open hands, one side against the other.

    Attributes:
        trump: 0..4 for C D H S NT.
        hands: printed masks by the name of the seat; the first, and of four the third, on the side that tricks are
            counted for.
        lead: the leader of the next trick, or of the one under way.
        trick: the plays of that trick, in order; empty before its first card.
        tricks: the tricks that this side takes, that trick included.
        leads: every card that the player to move may play, with the tricks of that player's side; the best first.
        line: the plays of one best line, in order.
    """

    game: ClassVar[str]
    sides: ClassVar[tuple[str, str]]
    bowers: ClassVar[bool]

    trump: SuitId
    hands: Mapping[str, Mask]
    lead: str
    tricks: int
    leads: tuple[Lead, ...]
    line: tuple[PlayId, ...]
    trick: tuple[PlayId, ...] = ()

    @classmethod
    def of(cls, position: Position, hands: Mapping[str, int], suit: int) -> Self:
        """Return best play of a position.

        Args:
            position: the position, at any moment of a trick.
            hands: the same as the attribute `hands`, in the order of play.
            suit: the trump, 0..4.
        """
        solver = shared_solver()
        side = (0, 2) if len(hands) == 4 else (0,)
        turn = (position.leader + len(position.trick)) % len(hands)
        leads = printed_leads(
            solver.cards(position), suit, cls.bowers, mine=turn in side, size=position.hands[turn].bit_count(),
            fewest=position.fewest,
        )  # fmt: skip
        line = printed_plays(solver.line(position), suit, cls.bowers)
        names = (position.named,) + (0,) * len(position.trick)
        trick = printed_plays(zip(position.trick, names, strict=False), suit, cls.bowers)
        return cls(suit, hands, list(hands)[position.leader], solver.tricks(position), leads, line, trick)

    @property
    def cards(self) -> int:
        """Number of cards in a hand: the most that one holds."""
        return max(hand.bit_count() for hand in self.hands.values())

    @property
    def others(self) -> int:
        """Tricks of the other side."""
        return self.cards - self.tricks

    def to_row(self) -> dict[str, Any]:
        """Return the row of a table of answers."""
        return hands_row(self.by_side)

    @property
    def by_side(self) -> Mapping[str, int]:
        return dict(zip(self.sides, (self.tricks, self.others), strict=True))


def hands_row(by_side: Mapping[str, int]) -> dict[str, Any]:
    """Return the row of a table of answers, from the tricks of each side."""
    return {f"tricks_{side}": tricks for side, tricks in by_side.items()}


def with_trick(position: Position, text: str, trump: int, bowers: bool) -> Position:
    """Return a position with the cards of a trick on the table, which its hands no longer hold.

    Args:
        position: the position at the start of the trick.
        text: the cards in order of play; a joker led at no trump names a suit: ``"X1:D 8H"``.
        trump, bowers: the play order.

    Raises:
        CardError: cards that cannot be played so; the message names them.
    """
    words = text.replace("/", " ").replace(",", " ").split()
    first, names, suit = words[0].partition(":") if words else ("", "", "")
    cards = [parse_card(word) for word in [first, *words[1:]] if word]
    trick = tuple(int(to_play_order(1 << card, trump, bowers)) for card in cards)
    if len(trick) >= len(position.hands):
        raise CardError(f"{len(trick)} cards in the trick; expected fewer than {len(position.hands)}")
    for card, mask in zip(cards, trick, strict=True):
        if sum(position.hands) & mask or trick.count(mask) > 1:
            raise CardError(f"{mask_text(1 << card)} of the trick stands twice; expected cards that no hand holds")
    joker = bool(trick and trick[0] & NO_TRUMP_FIELD) and position.names and position.trumps == NO_TRUMP_FIELD
    if joker != bool(names):
        expected = "the suit that the joker names, as X1:D" if joker else f"{first} without a suit"
        raise CardError(f"the trick {text!r} is not understood; expected {expected}")
    return replace(position, trick=trick, named=PLAIN_FIELDS[parse_suit(suit)] if names else 0)


EXACT: Final = "exact: both sides see all cards (double-dummy)"


def open_hands_report(
    answer: SolvedHands, tricks: str, *, more: Sequence[RenderableType] = (), table: Table | None = None
) -> Group:
    """Return the hands, the tricks, every lead, a best line, and further parts of a game.

    Args:
        tricks: the tricks of each side, in words; the headline goes on with it.
        more: the lines below the headline.
        table: a table that is printed below the line.
    """
    trick = answer.trick
    hands = Table.grid(padding=(0, 2))
    for seat, hand in answer.hands.items():
        hands.add_row(seat, present.cards(hand, answer.trump, answer.bowers))
    trumps = "no trump" if answer.trump == NO_TRUMP else f"{present.suit(answer.trump)} trumps"
    led = f"{answer.lead} has led {' '.join(map(play_symbol, trick))}" if trick else f"{answer.lead} leads"
    said = Group(Text(f"{trumps}, {led}{tricks}", style="bold"), *more)
    leads = present.table(*(("card", "tricks of its side") if trick else ("lead", "tricks of the leader's side")))
    for lead in answer.leads:
        leads.add_row(play_symbol(named_card(lead.card, lead.named)), str(lead.tricks))
    return present.stack_parts(hands, said, leads, _line(answer), table, Text(EXACT, style="dim"))


def _line(answer: SolvedHands) -> Table:
    """Return the line, a row a trick: every card with its seat, and the winner."""
    seats = list(answer.hands)
    line = (*answer.trick, *answer.line)
    under_way = bool(answer.trick)
    table = present.table("trick", "a best line" + " from the trick under way on" * under_way, "won by", texts=3)
    tricks = tricks_of_line(line, len(seats), seats.index(answer.lead), answer.trump, answer.bowers)
    for number, (leader, cards, taker) in enumerate(tricks, 1):
        said = (f"{seats[(leader + step) % len(seats)]} {play_symbol(card)}" for step, card in enumerate(cards))
        table.add_row(str(number), "  ".join(said), seats[taker] if len(cards) == len(seats) else "")
    return table
