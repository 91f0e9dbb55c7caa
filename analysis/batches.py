"""Many questions at once: rows of a file or of a frame in, rows of answers out, on all cores.

A question's columns are the parameters of the function that asks or reads one. A broken row does not stop the others:
its answer is an ``error`` column. With a file to write to, this is a study: finished chunks stand in a folder beside
it until the answers are written, so that an interrupted run goes on.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import pkgutil
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

from towerlab.analysis.players import find_player
from towerlab.analysis.present import Shown, print_json
from towerlab.analysis.present.answers import version
from towerlab.analysis.present.faults import blame
from towerlab.analysis.present.progress import note
from towerlab.analysis.present.questions import (
    SUFFIXES,
    QuestionRow,
    as_table,
    broken_rows,
    cell_text,
    frame_questions,
    kinds_of,
    read_questions,
    truth,
    whole_number,
    write_answers,
)
from towerlab.analysis.study import Study, StudyResult, run_study, stream_chunks
from towerlab.games.errors import TowerlabError, shown
from towerlab.games.jit import source_digest
from towerlab.games.options import changed_options
from towerlab.sim.own import OwnPlayer

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[str, Any]
Asked = Mapping[str, Any]
NOT_COLUMNS: Final = ("options", "first_n", "quiet", "jobs")


@dataclasses.dataclass(frozen=True)
class Many:
    """A question that a table can ask.

    Attributes:
        game: its name on the command line.
        asks: whose parameters are the columns; a row must fill those without a default. The record is `MANY` in its
            module, where workers find it.
        answers: (keyword arguments of the rows, rule options) → a flat row of answers each, or what is wrong with it.
        options: the dataclass of the rule options, if there are any.
        rows: how many are answered at a time.
        together: from the cells of a row to a text; rows of one text share work.
        kinds: the columns of answers that a frame always has, and the pandas type of each.
    """

    game: str
    asks: Callable[..., Any]
    answers: Callable[[Sequence[Asked], Any], Iterable[Row | TowerlabError]]
    options: type[Any] | None = None
    rows: int = 200
    together: Callable[[Mapping[str, str]], str] | None = None
    kinds: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def columns(self) -> dict[str, Any]:
        """The type of each."""
        return {name: kind for name, kind in kinds_of(self.asks).items() if name not in NOT_COLUMNS}

    @functools.cached_property
    def needed(self) -> tuple[str, ...]:
        """The columns without a default."""
        return tuple(kinds_of(self.asks, needed=True))

    def read(self, cells: Mapping[str, str], given: Mapping[str, str]) -> Asked | TowerlabError:
        """The keyword arguments of a row.

        Args:
            cells: what stands in it, where a player's name is that of a stored one.
            given: what the user gave for all rows that say nothing.
        """
        players = [name for name in self.columns.keys() & given.keys() if OwnPlayer in get_args(self.columns[name])]
        try:
            found = {name: find_player(given[name], self.game) for name in players if name not in cells}
            cells = {**given, **cells}
            missing = next((name for name in self.needed if name not in cells), None)
            if missing is not None:
                option = "--" + missing.replace("_", "-")
                raise TowerlabError(f"no {missing} is given; expected it as a column, or {option} for all rows")
            return {name: _typed(cells, name, kind) for name, kind in self.columns.items() if name in cells} | found
        except TowerlabError as error:
            return error


class Answered(NamedTuple):
    """The answers to a table.

    Attributes:
        rows: of the answers, or ``{"error": …}``, in the order of the questions.
        answered: the columns of the answers.
        broken: the rows that could not be answered, and why.
        seconds: of processor time, all workers together.
    """

    rows: list[dict[str, Any]]
    answered: tuple[str, ...]
    broken: list[tuple[QuestionRow, str]]
    seconds: float


def each(answer: Callable[[Asked, Any], Row]) -> Callable[[Sequence[Asked], Any], Iterator[Row | TowerlabError]]:
    """The `Many.answers` of questions that share nothing."""

    def answers(asked: Sequence[Asked], options: Any) -> Iterator[Row | TowerlabError]:
        for one in asked:
            try:
                yield answer(one, options)
            except TowerlabError as error:
                yield error

    return answers


def ask_frame(
    many: Many,
    questions: Any,
    *,
    out: str | Path | None = None,
    options: Any = None,
    jobs: int | None = None,
    resume: bool = False,
    quiet: bool = True,
    **given: Any,
) -> pd.DataFrame:
    """The questions of a table, with the columns of their answers beside them; those of earlier answers are replaced.

    Args:
        questions: a frame of pandas, what one can be made of (a table of pyarrow, a list of dicts, lists by column), or
            the path of a file.
        out: a file to write them to as well, by its suffix.
        options: rule options, as `towerlab.options` returns them.
        jobs: worker processes; None for all cores.
        resume: go on with the `out` of an interrupted run.
        quiet: no progress on stderr.
        given: what a row means that leaves a column empty.

    Raises:
        TowerlabError: no questions, an unknown column or option; a broken row has its ``error`` in the frame.
    """
    import pandas as pd

    unknown = next((name for name in given if name not in many.columns), None)
    if unknown is not None:
        raise TowerlabError(f"{unknown} is no column of this question; expected {', '.join(many.columns)}")
    if isinstance(options, Mapping):
        options = _options(many, options)
    path = None if out is None else Path(out)
    frame = None
    if isinstance(questions, (str, Path)):
        check_out(path, Path(questions), many)
        rows = read_questions(Path(questions), [*many.columns])
    else:
        check_out(path, None, many)
        frame = _as_frame(questions)
        rows = frame_questions(frame, [*many.columns]) if len(frame) else []
    found = answer_rows(many, rows, given, options, path, jobs=jobs, resume=resume, quiet=quiet)
    answers = as_table(found.rows, {**many.kinds, "error": "string"})
    if frame is None:
        return answers
    names = dict.fromkeys([*found.answered, *many.kinds, "error"])
    added = answers[[name for name in answers if name in names]].set_axis(frame.index)
    return pd.concat([frame.drop(columns=[name for name in added if name in frame]), added], axis=1)


def _as_frame(questions: Any) -> pd.DataFrame:
    """A frame of what is one, or can be made one.

    Raises:
        TowerlabError: it cannot.
    """
    import pandas as pd

    if isinstance(questions, pd.DataFrame):
        return questions
    if hasattr(questions, "to_pandas"):  # pyarrow, polars
        return questions.to_pandas()  # type: ignore[no-any-return]
    rows = isinstance(questions, (list, tuple)) and all(isinstance(row, Mapping) for row in questions)
    if rows or isinstance(questions, Mapping):
        try:
            return pd.DataFrame(questions)
        except ValueError as error:
            raise TowerlabError(f"questions make no table: {error}; expected rows, or columns of one length") from None
    expected = "a DataFrame, a list of dicts, or the path of a file"
    raise TowerlabError(f"questions={shown(questions)} are none; expected {expected}")


def check_out(out: Path | None, source: Path | None, many: Many) -> None:
    """Refuse a file of answers of another kind, or that is the file of the questions.

    Raises:
        TowerlabError: an unknown suffix, or `out` is `source`.
    """
    if out is None:
        return
    suffixes = [suffix for suffix in SUFFIXES if suffix != ".pbn" or "deal" in many.columns]
    if out.suffix.lower() not in suffixes:
        raise TowerlabError(f"{out} has no known suffix; expected {', '.join(suffixes)}")
    if source is not None and out.exists() and source.exists() and out.samefile(source):
        raise TowerlabError(f"{out} is the file of the questions; expected another for the answers")


def answer_command(
    many: Many,
    one: Callable[..., Shown],
    needed: Sequence[str],
    as_json: bool,
    *,
    source: Path | None,
    out: Path | None,
    options: Any = None,
    jobs: int | None,
    resume: bool,
    quiet: bool,
    **question: Any,
) -> Shown | None:
    """Return the answer of a command: to its single question, or a file of them, whose answers are printed or written.

    Args:
        one: asks the single question.
        needed: what it cannot do without.
        source: ``--from``; `as_json`, `out`, `jobs`, `resume` and `quiet` are how `answer_file` goes about it.
        question: the options of a question as they were given; beside a file they fill in what a row leaves empty.

    Raises:
        TowerlabError: a question that cannot be answered.
    """
    given = {name: value for name, value in question.items() if value is not None}
    if source is not None:
        if single := [name for name, value in given.items() if value and name not in many.columns]:
            raise TowerlabError(f"--{single[0]} is for a single question; expected no --from beside it")
        answer_file(many, source, out, given, options, jobs=jobs, resume=resume, quiet=quiet, as_json=as_json)
        return None
    if out is not None or resume:
        raise TowerlabError("--out and --resume are for a file of questions; expected --from FILE with them")
    for name in needed:
        if name not in given:
            option = "--" + name.replace("_", "-")
            raise blame(TowerlabError(f"no {option} is given; expected it, or a file of questions with --from"), name)
    if "quiet" in kinds_of(one):
        given["quiet"] = quiet
    return one(**given, **({} if options is None else {"options": options}))


def answer_file(
    many: Many,
    source: Path,
    out: Path | None,
    given: Mapping[str, Any],
    options: Any = None,
    *,
    jobs: int | None = None,
    resume: bool = False,
    quiet: bool = False,
    as_json: bool = False,
) -> None:
    """Answer ``--from`` into ``--out`` or to stdout, and note a line of summary.

    Args:
        given: the other options as they were given; they fill in what a row leaves empty.
        as_json: print one JSON object: how many rows were answered, and without `out` the answers.

    Raises:
        TowerlabError: a file that holds no questions, an unknown column or suffix; or, after everything else has been
            answered and written, the rows that could not be.
    """
    if resume and out is None:
        raise TowerlabError("--resume goes on with a file of answers; expected the --out of the interrupted run")
    check_out(out, source, many)
    questions = read_questions(source, [*many.columns])
    found = answer_rows(many, questions, given, options, out, jobs=jobs, resume=resume, quiet=quiet)
    total, failed = len(found.rows), len(found.broken)
    if as_json:
        changed = {} if options is None else changed_options(options)
        about = {"version": version(), "game": many.game, "options": changed}
        counts = about | {"rows": total, "answered": total - failed, "failed": failed}
        where = {"answers": found.rows} if out is None else {"out": str(out)}
        print_json(counts | {"processor_seconds": round(found.seconds, 3)} | where)
    elif out is None:
        write_answers(found.rows, None)
    if found.broken:
        raise TowerlabError(broken_rows(source, found.broken, total))
    note(f"{total:,} rows answered in {found.seconds:.1f} s of processor time" + (f": {out}" if out else ""), quiet)


def answer_rows(
    many: Many,
    questions: Sequence[QuestionRow],
    given: Mapping[str, Any],
    options: Any = None,
    out: Path | None = None,
    *,
    jobs: int | None = None,
    resume: bool = False,
    quiet: bool = True,
) -> Answered:
    """The rows of a table with their answers, written to `out` as well; arguments as of `answer_file`.

    Raises:
        TowerlabError: what is in the folder of `out` is of another run.
    """
    fill = {name: text for name, value in given.items() if value is not False and (text := cell_text(value))}
    asked = [{name: cell for name, cell in one.cells.items() if name in many.columns} for one in questions]
    order = list(range(len(questions)))
    if many.together is not None:
        keys = [many.together({**fill, **cells}) for cells in asked]
        order.sort(key=keys.__getitem__)
    rows = [(asked[place], questions[place].problem) for place in order]
    parts = [{"rows": rows[first : first + many.rows]} for first in range(0, len(rows), many.rows)]
    parameters = {
        "many": many.asks.__module__,
        "code": source_digest(many.asks.__module__),
        "given": fill,
        "options": {} if options is None else changed_options(options),
        "digest": hashlib.blake2b(json.dumps(rows).encode(), digest_size=16).hexdigest(),
    }
    found: list[dict[str, Any]] = [{}] * len(order)
    seconds = 0.0
    if parts:
        table = _run(many, parameters, parts, out, jobs=jobs, resume=resume, quiet=quiet)
        seconds = float(table["seconds"].sum())
        for place, text in zip(order, table["answer"], strict=True):
            found[place] = json.loads(text)
    names = dict.fromkeys(name for question in questions for name in question.cells)
    added = dict.fromkeys(name for row in found for name in row if name != "error")
    empty = dict.fromkeys({**names, **added})
    empty.pop("error", None)  # of earlier answers
    answers: list[dict[str, Any]] = [
        {
            name: cell
            for name, cell in {**empty, **question.cells, "error": None, **answer}.items()
            if name != "error" or cell
        }
        for question, answer in zip(questions, found, strict=True)
    ]
    broken = [(question, row["error"]) for question, row in zip(questions, answers, strict=True) if "error" in row]
    if out is not None:
        write_answers(answers, out, [question.board for question in questions])
        shutil.rmtree(_folder(out), ignore_errors=not parts)
    return Answered(answers, tuple(added), broken, seconds)


def _folder(out: Path) -> Path:
    return out.with_name(out.name + ".run")


def _run(
    many: Many,
    parameters: Mapping[str, Any],
    parts: list[dict[str, Any]],
    out: Path | None,
    *,
    resume: bool,
    **how: Any,
) -> pd.DataFrame:
    """The chunks' tables in order, kept in a folder where there is a file to write."""
    import pandas as pd

    if out is None:
        how |= {"parameters": parameters, "parts": parts, "title": "rows"}
        made: Iterator[pd.DataFrame] = stream_chunks(_run_chunk, len(parts), **how)
        return pd.concat(made)

    def combine(tables: Iterable[pd.DataFrame], _: Mapping[str, Any]) -> StudyResult:
        return StudyResult({"rows": pd.concat(tables)}, {})

    def warm_up() -> None:
        _run_chunk(0, None, {**parameters, "rows": parts[0]["rows"][:1]})

    study = Study(many.game, "rows", "Rows of a table.", parameters, _run_chunk, combine, lambda _: len(parts), warm_up)
    how |= {"resume": resume, "parameters": parameters, "parts": parts, "at_once": False}
    return run_study(study, _folder(out), **how).tables["rows"]


def _run_chunk(chunk: int, seed: Any, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """The answers to some rows, as JSON, and the processor seconds that each took."""
    import pandas as pd

    began = time.process_time()
    many: Many = pkgutil.resolve_name(parameters["many"]).MANY
    options = None if many.options is None else _options(many, parameters["options"])
    asked = [
        many.read(cells, parameters["given"]) if problem is None else TowerlabError(problem)
        for cells, problem in parameters["rows"]
    ]
    answers = iter(many.answers([one for one in asked if not isinstance(one, TowerlabError)], options))
    found = [one if isinstance(one, TowerlabError) else next(answers) for one in asked]
    texts = [json.dumps({"error": str(one)} if isinstance(one, TowerlabError) else one) for one in found]
    return pd.DataFrame({"answer": texts, "seconds": (time.process_time() - began) / len(texts)})


def _options(many: Many, changed: Mapping[str, Any]) -> Any:
    if many.options is None:
        raise TowerlabError(f"this question of {many.game} has no rule options; expected none")
    return dataclasses.replace(many.options(), **changed)


def _typed(cells: Mapping[str, str], name: str, kind: Any) -> Any:
    if kind is bool:
        return truth(cells, name)
    return whole_number(cells, name) if kind in (int, int | None) else cells[name]
