"""Why a claim is unsound: a layout that beats it, or a tree in which every way of playing loses to some layout.

A claim fails against a single *layout* of the hidden hands, even if the claimant sees it. Or the claimant has to
*guess*: the right play with one layout is wrong with another. A tree then shows it::

    Branch(others=(cards that the others play first, often none), you={play: Leaf or Branch for every legal play})
    Leaf(layout=the hidden hands at this point, line=cards of best play from here on)

Every line of a leaf has been played through under the rules and leaves the claimant below the claim. Masks are in play
order; the key of a joker that names a suit is one of the bits of `belief.NAMINGS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from towerlab.games.bits import deposit_bits, next_subset, popcount
from towerlab.games.jit import kernel
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.layouts import Layout
from towerlab.solver.two_hands.tablebase import TableArrays, lead_tricks, leader_tricks

LAYOUT: Final = "layout"
GUESS: Final = "guess"
OPPONENT: Final = 1  # of two seats
SEARCH: Final = "search"  # refuted by the search; the tree is too large to show


@dataclass(frozen=True)
class Leaf:
    """A point from which one layout holds the claimant below the claim."""

    layout: Layout
    line: tuple[int, ...]


@dataclass(frozen=True)
class Branch:
    """A point where every legal play of the claimant loses to some layout."""

    others: tuple[int, ...]
    you: dict[int, Leaf | Branch]


@dataclass(frozen=True)
class Refutation:
    """Why a claim is unsound.

    Attributes:
        kind: `LAYOUT`, `GUESS` or `SEARCH`.
        layout: hidden hands that beat the claim; of a guess, those of one way through the tree; None of a `SEARCH`.
        line: cards in order of play with that layout.
        tree: of a `GUESS`.
    """

    kind: str
    layout: Layout | None = None
    line: tuple[int, ...] = ()
    tree: Branch | None = None


def replay_tricks(belief: Belief, layout: Layout, line: tuple[int, ...]) -> int:
    """The tricks counted when `line` is played with a layout.

    Raises:
        ValueError: a card that may not be played.
    """
    position = belief.with_layout(layout)
    taken = 0
    for card in line:
        plays = [play for play in position.plays() if play == card or position.card_of(play) == card]
        if not plays:
            raise ValueError("the line breaks the rules")
        position, won = position.after(plays[0])
        taken += won
    return taken


# --------------------------------------------------------------------------------------------------------- layouts


@kernel
def claimant_tricks(tables: TableArrays, hand: int, theirs: int, led: int, turn: int) -> int:
    """The claimant's tricks when both see all cards, at a trick start or in the middle of a trick."""
    if turn == OPPONENT:
        if led:
            return lead_tricks(tables, hand | led, theirs, led)
        return popcount(hand) - leader_tricks(tables, theirs, hand)
    if led:
        return popcount(hand) - lead_tricks(tables, theirs | led, hand, led)
    return leader_tricks(tables, hand, theirs)


@kernel
def extreme_layout(
    tables: TableArrays, hand: int, sure: int, pool: int, led: int, turn: int, worst: bool
) -> tuple[int, int]:
    """The opponent's hand that leaves the claimant the fewest tricks (or the most), and how many; exact.

    Of equal hands it is the one with the lowest cards in play order.
    """
    best_layout = 0
    best_tricks = -1
    count = popcount(hand) - popcount(sure)
    if led:
        count += 1 if turn == OPPONENT else -1
    chosen = (1 << count) - 1
    while chosen < 1 << popcount(pool):
        layout = sure | deposit_bits(chosen, pool)
        tricks = claimant_tricks(tables, hand, layout, led, turn)
        if best_tricks < 0 or (tricks < best_tricks if worst else tricks > best_tricks):
            best_layout = layout
            best_tricks = tricks
        if chosen == 0:
            break
        chosen = next_subset(chosen)
    return best_layout, best_tricks


def parts(belief: Belief) -> tuple[int, int, int, int, int]:
    """Return a belief with one hidden hand, the second: the claimant's hand, sure cards, pool, card led, turn."""
    return *belief.own, belief.pools[0], belief.trick[0] if belief.trick else 0, belief.turn  # type: ignore[return-value]


def layout_with(belief: Belief, tables: TableArrays, worst: bool) -> tuple[Layout, int]:
    """The opponent's hand that leaves the claimant the fewest tricks (or the most), all cards seen, and how many."""
    if belief.tricks == 0:
        return (0,), 0
    layout, tricks = extreme_layout(tables, *parts(belief), worst)
    return (int(layout),), int(tricks)
