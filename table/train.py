"""Which decision does the trainer ask next? Puzzles and the player's own mistakes, again until they are right.

Puzzles (`table.puzzles`) come in order, easy ones first. A decision with a wrong answer comes back after 2 others, then
after 5, 12 and 30; between any two that come back there is a new one. If the player has games of their own, the first
`COURSE` decisions, and then every second new one, are the costliest of these games. A series is ten answers to
decisions of one kind.

The rating is the mean cost of first answers to puzzles; it is shown once there are `RATED` of them. The player's own
decisions, and later answers, do not count.

    towerlab train towers-and-bowers
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from towerlab.analysis.advice import Advice, AdvisedAction
from towerlab.analysis.catalog import find_game
from towerlab.analysis.decision import Verdict
from towerlab.analysis.present import capital
from towerlab.analysis.saved_games import append_action, header_line, mend_end, read_header, read_lines, write_lines
from towerlab.analysis.stats import Estimate, cost_interval, paired_difference
from towerlab.analysis.whole_files import Lock
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError, TranscriptError
from towerlab.games.options import changed_options
from towerlab.games.transcript import Action, replay
from towerlab.table.game import HUMAN, TableGame
from towerlab.table.puzzles import Puzzle, read_puzzles
from towerlab.table.review import GameReview
from towerlab.table.rows import sentences
from towerlab.table.session import Lineup, Session

GAPS: Final = (2, 5, 12, 30)
COURSE: Final = 10  # of one's own decisions that come first
RATED: Final = 20  # decisions that count before there is a rating
SERIES: Final = 10  # answers of a series
_OTHER: Final = "opponent"  # who sits opposite in a puzzle of two, and does not act


@dataclass(frozen=True)
class Item:
    """A decision that the trainer asks.

    Attributes:
        number: its place in the order of asking, from 1; 0 before it is asked.
        actions: the game before the decision.
        seat: the seat that decides.
        weight: its weight in the rating; 0 for a decision from the player's own games.
        thumb: the loss of the rule of thumb on it; for a decision from the player's own games, its cost there.
        kind: the kind of decision that it is.
        worst: the loss of the worst answer to it.
        start: the place in a match where the game begins.
        options: rule options that are not the usual ones.
    """

    number: int
    actions: tuple[Action, ...]
    seat: int
    weight: float
    thumb: float
    kind: str
    worst: float = 0.0
    start: dict[str, Sequence[int]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Return what makes two decisions the same, as text."""
        return json.dumps((self.actions, self.seat, self.start, self.options), sort_keys=True)


@dataclass(frozen=True)
class GradedAnswer:
    """An answer and what is known about it.

    Attributes:
        theme: a puzzle's theme, in words; empty for another decision.
    """

    item: Item
    done: AdvisedAction
    advice: Advice
    theme: str = ""

    @property
    def is_right(self) -> bool | None:
        """Whether the answer is as good as the best; None where that is open."""
        verdict = self.advice.verdict(self.done)
        return None if verdict == Verdict.OPEN else verdict != Verdict.WORSE

    @property
    def sentence(self) -> str:
        """The verdict on the answer, and what it costs."""
        (said,) = sentences(
            "templates/graded.txt",
            verdict=self.advice.verdict(self.done),
            mark=self.advice.mark(self.done),
            cost=self.advice.scale.words(self.done.cost.mean),
            done=self.done.subject,
            best=self.advice.best.subject,
        )
        return capital(said)

    @property
    def why(self) -> tuple[str, ...]:
        """Why the answer costs something or is right, then why the best is best."""
        return self.advice.explain(self.done)


@dataclass(frozen=True)
class Rating:
    """The mean loss of a puzzle.

    Attributes:
        cost: the mean loss of first answers, with a 95 % interval (`cost_interval`).
        novice: the mean loss of the rule of thumb on the same puzzles.
        difference: the difference of the two on the same puzzles; below 0 where the answers are better.
    """

    cost: Estimate
    novice: float
    difference: Estimate


@dataclass
class _Repetition:
    """Where an item stands in the repetition."""

    item: Item
    box: int = 0
    due: int = 0
    is_open: bool = True
    first: float | None = None  # what its first answer cost
    was_right: bool | None = False  # that answer; None where it is open


