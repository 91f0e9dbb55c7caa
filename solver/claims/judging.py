"""Does a claim hold? Quick proofs, layouts that beat it, then the search, each within its limit of nodes.

Layouts that fit a claimant's knowledge are counted and drawn here, and the worst or best of them for the claimant.

    towerlab claim --hand "JH JD AH 9H AS" --trump H --lead me --tricks 5
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from towerlab.games.bits import deposit_bits, next_subset, popcount
from towerlab.games.cards import NO_TRUMP_FIELD, SUIT_BITS, mask_cards
from towerlab.games.jit import kernel
from towerlab.solver.claims.belief import NAMING_SHIFT, Belief
from towerlab.solver.claims.search import NOT_SETTLED, PROVED, REFUTED, guaranteed_tricks, possible_tricks, prover
from towerlab.solver.double_dummy import PLAIN_FIELDS, Position, shared_solver
from towerlab.solver.two_hands.tablebase import TablebaseArrays, lead_tricks, leader_tricks, load_tablebase

HiddenHands = tuple[int, ...]
OPPONENT: Final = 1  # of two seats


def all_layouts(belief: Belief) -> Iterator[HiddenHands]:
    """Return every layout: the cards of each hidden hand, in the order of `Belief.hidden`."""
    sure = [belief.own[seat] for seat in belief.hidden]
    for first in combinations(mask_cards(belief.pools[0]), belief.shares[0]):
        hand = sum(1 << card for card in first)
        if len(sure) == 1:
            yield (sure[0] | hand,)
            continue
        for second in combinations(mask_cards(belief.pools[1] & ~hand), belief.shares[1]):
            yield sure[0] | hand, sure[1] | sum(1 << card for card in second)


def draw_layout(belief: Belief, draw: random.Random) -> HiddenHands:
    """Return one of the layouts, each equally likely."""
    first, second, of_first, of_second = belief.two_pools
    both = first & second
    alone = first & ~second
    ways = belief.ways
    shared = draw.choices(range(len(ways)), ways)[0]
    taken = _draw_cards(both, shared, draw) | _draw_cards(alone, of_first - shared, draw)
    return _add_sure_cards(belief, taken, _draw_cards(second & ~taken, of_second, draw))


def draw_freak_layout(belief: Belief, draw: random.Random) -> HiddenHands:
    """Return an extreme layout: suit after suit goes to one hand as far as it has room."""
    first, second, of_first, of_second = belief.two_pools
    fields = [SUIT_BITS << 13 * lane for lane in range(3)] + [~((1 << 39) - 1) & ((1 << 56) - 1)]
    draw.shuffle(fields)
    taken = 0
    for field in fields:
        wanted = (of_first if draw.random() < 0.5 else 0) - taken.bit_count()
        cards = mask_cards(first & field)[::-1]
        if draw.random() < 0.3:
            draw.shuffle(cards)
        for card in cards[: max(0, min(wanted, draw.randint(0, len(cards))) if draw.random() < 0.4 else wanted)]:
            taken |= 1 << card
    taken = _repair_hand(taken, first, second, of_first, of_second, draw)
    rest = mask_cards(second & ~taken)
    if draw.random() < 0.5:
        draw.shuffle(rest)
    held = sum(1 << card for card in rest[len(rest) - of_second :])
    return _add_sure_cards(belief, taken, held)


def _repair_hand(taken: int, first: int, second: int, of_first: int, of_second: int, draw: random.Random) -> int:
    """Return the first hand's cards, changed to the right number so that the second hand can still be filled."""
    spare = second.bit_count() - of_second
    shared = mask_cards(taken & second)
    draw.shuffle(shared)
    for card in shared[: max(0, len(shared) - spare)]:
        taken &= ~(1 << card)
    alone = mask_cards(first & ~second & ~taken)
    draw.shuffle(alone)
    others = mask_cards(first & second & ~taken)
    draw.shuffle(others)
    room = max(0, spare - (taken & second).bit_count())
    for card in (alone + others[:room])[: max(0, of_first - taken.bit_count())]:
        taken |= 1 << card
    return taken


def _draw_cards(pool: int, count: int, draw: random.Random) -> int:
    return sum(1 << card for card in draw.sample(mask_cards(pool), count))


def _add_sure_cards(belief: Belief, *hands: int) -> HiddenHands:
    return tuple(belief.own[seat] | hand for seat, hand in zip(belief.hidden, hands, strict=False))


