"""Is a claim sound, in any game with tricks? Asked once, in tables, with a certificate, or while a game is played.

`judge_claim` can write a certificate with its answer; the code that checks it shares only the rules with the provers.
During play, `prove_tricks_now` looks for proofs only, within a few milliseconds, for a line of advice.

    towerlab claim --hand "JH JD AH" --trump H --lead me --tricks 3 --certificate claim.json
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from towerlab.analysis.catalog import find_game
from towerlab.analysis.claims.answers import CheckedClaim, ClaimAnswer, ConcessionAnswer
from towerlab.analysis.player_knowledge import Knowledge, Seating, claimants, one_of, scoring_seats
from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.question_rows import BatchQuestion, answer_each
from towerlab.analysis.whole_files import write_whole
from towerlab.games.cards import DECK_54, TRUMPS, card_text, mask_text, parse_mask
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action
from towerlab.games.untrusted import read_json
from towerlab.games.written import named_card, play_text
from towerlab.solver.claims.certificate import certify
from towerlab.solver.claims.checker import check
from towerlab.solver.claims.search import PROVED, Prover, guaranteed_tricks

LARGEST: Final = 30_000_000
"""Bytes of a certificate."""
NODES: Final = 5_000
"""Positions that a proof during play may visit; ``towerlab claim`` visits more."""
FEWEST_TRICKS: Final = 2  # a claim of the last trick saves no time
_BUSY: Final = threading.Lock()


def judge_claim(
    read: Callable[..., CheckedClaim], /, *given: Any, certificate: Path | None = None, **question: Any
) -> ClaimAnswer | ConcessionAnswer:
    """Return whether a claim or a concession is sound, and why.

    Args:
        read: the function that reads a question of the game.
        given, question: the arguments of that function.
        certificate: a file to write the whole strategy or refutation to.

    Raises:
        TowerlabError: a question that contradicts itself or the rules.
    """
    answer = read(*given, **question).answer()
    if certificate is not None:
        write_certificate(certificate, answer)
    return answer


def batch_of_claims(game: str, read: Callable[..., CheckedClaim], **more: Any) -> BatchQuestion:
    """Return the batch question of a game's claims; `more` are further attributes of `BatchQuestion`."""

    def row(question: Mapping[str, Any], rules: Any) -> Mapping[str, Any]:
        return read(**question, **({} if rules is None else {"options": rules})).answer(explained=False).to_row()

    tricks = dict.fromkeys(("guaranteed_tricks", "layouts"), "Int64")
    return BatchQuestion(game, read, answer_each(row), kinds={"sound": "boolean", **tricks}, **more)


Decide = Callable[[Any, np.random.Generator], Action]


def prove_tricks_now(knowledge: Knowledge) -> int | None:
    """Return the most tricks of the player's side that a short search proves; None if it proves none.

    For the declarer of a misère: 0 if the misère is proved. Always None while three hands are hidden (before dummy is
    open).
    """
    belief = knowledge.belief
    if len(belief.hidden) > 2:
        return None
    proved = guaranteed_tricks(belief) if belief.is_two_handed else prove_tricks(knowledge)
    if knowledge.misere and not knowledge.role:
        return 0 if proved == belief.tricks else None
    return proved or None


def claim_sentence(knowledge: Knowledge, proved: int | None) -> str:
    """Return a sentence that says how many tricks can be claimed; "" if none is proved or one trick is left.

    Args:
        knowledge: what the player on turn knows.
        proved: what `prove_tricks_now` returned.
    """
    belief = knowledge.belief
    if proved is None or belief.tricks < FEWEST_TRICKS:
        return ""
    many = f"{proved} of the {number_of(belief.tricks, 'trick')} left"
    if belief.is_two_handed:
        return f"You can claim {many}: proved against every hand."
    if knowledge.misere and not knowledge.role:
        return "You can claim the misère: not one trick more, proved against every layout."
    takers = "you and your partner take" if knowledge.role else "you take"
    if knowledge.misere:
        takers = "the declarer takes"
    return f"A claim is sound now: {takers} {many}, proved against every layout."


def prove_tricks(knowledge: Knowledge) -> int:
    """Return the most tricks of the claimant's side that a short search proves; there may be more."""
    belief = knowledge.belief
    low = 0
    with _BUSY:
        while low < belief.tricks:
            outcomes = (_prover().takes(belief, low + 1, NODES, unseen=unseen) for unseen in (True, False))
            if PROVED not in outcomes:
                break
            low += 1
    return low


@cache
def _prover() -> Prover:
    """Return the table's own prover; `_BUSY` keeps it to one thread at a time."""
    return Prover()


# ------------------------------------------------------------------------------------------ positions that play reaches


@dataclass(frozen=True)
class Claimant:
    """A player who could claim, at the start of a trick.

    Attributes:
        contract: the contract in words: ``"4♠ doubled, after a goulash"``.
        knowledge: what the player knows.
        hands: the actual hands, play-order masks in order of play from the declarer.
    """

    contract: str
    knowledge: Knowledge
    hands: tuple[int, ...]

    @property
    def role(self) -> str:
        """The role: ``"declarer"``, ``"defender"``, a declarer's ``"misère"``; ``"player"`` where both are alike."""
        if self.knowledge.belief.is_two_handed:
            return "player"
        if self.knowledge.role:
            return "defender"
        return "misère" if self.knowledge.misere else "declarer"


def play_game(game: Engine[Any, Any], decide: Decide, random: np.random.Generator) -> Iterator[None]:
    """Play a game to its end and yield after every action; `decide` plays all seats, and chance is random."""
    while game.result is None:
        seat = game.to_act
        game.apply(game.chance(random) if seat is None else decide(game.view(seat), random))
        yield


def trick_text(cards: tuple[int, ...], named: int | None = None) -> str:
    """Return a trick of a history: ``AH/QC/9H``; with a joker that names a suit, ``X1:S/8S/7H``."""
    return "/".join([play_text(named_card(cards[0], named)), *map(card_text, cards[1:])])


# --------------------------------------------------------------------------------------------------------- certificates


@dataclass(frozen=True)
class CheckAnswer(Answer, shown_by="towerlab.analysis.claims.asking:check_report"):
    """Whether a certificate proves its claim, and the position of the claim.

    Attributes:
        file: the certificate's path.
        valid: whether its strategy works against every play of the other side.
        game, role: the game, and the claimant's seat.
        claim: how many of the remaining `tricks` are claimed.
        sound: whether the certificate is for or against the claim.
        hands: the open cards, by seat.
        positions: how many positions the strategy has.
        trump: S, H, D, C or NT.
        turn: the seat that plays next.
        trick: the cards of the trick under way.
        scoring: the seats whose tricks are claimed.
        pools: the cards that each hidden seat may hold, by seat.
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
        TowerlabError: the answer is about a concession or not settled, the strategy is too large, or the disk is full.
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
    """Return whether a certificate proves its claim.

    Raises:
        TowerlabError: the file is no certificate, or its position is impossible for its game and role.
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
    """Return the text of a check: its result and the position."""
    for_whom = one_of(answer.scoring, "and")
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
