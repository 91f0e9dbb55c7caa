"""What people see of `towerlab simulate`: a table and a sentence."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.present import percent, table
from analysis.simulation import SimulationResult


def simulation_report(result: SimulationResult) -> RenderableType:
    """Wins with their interval, mean points, and who is better."""
    made = table("player", f"{result.unit}s won", "share", "95 % interval", "mean points")
    for name, wins, (low, high), mean in zip(result.players, result.wins, result.interval, result.mean, strict=True):
        made.add_row(
            name, f"{wins:,}", percent(wins / result.games), f"{percent(low)} to {percent(high)}", f"{mean:.3f}"
        )
    if result.draws:
        made.add_row("nobody alone", f"{result.draws:,}", percent(result.draws / result.games), "", "")
    return Group(made, Text(), Text(verdict(result)), Text(_how_sure(result), style="dim"))


def verdict(result: SimulationResult) -> str:
    """Who is better and by how much, or that the sample does not tell."""
    best, following, lead = result.lead
    names = f"{result.players[best]} and {result.players[following]}"
    if result.decided is None:
        return f"Not decided: the interval of the difference between {names} includes 0."
    return (
        f"{result.players[best]} wins {percent(lead.mean)} of all {result.unit}s more than {result.players[following]} "
        f"({percent(lead.low)} to {percent(lead.high)})."
    )


def _how_sure(result: SimulationResult) -> str:
    kind = "Wilson" if result.interval_kind == "wilson" else "anytime-valid, stopped by rule"
    return (
        f"Sampled: {result.games:,} {result.unit}s, seats rotating, intervals {kind}, seed {result.seed}, "
        f"{result.games_per_second:,.0f} {result.unit}s a second."
    )
