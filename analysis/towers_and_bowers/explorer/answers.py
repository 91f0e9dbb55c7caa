"""The answers of `towerlab upcard` for every class of hands with one up-card, in one pass.

Up to four cards they are the solution's, above the learned policy's, from the functions that answer single questions.

A row a class. Questions are `QUESTIONS`; of each there are columns with its name in front:

- ``call``: what is recommended, a number of `FIRST_CALLS` or `SECOND_CALLS`;
- ``tower``: P(win the tower) of that call;
- ``margin``: P(win the tower) of accepting less that of passing, or the lead over the next best call
  (`UpcardAnswer.gap`);
- ``make``: P(making the contract) of accepting, or of ``suit``;
- ``suit`` (second round): the best suit to name, which is the call unless that is a pass;
- ``tower_C``, ``tower_D``, ``tower_H``, ``tower_pass`` (second round): P(win the tower) of each call;
- ``mix_accept``, ``mix_C`` … (up to four cards): how often the solution makes each call, 0 of all where it hardly ever
  comes;
- ``discard``, ``their_discard`` (the dealer's first): what to give for the up-card, having accepted oneself or when the
  other has; cards of the hand are counted from the lowest;
- ``open_call``, ``open_margin``: the same under ``--method pimc``, both seeing all cards right after the call.

Cards and suits are those of the class, whose up-card is a spade. Of calls and discards of the same value the one
that `ask_upcard` names depends on the suits' names as they were asked; here it is the one of the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from towerlab.analysis.towers_and_bowers.solutions.bidding import bidding_at_hand
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide
from towerlab.analysis.towers_and_bowers.upcard.answers import DIGITS, HARDLY_EVER, INDIFFERENT, SEATS
from towerlab.analysis.towers_and_bowers.upcard.self_play import learned_values
from towerlab.analysis.towers_and_bowers.upcard.values import (
    ACCEPTED,
    Values,
    discard_order,
    open_values,
    solved_values,
    views_of,
)
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import rank_of
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals, up_cards
from towerlab.solver.towers_and_bowers.open_bidding import open_bidding

FIRST_CALLS: Final = ("accept", "pass")
SECOND_CALLS: Final = ("C", "D", "H", "pass")
QUESTIONS: Final = ("nondealer_1", "nondealer_2", "dealer_1", "dealer_2")
Columns = dict[str, NDArray[Any]]


def count_classes(cards: int) -> int:
    """Classes of hands beside each up-card."""
    return len(make_deals(cards, up_cards()[0]).classes)


def answer_classes(cards: int, up: int, first: int, last: int) -> pd.DataFrame:
    """The answers of classes first..last−1 of `make_deals(cards, up)`.

    Args:
        cards: 1..7.
        up: a spade.

    Raises:
        TowerlabError: no solution of that size is at hand.
    """
    hands = make_deals(cards, up).classes[first:last]
    columns: Columns = {"up": np.full(len(hands), up), "hand": hands}
    for dealer in (False, True):
        columns |= _seat(cards, up, hands, dealer)
    return _typed(pd.DataFrame(columns))


def _seat(cards: int, up: int, hands: Ints, dealer: bool) -> Columns:
    """Both questions of a seat."""
    worth = deal_values()
    bidding = open_bidding(cards, worth, DEFAULT_RULES)
    views = views_of(hands, up, dealer, None, bidding, DEFAULT_RULES)
    seen = open_values(views, bidding, cards, worth, DEFAULT_RULES)
    mixes: list[_Mix | None] = [None, None]
    if cards > LARGEST_STORED:
        values = learned_values(hands, up, dealer)
    else:
        stored = bidding_at_hand(cards, rank_of(up))
        side = StoredSide(stored, up, hands, floor=0.0, advised=True)
        values = solved_values(stored, side.rows, dealer)
        accepts, second = side.calls(dealer)
        first_met = values.likelihood[0]
        second_met = values.likelihood[1] * (1 - accepts)
        mixes = [_Mix(np.stack([accepts, 1 - accepts], axis=1), first_met), _Mix(second, second_met)]
    made = [_first(values, hands, up, mixes[0]), _second(values, mixes[1])]
    opened = [_first(seen, hands, up), _second(seen)]
    if dealer:
        made[0]["their_discard"] = _discards(values, False, hands, up)
    else:
        del made[0]["discard"]
    columns: Columns = {}
    for number, (answers, opened_too) in enumerate(zip(made, opened, strict=True)):
        name = f"{SEATS[not dealer]}_{number + 1}"
        columns |= {f"{name}_{key}": of for key, of in answers.items()}
        columns |= {f"{name}_open_{key}": opened_too[key] for key in ("call", "margin")}
    return columns


def _discards(values: Values, asker_bids: bool, hands: Ints, up: int) -> Ints:
    """int64[hands]: the place of the card that a dealing asker discards."""
    if values.discards is not None:
        return np.asarray(values.discards[asker_bids])
    return discard_order(values.contracts[asker_bids], hands, up)[:, 0]


def _first(values: Values, hands: Ints, up: int, mix: _Mix | None = None) -> Columns:
    """The first round's columns."""
    given = _discards(values, True, hands, up)
    accept = values.contracts[True].at(ACCEPTED + (given if values.discards is None else 0 * given))
    towers, tricks = _with_pass(accept.tower, accept.tricks, values.passing[0])
    call = _recommended(towers, tricks, mix)
    return {
        "call": call,
        "tower": towers[np.arange(len(towers)), call],
        "margin": _rounded(towers[:, 0] - towers[:, 1]),
        "make": accept.make,
        "discard": given,
        **({} if mix is None else mix.columns(FIRST_CALLS, towers)),
    }


