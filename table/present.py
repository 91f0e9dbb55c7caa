"""How are a game, and a review of it, shown in a terminal?

Example:
    towerlab review match.jsonl
"""

from collections import Counter
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.stats import Estimate
from towerlab.table.drawing import draw_scene
from towerlab.table.grading import ReviewedDecision, total
from towerlab.table.many_games import ManyReviews
from towerlab.table.review import GameReview
from towerlab.table.showing import ShownGame

SHOWN_FIRST = 3
SHOWN_MISTAKES = 6
SHOWN_HANDS = 3
DECISIVE = "What decided: the first player's chance to win, its changes in percentage points"


def shown_report(shown: ShownGame) -> RenderableType:
    """The lines of a game."""
    return Group(*map(Text, shown.lines), Text(shown.verdict, style="bold"))


def review_report(review: GameReview) -> RenderableType:
    """Return each player's losses by habit, luck apart from skill, and the costliest decisions with their positions."""
    opening = " ".join((f"{review.table.title}. {review.verdict}", *review.grading.summary))
    parts: list[RenderableType] = [Text(opening, style="bold"), *map(Text, review.counted)]
    for decision in review.costliest[:SHOWN_FIRST]:
        parts += ["", *_decision(review, decision), *map(Text, filter(None, [review.reason(decision)]))]
    columns = rate_columns(review)
    rows = [*rate_rows(review)]
    cut = -len(review.table.scale.marks)
    lost = f"Lost, in {review.table.scale.noun}"
    parts += ["", present.table(*columns[:cut], rows=(row[:cut] for row in rows), title=lost)]
    marked = ((row[0], *row[cut:]) for row in rows if any(row[cut:]))
    parts += ["", present.table(columns[0], *columns[cut:], rows=marked)]
    for seat in review.seats:
        if review.of(seat):
            habits = (
                (kind, str(n), str(mistakes), f"{review.table.scale.number(cost):.2f}")
                for kind, n, mistakes, cost in review.habits(seat)
            )
            columns = ("kind", "decisions", "mistakes", "lost in all")
            parts += ["", present.table(*columns, rows=habits, title=review.names[seat])]
    if (ledger := review.grading.ledger) is not None:
        decisive = present.table(*ledger.columns, rows=ledger.decisive[:SHOWN_HANDS], title=DECISIVE)
        parts += ["", *map(Text, ledger.sentences), "", decisive]
    for decision in review.costliest[SHOWN_FIRST:SHOWN_MISTAKES]:
        parts += ["", *_decision(review, decision)]
    return Group(*parts, "", *(Text(sentence, style="dim") for sentence in review.sentences))


def _decision(review: GameReview, decision: ReviewedDecision) -> Iterator[Text]:
    """A costly decision with its position."""
    yield Text(
        f"{review.place(decision.number).capitalize()}, {review.names[decision.seat]}: {decision.done}", style="bold"
    )
    yield from draw_scene(review.scene(decision))
    yield Text(decision.remark)
    if decision.link:
        yield Text(f"Link  {decision.link}")


def many_report(many: ManyReviews) -> RenderableType:
    """Where most is lost over many games, by kind of decision, and what could not be read."""
    rows = (
        (row.game, row.kind, str(row.decisions), *map(_lost, (row.cost_per_decision, row.cost_per_game)))
        for row in many.rows
    )
    columns = ("game", "kind", "decisions", "points each (95 %)", "points a game (95 %)")
    said = [f"{present.number_of(count, 'game')} of {name} reviewed." for name, count in many.games.items()]
    skipped = [Text(f"Skipped {path}: {why}", style="dim") for path, why in many.skipped.items()]
    return Group(
        Text(" ".join(said) or "No game could be reviewed.", style="bold"),
        "",
        present.table(*columns, rows=rows),
        *skipped,
    )


def _lost(cost: Estimate) -> str:
    """A mean cost with its interval over games."""
    return f"{cost.mean:.2f} ({present.interval(cost.within(0.0), '.2f')})"


def rate_columns(review: GameReview) -> tuple[str, ...]:
    """Heads of the table of error rates; losses in the noun of the game's scale."""
    return ("player", "choices", "decided", "lost in all", "lost each", *review.table.scale.marks)


def rate_rows(review: GameReview) -> Iterator[tuple[str, ...]]:
    """A row a player, and below it one for each player of the simulator who was asked the same."""
    for seat in review.seats:
        own = review.rate(seat)
        marks = Counter(decision.mark for decision in review.of(seat))
        cost = review.table.scale.number(total(review.of(seat)))
        share = own["judged_share"]
        judged = "–" if share is None else present.percent(share, 0)
        each = _each(review, own["cost_per_decision"])
        counted = (str(marks[mark]) for mark in review.table.scale.marks)
        yield review.names[seat], str(own["decisions"]), judged, f"{cost:.2f}", each, *counted
        for name, (count, mean) in review.cost_of_players(seat).items():
            if count:
                yield (
                    f"  {name} instead",
                    str(count),
                    "",
                    "",
                    _each(review, mean),
                    *[""] * len(review.table.scale.marks),
                )


def _each(review: GameReview, cost: float | None) -> str:
    return "–" if cost is None else f"{review.table.scale.number(cost):.2f}"
