"""What did each decision of a game cost? Every decision with the position as its player saw it, what was done, what was
best, its cost.

Each decision is graded from the view of its player alone, by the game's advice or by what the game brings itself
(`TableGame.grade`): hidden cards are not held against anybody. Where the advice is sampled a cost counts as a mistake
only if its paired 95 % interval leaves out 0; the review counts the decisions that can be judged so. It shows the error
rates of players of the simulator, too, who answer the same questions.

    towerlab review game.jsonl
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from towerlab.analysis.catalog import find_game
from towerlab.analysis.decision import Verdict
from towerlab.analysis.players import Player, find_player
from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.progress import open_progress
from towerlab.analysis.saved_games import read_header, read_lines
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action
from towerlab.sim.own_players import Act, offered_actions
from towerlab.table.game import TableGame
from towerlab.table.grading import Grading, ReviewedDecision, total
from towerlab.table.record import replay_views
from towerlab.table.rows import sentences
from towerlab.table.scene import Scene
from towerlab.table.session import verdict_of
from towerlab.table.showing import seat_names

BENCHMARKS: Final = ("novice", "pimc")  # asked the same questions, as far as a game has them
REFERENCES: Final = ("equilibrium", "pimc")
HABIT_KEYS: Final = ("kind", "decisions", "mistakes", "cost")
WAYS: Final = 20
"""In which the unseen cards of a record are laid, for what needs to know them."""


@dataclass(frozen=True)
class GameReview(
    Answer,
    shown_by="towerlab.table.present:review_report",
    table="players",
    keys="unit=table.scale.unit verdict players=seats decisions match=grading.ledger.totals "
    "unadvised=grading.unadvised model=sentences",
):
    """The review of a game.

    Attributes:
        names: the names of the seats.
        seats: the seats that were asked about.
        grading: the decisions of those seats and all else that the game says of them.
        places: the place of each action in the game: ``"hand 3, trick 2"``.
        engine: the game; of a record its unseen cards are made up.
        is_whole: whether everybody's decisions were asked for, of a whole transcript.
        table: the game at the table.
    """

    names: tuple[str, ...]
    seats: tuple[int, ...]
    grading: Grading
    places: tuple[str, ...]
    is_whole: bool
    table: TableGame = field(repr=False)
    engine: Engine[Any, Any] = field(repr=False)

    @property
    def game(self) -> str:
        return self.table.name

    @property
    def verdict(self) -> str:
        """How the game ended."""
        return verdict_of(self.table, self.engine, self.names)

    @property
    def scores(self) -> list[tuple[int, ...]]:
        """The scores of all seats, before the first hand and after each."""
        return list(_scores(self.table, self.engine))

    @property
    def decisions(self) -> tuple[ReviewedDecision, ...]:
        """The decisions of the reviewed seats, in order."""
        return self.grading.decisions

    def scene(self, decision: ReviewedDecision) -> Scene:
        """Return a decision as its player saw it."""
        own = tuple("you" if place == decision.seat else name for place, name in enumerate(self.names))
        return self.table.scene(decision.view, own, self.options)

    def place(self, number: int) -> str:
        """Return the place of an action in the game."""
        return self.places[number - 1]

    def reason(self, decision: ReviewedDecision) -> str:
        """Return why a decision cost something, as the advice says; empty where it does not say."""
        try:
            advice = self.table.advise(decision.view, self.options)
        except TowerlabError:
            return ""
        known = (
            next((option for option in advice.alternatives if option.text == decision.done), None) if advice else None
        )
        if advice is None or known is None or known.cost.mean <= 0:
            return ""
        return " ".join(advice.explain(known))

    def of(self, seat: int) -> list[ReviewedDecision]:
        """Return the decisions of a seat."""
        return [decision for decision in self.decisions if decision.seat == seat]

    def choices(self, seat: int | None = None) -> list[ReviewedDecision]:
        """Return the decisions of a seat, or of all that were asked about, where there was a choice."""
        own = self.decisions if seat is None else self.of(seat)
        return [decision for decision in own if not decision.is_forced]

    @property
    def counted(self) -> tuple[str, ...]:
        """How many choices each seat had and what they cost, in sentences."""
        return tuple(self._counted(seat) for seat in self.seats if self.choices(seat))

    def _counted(self, seat: int) -> str:
        choices = self.choices(seat)
        close = [decision for decision in choices if decision.verdict == Verdict.OPEN]
        marks = Counter(decision.mark for decision in choices)
        scale = self.table.scale
        (said,) = sentences(
            "templates/counted.txt",
            name=self.names[seat],
            choices=len(choices),
            marks=[number_of(marks[mark], mark) for mark in reversed([*scale.marks]) if marks[mark]],
            lost=scale.words(total(choices)),
            each=f"{scale.number(total(choices) / len(choices)):.2f}",
            close=len(close),
            close_lost=f"{scale.number(total(close)):.2f}",
            others={
                name: f"{scale.number(mean):.2f}"
                for name, (_, mean) in self.cost_of_players(seat).items()
                if mean is not None
            },
        )
        return said

    def rate(self, seat: int) -> dict[str, Any]:
        """Return the error rate of a seat where there was a choice, as in `players` of the JSON."""
        unforced = self.choices(seat)
        judged = sum(decision.verdict != Verdict.OPEN for decision in unforced)
        return {
            "decisions": len(unforced),
            "judged": judged,
            "mistakes": sum(decision.is_mistake for decision in unforced),
            "judged_share": judged / len(unforced) if unforced else None,
            "cost_per_decision": _mean([decision.cost.mean for decision in unforced]),
        }

    def cost_of_players(self, seat: int) -> dict[str, tuple[int, float | None]]:
        """Return for each player of the simulator the number of the same decisions, and their mean cost."""
        losses = [decision.others for decision in self.choices(seat)]
        costs = {name: [others[name] for others in losses if name in others] for name in self.benchmarks}
        return {name: (len(own), _mean(own)) for name, own in costs.items()}

    @property
    def costliest(self) -> list[ReviewedDecision]:
        """Mistakes, the costliest first; then what cost something on average without being proved to."""
        costly = [decision for decision in self.decisions if decision.is_costly]
        return sorted(costly, key=lambda decision: (decision.verdict != Verdict.WORSE, -decision.cost.mean))

    def habits(self, seat: int) -> list[tuple[str, int, int, float]]:
        """Return for each kind of choice the number, the mistakes and the total cost, the costliest first."""
        choices = self.choices(seat)
        kinds = dict.fromkeys(decision.habit for decision in choices)
        groups = [(kind, [decision for decision in choices if decision.habit == kind]) for kind in kinds]
        rows = [(kind, len(own), sum(decision.is_mistake for decision in own), total(own)) for kind, own in groups]
        return sorted(rows, key=lambda row: -row[3])

    def to_json(self) -> dict[str, Any]:
        """Return the object of `towerlab review --json`; the game's own where everybody was asked about."""
        answer = super().to_json()
        if self.is_whole and self.grading.whole is not None:
            return {**self.about(), **self.grading.whole}
        players = [
            {
                "seat": seat,
                **self.rate(seat),
                "beside": {name: cost for name, (_, cost) in self.cost_of_players(seat).items()},
                "habits": [dict(zip(HABIT_KEYS, row, strict=True)) for row in self.habits(seat)],
            }
            for seat in self.seats
        ]
        return answer | {"players": players, "model": " ".join(self._method(self.grading.model or self.grading.method))}

    @property
    def sentences(self) -> tuple[str, ...]:
        """How the decisions were graded, in sentences."""
        return self._method(self.grading.method)

    def _method(self, by_game: tuple[str, ...]) -> tuple[str, ...]:
        left = self.grading.unadvised
        models = dict.fromkeys(
            f"{decision.habit}: {decision.model.rstrip('.')}" for decision in self.decisions if decision.model
        )
        return sentences("templates/method.txt", by_game=by_game, asked=self.choices(), models=models, unadvised=left)

    @property
    def benchmarks(self) -> list[str]:
        """Players whose error rates stand beside."""
        return list(dict.fromkeys(name for decision in self.decisions for name in decision.others))


