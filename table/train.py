"""The trainer: decisions to be answered, graded by the advice, asked again until they are right.

Decisions arise in games between players who follow the rule of thumb, as often as they arise there; of those looked at
one is drawn, half of the time any, half of the time by what the rule of thumb loses on it: how often it occurs times
what is lost on it. A decision answered wrongly comes back after 2 others, then after 5, 12 and 30; a new one stands
between any two that come back. With games of one's own the first `COURSE` decisions, and then every second new one, are
those that cost most there.

The rating is the mean cost of first answers as decisions occur in play: a cost counts inversely to the odds of its
decision being drawn, which makes the mean unbiased. It is given once `RATED` decisions count; one's own decisions, and
later answers to any, do not.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from towerlab.analysis.advice import Advice, Advised
from towerlab.analysis.catalog import find_game
from towerlab.analysis.decision import Verdict
from towerlab.analysis.saved_games import append_action, header_line, mend_end, read_header, read_lines, write_lines
from towerlab.analysis.stats import Estimate, cost_interval, paired_difference
from towerlab.analysis.whole_files import Lock
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError, TranscriptError
from towerlab.games.transcript import Action, replay
from towerlab.table.game import NOVICE, TableGame
from towerlab.table.review import GameReview
from towerlab.table.rows import sentences
from towerlab.table.session import Lineup, Session, new_seed

GAPS: Final = (2, 5, 12, 30)
COURSE: Final = 10  # of one's own decisions that come first
RATED: Final = 20  # decisions that count before there is a rating
LOOKED_AT: Final = 24
LEAST: Final = 5
SECONDS: Final = 1.5  # of looking for a decision, once one is found
LEAST_WEIGHT: Final = 1.0  # of the mean cost: what a decision weighs on which nothing is lost
_LONGEST: Final = 400  # actions of a game that decisions are taken from
_BARREN_GAMES: Final = 20  # without a decision that anything is known about, before the search ends
_STEP: Final = 0.35  # share of its decisions that are looked at
_LEAST_ODDS: Final = LEAST_WEIGHT / (1 + LEAST_WEIGHT)  # of being drawn, against the average decision


@dataclass(frozen=True)
class Item:
    """A decision.

    Attributes:
        number: from 1, in order of drawing; 0 before.
        actions: the game before it.
        seat: whose decision.
        weight: odds of its being drawn, against the average decision; 0 for one's own, which does not count.
        thumb: what the rule of thumb loses on it, and what one's own decision cost.
        kind: what sort of decision.
        worst: what the worst answer to it loses.
    """

    number: int
    actions: tuple[Action, ...]
    seat: int
    weight: float
    thumb: float
    kind: str
    worst: float = 0.0


@dataclass(frozen=True)
class Graded:
    """An answer and what is known about it."""

    item: Item
    done: Advised
    advice: Advice

    @property
    def is_right(self) -> bool | None:
        """Whether the answer is as good as the best; None where that is open."""
        verdict = self.advice.verdict(self.done)
        return None if verdict == Verdict.OPEN else verdict != Verdict.WORSE

    @property
    def sentence(self) -> str:
        """The verdict on the answer, and what it cost."""
        scale = self.advice.scale
        (said,) = sentences(
            "templates/graded.txt",
            verdict=self.advice.verdict(self.done),
            mark=self.advice.mark(self.done),
            cost=scale.words(self.done.cost.mean),
            interval=scale.interval_words(self.done.cost),
            is_costly=self.done.cost.mean > scale.tolerance,
            tolerance=scale.words(scale.tolerance),
            open=self.advice.open_words,
        )
        return said

    @property
    def why(self) -> str:
        """Why the answer is worse than the best, as the advice counts it; nothing where it is not so."""
        return self.advice.why(self.done) if self.done.cost.mean > 0 else ""


@dataclass(frozen=True)
class Rating:
    """The mean loss of a decision, as decisions occur in play.

    Attributes:
        cost: of first answers, with a 95 % interval (`cost_interval`).
        novice: what the rule of thumb loses on the same decisions.
        difference: of the two on the same decisions; below 0 where the answers are better.
    """

    cost: Estimate
    novice: float
    difference: Estimate


@dataclass
class _Card:
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
        game: what it brings to the table.
        options: rule options.
        path: of the file; None keeps it in memory.
        seed: of the decisions; None draws one.

    Attributes:
        own: one's own decisions, the costliest first.
    """

    own: Sequence[Item] = ()
    held: Lock | None = None  # on its file

    def __init__(self, game: TableGame, options: Any, path: Path | None, seed: int | None = None) -> None:
        self.game = game
        self.options = options
        self.path = path
        self.seed = new_seed() if seed is None else seed
        self._cards: list[_Card] = []
        self.answered = 0
        self._was_repeated = False
        self._current: Item | None = None
        self._thumb = game.simulation.seat(NOVICE, options)
        self._found = self._decisions()

    # ------------------------------------------------------------------------------------------------- one decision

    @property
    def item(self) -> Item:
        """The decision that is asked: one that is due again, or a new one."""
        if self._current is None:
            due = [
                card for card in self._cards if card.is_open and card.due <= self.answered and not self._was_repeated
            ]
            self._current = min(due, key=lambda card: card.due).item if due else self._draw()
        return self._current

    def ask(self, engine: Engine[Any, Any], seat: int, actions: int) -> None:
        """Ask next what a player decided after so many actions of a game; one's own, it does not count.

        Raises:
            TowerlabError: it is no decision of that player, or one by other rules.
        """
        if engine.options != self.options:
            raise TowerlabError("that game has other rule options; expected one by those of this training")
        item = Item(0, engine.actions[:actions], seat, 0.0, 0.0, "own")
        at = self.position(item).engine
        if actions >= engine.length or at.to_act != seat or len(at.legal(seat)) < 2:
            raise TowerlabError(f"player {seat + 1} decided nothing after {actions} actions; expected a decision")
        known = (card.item for card in self._cards if (card.item.actions, card.item.seat) == (item.actions, seat))
        self._current = next(known, None) or self._keep(item)

    def position(self, item: Item) -> Session:
        """The table before a decision."""
        session = self._begin(0)
        for action in item.actions:
            session.engine.apply(action)
        return session

    def _begin(self, seed: int) -> Session:
        seating = Lineup((NOVICE,) * self.game.seats(self.options), seed)
        return Session(self.game, self.game.start(self.options), seating, None)

    def answer(self, action: Action) -> Graded:
        """Answer the decision that is asked; written to the file.

        Raises:
            TowerlabError: the rules do not allow it, or nothing is known about it; nothing has changed.
        """
        item = self.item
        engine = self.position(item).engine
        engine.verify({**action, "player": item.seat})
        advice = self._advise(engine, item.seat)
        done = None if advice is None else advice.of({**action, "player": item.seat})
        if advice is None or done is None:
            raise TowerlabError("nothing is known about that; expected another action of the list")
        graded = Graded(item, done, advice)
        event = {"answer": item.number, "action": action, "cost": done.cost.mean, "right": graded.is_right}
        self._write(event)
        self._take_answer(item.number, done.cost.mean, graded.is_right)
        self._current = None
        return graded

    # ---------------------------------------------------------------------------------------------------- the rating

    @property
    def open(self) -> int:
        """Decisions that will come back."""
        return sum(card.is_open for card in self._cards if card.first is not None)

    @property
    def counted(self) -> int:
        """Decisions that count in the rating: by their first answers, one's own left out."""
        return len(self._counted())

    def _counted(self) -> list[tuple[float, float, float]]:
        """Return the loss of each first answer that counts, the rule of thumb's, and the odds of its being drawn."""
        return [
            (card.first, card.item.thumb, card.item.weight)
            for card in self._cards
            if card.first is not None and card.item.weight > 0
        ]

    def rating(self) -> Rating | None:
        """The rating; None before enough decisions count."""
        counted = self._counted()
        if len(counted) < RATED:
            return None
        costs, thumbs, odds = np.array(counted).T
        gained = paired_difference(np.maximum(costs, 0) / odds, thumbs / odds)
        most = max(max(card.item.worst, card.item.thumb) for card in self._cards if card.item.weight > 0)
        most = max(most, costs.max()) / _LEAST_ODDS
        return Rating(cost_interval(np.maximum(costs, 0) / odds, most), float(np.mean(thumbs / odds)), gained)

    @property
    def standing(self) -> str:
        """How the training stands, in sentences."""
        due = [card.due - self.answered for card in self._cards if card.is_open and card.first is not None]
        first = [card.was_right for card in self._cards if card.first is not None and card.was_right is not None]
        shown = {"first": first, "later": sorted(max(others, 0) for others in due), "rating": self.rating()}
        (said,) = sentences("templates/standing.txt", trainer=self, rated=RATED, scale=self.game.scale, **shown)
        return said

    # ---------------------------------------------------------------------------------------------------- the ground

    def _draw(self) -> Item:
        """A new decision: one's own costliest, or of those looked at one by what the rule of thumb loses on it."""
        if len(self._cards) < COURSE or len(self._cards) % 2:
            known = [(card.item.actions, card.item.seat) for card in self._cards]
            for decision in self.own:
                if (decision.actions, decision.seat) not in known:
                    return self._keep(decision)
        looked: list[Item] = []
        until = time.monotonic() + SECONDS
        for item in self._found:
            looked.append(item)
            if len(looked) >= LOOKED_AT or (len(looked) >= LEAST and time.monotonic() > until):
                break
        if not looked:
            raise TowerlabError(
                f"{_BARREN_GAMES} games of {self.game.name} by these rules have no decision with advice; "
                "expected a game and rules that advice is made for"
            )
        costs = np.array([item.thumb for item in looked])
        weights = costs + LEAST_WEIGHT * (costs.mean() or 1.0)
        random = np.random.default_rng([self.seed, len(self._cards), 1])
        place = int(random.choice(len(looked), p=weights / weights.sum()))
        return self._keep(replace(looked[place], weight=float(weights[place] / weights.mean())))

    def _keep(self, item: Item) -> Item:
        """Write a new decision down, with its number."""
        item = replace(item, number=len(self._cards) + 1)
        self._write({"item": item.number, **{key: value for key, value in vars(item).items() if key != "number"}})
        self._cards.append(_Card(item))
        return item

    def _decisions(self) -> Iterator[Item]:
        """Yield decisions as they occur, until `_BARREN_GAMES` games in a row have none."""
        barren = 0
        while barren < _BARREN_GAMES:
            barren += 1
            seed = new_seed() if self._cards else self.seed
            session = self._begin(seed)
            random = np.random.default_rng([seed, 2])
            while session.engine.result is None and session.length < _LONGEST:
                engine = session.engine
                seat = session.engine.to_act
                if seat is not None and random.random() < _STEP and len(engine.legal(seat)) > 1:
                    advice = self._advise(engine, seat)
                    done = {**self._thumb(engine.view(seat), (), random), "player": seat}
                    known = None if advice is None else advice.of(done)
                    if known is not None and advice is not None and (len(advice.alternatives) > 1 or advice.grade):
                        lost = known.cost.mean
                        worst = max(option.cost.mean for option in (known, *advice.alternatives))
                        kind = str(done["action"])
                        barren = 0
                        yield Item(0, engine.actions, seat, 0.0, max(lost, 0.0), kind, max(worst, 0.0))
                session.step()

    def _advise(self, engine: Engine[Any, Any], seat: int) -> Advice | None:
        try:
            return self.game.advise(engine.view(seat), self.options)
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
        elif is_right is not False:
            card.box += 1
            card.is_open = card.box < len(GAPS)
        else:
            card.box = 0
        if card.is_open:
            card.due = self.answered + GAPS[card.box]

    def _write(self, event: dict[str, Any]) -> None:
        if self.path is None:
            return
        if not self.path.exists():
            write_lines(self.path, [header_line(self.game.name, self.options, {"training": self.seed})])
        append_action(self.path, event)

    def read(self, events: list[dict[str, Any]]) -> Trainer:
        """Take up what was answered before.

        Raises:
            TranscriptError: the number of the line and what is wrong with it.
        """
        for number, event in enumerate(events, 2):
            try:
                if "item" in event:
                    known = {"worst": 0.0, **event}  # which trainings before 1.1 do not say
                    fields = (known[key] for key in ("seat", "weight", "thumb", "kind", "worst"))
                    item = Item(event["item"], tuple(event["actions"]), *fields)
                    assert item.number == len(self._cards) + 1
                    self._cards.append(_Card(item))
                    self._current = item
                else:
                    self._take_answer(int(event["answer"]), float(event["cost"]), event["right"])
                    self._current = None
            except (KeyError, TypeError, ValueError, IndexError, AssertionError) as error:
                raise TranscriptError(f"line {number} is not of a training; expected an item or an answer") from error
        return self


