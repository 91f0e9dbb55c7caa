"""How are the results of `towerlab simulate` and `towerlab compare` shown to people? In tables and sentences."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from towerlab.analysis.present import closing_lines, number_of, percent, plural, table
from towerlab.analysis.simulation import SimulationResult
from towerlab.analysis.simulation.rule_options import FEWEST_CHANGED, Comparison

_INTERVALS: Final = {
    "wilson": "seats rotating, intervals Wilson",
    "paired": "each deal from every seat, intervals of deals",
    "anytime": "seats rotating, intervals anytime-valid, stopped by rule",
}


def simulation_report(result: SimulationResult) -> RenderableType:
    """Return the text of a result: wins with their intervals, mean points, and which player is better."""
    rows = table("player", f"{plural(result.unit)} won", "share", "95 % interval", f"mean {result.counts}")
    for name, wins, (low, high), mean in zip(_labels(result), result.wins, result.interval, result.mean, strict=True):
        rows.add_row(
            name, f"{wins:,}", percent(wins / result.games), f"{percent(low)} to {percent(high)}", f"{mean:.3f}"
        )
    if result.draws:
        rows.add_row("nobody alone", f"{result.draws:,}", percent(result.draws / result.games), "", "")
    how_sure = (
        f"Sampled: {number_of(result.games, result.unit)}, {_INTERVALS[result.interval_kind]}, "
        f"{number_of(round(result.games_per_second), result.unit)} a second."
    )
    return Group(rows, "", verdict(result), Text(how_sure, style="dim"))


def verdict(result: SimulationResult) -> str:
    """Return a sentence: which player is better and by how much, or that the sample does not decide it."""
    best, following, lead = result.lead
    winner = _labels(result)[best]
    second = _labels(result)[following]
    if result.decided is None:
        return f"Not decided: the interval of the difference between {winner} and {second} includes 0."
    points = f"{100 * lead.mean:.1f} percentage points ({100 * lead.low:.1f} to {100 * lead.high:.1f})"
    return f"{winner} is better: its share of {plural(result.unit)} won is {points} above that of {second}."


def _labels(result: SimulationResult) -> list[str]:
    """Return the players' names, numbered where a name comes twice."""
    return [
        f"{name} ({place})" if result.players.count(name) > 1 else name for place, name in enumerate(result.players, 1)
    ]


def comparison_report(comparison: Comparison) -> RenderableType:
    """Return a row a combination of options, and the winners' shares where different players play."""
    parts: list[RenderableType] = [
        Text(f"{comparison.measure}: the same games by the usual rules and by others", style="bold"),
        _changes_table(comparison.changes, 1.0),
    ]
    if comparison.wins:
        parts += ["", Text("games won, percent", style="bold"), _changes_table(comparison.wins, 100.0, "player")]
    never = [row["option"] for row in comparison.changes if not row["came_up"]]
    how = closing_lines(
        ("Players", ", ".join(comparison.players)),
        ("Sampled", f"{comparison.games:,} games a row, paired"),
        ("Intervals", f"none where fewer than {FEWEST_CHANGED} games changed, or all by as much"),
        *([("Never", f"came up in {comparison.games:,} games: {', '.join(never)}")] if never else []),
    )
    return Group(*parts, "", how)


def _changes_table(rows: Sequence[Mapping[str, Any]], unit: float, *more: str) -> Table:
    changes = table("options", *more, "usual", "change", "95 % interval", "came up", texts=1 + len(more))
    for row in rows:
        changes.add_row(
            row["option"],
            *(row[name] for name in more),
            f"{unit * row['usual']:.4g}",
            f"{unit * row['change']:+.3g}",
            "no interval" if row["low"] is None else f"{unit * row['low']:+.3g} to {unit * row['high']:+.3g}",
            f"{100 * row['came_up']:.3g} %" if row["came_up"] else f"never: < {100 * row['most']:.2g} %",
        )
    return changes
