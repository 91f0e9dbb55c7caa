"""A table of questions: its columns are the parameters of the function that answers or reads one question.

`analysis.batches` answers the tables.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Unpack, get_args, get_origin, get_type_hints

from towerlab.analysis.players import find_player
from towerlab.games.errors import TowerlabError, shown
from towerlab.sim.own import OwnPlayer

Row = Mapping[str, Any]
Arguments = Mapping[str, Any]
NOT_COLUMNS: Final = ("options", "first_n", "quiet", "jobs", "usual_rollouts")


@dataclasses.dataclass(frozen=True)
class Many:
    """A question that rows of a table can ask.

    Attributes:
        game: its name on the command line.
        asks: the function whose parameters are the columns; a row must fill those without a default. The record is
            `MANY` in the function's module, where workers import it.
        answers: (keyword arguments of the rows, rule options) → a flat row of answers for each, or its error.
        options: the dataclass of the rule options, if there are any.
        rows: how many are answered at a time.
        together: (cells of a row) → a text; rows with the same text share work.
        kinds: the columns of answers that a frame always has, and the pandas type of each.
    """

    game: str
    asks: Callable[..., Any]
    answers: Callable[[Sequence[Arguments], Any], Iterable[Row | TowerlabError]]
    options: type[Any] | None = None
    rows: int = 200
    together: Callable[[Mapping[str, str]], str] | None = None
    kinds: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def columns(self) -> dict[str, Any]:
        """The type of each."""
        return {name: kind for name, kind in kinds_of(self.asks).items() if name not in NOT_COLUMNS}

    @functools.cached_property
    def needed(self) -> tuple[str, ...]:
        """The columns without a default."""
        return tuple(kinds_of(self.asks, needed=True))

    def read(self, cells: Mapping[str, str], given: Mapping[str, str]) -> Arguments | TowerlabError:
        """The keyword arguments of a row.

        Args:
            cells: the row; it names stored players only.
            given: the user's values for empty cells, which may name the user's own players.
        """
        names = [name for name in self.columns.keys() & given.keys() if OwnPlayer in get_args(self.columns[name])]
        try:
            players = {name: find_player(given[name], self.game) for name in names if name not in cells}
            cells = {**given, **cells}
            missing = next((name for name in self.needed if name not in cells), None)
            if missing is not None:
                option = "--" + missing.replace("_", "-")
                raise TowerlabError(f"no {missing} is given; expected it as a column, or {option} for all rows")
            return {name: _typed(cells, name, kind) for name, kind in self.columns.items() if name in cells} | players
        except TowerlabError as error:
            return error

    def rules(self, changed: Mapping[str, Any]) -> Any:
        """Return the rule options, some changed, of a question that has any."""
        assert self.options is not None
        return dataclasses.replace(self.options(), **changed)


def each(
    answer: Callable[[Arguments, Any], Row],
) -> Callable[[Sequence[Arguments], Any], Iterator[Row | TowerlabError]]:
    """Return the `Many.answers` of questions that are answered one by one."""

    def answers(questions: Sequence[Arguments], options: Any) -> Iterator[Row | TowerlabError]:
        for question in questions:
            try:
                yield answer(question, options)
            except TowerlabError as error:
                yield error

    return answers


def kinds_of(function: Callable[..., Any], needed: bool = False) -> dict[str, Any]:
    """Return the types of a function's parameters by name, including those of ``**more: Unpack[…]``.

    Args:
        needed: only of those without a default.
    """
    parameters = inspect.signature(function, eval_str=not needed).parameters
    kinds = {
        name: parameter.annotation
        for name, parameter in parameters.items()
        if not needed or parameter.default is parameter.empty
    }
    for name in [name for name, parameter in parameters.items() if parameter.kind is parameter.VAR_KEYWORD]:
        more = kinds.pop(name)
        if get_origin(more) is Unpack and not needed:
            kinds |= get_type_hints(get_args(more)[0])
    return kinds


def truth(cells: Mapping[str, str], name: str) -> bool:
    """The value of a flag's cell.

    Raises:
        TowerlabError: neither yes nor no.
    """
    text = cells[name].lower()
    if text not in ("yes", "no", "true", "false", "1", "0", "x"):
        raise TowerlabError(f"{name}={cells[name]!r} is not understood; expected yes or no")
    return text in ("yes", "true", "1", "x")


def whole_number(cells: Mapping[str, str], name: str) -> int:
    """The value of a number's cell.

    Raises:
        TowerlabError: not a whole number.
    """
    match = re.fullmatch(r"([+-]?\d{1,18})(\.0*)?", cells[name])  # 5.0 where other rows had none
    if match is None:
        raise TowerlabError(f"{name}={shown(cells[name])} is not a number; expected a whole number")
    return int(match[1])


def _typed(cells: Mapping[str, str], name: str, kind: Any) -> Any:
    if kind is bool:
        return truth(cells, name)
    return whole_number(cells, name) if kind in (int, int | None) else cells[name]
