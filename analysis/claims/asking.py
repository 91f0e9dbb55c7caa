"""Questions about claims of every game: single ones, with a certificate if wanted, and tables of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from towerlab.analysis.claims.answers import CheckedClaim, ClaimAnswer, ConcessionAnswer
from towerlab.analysis.claims.certificates import write_certificate
from towerlab.analysis.question_tables import Many, each


def judge_claim(
    read: Callable[..., CheckedClaim], /, *given: Any, certificate: Path | None = None, **question: Any
) -> ClaimAnswer | ConcessionAnswer:
    """Whether a claim or a concession is sound.

    Args:
        read: reads the question of a game.
        given, question: its arguments.
        certificate: the file for the whole strategy or refutation.

    Raises:
        TowerlabError: a question that contradicts itself or the rules.
    """
    answer = read(*given, **question).answer()
    if certificate is not None:
        write_certificate(certificate, answer)
    return answer


def many_claims(game: str, read: Callable[..., CheckedClaim], **more: Any) -> Many:
    """Return the tables of claims of a game; `more` are further attributes of `Many`."""

    def row(question: Mapping[str, Any], rules: Any) -> Mapping[str, Any]:
        return read(**question, **({} if rules is None else {"options": rules})).answer(explained=False).to_row()

    tricks = dict.fromkeys(("guaranteed_tricks", "layouts"), "Int64")
    return Many(game, read, each(row), kinds={"sound": "boolean", **tricks}, **more)
