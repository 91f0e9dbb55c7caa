"""The answer of `value` for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import Floored, ValueOfDeal
from towerlab.analysis.towers_and_bowers.value import ValueAnswer

_BOUNDS: Final = (
    "The game's own: bounds of the dealer's value, from its exploitability, where it is solved; else nobody knows."
)
_FLOORS: Final = (
    "With floors: every call is made at least once in {often} times, with any hand. That game's solution, mixes "
    "settled, answers everywhere; without floors it is as exploitable as the last column says, which is what --check "
    "measures."
)


def value_report(answer: ValueAnswer) -> RenderableType:
    """A table of hand sizes, one of up-cards where a single size was asked, and how the numbers were got."""
    checked = any(value.checked is not None for value in answer.values)
    names = ["cards", "dealer", "non-dealer", "the game's own", "exploitability", *["measured now"] * checked, "of"]
    table = present.table(*names)
    for value in answer.values:
        chances = f"{value.dealer:.5f}", f"{value.nondealer:.5f}"
        cells = [str(value.cards), *chances, _between(value), _gain(value.exploitability)]
        if checked:
            cells.append(_gain(value.checked))
        table.add_row(*cells, value.exploitability_of)
    parts: list[RenderableType] = [table, ""]
    if len(answer.values) == 1:
        if sampled := answer.values[0].sampled:
            played = f"95 % of samples of {sampled.n:,} hands lie as close as {sampled.low:.4f} to {sampled.high:.4f}."
            parts += [Text(played, style="dim"), ""]
        ups = (("10" if rank == "T" else rank, f"{dealer:.5f}") for rank, dealer in answer.values[0].by_up.items())
        parts += [present.table("up-card", "dealer", rows=ups), ""]
    floored = [(value.cards, value.floored) for value in answer.values if value.floored]
    if floored:
        parts += [_floored_table(floored), ""]
    words = {value.exploitability_of: value.method for value in answer.values}
    parts += [Text(f"{name}: {method}.", style="dim") for name, method in words.items()]
    parts.append(Text(_BOUNDS, style="dim"))
    for why in dict.fromkeys(answer.unchecked.values()):
        sizes = ", ".join(str(cards) for cards, reason in answer.unchecked.items() if reason == why)
        parts.append(Text(f"Not measured now: {sizes} cards, which {why}.", style="dim"))
    if floored:
        often = f"{1 / floored[0][1].floor:,.0f}"
        parts.append(Text(_FLOORS.format(often=often), style="dim"))
    parts.append(Text("Exploitability: what best responses of both sides gain, added up; exact.", style="dim"))
    return Group(*parts)


def _gain(gain: float | None) -> str:
    return "" if gain is None else f"{gain:.1e}"


def _floored_table(values: Sequence[tuple[int, Floored]]) -> RenderableType:
    rows = (
        (str(cards), f"{value.dealer:.5f}", f"{value.exploitability:.1e}", f"{value.without_floor:.1e}")
        for cards, value in values
    )
    return present.table("cards", "dealer, with floors", "exploitability", "of what answers", rows=rows)


def _between(value: ValueOfDeal) -> str:
    lower, upper = value.bounds
    if lower is None or upper is None:
        return ""
    digits = 6 if upper - lower < 0.001 else 3
    return f"{lower:.{digits}f} to {upper:.{digits}f}"
