"""What `towerlab claim` does with the options it was given, in every game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analysis.claims.answers import AskedClaim
from analysis.claims.certificates import write_certificate
from analysis.present import Shown
from analysis.present.questions import answer_asked_file, require, truth, whole_number
from games.errors import TowerlabError


def answer_claim_command(
    columns: tuple[str, ...],
    read: Callable[..., AskedClaim],
    *,
    source: Path | None,
    out: Path | None,
    certificate: Path | None,
    as_json: bool,
    **question: Any,
) -> Shown | None:
    """Answer one question, or a file of them, whose answers are printed or written.

    Args:
        columns: of a file of questions.
        read: from the options of a question to the question.
        source, out, certificate, as_json: ``--from``, ``--out``, ``--certificate``, ``--json``.
        question: the other options as they were given.

    Raises:
        TowerlabError: a question that cannot be answered.
    """

    def asked(given: Mapping[str, Any]) -> AskedClaim:
        require({"hand": given.get("hand")}, "hand")
        return read(**{"trump": None, "lead": None} | {name: one for name, one in given.items() if one is not None})

    if source is not None or out is not None:
        if certificate is not None:
            raise TowerlabError("--certificate is for a single question; expected no --from or --out beside it")
        given = {name: value for name, value in question.items() if (name, value) != ("role", "declarer")}
        answer_asked_file(
            source, out, given, columns, lambda row: asked(_typed(row, columns)).answer().to_json(), as_json
        )
        return None
    answer = asked(question).answer()
    if certificate is not None:
        write_certificate(certificate, answer)
    return answer


def _typed(cells: Mapping[str, str], columns: tuple[str, ...]) -> dict[str, Any]:
    """The options of a row: cells of numbers and of yes or no as what they mean."""
    typed: dict[str, Any] = {name: cell for name, cell in cells.items() if name in columns}
    for name in typed.keys() & {"tricks", "limit", "opponent_cards"}:
        typed[name] = whole_number(cells, name)
    for name in typed.keys() & {"concede", "misere"}:
        typed[name] = truth(cells, name)
    return typed