@kernel
def claimant_tricks(tablebase: TablebaseArrays, hand: int, theirs: int, led: int, turn: int) -> int:
    """Return the claimant's tricks when both see all cards, at a trick start or in the middle of a trick."""
    if turn == OPPONENT:
        if led:
            return lead_tricks(tablebase, hand | led, theirs, led)
        return popcount(hand) - leader_tricks(tablebase, theirs, hand)
    if led:
        return popcount(hand) - lead_tricks(tablebase, theirs | led, hand, led)
    return leader_tricks(tablebase, hand, theirs)


@kernel
def extreme_layout(
    tablebase: TablebaseArrays, hand: int, sure: int, pool: int, led: int, turn: int, worst: bool
) -> tuple[int, int]:
    """Return the opponent's hand that leaves the claimant the fewest tricks (or the most), and how many; exact.

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
        tricks = claimant_tricks(tablebase, hand, layout, led, turn)
        if best_tricks < 0 or (tricks < best_tricks if worst else tricks > best_tricks):
            best_layout = layout
            best_tricks = tricks
        if chosen == 0:
            break
        chosen = next_subset(chosen)
    return best_layout, best_tricks


def split_belief(belief: Belief) -> tuple[int, int, int, int, int]:
    """Return the parts of a two-handed belief: the claimant's hand, the other's sure cards, pool, card led, turn."""
    return *belief.own, belief.pools[0], belief.trick[0] if belief.trick else 0, belief.turn  # type: ignore[return-value]


def layout_with(belief: Belief, tablebase: TablebaseArrays, worst: bool) -> tuple[HiddenHands, int]:
    """The opponent's hand that leaves the claimant the fewest tricks (or the most), all cards seen, and how many."""
    if belief.tricks == 0:
        return (0,), 0
    layout, tricks = extreme_layout(tablebase, *split_belief(belief), worst)
    return (int(layout),), int(tricks)


NODES: Final = 1_000_000  # about a second
QUICK: Final = 20_000
LAYOUTS: Final = 60
LAYOUT_NODES: Final = 30_000
STAGES: Final = (
    (1_000, 20, (True, False)),
    (20_000, 150, (True, False)),
)  # nodes, layouts tried, ways of searching
COUNTED_LAYOUTS: Final = 3_000  # up to so many are all tried against a claim


@dataclass(frozen=True)
class ClaimVerdict:
    """The verdict on a claim.

    Attributes:
        outcome: `PROVED`, `REFUTED` or `NOT_SETTLED`.
        nodes: positions searched.
        layout: a layout that beats the claim by itself, if it was met on the way.
    """

    outcome: int
    nodes: int
    layout: HiddenHands | None = None


