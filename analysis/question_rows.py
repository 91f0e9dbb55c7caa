"""Which columns may a table of questions have, and how is a row read? Also: Parquet files, read within limits.

A column of a table is a parameter of the function that answers (`BatchQuestion`); `analysis.batches` answers the rows.
A Parquet file may unpack to a million times its size, so the rows and bytes in its footer are checked first.

>>> read_whole_number({"tricks": "5.0"}, "tricks"), read_flag({"concede": "x"}, "concede")
(5, True)
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack, get_args, get_origin, get_type_hints

from towerlab.analysis.players import find_player
from towerlab.games.engine import require
from towerlab.games.errors import TowerlabError, quote_value
from towerlab.games.untrusted import LARGEST_FILE, read_bytes
from towerlab.sim.own_players import OwnPlayer

if TYPE_CHECKING:
    import pandas as pd


MOST_UNPACKED: Final = 1_000_000_000
"""Bytes of a table, unpacked."""
MOST_COLUMNS: Final = 1_000
_ROWS_AT_ONCE: Final = 1_000  # whose texts are unpacked to count them


def read_parquet(
    path: Path,
    expected: str,
    most_rows: int,
    needed: Sequence[str] = (),
    largest: int = LARGEST_FILE,
    unpacked_to: int = MOST_UNPACKED,
    check: Callable[[Sequence[str], int], object] | None = None,
) -> pd.DataFrame:
    """Return the table of a Parquet file, which is unpacked only if its footer gives an allowed size.

    Args:
        path, expected, largest: the same as in `read_bytes`.
        most_rows: how many rows it may have.
        needed: the columns that it must have.
        unpacked_to: how many bytes it may have, unpacked.
        check: a function that raises an error for names of columns and a number of cells, before anything is unpacked.

    Raises:
        TowerlabError: as `read_bytes`; no Parquet, a column that is missing, or a table beyond these limits.
    """
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    content = read_bytes(path, expected, largest)
    try:
        file = parquet.ParquetFile(io.BytesIO(content))
        schema = file.schema_arrow
        footer = file.metadata
        check_columns(path, footer.num_columns)
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        columns = [group.column(number) for group in groups for number in range(footer.num_columns)]
        if any(name not in schema.names for name in needed):
            raise TowerlabError(f"{path} has columns {', '.join(schema.names)}; expected {', '.join(needed)}")
        check_rows(path, max(footer.num_rows, *(group.num_rows for group in groups), 0), most_rows)
        if check is not None:
            check(schema.names, sum(column.num_values for column in columns))
        for field in schema:
            if not _is_plain(field.type):
                raise TowerlabError(
                    f"{path}: {field.name} holds {field.type}; expected texts, numbers or lists of them"
                )
        unpacked = sum(max(column.total_uncompressed_size, 8 * column.num_values) for column in columns)
        if unpacked <= unpacked_to:
            texts = [column.path_in_schema for column in columns if column.physical_type == "BYTE_ARRAY"]
            unpacked = 0
            for batch in parquet.ParquetFile(io.BytesIO(content), read_dictionary=texts).iter_batches(_ROWS_AT_ONCE):
                unpacked += sum(map(_text_bytes, batch.columns))
                if unpacked > unpacked_to:
                    break
        if unpacked > unpacked_to:
            raise TowerlabError(f"{path} unpacks to more than {unpacked_to:,} bytes; expected {expected}")
        table = file.read([name for name in schema.names if not name.startswith("__index_level_")])
        table.validate(full=True)  # that texts are UTF-8
        frame: pd.DataFrame = table.replace_schema_metadata().to_pandas()
    except TowerlabError:
        raise
    except (arrow.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise TowerlabError(f"{path} cannot be read as Parquet: {reason}; expected {expected}") from None
    return frame


def frame_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame, each a dictionary by column."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def check_rows(path: Path, rows: int, most: int) -> None:
    """Refuse a table of more rows than `most`."""
    if rows > most:
        raise TowerlabError(f"{path} has {rows:,} rows; expected at most {most:,}")


def check_columns(path: object, columns: int) -> None:
    """Refuse a table of more columns than `MOST_COLUMNS`."""
    if columns > MOST_COLUMNS:
        raise TowerlabError(f"{path} has {columns:,} columns; expected at most {MOST_COLUMNS:,}")


def _is_plain(kind: Any) -> bool:
    from pyarrow import types

    while types.is_list(kind) or types.is_large_list(kind) or types.is_dictionary(kind):
        kind = kind.value_type
    fits = (types.is_primitive, types.is_string, types.is_large_string, types.is_decimal, types.is_null)
    return any(is_it(kind) for is_it in fits)


def _text_bytes(cells: Any) -> int:
    """Return the total length of texts: a text stored once may be in a million rows."""
    from pyarrow import compute, types

    while types.is_list(cells.type) or types.is_large_list(cells.type):
        cells = cells.flatten()
    if not types.is_dictionary(cells.type) or types.is_primitive(cells.type.value_type):
        return 0
    return int(compute.sum(compute.binary_length(cells.dictionary).take(cells.indices)).as_py() or 0)


Row = Mapping[str, Any]
Arguments = Mapping[str, Any]
NOT_COLUMNS: Final = ("options", "first_n", "quiet", "jobs", "usual_rollouts")


@dataclasses.dataclass(frozen=True)
class BatchQuestion:
    """A question that the rows of a table can ask.

    Attributes:
        game: the game's name on the command line.
        asks: the function whose parameters are the columns; a row must fill those without a default. The record is
            `BATCH` in that function's module, where workers import it.
        answers: (keyword arguments of the rows, rule options) → for each row a flat row of answers, or its error.
        options: the dataclass of the rule options, if there are any.
        rows: how many rows are answered at a time.
        together: (cells of a row) → a text; rows with the same text share work.
        kinds: the pandas type of each column of answers that a frame always has.
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
        """The type of each column."""
        return {name: kind for name, kind in parameter_types(self.asks).items() if name not in NOT_COLUMNS}

    @functools.cached_property
    def needed(self) -> tuple[str, ...]:
        """The columns that a row must fill."""
        return tuple(parameter_types(self.asks, needed=True))

    def read(self, cells: Mapping[str, str], given: Mapping[str, str]) -> Arguments | TowerlabError:
        """Return the keyword arguments of a row, or its error.

        Args:
            cells: the row; it can name stored players only.
            given: the user's values for empty cells; these may name the user's own players.
        """
        names = [name for name in self.columns.keys() & given.keys() if OwnPlayer in get_args(self.columns[name])]
        try:
            players = {name: find_player(given[name], self.game) for name in names if name not in cells}
            cells = {**given, **cells}
            missing = next((name for name in self.needed if name not in cells), None)
            if missing is not None:
                option = "--" + missing.replace("_", "-")
                raise TowerlabError(f"no {missing} is given; expected it as a column, or {option} for all rows")
            return {
                name: _read_typed(cells, name, kind) for name, kind in self.columns.items() if name in cells
            } | players
        except TowerlabError as error:
            return error

    def rules(self, changed: Mapping[str, Any]) -> Any:
        """Return the rule options with changes; the question must have options."""
        return dataclasses.replace(require(self.options)(), **changed)


