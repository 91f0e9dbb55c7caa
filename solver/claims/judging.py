"""Whether a claim holds: quick proofs, layouts that beat it, then the search, each within its limit of nodes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from typing import Final

from games.cards import NO_TRUMP_FIELD
from solver.claims.belief import Belief
from solver.claims.layouts import Layout, all_layouts, drawn_layout, freakish_layout
from solver.claims.search import NOT_SETTLED, PROVED, REFUTED, prover
from solver.double_dummy import DoubleDummy, Position

NODES: Final = 1_000_000  # about a second
QUICK: Final = 20_000
LAYOUTS: Final = 60  # tried before the long search; of a position with fewer all are
COUNTED_LAYOUTS: Final = 3_000  # up to so many are all looked at for one that beats a claim


@dataclass(frozen=True)
class Verdict:
    """What is known of a claim.

    Attributes:
        outcome: `PROVED`, `REFUTED` or `NOT_SETTLED`.
        nodes: positions searched.
        layout: a layout that beats the claim by itself, if it was met on the way.
    """

    outcome: int
    nodes: int
    layout: Layout | None = None


def judge(belief: Belief, need: int, limit: int = NODES) -> Verdict:
    """Whether one strategy takes `need` of the tricks that are left, against every layout.

    Args:
        belief: what the claimant knows.
        need: tricks of the scoring seats.
        limit: nodes that a search visits at most; about twice as many in all.

    Raises:
        CardError: no layout fits what is known.
    """
    belief.check()
    search, nodes = prover(), 0
    quick = min(QUICK, limit)
    for unseen in (True, False):
        outcome = search.takes(belief, need, quick, unseen=unseen)
        nodes += search.nodes
        if outcome == PROVED or (outcome == REFUTED and not unseen):
            return Verdict(outcome, nodes)
    layout = beating_layout(belief, need, LAYOUTS)
    if layout is not None:
        return Verdict(REFUTED, nodes, layout)
    if limit <= quick:
        return Verdict(NOT_SETTLED, nodes)
    for unseen in (True, False):
        outcome = search.takes(belief, need, limit, unseen=unseen)
        nodes += search.nodes
        if outcome == PROVED or (outcome == REFUTED and not unseen):
            return Verdict(outcome, nodes)
    return Verdict(NOT_SETTLED, nodes)


def guaranteed_between(belief: Belief, limit: int = NODES) -> tuple[int, int]:
    """The most tricks that were proved, and the fewest that could not be excluded: equal if all was settled."""
    low, high = 0, belief.tricks
    while low < high:
        outcome = judge(belief, low + 1, limit).outcome
        if outcome == PROVED:
            low += 1
            continue
        if outcome == REFUTED:
            return low, low
        break
    while high > low and judge(belief, high, min(limit, QUICK)).outcome == REFUTED:
        high -= 1
    return low, high


def beating_layout(belief: Belief, need: int, tries: int) -> Layout | None:
    """A layout against which best play of the claimant's, who sees it, takes fewer than `need`; None if none was met.

    Args:
        belief: what the claimant knows.
        need: tricks of the scoring seats.
        tries: how many layouts to look at; of a position with no more than `COUNTED_LAYOUTS`, all.
    """
    if not need >= 1:
        return None
    if belief.layouts <= max(tries, 1):
        layouts = all_layouts(belief)
    else:
        draw = random.Random(belief.known)
        kinds = (freakish_layout, drawn_layout)
        layouts = (kinds[number % 2](belief, draw) for number in range(tries))
    return next((layout for layout in layouts if is_beaten(belief, layout, need)), None)


def is_beaten(belief: Belief, layout: Layout, need: int, limit: int = 30_000) -> bool:
    """Whether a layout holds the claimant below `need` although he sees it; False also if that takes too long."""
    if need > belief.tricks:
        return True
    if _is_double_dummy(belief):
        return not _takes_double_dummy(belief, layout, need)
    return prover().takes(belief.with_layout(layout), need, limit) == REFUTED


def _is_double_dummy(belief: Belief) -> bool:
    """Whether the question with all cards seen is the double-dummy solver's: all others play together."""
    return len(belief.own) > 2 and 0 in belief.claimant and (belief.names or belief.trumps != NO_TRUMP_FIELD)


def _takes_double_dummy(belief: Belief, layout: Layout, need: int) -> bool:
    hands = belief.with_layout(layout).own
    position = Position(hands, belief.trumps, belief.leader, belief.trick, belief.named, fewest=0 not in belief.scoring)
    if 0 in belief.scoring:
        return _double_dummy().at_least(position, need)
    return not _double_dummy().at_least(position, belief.tricks - need + 1)


@cache
def _double_dummy() -> DoubleDummy:
    return DoubleDummy()
