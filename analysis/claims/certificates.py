"""Certificates of claims: written beside an answer, and checked by a program that knows nothing of the provers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from analysis.claims.answers import ClaimAnswer, ConcessionAnswer
from analysis.claims.knowledge import Knowledge
from analysis.present.answers import Answer
from games.errors import TowerlabError
from games.untrusted import read_json
from solver.claims.certificate import certify
from solver.claims.checker import check
from solver.claims.judging import NODES

LARGEST: Final = 100_000_000
"""Bytes of a certificate."""


@dataclass(frozen=True)
class CheckAnswer(Answer, shown_by="analysis.claims.certificates:check_report"):
    """Whether a certificate proves what it says.

    Attributes:
        file: where it was read.
        valid: whether its strategy does what it says against every other play.
        game, role: of the claim.
        claim: tricks, of `tricks` that are left.
        sound: what it says of the claim.
        hands: the cards that are seen, by seat.
        positions: of its strategy.
    """

    file: str
    valid: bool
    game: str
    role: str
    claim: int
    tricks: int
    sound: bool
    hands: dict[str, list[str]]
    positions: int

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab check --json`."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def write_certificate(path: Path, answer: ClaimAnswer | ConcessionAnswer) -> None:
    """Write the certificate of a claim with hidden hands.

    Raises:
        TowerlabError: a concession, a claim that is not settled, or a strategy that is too large.
    """
    if not isinstance(answer, ClaimAnswer):
        raise TowerlabError("a concession has no strategy to write; expected --certificate without --concede")
    if answer.sound is None:
        raise TowerlabError(f"the claim is not settled in {answer.limit:,} positions; expected one that is to certify")
    need = answer.remaining - answer.claim if answer.is_upper else answer.claim
    write_proof(path, answer.knowledge, need, answer.sound, answer.limit)


def write_proof(path: Path, knowledge: Knowledge, need: int, sound: bool, limit: int = NODES) -> None:
    """Write the certificate of what was found about `need` tricks of a side; arguments as of `certify`."""
    seating = knowledge.seating
    certificate = certify(knowledge.belief, need, sound, knowledge.trump, seating.bowers, seating.seats, limit)
    certificate = {"game": seating.game, "role": seating.seats[knowledge.role]} | certificate
    path.write_text(json.dumps(certificate, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def check_file(path: Path) -> CheckAnswer:
    """Check a certificate.

    Raises:
        TowerlabError: a file that is none.
    """
    certificate = read_json(path, "a certificate written by --certificate", LARGEST)
    valid, positions = check(certificate)
    return CheckAnswer(
        file=str(path),
        valid=valid,
        game=str(certificate.get("game")),
        role=str(certificate.get("role")),
        claim=int(certificate["claim"]),
        tricks=int(certificate["tricks"]),
        sound=bool(certificate["sound"]),
        hands={seat: cards for seat, cards in certificate["hands"].items() if cards},
        positions=positions,
    )


def check_report(answer: CheckAnswer) -> Text:
    """What people see of a check."""
    hands = ", ".join(f"{seat} {' '.join(cards)}" for seat, cards in answer.hands.items())
    says = "can be taken" if answer.sound else "cannot be claimed"
    question = f"{answer.game}, {answer.role} claims; {hands}: {answer.claim} of {answer.tricks} tricks {says}"
    if answer.valid:
        return Text(f"Valid: {question}. Every play of the other side was tried ({answer.positions:,} positions).")
    return Text(f"Not valid: the strategy of {answer.file} does not show that. ({question})")
