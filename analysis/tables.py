"""Tables of Parquet that anybody may have written: read within stated limits, refused in one line.

Parquet may unpack to a million times its size, so that rows and bytes are looked up in the footer first.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from towerlab.games.errors import TowerlabError
from towerlab.games.untrusted import LARGEST_FILE, read_bytes

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
        path, expected, largest: as of `read_bytes`.
        most_rows: how many rows it may have.
        needed: the columns that it must have.
        unpacked_to: how many bytes it may have, unpacked.
        check: raises an error for names of columns and a number of cells, before anything is unpacked.

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


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table by column."""
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
