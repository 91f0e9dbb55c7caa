"""What is a study made of, and how are its parameters changed?

>>> words_of("novice,pimc:32"), words_of(["novice"])
(['novice', 'pimc:32'], ['novice'])
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from towerlab.analysis.players import FILE, find_player, is_foreign
from towerlab.games.errors import OptionError, TowerlabError, did_you_mean, quote_value
from towerlab.games.options import parse_options
from towerlab.games.untrusted import JsonError, parse_json
from towerlab.sim.own_players import load_attribute

if TYPE_CHECKING:
    import pandas as pd

Parameters = Mapping[str, Any]

RULE_OPTIONS = "options"  # the parameter that holds the rule options, where a study takes them


@dataclass(frozen=True)
class StudyResult:
    """The result of a study.

    Attributes:
        tables: tidy tables, one row an observation; each becomes ``NAME.parquet`` and ``NAME.csv``.
        summary: JSON-able headline numbers with their n, interval and seed; None where there is none.
        files: further files by name, besides tables.
    """

    tables: Mapping[str, pd.DataFrame]
    summary: Mapping[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "summary", _finite(self.summary))


@dataclass(frozen=True)
class Study:
    """A computation cut into chunks that know nothing of each other.

    Attributes:
        game: name of the game, as on the command line.
        name: name of the study, as on the command line.
        help: what the study computes, in one line.
        parameters: JSON-able defaults; `towerlab study … --set name=value` changes them.
        run_chunk: (chunk number, its own seed, parameters) → tidy table. Module-level and pure: the same arguments
            give the same table in any process.
        combine: (tables in chunk order, parameters) → result. The tables come one at a time.
        count_chunks: parameters → number of chunks; by default the parameter `chunks`.
        keeps_checkpoints: whether its chunks take many minutes. `run_chunk` then gets a fourth argument, a
            `analysis.study.folder.Checkpoint`, through which an interrupted chunk goes on where it was.
        rule_options: the game's options dataclass, where the study takes ``--option``; `parameters["options"]` is
            then a plain dict of all of them.
        players: parameters whose values, or items, may also be players of the user's (`analysis.players.find_player`).
    """

    game: str
    name: str
    help: str
    parameters: Parameters
    run_chunk: Callable[..., pd.DataFrame]
    combine: Callable[[Iterable[pd.DataFrame], Parameters], StudyResult]
    count_chunks: Callable[[Parameters], int] = lambda parameters: int(parameters["chunks"])
    rule_options: type[Any] | None = None
    keeps_checkpoints: bool = False
    players: tuple[str, ...] = ()

    def modules(self, parameters: Parameters) -> tuple[str, ...]:
        """Return the modules of the study and of the user's players in it; for a strategy file its path."""
        names = (name for parameter in self.players for name in words_of(parameters[parameter]))
        named = [name for name in names if is_foreign(name, self.game)]
        return (self.run_chunk.__module__, *(name if name.endswith(FILE) else name.partition(":")[0] for name in named))


def parse_parameters(study: Study, assignments: Iterable[str], options: Iterable[str] = ()) -> dict[str, Any]:
    """Return the study's parameters with some changed.

    Args:
        study: the study that has the parameters.
        assignments: texts like ``"hands=5000"``.
        options: rule options like ``"layout=square"``.

    A value is read as JSON where the default is not a text: numbers, true, false, null, lists.

    Raises:
        OptionError: an unknown parameter, a value of another type than the default's, or rule options for a study
            that takes none.
    """
    parameters = default_parameters(study)
    changeable = [name for name in parameters if name != RULE_OPTIONS]
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name = name.strip()
        if not equals:
            raise OptionError(f"--set {assignment!r} has no value; expected NAME=VALUE")
        if name not in changeable:
            raise OptionError(f"{study.name} has no parameter {name!r}; {did_you_mean(name, changeable)}")
        value = parameters[name] = _parse_value(name, text.strip(), study.parameters[name])
        for player in words_of(value) if name in study.players else ():
            find_player(player, study.game)
    options = tuple(options)
    if options:
        if study.rule_options is None:
            raise OptionError(
                f"{study.name} is a study of the default rules, for which its deals and players' rules are written; "
                f"expected no --option, not {options[0]!r} (`towerlab compare {study.game}` says what one changes)"
            )
        parameters[RULE_OPTIONS] = dataclasses.asdict(parse_options(study.rule_options, options))
    return parameters


def words_of(value: Any) -> list[str]:
    """Return the items of a parameter that is a list, or a text with commas."""
    return value.split(",") if isinstance(value, str) else list(value)


def own_study(text: str) -> Study:
    """Return the user's study ``module:NAME``; the current folder is searched as well.

    Raises:
        TowerlabError: there is none.
    """
    study = load_attribute(text)
    if not isinstance(study, Study):
        raise TowerlabError(f"{text} is {quote_value(study)}; expected an analysis.study.Study")
    return study


def default_parameters(study: Study) -> dict[str, Any]:
    """Return the study's parameters, rule options included."""
    parameters = dict(study.parameters)
    if study.rule_options is not None:
        parameters.setdefault(RULE_OPTIONS, dataclasses.asdict(study.rule_options()))
    return parameters


def _finite(value: Any) -> Any:
    """Return a value as JSON can hold it: NaN and infinity become None."""
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, list | tuple):
        return [_finite(part) for part in plain]
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def _parse_value(name: str, text: str, default: Any) -> Any:
    """Read a text as the type of the default; a decimal may be written as a whole number, a whole number as 1e6."""
    value: Any = text
    if not isinstance(default, str):
        with suppress(JsonError):
            value = parse_json(text)
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if isinstance(default, (bool, str)):
        fits = isinstance(value, type(default))
    elif default is None:
        fits = value is None or number
    elif isinstance(default, (int, float)):
        fits = number and (isinstance(default, float) or value == int(value)) and (value >= 0 or default < 0)
        value = type(default)(value) if fits else value
    else:
        fits = not isinstance(value, dict)  # a single item is typed without brackets
        items = value if isinstance(value, list) else [word for word in text.split(",") if word]
        texts = (item if isinstance(item, str) else json.dumps(item) for item in items)
        value = [_parse_value(name, item, default[0]) for item in texts]
    if not (fits and text.isprintable()):  # control characters and broken bytes of the command line
        raise OptionError(f"--set {name}={text!r} cannot be; expected a value like the default {json.dumps(default)}")
    return value