def review_file(path: str | Path, reference: object = REFERENCES[0], seats: Sequence[int] | None = None) -> GameReview:
    """Return the review of the game recorded in a file.

    Args:
        path: the transcript, or a record of one seat's views.
        reference: the method that grades bids and discards of Towers & Bowers, one of `REFERENCES`; or a player of ours
            or your own, which is asked the same questions: the costs of its answers stand beside.
        seats: the seats whose decisions are reviewed, from 0; None for all.

    Raises:
        TowerlabError: the file cannot be read, holds several games, or does not hold what a seat saw.
    """
    lines = read_lines(Path(path))
    return review_lines(lines, find_game(read_header(lines)["game"]).load("table"), seats, reference=reference)


def review_lines(
    lines: Sequence[str],
    game: TableGame,
    seats: Sequence[int] | None = None,
    *,
    reference: object = REFERENCES[0],
    quiet: bool = True,
) -> GameReview:
    """Return the review of a recorded game; of a record of views only its seat's decisions; progress unless quiet.

    Raises:
        TowerlabError: the lines cannot be replayed, or do not hold what a seat saw.
    """
    engine, known, worlds = replay_views(lines, game, WAYS)
    if known is not None and not set(seats or known) <= set(known):
        raise TowerlabError(f"this record holds what seat {known[0] + 1} saw; expected --seat {known[0] + 1} or none")
    names = seat_names(lines, game, engine)
    if known is not None:
        names = tuple("you" if seat in known else f"player {seat + 1}" for seat in engine.seats)
    own_seats = seats if known is None else known
    return review_game(game, engine, names, own_seats, reference=reference, worlds=worlds, quiet=quiet)


