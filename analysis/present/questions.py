"""Tables of questions and of answers: rows read from a file or a frame, rows written.

A file has a header whose columns are named like the command's options (``opponent-void`` or ``opponent_void``); an
empty cell is an option not given. Columns ``id`` and ``note`` are carried along. CSV, Parquet or, of deals, PBN.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from towerlab.analysis.tables import check_rows, read_parquet
from towerlab.games.errors import TowerlabError, did_you_mean, shown
from towerlab.games.pbn import SEATS
from towerlab.games.untrusted import read_text

if TYPE_CHECKING:
    import pandas as pd

CARRIED = ("id", "note")
LARGEST_FILE = 50_000_000  # bytes of a file of questions
MOST_ROWS = 1_000_000
SUFFIXES = (".csv", ".json", ".parquet")
_NAMED_ROWS = 5  # a message about a thousand broken rows stays one readable line
_TAG = re.compile(r'\[(\w+)\s+"([^"]*)"\]')


class QuestionRow(NamedTuple):
    """One row of a table.

    Attributes:
        row: number of the row under the header, from 1.
        line: number of its last line in a file of lines, else None.
        cells: the cells that are not empty, by column name with underscores.
        problem: why the row cannot be read at all, or None.
    """

    row: int
    line: int | None
    cells: Mapping[str, str]
    problem: str | None = None

    def __str__(self) -> str:
        return f"row {self.row}" + (f" (line {self.line})" if self.line is not None else "")


# --------------------------------------------------------------------------------------------------------- reading


def read_questions(source: Path, columns: Sequence[str]) -> list[QuestionRow]:
    """The rows of a file: ``.parquet``, ``.pbn`` where questions are about a deal, or CSV.

    Args:
        columns: the names a column may have, with underscores.

    Raises:
        TowerlabError: damaged or too large, no header, no row, or a column that is neither an option nor carried along.
    """
    suffix = source.suffix.lower()
    if suffix == ".pbn" and "deal" in columns:
        return read_pbn(source)
    if suffix == ".parquet":
        expected = "a table of questions"
        return frame_questions(read_parquet(source, expected, MOST_ROWS, (), LARGEST_FILE), columns, source)
    return _read_csv(source, columns)


def frame_questions(frame: pd.DataFrame, columns: Sequence[str], source: object = "the frame") -> list[QuestionRow]:
    """The rows of a frame; a missing value is an option not given.

    Raises:
        TowerlabError: as `read_questions`.
    """
    header = _header([str(name) for name in frame.columns], columns, source)
    texts = [[cell_text(value) for value in frame.iloc[:, place].tolist()] for place in range(len(header))]
    rows = enumerate(zip(*texts, strict=True), 1)
    return _checked(
        [
            QuestionRow(row, None, {name: cell for name, cell in zip(header, cells, strict=True) if cell})
            for row, cells in rows
        ],
        source,
    )


def read_pbn(source: Path) -> list[QuestionRow]:
    """The deals of a PBN file: trumps and lead follow from contract and declarer where a game has them.

    Raises:
        TowerlabError: not text, or no deal in it.
    """
    text = read_text(source, "a PBN file", LARGEST_FILE)
    check_rows(source, text.count("[Deal "), MOST_ROWS)
    lines = text.splitlines()
    questions: list[QuestionRow] = []
    tags: dict[str, str] = {}
    for number, line in enumerate([*lines, ""], 1):
        tags |= {name: value for name, value in _TAG.findall(line) if not line.startswith("%")}
        if not line.strip():
            if "Deal" in tags:
                questions.append(QuestionRow(len(questions) + 1, number - 1, _cells_of(tags)))
            tags = {}
    if not questions:
        raise TowerlabError(f'{source} has no [Deal "…"]; expected a PBN file with deals')
    return questions


def _cells_of(tags: Mapping[str, str]) -> dict[str, str]:
    cells = {"deal": tags["Deal"]}
    contract, declarer = tags.get("Contract", ""), tags.get("Declarer", "").upper()
    named = re.match(r"[1-7](NT|[SHDC])", contract.upper())
    if named and declarer in tuple(SEATS):
        cells |= {"trump": named[1], "lead": SEATS[(SEATS.index(declarer) + 1) % 4]}
    if "Vulnerable" in tags:
        cells["vul"] = tags["Vulnerable"]
    return cells


def _read_csv(source: Path, columns: Sequence[str]) -> list[QuestionRow]:
    """The rows of a CSV file, its cells separated by commas, semicolons or tabs."""
    text = read_text(source, "a CSV file of questions", LARGEST_FILE)
    check_rows(source, text.count("\n") - 1, MOST_ROWS)
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)  # a header has no other use for them
    lines = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    try:
        first_row, *rows = [(cells, lines.line_num) for cells in lines] or [([], 0)]
    except csv.Error as error:
        raise TowerlabError(f"{source}, line {lines.line_num}: {error}; expected a row of cells") from None
    header = _header(first_row[0], columns, source)
    questions: list[QuestionRow] = []
    for cells, number in rows:
        stripped = [cell.strip() for cell in cells]
        if not any(stripped):
            continue
        given = {name: cell for name, cell in zip(header, stripped, strict=False) if cell}
        problem = None if len(cells) == len(header) else f"has {len(cells)} cells; expected {len(header)}"
        questions.append(QuestionRow(len(questions) + 1, number, given, problem))
    return _checked(questions, source)


def _header(cells: Iterable[str], columns: Sequence[str], source: object) -> list[str]:
    header, known = [], (*columns, *CARRIED)
    for cell in cells:
        name = cell.strip().lower().lstrip("-").replace("-", "_")
        if name not in known:
            raise TowerlabError(f"{source} has an unknown column {shown(cell.strip())}; {did_you_mean(name, known)}")
        header.append(name)
    if not header:
        raise TowerlabError(f"{source} is empty; expected a header with some of {', '.join(columns)}")
    if len(set(header)) < len(header):
        raise TowerlabError(f"{source} names a column twice; expected every column once")
    return header


def _checked(questions: list[QuestionRow], source: object) -> list[QuestionRow]:
    if not questions:
        raise TowerlabError(f"{source} has a header but no row; expected one question a row")
    return questions


def cell_text(value: Any) -> str:
    """A value of a frame as it is typed: a missing one as an empty cell, a list as words, 5.0 as 5."""
    if isinstance(value, str):
        return value.strip()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return " ".join(map(cell_text, value))
    if value is None or value != value or type(value).__name__ == "NAType":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


# --------------------------------------------------------------------------------------------------------- writing


def as_table(answers: Sequence[Mapping[str, Any]], kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """One row an answer, one type a column: a row without an answer must not turn whole numbers into decimals.

    Args:
        kinds: columns that the table always has, and the type of each, such as ``"Int64"``.
    """
    import pandas as pd

    found: dict[str, Any] = dict.fromkeys(name for answer in answers for name in answer if name != "error")
    found |= kinds or {}
    if any("error" in answer for answer in answers):
        found |= {"error": "string"}
    return pd.DataFrame(
        {name: pd.array([answer.get(name) for answer in answers], dtype=kind) for name, kind in found.items()}
    )


def write_answers(answers: Sequence[Mapping[str, Any]], out: Path | None) -> None:
    """Write rows by suffix: ``.csv``, ``.parquet`` or ``.json``, a list of objects; as CSV on stdout without a file."""
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
    if out is not None and out.suffix.lower() == ".json":
        out.write_text(json.dumps(answers, ensure_ascii=False, allow_nan=False, indent=1) + "\n", encoding="utf-8")
    elif out is not None and out.suffix.lower() == ".parquet":
        as_table(answers).to_parquet(out, index=False)
    else:
        as_table(answers).to_csv(sys.stdout if out is None else out, index=False)


def broken_rows(source: object, broken: Sequence[tuple[QuestionRow, str]], total: int) -> str:
    """One line about the rows that could not be answered."""
    named = "; ".join(f"{question}: {problem}" for question, problem in broken[:_NAMED_ROWS])
    more = f"; and {len(broken) - _NAMED_ROWS} more rows" if len(broken) > _NAMED_ROWS else ""
    return f"{source}: {named}{more}; the other {total - len(broken)} of {total} rows are answered"
