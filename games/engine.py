"""How are games played, by people, programs, pages and tests? One interface to all five.

A game is an `Engine` around an immutable state. Every action is a *record*, a JSON object such as
``{"action": "play", "player": 0, "card": "JS"}``: `legal` lists records, `apply` takes one, `actions` returns those so
far, and a transcript (`games.transcript`) stores them. A whole game at random::

    while game.result is None:
        record = game.chance(rng) if game.to_act is None else game.legal().sample(rng)
        game.apply(record)

Every game has:

- ``options``, ``seats``: its rule options; its players' numbers, ``range(n)``.
- ``phase``: a word of the game's own `Phase`.
- ``to_act``: the seat whose turn it is; None when chance is due, and after the end.
- ``result``: a `Result` once the game is over. An accusation that is still possible then stays
  in `legal`, and may take the result back.
- ``legal(seat)``: every legal action as a record, of a seat or of all seats. It is a `Choices`: a sequence that makes a
  record only on access (there are 3,268,760 decks of 15 cards of 25) and draws one with ``sample(rng)``. Seats other
  than `to_act` may have actions as well: a claim or an accusation by either side, two decks built at the same time. Of
  two notations for the same action the shorter one is listed.
- ``chance(rng)``: a record that chance could produce now: a shuffled pack, a cut, a goulash, a fall. Chance is never
  listed in `legal`. `chance` does not change the game: apply its record, or one from a real table.
- ``view(seat)``: everything that this seat may know, as a frozen record of the game's own (`View` in `records.py`). A
  program shows a player this view and the player's part of `legal`, nothing more: `state`, `actions` and `transcript`
  hold every hidden card.
- ``can(record)``, ``verify(record)``, ``apply(record)``: whether the record is legal; why not (`TowerlabError`, one
  line); apply it. A refused record leaves the game unchanged.
- the same by name: each action x of a game has the methods ``can_x``, ``verify_x`` and ``x``, whose arguments are the
  keys of its record as Python values (a card is an int, not a text); ``pass`` is ``pass_``, ``take-back`` is
  ``take_back``.
- ``state()``: the immutable state; games with equal states and options continue alike. ``copy()``: an independent copy.
- ``actions``, ``last_action``, ``transcript()``, ``from_transcript(lines)``: the records so far, their lines of JSON,
  and a game from such lines.

In a record ``action`` names the action and ``player`` the seat that takes it, so that secret or simultaneous choices
fit; ``player`` may be left out where only one seat can act. Cards are texts (``"JS"``), seats and counts integers.

A game's package has its rules as kernels, and `options.py`, `records.py` (states and views), `view.py` and `engine.py`
(the subclass of `Engine`). A subclass defines `GAME`, `OPTIONS`, `ACTIONS`, `ARGUMENTS`, `PLAYERS`, `to_act`, `result`,
`chance`, `_choices` and `_view`, and `verify_x` and `x` for each action, by `_demand_phase`, `_set` and `_record`; the
base class makes `x` verify its arguments and adds `can_x`.

>>> read_card_set("cards", ["2C", "4C"])
5
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import itertools
import json
import keyword
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, ParamSpec, Self, TypeVar, overload

import numpy as np

from towerlab.games import transcript
from towerlab.games.cards import distinct_mask, parse_card
from towerlab.games.errors import TowerlabError, demand, quote_value

Action = dict[str, Any]
Arguments = ParamSpec("Arguments")
Item = TypeVar("Item")
OptionsT = TypeVar("OptionsT")
StateT = TypeVar("StateT")
Reader = Callable[[str, Any], Any]


@dataclasses.dataclass(frozen=True)
class Result:
    """How a game ended.

    Attributes:
        winners: the seats that won; several share the win; empty for a draw.
        scores: the score of each seat, in the game's own unit (towers, points).
        reason: a few words for people.
    """

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str = ""

    @property
    def winner(self) -> int | None:
        """The seat that won alone, or None."""
        return self.winners[0] if len(self.winners) == 1 else None


class Choices(Sequence[Action]):
    """Legal actions, each made on access.

    >>> piles = Choices.of_subsets("ABCD", 2, lambda chosen: {"action": "bury", "cards": list(chosen)})
    >>> len(piles), piles[5]
    (6, {'action': 'bury', 'cards': ['C', 'D']})
    """

    def __init__(
        self,
        count: int = 0,
        make: Callable[[int], Action] | None = None,
        holds: Callable[[object], bool] | None = None,
    ) -> None:
        self._count = count
        self._make = make or [].__getitem__
        self._holds = holds or super().__contains__

    @classmethod
    def of(cls, actions: Iterable[Action]) -> Choices:
        """Return choices of the given actions."""
        listed = list(actions)
        return cls(len(listed), listed.__getitem__)

    @classmethod
    def of_subsets(cls, items: Sequence[Item], size: int, make: Callable[[list[Item]], Action]) -> Choices:
        """Return an action for every choice of `size` items, in the order of `itertools.combinations`."""

        def holds(action: object) -> bool:
            lists = [value for value in action.values() if isinstance(value, list)] if isinstance(action, dict) else []
            chosen = next((value for value in lists if len(value) == size), None)
            return (
                chosen is not None and [item for item in items if item in chosen] == chosen and make(chosen) == action
            )

        return cls(math.comb(len(items), size), lambda index: make(_nth_subset(items, size, index)), holds)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, action: object) -> bool:
        return self._holds(action)

    @overload
    def __getitem__(self, index: int) -> Action: ...

    @overload
    def __getitem__(self, index: slice) -> list[Action]: ...

    def __getitem__(self, index: int | slice) -> Action | list[Action]:
        if isinstance(index, slice):
            return [self._make(place) for place in range(*index.indices(self._count))]
        return self._make(range(self._count)[index])

    def __add__(self, other: Choices) -> Choices:
        first = self._count
        return Choices(
            first + len(other),
            lambda index: self[index] if index < first else other[index - first],
            lambda action: action in self or action in other,
        )

    def sample(self, rng: np.random.Generator) -> Action:
        """Return a uniformly random action.

        Raises:
            TowerlabError: no action is legal.
        """
        if not self._count:
            raise TowerlabError("no action is possible; expected chance, or the end of the game")
        return self[int(rng.integers(self._count))]


def _nth_subset(items: Sequence[Item], size: int, index: int) -> list[Item]:
    """Return the index-th choice of `size` items in the order of `itertools.combinations`."""
    chosen: list[Item] = []
    for place, item in enumerate(items):
        if len(chosen) == size:
            break
        with_it = math.comb(len(items) - place - 1, size - len(chosen) - 1)
        if index < with_it:
            chosen.append(item)
        else:
            index -= with_it
    return chosen


def require(value: Item | None) -> Item:
    """Return what the phase of the game says is there."""
    assert value is not None
    return value


def make_can(verify: Callable[Arguments, None]) -> Callable[Arguments, bool]:
    """Return `can_x` of `verify_x`: whether it raises nothing for these arguments."""

    @functools.wraps(verify)
    def can(*given: Arguments.args, **named: Arguments.kwargs) -> bool:
        try:
            verify(*given, **named)
        except TowerlabError:
            return False
        return True

    can.__name__ = verify.__name__.replace("verify_", "can_")
    can.__doc__ = f"Whether `{verify.__name__.removeprefix('verify_')}` is possible."
    return can


def _verify_first(take: Callable[..., Any], verify: str) -> Callable[..., Any]:
    """Return `x` with a call of `verify_x` before it."""

    @functools.wraps(take)
    def verified(game: Engine[Any, Any], *given: Any, **named: Any) -> Any:
        getattr(game, verify)(*given, **named)
        return take(game, *given, **named)

    return verified


# ----------------------------------------------------------------------------------------------- reading arguments


def scalar_reader(kind: type, expected: str, parse: Callable[[Any], Any] = lambda value: value) -> Reader:
    """Return a reader of an argument that is a single JSON value."""

    def read(name: str, value: Any) -> Any:
        if type(value) is not kind or (type(value) is int and abs(value) > _MOST):
            raise TowerlabError(f"{name} is {quote_value(value)}; expected {expected}")
        return parse(value)

    return read


def list_reader(reader: Reader, expected: str) -> Reader:
    """Return a reader of an argument that is a list of values for another reader."""

    def read(name: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise TowerlabError(f"{name} is {quote_value(value)}; expected {expected}")
        return [reader(f"one of {name}", item) for item in value]

    return read


def read_card_set(name: str, value: Any) -> int:
    """Read a list of different cards as a mask."""
    return distinct_mask(CARDS(name, value), name)


_MOST = 2**53  # beyond it JSON numbers are not exact everywhere
INTEGER = scalar_reader(int, "a whole number")
TEXT = scalar_reader(str, "a text")
BOOLEAN = scalar_reader(bool, "true or false")
CARD = scalar_reader(str, "a text such as JS", parse_card)
CARDS = list_reader(CARD, "a list of cards")
INTEGERS = list_reader(INTEGER, "a list of whole numbers")


# ------------------------------------------------------------------------------------------------------ the engine


class Engine(Generic[OptionsT, StateT]):
    """A game that is played step by step; see the top of this file.

    Attributes:
        GAME: the name of the game on the command line and in transcripts.
        OPTIONS: the dataclass of its rule options.
        ACTIONS: the words of its records; each is a method, ``-`` and reserved words as ``_``.
        PLAYERS: the number of players, where that is no rule option.
        REASONS: explanations of its results' reasons, where a word is not enough.
        ARGUMENTS: the reader of each key of a record, by the key or by ``"action.key"``.
    """

    GAME: ClassVar[str]
    OPTIONS: ClassVar[type]
    ACTIONS: ClassVar[tuple[str, ...]]
    PLAYERS: ClassVar[int] = 2
    REASONS: ClassVar[Mapping[str, str]] = {}
    ARGUMENTS: ClassVar[Mapping[str, Reader]]

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        for name, verify in [*vars(cls).items()]:
            if name.startswith("verify_"):
                setattr(cls, name.replace("verify_", "can_", 1), make_can(verify))
                action = name.removeprefix("verify_")
                setattr(cls, action, _verify_first(vars(cls)[action], name))

    def __init__(self, options: OptionsT, state: StateT) -> None:
        self.options = options
        self._first = self._state = state
        self._lines: list[str] = []  # the records as JSON, which callers cannot change

    # ---------------------------------------------------------------------------------- defined by each game

    @property
    def seats(self) -> range:
        """The players' numbers."""
        return range(self.PLAYERS)

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is; None when chance is due, and after the end."""
        raise NotImplementedError

    @property
    def result(self) -> Result | None:
        """How the game ended; None while it goes on."""
        raise NotImplementedError

    def chance(self, rng: np.random.Generator) -> Action:
        """Return a random record of chance.

        Raises:
            TowerlabError: no chance is due.
        """
        raise NotImplementedError

    def _choices(self, seat: int) -> Choices:
        """Return every legal action of a seat."""
        raise NotImplementedError

    def _view(self, seat: int) -> Any:
        """Return the view of a valid seat."""
        raise NotImplementedError

    def _player_of(self, action: str) -> int | None:
        """Return the only player who can take an action now, or who carries out one of chance; None if not unique."""
        return self.to_act

    # -------------------------------------------------------------------------------------------- state and views

    @property
    def phase(self) -> Any:
        """The phase, named by the action that the game waits for."""
        return self._state.phase  # type: ignore[attr-defined]

    @property
    def winner(self) -> int | None:
        """The seat that has won alone, or None."""
        return None if self.result is None else self.result.winner

    @property
    def actions(self) -> tuple[Action, ...]:
        """The records so far, chance included."""
        return tuple(json.loads(line) for line in self._lines)

    @property
    def length(self) -> int:
        """How many records there are so far, without parsing them."""
        return len(self._lines)

    @property
    def last_action(self) -> Action:
        """The last record, without parsing all others.

        Raises:
            IndexError: there is none yet.
        """
        last: Action = json.loads(self._lines[-1])
        return last

    def state(self) -> StateT:
        """Return the immutable state; games with equal states and options continue alike."""
        return self._state

    def view(self, seat: int) -> Any:
        """Return everything that a seat may know.

        Raises:
            TowerlabError: no such seat.
        """
        self._check_seat(seat)
        return self._view(seat)

    def legal(self, seat: int | None = None) -> Choices:
        """Return every legal action, of a seat or of all seats, without chance.

        Raises:
            TowerlabError: no such seat.
        """
        if seat is not None:
            self._check_seat(seat)
            return self._choices(seat)
        first, *others = (self._choices(each) for each in self.seats)
        return functools.reduce(lambda some, more: some + more if len(more) else some, others, first)

    # ------------------------------------------------------------------------------------------------- actions

    def can(self, action: Action) -> bool:
        """Return whether a record can be applied now."""
        return make_can(self.verify)(action)

    def verify(self, action: Action) -> None:
        """Check a record.

        Raises:
            IllegalAction: the rules do not allow it now.
            TowerlabError: no such action, an argument of the wrong kind, or another player's turn.
        """
        self._read(action)

    def apply(self, action: Action) -> Any:
        """Apply a record and return the result of its method.

        Raises:
            TowerlabError: as `verify`; the game is unchanged.
        """
        method, arguments = self._read(action)
        return getattr(type(self), method).__wrapped__(self, *arguments)

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin._lines = self._lines.copy()
        return twin

    def reset_copy(self) -> Self:
        """Return a copy of the game before its first record."""
        twin = copy.copy(self)
        twin._state = self._first
        twin._lines = []
        return twin

    def starting_from(self, start: Mapping[str, Sequence[int]]) -> Self:
        """Return a new game with the same rules that starts in the middle of a match.

        Args:
            start: numbers such as the score and the dealer, by the names of `_begins`.

        Raises:
            TowerlabError: an unknown name, or numbers out of range.
        """
        limits = self._begins()
        for name, numbers in start.items():
            if name not in limits:
                known = f"one of {', '.join(limits)}" if limits else f"nothing: {self.GAME} has no match of deals"
                raise TowerlabError(f"a record cannot begin with {quote_value(name)}; expected {known}")
            count, low, high = limits[name]
            if len(numbers) != count or not all(type(number) is int and low <= number <= high for number in numbers):
                number = f"{count} numbers" if count > 1 else "a number"
                raise TowerlabError(f"{name} is {quote_value(list(numbers))}; expected {number} from {low} to {high}")
        twin = self.reset_copy()
        twin._first = twin._state = self._begin_at({name: tuple(numbers) for name, numbers in start.items()})
        return twin

    def _begins(self) -> Mapping[str, tuple[int, int, int]]:
        """Return the names that `starting_from` takes, each with how many numbers, the least and the greatest."""
        return {}

    def _begin_at(self, start: Mapping[str, tuple[int, ...]]) -> StateT:
        """Return the state before a deal in the middle of a match."""
        return self._first

    # -------------------------------------------------------------------------------------------------- transcripts

    def transcript(self) -> Iterator[str]:
        """Yield the game so far as lines of JSON."""
        return transcript.transcript_lines(self.GAME, self.options, self._lines)

    @classmethod
    def from_transcript(cls, lines: Iterable[str], **given: Any) -> Self:
        """Return the game of a transcript.

        Args:
            lines: the lines of a transcript.
            given: further arguments of the constructor.

        Raises:
            TranscriptError: the number of the wrong line, and why it is wrong.
        """
        return transcript.replay(
            lines, cls.GAME, cls.OPTIONS, lambda options: cls(options, **given), lambda game, action: game.apply(action)
        )

    # ------------------------------------------------------------------------------------------ tools for actions

    def _read(self, action: Action) -> tuple[str, tuple[Any, ...]]:
        """Return the method of a legal record and its arguments."""
        method, player, values = self.read_form(action)
        getattr(self, f"verify_{method}")(*values)
        if player is not None and player != (expected := self._player_of(action["action"])):
            raise TowerlabError(f"action {action['action']} by player {player}; it is player {expected}'s turn")
        return method, values

    def read_form(self, action: Action, unknown: Collection[str] = ()) -> tuple[str, int | None, tuple[Any, ...]]:
        """Return the method of a record, its player where that is no argument, and its arguments; check no rules.

        Args:
            unknown: the names of arguments that are not read.

        Raises:
            TowerlabError: no such action, or an argument of the wrong kind.
        """
        if not isinstance(action, dict):
            raise TowerlabError(f"{quote_value(action)} is no action; expected an object such as {{'action': …}}")
        arguments = dict(action)
        name = arguments.pop("action", None)
        if name not in self.ACTIONS:
            raise TowerlabError(f"unknown action {quote_value(name)}; expected one of {', '.join(self.ACTIONS)}")
        method = _method_name(name)
        parameters = _parameters(getattr(type(self), method))
        player = None
        if "player" in arguments and "player" not in parameters:
            player = INTEGER("player", arguments.pop("player"))
        for key in arguments:
            if key not in parameters:
                expected = ", ".join(["player", *(name for name in parameters if name != "player")])
                raise TowerlabError(f"action {name} has no {quote_value(key)}; expected {expected}")
        values = []
        for key, parameter in parameters.items():
            if key in arguments:
                reader = self.ARGUMENTS.get(f"{name}.{key}") or self.ARGUMENTS[key]
                values.append(arguments[key] if key in unknown else reader(key, arguments[key]))
            elif parameter.default is inspect.Parameter.empty:
                raise TowerlabError(f"action {name}: missing a required argument: {key!r}")
            else:
                values.append(parameter.default)
        return method, player, tuple(values)

    def _check_seat(self, seat: int) -> None:
        if type(seat) is not int or seat not in self.seats:
            raise TowerlabError(f"{quote_value(seat)} is no player; expected 0 to {len(self.seats) - 1}")

    def _demand_phase(self, what: str, rule: str, *phases: str) -> None:
        """Refuse an action outside its phases.

        Raises:
            IllegalAction: what was expected.
        """
        expected = " or ".join(phases)
        demand(self.phase in phases, f"{what} is not possible in phase {self.phase}; expected {expected}", rule)

    def _set(self, **changes: Any) -> None:
        self._state = dataclasses.replace(self._state, **changes)  # type: ignore[type-var]

    def _record(self, action: str, **arguments: Any) -> None:
        """Add a record without arguments that are None."""
        given = {key: value for key, value in arguments.items() if value is not None}
        self._lines.append(json.dumps({"action": action, **given}))

    def _no_chance(self) -> TowerlabError:
        return TowerlabError(f"nothing is left to chance in phase {self.phase}; expected a player's action")


@functools.cache
def _parameters(method: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a method without `self`; cached, since inspecting takes longer than most actions."""
    return dict(itertools.islice(inspect.signature(method).parameters.items(), 1, None))


@functools.cache
def _method_name(action: str) -> str:
    """Return the name of an action's method."""
    name = action.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name