def review_game(
    game: TableGame,
    engine: Engine[Any, Any],
    names: Sequence[str],
    seats: Sequence[int] | None = None,
    *,
    reference: object = REFERENCES[0],
    worlds: Sequence[Engine[Any, Any]] | None = None,
    quiet: bool = True,
) -> GameReview:
    """Return the review of a game.

    Args:
        game: the game's part of the table.
        engine: the game, as far as it was played.
        names: the names of the seats.
        seats: the seats whose decisions are reviewed; None for all.
        reference: the reference that grades, as in `review_file`.
        worlds: the game of a record of views in ways in which its unseen cards can lie: what needs to know them is
            averaged over them, and left out where there are none. None for a whole transcript.
        quiet: whether there is no progress on stderr.

    Raises:
        TowerlabError: no such seat, or an unknown reference.
    """
    player = None if reference in REFERENCES else find_player(reference, game.name)
    graded = tuple(engine.seats if seats is None else seats)
    if strange := [seat for seat in graded if seat not in engine.seats]:
        raise TowerlabError(f"there is no seat {strange[0] + 1}; expected 1 to {len(engine.seats)}")
    with open_progress(f"review of {find_game(game.name).title}", engine.length, quiet, unit="action") as advance:
        usual = REFERENCES[0] if player is not None else str(reference)
        grading = game.grade(engine, names, graded, usual, player, worlds, advance)
        if grading is None:
            named = [name for name in BENCHMARKS if name in game.players] + ([] if player is None else [player])
            decisions = list(_by_advice(game, engine, graded, frozenset(), named, advance))
            judged = tuple(decision for decision in decisions if decision is not None)
            grading = Grading(judged, len(decisions) - len(judged))
    return review_of(game, engine, names, graded, grading, seats is None and worlds is None)


def review_of(
    game: TableGame,
    engine: Engine[Any, Any],
    names: Sequence[str],
    seats: Sequence[int],
    grading: Grading,
    is_whole: bool = False,
) -> GameReview:
    """Return the review of a game whose decisions are graded, or some of them."""
    return GameReview(
        names=tuple(names),
        seats=tuple(seats),
        grading=grading,
        places=tuple(game.places(engine)),
        options=engine.options,
        is_whole=is_whole,
        table=game,
        engine=engine,
    )


