"""Why a claim with two hidden hands holds or fails: a line against the best resistance, one layout, or a tree.

A claim fails against a single layout, which even seeing it would not help; or the claimant has to *guess*: whatever
he plays, some layout is left in which it was wrong. Then a tree shows it, whose leaves are single layouts::

    Branch(others=(cards that the others play first, often none), you={play: Leaf or Branch for every legal play})
    Leaf(layout=the hidden hands at this point, line=cards of best play from here on)

Every line of a leaf has been played through under the rules and leaves the claimant below the claim. Masks are in play
order; the key of a joker that names a suit is one of the bits of `belief.NAMINGS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from games.errors import TowerlabError
from solver.claims.belief import Belief
from solver.claims.judging import COUNTED_LAYOUTS, QUICK, beating_layout, double_dummy_line, is_beaten
from solver.claims.layouts import Layout
from solver.claims.search import PROVED, REFUTED, prover

LAYOUT: Final = "layout"
GUESS: Final = "guess"
SEARCH: Final = "search"  # refuted by the search; the tree would be too large to show

MOST_LEAVES: Final = 400
TRIES: Final = 400


class _TooLargeError(TowerlabError):
    """A tree with more leaves than anybody reads."""


@dataclass(frozen=True)
class Leaf:
    """A point from which one layout holds the claimant below his claim."""

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


def resisted_line(belief: Belief, need: int, limit: int) -> tuple[int, ...]:
    """Cards in order of play: the claimant takes what he claimed, the others resist as well as is found out.

    Args:
        belief: a position in which `need` tricks are proved.
        limit: nodes a question may visit.
    """
    line: list[int] = []
    search = prover()
    while belief.tricks and need > 0:
        options = [(play, *belief.after(play)) for play in belief.plays(every=False)]
        if belief.is_claimants_turn:
            kept = [option for option in options if _is_proved(option[1], need - option[2], limit)]
            play, belief, won = kept[-1] if kept else options[-1]
        else:
            lasting = [o for o in options if search.takes(o[1], need - o[2] + 1, min(QUICK, limit)) != PROVED]
            play, belief, won = (lasting or options)[0]
        line.append(_card(line, belief, play))
        need -= won
    return tuple(line)


def given_line(belief: Belief, need: int, limit: int) -> Leaf | None:
    """A layout and a continuation to the end in which `need` tricks are counted, everybody playing for them.

    Args:
        belief: a position in which so many tricks are possible.
        need: tricks of the scoring seats.
        limit: nodes a question may visit; None if it is too small to find the way.
    """
    line: list[int] = []
    played = dict.fromkeys(belief.hidden, 0)
    while belief.tricks:
        options = [(play, *belief.after(play)) for play in belief.plays(every=False)]
        kept = (o for o in options if prover().takes(o[1], need - o[2], limit, cooperative=True) == PROVED)
        option = next(kept, None)
        if option is None:
            return None
        card = belief.card_of(option[0])
        line.append(card)
        if belief.turn in played:
            played[belief.turn] |= card
        belief, need = option[1], need - option[2]
    return Leaf(tuple(played.values()), tuple(line))


def _card(line: list[int], after: Belief, play: int) -> int:
    """The card of a play that led to `after`."""
    return play if play < 1 << 56 else after.trick[0] if after.trick else play


def _is_proved(belief: Belief, need: int, limit: int) -> bool:
    search = prover()
    return any(search.takes(belief, need, limit, unseen=unseen) == PROVED for unseen in (True, False))


def open_line(belief: Belief, layout: Layout, limit: int) -> tuple[int, ...]:
    """One line of best play to the end when all see the layout."""
    solved = double_dummy_line(belief, layout)
    if solved is not None:
        return solved
    position, search = belief.with_layout(layout), prover()
    line: list[int] = []
    most = position.tricks
    while most > 0 and search.takes(position, most, limit) != PROVED:
        most -= 1
    while position.tricks:
        options = [(play, *position.after(play)) for play in position.plays(every=False)]
        if position.is_claimants_turn:
            kept = [o for o in options if search.takes(o[1], most - o[2], limit) == PROVED]
        else:
            kept = [o for o in options if search.takes(o[1], most - o[2] + 1, limit) == REFUTED]
        play, position, won = (kept or options)[0]
        line.append(_card(line, position, play))
        most -= won
    return tuple(line)


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


def refute(belief: Belief, need: int, limit: int, known: Layout | None = None) -> Refutation:
    """Why `need` tricks cannot be claimed, which a search has found out.

    Args:
        belief: what the claimant knows.
        need: tricks of the scoring seats.
        limit: nodes a question may visit.
        known: a layout that is known to beat the claim.
    """
    leaf = _settle(belief, need, limit, known)
    if leaf is not None:
        return Refutation(LAYOUT, leaf.layout, leaf.line)
    try:
        tree = _branch(belief, need, limit, [MOST_LEAVES])
    except _TooLargeError:
        return Refutation(SEARCH)
    layout, line = _way_through(belief, tree)
    return Refutation(GUESS, layout, line, tree)


def _settle(belief: Belief, need: int, limit: int, known: Layout | None = None) -> Leaf | None:
    """A layout that alone holds the claimant below `need`, or None."""
    tries = COUNTED_LAYOUTS if belief.layouts <= COUNTED_LAYOUTS else TRIES
    layout = known if known is not None else beating_layout(belief, need, tries)
    if layout is None or not is_beaten(belief, layout, need):
        return None
    line = open_line(belief, layout, min(QUICK, limit))
    if replay_tricks(belief, layout, line) >= need:  # too far from the end to find best play within the limit
        line = ()
    return Leaf(layout, line)


def _branch(belief: Belief, need: int, limit: int, leaves: list[int]) -> Branch:
    """The tree below a point where no layout alone settles it and yet `need` is refuted."""
    others: list[int] = []
    search = prover()
    while not belief.is_claimants_turn:
        options = [(play, *belief.after(play)) for play in belief.plays(every=False)]
        option = next((o for o in options if search.takes(o[1], need - o[2], limit) == REFUTED), None)
        if option is None:
            raise _TooLargeError("not found again within the limit; expected a refuted claim")
        play, belief, won = option
        others.append(_card(others, belief, play))
        need -= won
    you: dict[int, Leaf | Branch] = {}
    for play in belief.plays():
        after, won = belief.after(play)
        leaf = _settle(after, need - won, limit)
        leaves[0] -= 1
        if leaves[0] < 0:
            raise _TooLargeError(f"a tree of more than {MOST_LEAVES} leaves; expected fewer")
        you[play] = leaf if leaf is not None else _branch(after, need - won, limit, leaves)
    return Branch(tuple(others), you)


def _way_through(belief: Belief, tree: Branch) -> tuple[Layout, tuple[int, ...]]:
    """A layout and a line of the tree: the claimant plays what keeps it going longest."""
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
        play, follows = next((pair for pair in node.you.items() if isinstance(pair[1], Branch)), (0, None))
        if follows is None:
            play, follows = next(iter(node.you.items()))
        line.append(belief.card_of(play))
        belief, _ = belief.after(play)
        node = follows
    layout = tuple(hand | played[seat] for seat, hand in zip(belief.hidden, node.layout, strict=True))
    return layout, (*line, *node.line)
