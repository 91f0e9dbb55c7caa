"""What does a game bring to the table? How it is drawn, what its actions are called, who plays it, what advises it.

Example:
    towerlab play bowers --against expert
"""

import abc
import csv
import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from towerlab.analysis.advice import Advice, Choice
from towerlab.analysis.catalog import find_game
from towerlab.analysis.decision import POINTS, SCALES, Scale
from towerlab.analysis.players import Player, player_lines
from towerlab.analysis.present import number_of, signed
from towerlab.analysis.present.answers import Answer
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action, replay
from towerlab.sim.batch import GameSimulation
from towerlab.table.grading import Grading, Hindsight, ReviewedDecision
from towerlab.table.scene import Cards, Hand, HandEnd, Part, Scene

NOVICE: Final = "novice"
HUMAN: Final = "human"
LEVELS: Final = Path(__file__).with_name("levels.csv")
"""Names of opponents, a remark, and their mean loss to the expert, which ``python -m docs.levels`` measures."""
MOST_LISTED: Final = 80
"""Actions that are numbered; where there are more and they are sets of cards, the others are named."""


@dataclass(frozen=True)
class Pick:
    """An action that is a set of cards, where there are too many to list.

    Attributes:
        cards: the cards to choose among.
        least, most: the fewest and the most cards that can be chosen.
        make: (the texts of chosen cards) → the action.
        verb: the verb for what is done with the cards.
        button: the words on the button that does it; by default the verb.
        also: the other answers that can be typed, in words; empty where there are none.
        extras: the other things that can be tapped, each a letter of what is typed, its name, how many at most.
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
        question: the question, in one line.
        choices: the actions that are listed, numbered from 1.
        pick: the choice of cards that makes the actions not listed; None where all are listed.
        source: the hand that plays a card, where another seat chooses it: ``"dummy"``.
        gives: whether cards leave the hand for good: then the first number gives the last card of the hand.
    """

    question: str
    choices: tuple[Choice, ...]
    pick: Pick | None = None
    source: str = ""
    gives: bool = False


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
        options, against, seed: the arguments of `open_session` with which it begins.
        explain: (what the player on turn sees) → sentences about it.
    """

    options: tuple[str, ...]
    against: str
    seed: int
    explain: Callable[[Any], tuple[str, ...]]


@functools.cache
def level_rows() -> tuple[Mapping[str, str], ...]:
    """The rows of `LEVELS`: game, level, player, remark; a hand's name, what is lost in it, n, mean, low, high."""
    with LEVELS.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def level_row(game: str, player: str) -> Mapping[str, str]:
    """Return the row of a player of a game; empty where it is no level."""
    return next((row for row in level_rows() if (row["game"], row["player"]) == (game, player)), {})


def level_name(game: str, player: str) -> str:
    """Return what a player of a game is called at the table: ``"beginner"`` for ``"learned:30"``."""
    return level_row(game, player).get("level", player)


