"""Certificates of claims: written with an answer, and checked by code that shares nothing with the provers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from towerlab.analysis.catalog import find_game
from towerlab.analysis.claims.answers import ClaimAnswer, ConcessionAnswer
from towerlab.analysis.knowledge import Seating, claimants, one_of, scoring_seats
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.whole_files import write_whole
from towerlab.games.cards import DECK_54, TRUMPS, mask_text, parse_mask
from towerlab.games.errors import TowerlabError
from towerlab.games.untrusted import read_json
from towerlab.solver.claims.certificate import certify
from towerlab.solver.claims.checker import check

LARGEST: Final = 30_000_000
"""Bytes of a certificate."""


@dataclass(frozen=True)
class CheckAnswer(Answer, shown_by="towerlab.analysis.claims.certificates:check_report"):
    """Whether a certificate proves its claim, and the position of the claim.

    Attributes:
        file: the certificate's path.
        valid: whether its strategy works against every play of the other side.
        game, role: of the claim.
        claim: tricks, of `tricks` that are left.
        sound: whether the certificate is for or against the claim.
        hands: the open cards, by seat.
        positions: of its strategy.
        trump: S, H, D, C or NT.
        turn: the seat that plays next.
        trick: the cards of the trick under way.
        scoring: the seats whose tricks are claimed.
        pools: by hidden seat, the cards that it may hold.
        excluded: the cards of the pack that no hand holds.
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
    trump: str
    turn: str
    trick: list[str]
    scoring: list[str]
    pools: dict[str, list[str]]
    excluded: list[str]

    @property
    def failed(self) -> bool:
        """Whether the command ends with status 1."""
        return not self.valid


def write_certificate(path: Path, answer: ClaimAnswer | ConcessionAnswer) -> None:
    """Write the certificate of a claim with hidden hands.

    Raises:
        TowerlabError: a concession, a claim that is not settled, a strategy that is too large, or a full disk.
    """
    if not isinstance(answer, ClaimAnswer):
        raise TowerlabError("a concession has no strategy to write; expected --certificate without --concede")
    if answer.sound is None:
        raise TowerlabError(f"the claim is not settled in {answer.limit:,} positions; expected one that is to certify")
    need = answer.remaining - answer.claim if answer.is_upper else answer.claim
    knowledge = answer.knowledge
    seating = answer.knowledge.seating
    certificate = certify(
        knowledge.belief, need, answer.sound, knowledge.trump, seating.bowers, seating.seats, answer.limit
    )
    certificate = {"game": seating.game, "role": seating.seats[knowledge.role]} | certificate
    write_whole(path, json.dumps(certificate, ensure_ascii=False, indent=0) + "\n")


def check_file(path: Path) -> CheckAnswer:
    """Check a certificate.

    Raises:
        TowerlabError: a file that is no certificate, or whose position is impossible for its game and role.
    """
    certificate = read_json(path, "a certificate written by --certificate", LARGEST)
    valid, positions = check(certificate)
    seating = find_game(str(certificate.get("game"))).load("claims")
    excluded = _check_game(certificate, seating)
    return CheckAnswer(
        file=str(path),
        valid=valid,
        hands={seat: certificate["hands"][seat] for seat in seating.seats if certificate["hands"][seat]},
        positions=positions,
        excluded=excluded,
        **{name: certificate[name] for name in ("game", "role", "claim", "tricks", "sound", "trump", "turn", "trick")},
        **{name: certificate[name] for name in ("scoring", "pools")},
    )


def _check_game(certificate: Mapping[str, Any], seating: Seating) -> list[str]:
    """Refuse a position that is impossible for its game and role; return the cards that no hand holds."""
    role = certificate.get("role")
    no_trump = certificate["trump"] == "NT"
    if role not in seating.players:
        raise TowerlabError(f"the certificate's role is {role!r}; expected {one_of(seating.players)}")
    seat = seating.seats.index(role)
    sides = [scoring_seats(seating, seat, misere) for misere in {False, seating.misere and no_trump}]
    live = 0
    for cards in (*certificate["hands"].values(), *certificate["pools"].values(), certificate["trick"]):
        live |= parse_mask(" ".join(cards), DECK_54)
    hidden = [name for at, name in enumerate(seating.seats) if at not in {*claimants(seating, seat), seating.dummy}]
    wrong = {
        "seats": certificate["seats"] != list(seating.seats),
        "hidden": sorted(certificate["hidden"]) != sorted(hidden),
        "claimant": {*certificate["claimant"]} != {seating.seats[at] for at in claimants(seating, seat)},
        "scoring": {*certificate["scoring"]} not in [{seating.seats[at] for at in side} for side in sides],
        "trump": no_trump and seating.strains < len(TRUMPS),
        "bowers": certificate["bowers"] != seating.bowers,
        "tricks": certificate["tricks"] > seating.most,
        "cards": live & ~seating.deck != 0
        or (not seating.lies_out and live.bit_count() < certificate["tricks"] * len(seating.seats)),
    }
    for name in (name for name, is_wrong in wrong.items() if is_wrong):
        raise TowerlabError(
            f"the certificate's {name} do not fit {role} of {seating.game}; expected a position of that game"
        )
    return mask_text(seating.deck & ~live).split()


def check_report(answer: CheckAnswer) -> str:
    """Return a check as text: its result and the position."""
    *first, last = answer.scoring
    for_whom = f"{', '.join(first)} and {last}" if first else last
    certain = "are certain" if answer.sound else "are not certain"
    claim = f"{answer.claim} of {answer.tricks} tricks {certain} for {for_whom}"
    tried = f"Every play of the other side was tried ({answer.positions:,} positions)."
    to_play = f"{answer.turn} to play after {' '.join(answer.trick)}" if answer.trick else f"{answer.turn} to lead"
    lines = (
        f"Valid: {claim}. {tried}" if answer.valid else f"Not valid: {answer.file} does not show that {claim}.",
        f"Asked     {answer.game}, {answer.role} claims; trump {answer.trump}, {to_play}",
        *(f"Seen      {seat}: {' '.join(cards)}" for seat, cards in answer.hands.items()),
        *(f"Possible  {seat}: {' '.join(cards) or 'nothing more'}" for seat, cards in answer.pools.items()),
        f"Excluded  {' '.join(answer.excluded) or 'no card'}",
    )
    return "\n".join(lines)
