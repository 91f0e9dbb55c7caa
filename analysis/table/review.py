"""Look back at a game: every decision with the position as its player saw it, what he did, what was best, its cost.

Each decision is graded by the game's advice, from the view of the player alone: hidden cards are not held against him.
Where the advice is sampled a cost counts as a mistake only if its paired 95 % interval leaves out 0; how many
decisions could be judged so is told. Beside his error rate stand those that other players would have had, asked the
same questions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from analysis.present.answers import Answer
from analysis.stats import Estimate
from analysis.table.game import Advice, Decider, Luck, TableGame
from analysis.table.hindsight import Known, Part, look_back, told_parts
from analysis.table.record import replay_views
from analysis.table.scene import Scene
from analysis.table.session import verdict_of
from analysis.table.showing import seat_names
from games.engine import Engine, Result
from games.errors import TowerlabError
from games.transcript import Action

BENCHMARKS: Final = ("novice", "pimc")
HABIT_KEYS: Final = ("kind", "decisions", "mistakes", "cost")
_ADVICE, _LOTS = range(2)


@dataclass(frozen=True)
class Judged:
    """One decision.

    Attributes:
        number: of the action, from 1.
        seat: who decided.
        scene: as he saw it.
        habit: what kind of decision it was, for the table of habits.
        done, best: what he did and what was best, in words.
        loss: what it cost, with the paired interval.
        others: what players of the simulator would have lost here, by name.
        options: how many alternatives there were.
        advice: all that was known.
    """

    number: int
    seat: int
    scene: Scene
    habit: str
    done: str
    best: str
    loss: Estimate
    others: dict[str, float]
    options: int
    advice: Advice

    @property
    def is_judged(self) -> bool:
        """Whether the sample tells: the cost is surely one, or surely none."""
        return self.loss.low > 0 or self.loss.high <= 0

    @property
    def is_mistake(self) -> bool:
        """Whether the cost is surely one."""
        return self.loss.low > 0

    def to_json(self) -> dict[str, Any]:
        """An entry of `decisions`."""
        return {
            "number": self.number,
            "player": self.seat,
            "kind": self.habit,
            "action": self.done,
            "best": self.best,
            "cost": self.loss.mean,
            "interval": [self.loss.low, self.loss.high],
            "mistake": self.is_mistake,
            "basis": self.advice.basis,
        }


@dataclass(frozen=True)
class Rate:
    """An error rate.

    Attributes:
        decisions: with more than one alternative.
        judged, mistakes: of them.
        cost: mean cost of a decision, with its interval.
    """

    decisions: int
    judged: int
    mistakes: int
    cost: Estimate

    def to_json(self) -> dict[str, Any]:
        """As in `players`."""
        return {
            "decisions": self.decisions,
            "judged": self.judged,
            "mistakes": self.mistakes,
            "judged_share": self.judged / self.decisions if self.decisions else None,
            "cost_per_decision": None if math.isnan(self.cost.mean) else self.cost.mean,
        }


@dataclass(frozen=True)
class GameReview(Answer, shown_by="analysis.table.present:review_report", table="decisions"):
    """A game looked back at.

    Attributes:
        game: its name; title: for people.
        names: of the seats.
        verdict: how it ended.
        unit: of the costs.
        decisions: in order, of the seats that were asked about.
        seats: those seats.
        unadvised: decisions for which there is no advice.
        luck: luck and skill, where they can be kept apart.
        parts: could they have won? The deals of those seats with all cards open.
    """

    game: str
    title: str
    names: tuple[str, ...]
    verdict: str
    unit: str
    decisions: tuple[Judged, ...]
    seats: tuple[int, ...]
    result: Result | None
    unadvised: int
    parts: tuple[Part, ...] = ()
    luck: Luck | None = None

    def of(self, seat: int) -> list[Judged]:
        """The decisions of a seat."""
        return [one for one in self.decisions if one.seat == seat]

    def rate(self, seat: int, player: str | None = None) -> Rate:
        """The error rate of a seat, or of a player of the simulator asked the same questions."""
        asked = self.of(seat)
        if player is None:
            costs = [one.loss.mean for one in asked]
        else:
            costs = [one.others[player] for one in asked if player in one.others]
        judged, mistakes = sum(one.is_judged for one in asked), sum(one.is_mistake for one in asked)
        return Rate(len(costs), judged, mistakes, _mean(costs))

    @property
    def costliest(self) -> list[Judged]:
        """Mistakes, the costliest first; then what cost something on average without being proved to."""
        costly = [one for one in self.decisions if one.loss.mean > 1e-9]
        return sorted(costly, key=lambda one: (not one.is_mistake, -one.loss.mean))

    @property
    def could_have_won(self) -> list[str]:
        """Could it have been won? A sentence of each deal that was not, and how many there are."""
        return told_parts(self.parts, self.names) if self.parts else []

    def habits(self, seat: int) -> list[tuple[str, int, int, float]]:
        """By kind of decision: how many, how many mistakes, cost in all; the costliest first."""
        kinds = dict.fromkeys(one.habit for one in self.of(seat))
        rows = []
        for kind in kinds:
            own = [one for one in self.of(seat) if one.habit == kind]
            rows.append((kind, len(own), sum(one.is_mistake for one in own), math.fsum(one.loss.mean for one in own)))
        return sorted(rows, key=lambda row: -row[3])

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab review --json`, in the games without a ledger of luck."""
        players = []
        for seat in self.seats:
            rate = self.rate(seat).to_json()
            beside = {name: self.rate(seat, name).to_json()["cost_per_decision"] for name in self.benchmarks}
            habits = [dict(zip(HABIT_KEYS, row, strict=True)) for row in self.habits(seat)]
            players.append({"seat": seat, **rate, "beside": beside, "habits": habits})
        return {
            "game": self.game,
            "unit": self.unit,
            "verdict": self.verdict,
            "players": players,
            "decisions": [one.to_json() for one in self.decisions],
            "parts": [part.to_json() for part in self.parts],
            "match": None if self.luck is None else self.luck.to_json(),
            "unadvised": self.unadvised,
            "model": self.method,
        }

    @property
    def method(self) -> str:
        """How the decisions were graded, in sentences."""
        asked = [one for one in self.decisions if one.options > 1]
        judged = sum(one.is_judged for one in asked)
        models = dict.fromkeys(f"{one.habit}: {one.advice.model.rstrip('.')}" for one in self.decisions)
        left = f" {self.unadvised} decisions have no advice." if self.unadvised else ""
        return (
            f"Each decision is graded by what its player could see. {judged} of {len(asked)} could be judged: a cost "
            f"is a mistake only where its paired 95 % interval leaves out 0.{left} Models: {'; '.join(models)}."
        )

    @property
    def benchmarks(self) -> list[str]:
        """Players whose error rates stand beside."""
        return list(dict.fromkeys(name for one in self.decisions for name in one.others))