class TableGame(abc.ABC):
    """A game at the table; each game derives a class, and the catalog names its only object.

    Attributes:
        name: the name of the game in the catalog.
        about: words on what one does in it, how many play, and minutes at ten seconds a decision (four novices' games).
        numbering: how views and actions become numbers, for `towerlab.env`.
        against: the name of the usual opponent.
        draws_seat: whether a person who names no seat gets one at random; the first to act is always seat 0.
        lesson: the first game for newcomers; None without one.
        prove: (view, a claim or a concession) → whether it is sound, with the proof or what beats it; None without
            claims.
        effects: (what the engine's method returned) → what an action destroyed, in words and drawn; None where nothing
            is ever destroyed.
        winner_words: (engine of a game that is over, names) → who won, in a sentence; None for the scores of all.
        by_hand: (engine while nobody is to act, seat, generator of the order of cards face down) → the prompt for that
            seat to cut, sort or face cards, or None; None where people never do.
        hindsight: (engine, seat) → what the seat's side still makes with all cards seen; None without.
        pbn: (engine) → its game in the Portable Bridge Notation; None without.
        puzzles: the number of stored puzzles of each kind of decision (`table.puzzles`).
        puzzle_starts: the places in a match where the games of puzzles begin, as `Engine.starting_from` takes them.
    """

    name: str
    about: str
    numbering: Numbering
    against: str = NOVICE
    draws_seat: bool = False
    lesson: GuidedGame | None = None
    prove: Callable[[Any, Action], Answer] | None = None
    effects: Callable[[Any], tuple[str, Part] | None] | None = None
    winner_words: Callable[[Any, Sequence[str]], str] | None = None
    by_hand: Callable[[Any, int, np.random.Generator], Prompt | None] | None = None
    hindsight: Hindsight | None = None
    pbn: Callable[[Engine[Any, Any]], str] | None = None
    puzzles: Mapping[str, int] = MappingProxyType({})
    puzzle_starts: Sequence[Mapping[str, Sequence[int]]] = ({},)

    # ------------------------------------------------------------------------------- what a player sees and answers

    @abc.abstractmethod
    def scene(self, view: Any, names: Sequence[str], options: Any) -> Scene:
        """Return the drawing of a view."""

    @abc.abstractmethod
    def prompt(self, view: Any, actions: Sequence[Action]) -> Prompt:
        """Return the question to a seat that may take some legal actions."""

    @abc.abstractmethod
    def action_line(self, action: Action, view: Any, names: Sequence[str]) -> str | None:
        """Return a line about an action, as a seat may know it that sees this view after it; None to leave it out."""

    def line_with_effect(self, action: Action, returned: Any, view: Any, names: Sequence[str]) -> str | None:
        """Return the line about an action with what it destroyed.

        Args:
            action, view, names: the arguments of `action_line`.
            returned: what the engine returned for the action.
        """
        line = self.action_line(action, view, names)
        effect = self.effects(returned) if line and self.effects else None
        return f"{line}: {effect[0]}" if effect else line

    def hand_end(self, view: Any, names: Sequence[str], options: Any) -> HandEnd | None:
        """Return how a hand has just ended; None while one is played, and in games without hands."""
        return None

    def place(self, view: Any, action: Action, deal: int, turn: int) -> str:
        """Return the place of an action in the game: ``"hand 2, trick 3"``.

        Args:
            view: the view before the action.
            deal, turn: the numbers of the deal and of the turn, from 1.
        """
        is_played = action["action"] in ("play", "claim", "concede", "correct")
        return f"hand {deal}, {f'trick {len(view.tricks) + 1}' if is_played else 'before the first trick'}"

    def interruption(self, view: Any, options: Any) -> Action | None:
        """Return an action that a player of the simulator takes out of turn, or None."""
        return None

    # ---------------------------------------------------------------------------------------------- advice and grades

    @abc.abstractmethod
    def advise(self, view: Any, options: Any, seed: int = 0, layouts: int | None = None, /) -> Advice | None:
        """Return the advice for a view, always the same; None where there is nothing to decide or to know.

        Args:
            layouts: the number of layouts drawn, with that seed, where the advice draws any; None for as many as usual.
        """

    def grade(
        self,
        engine: Any,
        names: Sequence[str],
        seats: Sequence[int],
        reference: str,
        player: Player | None,
        layouts: Sequence[Engine[Any, Any]] | None,
        advance: Callable[[], None],
        /,
    ) -> Grading | None:
        """Return the grades of decisions; None where the advice is all that grades them.

        Args:
            engine: the game as far as it was played.
            names: the names of all seats.
            seats: the seats whose decisions are graded.
            reference: the name of the method that grades.
            player: a player that is asked the same questions; None for nobody.
            layouts: a record's game with its unseen cards in several layouts; None for a whole transcript.
            advance: a function that is called after each action.
        """
        return None

    def judge(self, engine: Any, seat: int, left_out: Collection[int], /) -> Iterator[ReviewedDecision] | None:
        """Return that seat's decisions as `grade` has them, without some actions, by number; None as there."""
        return None

    def lead(self, view: Any) -> float:
        """Return the points that a player has scored already, in the unit of the values of its decisions."""
        return 0.0

    # ------------------------------------------------------------------------------------ records with unseen cards

    def open_record(self, options: Any, start: Mapping[str, Sequence[int]]) -> Engine[Any, Any]:
        """Return the engine of a record of views, in the middle of a match where it begins there."""
        return self.start(options).starting_from(start)

    def draws(self, action: Action, before: Engine[Any, Any]) -> Sequence[int]:
        """Return the seats that get the next cards of the pack by an action, in order, where cards are equal."""
        raise NotImplementedError

    def guess(self, engine: Engine[Any, Any], seat: int, records: Sequence[Action], full: Action) -> Action:
        """Return a likely form of an action with unseen cards, in a game that deals no pack.

        Args:
            engine: the game before it.
            seat: the seat whose views are recorded.
            records: the records of this action and of those after it.
            full: the action with cards made up.
        """
        return full

    def rests_on(self, engine: Engine[Any, Any], action: Action) -> int | None:
        """Return the seat whose hand decides whether an action's claim is proved; None where nothing is to prove."""
        return None

    def is_proved(self, engine: Engine[Any, Any], action: Action) -> bool:
        """Return whether the claim of the action just taken was proved."""
        return False

    # ----------------------------------------------------------------------------------------- the same in all games

    @property
    def title(self) -> str:
        """The game's title, as people read it."""
        return find_game(self.name).title

    @property
    def scale(self) -> Scale:
        """The scale of its costs."""
        return SCALES.get(self.name, POINTS)

    @property
    def players(self) -> Mapping[str, str]:
        """A line about each player, by name."""
        return player_lines(self.name)

    @functools.cached_property
    def levels(self) -> Mapping[str, tuple[str, str]]:
        """The player and a remark about it, by the name of the level that people know."""
        return {row["level"]: (row["player"], row["remark"]) for row in level_rows() if row["game"] == self.name}

    def _level(self, player: str) -> Mapping[str, str]:
        """Return the row of `LEVELS` of a player; empty where it is no level."""
        return level_row(self.name, player)

    def full_name(self, player: str) -> str:
        """Return a player by the name that people know, the technical one behind it: ``"expert (pimc)"``."""
        return f"{row['level']} ({player})" if (row := self._level(player)) else player

    def level_name(self, player: str) -> str:
        """Return what a player is called at the table: ``"beginner"`` for ``"learned:30"``."""
        return level_name(self.name, player)

    def mean_loss_words(self, player: str) -> str:
        """Return the loss of a player a hand to the expert; nothing where that was not measured."""
        row = self._level(player)
        return f"loses {float(row['mean']):.1f} {row['lost']} a {row['hand']}" if row.get("n") else ""

    def loss_words(self, player: str) -> str:
        """Return the loss of a player a hand to the expert, with its interval; nothing where it was not measured."""
        if not (words := self.mean_loss_words(player)):
            return ""
        row = self._level(player)
        interval = signed(f"{float(row['low']):.1f} to {float(row['high']):.1f}")
        return f"{words} to the expert ({interval}; n {int(row['n']):,})"

    @property
    def simulation(self) -> GameSimulation:
        """How players play it, in the simulator and in the engine."""
        simulation: GameSimulation = find_game(self.name).load("simulate")
        return simulation

    def start(self, options: Any) -> Engine[Any, Any]:
        """Return a new engine."""
        return self.simulation.start(options)

    def replay(self, lines: Sequence[str]) -> Engine[Any, Any]:
        """Return the engine after the lines of a transcript."""
        options = find_game(self.name).load("options")
        return replay(lines, self.name, options, self.start, lambda engine, action: engine.apply(action))

    def places(self, engine: Engine[Any, Any]) -> Iterator[str]:
        """Yield the place of each action in the game: ``"hand 2, trick 3"``."""
        again = engine.reset_copy()
        hand = 0
        turn = 1
        for action in engine.actions:
            hand += action["action"] == "deal"
            yield self.place(again.view(0), action, max(hand, 1), turn)
            turn += again.to_act is not None
            again.apply(action)

    def seats(self, options: Any) -> int:
        """Return how many sit at the table."""
        return len(self.start(options).seats)

    def ask(self, engine: Engine[Any, Any], seat: int) -> Prompt:
        """Return the question to a seat, its cards numbered from left to right as they lie; those to give, from right.

        A first number that is typed without a thought then gives the card that is missed least.
        """
        view = engine.view(seat)
        prompt = self.prompt(view, engine.legal(seat)[:MOST_LISTED])
        scene = self._scene(engine, seat)
        lying = [card for part in scene.parts if isinstance(part, Cards) and part.own for card in part.cards]
        place = {card: lying.index(card) for card in lying}

        def from_left(card: str) -> int:
            return place.get(card, -1)

        by_card = sorted(
            (choice for choice in prompt.choices if choice.card), key=lambda choice: from_left(choice.card)
        )
        cards = iter(reversed(by_card) if prompt.gives else by_card)
        choices = [next(cards) if choice.card else choice for choice in prompt.choices]
        if (pick := prompt.pick) is not None:
            pick = replace(pick, cards=tuple(sorted(pick.cards, key=from_left)))
            choices = choices[::-1] if prompt.gives else choices
        return replace(prompt, choices=tuple(choices), pick=pick)

    def _scene(self, engine: Engine[Any, Any], seat: int) -> Scene:
        return self.scene(engine.view(seat), [""] * len(engine.seats), engine.options)

    def hand(self, engine: Engine[Any, Any], seat: int) -> tuple[str, ...]:
        """Return the cards of a seat's own hand, as they are drawn; none where it holds none, as in a draft."""
        return next((part.cards for part in self._scene(engine, seat).parts if isinstance(part, Hand)), ())
