"""Claims that are sound now, as a line of advice: proofs only, within a few milliseconds."""

from __future__ import annotations

import threading
from functools import cache
from typing import Final

from towerlab.analysis.claims.reached import FEWEST_TRICKS
from towerlab.analysis.knowledge import Knowledge
from towerlab.analysis.present import number_of
from towerlab.solver.claims.search import PROVED, Prover, guaranteed_tricks

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
