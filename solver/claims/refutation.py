"""Why a claim is unsound: one layout that beats it, or a tree in which every way of playing loses to some layout.

A claim fails against a single *layout* of the hidden hands, which even seeing it would not help. Or the claimant has
to *guess*: what is right with one layout is wrong with another, and then it takes a tree to show it::

    Branch(others=(cards that the others play first, often none), you={play: Leaf or Branch for every legal play})
    Leaf(layout=the hidden hands at this point, line=cards of best play from here on)

Every line of a leaf has been played through under the rules and leaves the claimant below the claim. Masks are in play
order; the key of a joker that names a suit is one of the bits of `belief.NAMINGS`.

Here is also how the refutation of a claim with one hidden hand is found, on the tablebase.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from games.bits import popcount
from games.jit import kernel
from solver.claims.belief import Belief
from solver.claims.layouts import Layout
from solver.claims.two_hands import (
    OPPONENT,
    guaranteed_tricks,
    parts,
    play_values,
    principal_variation,
)
from solver.two_hands.tablebase import TableArrays, lead_tricks, leader_tricks

LAYOUT: Final = "layout"
GUESS: Final = "guess"
SEARCH: Final = "search"  # refuted by the search; the tree would be too large to show


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
    position, taken = belief.with_layout(layout), 0
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
def _next_choice(chosen: int) -> int:
    """The next larger number with as many ones."""
    low = chosen & -chosen
    carried = chosen + low
    return carried | ((chosen ^ carried) // low >> 2)


@kernel
def _chosen_cards(pool: int, chosen: int) -> int:
    """The cards of a pool whose places, counted from its lowest card, are the ones of `chosen`."""
    cards = 0
    while chosen:
        low = pool & -pool
        if chosen & 1:
            cards |= low
        pool ^= low
        chosen >>= 1
    return cards


@kernel
def extreme_layout(
    tables: TableArrays, hand: int, sure: int, pool: int, led: int, turn: int, worst: bool
) -> tuple[int, int]:
    """The opponent's hand that leaves the claimant the fewest tricks (or the most), and how many; exact.

    Of equal hands it is the one with the lowest cards in play order.
    """
    best_layout, best_tricks = 0, -1
    count = popcount(hand) - popcount(sure)
    if led:
        count += 1 if turn == OPPONENT else -1
    chosen = (1 << count) - 1
    while chosen < 1 << popcount(pool):
        layout = sure | _chosen_cards(pool, chosen)
        tricks = claimant_tricks(tables, hand, layout, led, turn)
        if best_tricks < 0 or (tricks < best_tricks if worst else tricks > best_tricks):
            best_layout, best_tricks = layout, tricks
        if chosen == 0:
            break
        chosen = _next_choice(chosen)
    return best_layout, best_tricks


def layout_with(belief: Belief, tables: TableArrays, worst: bool) -> tuple[Layout, int]:
    """The opponent's hand that leaves the claimant the fewest tricks (or the most), all cards seen, and how many."""
    if belief.tricks == 0:
        return (0,), 0
    layout, tricks = extreme_layout(tables, *parts(belief)[:5], worst)
    return (int(layout),), int(tricks)


# ------------------------------------------------------------------------------------- refutations, one hidden hand


def refute_on_tables(belief: Belief, claim: int, tables: TableArrays) -> Refutation | None:
    """Why `claim` tricks cannot be claimed, or None if they can.

    Args:
        belief: what the claimant knows, with one hidden hand.
        claim: tricks of those that remain.
        tables: of `solver.two_hands.tablebase.load_tables`.
    """
    leaf = _settle(belief, claim, tables)
    if leaf is not None:
        return Refutation(LAYOUT, leaf.layout, leaf.line)
    if guaranteed_tricks(belief) >= claim:
        return None
    tree = _branch(belief, claim, tables)
    layout, line = _principal_variation_of_tree(belief, tree)
    return Refutation(GUESS, layout, line, tree)


def _settle(belief: Belief, need: int, tables: TableArrays) -> Leaf | None:
    """A hand that alone holds the claimant below `need`, with its line replayed, or None."""
    layout, tricks = layout_with(belief, tables, worst=True)
    if tricks >= need:
        return None
    line = principal_variation(belief.with_layout(layout))
    assert replay_tricks(belief, layout, line) == tricks
    return Leaf(layout, line)


class _Approach(NamedTuple):
    """Plays of the opponent up to the claimant's turn, and what is then left to take."""

    others: tuple[int, ...]
    belief: Belief
    need: int


def _branch(belief: Belief, need: int, tables: TableArrays) -> Branch:
    """The tree below a point where no hand alone settles it and yet `need` is not guaranteed."""
    candidates = [
        (guaranteed_tricks(approach.belief) - approach.need, approach) for approach in _approaches(belief, need)
    ]
    least = min(shortfall for shortfall, _ in candidates)
    # Of the opponent's best plays, those that leave the fewest branches open.
    trees = [_children(approach, tables) for shortfall, approach in candidates if shortfall == least]
    approach, children = min(trees, key=lambda tree: sum(leaf is None for leaf in tree[1].values()))
    you: dict[int, Leaf | Branch] = {}
    for play, leaf in children.items():
        after, won = approach.belief.after(play)
        you[play] = leaf if leaf is not None else _branch(after, approach.need - won, tables)
    return Branch(approach.others, you)


def _approaches(belief: Belief, need: int) -> list[_Approach]:
    """Every way for the opponent to bring the claimant to a turn."""
    done: list[_Approach] = []
    waiting = [_Approach((), belief, need)]
    while waiting:
        plays, position, left = waiting.pop()
        if position.turn != OPPONENT:
            done.append(_Approach(plays, position, left))
            continue
        for play in position.plays(every=False):
            after, won = position.after(play)
            if guaranteed_tricks(after) < left - won:
                waiting.append(_Approach((*plays, play), after, left - won))
    return done


def _children(approach: _Approach, tables: TableArrays) -> tuple[_Approach, dict[int, Leaf | None]]:
    """The leaf after each play of the claimant, or None where the tree has to go on."""
    leaves = {}
    for play in approach.belief.plays():
        after, won = approach.belief.after(play)
        leaves[play] = _settle(after, approach.need - won, tables)
    return approach, leaves


def _principal_variation_of_tree(belief: Belief, tree: Branch) -> tuple[Layout, tuple[int, ...]]:
    """The opponent's hand and the line when the claimant keeps the most that is still guaranteed."""
    line: list[int] = []
    layout = 0
    node: Leaf | Branch = tree
    while isinstance(node, Branch):
        for play in node.others:
            layout |= play
            belief, _ = belief.after(play)
        values = play_values(belief)
        best = max(values, key=values.__getitem__)
        line += [*node.others, best]
        belief, _ = belief.after(best)
        node = node.you[best]
    return (layout | node.layout[0],), (*line, *node.line)
