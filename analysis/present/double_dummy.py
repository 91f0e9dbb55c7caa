"""Solved open hands of any game, as people see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from towerlab.analysis import present
from towerlab.games.cards import NO_TRUMP
from towerlab.solver.double_dummy.printed import Lead


def open_hands_report(
    hands: Mapping[str, int],
    trump: int,
    leads: Sequence[Lead],
    line: Sequence[int],
    headline: str,
    *,
    bowers: bool,
    more: Sequence[RenderableType] = (),
    table: Table | None = None,
) -> Group:
    """The hands, who takes how much, every lead, one best line, and what a game adds.

    Args:
        hands: printed masks by seat.
        trump, bowers: the order in which cards are shown.
        leads, line: of the answer.
        headline: who takes how much, after the trumps and who leads.
        more: lines below the headline.
        table: stands below the line.
    """
    said, exact = Group(Text(headline, style="bold"), *more), "exact: both sides see all cards (double-dummy)"
    drawn = _hands(hands, trump, bowers), said, _leads(leads), _line(line, len(hands))
    return present.spaced(*drawn, table, Text(exact, style="dim"))


def trumps_and_lead(trump: int, lead: str) -> str:
    """How every headline begins: ``"♠ trumps, W leads"``."""
    return f"{'no trump' if trump == NO_TRUMP else f'{present.suit(trump)} trumps'}, {lead} leads"


def _hands(hands: Mapping[str, int], trump: int, bowers: bool) -> Table:
    grid = Table.grid(padding=(0, 2))
    for seat, hand in hands.items():
        grid.add_row(Text(seat), present.cards(hand, trump, bowers))
    return grid


def _leads(leads: Sequence[Lead]) -> Table:
    table = present.table("lead", "tricks of the leader's side")
    for lead in leads:
        name = present.card(lead.card)
        if lead.named is not None:
            name = Text.assemble(name, " naming ", present.suit(lead.named))
        table.add_row(name, str(lead.tricks))
    return table


def _line(line: Sequence[int], size: int) -> Text:
    """The line, a bar between tricks."""
    tricks = [line[start : start + size] for start in range(0, len(line), size)]
    shown = [Text(" ").join(present.card(card) for card in trick) for trick in tricks]
    return Text.assemble("a best line: ", Text(" | ").join(shown))
