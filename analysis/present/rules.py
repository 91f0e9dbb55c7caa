"""The rules of a game as people see them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from towerlab.games.rulebook import Rule


def rules_text(rules: Sequence[Rule]) -> RenderableType:
    """Return the rules under their headings, each with its id."""
    parts: list[RenderableType] = []
    for section, entries in groupby(rules, key=lambda rule: rule.section):
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        for rule in entries:
            grid.add_row(Text(rule.id, style="bold"), Text(rule.text))
        parts += [Text(section, style="bold"), Padding(grid, (0, 0, 1, 0))]
    return Group(*parts)