def own_decisions(trainer: Trainer, reviews: Iterable[GameReview]) -> list[Item]:
    """What surely cost something in games of the same rules, the costliest first, as far as it can be asked again."""
    items = list[Item]()
    for review in reviews:
        for decision in review.decisions:
            if decision.verdict == Verdict.WORSE:
                actions = review.engine.actions[: decision.number - 1]
                seat = decision.seat
                item = Item(0, actions, seat, 0.0, decision.cost.mean, decision.habit)
                with contextlib.suppress(TowerlabError):  # such as of a record that begins in the middle of a match
                    engine = trainer.position(item).engine
                    if engine.view(seat) == decision.view and len(engine.legal(seat)) > 1:
                        items.append(item)
    return sorted(items, key=lambda item: -item.thumb)


def read_training(path: Path, game: TableGame) -> Trainer:
    """A training read back from its file.

    Raises:
        TowerlabError: what is wrong with the file.
    """
    lines = read_lines(path)
    events = list[Action]()
    table = read_header(lines).get("table")
    seed = table.get("training") if isinstance(table, dict) else None
    if type(seed) is not int or seed < 0:
        raise TranscriptError(f"{path} is no training; expected a file of `towerlab train`")
    kind = find_game(game.name).load("options")
    options = replay(lines, game.name, kind, lambda rules: rules, lambda _, event: events.append(event))
    trainer = Trainer(game, options, path, seed).read(events)
    mend_end(path, lines)
    return trainer
