"""Solved open hands of any game, as people see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.line_tricks import tricks_of_line
from towerlab.analysis.present.open_hands import SolvedHands
from towerlab.games.cards import NO_TRUMP
from towerlab.games.written import named_card, play_symbol

EXACT: Final = "exact: both sides see all cards (double-dummy)"


def open_hands_report(
    answer: SolvedHands, tricks: str, *, more: Sequence[RenderableType] = (), table: Table | None = None
) -> Group:
    """Return the hands, the tricks, every lead, a best line, and further parts of a game.

    Args:
        tricks: of each side; the headline goes on with it.
        more: lines below the headline.
        table: printed below the line.
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
    return present.spaced(hands, said, leads, _line(answer), table, Text(EXACT, style="dim"))


def _line(answer: SolvedHands) -> Table:
    """The line, a row a trick: every card with its seat, and the winner."""
    seats = list(answer.hands)
    line = (*answer.trick, *answer.line)
    under_way = bool(answer.trick)
    table = present.table("trick", "a best line" + " from the trick under way on" * under_way, "won by", texts=3)
    tricks = tricks_of_line(line, len(seats), seats.index(answer.lead), answer.trump, answer.bowers)
    for number, (leader, cards, taker) in enumerate(tricks, 1):
        said = (f"{seats[(leader + step) % len(seats)]} {play_symbol(card)}" for step, card in enumerate(cards))
        table.add_row(str(number), "  ".join(said), seats[taker] if len(cards) == len(seats) else "")
    return table
