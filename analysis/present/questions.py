"""A table of questions in, a table of answers out: what ``--from FILE.csv --out`` does on every command that has it.

The file has a header whose columns are named like the command's options (``opponent-void`` or ``opponent_void``);
an empty cell is an option not given. Columns ``id`` and ``note`` are carried along. A broken row does not stop the
others: its answer is an ``error`` column, and at the end one message names every broken row.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from analysis.present import print_json
from games.errors import TowerlabError, did_you_mean, shown
from games.untrusted import read_text

if TYPE_CHECKING:
    import pandas as pd

CARRIED = ("id", "note")
LARGEST_FILE = 50_000_000  # bytes of a file of questions
SUFFIXES = (".csv", ".json", ".parquet")
_DEEPEST = 3  # names in the path of a column
_NAMED_ROWS = 5  # a message about a thousand broken rows stays one readable line

Answer = Callable[[Mapping[str, str]], Mapping[str, Any]]


class Question(NamedTuple):
    """One row of the file.

    Attributes:
        row: number of the row under the header, from 1.
        line: number of its last line in the file.
        cells: the cells that are not empty, by column name with underscores.
        problem: why the row cannot be read at all, or None.
    """

    row: int
    line: int
    cells: Mapping[str, str]
    problem: str | None = None


def require(given: Mapping[str, Any], *names: str) -> None:
    """Check that a question asked by options has its indispensable ones.

    Raises:
        TowerlabError: one of them is missing.
    """
    for name in names:
        if given[name] is None:
            raise TowerlabError(f"no {_option(name)} is given; expected it, or a file of questions with --from")


def answer_asked_file(
    source: Path | None,
    out: Path | None,
    given: Mapping[str, Any],
    columns: Sequence[str],
    answer: Answer,
    as_json: bool = False,
) -> None:
    """What a command does with ``--from`` and ``--out``: check that they are used alone, then `answer_file`.

    Args:
        given: the options of a single question as they were given; all must be empty.

    Raises:
        TowerlabError: ``--out`` without ``--from``, another option beside them, or as `answer_file`.
    """
    if source is None:
        raise TowerlabError("--out is for the answers to a file of questions; expected --from FILE.csv with it")
    for name, value in given.items():
        if value not in (None, "", (), False):
            raise TowerlabError(f"{_option(name)} cannot stand beside --from; expected it as a column of {source}")
    answer_file(source, columns, answer, out, as_json)


def answer_file(
    source: Path, columns: Sequence[str], answer: Answer, out: Path | None = None, as_json: bool = False
) -> None:
    """Answer every row of a CSV file and write the answers.

    Args:
        source: the file of questions.
        columns: the names a column may have, with underscores.
        answer: from the cells of a row to its answer (JSON-able); raises TowerlabError on a broken question.
        out: where to write, by suffix ``.csv``, ``.json`` (a list of objects) or ``.parquet``; None for stdout.
        as_json: print one JSON object: how many rows were answered, and without `out` the answers; else stdout has
            the answers as CSV, or nothing. In a table objects become columns (``proof.line``), at most three names
            long; a tree that goes deeper is in the .json only.

    Raises:
        TowerlabError: a file that holds no questions, an unknown column or suffix; or, after everything else has
            been answered and written, the rows that could not be.
    """
    if out is not None:
        check_suffix(out)
    answers = [_answer_question(question, answer) for question in read_questions(source, columns)]
    broken = [entry for entry in answers if "error" in entry]
    if as_json:
        counts = {"rows": len(answers), "answered": len(answers) - len(broken)}
        print_json(counts | ({"answers": answers} if out is None else {"out": str(out)}))
    if out is not None or not as_json:
        write_answers(answers, out)
    if broken:
        raise TowerlabError(broken_rows(source, broken, len(answers)))


def check_suffix(out: Path) -> None:
    """Check that answers can be written to a file of that name.

    Raises:
        TowerlabError: an unknown suffix.
    """
    if out.suffix.lower() not in SUFFIXES:
        raise TowerlabError(f"{out} has no known suffix; expected {', '.join(SUFFIXES)}")


def read_questions(source: Path, columns: Sequence[str]) -> list[Question]:
    """The rows of a CSV file, its cells separated by commas, semicolons or tabs.

    Raises:
        TowerlabError: not UTF-8 text or too large, no header, no row, or a column that is neither an option nor carried
            along.
    """
    text = read_text(source, "a CSV file of questions", LARGEST_FILE)
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)  # a header has no other use for them
    lines = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    try:
        first_row, *rows = [(cells, lines.line_num) for cells in lines] or [([], 0)]
    except csv.Error as error:
        raise TowerlabError(f"{source}, line {lines.line_num}: {error}; expected a row of cells") from None
    header = [_column_name(cell, columns, source) for cell in first_row[0]]
    if not header:
        raise TowerlabError(f"{source} is empty; expected a header with some of {', '.join(columns)}")
    if len(set(header)) < len(header):
        raise TowerlabError(f"{source} names a column twice; expected every column once")
    questions: list[Question] = []
    for cells, number in rows:
        if not any(cell.strip() for cell in cells):
            continue
        given = {name: cell.strip() for name, cell in zip(header, cells, strict=False) if cell.strip()}
        problem = None if len(cells) == len(header) else f"has {len(cells)} cells; expected {len(header)}"
        questions.append(Question(len(questions) + 1, number, given, problem))
    if not questions:
        raise TowerlabError(f"{source} has a header but no row; expected one question a row")
    return questions


def truth(cells: Mapping[str, str], name: str) -> bool:
    """The value of a flag's cell; an empty one is False.

    Raises:
        TowerlabError: neither yes nor no.
    """
    text = cells.get(name, "no").lower()
    if text not in ("yes", "no", "true", "false", "1", "0", "x"):
        raise TowerlabError(f"{name}={cells[name]!r} is not understood; expected yes or no")
    return text in ("yes", "true", "1", "x")


def whole_number(cells: Mapping[str, str], name: str) -> int | None:
    """The value of a number's cell; None for an empty one.

    Raises:
        TowerlabError: not a whole number.
    """
    if name not in cells:
        return None
    try:
        return int(cells[name])
    except ValueError:
        raise TowerlabError(f"{name}={cells[name]!r} is not a number; expected a whole number") from None


def write_answers(answers: Sequence[Mapping[str, Any]], out: Path | None) -> None:
    """Write answers as `answer_file` describes."""
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
    if out is None:
        _as_table(answers).to_csv(sys.stdout, index=False)
    elif out.suffix.lower() == ".json":
        out.write_text(json.dumps(answers, ensure_ascii=False, allow_nan=False, indent=1) + "\n", encoding="utf-8")
    elif out.suffix.lower() == ".csv":
        _as_table(answers).to_csv(out, index=False)
    else:
        _as_table(answers).to_parquet(out, index=False)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _column_name(cell: str, columns: Iterable[str], source: Path) -> str:
    name = cell.strip().lower().lstrip("-").replace("-", "_")
    known = (*columns, *CARRIED)
    if name not in known:
        raise TowerlabError(f"{source} has an unknown column {shown(cell.strip())}; {did_you_mean(name, known)}")
    return name


def _answer_question(question: Question, answer: Answer) -> dict[str, Any]:
    asked = {"row": question.row, "line": question.line, **question.cells}
    if question.problem is not None:
        return asked | {"error": question.problem}
    try:
        return asked | dict(answer(question.cells))
    except TowerlabError as error:
        return asked | {"error": str(error)}


def broken_rows(source: Path, broken: Sequence[Mapping[str, Any]], total: int) -> str:
    """One line about the rows that could not be answered, from their ``row``, ``line`` and ``error``."""
    named = "; ".join(f"row {entry['row']} (line {entry['line']}): {entry['error']}" for entry in broken[:_NAMED_ROWS])
    more = f"; and {len(broken) - _NAMED_ROWS} more rows" if len(broken) > _NAMED_ROWS else ""
    return f"{source}: {named}{more}; the other {total - len(broken)} of {total} rows are answered"


def _as_table(answers: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """One row an answer, one type a column: a row without an answer must not turn whole numbers into decimals."""
    import pandas as pd

    table = pd.DataFrame([_flat(answer) for answer in answers], dtype=object)
    for name, column in table.items():
        table[name] = column.astype(_column_type(column.dropna()))
    return table


def _column_type(given: pd.Series[Any]) -> Any:
    """The type of what is given in a column; text where a broken row keeps its cell beside the others' numbers."""
    for kind, name in ((bool, "boolean"), (Integral, "Int64"), (Real, "Float64")):
        if all(isinstance(value, kind) for value in given) and not given.empty:
            return name
    return "string"


def _flat(answer: Mapping[str, Any], path: str = "", depth: int = 1) -> dict[str, Any]:
    """Columns of an answer: ``proof.line``, ``actions.accept.make``; cards of a list stand in one cell."""
    flat: dict[str, Any] = {}
    for name, value in answer.items():
        is_list = isinstance(value, list | tuple)
        entries = dict(map(_named, value)) if is_list and any(isinstance(one, Mapping) for one in value) else value
        if not isinstance(entries, Mapping):
            flat[path + name] = " ".join(map(str, entries)) if isinstance(entries, list | tuple) else entries
        elif depth < _DEEPEST:
            flat |= _flat(entries, f"{path}{name}.", depth + 1)
    return flat


def _named(entry: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """An object of a list by the texts it begins with: ``{"bidder": "me", "trump": "S", …}`` is ``me S``."""
    names = dict(takewhile(lambda item: isinstance(item[1], str), entry.items()))
    return " ".join(names.values()), {name: value for name, value in entry.items() if name not in names}
