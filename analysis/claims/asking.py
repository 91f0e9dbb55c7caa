"""The questions about claims of every game: one by one, with a certificate, and as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from towerlab.analysis.claims.answers import AskedClaim, ClaimAnswer, ConcessionAnswer
from towerlab.analysis.claims.certificates import write_certificate
from towerlab.analysis.question_tables import Many, each


def judge_claim(
    asks: Callable[..., AskedClaim], /, *given: Any, certificate: Path | None = None, **question: Any
) -> ClaimAnswer | ConcessionAnswer:
    """Whether a claim or a concession is sound.

    Args:
        asks: reads the question of a game.
        given, question: its arguments.
        certificate: where the whole strategy or refutation goes.

    Raises:
        TowerlabError: a question that contradicts itself or the rules.
    """
    answer = asks(*given, **question).answer()
    if certificate is not None:
        write_certificate(certificate, answer)
    return answer


def many_claims(game: str, asks: Callable[..., AskedClaim], **more: Any) -> Many:
    """Tables of claims; `more` are further attributes of `Many`."""

    def row(one: Mapping[str, Any], rules: Any) -> Mapping[str, Any]:
        return asks(**one, **({} if rules is None else {"options": rules})).answer(explained=False).to_row()

    tricks = dict.fromkeys(("guaranteed_tricks", "layouts"), "Int64")
    return Many(game, asks, each(row), kinds={"sound": "boolean", **tricks}, **more)