def answer_each(
    answer: Callable[[Arguments, Any], Row],
) -> Callable[[Sequence[Arguments], Any], Iterator[Row | TowerlabError]]:
    """Return a `BatchQuestion.answers` that answers the rows one by one.

    Args:
        answer: (keyword arguments, rule options) → a row of answers.
    """

    def answers(questions: Sequence[Arguments], options: Any) -> Iterator[Row | TowerlabError]:
        for question in questions:
            try:
                yield answer(question, options)
            except TowerlabError as error:
                yield error

    return answers


def parameter_types(function: Callable[..., Any], needed: bool = False) -> dict[str, Any]:
    """Return the types of a function's parameters by name, including those of ``**more: Unpack[…]``.

    Args:
        needed: whether to return only the types of those without a default.
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


def read_flag(cells: Mapping[str, str], name: str) -> bool:
    """Return the value of a flag's cell.

    Raises:
        TowerlabError: neither yes nor no.
    """
    text = cells[name].lower()
    if text not in ("yes", "no", "true", "false", "1", "0", "x"):
        raise TowerlabError(f"{name}={cells[name]!r} is not understood; expected yes or no")
    return text in ("yes", "true", "1", "x")


def read_whole_number(cells: Mapping[str, str], name: str) -> int:
    """Return the value of a number's cell.

    Raises:
        TowerlabError: not a whole number.
    """
    match = re.fullmatch(r"([+-]?\d{1,18})(\.0*)?", cells[name])  # 5.0 where other rows had none
    if match is None:
        raise TowerlabError(f"{name}={quote_value(cells[name])} is not a number; expected a whole number")
    return int(match[1])


def _read_typed(cells: Mapping[str, str], name: str, kind: Any) -> Any:
    if kind is bool:
        return read_flag(cells, name)
    return read_whole_number(cells, name) if kind in (int, int | None) else cells[name]