class Trainer:
    """Decisions of a game and how they were answered, kept in a file.

    Args:
        game: the game's part of the table.
        path: the path of the file; None keeps the training in memory.

    Attributes:
        own: the player's own decisions, the costliest first.
        series: the kind of decision that is asked; empty for all.
    """

    own: Sequence[Item] = ()
    held: Lock | None = None  # on its file

    def __init__(self, game: TableGame, path: Path | None) -> None:
        self.game = game
        self.path = path
        self.series = ""
        self.answered = 0
        self._options = find_game(game.name).load("options")
        self._puzzles = {item_of(puzzle).place: puzzle for puzzle in read_puzzles(game.name)}
        self._cards: list[_Repetition] = []
        self._answers: list[bool | None] = []  # of the series
        self._was_repeated = False
        self._current: Item | None = None

    # ------------------------------------------------------------------------------------------------- one decision

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of decisions that there are series of."""
        kinds = sorted({puzzle.kind for puzzle in self._puzzles.values()})
        return kinds if len(kinds) > 1 else []

    def begin_series(self, kind: str) -> None:
        """Ask decisions of one kind from now on; of all where it is empty.

        Raises:
            TowerlabError: the game has no puzzles of that kind.
        """
        if kind and kind not in self.kinds:
            expected = ", ".join(self.kinds) or f"none: {self.game.name} has no series"
            raise TowerlabError(f"there is no series of {kind[:40]!r}; expected {expected}")
        self.series = kind
        self._answers = []
        if self._current is not None and self._current.kind != kind != "":
            self._current = None

    @property
    def item(self) -> Item:
        """The decision that is asked: one that is due again, else a new one, else the one answered longest ago.

        Raises:
            TowerlabError: there is none.
        """
        if self._current is None:
            known = [card for card in self._cards if self.series in ("", card.item.kind)]
            due = [card for card in known if card.is_open and card.due <= self.answered and not self._was_repeated]
            new = None if due else self._draw()
            if new is None and not known:
                raise TowerlabError(f"{self.game.name} has no puzzles; expected games of your own")
            self._current = new or min(due or known, key=lambda card: card.due).item
        return self._current

    def ask(self, engine: Engine[Any, Any], seat: int, actions: int) -> None:
        """Ask next the decision that a player had after some actions of a game; as one's own, it does not count.

        Raises:
            TowerlabError: it is no decision of that player.
        """
        options = changed_options(engine.options)
        item = Item(0, engine.actions[:actions], seat, 0.0, 0.0, "own", options=options)
        at = self.position(item).engine
        if actions >= engine.length or at.to_act != seat or len(at.legal(seat)) < 2:
            raise TowerlabError(f"player {seat + 1} decided nothing after {actions} actions; expected a decision")
        known = (card.item for card in self._cards if card.item.place == item.place)
        self.series = ""
        self._current = next(known, None) or self._keep(item)

    def position(self, item: Item) -> Session:
        """Return the table before a decision."""
        options = self._options(**item.options)
        players = (HUMAN if seat == item.seat else _OTHER for seat in range(self.game.seats(options)))
        seating = Lineup(tuple(players), 0)
        session = Session(self.game, self.game.start(options).starting_from(item.start), seating, None)
        for action in item.actions:
            session.engine.apply(action)
        return session

    def puzzle(self, item: Item) -> Puzzle | None:
        """Return the puzzle that a decision is; None of one's own decisions."""
        return self._puzzles.get(item.place)

    def answer(self, action: Action) -> GradedAnswer:
        """Answer the decision that is asked; written to the file.

        Raises:
            TowerlabError: the rules do not allow it, or nothing is known about it; nothing has changed.
        """
        item = self.item
        engine = self.position(item).engine
        engine.verify({**action, "player": item.seat})
        puzzle = self.puzzle(item)
        advice = self._advise(engine, item.seat) if puzzle is None else puzzle.advice(self.game, engine)
        done = None if advice is None else advice.of({**action, "player": item.seat})
        if advice is None or done is None:
            raise TowerlabError("nothing is known about that; expected another action of the list")
        graded = GradedAnswer(item, done, advice, "" if puzzle is None else puzzle.theme(self.game))
        event = {"answer": item.number, "action": action, "cost": done.cost.mean, "right": graded.is_right}
        self._write(event)
        self._take_answer(item.number, done.cost.mean, graded.is_right)
        self._answers.append(graded.is_right)
        self._current = None
        return graded

    # ---------------------------------------------------------------------------------------------------- the rating

    @property
    def open(self) -> int:
        """The number of decisions that will come back."""
        return sum(card.is_open for card in self._cards if card.first is not None)

    @property
    def counted(self) -> int:
        """The number of decisions that count in the rating: by their first answers, one's own left out."""
        return len(self._counted())

    def _counted(self) -> list[_Repetition]:
        return [card for card in self._cards if card.first is not None and card.item.weight > 0]

    def rating(self) -> Rating | None:
        """Return the rating; None before enough decisions count."""
        counted = self._counted()
        if len(counted) < RATED:
            return None
        costs = np.maximum([card.first or 0.0 for card in counted], 0.0)
        thumbs = np.array([card.item.thumb for card in counted])
        most = max(*(max(card.item.worst, card.item.thumb) for card in counted), *costs)
        return Rating(cost_interval(costs, most), float(thumbs.mean()), paired_difference(costs, thumbs))

    @property
    def standing(self) -> str:
        """How the training stands, in sentences."""
        due = [card.due - self.answered for card in self._cards if card.is_open and card.first is not None]
        first = [card.was_right for card in self._cards if card.first is not None and card.was_right is not None]
        shown = {"first": first, "later": sorted(max(others, 0) for others in due), "rating": self.rating()}
        ended = self._answers[-SERIES:] if self.series and self._answers and not len(self._answers) % SERIES else []
        (said,) = sentences(
            "templates/standing.txt", trainer=self, rated=RATED, scale=self.game.scale, ended=ended, **shown
        )
        return said

    # ---------------------------------------------------------------------------------------------------- the ground

    def _draw(self) -> Item | None:
        """Return a new decision of the series: one's own costliest, or the next puzzle; None where there is none."""
        known = {card.item.place for card in self._cards}
        takes_own = not self.series and (len(self._cards) < COURSE or len(self._cards) % 2)
        for item in self.own if takes_own else ():
            if item.place not in known:
                return self._keep(item)
        new = (puzzle for place, puzzle in self._puzzles.items() if place not in known)
        puzzle = next((puzzle for puzzle in new if self.series in ("", puzzle.kind)), None)
        return None if puzzle is None else self._keep(item_of(puzzle))

    def _keep(self, item: Item) -> Item:
        """Write a new decision down, with its number."""
        item = replace(item, number=len(self._cards) + 1)
        self._write({"item": item.number, **{key: value for key, value in vars(item).items() if key != "number"}})
        self._cards.append(_Repetition(item))
        return item

    def _advise(self, engine: Engine[Any, Any], seat: int) -> Advice | None:
        try:
            return self.game.advise(engine.view(seat), engine.options)
        except TowerlabError:  # rules that no advice is made for
            return None

    def _take_answer(self, number: int, cost: float, is_right: bool | None) -> None:
        card = self._cards[number - 1]
        self.answered += 1
        self._was_repeated = card.first is not None
        if card.first is None:
            card.first = cost
            card.is_open = is_right is False
            card.was_right = is_right
        elif is_right is False:
            card.box = 0
            card.is_open = True
        elif card.is_open:
            card.box += 1
            card.is_open = card.box < len(GAPS)
        card.due = self.answered + (GAPS[card.box] if card.is_open else 0)

    def _write(self, event: dict[str, Any]) -> None:
        if self.path is None:
            return
        if not self.path.exists():
            write_lines(self.path, [header_line(self.game.name, self._options(), {"training": 0})])
        append_action(self.path, event)

    def read(self, events: list[dict[str, Any]], options: Any = None) -> Trainer:
        """Take up what was answered before.

        Args:
            options: rule options of decisions that name none, as those of version 1.0.

        Raises:
            TranscriptError: the number of the line and what is wrong with it.
        """
        usual = {} if options is None else changed_options(options)
        for number, event in enumerate(events, 2):
            try:
                if "item" in event:
                    known = {"worst": 0.0, "start": {}, "options": usual, **event}  # of older trainings
                    fields = (known[key] for key in ("seat", "weight", "thumb", "kind", "worst", "start", "options"))
                    item = Item(event["item"], tuple(event["actions"]), *fields)
                    assert item.number == len(self._cards) + 1
                    self._cards.append(_Repetition(item))
                    self._current = item
                else:
                    self._take_answer(int(event["answer"]), float(event["cost"]), event["right"])
                    self._current = None
            except (KeyError, TypeError, ValueError, IndexError, AssertionError) as error:
                raise TranscriptError(f"line {number} is not of a training; expected an item or an answer") from error
        return self


