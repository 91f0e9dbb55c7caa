"""What people see of a double-dummy answer."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from analysis import present
from analysis.double_dummy import Answer
from games.cards import NO_TRUMP, TRUMPS
from games.pbn import SEATS


def report(answer: Answer) -> Group:
    """The hands, who takes how much, every lead, one best line, and the table if it was asked for."""
    bowers = answer.game == "bowers"
    parts: list[RenderableType] = [_hands(answer, bowers), Text(), Text(_headline(answer), style="bold")]
    if answer.at_least is not None:
        asked, made = answer.at_least
        parts.append(Text(f"The declarer {'takes' if made else 'does not take'} at least {asked}."))
    parts += [Text(), _leads(answer), Text(), _line(answer)]
    if answer.table is not None:
        parts += [Text(), _table(answer)]
    parts += [Text(), Text("exact: both sides see all cards (double-dummy)", style="dim")]
    return Group(*parts)


def _headline(answer: Answer) -> str:
    trump = "no trump" if answer.trump == NO_TRUMP else f"{present.suit(answer.trump)} trumps"
    if answer.game == "towie":
        return f"{trump}, {answer.lead} leads: North-South take {answer.tricks}, East-West {answer.others}"
    if answer.misere:
        return f"{trump}, {answer.lead} leads, misère: the declarer is held to {answer.tricks} at the fewest"
    return f"{trump}, {answer.lead} leads: the declarer takes {answer.tricks}, the defenders {answer.others}"


def _hands(answer: Answer, bowers: bool) -> Table:
    grid = Table.grid(padding=(0, 2))
    for seat, hand in answer.hands.items():
        grid.add_row(Text(seat), present.cards(hand, answer.trump, bowers))
    return grid


def _leads(answer: Answer) -> Table:
    table = present.table("lead", "tricks of the leader's side")
    for lead in answer.leads:
        name = present.card(lead.card)
        if lead.named is not None:
            name = Text.assemble(name, " naming ", present.suit(lead.named))
        table.add_row(name, str(lead.tricks))
    return table


def _line(answer: Answer) -> Text:
    """The line, a bar between tricks."""
    size = len(answer.hands)
    tricks = [answer.line[start : start + size] for start in range(0, len(answer.line), size)]
    shown = [Text(" ").join(present.card(card) for card in trick) for trick in tricks]
    return Text.assemble("a best line: ", Text(" | ").join(shown))


def _table(answer: Answer) -> Table:
    assert answer.table is not None
    order = ("NT", "S", "H", "D", "C")
    table = present.table("declarer", *order)
    for seat in SEATS:
        table.add_row(seat, *(str(answer.table[seat, TRUMPS.index(trump)]) for trump in order))
    return table
