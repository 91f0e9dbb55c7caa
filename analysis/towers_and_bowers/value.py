"""`towerlab value`: the value of dealing, hands hidden, by hand size.

Up to the hand size that has been solved exactly the numbers are the game's; above it the bidding is that of hidden
hands and the play is with all cards seen: the double-dummy model. At odd n that model's value is the accepted
game's alone, since somebody always has the majority.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.progress import open_progress
from towerlab.analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND, bidding_at_hand, check_solved
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import ValueOfDeal, best_deal_value, hidden_value
from towerlab.analysis.towers_and_bowers.solutions.whole_hand import SIZES, measure_whole_hand
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import GAME, TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding import evaluate, exploitability, make_deals, payoffs, up_cards
from towerlab.solver.towers_and_bowers.bidding.strategies import blocks_of
from towerlab.solver.two_hands.tablebase import MOST_CARDS

_TOO_LONG: Final = "takes minutes: ask for it with --cards"


@dataclass(frozen=True)
class ValueAnswer(
    Answer,
    game=GAME,
    shown_by="towerlab.analysis.towers_and_bowers.present.value:value_report",
    table="values",
    keys="values unchecked?",
):
    """The answer of `towerlab value`."""

    values: tuple[ValueOfDeal, ...]
    unchecked: Mapping[int, str] = field(default_factory=dict)  # by hand size, why it was not checked though asked for
    cards: int | None = None  # the one that was asked for


def ask_value(
    cards: int | None = None, check: bool = False, quiet: bool = True, options: TowersAndBowersOptions | None = None
) -> ValueAnswer:
    """Return the value of dealing a hand of `cards`, or of every size that is at hand.

    Args:
        cards: 1..7, None for all.
        check: compute the best responses again; without `cards` of the sizes where that takes seconds.
        quiet: no progress on stderr.
        options: of the rules; only those that change no solution.

    Raises:
        TowerlabError: an impossible hand size, or one that is not at hand or cannot be checked; rules not solved.
    """
    check_solved(options)
    if cards is not None and not 1 <= cards <= MOST_CARDS:
        raise TowerlabError(f"{cards} is no hand size; expected 1 to {MOST_CARDS}")
    sizes = range(1, MOST_CARDS + 1)
    values = [value for value in map(hidden_value, sizes) if value] if cards is None else [best_deal_value(cards)]
    if not check:
        return ValueAnswer(tuple(values), cards=cards, options=options)
    unchecked = {} if cards is not None else {value.cards: _TOO_LONG for value in values if value.cards not in SIZES}
    checked = [value if value.cards in unchecked else _checked(value, quiet) for value in values]
    return ValueAnswer(tuple(checked), unchecked, cards, options=options)


def _checked(value: ValueOfDeal, quiet: bool) -> ValueOfDeal:
    """With its exploitability computed again."""
    whole = value.exploitability_of == WHOLE_HAND
    steps = len(up_cards()) * (1 if whole else len(blocks_of(make_deals(value.cards, up_cards()[0]))))
    with open_progress(f"best responses, {number_of(value.cards, 'card')}", steps, quiet) as advance:
        measure = measure_whole_hand if whole else measure_bidding
        return replace(value, checked=measure(value.cards, advance))


def measure_bidding(cards: int, done: Callable[[], None] | None = None) -> float:
    """Exploitability of the stored bidding in the double-dummy model, by best responses over every pair of hands.

    Args:
        cards: 1..7.
        done: called after every one of `blocks_of` an up-card's deals.

    Raises:
        TowerlabError: no bidding of that size is at hand.
    """
    gains = []
    for up in up_cards():
        stored = bidding_at_hand(cards, up % 13, model=True)
        deals = make_deals(cards, up)
        worth = evaluate(deals, stored.strategies, payoffs(cards, stored.next_deal or 0.0), done)
        gains.append(exploitability(deals, stored.strategies, worth).total)
    return float(np.mean(gains))
