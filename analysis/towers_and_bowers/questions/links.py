"""`towerlab open LINK`: whatever a position asks, answered; `games.towers_and_bowers.links` reads and writes links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from towerlab.analysis.claims.answers import ClaimAnswer, ConcessionAnswer
from towerlab.analysis.moves.answers import MoveAnswer
from towerlab.analysis.towers_and_bowers.claims import judge_claim
from towerlab.analysis.towers_and_bowers.questions.answers import UpcardAnswer
from towerlab.analysis.towers_and_bowers.questions.discard import RankedDiscards, ask_discard
from towerlab.analysis.towers_and_bowers.questions.move import ask_move
from towerlab.analysis.towers_and_bowers.questions.upcard import ask_upcard
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.links import read_link

LinkAnswer: TypeAlias = UpcardAnswer | RankedDiscards | MoveAnswer | ClaimAnswer | ConcessionAnswer
ASKS: Final[Mapping[str, Callable[..., Any]]] = {
    "upcard": ask_upcard,
    "discard": ask_discard,
    "move": ask_move,
    "claim": judge_claim,
}


def ask_link(link: str, *, options: TowersAndBowersOptions | None = None) -> LinkAnswer:
    """The answer to the position of a link: a call, a card for the up-card, a card to play, or a claim.

    >>> ask_link("ASKSJS9S/QS/d/p").recommend
    'accept'

    Raises:
        TowerlabError: no link, a position without a question, or a question that contradicts itself.
    """
    command, question = read_link(link).question()
    answer: LinkAnswer = ASKS[command](**question, options=options)
    return answer