def item_of(puzzle: Puzzle) -> Item:
    """Return a puzzle as a decision that is not yet asked."""
    start = dict(puzzle.start)
    return Item(0, puzzle.actions, puzzle.seat, 1.0, puzzle.thumb, puzzle.kind, puzzle.worst, start)


def own_decisions(trainer: Trainer, reviews: Iterable[GameReview]) -> list[Item]:
    """Return the decisions that surely cost something in games and can be asked again, the costliest first."""
    items = list[Item]()
    for review in reviews:
        for decision in review.decisions:
            if decision.verdict == Verdict.WORSE:
                actions = review.engine.actions[: decision.number - 1]
                options = changed_options(review.options)
                item = Item(0, actions, decision.seat, 0.0, decision.cost.mean, decision.habit, options=options)
                with contextlib.suppress(TowerlabError):  # such as of a record that begins in the middle of a match
                    engine = trainer.position(item).engine
                    if engine.view(item.seat) == decision.view and len(engine.legal(item.seat)) > 1:
                        items.append(item)
    return sorted(items, key=lambda item: -item.thumb)


def read_training(path: Path, game: TableGame) -> Trainer:
    """Return a training read back from its file.

    Raises:
        TowerlabError: what is wrong with the file.
    """
    lines = read_lines(path)
    events = list[Action]()
    table = read_header(lines).get("table")
    if not isinstance(table, dict) or type(table.get("training")) is not int:
        raise TranscriptError(f"{path} is no training; expected a file of `towerlab train`")
    kind = find_game(game.name).load("options")
    options = replay(lines, game.name, kind, lambda rules: rules, lambda _, event: events.append(event))
    trainer = Trainer(game, path).read(events, options)
    mend_end(path, lines)
    return trainer
