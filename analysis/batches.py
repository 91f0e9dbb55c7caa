"""How are thousands of questions answered? A table of questions goes in, a table of answers comes out, on all cores.

The columns are the parameters of the function that asks the question. A broken row does not stop the others: its
``error`` column says what is wrong. With an output file, a folder next to it keeps finished chunks until the answers
are written, so an interrupted run can be resumed.

    towerlab upcard --from hands.csv --out answers.csv
"""

from __future__ import annotations

import hashlib
import json
import pkgutil
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from towerlab.analysis.present import number_of, print_json
from towerlab.analysis.present.progress import note
from towerlab.analysis.present.questions import (
    QuestionRow,
    broken_rows,
    cell_text,
    frame_of_answers,
    frame_questions,
    is_missing,
    read_questions,
    write_answers,
)
from towerlab.analysis.question_rows import BatchQuestion
from towerlab.analysis.study import Study, StudyResult, remove_study, run_study, stream_chunks
from towerlab.analysis.version import exact_version
from towerlab.games.errors import TowerlabError, quote_value
from towerlab.games.jit import source_digest
from towerlab.games.options import changed_options, options_text, parse_options
from towerlab.games.pbn import UNKNOWN
from towerlab.games.untrusted import FORMATS, PACKED, formats, suffix_of

if TYPE_CHECKING:
    import pandas as pd


_STAMP: Final = {"version": "string", "options": "string"}
"""Columns of every answered row: the version and the options of its answer; and their types."""
_IS_VERSION: Final = re.compile(r"\d+\.\d+\.\d+(\+|$)")


class TableAnswers(NamedTuple):
    """The answers to a table.

    Attributes:
        rows: the row of each question, in order, with its answer or ``{"error": …}``.
        answered: the columns of the answers.
        broken: the rows that could not be answered, and why.
        seconds: the processor time of all workers together.
        about: the version, the game and the changed options.
    """

    rows: list[dict[str, Any]]
    answered: tuple[str, ...]
    broken: list[tuple[QuestionRow, str]]
    seconds: float
    about: dict[str, Any]


def ask_frame(
    batch: BatchQuestion,
    questions: Any,
    *,
    out: str | Path | None = None,
    options: Any = None,
    jobs: int | None = None,
    resume: bool = False,
    quiet: bool = True,
    **given: Any,
) -> pd.DataFrame:
    """Return a table of questions with the columns of their answers; they replace the columns of earlier answers.

    Args:
        batch: the question that the rows ask.
        questions: a frame of pandas, a table of pyarrow, a list of dicts, lists by column, or the path of a file.
        out: a file to write the table to as well, in the format of its suffix.
        options: rule options, as `towerlab.options` returns them.
        jobs: worker processes; None for all cores.
        resume: whether to go on with the `out` of an interrupted run.
        quiet: no progress on stderr.
        given: the values for empty cells, by column.

    Raises:
        TowerlabError: no questions, an unknown column or option; a broken row has its ``error`` in the frame.
    """
    import pandas as pd

    path = None if out is None else Path(out)
    frame = None
    if isinstance(questions, (str, Path)):
        check_out(path, Path(questions), batch)
        rows = read_questions(Path(questions), [*batch.columns])
    else:
        check_out(path, None, batch)
        frame = _as_frame(questions)
        rows = frame_questions(frame, [*batch.columns]) if len(frame) else []
    result = answer_rows(batch, rows, given, options, path, jobs=jobs, resume=resume, quiet=quiet)
    answers = frame_of_answers(result.rows, {**batch.kinds, **_STAMP, "error": "string"})
    answers.attrs = dict(result.about.items())
    if frame is None:
        return answers
    names = dict.fromkeys([*result.answered, *batch.kinds, *_STAMP, "error"])
    added = answers[[name for name in answers if name in names]].set_axis(frame.index)
    whole = pd.concat([frame.drop(columns=[name for name in added if name in frame]), added], axis=1)
    whole.attrs = frame.attrs | dict(result.about.items())
    return whole


def _as_frame(questions: Any) -> pd.DataFrame:
    """Return the questions as a frame.

    Raises:
        TowerlabError: they are no table.
    """
    import pandas as pd

    if isinstance(questions, pd.DataFrame):
        return questions
    if isinstance(questions, pd.Series):  # a row
        return questions.to_frame().T
    if hasattr(questions, "to_pandas"):  # pyarrow, polars
        return questions.to_pandas()  # type: ignore[no-any-return]
    rows = isinstance(questions, (list, tuple)) and all(isinstance(row, Mapping) for row in questions)
    if rows or isinstance(questions, Mapping):
        try:
            return pd.DataFrame(questions)
        except ValueError as error:
            raise TowerlabError(f"questions make no table: {error}; expected rows, or columns of one length") from None
    expected = "a DataFrame, a list of dicts, or the path of a file"
    raise TowerlabError(f"questions={quote_value(questions)} are no table; expected {expected}")


