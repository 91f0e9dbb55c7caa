"""How are tables of questions read, and tables of answers written? From a file or a frame, a row a question.

A table has columns named like the command's options (``opponent-void`` or ``opponent_void``). An empty cell is an
option not given; other columns pass through. `games.untrusted.FORMATS` lists the formats.

>>> cell_text(5.0), cell_text(["JS", "AS"]), cell_text(float("nan"))
('5', 'JS AS', '')
"""

from __future__ import annotations

import csv
import difflib
import gzip
import io
import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from towerlab.analysis.question_rows import check_columns, check_rows, read_parquet
from towerlab.analysis.whole_files import write_whole
from towerlab.games import lin, pbn, untrusted
from towerlab.games.cards import TRUMPS
from towerlab.games.errors import TowerlabError, quote_value
from towerlab.games.pbn import BridgeBoard

if TYPE_CHECKING:
    import pandas as pd

LARGEST_FILE = 50_000_000  # bytes of a file of questions, unpacked
MOST_ROWS = 1_000_000
MOST_CELLS = 10_000_000
MOST_UNPACKED = 100_000_000  # bytes of a Parquet file of questions, unpacked
LONGEST_CELL = 1_000  # of a column that is read: 52 cards with what is between them have 200 characters
BOARDS: Mapping[str, Callable[[str], list[BridgeBoard]]] = {".pbn": pbn.read_boards, ".lin": lin.read_boards}
_MISSING = ("", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NULL", "null")  # as R, Excel and pandas write it
_BOARD_CELLS = {name: name for name in ("deal", "event", "dealer", "vulnerable", "declarer", "contract")} | {
    "number": "board"
}
_EXPECTED = f"a table of questions, {untrusted.formats(of_deals=True)}"
_NAMED_ROWS = 5  # a message about a thousand broken rows stays one readable line
_ALIKE = 0.75


class QuestionRow(NamedTuple):
    """One row of a table.

    Attributes:
        row: number of the row under the header, from 1.
        line: number of its last line in a file of lines, else None.
        cells: the non-empty texts of the question's columns (names with underscores) and all other cells, by column.
        problem: why the row cannot be read, or None.
        board: the board, if the file is one of bridge boards.
    """

    row: int
    line: int | None
    cells: Mapping[str, Any]
    problem: str | None = None
    board: BridgeBoard | None = None

    def __str__(self) -> str:
        return f"row {self.row}" + (f" (line {self.line})" if self.line is not None else "")


# --------------------------------------------------------------------------------------------------------- reading


def read_questions(source: Path, columns: Sequence[str]) -> list[QuestionRow]:
    """Return the rows of a file, by its suffix (`FORMATS`); without a known one it is read as CSV.

    Texts may be in UTF-8 or UTF-16, and packed (``.gz``).

    Args:
        columns: the names that are read, with underscores; other columns pass through.

    Raises:
        TowerlabError: damaged or too large, no header, no row, or a column that looks like a misspelt name.
    """
    suffix = untrusted.suffix_of(source)
    if suffix in BOARDS:
        if "deal" not in columns:
            expected = untrusted.formats(of_deals=False)
            raise TowerlabError(f"{source} holds bridge deals; expected for this question {expected}")
        return [
            QuestionRow(
                row, board.line, board_cells(board), board.problem and f"line {board.line}: {board.problem}", board
            )
            for row, board in enumerate(read_boards(source), 1)
        ]
    if suffix == ".parquet":

        def check(names: Sequence[str], cells: int) -> None:
            _check_cells(source, cells)
            _header([name for name in names if not name.startswith("__index_level_")], columns, source)

        frame = read_parquet(source, _EXPECTED, MOST_ROWS, (), LARGEST_FILE, MOST_UNPACKED, check)
        return frame_questions(frame, columns, source)
    if suffix == ".xlsx":
        return _rows_of(*_read_excel(source), columns, source)
    text = untrusted.read_text(source, _EXPECTED, LARGEST_FILE)
    _check_cells(source, max(map(text.count, ",;\t[")))
    if untrusted.FORMATS.get(suffix, untrusted.FORMATS[".csv"]).name.startswith("JSON"):
        return _rows_of(*_read_json(text, source, columns), columns, source)
    return _rows_of(*_read_csv(text, source), columns, source)


def frame_questions(frame: Any, columns: Sequence[str], source: object = "the frame") -> list[QuestionRow]:
    """Return the rows of a frame; a missing value is an option not given.

    Raises:
        TowerlabError: as `read_questions`.
    """
    texts = [frame.iloc[:, place].tolist() for place in range(len(frame.columns))]
    rows: Iterable[Sequence[Any]] = zip(*texts, strict=True) if texts else ()
    lines = ((None, row, None) for row in rows)
    return _rows_of([str(name) for name in frame.columns], lines, columns, source)


def read_boards(source: Path) -> list[BridgeBoard]:
    """Return the boards of a file of PBN or LIN.

    Raises:
        TowerlabError: no such file, or none with deals.
    """
    if untrusted.suffix_of(source) not in BOARDS:
        raise TowerlabError(f"{source} is no file of bridge deals; expected {' or '.join(BOARDS)}")
    text, encoding, newline = untrusted.read_written(source, "a file of bridge deals", LARGEST_FILE, "latin-1")
    check_rows(source, max(text.count("[Deal "), text.count("md|")), MOST_ROWS)
    _check_cells(source, 4 * max(text.count("["), text.count("|") // 2))
    boards = BOARDS[untrusted.suffix_of(source)](text)
    if not boards:
        raise TowerlabError(f"{source} has no deal; expected a file of bridge deals, PBN or LIN")
    if untrusted.suffix_of(source) == ".pbn":
        boards = [replace(board, encoding=encoding, newline=newline) for board in boards]
    return boards


def board_cells(board: BridgeBoard) -> dict[str, str]:
    """Return the columns of a board: those of a question about its deal, and its other facts."""
    cells = {"deal": board.deal}
    if board.trump_and_lead is not None:
        cells |= dict(zip(("trump", "lead"), board.trump_and_lead, strict=True))
    cells |= {"vul": board.vulnerable} | {column: getattr(board, name) for name, column in _BOARD_CELLS.items()}
    cells["left_out"] = "; ".join(board.left_out)
    return {name: cell for name, cell in cells.items() if cell}


Lines = tuple[Sequence[str], Iterable[tuple[int | None, Sequence[Any], str | None]]]
"""A header, and lines: the number, the cells, and why the line cannot be read, or None."""


def _read_json(text: str, source: Path, columns: Sequence[str]) -> Lines:
    """Return the objects of a list or of lines, or a table in one of the orients of pandas."""
    check_rows(source, text.count("{"), MOST_ROWS)
    expected = "a list of objects, or an object a line"
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    are_lines = len(lines) > 1 and all(line.lstrip().startswith("{") for _, line in lines[:2])
    place = ""
    objects: list[tuple[int | None, Any, str | None]] = []
    try:
        if are_lines:
            for number, line in lines:
                place = f", line {number}"
                objects.append((number, untrusted.parse_json(line), None))
        else:
            objects = [(None, row, None) for row in _objects(untrusted.parse_json(text), source, columns)]
    except untrusted.JsonError as error:
        reason = str(error).replace("line 1 column", "column") if are_lines else error
        raise TowerlabError(f"{source}{place} is not JSON: {reason}; expected {expected}") from None
    except TowerlabError:
        raise
    except (ValueError, TypeError):
        raise TowerlabError(f"{source} holds columns of different lengths; expected {expected}") from None
    if not all(isinstance(row, dict) for _, row, _ in objects):
        raise TowerlabError(f"{source} holds no objects; expected {expected}")
    header = list(dict.fromkeys(name for _, row, _ in objects for name in row))
    _check_cells(source, len(header) * len(objects))
    return header, ((line, [row.get(name) for name in header], why) for line, row, why in objects)


def _objects(value: Any, source: Path, columns: Sequence[str]) -> Sequence[Any]:
    """Return the rows of a table as objects, from any of the orients of pandas, or one question.

    Raises:
        ValueError: columns of different lengths.
    """
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return [value]
    if isinstance(value.get("data"), list):  # "split", or "table" whose rows are objects
        names = value.get("columns")
        return value["data"] if names is None else [dict(zip(names, row, strict=True)) for row in value["data"]]
    parts = list(value.values())
    if parts and all(isinstance(part, list) for part in parts):
        return [dict(zip(value, row, strict=True)) for row in zip(*parts, strict=True)]
    if not parts or not all(isinstance(part, dict) for part in parts):
        return [value]
    if not any(name.strip().lower().replace("-", "_") in columns for name in value):  # "index": by row
        return parts
    rows = dict.fromkeys(row for part in parts for row in part)
    _check_cells(source, len(rows) * len(parts))
    return [{name: part.get(row) for name, part in value.items()} for row in rows]


def _read_excel(source: Path) -> Lines:
    """Return the rows of the first sheet of a workbook."""
    content = untrusted.read_bytes(source, _EXPECTED, LARGEST_FILE)
    try:
        import openpyxl  # type: ignore[import-untyped]

        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            if sum(part.file_size for part in parts.infolist()) > MOST_UNPACKED:
                raise TowerlabError(f"{source} unpacks to more than {MOST_UNPACKED:,} bytes; expected {_EXPECTED}")
        sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets[0]
        sheet.reset_dimensions()
        rows = ((number, row, None) for number, row in enumerate(sheet.iter_rows(values_only=True), 1))
        full = [line for line in rows if any(cell is not None for cell in line[1])]
    except ImportError:
        raise TowerlabError(
            f"{source} needs openpyxl (pip install openpyxl); expected it, or the table as CSV"
        ) from None
    except TowerlabError:
        raise
    except (zipfile.BadZipFile, KeyError, ValueError, IndexError, TypeError, SyntaxError, OSError) as error:
        raise TowerlabError(f"{source} cannot be read as a workbook: {error}; expected {_EXPECTED}") from None
    check_rows(source, len(full) - 1, MOST_ROWS)
    _check_cells(source, sum(len(row) for _, row, _ in full))
    header = ["" if is_missing(cell) else str(cell) for cell in full[0][1]] if full else []
    return header, full[1:]


def _read_csv(text: str, source: Path) -> Lines:
    """Return the cells of lines, separated by commas, semicolons, tabs, or the character of a first line ``sep=``."""
    check_rows(source, text.count("\n") - 1, MOST_ROWS)
    named = re.match(r'\s*"?sep=(.)"?[ \r]*(?:\n|\Z)', text, re.IGNORECASE)
    body = (text[named.end() :] if named else text).lstrip("\r\n")
    before = text.count("\n") - body.count("\n")
    separator = named[1] if named else max(",;\t", key=body.partition("\n")[0].count)  # no header has them in its names
    lines = csv.reader(body.splitlines(keepends=True), delimiter=separator)
    try:
        header, *rows = [(cells, lines.line_num + before) for cells in lines] or [([], 0)]
    except csv.Error as error:
        raise TowerlabError(f"{source}, line {lines.line_num + before}: {error}; expected a row of cells") from None
    size = len(header[0])
    wrong = {number: f"has {len(cells)} cells; expected {size}" for cells, number in rows if len(cells) != size}
    full = ((number, cells, wrong.get(number)) for cells, number in rows if any(map(str.strip, cells)))
    return header[0], full


def _check_cells(source: Path, cells: int) -> None:
    if cells > MOST_CELLS:
        raise TowerlabError(f"{source} has {cells:,} cells or more; expected at most {MOST_CELLS:,}")


def _rows_of(
    header: Sequence[str], lines: Iterable[tuple[int | None, Sequence[Any], str | None]], columns: Sequence[str],
    source: object,
) -> list[QuestionRow]:  # fmt: skip
    """Return the rows of a table: cells of known columns as text, the others unchanged."""
    names = _header(header, columns, source)
    questions: list[QuestionRow] = []
    for row, (line, values, problem) in enumerate(lines, 1):
        cells: dict[str, Any] = {}
        try:
            for name, value in zip(names, values, strict=False):
                if name in columns:
                    cells |= {name: text} if (text := _read_cell(name, value)) else {}
                elif name or not is_missing(value):
                    cells[name] = None if is_missing(value) else value
        except TowerlabError as error:
            problem = problem or str(error)
        questions.append(QuestionRow(row, line, cells, problem))
    if not questions:
        raise TowerlabError(f"{source} has a header but no row; expected one question a row")
    return questions


def _header(header: Sequence[str], columns: Sequence[str], source: object) -> list[str]:
    check_columns(source, len(header))
    names = []
    for cell in header:
        name = cell.strip().lower().lstrip("-").replace("-", "_")
        known = name in columns
        if not known and (meant := next((column for column in columns if _is_misspelt(name, column)), None)):
            raise TowerlabError(f"{source} has an unknown column {quote_value(cell.strip())}; did you mean {meant!r}?")
        names.append(name if known else cell.strip())
    if not names:
        raise TowerlabError(f"{source} is empty; expected a header with some of {', '.join(columns)}")
    if not any(name in columns for name in names):
        raise TowerlabError(f"{source} has no column of this question; expected some of {', '.join(columns)}")
    if len(set(names)) < len(names) - max(names.count("") - 1, 0):
        raise TowerlabError(f"{source} names a column twice; expected every column once")
    return names


def _is_misspelt(name: str, known: str) -> bool:
    """Return whether a name is a misspelling of a known one: ``nunber``, ``hnad``, not ``hand_id`` or ``id``."""
    swapped = any(name == known[:at] + known[at + 1] + known[at] + known[at + 2 :] for at in range(len(known) - 1))
    longer = name.startswith(known) and len(name) > len(known) + 1
    return swapped or (len(name) > 2 and not longer and difflib.SequenceMatcher(None, name, known).ratio() > _ALIKE)


def _read_cell(name: str, value: Any) -> str:
    """Return the text of a cell that is read.

    Raises:
        TowerlabError: bytes, or more than a question can need.
    """
    if len(value) > LONGEST_CELL if hasattr(value, "__len__") else False:
        raise TowerlabError(f"{name} has {len(value):,} characters or parts; expected at most {LONGEST_CELL:,}")
    return cell_text(value, name)


def is_missing(value: Any) -> bool:
    """Return whether a value is empty: None, NaN, NaT or NA, of whatever library, or a text without a character."""
    return value is None or (isinstance(value, str) and not value) or type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, (float, Decimal)) and value != value
    )  # fmt: skip


def cell_text(value: Any, name: str = "a cell") -> str:
    """Return a value of a frame as text: a missing one as an empty cell, cards as words, 5.0 as 5.

    Raises:
        TowerlabError: bytes, whose encoding is unknown.
    """
    if isinstance(value, str):
        return "" if value.strip() in _MISSING else value.strip()
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TowerlabError(f"{name} holds bytes; expected a text or a list of texts")
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple, set, frozenset)):
        words = [cell_text(part, name) for part in value]
        return " ".join(sorted(words) if isinstance(value, (set, frozenset)) else words)
    if is_missing(value):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


