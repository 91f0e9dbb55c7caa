"""Why does a claim hold or fail? A line against the best resistance, one layout that beats it, or a tree.

A claim fails against a single *layout* of the hidden hands, even if the claimant sees it. Or the claimant has to
*guess*: the right play with one layout is wrong with another. Then every way of playing loses to some layout, and a
tree shows it::

    Branch(others=(cards that the others play first, often none), you={play: Leaf or Branch for every legal play})
    Leaf(layout=the hidden hands at this point, line=cards of best play from here on)

Every line of a leaf has been played through under the rules and leaves the claimant below the claim. Masks are in play
order; the key of a joker that names a suit is one of the bits of `belief.NAMINGS`.

    towerlab claim --hand "JH AH 9S" --trump H --lead me --tricks 3
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

from towerlab.games.errors import TowerlabError
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.judging import (
    COUNTED_LAYOUTS,
    QUICK,
    HiddenHands,
    beating_layout,
    double_dummy_line,
    judge_layout,
    layout_with,
)
from towerlab.solver.claims.search import PROVED, REFUTED, guaranteed_tricks, play_values, principal_variation, prover
from towerlab.solver.two_hands.tablebase import load_tablebase

LAYOUT: Final = "layout"
GUESS: Final = "guess"
SEARCH: Final = "search"  # refuted by the search; the tree is too large to show


@dataclass(frozen=True)
class Leaf:
    """A point from which one layout holds the claimant below the claim."""

    layout: HiddenHands
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
        tree: the tree of plays that leads to a `GUESS`; None otherwise.
    """

    kind: str
    layout: HiddenHands | None = None
    line: tuple[int, ...] = ()
    tree: Branch | None = None