def check_out(out: Path | None, source: Path | None, batch: BatchQuestion) -> None:
    """Refuse a file of answers that has an unknown suffix or is the file of the questions.

    Raises:
        TowerlabError: an unknown suffix, or `out` is `source`.
    """
    if out is None:
        return
    of_deals = "deal" in batch.columns
    format = FORMATS.get(suffix_of(out))
    is_packed = out.suffix.lower() == PACKED
    if format is None or not format.is_written or format.of_deals > of_deals or is_packed > format.is_text:
        expected = formats(of_deals, written=True)
        raise TowerlabError(f"{out} has no suffix of answers; expected {expected}")
    if source is not None and out.exists() and source.exists() and out.samefile(source):
        raise TowerlabError(f"{out} is the file of the questions; expected another for the answers")


def answer_file(
    batch: BatchQuestion,
    source: Path,
    out: Path | None,
    given: Mapping[str, Any],
    options: Any = None,
    *,
    resume: bool = False,
    as_json: bool = False,
    **how: Any,
) -> None:
    """Answer the rows of a file into another file or on stdout, and note a summary on stderr.

    Args:
        batch: the question that the rows ask.
        source: the file of questions, ``--from``.
        out: the file of answers, ``--out``; None for stdout.
        given: the other options of the command; they fill empty cells.
        as_json: print a JSON object: how many rows were answered, and without `out` the answers.
        how: `jobs` and `quiet`, of `stream_chunks`.

    Raises:
        TowerlabError: a file without questions, an unknown column or suffix; or, after all other rows are written, the
            broken ones.
    """
    if resume and out is None:
        raise TowerlabError("--resume goes on with a file of answers; expected the --out of the interrupted run")
    check_out(out, source, batch)
    questions = read_questions(source, [*batch.columns])
    result = answer_rows(batch, questions, given, options, out, resume=resume, **how)
    left_out = [str(row.cells["left_out"]) for row in questions if row.board is not None and row.board.left_out]
    if left_out:
        note(f"left out of {source}: {'; '.join(left_out[:5])}{'; …' * (len(left_out) > 5)}", how.get("quiet", False))
    total = len(result.rows)
    failed = len(result.broken)
    if as_json:
        counts = result.about | {"rows": total, "answered": total - failed, "failed": failed}
        where = {"answers": result.rows} if out is None else {"out": str(out)}
        print_json(counts | {"processor_seconds": round(result.seconds, 3)} | where)
    elif out is None:
        write_answers(result.rows, None)
    if result.broken:
        raise TowerlabError(broken_rows(source, result.broken, total))
    spent = f"{number_of(total, 'row')} answered in {result.seconds:.1f} s of processor time"
    note(f"{spent}: {out}" if out else spent, how.get("quiet", False))


