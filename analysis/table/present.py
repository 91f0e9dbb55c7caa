"""A game in words and a game looked back at, in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from analysis import present
from analysis.table.drawing import draw_scene
from analysis.table.grading import total
from analysis.table.review import GameReview
from analysis.table.showing import Shown

SHOWN_MISTAKES = 6
SHOWN_HANDS = 3
DECISIVE = "What decided: the first player's chance to win, its changes in percentage points"


def shown_report(shown: Shown) -> RenderableType:
    """The lines of a game."""
    return Group(*map(Text, shown.lines), Text(shown.verdict, style="bold"))


def review_report(review: GameReview) -> RenderableType:
    """Who lost how much, by which habit, luck apart from skill, and the costliest decisions with their positions."""
    opening = " ".join((f"{review.title}. {review.verdict}", *review.grading.summary))
    rules = [Text(f"Rules: {review.rules}")] if review.rules else []
    parts: list[RenderableType] = [
        Text(opening, style="bold"),
        *rules,
        "",
        present.table(*rate_columns(review), rows=rate_rows(review)),
    ]
    for seat in review.seats:
        if review.of(seat):
            habits = ((kind, str(n), str(mistakes), f"{cost:.2f}") for kind, n, mistakes, cost in review.habits(seat))
            columns = ("kind", "decisions", "mistakes", f"{review.unit} in all")
            parts += ["", present.table(*columns, rows=habits, title=review.names[seat])]
    if (ledger := review.grading.ledger) is not None:
        decisive = present.table(*ledger.columns, rows=ledger.decisive[:SHOWN_HANDS], title=DECISIVE)
        parts += ["", *map(Text, ledger.sentences), "", decisive]
    if review.parts:
        parts += ["", Text("Could it have been won?", style="bold")]
        parts += map(Text, review.could_have_won)
    for one in review.costliest[:SHOWN_MISTAKES]:
        parts += ["", Text(f"Action {one.number}, {review.names[one.seat]}: {one.done}", style="bold")]
        parts += [*draw_scene(review.scene(one)), Text(review.remark(one))]
    return Group(*parts, "", *(Text(sentence, style="dim") for sentence in review.method))


def rate_columns(review: GameReview) -> tuple[str, ...]:
    """Heads of the table of error rates."""
    return ("player", "choices", "judged", f"{review.unit}, all", f"{review.unit} each", *review.marks)


def rate_rows(review: GameReview) -> Iterator[tuple[str, ...]]:
    """A row a player, and below it one for each player of the simulator who was asked the same."""
    for seat in review.seats:
        own, counted = review.rate(seat), Counter(one.mark for one in review.of(seat))
        cost = total(review.of(seat))
        digits = 1 if review.unit == "mt" else 2
        judged = f"{own.judged / own.decisions:.0%}" if own.decisions else "–"
        each = f"{own.cost.mean:.{digits}f}" if own.decisions else "–"
        marks = (str(counted[mark]) for mark in review.marks)
        yield review.names[seat], str(own.decisions), judged, f"{cost:.{digits}f}", each, *marks
        for name in review.benchmarks:
            beside = review.rate(seat, name)
            if beside.decisions:
                empty = ("",) * len(review.marks)
                yield f"  {name} instead", str(beside.decisions), "", "", f"{beside.cost.mean:.{digits}f}", *empty