def judge(belief: Belief, need: int, limit: int = NODES) -> ClaimVerdict:
    """Return whether one strategy takes `need` of the tricks that are left, against every layout.

    Args:
        belief: the knowledge of the claimant.
        need: tricks of the scoring seats.
        limit: nodes that a search visits at most; about twice as many in all.

    Raises:
        CardError: no layout fits the belief.
    """
    if belief.is_two_handed:
        return ClaimVerdict(PROVED if guaranteed_tricks(belief) >= need else REFUTED, 0)
    belief.check()
    search = prover()
    nodes = 0
    for stage, tries, ways in (*STAGES, (limit, 0, (False, True))):
        for unseen in ways:
            outcome = search.takes(belief, need, min(stage, limit), unseen=unseen)
            nodes += search.nodes
            if outcome == PROVED or (outcome == REFUTED and not unseen):
                return ClaimVerdict(outcome, nodes)
        layout = beating_layout(belief, need, tries, stage // 10) if tries else None
        if layout is not None:
            return ClaimVerdict(REFUTED, nodes, layout)
        if limit <= stage:
            break
    return ClaimVerdict(NOT_SETTLED, nodes)


def guaranteed_between(belief: Belief, limit: int = NODES, low: int = 0, high: int | None = None) -> tuple[int, int]:
    """Return the most tricks that were proved, and the fewest that could not be excluded: equal if all was settled.

    Args:
        belief: the knowledge of the claimant.
        limit: nodes that a search visits at most.
        low, high: known bounds.
    """
    if belief.is_two_handed:
        sure = guaranteed_tricks(belief)
        return sure, sure
    high = belief.tricks if high is None else high
    while low < high:
        outcome = judge(belief, low + 1, limit).outcome
        if outcome == REFUTED:
            return low, low
        if outcome == NOT_SETTLED:
            break
        low += 1
    while high > low and judge(belief, high, min(limit, QUICK)).outcome == REFUTED:
        high -= 1
    return low, high


@dataclass(frozen=True)
class PossibleTricks:
    """The most tricks of a side in any continuation: found, not excluded; and whether best play gives it none.

    `best_play_takes_all`: the other side's best play, all cards seen, takes every trick against each layout, although
    the whole side resists it; None if that was not settled.
    """

    low: int
    high: int
    best_play_takes_all: bool | None


def most_possible(belief: Belief, limit: int = NODES) -> PossibleTricks:
    """Return the most tricks of any continuation with any layout, if all seats play for them."""
    if belief.is_two_handed:
        possible = possible_tricks(belief)
        return PossibleTricks(possible, possible, layout_with(belief, load_tablebase(), worst=False)[1] == 0)
    belief.check()
    low, high = 0, belief.tricks
    while low < high:
        outcome = prover().takes(belief, low + 1, limit, cooperative=True)
        if outcome == REFUTED:
            high = low
        elif outcome == NOT_SETTLED:
            break
        else:
            low += 1
    return PossibleTricks(low, high, True if high == 0 else _others_take_all(belief))


def _others_take_all(belief: Belief) -> bool | None:
    """Return whether the other side takes every trick against each layout, all cards seen; None if that is not settled.

    A defender's partner is on the defender's side here, unlike in a claim.
    """
    belief = replace(belief, claimant=belief.scoring)
    settled = belief.layouts <= COUNTED_LAYOUTS
    draw = random.Random(belief.known)
    for layout in all_layouts(belief) if settled else (draw_layout(belief, draw) for _ in range(LAYOUTS)):
        outcome = judge_layout(belief, layout, 1)
        if outcome == PROVED:
            return False
        settled &= outcome == REFUTED
    return True if settled else None


def beating_layout(belief: Belief, need: int, tries: int, limit: int = LAYOUT_NODES) -> HiddenHands | None:
    """Return a layout with fewer than `need` double-dummy tricks for the claimant; None if no layout tried has.

    Args:
        belief: the knowledge of the claimant.
        need: tricks of the scoring seats.
        tries: the number of layouts to look at; all layouts of a position that has no more.
        limit: the number of nodes to visit for each, as in `judge_layout`.
    """
    if not need >= 1:
        return None
    layouts: Iterator[HiddenHands]
    if belief.layouts <= max(tries, 1):
        layouts = all_layouts(belief)
    else:
        draw = random.Random(belief.known)
        kinds = (draw_freak_layout, draw_layout)
        layouts = (kinds[number % 2](belief, draw) for number in range(tries))
    return next((layout for layout in layouts if judge_layout(belief, layout, need, limit) == REFUTED), None)


def judge_layout(belief: Belief, layout: HiddenHands, need: int, limit: int = LAYOUT_NODES) -> int:
    """Whether a claimant who sees the layout takes `need` tricks: `PROVED`, `REFUTED` or, at the limit, `NOT_SETTLED`.

    Args:
        belief: the knowledge of the claimant.
        layout: the hidden hands.
        need: tricks of the scoring seats.
        limit: nodes to visit at most, where the double-dummy solver does not know the question (a defender's, whose
            counts as an opponent).
    """
    if need > belief.tricks:
        return REFUTED
    if _is_solvable(belief):
        position = _open_position(belief, layout)
        of_declarer = 0 in belief.scoring
        enough = need if of_declarer else belief.tricks - need + 1
        if shared_solver().at_least(position, enough) != of_declarer:
            return REFUTED  # for a defender too, whose partner would have helped
        if 0 in belief.claimant or belief.claimant == belief.scoring:
            return PROVED
    return prover().takes(belief.with_layout(layout), need, limit)


def _is_solvable(belief: Belief) -> bool:
    """Return whether the double-dummy solver knows the game."""
    return len(belief.own) > 2 and (belief.names or belief.trumps != NO_TRUMP_FIELD)


def double_dummy_line(belief: Belief, layout: HiddenHands) -> tuple[int, ...] | None:
    """Return the plays of best play with a layout that all see; None if the others do not all play together."""
    if not _is_solvable(belief) or 0 not in belief.claimant:
        return None
    line = shared_solver().line(_open_position(belief, layout))
    return tuple(1 << NAMING_SHIFT + PLAIN_FIELDS.index(named) if named else card for card, named in line)


def _open_position(belief: Belief, layout: HiddenHands) -> Position:
    hands = belief.with_layout(layout).own
    fewest = (0 in belief.claimant) != (0 in belief.scoring)  # a misère
    return Position(hands, belief.trumps, belief.leader, belief.trick, belief.named, fewest=fewest, names=belief.names)
