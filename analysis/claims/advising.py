"""What can be claimed now, as a line of advice: proofs only, within a few milliseconds."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache
from typing import Final

from analysis.claims.knowledge import Knowledge, Seating, knowledge_of
from analysis.claims.reached import FEWEST_TRICKS
from solver.claims.search import PROVED, Prover

NODES: Final = 5_000
"""Positions that a proof may visit: more is a question for ``towerlab claim``."""
_BUSY: Final = threading.Lock()


def claimable(seating: Seating, question: Mapping[str, str]) -> str:
    """How many of the tricks left can be claimed, in a sentence; nothing where none is proved.

    Args:
        seating: of the game.
        question: of a player on turn, the options of ``towerlab claim`` but for the tricks; empty ones are left out.
    """
    if len(question["hand"].split()) < FEWEST_TRICKS:
        return ""
    knowledge = knowledge_of(seating, question)
    left, sure = knowledge.belief.tricks, proved_tricks(knowledge)
    if knowledge.misere and not knowledge.role:
        return "You can claim the misère: not one trick more, proved against every layout." if sure == left else ""
    whose = "you and your partner take" if knowledge.role else "you take"
    if knowledge.misere:
        whose = "the declarer takes"
    many = f"{sure} of the {left} tricks left"
    return f"A claim is sound now: {whose} {many}, proved against every layout." if sure else ""


def proved_tricks(knowledge: Knowledge) -> int:
    """The most tricks of the claimant's side that a short search proves; there may be more."""
    belief, low = knowledge.belief, 0
    with _BUSY:
        while low < belief.tricks:
            found = (_prover().takes(belief, low + 1, NODES, unseen=unseen) for unseen in (True, False))
            if PROVED not in found:
                break
            low += 1
    return low


@cache
def _prover() -> Prover:
    """A prover of the table's own: one serves one thread at a time."""
    return Prover()