def answer_rows(
    batch: BatchQuestion,
    questions: Sequence[QuestionRow],
    given: Mapping[str, Any],
    options: Any = None,
    out: Path | None = None,
    *,
    resume: bool = False,
    **how: Any,
) -> TableAnswers:
    """Return the rows of a table with their answers, written to `out` as well; see `answer_file` for its arguments.

    Raises:
        TowerlabError: the folder of `out` is of another run, or earlier answers are of other options.
    """
    options = _options_of(batch, questions, options)
    changed = {} if options is None else changed_options(options)
    about = {"version": exact_version(), "game": batch.game, "options": changed}
    stamp = dict(zip(_STAMP, (about["version"], options_text(changed) or None), strict=True))
    fill = {name: text for name, value in given.items() if value is not False and (text := cell_text(value))}
    cells = [
        {
            name: cell
            for name, cell in row.cells.items()
            if name in batch.columns and not (cell == UNKNOWN and name in fill)
        }
        for row in questions
    ]
    order = list(range(len(questions)))
    if batch.together is not None:
        keys = [batch.together({**fill, **row}) for row in cells]
        order.sort(key=keys.__getitem__)
    rows = [(cells[place], questions[place].problem) for place in order]
    parts = [{"rows": rows[first : first + batch.rows]} for first in range(0, len(rows), batch.rows)]
    parameters = {
        "many": batch.asks.__module__,
        "code": source_digest(batch.asks.__module__),
        "given": fill,
        "options": changed,
        "digest": hashlib.blake2b(json.dumps(rows).encode(), digest_size=16).hexdigest(),
    }
    results: list[dict[str, Any]] = [{}] * len(order)
    seconds = 0.0
    result = StudyResult({}, {})
    if parts:
        result = _run(batch, parameters, parts, out, resume, how)
        frame = result.tables["rows"]
        seconds = float(frame["seconds"].sum())
        for place, text in zip(order, frame["answer"], strict=True):
            results[place] = json.loads(text)
    names = dict.fromkeys(name for question in questions for name in question.cells)
    added = dict.fromkeys(name for row in results for name in row if name != "error") | dict.fromkeys(_STAMP)
    empty = dict.fromkeys({**names, **added})
    answers = []
    broken = []
    for question, answer in zip(questions, results, strict=True):
        row = {**empty, **question.cells, **stamp, **answer}
        row.pop("error", None)  # of earlier answers
        if problem := answer.get("error"):
            left_out = question.cells.get("left_out") if question.board is not None else None
            problem = f"{problem} ({left_out})" if left_out else problem
            row |= dict.fromkeys(_STAMP) | {"error": problem}
            broken.append((question, problem))
        answers.append(row)
    if out is not None:
        write_answers(answers, out, [question.board for question in questions], about)
        if parts:
            remove_study(_folder(out), result)
    return TableAnswers(answers, tuple(added), broken, seconds, about)


def _options_of(batch: BatchQuestion, questions: Sequence[QuestionRow], options: Any) -> Any:
    """Return the rule options of a table: the given ones, or those of the answers that it already holds.

    Raises:
        TowerlabError: the answers are of several options, or of others than are given.
    """
    before = [row.cells.get("options") for row in questions if _IS_VERSION.match(str(row.cells.get("version")))]
    texts = {
        options_text(cell) if isinstance(cell, Mapping) else "" if is_missing(cell) else cell_text(cell)
        for cell in before
    }
    if batch.options is None or not texts:
        return options
    stated = ", ".join(sorted(text or "the defaults" for text in texts))
    expected = "expected these, or questions without the columns version and options"
    if len(texts) > 1:
        raise TowerlabError(f"the rows were answered by different options: {stated}; {expected}")
    rules = parse_options(batch.options, filter(None, texts.pop().split(", ")))
    if options is not None and options != rules and changed_options(options):
        raise TowerlabError(
            f"the rows were answered by {stated}, not {options_text(changed_options(options))}; {expected}"
        )
    return rules


def _folder(out: Path) -> Path:
    return out.with_name(out.name + ".run")


def _run(
    batch: BatchQuestion,
    parameters: Mapping[str, Any],
    parts: list[Any],
    out: Path | None,
    resume: bool,
    how: Mapping[str, Any],
) -> StudyResult:
    """Answer all chunks and return their tables as one; with an output file, its folder keeps them to resume from."""
    work: dict[str, Any] = {"parameters": parameters, "parts": parts, **how}
    if out is None:
        return _combine(stream_chunks(_run_chunk, len(parts), title="rows", **work), parameters)
    study = Study(batch.game, "rows", "Rows of a table.", parameters, _run_chunk, _combine, lambda _: len(parts))
    return run_study(study, _folder(out), resume=resume, at_once=False, **work)


def _combine(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    import pandas as pd

    return StudyResult({"rows": pd.concat(frames)}, {})


def _run_chunk(chunk: int, seed: Any, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Answer the rows of a chunk; return their answers as JSON texts, and the mean processor seconds."""
    import pandas as pd

    began = time.process_time()
    batch: BatchQuestion = pkgutil.resolve_name(parameters["many"]).BATCH
    options = None if batch.options is None else batch.rules(parameters["options"])
    questions = [
        batch.read(cells, parameters["given"]) if problem is None else TowerlabError(problem)
        for cells, problem in parameters["rows"]
    ]
    answers = iter(
        batch.answers([question for question in questions if not isinstance(question, TowerlabError)], options)
    )
    results = [question if isinstance(question, TowerlabError) else next(answers) for question in questions]
    texts = [json.dumps({"error": str(result)} if isinstance(result, TowerlabError) else result) for result in results]
    return pd.DataFrame({"answer": texts, "seconds": (time.process_time() - began) / len(texts)})
