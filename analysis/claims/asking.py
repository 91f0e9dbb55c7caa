"""What `towerlab claim` does with the options it was given, in every game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analysis.claims.certificates import write_certificate
from analysis.present import note_compiling, show
from analysis.questions import Answer, answer_asked_file, require
from games.errors import TowerlabError


def answer_claim_command(
    columns: tuple[str, ...],
    read: Callable[[Mapping[str, Any]], Any],
    answer_row: Answer,
    *,
    source: Path | None,
    out: Path | None,
    certificate: Path | None,
    quiet: bool,
    as_json: bool,
    needs: tuple[str, ...] = ("hand",),
    compiles: str = "solver.claims.search",
    write: Callable[[Path, Any], None] = write_certificate,
    **question: Any,
) -> None:
    """Answer one question, or a file of them.

    Args:
        columns: of a file of questions.
        read: from the options of a single question to the question, whose `answer` is shown.
        answer_row: from a row of the file to its answer.
        source, out, certificate, quiet, as_json: ``--from``, ``--out``, ``--certificate``, ``--quiet``, ``--json``.
        needs: options that a single question cannot be without.
        compiles: the module whose kernels are needed.
        write: (path, answer) → the certificate, written.
        question: the other options as they were given.

    Raises:
        TowerlabError: a question that cannot be answered.
    """
    if source is not None or out is not None:
        if certificate is not None:
            raise TowerlabError("--certificate is for a single question; expected no --from or --out beside it")
        given = {name: value for name, value in question.items() if (name, value) != ("role", "declarer")}
        note_compiling(compiles, quiet)
        answer_asked_file(source, out, given, columns, answer_row, as_json)
        return
    require(question, *needs)
    given = {name: value for name, value in question.items() if value is not None}
    asked = read({"trump": None, "lead": None} | given)
    note_compiling(compiles, quiet)
    answer = asked.answer()
    if certificate is not None:
        write(certificate, answer)
    show(answer, as_json)
