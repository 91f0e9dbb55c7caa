"""Solved open hands of any game, as people see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.present.open_hands import SolvedHands
from towerlab.games.cards import NO_TRUMP, to_play_order, trump_field
from towerlab.games.tricks import beats
from towerlab.games.written import bare_card, named_card, play_symbol

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
    trick, hands = answer.trick, Table.grid(padding=(0, 2))
    for seat, hand in answer.hands.items():
        hands.add_row(Text(seat), present.cards(hand, answer.trump, answer.bowers))
    trumps = "no trump" if answer.trump == NO_TRUMP else f"{present.suit(answer.trump)} trumps"
    led = f"{answer.lead} has led {' '.join(map(play_symbol, trick))}" if trick else f"{answer.lead} leads"
    said = Group(Text(f"{trumps}, {led}{tricks}", style="bold"), *more)
    leads = present.table(*(("card", "tricks of its side") if trick else ("lead", "tricks of the leader's side")))
    for lead in answer.leads:
        leads.add_row(present.card(named_card(lead.card, lead.named)), str(lead.tricks))
    return present.spaced(hands, said, leads, _line(answer), table, Text(EXACT, style="dim"))


def _line(answer: SolvedHands) -> Table:
    """The line, a row a trick: every card with its seat, and the winner."""
    seats, line, under_way = list(answer.hands), (*answer.trick, *answer.line), bool(answer.trick)
    table = present.table("trick", "a best line" + " from the trick under way on" * under_way, "won by", texts=3)
    leader, field = seats.index(answer.lead), int(trump_field(answer.trump))
    for number, start in enumerate(range(0, len(line), len(seats)), 1):
        cards = line[start : start + len(seats)]
        order = [seats[(leader + step) % len(seats)] for step in range(len(cards))]
        best, won = 0, 0
        for place, card in enumerate(cards):
            mask = int(to_play_order(1 << bare_card(card), answer.trump, answer.bowers))
            if not place or beats(mask, best, field):
                best, won = mask, place
        said = Text("  ").join(
            Text.assemble(f"{seat} ", present.card(card)) for seat, card in zip(order, cards, strict=True)
        )
        table.add_row(str(number), said, order[won] if len(cards) == len(seats) else "")
        leader = (leader + won) % len(seats)
    return table
