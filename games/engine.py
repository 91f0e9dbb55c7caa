"""The one engine: how a person, a program, a page or a test drives any of the five games without having read it.

A game is an `Engine` around an immutable state. Everything that happens to it is a *record*, a JSON object such as
``{"action": "play", "player": 0, "card": "JS"}``: what is possible is listed as records, what is done is applied as a
record, what has been done is kept as records and written as a transcript (`games.transcript`). A whole game
at random::

    while game.result is None:
        record = game.chance(rng) if game.to_act is None else game.legal().sample(rng)
        game.apply(record)

What every game has:

- ``options``, ``seats``: the rules it is played by; its players' numbers, ``range(n)``.
- ``phase``: what it waits for, a word of the game's own `Phase`.
- ``to_act``: the seat whose turn it is; None when chance is due, and after the end.
- ``result``: a `Result` once the game is over. An accusation that is still possible then stays
  in `legal`, and may take the result back.
- ``legal(seat)``: every action that is possible now as records, for one seat or for all. A `Choices`: it has a length,
  is indexed and iterated like a list, makes a record only when asked for it (there are 3,268,760 decks of 15 cards of
  25) and draws one with ``sample(rng)``. More seats than `to_act` may have some: a claim or an accusation by either
  side, two decks built at the same time. Of two gestures for the same thing the plainer one is listed.
- ``chance(rng)``: a record that chance could produce now: a shuffled pack, a cut, a goulash, a fall. Chance is never
  listed in `legal`, and drawing it changes nothing: apply the record, or one that happened at a real table.
- ``view(seat)``: all that this seat may know, as a frozen record of the game's own (`View` of its `view.py`), and
  nothing else. A program shows a player this view and the player's part of `legal`, nothing more:
  `state`, `actions` and `transcript` hold every hidden card.
- ``can(record)``, ``verify(record)``, ``apply(record)``: whether it is possible; why not (`TowerlabError`, one line);
  take it. A refused action leaves the game as it was.
- the same by name: each action x of a game has the methods ``can_x``, ``verify_x`` and ``x``, whose arguments are the
  keys of its record as Python values (a card is an int, not a text); ``pass`` is ``pass_``, ``take-back`` is
  ``take_back``.
- ``state()``: the immutable state; equal states and options mean games that go on alike. ``copy()`` is a second game
  that goes its own way.
- ``actions``, ``last_action``, ``transcript()``, ``from_transcript(lines)``: what has been done, as records and as
  lines of JSON, and the same game again.

In a record ``action`` names the action and ``player`` the seat that takes it, so that secret or simultaneous choices
fit; ``player`` may be left out where only one seat can act. Cards are texts (``"JS"``), seats and counts whole numbers.

A game's package holds its rules as kernels, and `options.py`, `records.py` (states and views), `view.py`,
`engine.py` (the subclass of `Engine`). A subclass says `GAME`, `OPTIONS`, `ACTIONS`, `ARGUMENTS`, `PLAYERS`, `to_act`,
`result`, `chance`, `_choices` and `_view`, and has `verify_x` and `x` of its actions, made with `_demand_phase`, `_set`
and `_record`; `x` verifies and `can_x` comes of itself.
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
from towerlab.games.errors import TowerlabError, demand, shown

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
        winners: the seats that won; several share the win, none: the game is drawn.
        scores: by seat, in the game's own count (towers, points).
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
    """Actions that are possible now, each made only when it is asked for.

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
        """Some actions, as they are."""
        listed = list(actions)
        return cls(len(listed), listed.__getitem__)

    @classmethod
    def of_subsets(cls, items: Sequence[Item], size: int, make: Callable[[list[Item]], Action]) -> Choices:
        """One action for every choice of `size` items, in the order of `itertools.combinations`."""

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
        """One of them, each as likely as any other.

        Raises:
            TowerlabError: nothing is possible.
        """
        if not self._count:
            raise TowerlabError("no action is possible; expected chance, or the end of the game")
        return self[int(rng.integers(self._count))]


def _nth_subset(items: Sequence[Item], size: int, index: int) -> list[Item]:
    """The index-th choice of `size` items in the order of `itertools.combinations`."""
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


def possible(verify: Callable[Arguments, None]) -> Callable[Arguments, bool]:
    """`can_x` of `verify_x`: whether it lets an action with these arguments pass."""

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


def _verified(take: Callable[..., Any], verify: str) -> Callable[..., Any]:
    """`x`, after `verify_x` has let its arguments pass."""

    @functools.wraps(take)
    def verified(game: Engine[Any, Any], *given: Any, **named: Any) -> Any:
        getattr(game, verify)(*given, **named)
        return take(game, *given, **named)

    return verified


