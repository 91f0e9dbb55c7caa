"""Solved open hands of any game, as people see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from towerlab.analysis import present
from towerlab.games.cards import NO_TRUMP
from towerlab.games.written import named_card, play_symbol
from towerlab.solver.double_dummy.printed import Lead


def open_hands_report(
    hands: Mapping[str, int],
    trump: int,
    leads: Sequence[Lead],
    line: Sequence[int],
    headline: str,
    *,
    trick: Sequence[int] = (),
    bowers: bool,
    more: Sequence[RenderableType] = (),
    table: Table | None = None,
) -> Group:
    """Return the hands, the tricks, every lead, a best line, and further parts of a game.

    Args:
        hands: printed masks by seat.
        trump, bowers: the order in which cards are shown.
        leads, line: of the answer.
        headline: trumps, leader and the tricks of each side.
        trick: under way, of the answer.
        more: lines below the headline.
        table: printed below the line.
    """
    said, exact = Group(Text(headline, style="bold"), *more), "exact: both sides see all cards (double-dummy)"
    drawn = (
        _hands(hands, trump, bowers),
        said,
        _leads(leads, bool(trick)),
        _line([*trick, *line], len(hands), len(trick)),
    )
    return present.spaced(*drawn, table, Text(exact, style="dim"))


def trumps_and_lead(trump: int, lead: str, trick: Sequence[int] = ()) -> str:
    """How every headline begins: ``"♠ trumps, W leads"``, or has led the trick under way."""
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


def _line(line: Sequence[int], size: int, done: int) -> Text:
    """Return the line with a bar between tricks, after `done` cards of the first one."""
    tricks = [line[start : start + size] for start in range(0, len(line), size)]
    shown = [Text(" ").join(present.card(card) for card in trick) for trick in tricks]
    opening = "a best line from the trick under way on: " if done else "a best line: "
    return Text.assemble(opening, Text(" | ").join(shown))
