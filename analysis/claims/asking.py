"""Questions about claims of every game: single ones, with a certificate if wanted, and tables of them.

`Claimant` answers for positions that play reaches, in a line of advice: proofs only, within a few milliseconds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from towerlab.analysis.claims.answers import CheckedClaim, ClaimAnswer, ConcessionAnswer
from towerlab.analysis.claims.certificates import write_certificate
from towerlab.analysis.knowledge import Knowledge
from towerlab.analysis.present import number_of
from towerlab.analysis.question_tables import Many, each
from towerlab.games.cards import card_text
from towerlab.games.engine import Engine
from towerlab.games.transcript import Action
from towerlab.games.written import named_card, play_text
from towerlab.solver.claims.search import PROVED, Prover, guaranteed_tricks


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


FEWEST_TRICKS: Final = 2  # to come: a claim of the last trick saves no time

Decide = Callable[[Any, np.random.Generator], Action]
NODES: Final = 5_000
"""Positions that a proof may visit: more is a question for ``towerlab claim``."""
_BUSY: Final = threading.Lock()


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
