"""Where does a player lose most? Reviews of many games, by kind of decision.

Decisions of one game depend on each other, so intervals are Student's t over games.

    towerlab review games/
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from towerlab.analysis.catalog import find_game
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.saved_games import read_games, read_header
from towerlab.analysis.stats import Estimate, mean_interval, ratio_interval
from towerlab.games.errors import TowerlabError
from towerlab.games.written import Record
from towerlab.table.game import HUMAN
from towerlab.table.grading import total
from towerlab.table.record import is_record
from towerlab.table.review import REFERENCES, GameReview, review_lines

_TRAINING: Final = "training"


@dataclass(frozen=True)
class KindRow(
    Record,
    keys="game kind decisions games=cost_per_game.n each=cost_per_decision.mean "
    "each_interval=cost_per_decision.interval cost=cost_per_game.mean "
    "interval=cost_per_game.interval",
):
    """A kind of decision over many games.

    Attributes:
        game: the game of the decisions.
        kind: the kind of decision.
        decisions: the number of decisions, without forced ones.
        cost_per_decision: the points that one decision costs, over games.
        cost_per_game: the points that they cost together in a game.
    """

    game: str
    kind: str
    decisions: int
    cost_per_decision: Estimate
    cost_per_game: Estimate


@dataclass(frozen=True)
class ManyReviews(Answer, shown_by="towerlab.table.present:many_report", table="rows", keys="games kinds=rows skipped"):
    """Where somebody loses most.

    Attributes:
        games: the number of games of each name that were reviewed.
        rows: the kinds of decisions of each game, the one that costs most in a game first.
        skipped: the reason why a file could not be reviewed, by file.
    """

    game: str
    games: Mapping[str, int]
    rows: tuple[KindRow, ...]
    skipped: Mapping[str, str]


def review_folder(
    folder: Path,
    reference: str = REFERENCES[0],
    seats: Sequence[int] | None = None,
    report_progress: Callable[[str], None] = lambda _: None,
) -> ManyReviews:
    """Return the reviews of all games below a folder, by kind of decision.

    Args:
        reference: the reference that grades, as in `review_file`.
        seats: the seats whose decisions are reviewed; None for those of the only person at each table.
        report_progress: a function called with the name of every file before it is read.

    Raises:
        TowerlabError: there is no game.
    """
    reviews = list[GameReview]()
    skipped = dict[str, str]()
    for name, review in reviews_of(folder, reference, seats, report_progress):
        if isinstance(review, str):
            skipped[name] = review
        else:
            reviews.append(review)
    if not reviews and not skipped:
        raise TowerlabError(f"{folder} holds no recorded game; expected files that end in .jsonl")
    rows = [row for title in dict.fromkeys(review.game for review in reviews) for row in _rows(title, reviews)]
    games = dict(Counter(review.game for review in reviews))
    return ManyReviews(" ".join(games), games, tuple(rows), skipped)


def reviews_of(
    folder: Path,
    reference: str = REFERENCES[0],
    seats: Sequence[int] | None = None,
    report_progress: Callable[[str], None] = lambda _: None,
    game: str | None = None,
) -> Iterator[tuple[str, GameReview | str]]:
    """Yield every game below a folder (of one kind, where it is named), reviewed, or why it is not."""
    for path in sorted(folder.rglob("*.jsonl")):
        name = str(path.relative_to(folder))
        try:
            for lines in read_games(path):
                head = read_header(lines)
                if _TRAINING in (head.get("table") or {}) or game not in (None, head["game"]):
                    continue
                report_progress(name)
                table = find_game(head["game"]).load("table")
                yield name, review_lines(lines, table, seats or _own_seats(lines), reference=reference)
        except TowerlabError as error:
            yield name, " ".join(str(error).split())


def _own_seats(lines: Sequence[str]) -> tuple[int, ...] | None:
    """Return the seat of the only person at the table; None for that of a record of views."""
    players = (read_header(lines).get("table") or {}).get("players", [])
    own = tuple(seat for seat, player in enumerate(players) if player == HUMAN)
    if is_record(lines):
        return None
    if len(own) != 1:
        raise TowerlabError(f"{len(own) or 'no'} people sat there; expected one, or --seat with whose decisions")
    return own


def _rows(game: str, reviews: Sequence[GameReview]) -> list[KindRow]:
    """Return the kinds of decision in one game, the costliest in a game first."""
    games = [review for review in reviews if review.game == game]
    unforced = [[decision for decision in review.decisions if not decision.is_forced] for review in games]
    rows = []
    for kind in dict.fromkeys(decision.habit for own in unforced for decision in own):
        same = [[decision for decision in own if decision.habit == kind] for own in unforced]
        counts = [len(own) for own in same]
        costs = [review.table.scale.number(total(own)) for review, own in zip(games, same, strict=True)]
        rows.append(KindRow(game, kind, sum(counts), ratio_interval(costs, counts), mean_interval(costs)))
    return sorted(rows, key=lambda row: -row.cost_per_game.mean)
