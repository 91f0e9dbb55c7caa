"""How does a player that the user has written take a seat? It may be a class, an object, a function or a strategy file.

The player has a method ``act(view, legal, random)``, which returns one of `legal`, the engine's records. Where a game
takes arrays, it may have ``probabilities(views)`` instead, for many hands at once. A function is called as `act` would
be. A class makes an object for every seat and game. `KnownPlayer` describes a player that comes with the package.

    towerlab simulate bowers --players mine:Player,novice,novice --games 100
"""

import dataclasses
import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from towerlab.games.arrays import Floats
from towerlab.games.engine import Action, Engine
from towerlab.games.errors import TowerlabError, did_you_mean, quote_value, strip_controls

Act: TypeAlias = Callable[[Any, Sequence[Action], np.random.Generator], Action]

_ASIDES: Final = ("claim", "concede", "accuse", "correct")
_MOST_OFFERED: Final = 10_000
_TOLERANCE: Final = 1e-6  # how far from one probabilities may add up


class PlayerError(TowerlabError):
    """A player raised an error, returned nothing, or made an illegal move."""


@dataclass(frozen=True)
class KnownPlayer:
    """What is known of a player that comes with the package; the `PLAYERS` of each game have these by name.

    Attributes:
        help: a line on how the player plays.
        kind: the number of the player in the game's kernels; −1 where it decides in Python.
        is_counted: whether it takes a number after a colon, how much it searches: ``pimc:32``.
        is_measured: whether studies of bids measure it.
    """

    help: str
    kind: int = -1
    is_counted: bool = False
    is_measured: bool = True


@dataclass(frozen=True)
class OwnPlayer:
    """A player that is an object: the user's, or one of ours that decides in Python.

    Attributes:
        name: the name of the player in answers.
        implementation: the class, object or function.
        text: the name ``module:attribute``, where it was given so: other processes find the player by it.
        is_ours: whether `name` is one of towerlab's players.
    """

    name: str
    implementation: Any
    text: str = ""
    is_ours: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", strip_controls(self.name))

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        if self.text:
            return load_player, (self.text, str(Path.cwd()))
        return OwnPlayer, (self.name, self.implementation, "", self.is_ours)

    @property
    def takes_arrays(self) -> bool:
        """Whether it has `probabilities`, given many views at once as arrays."""
        return hasattr(self.implementation, "probabilities")

    @property
    def is_symmetric(self) -> bool:
        """Whether renaming the suits renames its actions, so that up-cards of spades represent all (`symmetric`)."""
        return bool(getattr(self.implementation, "symmetric", False))

    def make_player(self) -> Any:
        """Return the object that decides in one seat and game."""
        return self.implementation() if isinstance(self.implementation, type) else self.implementation

    def seat(self) -> Act:
        """Return its `act` for one seat and game, with a check of its answers."""
        player = self.make_player()
        return self.with_checks(getattr(player, "act", player))

    def with_checks(self, act_of_player: Act) -> Act:
        """Return `act_of_player` with a check that it answers, and with a legal action."""

        def act(view: Any, legal: Sequence[Action], random: np.random.Generator) -> Action:
            action = self.ask(act_of_player, view, legal, random)
            if action is None or (legal and action not in legal):
                what = "answers nothing" if action is None else f"does what is not possible: {quote_value(action)}"
                expected = f"expected one of {_list_few(legal)}"
                raise PlayerError(f"the player {self.name} {what}; {expected}; {_describe_view(view)}")
            return action  # type: ignore[no-any-return]

        return act

    def ask(self, method: Callable[..., Any], view: Any, *given: Any) -> Any:
        """Call a function of the player's and return its answer.

        Raises:
            PlayerError: it raises.
        """
        try:
            return method(view, *given)
        except PlayerError:  # names the player and the view
            raise
        except Exception as error:
            raise PlayerError(
                f"the player {self.name} raises {_describe_error(error)}; {_describe_view(view)}"
            ) from error

    def read_probabilities(self, given: Any, shape: tuple[int, ...], view: Any) -> Floats:
        """Return the player's answer as an array of probabilities whose last axis adds up to 1.

        Raises:
            PlayerError: it is no such array.
        """
        try:
            shares = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            shares = np.empty(0)
        sums = shares.sum(axis=-1) if shares.shape == shape else np.zeros(1)
        if not (np.abs(sums - 1) <= _TOLERANCE).all() or not (shares >= 0).all():
            row = int(np.argmax(np.abs(sums - 1))) if shares.shape == shape and shares.ndim == 2 else None
            answer = quote_value(given if row is None else shares[row].tolist())
            expected = f"expected {shape[-1]} probabilities that add up to 1"
            place = "" if row is None else f"row {row} of "
            raise PlayerError(f"the player {self.name} says {answer}; {expected}; {place}{_describe_view(view)}")
        return shares


def wrap_player(given: Any, text: str = "") -> OwnPlayer | None:
    """Return a class, an object or a function as a player; None where it is none of these."""
    decides = any(hasattr(given, name) for name in ("act", "probabilities"))
    if not decides and (isinstance(given, type) or not callable(given)):
        return None
    named = getattr(given, "name", None) or getattr(given, "__name__", None) or type(given).__name__
    return OwnPlayer(text or str(named), given, text)


def load_player(text: str, folder: str = "") -> OwnPlayer:
    """Return the player that ``module:attribute`` names.

    Args:
        folder: a folder that is searched besides the current one.

    Raises:
        TowerlabError: there is none.
    """
    if folder and folder not in sys.path:
        sys.path.append(folder)
    player = wrap_player(load_attribute(text), text)
    if player is None:
        raise TowerlabError(
            f"{text} is no player; expected a class or object with act(view, legal, random), or a function"
        )
    return player


def load_attribute(text: str) -> Any:
    """Return the object ``module:attribute``; the current folder is searched as well.

    Raises:
        TowerlabError: no such module or attribute, or the module cannot be imported.
    """
    module, _, name = text.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or module
        raise TowerlabError(f"{text}: there is no module {missing!r}; expected {missing}.py in this folder") from error
    except Exception as error:
        raise TowerlabError(f"{text}: {module} cannot be imported: {_describe_error(error)}") from error
    if not hasattr(imported, name):
        known = [word for word in vars(imported) if not word.startswith("_")]
        raise TowerlabError(f"{text}: {module} has no {name!r}; {did_you_mean(name, known)}")
    return getattr(imported, name)


def any_in_python(players: Iterable[object]) -> bool:
    """Return whether any of them is a Python player, which the simulators' kernels cannot call."""
    return any(isinstance(player, OwnPlayer) for player in players)


def offered_actions(engine: Engine[Any, Any], seat: int) -> Sequence[Action]:
    """Return the choices of a player: a tuple, or where there are thousands a `Choices` that makes each on access.

    Claims, concessions and accusations, which are always possible, are not offered.
    """
    legal = engine.legal(seat)
    if len(legal) > _MOST_OFFERED:
        return legal
    return tuple(action for action in legal if action["action"] not in _ASIDES)


def _list_few(legal: Sequence[Action]) -> str:
    listed = ", ".join(map(str, legal[:3]))
    return listed if len(legal) <= 3 else f"{listed} and {len(legal) - 3:,} more"


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _describe_view(view: Any) -> str:
    """Return a view for a message: the fields that differ from the defaults."""
    if not dataclasses.is_dataclass(view):
        return f"view {quote_value(view)}"
    fields = ((field.name, getattr(view, field.name), field.default) for field in dataclasses.fields(view))
    words = ", ".join(f"{name}={quote_value(value)}" for name, value, default in fields if value != default)
    return f"view {words}"
