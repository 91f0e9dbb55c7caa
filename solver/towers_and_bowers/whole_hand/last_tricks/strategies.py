"""Strategies of the last two decisions: regrets, averages, and the shares that follow from them."""

from __future__ import annotations

import numpy as np

from towerlab.games.jit import fast_kernel
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import MIRRORED, HandGame
from towerlab.solver.towers_and_bowers.whole_hand.last_tricks.pairs import (
    HALF,
    ONE,
    ROWS,
    STEPS,
    ZERO,
    CardPairs,
    LastTricks,
)
from towerlab.solver.towers_and_bowers.whole_hand.workspace import PlayArrays, Weights, discounts_since


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
