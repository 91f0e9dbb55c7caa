"""The folder ``tables`` of a page: Parquet with units, CSV of small tables, and the meaning of the columns.

Every count of observations is called ``n``, whatever was counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import pandas as pd

from towerlab.analysis.report.page import Column, Table

FOLDER: Final = "tables"
COLUMNS_FILE: Final = f"{FOLDER}/columns.md"
_SMALL: Final = 100_000  # bytes of a CSV file
_COUNTS: Final = (
    "decisions", "hands", "deals", "positions", "games", "matches", "packs", "wars", "battles", "pairs", "units",
    "count",
)  # fmt: skip


def published(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table as it is written: names without blanks, the ends of intervals, and counts as ``n``.

    >>> list(published(pd.DataFrame({"200 layouts": [1.0], "low": [0.5], "deals": [3]})))
    ['layouts_200', 'interval_low', 'n']
    """
    frame = frame.rename(columns=_identifier)
    counts = [name for name in _COUNTS if name in frame and pd.api.types.is_integer_dtype(frame[name])]
    return frame if "n" in frame or not counts else frame.rename(columns={counts[0]: "n"})


def files_of(name: str, frame: pd.DataFrame) -> list[str]:
    """Where a table is written, from the page."""
    kinds = ("parquet", "csv") if len(_csv(frame)) < _SMALL else ("parquet",)
    return [f"{FOLDER}/{name}.{kind}" for kind in kinds]


def write_tables(
    folder: Path, frames: Mapping[str, pd.DataFrame], tables: Iterable[Table], about: Mapping[str, str]
) -> dict[str, list[dict[str, str]]]:
    """Write the tables into the page's folder and return the meaning of their columns: column, what, unit.

    Args:
        folder: of the page.
        frames: by name.
        tables: those of the page, with columns and captions.
        about: how the page was made, for the metadata of every Parquet file.
    """
    import pyarrow
    import pyarrow.parquet

    (folder / FOLDER).mkdir()
    tables = tuple(tables)
    captions = {table.name: table.caption for table in tables}
    shown = {table.name: {_identifier(column.name): column for column in table.shown_columns} for table in tables}
    meanings: dict[str, list[dict[str, str]]] = {}
    for name, frame in frames.items():
        for file in files_of(name, frame):
            if file.endswith(".csv"):
                (folder / file).write_bytes(_csv(frame))
                continue
            table = pyarrow.Table.from_pandas(published(frame), preserve_index=False)
            pairs = zip(table.schema.names, map(_identifier, frame), strict=True)  # before counts are called n
            meanings[name] = [_described(column, shown.get(name, {}).get(old)) for column, old in pairs]
            fields = [table.schema.field(meaning["column"]).with_metadata(meaning) for meaning in meanings[name]]
            caption = captions[name]
            known = {**about, "rules": caption.rules, "size": caption.size, "model": caption.model,
                     "certainty": str(caption.certainty)}  # fmt: skip
            schema = pyarrow.schema(fields, {**known, **table.schema.metadata})
            pyarrow.parquet.write_table(table.cast(schema), folder / file)
    return meanings


def _described(name: str, column: Column | None) -> dict[str, str]:
    what = f"{column.meaning}{': ' * bool(column.help)}{column.help}" if column else name.replace("_", " ")
    return {"column": name, "what": what, "unit": column.unit if column else ""}


def _identifier(name: object) -> str:
    """Return a name without blanks, a leading number moved to its end; ``low`` and ``high`` get a prefix."""
    identifier = re.sub(r"^(\d+)_(.*)$", r"\2_\1", re.sub(r"\W+", "_", str(name)))
    return f"interval_{identifier}" if identifier in ("low", "high") else identifier


def _csv(frame: pd.DataFrame) -> bytes:
    text = published(frame).to_csv(index=False, float_format="%.10g", lineterminator="\n")
    return text.encode()
