"""The answer of `solve towers-and-bowers` for people."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.towers_and_bowers.open_hands import OpenHands
from towerlab.games.cards import card_symbol


def open_hands_report(answer: OpenHands) -> RenderableType:
    """Return the tricks of both hands, the tricks that each lead keeps, and a line of best play."""
    cards = answer.leader.bit_count()
    leader, follower = (present.cards(hand, answer.trump, bowers=True) for hand in (answer.leader, answer.follower))
    head = f"{leader} leads against {follower}, trumps {present.suit(answer.trump)}."
    verdict = Text(f"The leader takes {answer.leader_tricks} of {cards} tricks", style="bold")
    table = present.table("lead", "tricks of the leader")
    for card, tricks in answer.leads.items():
        table.add_row(card_symbol(card), str(tricks))
    tricks_played = zip(answer.line[::2], answer.line[1::2], strict=True)
    line = "A line of best play: " + "  ".join("/".join(map(card_symbol, trick)) for trick in tricks_played)
    exact = Text("exact: both hands seen, every continuation counted", style="dim")
    return Group(head, "", verdict.append(", whatever the other does.", style="not bold"), "", table, "", line, exact)
