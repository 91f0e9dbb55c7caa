"""Many bridge deals with all cards seen: arrays in threads, or a file of deals in, a table of answers out.

>>> from analysis.towie.deals import solve_many
>>> from games.cards import NO_TRUMP
>>> from games.pbn import parse_deal
>>> deal = parse_deal("N:A2... KQ... 3.2.. 4.3..")
>>> solve_many([deal, deal], [NO_TRUMP, NO_TRUMP], [0, 1]).tolist()  # North leads, East leads
[1, 1]
"""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.present import print_json
from analysis.present.questions import LARGEST_FILE, Question, broken_rows, check_suffix, read_questions, write_answers
from analysis.study import Study, StudyResult, map_in_threads, run_study, stream_chunks
from analysis.towie.par import VULNERABILITIES, find_par
from games.arrays import Ints
from games.cards import DECK_52, TRUMPS, parse_trump, to_play_order, trump_field
from games.errors import TowerlabError
from games.pbn import SEATS, parse_deal
from games.untrusted import read_bytes, read_text
from solver.double_dummy import DoubleDummy, trick_table
from solver.double_dummy.position import MOST_CARDS

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: Final = ("deal", "trump", "lead", "vul")
STRAIN_ORDER: Final = ("NT", "S", "H", "D", "C")
ROWS_A_CHUNK: Final = 200
TABLES_A_CHUNK: Final = 20
ROWS_A_THREAD: Final = 50

_TAG: Final = re.compile(r'\[(\w+)\s+"([^"]*)"\]')
_VULNERABLE: Final = {"": "none", "-": "none", "love": "none", "both": "all", "n-s": "ns", "e-w": "ew"}


def solve_many(
    hands: Sequence[Sequence[int]] | Ints, trumps: Sequence[int], leaders: Sequence[int], jobs: int | None = None
) -> Ints:
    """Tricks of North and South in many deals or endings, each with trumps and a leader of its own.

    Threads share the work, each with a solver of its own; the search holds no lock.

    Args:
        hands: printed masks [number, 4] of N, E, S, W.
        trumps: 0..4 for C D H S NT.
        leaders: 0..3 for N E S W.
        jobs: threads; None for all cores.

    Raises:
        CardError: the first row that cannot be.
    """
    strains = np.asarray(trumps, dtype=np.int64)
    leads = np.asarray(leaders, dtype=np.int64)
    masks = np.zeros((len(strains), len(SEATS)), dtype=np.int64)
    for number, (row, trump) in enumerate(zip(hands, strains, strict=True)):
        masks[number] = [int(to_play_order(int(hand) & DECK_52, int(trump), False)) for hand in row]
    fields = np.array([int(trump_field(int(trump))) for trump in strains], dtype=np.int64)
    order = np.lexsort((*masks.T, strains))  # what belongs together goes to one thread
    pieces = [order[start : start + ROWS_A_THREAD] for start in range(0, len(order), ROWS_A_THREAD)]

    def solve(solver: DoubleDummy, piece: Ints) -> Ints:
        return solver.tricks_of_rows(masks[piece], fields[piece], leads[piece])

    results = np.zeros(len(order), dtype=np.int64)
    for piece, found in zip(pieces, map_in_threads(solve, pieces, DoubleDummy, jobs), strict=True):
        results[piece] = found
    return results


@dataclass(frozen=True)
class DealFile:
    """A file of deals and how it is to be answered.

    Attributes:
        source: ``.pbn``, or a CSV file with the columns ``deal`` and, as far as they are not given here, ``trump`` and
            ``lead``; ``vul`` (none, ns, ew, all) counts for par.
        table: all twenty results and par of each deal, rather than one result.
        trump, lead: for rows that name none.
    """

    source: Path
    table: bool = False
    trump: str | None = None
    lead: str | None = None

    def parameters(self) -> dict[str, Any]:
        """As parameters of the study."""
        digest = hashlib.blake2b(read_bytes(self.source, "deals", LARGEST_FILE), digest_size=16).hexdigest()
        return {
            "source": str(self.source), "digest": digest, "table": self.table, "trump": self.trump, "lead": self.lead
        }  # fmt: skip


