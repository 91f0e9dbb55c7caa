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
import json
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
from solver.double_dummy import DoubleDummy, Position, trick_table
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
        dict(question.cells) | json.loads(answer) for question, answer in zip(questions, table["answer"], strict=True)
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
    """The answers to some rows of the file, as JSON, and the processor seconds that each took."""
    import pandas as pd

    size = TABLES_A_CHUNK if parameters["table"] else ROWS_A_CHUNK
    solver, found = DoubleDummy(), []
    for row in _questions(**parameters)[chunk * size : (chunk + 1) * size]:
        began = time.process_time()
        try:
            if row.problem is not None:
                raise TowerlabError(row.problem)
            answer = _table_row(solver, row) if parameters["table"] else _tricks_row(solver, row, parameters)
        except TowerlabError as error:
            answer = {"error": str(error)}
        found.append({"answer": json.dumps(answer), "seconds": time.process_time() - began})
    return pd.DataFrame(found)


def _tricks_row(solver: DoubleDummy, row: Question, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Tricks of both sides in a row."""
    hands, trump, leader = _read_row(row, parameters)
    masks = tuple(int(to_play_order(hand, trump, False)) for hand in hands)
    tricks = solver.tricks(Position(masks, int(trump_field(trump)), leader))
    return {"tricks_NS": tricks, "tricks_EW": hands[0].bit_count() - tricks}


def _read_row(row: Question, parameters: Mapping[str, Any]) -> tuple[tuple[int, ...], int, int]:
    """Hands, trump and leader of a row.

    Raises:
        TowerlabError: what is missing or wrong.
    """
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
    """Twenty results and par of a row."""
    if "deal" not in row.cells:
        raise TowerlabError("no deal is given; expected it in the file")
    hands, vulnerable = parse_deal(row.cells["deal"]), read_vulnerability(row.cells.get("vul", ""))
    tricks = {(SEATS[seat], strain): count for (seat, strain), count in trick_table(hands, solver).items()}
    answer: dict[str, Any] = {
        f"{seat}_{strain}": tricks[seat, TRUMPS.index(strain)] for seat in SEATS for strain in STRAIN_ORDER
    }
    if hands[0].bit_count() == MOST_CARDS:
        par = find_par(tricks, vulnerable)
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


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    import pandas as pd

    table = pd.concat(list(tables), ignore_index=True)
    return StudyResult({"answers": table}, {"rows": len(table)})


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