def replay_tricks(belief: Belief, layout: HiddenHands, line: tuple[int, ...]) -> int:
    """Return the tricks counted when `line` is played with a layout.

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


Approach = tuple[
    tuple[int, ...], Belief, int
]  # plays of the others up to the claimant's turn, and the tricks needed then
MOST_LEAVES: Final = 400
TRIES: Final = 400


class _TooLargeError(TowerlabError):
    """A tree with more leaves than anybody reads."""


def resisted_line(belief: Belief, need: int, limit: int) -> tuple[int, ...]:
    """Return cards in order of play: the claimant takes the claimed tricks, the others resist as long as they can.

    Args:
        belief: a position in which `need` tricks are proved.
        limit: nodes a question may visit.
    """
    if belief.is_two_handed:
        return principal_variation(belief)
    line: list[int] = []
    search = prover()
    while belief.tricks and need > 0:
        options = [(play, *belief.after(play)) for play in belief.plays(every=False)]
        if belief.is_claimants_turn:
            proved = [option for option in options if _is_proved(option[1], need - option[2], limit)]
            play, belief, won = proved[-1] if proved else options[-1]
        else:
            lasting = [o for o in options if search.takes(o[1], need - o[2] + 1, min(QUICK, limit)) != PROVED]
            play, belief, won = (lasting or options)[0]
        line.append(play)
        need -= won
    return tuple(line)


def helpful_line(belief: Belief, need: int, limit: int) -> Leaf | None:
    """Return a layout and a continuation to the end in which all players help the claimant to `need` tricks.

    Args:
        belief: a position in which `need` tricks are possible.
        need: tricks of the scoring seats.
        limit: nodes a question may visit.

    Returns:
        the layout and the line; None if the limit is too small to find them.
    """
    line: list[int] = []
    played = dict.fromkeys(belief.hidden, 0)
    while belief.tricks:
        play = _helpful_play(belief, need, limit)
        if play is None:
            return None
        line.append(play)
        if belief.turn in played:
            played[belief.turn] |= belief.card_of(play)
        belief, won = belief.after(play)
        need -= won
    return Leaf(tuple(played.values()), tuple(line))


def _helpful_play(belief: Belief, need: int, limit: int) -> int | None:
    """Return a play after which `need` tricks are still possible."""
    if belief.is_two_handed:
        values = play_values(belief, cooperative=True)
        return max(values, key=values.__getitem__)
    for play in belief.plays(every=False):
        left, won = belief.after(play)
        if prover().takes(left, need - won, limit, cooperative=True) == PROVED:
            return play
    return None


def _is_proved(belief: Belief, need: int, limit: int) -> bool:
    search = prover()
    return any(search.takes(belief, need, limit, unseen=unseen) == PROVED for unseen in (True, False))


def open_line(belief: Belief, layout: HiddenHands, limit: int) -> tuple[int, ...]:
    """Return a line of best play to the end with open cards."""
    solved = double_dummy_line(belief, layout)
    if solved is not None:
        return solved
    position = belief.with_layout(layout)
    search = prover()
    line: list[int] = []
    most = position.tricks
    while most > 0 and search.takes(position, most, limit) != PROVED:
        most -= 1
    while position.tricks:
        options = [(play, *position.after(play)) for play in position.plays(every=False)]
        if position.is_claimants_turn:
            best = [o for o in options if search.takes(o[1], most - o[2], limit) == PROVED]
        else:
            best = [o for o in options if search.takes(o[1], most - o[2] + 1, limit) == REFUTED]
        play, position, won = (best or options)[0]
        line.append(play)
        most -= won
    return tuple(line)


def refute(belief: Belief, need: int, limit: int, known: HiddenHands | None = None) -> Refutation:
    """Return why `need` tricks cannot be claimed, after a search has refuted them.

    Args:
        belief: the knowledge of the claimant.
        need: tricks of the scoring seats.
        limit: nodes a question may visit.
        known: a layout that is known to beat the claim.
    """
    leaf = _settle(belief, need, limit, known)
    if leaf is not None:
        return Refutation(LAYOUT, leaf.layout, leaf.line)
    try:
        tree = _branch(belief, need, limit, [sys.maxsize if belief.is_two_handed else MOST_LEAVES])
    except _TooLargeError:
        return Refutation(SEARCH)
    layout, line = _way_through(belief, tree)
    return Refutation(GUESS, layout, line, tree)


def _settle(belief: Belief, need: int, limit: int, known: HiddenHands | None = None) -> Leaf | None:
    """A layout that alone holds the claimant below `need`, or None; with one hidden hand exact, on the tablebase."""
    if belief.is_two_handed:
        worst, tricks = layout_with(belief, load_tablebase(), worst=True)
        if tricks >= need:
            return None
        line = principal_variation(belief.with_layout(worst))
        assert replay_tricks(belief, worst, line) == tricks
        return Leaf(worst, line)
    tries = COUNTED_LAYOUTS if belief.layouts <= COUNTED_LAYOUTS else TRIES
    layout = known if known is not None else beating_layout(belief, need, tries)
    if layout is None or judge_layout(belief, layout, need) != REFUTED:
        return None
    line = open_line(belief, layout, min(QUICK, limit))
    if replay_tricks(belief, layout, line) >= need:  # too far from the end to find best play within the limit
        line = ()
    return Leaf(layout, line)


def _branch(belief: Belief, need: int, limit: int, leaves: list[int]) -> Branch:
    """Return the tree below a point where no layout alone settles it and yet `need` is refuted."""
    others, belief, need = (_best_approach if belief.is_two_handed else _approach)(belief, need, limit)
    you: dict[int, Leaf | Branch] = {}
    for play in belief.plays():
        after, won = belief.after(play)
        leaf = _settle(after, need - won, limit)
        leaves[0] -= 1
        if leaves[0] < 0:
            raise _TooLargeError(f"a tree of more than {MOST_LEAVES} leaves; expected fewer")
        you[play] = leaf if leaf is not None else _branch(after, need - won, limit, leaves)
    return Branch(others, you)


def _approach(belief: Belief, need: int, limit: int) -> Approach:
    """Plays of the others, each of which keeps the claim refuted."""
    others: list[int] = []
    search = prover()
    while not belief.is_claimants_turn:
        options = [(play, *belief.after(play)) for play in belief.plays(every=False)]
        option = next((o for o in options if search.takes(o[1], need - o[2], limit) == REFUTED), None)
        if option is None:
            raise _TooLargeError("not found again within the limit; expected a refuted claim")
        play, belief, won = option
        others.append(play)
        need -= won
    return tuple(others), belief, need


def _best_approach(belief: Belief, need: int, limit: int) -> Approach:
    """With one hidden hand: of the opponent's best plays those that leave the fewest branches open."""
    done: list[tuple[int, Approach]] = []  # with the shortfall of each
    waiting: list[Approach] = [((), belief, need)]
    while waiting:
        plays, position, left = waiting.pop()
        if position.is_claimants_turn:
            done.append((guaranteed_tricks(position) - left, (plays, position, left)))
            continue
        for play in position.plays(every=False):
            after, won = position.after(play)
            if guaranteed_tricks(after) < left - won:
                waiting.append(((*plays, play), after, left - won))

    def still_open(approach: Approach) -> int:
        _, position, left = approach
        children = (position.after(play) for play in position.plays())
        return sum(_settle(after, left - won, limit) is None for after, won in children)

    least = min(shortfall for shortfall, _ in done)
    return min((approach for shortfall, approach in done if shortfall == least), key=still_open)


def _way_through(belief: Belief, tree: Branch) -> tuple[HiddenHands, tuple[int, ...]]:
    """Return a layout and its line through a refutation tree.

    At each branch the claimant makes the play that holds out longest; with one hidden hand, one that guarantees most.
    """
    line: list[int] = []
    played = dict.fromkeys(belief.hidden, 0)
    node: Leaf | Branch = tree
    while isinstance(node, Branch):
        for card in node.others:
            seat = belief.turn
            play = next(play for play in belief.plays() if play == card or belief.card_of(play) == card)
            belief, _ = belief.after(play)
            line.append(card)
            if seat in played:
                played[seat] |= card
        if belief.is_two_handed:
            values = play_values(belief)
            play = max(values, key=values.__getitem__)
        else:
            play = next((play for play, after in node.you.items() if isinstance(after, Branch)), next(iter(node.you)))
        line.append(belief.card_of(play))
        belief, _ = belief.after(play)
        node = node.you[play]
    layout = tuple(hand | played[seat] for seat, hand in zip(belief.hidden, node.layout, strict=True))
    return layout, (*line, *node.line)