def answer_deals(
    file: DealFile, out: Path | None = None, *, jobs: int | None = None, resume: bool = False, quiet: bool = False
) -> dict[str, Any]:
    """Answer every deal of a file and write the answers.

    With `out` this is a study: finished chunks stand in a folder beside it until the answers are written, so that an
    interrupted run goes on with `resume`.

    Args:
        out: where to write, ``.csv``, ``.json`` or ``.parquet``; None for no file.
        jobs: worker processes; None for all cores.

    Returns:
        ``{game, deals, solved, failed, processor_seconds}``, seconds of solving alone; ``answers`` and ``problem`` (a
        line that names the broken rows, or None) beside them.

    Raises:
        TowerlabError: a file without deals, an unknown column or suffix, a folder of another run.
    """
    if out is not None:
        check_suffix(out)
    import pandas as pd

    parameters = file.parameters()
    questions = _questions(**parameters)
    if out is None:
        warm_up()
        chunks = range(_count_chunks(parameters))
        tables = stream_chunks(run_chunk, len(chunks), jobs=jobs, parameters=parameters, quiet=quiet, title="deals")
        table = pd.concat(list(tables), ignore_index=True)
    else:
        folder = out.with_name(out.name + ".run")
        result = run_study(DEALS, folder, jobs=jobs, resume=resume, quiet=quiet, parameters=parameters)
        table = result.tables["answers"]
    answers = [
        dict(question.cells) | {name: value for name, value in found.items() if value is not None}
        for question, found in zip(questions, map(_answer, table.to_dict("records")), strict=True)
    ]
    if out is not None:
        write_answers(answers, out)
        shutil.rmtree(folder)
    broken = [
        {"row": question.row, "line": question.line, "error": answer["error"]}
        for question, answer in zip(questions, answers, strict=True)
        if "error" in answer
    ]
    return {
        "game": "towie",
        "deals": len(answers),
        "solved": len(answers) - len(broken),
        "failed": len(broken),
        "processor_seconds": round(float(table["seconds"].sum()), 3),
        "answers": answers,
        "problem": broken_rows(file.source, broken, len(answers)) if broken else None,
    }


def print_answers(
    file: DealFile, out: Path | None, *, jobs: int | None, resume: bool, quiet: bool, as_json: bool
) -> None:
    """What `towerlab solve towie --from` does: the answers to `out` or stdout, with `as_json` a summary on stdout.

    Raises:
        TowerlabError: as `answer_deals`; or, once everything else is written, the rows that could not be answered.
    """
    found = answer_deals(file, out, jobs=jobs, resume=resume, quiet=quiet)
    answers, problem = found.pop("answers"), found.pop("problem")
    if as_json:
        print_json(found | ({"answers": answers} if out is None else {"out": str(out)}))
    elif out is None:
        write_answers(answers, None)
    if problem is not None:
        raise TowerlabError(problem)


def read_pbn(source: Path) -> list[Question]:
    """The deals of a PBN file: trumps and lead follow from contract and declarer where a game has them.

    Raises:
        TowerlabError: not text, or no deal in it.
    """
    lines = read_text(source, "a PBN file", LARGEST_FILE).splitlines()
    questions: list[Question] = []
    tags: dict[str, str] = {}
    for number, line in enumerate([*lines, ""], 1):
        tags |= {name: value for name, value in _TAG.findall(line) if not line.startswith("%")}
        if not line.strip():
            if "Deal" in tags:
                questions.append(Question(len(questions) + 1, number - 1, _cells_of(tags)))
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