def review_lines(
    lines: Sequence[str],
    game: TableGame,
    seats: Sequence[int] | None = None,
    *,
    benchmarks: Sequence[str] = BENCHMARKS,
    on_step: Callable[[int, int], object] = lambda done, of: None,
) -> GameReview:
    """Look back at a recorded game; of a record of views only at the decisions of its seat.

    Raises:
        TowerlabError: the lines cannot be replayed, or do not hold what a seat saw.
    """
    engine, known, unclear = replay_views(lines, game)
    if known is not None and not set(seats or known) <= set(known):
        raise TowerlabError(f"this record holds what seat {known[0]} saw; expected --seat {known[0]} or none")
    names = seat_names(lines, game, engine)
    asked = seats if known is None else known
    return review_game(game, engine, names, asked, benchmarks=benchmarks, on_step=on_step, unclear=unclear)


def review_game(
    game: TableGame,
    engine: Engine[Any, Any],
    names: Sequence[str],
    seats: Sequence[int] | None = None,
    *,
    benchmarks: Sequence[str] = BENCHMARKS,
    on_step: Callable[[int, int], object] = lambda done, of: None,
    unclear: frozenset[int] | None = None,
) -> GameReview:
    """Look back at a game.

    Args:
        game: what it brings to the table.
        engine: as far as it was played.
        names: of the seats.
        seats: whose decisions; None for all.
        benchmarks: players of the simulator who are asked the same questions, as far as the game has them.
        on_step: called with (actions looked at, actions in all).
        unclear: of a record of views, the numbers of actions before which it is not known what their player saw; its
            unseen cards are made up, so nothing is said about open cards. None for a whole transcript.

    Raises:
        TowerlabError: no such seat.
    """
    asked = tuple(engine.seats if seats is None else seats)
    if strange := [seat for seat in asked if seat not in engine.seats]:
        raise TowerlabError(f"there is no seat {strange[0]}; expected 0 to {len(engine.seats) - 1}")
    others = {name: game.decider(name, engine.options) for name in benchmarks if name in game.players}
    decisions, unadvised = [], 0
    for before, action, seat in _decisions(game, engine, on_step):
        if seat not in asked or len(before.legal(seat)) < 2:
            continue
        number = len(before.actions) + 1
        judged = None if number in (unclear or ()) else _judge(game, before, action, seat, names, others)
        if judged is None:
            unadvised += 1
        else:
            decisions.append(judged)
    unit = decisions[0].advice.unit if decisions else game.unit
    return GameReview(
        game.name,
        game.title,
        tuple(names),
        verdict_of(engine, names),
        unit,
        tuple(decisions),
        asked,
        engine.result,
        unadvised,
        () if unclear is not None else _parts(game, engine, asked, decisions, unit),
        None if unclear is not None or game.luck is None else game.luck(engine),
    )


