"""The first trick of a hand of three cards by αμ, fast: the best of all plans for what is left, by branch and bound.

With three cards a player chooses two moves: the card of the first trick and that of the second, the last
is forced. So αμ of two moves or more compares whole plans: the card played now, and for all that may be seen then the
next one. What a plan is worth in a layout is the least over what the other, who sees all, may do. The value of
`fronts.front_values`, which keeps every plan that is the best somewhere, is that of the plan with the best mean;
here it is looked for directly. A *node* is what the player sees before the second card.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from games.arrays import Floats, Ints
from games.bits import lowest_bit, lowest_index, popcount
from games.cards import TRUMP_FIELD
from games.jit import kernel
from games.tricks import field_of, leader_wins, legal_followers
from sim.towers_and_bowers.knowledge import Situation
from sim.towers_and_bowers.perfect_information import MOST_GAPS, distinct_plays, gaps_between, list_layouts
from sim.towers_and_bowers.searches.open_cards import EQUAL, TRICK
from solver.two_hands.tablebase import TableArrays, lead_tricks, reply_tricks

PLANNED: Final = 3  # the hand size at which there is something to plan
_BITS: Final = 64  # of a card in play order
_WAYS: Final = 6  # the other's first card, and the second: at most so many of a layout
_NONE: Final = -1


class Nodes(NamedTuple):
    """Room to compare plans in: layouts, the nodes and the entries, each a node in a layout where it can be reached.

    Attributes:
        layouts, weights: int64[layouts], the other's cards and how many hands they stand for.
        caps: float64[layouts], the most that is still possible.
        node_at: int64[4096], the node by the other's card of the first trick and the one the other leads to the second.
        keys: int64[nodes], the other way.
        first, options: int64[nodes], an entry of each and how many cards can be played.
        decided: int64[nodes], 1 where the choice is made.
        after: int64[entries], the next entry of the node.
        layout: int64[entries].
        values: float64[2, entries], by what is played.
        trail, trail_caps: what caps were before choices, to take them back.
        decisions: int64[nodes], the nodes decided, in turn.
        levels: int64[4, nodes], of each choice tried: node, option, where trail and decisions stood.
        bounds: float64[nodes], before each.
    """

    layouts: Ints
    weights: Ints
    caps: Floats
    node_at: Ints
    keys: Ints
    first: Ints
    options: Ints
    decided: Ints
    after: Ints
    layout: Ints
    values: Floats
    trail: Ints
    trail_caps: Floats
    decisions: Ints
    levels: Ints
    bounds: Floats


def make_nodes(hands: int) -> Nodes:
    """Room for so many hands of the other's."""
    most, entries = 512, _WAYS * hands

    def whole(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return Nodes(
        layouts=whole(hands),
        weights=whole(hands),
        caps=np.zeros(hands),
        node_at=np.full(_BITS * _BITS, _NONE),
        keys=whole(most),
        first=whole(most),
        options=whole(most),
        decided=whole(most),
        after=whole(entries),
        layout=whole(entries),
        values=np.zeros((2, entries)),
        trail=whole(most * hands),
        trail_caps=np.zeros(most * hands),
        decisions=whole(most),
        levels=whole(4, most),
        bounds=np.zeros(most),
    )


@kernel
def best_by_plan(situation: Situation, values: Floats, tables: TableArrays, nodes: Nodes) -> int:
    """The cards of the first trick whose best plans have the best mean; of touching cards the lowest.

    Args:
        situation: the player's turn in the first trick of three; all masks in play order.
        values: float64[4], P(winning the tower) by the player's tricks.
        tables, nodes: the tablebase, workspace.
    """
    plays = distinct_plays(situation)
    if popcount(plays) == 1:
        return plays
    gaps = np.empty(MOST_GAPS, dtype=np.int64)
    gap_count = gaps_between(situation.pool, situation.hand | situation.led | situation.sure, gaps)
    count = list_layouts(situation, gaps, gap_count, nodes.layouts, nodes.weights)
    slack = EQUAL  # of sums: one trick more in one layout counts
    best, best_worth = 0, -1.0
    while plays:
        play = lowest_bit(plays)
        plays ^= play
        worth = plan_value(situation, play, values, tables, gaps[:gap_count], count, best_worth - 2 * slack, nodes)
        if worth > best_worth + slack:
            best, best_worth = play, worth
        elif worth >= best_worth - slack:
            best |= play
    return best


@kernel
def plan_value(
    situation: Situation,
    play: int,
    values: Floats,
    tables: TableArrays,
    gaps: Ints,
    count: int,
    least: float,
    nodes: Nodes,
) -> float:
    """What the best plan that begins with a card wins, summed over the hands of the other's; `least` if it is less.

    Args:
        situation, play: what the player knows, and the card.
        values, tables: as of `best_by_plan`.
        gaps, count: of the other's cards, and how many layouts are listed.
    """
    made = _list_nodes(situation, play, values, tables, gaps, count, nodes)
    bound = 0.0
    nodes.caps[:count] = np.inf
    for node in range(made):
        entry = nodes.first[node]
        while entry != _NONE:
            layout, most = nodes.layout[entry], nodes.values[0, entry]
            if nodes.options[node] > 1:
                most = max(most, nodes.values[1, entry])
            nodes.caps[layout] = min(nodes.caps[layout], most)
            entry = nodes.after[entry]
    for layout in range(count):
        bound += nodes.weights[layout] * nodes.caps[layout]
    for node in range(made):
        nodes.node_at[nodes.keys[node]] = _NONE
        nodes.decided[node] = nodes.options[node] == 1
    return _branch_and_bound(made, bound, least, nodes)


@kernel
def _list_nodes(
    situation: Situation, play: int, values: Floats, tables: TableArrays, gaps: Ints, count: int, nodes: Nodes
) -> int:
    """Every node after a card, with what it is worth in each layout; returns how many."""
    made, entries, left = 0, 0, situation.hand ^ play
    for layout in range(count):
        held = nodes.layouts[layout]
        firsts = situation.led
        if not firsts:
            firsts = _distinct(legal_followers(held, field_of(play, TRUMP_FIELD)), gaps)
        while firsts:
            first = lowest_bit(firsts)
            firsts ^= first
            other = held & ~first
            if situation.led:
                leads = not leader_wins(first, play, TRUMP_FIELD)
            else:
                leads = leader_wins(play, first, TRUMP_FIELD)
            seconds = 0 if leads else _distinct(other, gaps)
            while leads or seconds:
                second = lowest_bit(seconds)
                seconds ^= second
                key = _BITS * lowest_index(first) + (0 if leads else 1 + lowest_index(second))
                cards = left if leads else legal_followers(left, field_of(second, TRUMP_FIELD))
                node = nodes.node_at[key]
                if node == _NONE:
                    node = made
                    made += 1
                    nodes.node_at[key], nodes.keys[node], nodes.first[node] = node, key, _NONE
                    nodes.options[node] = popcount(cards)
                nodes.layout[entries], nodes.after[entries] = layout, nodes.first[node]
                nodes.first[node] = entries
                option = 0
                while cards:
                    card = lowest_bit(cards)
                    cards ^= card
                    if leads:
                        tricks = situation.taken + 1 + lead_tricks(tables, left, other, card)
                    else:
                        tricks = situation.taken + popcount(left) - reply_tricks(tables, other, left, second, card)
                    nodes.values[option, entries] = values[tricks] + TRICK * tricks
                    option += 1
                entries += 1
                leads = False
    return made


@kernel
def _distinct(cards: int, gaps: Ints) -> int:
    """Of cards of the other's the lowest of each gap, and all that are in none."""
    lowest, others = 0, cards
    for gap in gaps:
        lowest |= lowest_bit(cards & gap)
        others &= ~gap
    return lowest | others


@kernel
def _branch_and_bound(made: int, bound: float, least: float, nodes: Nodes) -> float:
    """The best sum of caps once every node is decided, or `least` if that is more."""
    level, trail, settled, best = 0, 0, 0, least
    while True:
        # A choice that lowers no cap is the best there is. Of the others that which costs most is made first.
        branch, cost, option = _NONE, 0.0, 0
        if bound > best:
            for node in range(made):
                if nodes.decided[node]:
                    continue
                one, two = _loss(node, 0, nodes), _loss(node, 1, nodes)
                fewest = min(one, two)
                if fewest == 0.0:
                    nodes.decided[node] = 1
                    nodes.decisions[settled] = node
                    settled += 1
                elif fewest > cost:
                    branch, cost, option = node, fewest, int(two < one)
        if branch != _NONE and bound - cost > best:
            nodes.levels[0, level], nodes.levels[1, level] = branch, option
            nodes.levels[2, level], nodes.levels[3, level] = trail, settled
            nodes.bounds[level] = bound
            level += 1
        else:
            if branch == _NONE:
                best = max(best, bound)
            while level > 0 and nodes.levels[1, level - 1] >= 2:  # both have been tried
                level -= 1
            if level == 0:
                # All choices made on the way here are forgotten with the nodes.
                return best
            option = 1 - nodes.levels[1, level - 1]
            branch, bound = nodes.levels[0, level - 1], nodes.bounds[level - 1]
            while trail > nodes.levels[2, level - 1]:
                trail -= 1
                nodes.caps[nodes.trail[trail]] = nodes.trail_caps[trail]
            while settled > nodes.levels[3, level - 1]:
                settled -= 1
                nodes.decided[nodes.decisions[settled]] = 0
            nodes.levels[1, level - 1] = 2
        bound -= _loss(branch, option, nodes)
        nodes.decided[branch] = 1
        nodes.decisions[settled] = branch
        settled += 1
        entry = nodes.first[branch]
        while entry != _NONE:
            layout, value = nodes.layout[entry], nodes.values[option, entry]
            if value < nodes.caps[layout]:
                nodes.trail[trail], nodes.trail_caps[trail] = layout, nodes.caps[layout]
                nodes.caps[layout] = value
                trail += 1
            entry = nodes.after[entry]


@kernel
def _loss(node: int, option: int, nodes: Nodes) -> float:
    """What a choice takes from the caps."""
    lost, entry = 0.0, nodes.first[node]
    while entry != _NONE:
        layout = nodes.layout[entry]
        lost += nodes.weights[layout] * max(0.0, nodes.caps[layout] - nodes.values[option, entry])
        entry = nodes.after[entry]
    return lost
