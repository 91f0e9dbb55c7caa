"""From the options of `towerlab claim` to an answer, in every game; and tables of claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from towerlab.analysis.batches import Many, answer_command, each
from towerlab.analysis.claims.answers import AskedClaim, ClaimAnswer, ConcessionAnswer
from towerlab.analysis.claims.certificates import write_certificate
from towerlab.analysis.present import Shown
from towerlab.games.errors import TowerlabError


def many_claims(game: str, place: str, asks: Callable[..., AskedClaim], **more: Any) -> Many:
    """Tables of claims; `more` are further attributes of `Many`."""

    def row(one: Mapping[str, Any], rules: Any) -> Mapping[str, Any]:
        return asks(**one, **many.under(rules)).answer(explained=False).to_row()

    tricks = dict.fromkeys(("guaranteed_tricks", "layouts"), "Int64")
    many = Many(game, place, asks, each(row), kinds={"sound": "boolean", **tricks}, **more)
    return many


def answer_claim_command(
    many: Many, *, certificate: Path | None, source: Path | None, options: Any = None, **given: Any
) -> Shown | None:
    """Return the answer of `towerlab claim`; `given` as of `answer_command`.

    Args:
        many: tables of the game's claims.
        certificate: where the whole strategy or refutation goes.
        options: rule options, of a game that has any.

    Raises:
        TowerlabError: a question that cannot be answered.
    """
    if certificate is not None and source is not None:
        raise TowerlabError("--certificate is for a single question; expected no --from beside it")

    def one(hand: str, **question: Any) -> Shown:
        answer: ClaimAnswer | ConcessionAnswer = many.asks(hand=hand, **question).answer()
        if certificate is not None:
            write_certificate(certificate, answer)
        return answer

    return answer_command(many, one, source=source, options=options, **given)
