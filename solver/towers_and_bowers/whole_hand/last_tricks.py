"""One pass over the last trick, or the last two tricks, of a contract, for all hands at once.

Nearly all the time of a pass is spent here. The leader and the follower each choose once more; then one card each is
left. The strategies of these two decisions are regrets, averages, and the shares that follow from them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from towerlab.games.jit import fast_kernel
from towerlab.solver.towers_and_bowers.whole_hand.last_pairs import (
    COUNT,
    GONE,
    GONE_ROW,
    HALF,
    LEAD,
    NUMBER,
    ONE,
    ROWS,
    STEPS,
    ZERO,
    CardPairs,
    LastTricks,
    keep_card_values,
    list_follows,
    list_leads,
    list_unseen,
    mirror_leads,
    reach_follows,
    reach_last_cards,
    read_payoffs,
    read_reach,
    return_values,
    value_follows,
    value_last_cards,
    value_leads,
)
from towerlab.solver.towers_and_bowers.whole_hand.tables import (
    CARDS,
    DEALER,
    DEPTH_STARTS,
    FIRST_DIAMOND,
    FIRST_HEART,
    FIRST_SPADE,
    MIRRORED,
    NONDEALER,
    OTHERS,
    TRUMPS,
    UP_CARD,
    HandGame,
    is_own_image,
)
from towerlab.solver.towers_and_bowers.whole_hand.workspace import (
    PlayArrays,
    WalkBuffers,
    Weights,
    discards_of,
    discounts_since,
    trick_winner,
)


@fast_kernel
def read_shares(
    game: HandGame, play: PlayArrays, start: int, size: int, at: int, is_average: bool, p: CardPairs
) -> None:
    """How often the lower card is played: by matching regrets, or on average where there is one.

    Args:
        start, size: the entries of the lower cards; those of the higher ones follow.
        at: where they begin in `p`.
    """
    regrets = play.regrets
    averages = play.averages
    shares = play.shares
    for entry in range(size):
        low = max(regrets[start + entry], ZERO)
        total = low + max(regrets[start + size + entry], ZERO)
        p.share[at + entry] = low / total if total > ZERO else HALF
    if is_average and start + 2 * size <= len(averages):
        for entry in range(size):
            total = averages[start + entry] + averages[start + size + entry]
            if total > ZERO:
                p.share[at + entry] = averages[start + entry] / total
    elif is_average:
        start = (start - game.last_start) // 2
        for entry in range(size):
            if shares[start + entry] > 0:
                p.share[at + entry] = (np.float32(shares[start + entry]) - ONE) / STEPS


@fast_kernel
def add_to_averages(
    game: HandGame, play: PlayArrays, start: int, size: int, at: int, weights: Weights, p: CardPairs
) -> None:
    """Add this iteration to the averages."""
    averages = play.averages
    shares = play.shares
    weight = averages.dtype.type(weights.average)
    if start + 2 * size <= len(averages):
        for entry in range(size):
            reach = weight * p.reach[at + entry]
            low = reach * p.share[at + entry]
            averages[start + entry] += low
            averages[start + size + entry] += reach - low
        return
    start = (start - game.last_start) // 2
    for entry in range(size):
        reach = weight * p.reach[at + entry]
        if reach > ZERO:
            share = p.share[at + entry]
            before = shares[start + entry]
            if before > 0 and p.comes[at + entry] > reach:
                mean = (np.float32(before) - ONE) / STEPS
                share = mean + (share - mean) * (reach / p.comes[at + entry])
            shares[start + entry] = np.uint16(share * STEPS + (ONE + HALF))


@fast_kernel
def update_regrets(
    contract: int, node: int, start: int, size: int, at: int, weights: Weights, play: PlayArrays, p: CardPairs
) -> None:
    """Add the values of the choices to `value`, and the gain of each card over the choice to its regret."""
    if weights.responds:
        for entry in range(at, at + size):
            p.value[entry] += max(p.of_card[0, entry], p.of_card[1, entry])
        for entry in range(size if weights.keeps_values else 0):
            play.regrets[start + entry] = p.of_card[0, at + entry]
            play.regrets[start + size + entry] = p.of_card[1, at + entry]
        return
    before, after = discounts_since(weights, play.visited[contract, node])
    now = weights.iteration
    number = play.regrets.dtype.type
    fade_positive = number(weights.positive[now])
    fade_negative = number(weights.negative[now])
    positive = number(before)
    negative = number(after)
    regrets = play.regrets
    for entry in range(size):
        share = p.share[at + entry]
        low = p.of_card[0, at + entry]
        high = p.of_card[1, at + entry]
        value = share * low + (ONE - share) * high
        p.value[at + entry] += value
        regret = regrets[start + entry]
        regret = regret * (positive if regret > ZERO else negative) + (low - value)
        regrets[start + entry] = regret * (fade_positive if regret > ZERO else fade_negative)
        regret = regrets[start + size + entry]
        regret = regret * (positive if regret > ZERO else negative) + (high - value)
        regrets[start + size + entry] = regret * (fade_positive if regret > ZERO else fade_negative)


@fast_kernel
def mirror_shares(game: HandGame, pairs: int, p: CardPairs, t: LastTricks) -> None:
    """Mirrored hands play alike to the last bit."""
    rows = p.size[ROWS]
    for pair in range(pairs):
        k, h = p.low[pair], p.high[pair]
        a, b = p.place[MIRRORED[p.cards[k]]], p.place[MIRRORED[p.cards[h]]]
        swapped = a > b
        image = p.number[a, b]
        if image < pair:
            continue
        for r in range(rows):
            other = t.row_of[MIRRORED[t.unseen[r]]] if rows > 1 else 0
            share = p.share[pair * rows + r]
            if image == pair and other <= r:
                if other == r and swapped:
                    p.share[pair * rows + r] = HALF
                continue
            p.share[image * rows + other] = ONE - share if swapped else share


class LastLead(NamedTuple):
    """Where the last two tricks begin.

    Attributes:
        contract: 0..7.
        depth: 2n - 4, of the last lead with a choice.
        leader: 0 the non-dealer, 1 the dealer.
        updated: the player whose values, regrets and averages are updated.
        has_twins: whether the cards played are their own mirror image, so that hearts follow from diamonds.
    """

    contract: int
    depth: int
    leader: int
    updated: int
    has_twins: bool


@fast_kernel
def last_trick(game: HandGame, contract: int, updated: int, work: WalkBuffers) -> None:
    """Values of the only trick of a hand of one card."""
    dealers = UP_CARD if work.holds_up_card[0] else 0
    discards = discards_of(contract, DEALER)
    for nondealers in range(OTHERS):
        reach = work.reach[NONDEALER, 0, nondealers]
        for state in range(OTHERS):  # the dealer's discard, or the own card where none is put away
            card = dealers if discards > 1 else state
            payoff = game.last_payoffs[contract, NONDEALER, 0, NONDEALER, nondealers, card]
            if state == nondealers:
                continue
            if updated == NONDEALER:
                work.values[0, nondealers] += payoff * work.reach[DEALER, 0, state]
            else:
                work.values[0, state] -= payoff * reach


@fast_kernel
def last_two_tricks(
    game: HandGame,
    contract: int,
    updated: int,
    depth: int,
    weights: Weights,
    play: PlayArrays,
    work: WalkBuffers,
    t: LastTricks,
) -> None:
    """Both last decisions: the values of the updated player's hands, its regrets and averages (`update.play_pass`).

    Args:
        depth: 2n - 4, of the last lead with a choice.
    """
    leader = work.leader[depth]
    twins = game.uses_mirror and is_own_image(contract, work.seen[depth])
    here = LastLead(contract, depth, leader, updated, twins)
    for state in range(game.sets[work.hidden[updated, depth]] * discards_of(contract, updated)):
        work.values[depth, state] = 0.0
    node = DEPTH_STARTS[depth] + work.history[depth]
    start = game.node_starts[contract, node]
    list_unseen(work.seen[depth], t)
    list_leads(contract, depth, leader, work, t)
    read_reach(game, contract, depth, leader, work, t.leader, t)
    size = t.leader.size[NUMBER] * t.leader.size[ROWS]
    read_shares(game, play, start, size, 0, weights.responds and leader != updated, t.leader)
    if twins:
        mirror_shares(game, t.leader.size[NUMBER], t.leader, t)
    if leader == updated:
        for entry in range(size):
            t.leader.of_card[0, entry] = t.leader.of_card[1, entry] = ZERO
    for field in range(1, TRUMPS + 1):
        for c in range(t.leader.size[COUNT]):
            if game.fields[contract, t.leader.cards[c]] == field:
                _lead_suit(game, here, field, weights, play, work, t)
                break
    if updated == leader:
        _update_leader(game, here, start, size, weights, play, work, t)


@fast_kernel
def _lead_suit(
    game: HandGame, here: LastLead, field: int, weights: Weights, play: PlayArrays, work: WalkBuffers, t: LastTricks
) -> None:
    """Try all leads of a suit."""
    contract = here.contract
    depth = here.depth
    follower = 1 - here.leader
    free_pairs, choosing_pairs = list_follows(game, contract, field, depth, follower, work, t)
    rows = t.follower.size[ROWS]
    free = free_pairs * rows
    choosing = choosing_pairs * rows
    every = t.follower.size[NUMBER] * rows
    read_reach(game, contract, depth, follower, work, t.follower, t)
    read_payoffs(game, contract, here.updated, depth, here.leader, work, t)
    for entry in range(every):
        t.follower.value[entry] = ZERO
    for entry in range(choosing, every):
        t.follower.share[entry] = ONE
    for c in range(t.leader.size[COUNT]):
        card = t.leader.cards[c]
        if game.fields[contract, card] == field and not (here.has_twins and FIRST_HEART <= card < FIRST_SPADE):
            t.led[LEAD], t.led[GONE] = c, t.follower.place[card]
            t.led[GONE_ROW] = t.row_of[card] if rows > 1 else -1
            _lead_card(game, here, card, free, choosing, every, weights, play, work, t)
    if here.updated == follower:
        of_diamonds = here.has_twins and field == game.fields[contract, FIRST_DIAMOND]
        return_values(game, contract, depth, follower, of_diamonds, work, t.follower, t)


@fast_kernel
def _lead_card(
    game: HandGame,
    here: LastLead,
    card: int,
    free: int,
    choosing: int,
    every: int,
    weights: Weights,
    play: PlayArrays,
    work: WalkBuffers,
    t: LastTricks,
) -> None:
    """Try one lead.

    Args:
        free, choosing, every: how many of the follower's entries have a choice without the suit led, have a choice,
            and are there.
    """
    contract = here.contract
    depth = here.depth
    follower = 1 - here.leader
    learns = here.updated == follower
    averages = weights.average > 0.0 and work.reachable[follower, depth]
    leader_comes = reach_last_cards(t)
    if not (leader_comes or averages if learns else work.reachable[follower, depth]):
        return
    child = DEPTH_STARTS[depth + 1] + work.history[depth] * CARDS + card
    first = game.node_starts[contract, child]
    second = first + 2 * free
    responds = weights.responds and not learns
    read_shares(game, play, first, free, 0, responds, t.follower)
    read_shares(game, play, second, choosing - free, free, responds, t.follower)
    for j in range(t.follower.size[COUNT]):
        wins = trick_winner(game, contract, here.leader, card, t.follower.cards[j])
        t.wins[j] = 0 if wins == here.leader else 1
    if here.has_twins and not FIRST_DIAMOND <= card < FIRST_SPADE:
        mirror_shares(game, choosing // t.follower.size[ROWS], t.follower, t)
    if not learns:
        reach_follows(t)
        value_last_cards(t)
        value_leads(t)
        return
    if averages:
        add_to_averages(game, play, first, free, 0, weights, t.follower)
        add_to_averages(game, play, second, choosing - free, free, weights, t.follower)
    if leader_comes:
        value_follows(t)
        update_regrets(contract, child, first, free, 0, weights, play, t.follower)
        update_regrets(contract, child, second, choosing - free, free, weights, play, t.follower)
        for entry in range(choosing, every):
            t.follower.value[entry] += t.follower.of_card[0, entry]
        if not weights.responds:
            play.visited[contract, child] = weights.iteration


@fast_kernel
def _update_leader(
    game: HandGame,
    here: LastLead,
    start: int,
    size: int,
    weights: Weights,
    play: PlayArrays,
    work: WalkBuffers,
    t: LastTricks,
) -> None:
    """Update the leader's averages and regrets, and return the values of its hands.

    Args:
        start, size: the entries of the lower cards; those of the higher ones follow.
    """
    contract = here.contract
    depth = here.depth
    leader = here.leader
    node = DEPTH_STARTS[depth] + work.history[depth]
    if here.has_twins:
        mirror_leads(game, t)
    if weights.average > 0.0 and work.reachable[leader, depth]:
        add_to_averages(game, play, start, size, 0, weights, t.leader)
    if not work.reachable[1 - leader, depth]:
        return
    for entry in range(size):
        t.leader.value[entry] = ZERO
    update_regrets(contract, node, start, size, 0, weights, play, t.leader)
    if not weights.responds:
        play.visited[contract, node] = weights.iteration
    return_values(game, contract, depth, leader, False, work, t.leader, t)
    if depth == game.line_cards:
        keep_card_values(game, contract, depth, leader, work, t)
