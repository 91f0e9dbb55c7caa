"""What `towerlab claim bowers` and `claim towie` do with the options they were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analysis.claims.answers import Question
from analysis.claims.certificates import write_certificate
from analysis.present import show
from analysis.questions import Answer, answer_asked_file, require
from games.errors import TowerlabError


def answer_claim_command(
    columns: tuple[str, ...],
    read: Callable[[Mapping[str, Any]], Question],
    answer_row: Answer,
    *,
    source: Path | None,
    out: Path | None,
    certificate: Path | None,
    as_json: bool,
    **question: Any,
) -> None:
    """Answer one question, or a file of them.

    Args:
        columns: of a file of questions.
        read: from the options of a single question to the question.
        answer_row: from a row of the file to its answer.
        source, out, certificate, as_json: the options ``--from``, ``--out``, ``--certificate``, ``--json``.
        question: the other options as they were given.

    Raises:
        TowerlabError: a question that cannot be answered.
    """
    if source is not None or out is not None:
        if certificate is not None:
            raise TowerlabError("--certificate is for a single question; expected no --from or --out beside it")
        given = {name: value for name, value in question.items() if (name, value) != ("role", "declarer")}
        answer_asked_file(source, out, given, columns, answer_row, as_json)
        return
    require(question, "hand")
    given = {name: value for name, value in question.items() if value is not None}
    asked = read({"trump": None, "lead": None} | given)
    answer = asked.answer()
    if certificate is not None:
        write_certificate(certificate, answer)
    show(answer, as_json)