@lru_cache(maxsize=1)
def _questions(source: str, digest: str, table: bool, trump: str | None, lead: str | None) -> list[Question]:
    """The rows of the file; `digest` tells one state of it from another."""
    path = Path(source)
    return read_pbn(path) if path.suffix.lower() == ".pbn" else read_questions(path, COLUMNS)


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    return -(-len(_questions(**parameters)) // (TABLES_A_CHUNK if parameters["table"] else ROWS_A_CHUNK))


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Answers to some rows of the file: the results, ``error`` and ``seconds`` of solving."""
    import pandas as pd

    size = TABLES_A_CHUNK if parameters["table"] else ROWS_A_CHUNK
    rows = _questions(**parameters)[chunk * size : (chunk + 1) * size]
    solver = DoubleDummy()
    if parameters["table"]:
        return pd.DataFrame([_table_row(solver, row) for row in rows])
    asked: list[tuple[tuple[int, ...], int, int]] = []
    answers: list[dict[str, Any]] = []
    for row in rows:
        try:
            asked.append(_read_row(row, parameters))
            answers.append({"error": None})
        except TowerlabError as error:
            answers.append({"error": str(error)})
    seconds = 0.0
    if asked:
        hands, trumps, leaders = zip(*asked, strict=True)
        masks = [[int(to_play_order(hand, trump, False)) for hand in deal] for deal, trump, _ in asked]
        fields = [int(trump_field(trump)) for trump in trumps]
        began = time.process_time()
        tricks = iter(solver.tricks_of_rows(np.array(masks), np.array(fields), np.array(leaders)))
        seconds = time.process_time() - began
        sizes = iter([deal[0].bit_count() for deal in hands])
    for answer in answers:
        if answer["error"] is None:
            answer["tricks_NS"] = int(next(tricks))
            answer["tricks_EW"] = next(sizes) - answer["tricks_NS"]
    table = pd.DataFrame(answers, columns=["tricks_NS", "tricks_EW", "error"])
    return table.astype({"tricks_NS": "Int64", "tricks_EW": "Int64"}).assign(seconds=seconds / len(rows))


def _read_row(row: Question, parameters: Mapping[str, Any]) -> tuple[tuple[int, ...], int, int]:
    """Hands, trump and leader of a row.

    Raises:
        TowerlabError: what is missing or wrong.
    """
    if row.problem is not None:
        raise TowerlabError(row.problem)
    values = {name: row.cells.get(name) or parameters.get(name) for name in ("deal", "trump", "lead")}
    for name, value in values.items():
        if value is None:
            raise TowerlabError(
                f"no {name} is given; expected it in the file{'' if name == 'deal' else f' or --{name}'}"
            )
    seat = str(values["lead"]).strip().upper()
    if len(seat) != 1 or seat not in SEATS:
        raise TowerlabError(f"lead {values['lead']!r} is not a seat; expected one of {', '.join(SEATS)}")
    return parse_deal(str(values["deal"])), parse_trump(str(values["trump"])), SEATS.index(seat)


def _table_row(solver: DoubleDummy, row: Question) -> dict[str, Any]:
    """Twenty results and par of a row, or an error."""
    names = [f"{seat}_{strain}" for seat in SEATS for strain in STRAIN_ORDER]
    answer: dict[str, Any] = dict.fromkeys([*names, "par_NS", "par"], None) | {"error": None, "seconds": 0.0}
    try:
        if row.problem is not None:
            raise TowerlabError(row.problem)
        if "deal" not in row.cells:
            raise TowerlabError("no deal is given; expected it in the file")
        hands = parse_deal(row.cells["deal"])
        vulnerable = read_vulnerability(row.cells.get("vul", ""))
    except TowerlabError as error:
        return answer | {"error": str(error)}
    began = time.process_time()
    tricks = trick_table(hands, solver)
    answer["seconds"] = time.process_time() - began
    named = {(SEATS[seat], strain): count for (seat, strain), count in tricks.items()}
    answer |= {f"{seat}_{TRUMPS[strain]}": count for (seat, strain), count in named.items()}
    if hands[0].bit_count() == MOST_CARDS:
        par = find_par(named, vulnerable)
        answer |= {"par_NS": par.score, "par": "; ".join(map(str, par.contracts)) or "all pass"}
    return answer


def read_vulnerability(text: str) -> str:
    """One of `VULNERABILITIES`, from the words of PBN files.

    Raises:
        TowerlabError: another word.
    """
    name = text.strip().lower()
    name = _VULNERABLE.get(name, name)
    if name not in VULNERABILITIES:
        raise TowerlabError(f"vulnerability {text!r} is unknown; expected one of {', '.join(VULNERABILITIES)}")
    return name


def _answer(found: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the study's table as an answer: whole numbers, no empty cells, no seconds."""
    import pandas as pd

    kept = {name: value for name, value in found.items() if name != "seconds" and not pd.isna(value)}
    return {name: value if isinstance(value, str) else int(value) for name, value in kept.items()}


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    import pandas as pd

    table = pd.concat(list(tables), ignore_index=True)
    return StudyResult({"answers": table}, {"rows": len(table), "failed": int(table["error"].notna().sum())})


def warm_up() -> None:
    """Compile the solver's kernels."""
    trick_table(tuple(1 << 13 * suit for suit in range(4)))  # type: ignore[arg-type]


DEALS: Final = Study(
    game="towie",
    name="deals",
    help="Best play of every deal of a file.",
    parameters={"source": "", "digest": "", "table": False, "trump": None, "lead": None},
    count_chunks=_count_chunks,
    run_chunk=run_chunk,
    combine=_combine,
    warm_up=warm_up,
)
