"""Solved open hands of any game, as people see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from towerlab.analysis import present
from towerlab.games.cards import NO_TRUMP, to_play_order, trump_field
from towerlab.games.tricks import beats
from towerlab.games.written import bare_card, named_card, play_symbol
from towerlab.solver.double_dummy.printed import Lead

EXACT: Final = "exact: both sides see all cards (double-dummy)"


class OpenHandsAnswer(Protocol):
    """The attributes that the answers of all games for open hands share.

    Attributes:
        hands: printed masks by seat.
        trump: `NO_TRUMP` for none.
        lead: the seat that leads, or has led the trick under way.
        trick: under way, cards of `games.cards`.
        leads: every card that can be played next.
        line: a best line from there on.
    """

    @property
    def hands(self) -> Mapping[str, int]: ...
    @property
    def trump(self) -> int: ...
    @property
    def lead(self) -> str: ...
    @property
    def trick(self) -> Sequence[int]: ...
    @property
    def leads(self) -> Sequence[Lead]: ...
    @property
    def line(self) -> Sequence[int]: ...


def open_hands_report(
    answer: OpenHandsAnswer,
    tricks: str,
    *,
    bowers: bool,
    more: Sequence[RenderableType] = (),
    table: Table | None = None,
) -> Group:
    """Return the hands, the tricks, every lead, a best line, and further parts of a game.

    Args:
        tricks: of each side; the headline goes on with it.
        bowers: the order in which cards are shown.
        more: lines below the headline.
        table: printed below the line.
    """
    said = Group(Text(_trumps_and_lead(answer.trump, answer.lead, answer.trick) + tricks, style="bold"), *more)
    drawn = (
        _hands(answer.hands, answer.trump, bowers),
        said,
        _leads(answer.leads, bool(answer.trick)),
        _line([*answer.trick, *answer.line], list(answer.hands), answer.lead, answer.trump, bowers, len(answer.trick)),
    )
    return present.spaced(*drawn, table, Text(EXACT, style="dim"))


def _trumps_and_lead(trump: int, lead: str, trick: Sequence[int] = ()) -> str:
    """Return how every headline begins: ``"♠ trumps, W leads"``, or has led the trick under way."""
    led = f"{lead} has led {' '.join(map(play_symbol, trick))}" if trick else f"{lead} leads"
    return f"{'no trump' if trump == NO_TRUMP else f'{present.suit(trump)} trumps'}, {led}"


def _hands(hands: Mapping[str, int], trump: int, bowers: bool) -> Table:
    grid = Table.grid(padding=(0, 2))
    for seat, hand in hands.items():
        grid.add_row(Text(seat), present.cards(hand, trump, bowers))
    return grid


def _leads(leads: Sequence[Lead], follows: bool) -> Table:
    table = present.table(*(("card", "tricks of its side") if follows else ("lead", "tricks of the leader's side")))
    for lead in leads:
        table.add_row(present.card(named_card(lead.card, lead.named)), str(lead.tricks))
    return table


def _line(line: Sequence[int], seats: Sequence[str], lead: str, trump: int, bowers: bool, done: int) -> Table:
    """The line, a row a trick: every card with its seat, and the winner; so many cards have been played."""
    table = present.table("trick", "a best line" + " from the trick under way on" * bool(done), "won by", texts=3)
    leader, field = seats.index(lead), int(trump_field(trump))
    for number, start in enumerate(range(0, len(line), len(seats)), 1):
        cards = line[start : start + len(seats)]
        order = [seats[(leader + step) % len(seats)] for step in range(len(cards))]
        best, won = 0, 0
        for place, card in enumerate(cards):
            mask = int(to_play_order(1 << bare_card(card), trump, bowers))
            if not place or beats(mask, best, field):
                best, won = mask, place
        said = Text("  ").join(
            Text.assemble(f"{seat} ", present.card(card)) for seat, card in zip(order, cards, strict=True)
        )
        table.add_row(str(number), said, order[won] if len(cards) == len(seats) else "")
        leader = (leader + won) % len(seats)
    return table
