"""How far the model's gap between two calls is from the gap as it is played with hidden cards.

``data/model_error.csv`` is the table ``model_error`` of ``towerlab study towers-and-bowers hidden-play``, each row with
a checksum of its own. Up to four cards the game itself is solved and nothing is off. Of second calls no error is told:
the players of the study do not read bids, and where the game is solved they are in places much further from the truth
than the model.
"""

from __future__ import annotations

import csv
import functools
import hashlib
from collections.abc import Mapping
from typing import Final

from towerlab.analysis.towers_and_bowers.solutions.rules import shipped_file
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import LARGEST_STORED

FILE: Final = "model_error.csv"
CHECKSUM: Final = "checksum"
WIDEST: Final = 30.0  # mt; only smaller gaps have been played out
FEWEST_CARDS: Final = LARGEST_STORED + 1  # fewer are solved to the last card
ALL: Final = "all"  # the row that does not ask how large the gap is


@functools.lru_cache(maxsize=1)
def model_errors() -> Mapping[tuple[int, str], float]:
    """Root mean square of played less model's gap, mt, of first calls whose gap is small, by hand size and seat.

    Raises:
        TowerlabError: the file is damaged.
    """
    return {
        (int(row["cards"]), row["seat"]): float(row["model_error"])
        for row in error_rows()
        if row["band"] == ALL and row["round"] == "1" and int(row["cards"]) >= FEWEST_CARDS
    }


def error_rows() -> list[dict[str, str]]:
    """The rows of the file by column.

    Raises:
        TowerlabError: the file is damaged.
    """
    return list(csv.DictReader(stored_lines()))


def stored_lines() -> list[str]:
    """The lines of the file, the header first.

    Raises:
        TowerlabError: one does not match its checksum.
    """
    lines: list[str] = shipped_file(FILE).read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        cells, _, told = line.rpartition(",")
        if row_checksum(cells) != told:
            raise TowerlabError(f"{FILE} is damaged: {line!r} does not match its checksum; expected what ships")
    return lines


def row_checksum(cells: str) -> str:
    """Of a line of the file without its last cell."""
    return hashlib.blake2b(cells.encode(), digest_size=6).hexdigest()