def _parts(
    game: TableGame, engine: Engine[Any, Any], seats: Sequence[int], decisions: Sequence[Judged], unit: str
) -> tuple[Part, ...]:
    """Could they have won? Nothing where the game or its rules know no open cards."""
    if game.hindsight is None:
        return ()

    def tell(action: Action, before: Engine[Any, Any]) -> str:
        seat = action.get("player", before.to_act)
        assert isinstance(seat, int)
        return game.prompt(before.view(seat), [action]).choices[0].text

    def known(seat: int) -> list[Known]:
        own = (one for one in decisions if one.seat == seat)
        return [Known(one.number, one.done, one.best, max(one.loss.mean, 0.0)) for one in own]

    start = game.begin_again(engine)
    try:
        return look_back(start, engine.actions, seats, game.hindsight(), tell, known, unit)
    except TowerlabError:  # rules that the solver does not know
        return ()


def _decisions(
    game: TableGame, engine: Engine[Any, Any], on_step: Callable[[int, int], object]
) -> Iterator[tuple[Engine[Any, Any], Action, int | None]]:
    """Every action with the game before it and who took it; None for chance."""
    again, actions = game.begin_again(engine), engine.actions
    for number, action in enumerate(actions, 1):
        on_step(number, len(actions))
        seat = None if again.to_act is None else action.get("player", again.to_act)
        yield again, action, seat if seat == again.to_act else None
        again.apply(action)


def _judge(
    game: TableGame,
    before: Engine[Any, Any],
    action: Action,
    seat: int,
    names: Sequence[str],
    others: dict[str, Decider],
) -> Judged | None:
    view, number = before.view(seat), len(before.actions) + 1
    own = tuple("you" if place == seat else name for place, name in enumerate(names))
    try:
        advice = game.advise(view, before.options, number)
    except TowerlabError:
        return None
    known = None if advice is None else advice.of({**action, "player": seat})
    if advice is None or known is None:
        return None
    lost = {}
    for name, decide in others.items():
        chosen = advice.of({**decide(view, np.random.default_rng([number, _LOTS])), "player": seat})
        if chosen is not None:
            lost[name] = chosen.loss.mean
    best = advice.options[0] if known.loss.mean > 0 else known
    scene = game.scene(view, own)
    habit = str(action["action"])
    return Judged(number, seat, scene, habit, known.text, best.text, known.loss, lost, len(advice.options), advice)


def _mean(costs: Sequence[float]) -> Estimate:
    if not costs:
        return Estimate(math.nan, -math.inf, math.inf, 0)
    mean = math.fsum(costs) / len(costs)
    if len(costs) == 1:
        return Estimate(mean, -math.inf, math.inf, 1)
    half = 1.96 * float(np.std(costs, ddof=1)) / math.sqrt(len(costs))
    return Estimate(mean, mean - half, mean + half, len(costs))
