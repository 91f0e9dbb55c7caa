"""A game in words and a game looked back at, in the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from analysis import present
from analysis.table.drawing import cost_words, draw_scene
from analysis.table.review import GameReview, Rate
from analysis.table.showing import Shown

SHOWN_MISTAKES = 6


def shown_report(shown: Shown) -> RenderableType:
    """The lines of a game."""
    return Group(*map(Text, shown.lines), Text(shown.verdict, style="bold"))


def review_report(review: GameReview) -> RenderableType:
    """Who lost how much, by which habit, and the costliest decisions with their positions."""
    parts: list[RenderableType] = [Text(f"{review.title}. {review.verdict}", style="bold"), "", _rates(review)]
    if review.luck is not None:
        parts += ["", Text(review.luck.sentence(review.names[0]))]
    for seat in review.seats:
        if review.of(seat):
            parts += ["", _habits(review, seat)]
    if review.parts:
        parts += ["", Text("Could it have been won?", style="bold")]
        parts += map(Text, review.could_have_won)
    for one in review.costliest[:SHOWN_MISTAKES]:
        sure = "" if one.is_mistake else ", not proved: its 95 % interval holds 0"
        cost = cost_words(one.loss.mean, review.unit).lstrip("-")
        parts += ["", Text(f"Action {one.number}, {review.names[one.seat]}: {one.done}", style="bold")]
        parts += [*draw_scene(one.scene), Text(f"Better: {one.best}. Cost: {cost}{sure}. {one.advice.basis}.")]
    return Group(*parts, "", Text(review.method, style="dim"))


def _rates(review: GameReview) -> RenderableType:
    table = present.table("player", "decisions", "judged", "mistakes", f"{review.unit} each")
    for seat in review.seats:
        _add(table, review.names[seat], review.rate(seat))
        for name in review.benchmarks:
            _add(table, f"  {name} in his place", review.rate(seat, name))
    return table


def _add(table: Table, name: str, rate: Rate) -> None:
    if not rate.decisions:
        table.add_row(name, "0", "–", "–", "–")
        return
    judged = f"{rate.judged / rate.decisions:.0%}" if rate.judged else "–"
    mistakes = "" if name.startswith("  ") else str(rate.mistakes)
    table.add_row(name, str(rate.decisions), judged if mistakes else "", mistakes, f"{rate.cost.mean:.2f}")


def _habits(review: GameReview, seat: int) -> RenderableType:
    table = present.table("kind", "decisions", "mistakes", f"{review.unit} in all", title=review.names[seat])
    for kind, count, mistakes, cost in review.habits(seat):
        table.add_row(kind, str(count), str(mistakes), f"{cost:.2f}")
    return table
