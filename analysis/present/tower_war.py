"""What people see of Tower War in a terminal."""

from __future__ import annotations

from rich.console import Group
from rich.text import Text

from analysis.present import card, table
from analysis.tower_war.step import BattleStep

_WHO = {"me": "I", "them": "they", "tie": "nobody", None: "nobody"}


def battle_report(step: BattleStep) -> Group:
    """The skirmishes of a battle and who loses it."""
    rows = table("skirmish", "mine", "value", "theirs", "value", "won by", "adds a pyramid")
    for number, one in enumerate(step.skirmishes, 1):
        rows.add_row(
            str(number), _card(one.my_card), str(one.mine), _card(one.their_card), str(one.theirs),
            _WHO[one.winner], _WHO[one.adds],
        )  # fmt: skip
    totals = f"Totals: mine {step.my_total}, theirs {step.their_total}."
    endings = {
        "me": "I lose the battle: I fill the level to three pyramids and stack one of my cards.",
        "them": "They lose the battle: they fill the level to three pyramids and stack one of their cards.",
        "tie": "A tie: all pyramids of this battle go back to their owners, no card is stacked.",
    }
    return Group(rows, Text(f"{totals} {endings[step.loser]}"))


def _card(shown: int | None) -> Text:
    return Text("–") if shown is None else card(shown)
