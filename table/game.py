"""The parts of a game at the table: how it is drawn, what its actions are called, who plays it, what advises it."""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from towerlab.analysis.advice import MISTAKES, Advice, Choice, Marks
from towerlab.analysis.catalog import find_game
from towerlab.analysis.players import Player
from towerlab.analysis.present import number_of, signed
from towerlab.analysis.present.answers import Answer
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action, replay
from towerlab.sim.batch import GameSimulation
from towerlab.table.grading import Grading, Judged
from towerlab.table.hindsight import Hindsight
from towerlab.table.scene import Cards, Ended, Hand, Part, Scene

NOVICE: Final = "novice"
HUMAN: Final = "human"
LEVELS: Final = Path(__file__).with_name("levels.csv")
"""The mean loss of players to the expert; ``python -m docs.levels`` makes it."""
MOST_LISTED: Final = 80
"""Actions that are numbered; where there are more and they are sets of cards, the others are named."""


@dataclass(frozen=True)
class Pick:
    """An action that is a set of cards, where there are too many to list.

    Attributes:
        cards: to choose among.
        least, most: how many.
        make: chosen texts → the action.
        verb: what is done with them.
        button: what the button says that does it; by default the verb.
        also: what else can be typed, in words; empty where nothing can.
        extras: what else can be tapped: a letter of what is typed, its name, how many at most.
        read: a plain line (`reading.plain_words`) → the action of what else can be typed; None where it is none.
    """

    cards: tuple[str, ...]
    least: int
    most: int
    make: Callable[[Sequence[str]], Action]
    verb: str
    button: str = ""
    also: str = ""
    extras: tuple[tuple[str, str, int], ...] = ()
    read: Callable[[str], Action | None] = lambda line: None

    @property
    def many(self) -> str:
        """How many cards: ``"2"`` or ``"1 to 3"``."""
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"

    def check(self, count: int) -> None:
        """Refuse another number of cards.

        Raises:
            TowerlabError: how many were expected.
        """
        if not self.least <= count <= self.most:
            raise TowerlabError(f"{number_of(count, 'card')} chosen; expected {self.many}")


@dataclass(frozen=True)
class Prompt:
    """A question to a seat.

    Attributes:
        question: in a line.
        choices: the actions that are listed, numbered from 1.
        pick: how the others are named; None where all are listed.
        source: whose card is due, where it is not that of who plays it: ``"dummy"``.
    """

    question: str
    choices: tuple[Choice, ...]
    pick: Pick | None = None
    source: str = ""


@dataclass(frozen=True)
class Numbering:
    """How views and actions become numbers, for programs that learn (`table.environment`).

    Attributes:
        cards: fields of the view that are printed masks.
        lengths: by field, the most entries of a tuple of any length, one number a depth, 0 for one entry a seat;
            where nothing is said, all have one entry a seat.
        words: texts in actions besides the actions' own names, cards and whole numbers; called when they are asked for,
            since texts of calls take kernels.
    """

    cards: frozenset[str] = frozenset()
    lengths: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    words: Callable[[], Iterable[str]] = tuple


@dataclass(frozen=True)
class GuidedGame:
    """A first game, explained while it is played.

    Attributes:
        options, against, seed: how it begins, as of `open_session`.
        tell: what the player on turn sees → sentences about it.
    """

    options: tuple[str, ...]
    against: str
    seed: int
    tell: Callable[[Any], tuple[str, ...]]


Grade: TypeAlias = Callable[
    [Any, Sequence[str], Sequence[int], str, Player | None, Sequence[Engine[Any, Any]] | None, Callable[[], None]],
    Grading,
]
"""Grades the decisions of a game; see `TableGame.grade`."""


@functools.cache
def measured_levels() -> tuple[Mapping[str, str], ...]:
    """The rows of `LEVELS`: game, player, what a hand is called, what is lost in it, n, mean, low, high."""
    with LEVELS.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def _interval(row: Mapping[str, str]) -> str:
    return signed(f"{float(row['low']):.1f} to {float(row['high']):.1f}")


