"""What is known in a claim of Towers & Bowers."""

from __future__ import annotations

from collections.abc import Iterable

from towerlab.games.cards import SUITS, TRUMP_FIELD, parse_mask, to_play_order
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.explanation import Refutation, refute
from towerlab.solver.claims.judging import NODES, OPPONENT

CLAIMANT = 0


def play_mask(cards: Iterable[str], trump: str) -> int:
    """Card texts as a mask in play order."""
    return int(to_play_order(parse_mask(" ".join(cards)), SUITS.index(trump), True))


def belief_of(hand: int, sure: int, pool: int, led: int = 0, turn: int = CLAIMANT, trumps: int = TRUMP_FIELD) -> Belief:
    """What a claimant knows who holds `hand`; the opponent surely holds `sure`, the rest comes from `pool`."""
    me = frozenset({CLAIMANT})
    tricks = hand.bit_count() + (led != 0 and turn == OPPONENT)
    return Belief((hand, sure), (OPPONENT,), (pool,), me, me, tricks, turn, trumps, (led,) if led else ())


def refuted(belief: Belief, claim: int) -> Refutation:
    """Why a claim with one hidden hand fails, which is more than is guaranteed."""
    return refute(belief, claim, NODES)
