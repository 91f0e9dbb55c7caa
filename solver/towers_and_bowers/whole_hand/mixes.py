"""Mixes that can be followed: of every decision only calls are left that lose next to nothing.

What a solution has learnt holds traces of what it tried. A call that loses more than `MOST_OF_ONE` to the best one
where it is asked is dropped, and so is one made less often than `RARE`; the others are scaled to one. A mix that still
loses more than `MOST_LOSS` gives way to the best call until it does not; but not of the calls that decide whether it
comes to more calls (accepting or not, of either seat): there even a little changes who comes to a place that is hardly
ever met. All that changes what other calls win, so it is done again in `ROUNDS`. Second calls and what the dealer
leaves answer each other: settling both over and over goes round in circles, dropping alone, in turn, comes to rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats
from towerlab.solver.towers_and_bowers.bidding.packed import RARE, pack, unpack
from towerlab.solver.towers_and_bowers.bidding.strategies import BiddingStrategies, symmetric
from towerlab.solver.towers_and_bowers.whole_hand.by_class import as_strategy, by_class, numbers_of
from towerlab.solver.towers_and_bowers.whole_hand.call_values import values_of_calls
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import DEALER, NONDEALER, HandGame
from towerlab.solver.towers_and_bowers.whole_hand.strategies import Strategy

MOST_LOSS: Final = 7.5e-4  # P(win the tower) that a mix may lose to the best call; room for what the rest changes
MOST_OF_ONE: Final = 1e-2  # and each of its calls


class Round(NamedTuple):
    """Which decisions change before all is measured anew: those that only drop calls, and those settled."""

    dropping: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()


_ANSWERING: Final = ("discards", "own_discards", "left")
ROUNDS: Final = (
    Round(dropping=("accepts", "answers"), settled=("names", *_ANSWERING)),
    Round(settled=("names", *_ANSWERING)),
    Round(settled=_ANSWERING),
    *(Round(dropping=(name,)) for name in ("names", "left", "names")),
)


class Settled(NamedTuple):
    """Bidding by class that can be followed.

    Attributes:
        strategies: as `packed.pack` stores them.
        bidding: float64[6, sets, 4], the same of every hand, each call made at least with the floor.
        values: float64[classes, 2 n + 11], `values_of_calls` against it.
        plays: float64[sets, 8, n] of both seats, `PlayPasses.best_plays` against it.
    """

    strategies: BiddingStrategies
    bidding: Floats
    values: Floats
    plays: Sequence[Floats]


def settle(
    game: HandGame, rank: int, bidding: Floats, floor: float, best_plays: Callable[[Floats, int], Floats]
) -> Settled:
    """Purify a bidding until what is left loses next to nothing against itself.

    Args:
        game, rank: which game.
        bidding: float64[6, sets, 4], as it was learnt.
        floor: least probability of every call.
        best_plays: `PlayPasses.best_plays`.
    """
    deals, strategies = by_class(game, rank, Strategy(bidding, np.zeros(0)))
    numbers = numbers_of(game, rank)
    hands = np.array([numbers[int(hand)] for hand in deals.classes])
    for each in ROUNDS:
        plays = [best_plays(bidding, seat) for seat in (NONDEALER, DEALER)]
        values = values_of_calls(game, bidding, hands, *(of[hands] for of in plays))
        strategies = unpack(pack(symmetric(deals, purified(strategies, values, each))), game.cards)
        bidding = as_strategy(game, rank, deals, strategies, np.zeros(0), floor).bidding
    plays = [best_plays(bidding, seat) for seat in (NONDEALER, DEALER)]
    return Settled(strategies, bidding, values_of_calls(game, bidding, hands, *(of[hands] for of in plays)), plays)


def purified(strategies: BiddingStrategies, values: Floats, each: Round) -> BiddingStrategies:
    """Without what loses too much.

    Args:
        strategies: of some classes.
        values: float64[classes, 2 n + 11], `packed.value_columns`.
        each: which decisions change, and how.
    """
    mixes = {name: np.stack([part, 1 - part], axis=1) if part.ndim == 1 else part for name, part in strategies.arrays()}
    places = itertools.pairwise(np.cumsum([0, *(mix.shape[1] for mix in mixes.values())]).tolist())
    changed = {}
    for (name, mix), (first, last) in zip(mixes.items(), places, strict=True):
        if name not in each.dropping + each.settled:
            continue
        loss = values[:, first:last].max(1, keepdims=True) - values[:, first:last]
        kept = np.where((mix >= RARE) & (loss <= MOST_OF_ONE), mix, 0.0)
        kept = np.where(kept.any(1, keepdims=True), kept, loss == 0.0)
        kept = kept / kept.sum(1, keepdims=True)
        if name in each.settled:
            lost = (kept * loss).sum(1, keepdims=True)
            kept *= MOST_LOSS / np.maximum(lost, MOST_LOSS)  # the rest goes to the best call
            kept[np.arange(len(kept)), loss.argmin(1)] += 1 - kept.sum(1)
        changed[name] = kept[:, 0] if getattr(strategies, name).ndim == 1 else kept
    return replace(strategies, **changed)