# ----------------------------------------------------------------------------------------------- reading arguments


def single(kind: type, expected: str, parse: Callable[[Any], Any] = lambda value: value) -> Reader:
    """A reader of an argument that is one JSON value."""

    def read(name: str, value: Any) -> Any:
        if type(value) is not kind or (type(value) is int and abs(value) > _MOST):
            raise TowerlabError(f"{name} is {shown(value)}; expected {expected}")
        return parse(value)

    return read


def many(reader: Reader, expected: str) -> Reader:
    """A reader of an argument that is a list of what another one reads."""

    def read(name: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise TowerlabError(f"{name} is {shown(value)}; expected {expected}")
        return [reader(f"one of {name}", item) for item in value]

    return read


def read_card_set(name: str, value: Any) -> int:
    """A list of different cards as a mask."""
    return distinct_mask(CARDS(name, value), name)


_MOST = 2**53  # beyond it JSON numbers are not exact everywhere
WHOLE = single(int, "a whole number")
TEXT = single(str, "a text")
TRUTH = single(bool, "true or false")
CARD = single(str, "a text such as JS", parse_card)
CARDS = many(CARD, "a list of cards")
NUMBERS = many(WHOLE, "a list of whole numbers")


# ------------------------------------------------------------------------------------------------------ the engine


class Engine(Generic[OptionsT, StateT]):
    """A game that is driven step by step; see the top of this file.

    Attributes:
        GAME: its name on the command line and in transcripts.
        OPTIONS: the dataclass of its rule options.
        ACTIONS: the words of its records; each is a method, ``-`` and reserved words as ``_``.
        PLAYERS: how many, where that is no rule option.
        REASONS: what its results' reasons mean, where one word does not say it.
        ARGUMENTS: how each key of a record is read, by the key or by ``"action.key"``.
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
                setattr(cls, name.replace("verify_", "can_", 1), possible(verify))
                action = name.removeprefix("verify_")
                setattr(cls, action, _verified(vars(cls)[action], name))

    def __init__(self, options: OptionsT, state: StateT) -> None:
        self.options = options
        self._first = self._state = state
        self._lines: list[str] = []  # the records as JSON: nobody can change them behind our back

    # ---------------------------------------------------------------------------------- what each game says itself

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
        """A record of what chance could decide now.

        Raises:
            TowerlabError: nothing is left to chance now.
        """
        raise NotImplementedError

    def _choices(self, seat: int) -> Choices:
        """Every action of one seat that is possible now."""
        raise NotImplementedError

    def _view(self, seat: int) -> Any:
        """Return the view of a seat, which exists."""
        raise NotImplementedError

    def _player_of(self, action: str) -> int | None:
        """Return the only player that can take an action now, chance's too if a player's hand does it."""
        return self.to_act

    # -------------------------------------------------------------------------------------------- what can be seen

    @property
    def phase(self) -> Any:
        """The phase, by what the game waits for."""
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
    def last_action(self) -> Action:
        """The newest record, without reading all the others again.

        Raises:
            IndexError: nothing has been done yet.
        """
        last: Action = json.loads(self._lines[-1])
        return last

    def state(self) -> StateT:
        """The immutable state; equal states and options mean games that go on alike."""
        return self._state

    def view(self, seat: int) -> Any:
        """All that a seat may know.

        Raises:
            TowerlabError: no such seat.
        """
        self._check_seat(seat)
        return self._view(seat)

    def legal(self, seat: int | None = None) -> Choices:
        """Every action that is possible now, of one seat or of all; chance is not among them.

        Raises:
            TowerlabError: no such seat.
        """
        if seat is not None:
            self._check_seat(seat)
            return self._choices(seat)
        first, *others = (self._choices(each) for each in self.seats)
        return functools.reduce(lambda some, more: some + more if len(more) else some, others, first)

    # ------------------------------------------------------------------------------------------------- what is done

    def can(self, action: Action) -> bool:
        """Whether a record can be applied now."""
        return possible(self.verify)(action)

    def verify(self, action: Action) -> None:
        """Check a record.

        Raises:
            IllegalAction: the rules do not allow it now.
            TowerlabError: no such action, an argument of the wrong kind, or another player's turn.
        """
        self._read(action)

    def apply(self, action: Action) -> Any:
        """Take a record; what its method returns.

        Raises:
            TowerlabError: as `verify`; the game is as it was.
        """
        method, arguments = self._read(action)
        return getattr(type(self), method).__wrapped__(self, *arguments)

    def copy(self) -> Self:
        """A second game that goes its own way from here."""
        twin = copy.copy(self)
        twin._lines = self._lines.copy()
        return twin

    def anew(self) -> Self:
        """The same game before its first record."""
        twin = copy.copy(self)
        twin._state, twin._lines = self._first, []
        return twin

    def begun(self, at: Mapping[str, Sequence[int]]) -> Self:
        """A new game by the same rules that begins in the middle of a match.

        Args:
            at: the score, the dealer and what else is known of it, by the names of `_begins`.

        Raises:
            TowerlabError: no such name, or numbers that cannot be.
        """
        limits = self._begins()
        for name, numbers in at.items():
            if name not in limits:
                known = f"one of {', '.join(limits)}" if limits else f"nothing: {self.GAME} has no match of deals"
                raise TowerlabError(f"a record cannot begin with {shown(name)}; expected {known}")
            many, low, high = limits[name]
            if len(numbers) != many or not all(type(number) is int and low <= number <= high for number in numbers):
                number = f"{many} numbers" if many > 1 else "a number"
                raise TowerlabError(f"{name} is {shown(list(numbers))}; expected {number} from {low} to {high}")
        twin = self.anew()
        twin._first = twin._state = self._begin_at({name: tuple(numbers) for name, numbers in at.items()})
        return twin

    def _begins(self) -> Mapping[str, tuple[int, int, int]]:
        """Return what may be said of the middle of a match, by name: how many numbers, from which to which."""
        return {}

    def _begin_at(self, at: Mapping[str, tuple[int, ...]]) -> StateT:
        """The state before a deal in the middle of a match."""
        return self._first

    # -------------------------------------------------------------------------------------------------- transcripts

    def transcript(self) -> Iterator[str]:
        """The game so far as lines of JSON."""
        return transcript.transcript_lines(self.GAME, self.options, self._lines)

    @classmethod
    def from_transcript(cls, lines: Iterable[str], **given: Any) -> Self:
        """The same game again.

        Args:
            lines: of a transcript.
            given: what a new game takes besides its options.

        Raises:
            TranscriptError: the number of the line and what is wrong with it.
        """
        return transcript.replay(
            lines, cls.GAME, cls.OPTIONS, lambda options: cls(options, **given), lambda game, action: game.apply(action)
        )

    # ------------------------------------------------------------------------------------------ for the actions

    def _read(self, action: Action) -> tuple[str, tuple[Any, ...]]:
        """The method of a record and its arguments, after the rules have let it pass."""
        method, player, values = self.read_form(action)
        getattr(self, f"verify_{method}")(*values)
        if player is not None and player != (expected := self._player_of(action["action"])):
            raise TowerlabError(f"action {action['action']} by player {player}; it is player {expected}'s turn")
        return method, values

    def read_form(self, action: Action, unknown: Collection[str] = ()) -> tuple[str, int | None, tuple[Any, ...]]:
        """The method of a record, its player where that is no argument, and its arguments, whatever the rules say.

        Args:
            unknown: arguments that are left as they stand.

        Raises:
            TowerlabError: no such action, or an argument of the wrong kind.
        """
        if not isinstance(action, dict):
            raise TowerlabError(f"{shown(action)} is no action; expected an object such as {{'action': …}}")
        arguments = dict(action)
        name = arguments.pop("action", None)
        if name not in self.ACTIONS:
            raise TowerlabError(f"unknown action {shown(name)}; expected one of {', '.join(self.ACTIONS)}")
        method = _method_name(name)
        parameters = _parameters(getattr(type(self), method))
        player = None
        if "player" in arguments and "player" not in parameters:
            player = WHOLE("player", arguments.pop("player"))
        for key in arguments:
            if key not in parameters:
                expected = ", ".join(["player", *(name for name in parameters if name != "player")])
                raise TowerlabError(f"action {name} has no {shown(key)}; expected {expected}")
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
            raise TowerlabError(f"{shown(seat)} is no player; expected 0 to {len(self.seats) - 1}")

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
        """Write an action down; arguments that are None are left out."""
        given = {key: value for key, value in arguments.items() if value is not None}
        self._lines.append(json.dumps({"action": action, **given}))

    def _no_chance(self) -> TowerlabError:
        return TowerlabError(f"nothing is left to chance in phase {self.phase}; expected a player's action")


@functools.cache
def _parameters(method: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a method without the game: looking takes longer than most actions."""
    return dict(itertools.islice(inspect.signature(method).parameters.items(), 1, None))


@functools.cache
def _method_name(action: str) -> str:
    """The method that takes an action."""
    name = action.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name