def place_in_tricks(view: Any, action: Action, deal: int, turn: int) -> str:
    """Where an action of a game with tricks is: ``"hand 2, trick 3"``."""
    is_played = action["action"] in ("play", "claim", "concede", "correct")
    return f"hand {deal}, {f'trick {len(view.tricks) + 1}' if is_played else 'before the first trick'}"


@dataclass(frozen=True)
class TableGame:
    """A game at the table; the catalog names one for each game.

    Attributes:
        name: as in the catalog.
        scene: (view, names, options) → what is drawn for that seat.
        prompt: (view, some legal actions of that seat) → what it is asked.
        tell: (action, view after it, names) → a line about it, as the seat may know it, or None.
        place: (the view before an action, the action, the number of the deal, from 1, and of the turn) → where in the
            game that is, for people.
        advise: (view, options) → advice, the same for the same view wherever it is asked for, what it draws too; None
            where there is nothing to decide or to know. Where it draws, (view, options, seed, layouts) draws as many.
        ended: (view, names, options) → how a hand has just ended; None while one is played, and in games without.
        effects: what the engine's method returned → what an action destroyed, in words and drawn.
        prove: (view, a claim or a concession) → whether it is sound, and the proof or what beats it.
        against: the usual opponent.
        levels: by names that people know, a player and a remark about it; what it loses stands in `LEVELS`.
        unit: of costs in JSON: ``"points"`` of the game, or ``"mt"``, thousandths of a tower.
        hindsight: what each side still makes with all cards seen; None where nothing tells.
        marks: what costs are called, as of the advice.
        grade: where the game grades by more than its advice: (a game played so far, names, seats, the reference asked
            for, a player that is asked the same questions, the ways in which a record's unseen cards can lie or None
            for a whole transcript, what is called after each action) → what it says.
        judge: where the game grades by more than its advice: (a game, a seat, the numbers of actions that are left
            out) → that seat's decisions as `grade` has them, in order.
        draws: where cards are equal: (a record, the engine before it) → who gets the next cards of the pack.
        guess: where no pack is dealt: (engine, the seat that records, a record and those after it, how it was
            made up) → how it can have been.
        rests_on: (engine, an action to be taken) → the seat whose hand decides whether it is proved; None where nothing
            is to be.
        is_proved: (engine, such an action that was just taken) → whether it was proved.
        by_hand: where people cut, sort and face cards themselves: (engine while nobody is to act, seat, what the order
            of cards face down is drawn with) → what that seat is asked; None where nothing is its to do.
        objects: (view, options) → what a player of the simulator says out of turn; None where that is nothing.
        witness: options → the engine of a record of views, where it needs to know less; None for `start`.
        draws_seat: whether a person who names no seat is given one at random: the first to act is always seat 0.
        pbn: an engine → its game in the Portable Bridge Notation, of a game that has one.
        lesson: for newcomers, where there is one.
        numbering: for `towerlab.env`.
    """

    name: str
    scene: Callable[[Any, Sequence[str], Any], Scene]
    prompt: Callable[[Any, Sequence[Action]], Prompt]
    tell: Callable[[Action, Any, Sequence[str]], str | None]
    advise: Callable[..., Advice | None]
    numbering: Numbering = Numbering()
    place: Callable[[Any, Action, int, int], str] = place_in_tricks
    ended: Callable[[Any, Sequence[str], Any], Ended | None] = lambda view, names, options: None
    effects: Callable[[Any], tuple[str, Part] | None] | None = None
    prove: Callable[[Any, Action], Answer] | None = None
    against: str = NOVICE
    levels: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    unit: str = "points"
    hindsight: Hindsight | None = None
    marks: Marks = MISTAKES
    grade: Grade | None = None
    judge: Callable[[Any, int, Collection[int]], Iterator[Judged]] | None = None
    draws: Callable[[Action, Engine[Any, Any]], Sequence[int]] | None = None
    guess: Callable[[Engine[Any, Any], int, Sequence[Action], Action], Action] | None = None
    rests_on: Callable[[Engine[Any, Any], Action], int | None] = lambda engine, action: None
    is_proved: Callable[[Engine[Any, Any], Action], bool] = lambda engine, action: False
    by_hand: Callable[[Any, int, np.random.Generator], Prompt | None] | None = None
    objects: Callable[[Any, Any], Action | None] = lambda view, options: None
    witness: Callable[[Any], Engine[Any, Any]] | None = None
    draws_seat: bool = False
    pbn: Callable[[Engine[Any, Any]], str] | None = None
    lesson: GuidedGame | None = None

    @property
    def title(self) -> str:
        """For people."""
        return find_game(self.name).title

    @property
    def players(self) -> Mapping[str, str]:
        """Names and a line about each."""
        known: Mapping[str, str] = find_game(self.name).load("players")
        return known

    def named(self, player: str) -> str:
        """A player by the name that people know, the technical one beside it: ``"expert (pimc)"``."""
        return next((f"{level} ({player})" for level, (one, _) in self.levels.items() if one == player), player)

    def called(self, player: str) -> str:
        """Return what a player is called at the table: ``"beginner"`` for ``"learned:30"``."""
        return next((level for level, (name, _) in self.levels.items() if name == player and ":" in name), player)

    def costs(self, player: str) -> str:
        """Return the loss of a player a hand to the expert, in words; nothing where that was not measured."""
        row = self._measured(player)
        return f"loses {float(row['mean']):.1f} {row['lost']} a {row['hand']}" if row else ""

    def loses(self, player: str) -> str:
        """The same with its interval."""
        row = self._measured(player)
        return f"{self.costs(player)} to the expert ({_interval(row)}; n {int(row['n']):,})" if row else ""

    def _measured(self, player: str) -> Mapping[str, str] | None:
        return next((row for row in measured_levels() if (row["game"], row["player"]) == (self.name, player)), None)

    @property
    def simulation(self) -> GameSimulation:
        """How players play it, in the simulator and in the engine."""
        found: GameSimulation = find_game(self.name).load("simulate")
        return found

    def start(self, options: Any) -> Engine[Any, Any]:
        """A new engine."""
        return self.simulation.start(options)

    def replay(self, lines: Sequence[str]) -> Engine[Any, Any]:
        """The engine after the lines of a transcript."""
        options = find_game(self.name).load("options")
        return replay(lines, self.name, options, self.start, lambda engine, action: engine.apply(action))

    def seats(self, options: Any) -> int:
        """How many sit at the table."""
        return len(self.start(options).seats)

    def open_record(self, options: Any, begun: Mapping[str, Sequence[int]]) -> Engine[Any, Any]:
        """The engine of a record of views, in the middle of a match where it begins there."""
        return (self.witness or self.start)(options).starting_from(begun)

    def ask(self, engine: Engine[Any, Any], seat: int) -> Prompt:
        """Return the question to a seat, its cards numbered from left to right as they lie."""
        view = engine.view(seat)
        prompt, scene = self.prompt(view, engine.legal(seat)[:MOST_LISTED]), self._scene(engine, seat)
        lying = [card for part in scene.parts if isinstance(part, Cards) and part.own for card in part.cards]
        place = {card: lying.index(card) for card in lying}
        ordered = iter(sorted((one for one in prompt.choices if one.card), key=lambda one: place.get(one.card, -1)))
        return replace(prompt, choices=tuple(next(ordered) if one.card else one for one in prompt.choices))

    def _scene(self, engine: Engine[Any, Any], seat: int) -> Scene:
        return self.scene(engine.view(seat), [""] * len(engine.seats), engine.options)

    def hand(self, engine: Engine[Any, Any], seat: int) -> tuple[str, ...]:
        """The cards of a seat's own hand, as they are drawn; none where it holds none, as in a draft."""
        return next((part.cards for part in self._scene(engine, seat).parts if isinstance(part, Hand)), ())
