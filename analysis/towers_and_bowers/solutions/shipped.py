"""The tables of solutions and studies: rows of a CSV file as texts or as a frame, ours in ``data/`` or the user's."""

from __future__ import annotations

import csv
import os
from importlib.resources import as_file
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from towerlab.analysis.towers_and_bowers.solutions.rules import SHIPPED, SUFFIX, is_current, other_rules, shipped_file
from towerlab.games.errors import TowerlabError

if TYPE_CHECKING:
    import pandas as pd

LARGEST_STORED: Final = 4  # cards of the largest hands that are solved to the last card
FOLDER_VARIABLE: Final = "TOWERLAB_DATA"
UNSTAMPED: Final = f", or no file *{SUFFIX} beside it says for which"


def data_file(name: str) -> Any:
    """A file of that name, the user's before ours; None if there is none, or ours is of rules edited since.

    Raises:
        TowerlabError: the user's is of other rules.
    """
    own = Path(os.environ.get(FOLDER_VARIABLE) or os.devnull)
    if (own / name).is_file():
        if not is_current(own, name):
            raise TowerlabError(f"{own}: {other_rules(name, UNSTAMPED)}")
        return own / name
    return SHIPPED.joinpath(name) if SHIPPED.joinpath(name).is_file() and is_current(SHIPPED, name) else None


def rows_of_file(path: Any) -> list[dict[str, str]]:
    """The rows of a CSV file by column."""
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def shipped_rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file that ships, by column."""
    return rows_of_file(shipped_file(name))


def shipped_frame(name: str, **how: Any) -> pd.DataFrame:
    """A CSV file that ships, read by pandas as it is said."""
    import pandas as pd

    with as_file(shipped_file(name)) as file:
        table: pd.DataFrame = pd.read_csv(file, **how)
    return table
