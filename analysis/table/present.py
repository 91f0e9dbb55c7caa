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
    opening = " ".join((f"{review.table.title}. {review.verdict}", *review.grading.summary))
    parts: list[RenderableType] = [
        Text(opening, style="bold"),
        "",
        present.table(*rate_columns(review), rows=rate_rows(review)),
    ]
    for seat in review.seats:
        if review.of(seat):
            habits = (
                (kind, str(n), str(mistakes), f"{review.points(cost):.2f}")
                for kind, n, mistakes, cost in review.habits(seat)
            )
            columns = ("kind", "decisions", "mistakes", "points in all")
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
    return Group(*parts, "", *(Text(sentence, style="dim") for sentence in review.sentences))


def rate_columns(review: GameReview) -> tuple[str, ...]:
    """Heads of the table of error rates."""
    return ("player", "choices", "judged", "points, all", "points each", *review.marks)


def rate_rows(review: GameReview) -> Iterator[tuple[str, ...]]:
    """A row a player, and below it one for each player of the simulator who was asked the same."""
    for seat in review.seats:
        own, marks = review.rate(seat), Counter(one.mark for one in review.of(seat))
        cost, share = review.points(total(review.of(seat))), own["judged_share"]
        judged = "–" if share is None else f"{share:.0%}"
        each = _each(review, own["cost_per_decision"])
        counted = (str(marks[mark]) for mark in review.marks)
        yield review.names[seat], str(own["decisions"]), judged, f"{cost:.2f}", each, *counted
        for name, (count, beside) in review.beside(seat).items():
            if count:
                yield f"  {name} instead", str(count), "", "", _each(review, beside), *[""] * len(review.marks)


def _each(review: GameReview, cost: float | None) -> str:
    return "–" if cost is None else f"{review.points(cost):.2f}"