def judge_some(
    game: TableGame, engine: Engine[Any, Any], numbers: Mapping[int, int], seconds: float
) -> dict[int, tuple[ReviewedDecision, ...]]:
    """Return the decisions among some actions, graded as in a review of the whole game.

    Args:
        numbers: the seat of each action, by its number from 1; one seat's are graded after another's, in this order.
        seconds: the time in seconds after which no other is begun.

    Returns:
        By number what was decided with an action, as far as it went: nothing where there was no choice, or no advice.
    """
    until = time.monotonic() + seconds
    decided = dict[int, tuple[ReviewedDecision, ...]]()
    for seat in dict.fromkeys(numbers.values()):
        own = [number for number, actor in numbers.items() if actor == seat]
        left_out = frozenset(range(1, engine.length + 1)) - frozenset(own)
        judged = game.judge(engine, seat, left_out) or _by_advice(game, engine, (seat,), left_out, ())
        decisions = dict[int, tuple[ReviewedDecision, ...]]()
        for decision in filter(None, judged):
            if (decided or decisions) and decision.number not in decisions and time.monotonic() > until:
                return decided | {number: decisions.get(number, ()) for number in own if number < decision.number}
            decisions[decision.number] = (*decisions.get(decision.number, ()), decision)
        decided |= {number: decisions.get(number, ()) for number in own}
    return decided


def _by_advice(
    game: TableGame,
    engine: Engine[Any, Any],
    seats: Sequence[int],
    left_out: frozenset[int],
    named: Sequence[Player],
    advance: Callable[[], None] = lambda: None,
) -> Iterator[ReviewedDecision | None]:
    """Yield every decision of some seats graded by the game's advice; None where nothing is known of it."""
    others = {str(player): game.simulation.seat(player, engine.options) for player in named}
    again = engine.reset_copy()
    for number, action in enumerate(engine.actions, 1):
        seat = again.to_act
        if seat is not None and seat in seats and action.get("player", seat) == seat and len(again.legal(seat)) > 1:
            yield None if number in left_out else _judge(game, again, action, number, seat, others)
        advance()
        again.apply(action)


def _judge(
    game: TableGame, before: Engine[Any, Any], action: Action, number: int, seat: int, others: dict[str, Act]
) -> ReviewedDecision | None:
    view = before.view(seat)
    try:
        advice = game.advise(view, before.options)
    except TowerlabError:
        return None
    known = None if advice is None else advice.of({**action, "player": seat})
    if advice is None or known is None:
        return None
    lost = {}
    legal = offered_actions(before, seat)
    for name, act in others.items():
        chosen = advice.of({**act(view, legal, np.random.default_rng([number, 1])), "player": seat})
        if chosen is not None:
            lost[name] = chosen.cost.mean
    best = advice.best if known.cost.mean > 0 else known
    return ReviewedDecision(
        number,
        seat,
        view,
        str(action["action"]),
        known.text,
        best.text,
        known.cost,
        game.scale,
        advice.best.value + game.lead(view) if advice.best.note else None,
        lost,
        len(advice.alternatives),
        advice.basis,
        advice.model,
    )


def _mean(costs: Sequence[float]) -> float | None:
    return math.fsum(costs) / len(costs) if costs else None


def _scores(game: TableGame, engine: Engine[Any, Any]) -> Iterator[tuple[int, ...]]:
    """Yield what everybody has at first and after each hand."""
    again = engine.reset_copy()
    had_ended = False
    names = [""] * len(engine.seats)
    yield (0,) * len(engine.seats)
    for action in engine.actions:
        again.apply(action)
        end = game.hand_end(again.view(0), names, engine.options)
        if end is not None and not had_ended:
            yield end.totals
        had_ended = end is not None
