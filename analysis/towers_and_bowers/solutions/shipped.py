"""The tables that ship in ``data/``, as rows of texts or as a frame."""

from __future__ import annotations

import csv
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def shipped_rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file by column, nothing without such a file."""
    path = files("analysis.towers_and_bowers").joinpath("data", name)
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines())) if path.is_file() else []


def shipped_frame(name: str) -> pd.DataFrame:
    """A CSV file that ships."""
    import pandas as pd

    with as_file(files("analysis.towers_and_bowers").joinpath("data", name)) as file:
        return pd.read_csv(file)
