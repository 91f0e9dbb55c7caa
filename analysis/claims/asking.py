"""Is a claim sound? In every game with tricks: asked once, in tables, with a certificate, or while a game is played.

A certificate is written with an answer; the code that checks it shares nothing with the provers but the rules.
`Claimant` answers for positions that play reaches, in a line of advice: proofs only, within a few milliseconds::

    answer = judge_claim(read_question(hand="JH JD AH", trump="H", lead="me", tricks=3), certificate="claim.json")
    check_file(Path("claim.json")).valid
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
from towerlab.analysis.knowledge import Knowledge, Seating, claimants, one_of, scoring_seats
from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.question_rows import Many, each
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
"""Positions that a proof may visit: more is a question for ``towerlab claim``."""
FEWEST_TRICKS: Final = 2  # to come: a claim of the last trick saves no time
_BUSY: Final = threading.Lock()


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


Decide = Callable[[Any, np.random.Generator], Action]


def proved_now(knowledge: Knowledge) -> int | None:
    """Return the most tricks of the player's side that a short search proves; None if none.

    For a misère's declarer 0 if the misère is proved, else None. With three hands hidden, before dummy is open, None.
    """
    belief = knowledge.belief
    if len(belief.hidden) > 2:
        return None
    sure = guaranteed_tricks(belief) if belief.is_two_handed else proved_tricks(knowledge)
    if knowledge.misere and not knowledge.role:
        return 0 if sure == belief.tricks else None
    return sure or None


def claimable(knowledge: Knowledge, sure: int | None) -> str:
    """Return how many of the tricks left can be claimed, in a sentence; "" if none is proved or one trick is left.

    Args:
        knowledge: of a player on turn.
        sure: of `proved_now`.
    """
    belief = knowledge.belief
    if sure is None or belief.tricks < FEWEST_TRICKS:
        return ""
    many = f"{sure} of the {number_of(belief.tricks, 'trick')} left"
    if belief.is_two_handed:
        return f"You can claim {many}: proved against every hand."
    if knowledge.misere and not knowledge.role:
        return "You can claim the misère: not one trick more, proved against every layout."
    takers = "you and your partner take" if knowledge.role else "you take"
    if knowledge.misere:
        takers = "the declarer takes"
    return f"A claim is sound now: {takers} {many}, proved against every layout."


def proved_tricks(knowledge: Knowledge) -> int:
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
        contract: in words: ``"4♠ doubled, after a goulash"``.
        knowledge: of the player.
        hands: the actual hands, play-order masks in order of play from the declarer.
    """

    contract: str
    knowledge: Knowledge
    hands: tuple[int, ...]

    @property
    def role(self) -> str:
        """``"declarer"``, ``"defender"``, ``"misère"`` for the declarer of one; ``"player"`` where both are alike."""
        if self.knowledge.belief.is_two_handed:
            return "player"
        if self.knowledge.role:
            return "defender"
        return "misère" if self.knowledge.misere else "declarer"


def played(game: Engine[Any, Any], decide: Decide, random: np.random.Generator) -> Iterator[None]:
    """Play a game, all seats with `decide` and chance at random; yield after every action."""
    while game.result is None:
        seat = game.to_act
        game.apply(game.chance(random) if seat is None else decide(game.view(seat), random))
        yield


def trick_text(cards: tuple[int, ...], named: int | None = None) -> str:
    """A trick of a history: ``AH/QC/9H``, of a joker that names a suit ``X1:S/8S/7H``."""
    return "/".join([play_text(named_card(cards[0], named)), *map(card_text, cards[1:])])


# --------------------------------------------------------------------------------------------------------- certificates


@dataclass(frozen=True)
class CheckAnswer(Answer, shown_by="towerlab.analysis.claims.asking:check_report"):
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
