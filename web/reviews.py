"""How is a review shown in a browser? As a page of the server, or as a file that stands alone.

Example:
    towerlab review match.jsonl --out review.html
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final

from towerlab.games.options import options_in_words
from towerlab.table.game import Prompt
from towerlab.table.review import GameReview
from towerlab.web.pages import arrange_scene, render, static_file

MOST_SHOWN: Final = 30
FIRST: Final = 3  # costliest decisions, on top and with a reason
# of the graph
_LEFT = 66
_RIGHT = 520
_TOP = 10
_GROUND = 190


def review_page(review: GameReview, *, alone: bool = False, left: int = 0, **shown: Any) -> str:
    """Return the page of a review.

    Args:
        alone: whether it is a file with its style inside.
        left: the number of decisions that are not yet graded.
        shown: what else the template shows: `name` of its table or record, for links, and whether it `is_record`; the
            `command` that makes the file again; the server's `token`, so that one can play on from a decision; the
            address under which to `save` the page as a file, or `here`, under which the rest is graded, and how many
            are `looked` at.
    """
    ledger = review.grading.ledger if alone or review.engine.result is not None else None
    costliest = [
        (
            decision,
            arrange_scene(review.scene(decision), (), Prompt("", ()))[0],
            review.reason(decision) if rank < FIRST and not left else "",
        )
        for rank, decision in enumerate(review.costliest[:MOST_SHOWN])
    ]
    return render(
        "review.html.j2",
        title=f"{review.table.title}: looking back",
        review=review,
        graph=_costs(review) if review.costliest[1:] and not left else None,
        ledger=ledger,
        chances=None if ledger is None else _chances(ledger.chances, review.names[0]),
        scores=None if review.grading.ledger else _scores(review),
        costliest=costliest,
        rules=options_in_words(review.options),
        alone=alone,
        left=left,
        style=static_file("style.css") if alone else "",
        **shown,
    )


def _costs(review: GameReview) -> dict[str, Any] | None:
    """Return the cost so far of each seat, action by action."""
    sums: dict[str, list[tuple[int, float]]] = {}
    for seat in review.seats:
        cost = 0.0
        points = [(0, 0.0)]
        for decision in review.of(seat):
            before, cost = cost, cost + review.table.scale.number(decision.cost.mean)
            points += [(decision.number, before), (decision.number, cost)]
        if review.of(seat):
            sums[review.names[seat]] = points
    words = ", ".join(f"{name} {points[-1][1]:.2f}" for name, points in sums.items())
    top = max((points[-1][1] for points in sums.values()), default=0.0)
    return _graph(sums, top, f"{top:.1f}", "action", f"Cost so far: {words} {review.table.scale.noun} at the end")


def _chances(chances: Sequence[float], name: str) -> dict[str, Any] | None:
    """Return the first seat's chance to win after each part."""
    words = f"From {100 * chances[0]:.0f} % to {100 * chances[-1]:.0f} % over {len(chances) - 1} hands"
    return _graph({name: [*enumerate(chances)]}, 1.0, "100 %", "hand", words)


def _scores(review: GameReview) -> dict[str, Any] | None:
    """Return the graph of what everybody had after each hand; None where none has ended."""
    scores = review.scores
    if len(scores) < 3:  # of one hand the score stands in the verdict
        return None
    sums = {name: [*enumerate(column)] for name, column in zip(review.names, zip(*scores, strict=True), strict=True)}
    words = ", ".join(f"{name} {points[-1][1]}" for name, points in sums.items())
    top = max(map(max, scores))
    return _graph(sums, top, str(top), "hand", f"Score after each hand: {words} at the end")


def _graph(
    sums: Mapping[str, Sequence[tuple[int, float]]], top: float, label: str, across: str, words: str
) -> dict[str, Any] | None:
    """Return lines of numbers in the units of the drawing; None where all are 0."""
    bottom = min((value for points in sums.values() for _, value in points), default=0.0)
    if top == bottom:
        return None
    last = max(points[-1][0] for points in sums.values())
    height = (_GROUND - _TOP) / (top - bottom)
    lines: list[dict[str, Any]] = []
    for name, points in sums.items():
        places = [(_LEFT + x / last * (_RIGHT - _LEFT), _GROUND - (value - bottom) * height) for x, value in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        lines.append({"name": name, "points": path, "y": max(22, round(places[-1][1]) + 4)})
    for upper, lower in itertools.pairwise(sorted(lines, key=lambda line: line["y"])):
        lower["y"] = max(lower["y"], upper["y"] + 20)  # names never lie upon each other
    return {
        "lines": lines,
        "left": _LEFT,
        "right": _RIGHT,
        "top": label,
        "bottom": f"{bottom:g}",
        "last": f"{across} {last}",
        "alt": words,
    }
