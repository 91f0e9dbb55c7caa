"""The answer of `solve towers-and-bowers` for people."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.towers_and_bowers.open_hands import OpenHands


def open_hands_report(answer: OpenHands) -> RenderableType:
    """Return the tricks of both hands, the tricks that each lead keeps, and a line of best play."""
    cards = answer.leader.bit_count()
    head = Text.assemble(
        present.cards(answer.leader, answer.trump, bowers=True),
        " leads against ",
        present.cards(answer.follower, answer.trump, bowers=True),
        ", trumps ",
        present.suit(answer.trump),
        ".",
    )
    verdict = Text(f"The leader takes {answer.leader_tricks} of {cards} tricks", style="bold")
    table = present.table("lead", "tricks of the leader")
    for card, tricks in answer.leads.items():
        table.add_row(present.card(card), str(tricks))
    line = Text("A line of best play: ")
    for place in range(0, len(answer.line), 2):
        led, reply = answer.line[place : place + 2]
        line.append(present.card(led)).append("/").append(present.card(reply)).append("  ")
    exact = Text("exact: both hands seen, every continuation counted", style="dim")
    return Group(head, "", verdict.append(", whatever the other does.", style="not bold"), "", table, "", line, exact)
