"""What can the rules of a game be? Rule options: frozen dataclasses whose fields carry their choices, their rule and a
sentence of help.

A game declares its options once:

    @dataclass(frozen=True)
    class TowersOptions(GameOptions):
        layout: str = option("line", "TR-2", "which towers are adjacent", choices=("line", "square"))
        n_players: int = option(2, "TR-2", "players at the table", low=2, high=10)

and the command line, the engine, transcripts and `towerlab options` all read them from there.

>>> from towerlab.games.towers.options import TowersOptions
>>> options = parse_options(TowersOptions, ["layout=square"])
>>> changed_options(options)
{'layout': 'square'}
"""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.errors import OptionError, did_you_mean, quote_value

Options = TypeVar("Options")


def option(
    default: Any,
    rule: str,
    help: str,
    *,
    choices: tuple[str, ...] | None = None,
    low: float | None = None,
    high: float | None = None,
    why: str = "",
    solved: bool = False,
) -> Any:
    """Return a field of a game's options.

    Args:
        default: the value that "the game" means when nothing else is said; its type is the option's type
            (`None` stands for "no limit" of a whole number).
        rule: id of the rule or of the ruled ambiguity, such as ``"TB-11"``.
        help: the help, in one line.
        choices: the words a text option may take.
        low, high: bounds of a number, both included.
        why: the reason why there is no more, where that does not go without saying.
        solved: whether what is stored of the game solved holds whatever is chosen; else it holds for the default only,
            so that a new option is safe until somebody has thought about it.
    """
    metadata = {"rule": rule, "help": help, "choices": choices, "low": low, "high": high, "why": why, "solved": solved}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class GameOptions:
    """The rule options of a game.

    Raises:
        OptionError: a value that the option cannot take.
    """

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            _check_value(field, getattr(self, field.name))

    def numbers(self) -> Ints:
        """int64[options] for kernels, as they are declared: the place of a word among its choices, −1 for none."""
        values = ((field.metadata["choices"], getattr(self, field.name)) for field in dataclasses.fields(self))
        listed = [-1 if value is None else choices.index(value) if choices else value for choices, value in values]
        return np.array(listed, dtype=np.int64)


@dataclasses.dataclass(frozen=True)
class OptionInfo:
    """One option as `towerlab options` lists it."""

    name: str
    default: Any
    expected: str
    rule: str
    help: str


def describe_options(kind: type[Any]) -> list[OptionInfo]:
    """Return every option of a game, in the order of its declaration."""
    return [
        OptionInfo(f.name, f.default, _expected(f), f.metadata["rule"], f.metadata["help"])
        for f in dataclasses.fields(kind)
    ]


def parse_options(kind: type[Options], assignments: Iterable[str]) -> Options:
    """Options from texts like ``"layout=square"``; later ones win.

    Raises:
        OptionError: an unknown name, a missing ``=``, or a value that the option cannot take.
    """
    fields = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name = name.strip()
        if not equals:
            raise OptionError(f"option {assignment!r} has no value; expected NAME=VALUE such as {_example(kind)}")
        if name not in fields:
            raise OptionError(f"unknown option {name!r}; {did_you_mean(name, fields)}")
        values[name] = _parse_value(fields[name], text.strip())
    return kind(**values)


def typed_text(value: object) -> str:
    """Return a value as it is typed behind NAME=."""
    return (
        value
        if isinstance(value, str)
        else json.dumps(value, default=lambda item: getattr(item, "tolist", lambda: str(item))())
    )


def changed_options(options: Any) -> dict[str, Any]:
    """Only what differs from the defaults: the part of the options that a caption has to state."""
    return {
        f.name: getattr(options, f.name) for f in dataclasses.fields(options) if getattr(options, f.name) != f.default
    }


def options_text(changed: Mapping[str, Any]) -> str:
    """Changed options in words, as ``--option`` takes each: ``"joker=add, target=30"``."""
    return ", ".join(f"{name}={typed_text(value)}" for name, value in changed.items())


def options_in_words(options: Any) -> str:
    """Return what differs from the default rules as people read it: ``"towers that win the match: 1"``."""
    changed = changed_options(options)
    helps = {option.name: option.help for option in describe_options(type(options))}
    said = (("no", "yes")[value] if isinstance(value, bool) else typed_text(value) for value in changed.values())
    return "; ".join(f"{helps[name]}: {value.replace('_', ' ')}" for name, value in zip(changed, said, strict=True))


def unsolved_options(options: Any) -> dict[str, Any]:
    """Only what differs from the default rules, of which solutions are stored, so that they do not hold
    (`option(…, solved=…)`)."""
    solved = {field.name for field in dataclasses.fields(options) if field.metadata["solved"]}
    return {name: value for name, value in changed_options(options).items() if name not in solved}


def solutions_hold(options: Any) -> bool:
    """Return whether stored solutions hold under these rules."""
    return not unsolved_options(options)


_TRUTHS = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)


def _parse_value(field: dataclasses.Field[Any], text: str) -> Any:
    value: Any = text.lower()
    if isinstance(field.default, bool):
        value = _TRUTHS.get(value, text)
    elif field.default is None and value == "none":
        value = None
    elif not isinstance(field.default, str):
        with suppress(ValueError):
            value = float(text) if isinstance(field.default, float) else int(text)
    _check_value(field, value)
    return value


def _check_value(field: dataclasses.Field[Any], value: Any) -> None:
    """A value of the wrong type, word or size is refused with what was expected."""
    choices, low, high = (field.metadata[name] for name in ("choices", "low", "high"))
    if isinstance(field.default, bool):
        fits = isinstance(value, bool)
    elif choices is not None:
        fits = value in choices
    elif value is None:
        fits = field.default is None
    else:
        kind = float if isinstance(field.default, float) else int
        is_number = isinstance(value, (int, kind)) and not isinstance(value, bool)
        fits = is_number and (low is None or value >= low) and (high is None or value <= high)
    if not fits:
        raise OptionError(f"option {field.name}={quote_value(value)} cannot be; expected {_expected(field)}")


def _expected(field: dataclasses.Field[Any]) -> str:
    if isinstance(field.default, bool):
        return "true or false"
    if field.metadata["choices"] is not None:
        return " or ".join(field.metadata["choices"])
    kind = "a number" if isinstance(field.default, float) else "a whole number"
    low, high = field.metadata["low"], field.metadata["high"]
    if low is not None and high is not None:
        kind += f" from {low} to {high}"
    elif low is not None:
        kind += f" of at least {low}"
    if why := field.metadata["why"]:
        kind += f", as {why}"
    return kind + (" or none" if field.default is None else "")


def _example(kind: type[Any]) -> str:
    first = dataclasses.fields(kind)[0]
    return f"{first.name}={first.default}"
