"""The tables that ship in ``data/``, as rows of texts or as a frame."""

from __future__ import annotations

import csv
from importlib.resources import as_file
from typing import TYPE_CHECKING

from towerlab.analysis.towers_and_bowers.solutions.rules import shipped_file

if TYPE_CHECKING:
    import pandas as pd


def shipped_rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file by column."""
    return list(csv.DictReader(shipped_file(name).read_text(encoding="utf-8").splitlines()))


def shipped_frame(name: str) -> pd.DataFrame:
    """A CSV file that ships."""
    import pandas as pd

    with as_file(shipped_file(name)) as file:
        return pd.read_csv(file)