# --------------------------------------------------------------------------------------------------------- writing


def frame_of_answers(answers: Sequence[Mapping[str, Any]], kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a row an answer, with a type for each column, so that a missing answer turns no integers into floats.

    Args:
        kinds: columns that the table always has, and the type of each, such as ``"Int64"``.
    """
    import pandas as pd

    answers = _unsigned_zeros(answers)
    kind_by_column: dict[str, Any] = dict.fromkeys(name for answer in answers for name in answer if name != "error")
    kind_by_column |= kinds or {}
    if any("error" in answer for answer in answers):
        kind_by_column |= {"error": "string"}
    return pd.DataFrame(
        {name: _column([answer.get(name) for answer in answers], kind) for name, kind in kind_by_column.items()}
    )


def _column(cells: list[Any], kind: Any) -> Any:
    """Return the cells of a column as pandas infers their type; lists stay lists."""
    import pandas as pd

    is_nested = any(hasattr(cell, "__len__") and not isinstance(cell, str) for cell in cells)
    return pd.Series(cells, dtype=object) if is_nested else pd.array(cells, dtype=kind)


def _unsigned_zeros(answers: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows with −0.0 as 0.0."""
    return [
        {name: 0.0 if isinstance(cell, float) and cell == 0 else cell for name, cell in row.items()} for row in answers
    ]


def write_answers(
    answers: Sequence[Mapping[str, Any]],
    out: Path | None,
    boards: Sequence[BridgeBoard | None] = (),
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write rows in the format of the suffix (`FORMATS`), replacing a file at once; without a file CSV on stdout.

    Args:
        boards: the boards of rows that came from a file of boards, for PBN, which is written as that file is.
        about: the facts for the metadata of Parquet (pandas reads it as `attrs`).

    Raises:
        TowerlabError: the file cannot be written.
    """
    if out is None:
        frame_of_answers(answers).to_csv(sys.stdout, index=False)
        return
    suffix = untrusted.suffix_of(out)
    encoding = "utf-8"
    if suffix == ".parquet":
        frame = frame_of_answers(answers)
        frame.attrs = dict((about or {}).items())
        write_whole(out, _parquet_bytes(frame))
        return
    if suffix == ".json":
        text = _as_json(_unsigned_zeros(answers), indent=1) + "\n"
    elif suffix == ".pbn":
        first = next((board for board in boards if board is not None), BridgeBoard())
        text = "" if first.text else "% PBN 2.1\n% EXPORT\n"
        text += "".join(map(_pbn_record, answers, boards or [None] * len(answers)))
        text = text.replace("\n", first.newline)
        encoding = first.encoding
    elif untrusted.FORMATS[suffix].name == "JSON lines":
        text = "".join(_as_json(row) + "\n" for row in _unsigned_zeros(answers))
    else:
        text = frame_of_answers(answers).to_csv(index=False)
    content = text.encode(encoding)
    write_whole(out, gzip.compress(content, mtime=0) if out.suffix.lower() == untrusted.PACKED else content)


def _as_json(content: Any, **how: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, default=str, **how)


def _parquet_bytes(frame: pd.DataFrame) -> bytes:
    import pyarrow as arrow

    try:
        return frame.to_parquet(index=False)
    except (arrow.ArrowException, TypeError):  # the user's own column with texts and numbers
        frame = frame.copy()
        for name in (name for name in frame if frame[name].dtype == object):
            frame[name] = frame[name].map(cell_text)
        return frame.to_parquet(index=False)


def _pbn_record(answer: Mapping[str, Any], board: BridgeBoard | None) -> str:
    """Return the record of a board with the table of twenty results and par."""
    seats = "NSEW"
    strains = TRUMPS[::-1]
    tricks = {(seat, strain): answer.get(f"{seat}_{strain}") for seat in seats for strain in strains}
    sections: dict[str, tuple[str, list[str]]] = {}
    if None not in tricks.values():
        rows = [f"{seat} {strain:>2} {count:>2}" for (seat, strain), count in tricks.items()]
        sections["DoubleDummyTricks"] = "".join(f"{count:x}" for count in tricks.values()), []
        sections["OptimumResultTable"] = r"Declarer;Denomination\2R;Result\2R", rows
    if answer.get("par_NS") is not None:
        sections["OptimumScore"] = f"NS {answer['par_NS']}", []
        sections["ParContract"] = re.sub(r"(\S+) ([NESW]+)[=+-]\d*", r"\2 \1", str(answer["par"])), []
    if board is None:
        known: dict[str, Any] = {name: str(answer.get(column) or "") for name, column in _BOARD_CELLS.items()}
        board = BridgeBoard(**known)
    if board.vulnerable in ("", pbn.UNKNOWN) and answer.get("vul"):  # of which par is
        board = replace(board, vulnerable=answer["vul"])
        if board.text:
            sections["Vulnerable"] = answer["vul"], []
    return pbn.add_sections(board, sections)


def broken_rows(source: object, broken: Sequence[tuple[QuestionRow, str]], total: int) -> str:
    """Return a line about the rows that could not be answered."""
    named = "; ".join(f"{question}: {problem}" for question, problem in broken[:_NAMED_ROWS])
    more = f"; and {len(broken) - _NAMED_ROWS} more rows" if len(broken) > _NAMED_ROWS else ""
    return f"{source}: {named}{more}; the other {total - len(broken)} of {total} rows are answered"
