"""A game looked back at, as a page of the server or as a file that stands alone."""

from __future__ import annotations

from typing import Any, Final

from analysis.table.drawing import cost_words, draw_scene
from analysis.table.review import GameReview, Judged
from web.pages import render, style

MOST_SHOWN: Final = 30
_LEFT, _RIGHT, _TOP, _GROUND = 40, 630, 10, 190  # of the graph


def review_page(review: GameReview, name: str = "", *, alone: bool = False) -> str:
    """The page of a review.

    Args:
        name: of its table, for links.
        alone: whether it is a file with its style inside.
    """
    rates = []
    for seat in review.seats:
        rates.append((review.names[seat], review.rate(seat), False))
        rates += [(f"{other} in his place", review.rate(seat, other), True) for other in review.benchmarks]
    return render(
        "review.html.j2",
        title=f"{review.title}: looking back",
        review=review,
        rates=rates,
        graph=_graph(review),
        habits=[(review.names[seat], review.habits(seat)) for seat in review.seats if review.of(seat)],
        costliest=[_shown(one, review.unit) for one in review.costliest[:MOST_SHOWN]],
        name=name,
        alone=alone,
        style=style() if alone else "",
    )


def _shown(one: Judged, unit: str) -> dict[str, Any]:
    return {
        "number": one.number,
        "seat": one.seat,
        "done": one.done,
        "best": one.best,
        "cost": cost_words(one.loss.mean, unit).lstrip("-"),
        "is_mistake": one.is_mistake,
        "basis": one.advice.basis,
        "lines": [line.plain for line in draw_scene(one.scene)],
    }


def _graph(review: GameReview) -> dict[str, Any]:
    """The cost so far of each seat, action by action, in the units of the drawing."""
    last = max((one.number for one in review.decisions), default=1)
    sums = {seat: _running(review.of(seat)) for seat in review.seats if review.of(seat)}
    top = max((points[-1][1] for points in sums.values()), default=0.0)
    lines = []
    for seat, points in sums.items():
        places = [
            (_LEFT + number / last * (_RIGHT - _LEFT), _GROUND - cost / (top or 1.0) * (_GROUND - _TOP))
            for number, cost in points
        ]
        x, y = places[-1]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        lines.append({"name": review.names[seat], "points": path, "x": round(x), "y": max(22, round(y) - 5)})
    words = ", ".join(f"{review.names[seat]} {points[-1][1]:.2f}" for seat, points in sums.items())
    return {"lines": lines, "top": f"{top:.1f}", "last": last, "alt": f"Cost so far: {words} {review.unit} at the end"}


def _running(decisions: list[Judged]) -> list[tuple[int, float]]:
    total, points = 0.0, [(0, 0.0)]
    for one in decisions:
        points.append((one.number, total))
        total += one.loss.mean
        points.append((one.number, total))
    return points