def _second(values: Values, mix: _Mix | None = None) -> Columns:
    """The second round's columns; the suits are C D H."""
    named = values.contracts[True]
    towers = named.tower[:, :ACCEPTED]
    tricks = named.tricks[:, :ACCEPTED]
    best_suit = _recommended(towers, tricks)
    if values.passing[1] is not None:
        towers, tricks = _with_pass(towers, tricks, values.passing[1])
    call = _recommended(towers, tricks, mix)
    suit = np.where(call < ACCEPTED, call, best_suit)
    rows = np.arange(len(towers))
    others = towers.copy()
    others[rows, call] = -np.inf
    return {
        "call": call,
        "tower": towers[rows, call],
        "margin": _rounded(towers[rows, call] - others.max(1)),
        "make": named.at(suit).make,
        "suit": suit,
        **{f"tower_{name}": towers[:, place] for place, name in enumerate(SECOND_CALLS[: towers.shape[1]])},
        **({} if mix is None else mix.columns(SECOND_CALLS, towers)),
    }


@dataclass(frozen=True)
class _Mix:
    """The equilibrium's calls, as `Mix`, of many hands.

    Attributes:
        shares: float64[hands, calls], how often it makes each call.
        met: float64[hands], how often it comes to this decision.
    """

    shares: Floats
    met: Floats

    def usual(self, towers: Floats) -> tuple[Ints, Bools]:
        """The call made most often with each hand, and whether the mix holds, given what the calls win."""
        most: Ints = self.shares.argmax(1)
        costs = _rounded(towers.max(1) - towers[np.arange(len(towers)), most])
        return most, (self.met >= HARDLY_EVER) & (costs <= INDIFFERENT)

    def columns(self, calls: Sequence[str], towers: Floats) -> Columns:
        """The columns ``mix_…``."""
        shares = np.where(self.usual(towers)[1][:, None], self.shares, 0.0)
        return {f"mix_{name}": share for name, share in zip(calls, shares.T, strict=False)}


def _with_pass(towers: Floats, tricks: Floats, passing: Floats) -> tuple[Floats, Floats]:
    """float64[rows, calls] twice, P(win the tower) and the asker's mean tricks of bids and, last, of a pass: -1."""
    return np.column_stack([towers, passing]), np.column_stack([tricks, np.full(len(passing), -1.0)])


def _recommended(towers: Floats, tricks: Floats, mix: _Mix | None = None) -> Ints:
    """The recommended call of each row: the usual one where the mix holds (see `Mix`), else the best.

    Args:
        towers, tricks: as of `_with_pass`; of calls equal in both the last one is best, of suits H before D and C.
        mix: the equilibrium's.
    """
    best: Ints = np.lexsort((tricks, towers), axis=1)[:, -1]
    if mix is None:
        return best
    usual, holds = mix.usual(towers)
    return np.where(holds, usual, best)


def _rounded(values: Floats) -> Floats:
    return np.round(values, DIGITS)


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    """Calls, suits and cards as small numbers."""
    small = [name for name in map(str, table) if name.rpartition("_")[2] in ("call", "suit", "discard")]
    return table.astype({"hand": np.int64, "up": np.int8} | dict.fromkeys(small, np.int8))
