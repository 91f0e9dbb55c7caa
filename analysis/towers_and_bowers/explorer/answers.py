"""What `towerlab upcard` says of every class of hands beside one up-card, counted in one pass.

`ask_upcard` counts one hand's layouts; here `solver.towers_and_bowers.bidding.views` counts those of many, and what
follows is the same arithmetic on arrays. Sizes whose whole hand is solved have few classes: those are asked one by one.

A row a class. Questions are `QUESTIONS`; of each there are columns with its name in front:

- ``call``: what is recommended, a number of `FIRST_CALLS` or `SECOND_CALLS`;
- ``tower``: P(win the tower) of that call;
- ``margin``: P(win the tower) of accepting less that of passing, or the lead over the next best call
  (`UpcardAnswer.gap`);
- ``make``: P(making the contract) of accepting, or of ``suit``;
- ``suit`` (second round): the best suit to name, which is the call unless that is a pass;
- ``discard``, ``their_discard`` (the dealer's first): what to give for the up-card, having accepted oneself or when the
  other has; cards of the hand are counted from the lowest;
- ``open_call``, ``open_margin``: the same under ``--method pimc``, both seeing all cards right after the call.

Cards and suits are those of the class, whose up-card is a spade. Of calls and discards that are worth the same the one
that `ask_upcard` names depends on the suits' names as they were asked; here it is the one of the class.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.towers_and_bowers.solutions.bidding import StoredBidding, load_bidding
from analysis.towers_and_bowers.solutions.deal_value import deal_value
from analysis.towers_and_bowers.solutions.stored_side import StoredSide
from analysis.towers_and_bowers.upcard.answers import (
    DIGITS,
    HARDLY_EVER,
    INDIFFERENT,
    SEATS,
    ContractValue,
    UpcardAnswer,
    best_action,
)
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from analysis.towers_and_bowers.upcard.weighted import answer_discard
from games.arrays import Floats, Ints
from games.cards import SUITS, card_text, mask_cards, rank_of, suit_of
from games.errors import TowerlabError
from games.towers_and_bowers import tricks_to_deal_next
from solver.towers_and_bowers.bidding.deals import in_play_order, make_deals, up_cards
from solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from solver.towers_and_bowers.bidding.strategies import payoffs
from solver.towers_and_bowers.bidding.views import DealerViews, NondealerViews, dealer_views, nondealer_views
from solver.towers_and_bowers.open_bidding import OpenBidding, open_bidding, value_of_endings

FIRST_CALLS: Final = ("accept", "pass")
SECOND_CALLS: Final = ("C", "D", "H", "pass")
QUESTIONS: Final = ("nondealer_1", "nondealer_2", "dealer_1", "dealer_2")
Columns = dict[str, NDArray[Any]]
_FIRST_ORDER: Final = (0, 1)  # of calls that are worth the same the earlier one is best: a bid before a pass,
_SUIT_ORDER: Final[tuple[int, ...]] = (2, 1, 0)  # and S H D C
_MERIT_DIGITS: Final = 10  # discards that differ by less are equal


def count_classes(cards: int) -> int:
    """Classes of hands beside each up-card."""
    return len(make_deals(cards, up_cards()[0]).classes)


def answer_classes(cards: int, up: int, first: int, last: int) -> pd.DataFrame:
    """The answers of classes first..last−1 of `make_deals(cards, up)`.

    Args:
        cards: 1..7.
        up: a spade.

    Raises:
        TowerlabError: no equilibrium of that size is at hand.
    """
    stored = _stored(cards, up)
    hands = make_deals(cards, up).classes[first:last]
    if stored.values is not None:
        return _typed(pd.DataFrame([_asked(int(hand), up) for hand in hands]))
    against_nondealer, against_dealer = _ways(cards, up)
    bidding = open_bidding(cards, deal_value(cards - 1))
    own, next_deal = StoredSide(stored, up, hands), stored.next_deal or 0.0
    columns: Columns = {"up": np.full(len(hands), up), "hand": hands}
    columns |= _nondealer(nondealer_views(hands, up, against_dealer, bidding), cards, own, next_deal, bidding)
    columns |= _dealer(dealer_views(hands, up, against_nondealer, bidding), cards, own, next_deal, up)
    return _typed(pd.DataFrame(columns))


def _stored(cards: int, up: int) -> StoredBidding:
    stored = load_bidding(cards, rank_of(up))
    if stored is None:
        raise TowerlabError(f"no equilibrium of {cards} cards is at hand; expected the files that ship")
    return stored


# ------------------------------------------------------------------------------------------------------ one by one


def _asked(hand: int, up: int) -> dict[str, float]:
    row: dict[str, float] = {"up": up, "hand": hand}
    for question in QUESTIONS:
        seat, number = question.split("_")
        second_round = number == "2"
        asked = UpcardQuestion(hand, up, seat == "dealer", second_round)
        answer = asked.answer()
        open_answer = UpcardQuestion(hand, up, seat == "dealer", second_round, "pimc").answer()
        row |= {f"{question}_{name}": value for name, value in _told(answer).items()}
        row |= {
            f"{question}_open_call": _call_number(open_answer),
            f"{question}_open_margin": open_answer.gap,
        }
    return row


def _told(answer: UpcardAnswer) -> dict[str, float]:
    """The columns of one answer."""
    bids = {name: value for name, value in answer.actions.items() if isinstance(value, ContractValue)}
    bid = answer.recommend if answer.recommend in bids else best_action(bids)
    told: dict[str, float] = {"call": _call_number(answer), "tower": answer.tower(answer.recommend)}
    told |= {"margin": answer.gap, "make": bids[bid].make}
    if answer.second_round:
        return told | {"suit": SUITS.index(bid)}
    if answer.seat == SEATS[0]:
        cards = [card_text(card) for card in mask_cards(answer.hand)]
        given = answer_discard(answer.hand, answer.up, asker_bids=False)
        assert given is not None
        theirs = next(iter(given.values))
        told |= {"discard": cards.index(str(bids[bid].discard)), "their_discard": cards.index(theirs)}
    return told


def _call_number(answer: UpcardAnswer) -> int:
    return (SECOND_CALLS if answer.second_round else FIRST_CALLS).index(answer.recommend)


# --------------------------------------------------------------------------------------------------------- at once


@functools.lru_cache(maxsize=1)
def _ways(cards: int, up: int) -> tuple[NondealerBids, DealerBids]:
    """How the non-dealer and the dealer bid with every hand beside an up-card."""
    stored = _stored(cards, up)
    hands = make_deals(cards, up).hands
    side = StoredSide(stored, up, hands)
    return side.nondealer(), side.dealer()


@dataclass(frozen=True)
class _Value:
    """A contract as `ContractValue`, of many hands: float64[hands]."""

    tower: Floats
    make: Floats
    tricks: Floats

    def of(self, places: Ints) -> _Value:
        """One of several contracts, the last axis, of each hand."""
        rows = np.arange(len(places))
        return _Value(self.tower[rows, places], self.make[rows, places], self.tricks[rows, places])


@dataclass(frozen=True)
class _Mix:
    """What the equilibrium does, as `Mix`, of many hands.

    Attributes:
        shares: float64[hands, calls], how often it makes each call.
        met: float64[hands], how often it comes to this decision.
    """

    shares: Floats
    met: Floats


def _shares(accepts: Floats) -> Floats:
    return np.stack([accepts, 1 - accepts], axis=1)


@dataclass(frozen=True)
class _Seat:
    """Counts of one seat's layouts made into its values.

    Attributes:
        cards: n.
        dealer: whether the asker deals.
        next_deal: the W(n - 1) of the model the counts are of.
    """

    cards: int
    dealer: bool
    next_deal: float

    @property
    def as_bidder(self) -> Floats:
        """float64[8]: the non-dealer's value by his tricks when he is the bidder."""
        return payoffs(self.cards, self.next_deal)[0]

    @property
    def as_defender(self) -> Floats:
        """As `as_bidder`, the dealer being the bidder."""
        return payoffs(self.cards, self.next_deal)[1]

    def contract(self, tricks: Floats | Ints, asker_bids: bool = True) -> _Value:
        """A contract from weights by the non-dealer's tricks, the last axis."""
        size = self.cards + 1
        share = tricks[..., :size] / tricks.sum(-1, keepdims=True)
        own = share[..., ::-1] if self.dealer else share
        bidder = own if asker_bids else own[..., ::-1]
        needed = int(tricks_to_deal_next(self.cards, False))
        worth = self.as_bidder if asker_bids != self.dealer else self.as_defender
        return _Value(
            self.mine(share @ worth[:size]), _rounded(bidder[..., needed:].sum(-1)), _rounded(own @ np.arange(size))
        )

    def mine(self, nondealer: Floats) -> Floats:
        """The asker's P(win the tower)."""
        return _rounded(1 - nondealer if self.dealer else nondealer)


def _nondealer(views: NondealerViews, cards: int, own: StoredSide, next_deal: float, bidding: OpenBidding) -> Columns:
    seat, strategies = _Seat(cards, False, next_deal), own.strategies
    left = views.left @ seat.as_defender
    later = np.maximum((views.named @ seat.as_bidder).max(1), left)
    passing = seat.mine((views.answered @ seat.as_defender + later) / views.accepted.sum(1))
    again = seat.mine(left / views.left.sum(1))
    first, second = _shares(strategies.accepts), own.suits(strategies.names)
    met = first[:, 1] * views.left.sum(1) / views.accepted.sum(1)
    made = _first("nondealer_1", seat.contract(views.accepted), passing, _Mix(first, np.ones(len(met))))
    made |= _second("nondealer_2", seat.contract(views.named), again, _Mix(second, met))
    seat = _Seat(cards, False, _open_next(cards))
    passing = seat.mine(value_of_endings(views.open_passed, seat.next_deal))
    again = seat.mine(views.open_fewest @ bidding.dealer_names.value / views.open_fewest.sum(1))
    made |= _opened(_first("nondealer_1", seat.contract(views.open_accepted), passing))
    return made | _opened(_second("nondealer_2", seat.contract(views.open_named), again))


def _dealer(views: DealerViews, cards: int, own: StoredSide, next_deal: float, up: int) -> Columns:
    seat, strategies = _Seat(cards, True, next_deal), own.strategies
    value, theirs = seat.contract(views.own), seat.contract(views.theirs, asker_bids=False)
    given = _best_discard(value, own.hands, up)
    later = views.named @ seat.as_bidder + (views.left @ seat.as_defender).min(1)
    passing = seat.mine(later / views.own[:, 0].sum(1))
    first, second = _shares(strategies.answers), own.suits(strategies.left)
    layouts = views.open_passed.sum(1)
    made = _first("dealer_1", value.of(given), passing, _Mix(first, views.own[:, 0].sum(1) / layouts))
    made |= {"dealer_1_discard": given, "dealer_1_their_discard": _best_discard(theirs, own.hands, up)}
    met = first[:, 1] * views.left[:, 0].sum(1) / layouts
    made |= _second("dealer_2", seat.contract(views.left), None, _Mix(second, met))
    seat = _Seat(cards, True, _open_next(cards))
    value = seat.contract(views.open_own)
    passing = seat.mine(value_of_endings(views.open_passed, seat.next_deal))
    made |= _opened(_first("dealer_1", value.of(_best_discard(value, own.hands, up)), passing))
    return made | _opened(_second("dealer_2", seat.contract(views.open_named), None))


def _open_next(cards: int) -> float:
    """W(n - 1) when both see all cards."""
    return deal_value(cards - 1)


def _first(name: str, accept: _Value, passing: Floats, mix: _Mix | None = None) -> Columns:
    """The first round's columns."""
    towers = np.stack([accept.tower, passing], axis=1)
    tricks = np.stack([accept.tricks, np.full(len(towers), -1.0)], axis=1)
    call = _recommended(towers, tricks, _FIRST_ORDER, mix)
    return {
        f"{name}_call": call,
        f"{name}_tower": towers[np.arange(len(towers)), call],
        f"{name}_margin": _rounded(towers[:, 0] - towers[:, 1]),
        f"{name}_make": accept.make,
    }


def _second(name: str, named: _Value, passing: Floats | None, mix: _Mix | None = None) -> Columns:
    """The second round's columns; `named` are the suits C D H."""
    towers, tricks, order = named.tower, named.tricks, _SUIT_ORDER
    if passing is not None:
        towers = np.concatenate([towers, passing[:, None]], axis=1)
        tricks = np.concatenate([tricks, np.full((len(towers), 1), -1.0)], axis=1)
        order = (*_SUIT_ORDER, len(_SUIT_ORDER))
    call = _recommended(towers, tricks, order, mix)
    suit = np.where(call < len(_SUIT_ORDER), call, _recommended(named.tower, named.tricks, _SUIT_ORDER))
    rows = np.arange(len(towers))
    others = towers.copy()
    others[rows, call] = -np.inf
    return {
        f"{name}_call": call,
        f"{name}_tower": towers[rows, call],
        f"{name}_margin": _rounded(towers[rows, call] - others.max(1)),
        f"{name}_make": named.of(suit).make,
        f"{name}_suit": suit,
    }


def _opened(columns: Columns) -> Columns:
    """Call and margin of a question asked with open cards."""
    renamed = {
        name.replace("_call", "_open_call").replace("_margin", "_open_margin"): of for name, of in columns.items()
    }
    return {name: of for name, of in renamed.items() if "_open_" in name}


def _recommended(towers: Floats, tricks: Floats, order: Sequence[int], mix: _Mix | None = None) -> Ints:
    """The recommended call of each row: the usual one where the mix holds (see `Mix`), else the best.

    Args:
        towers, tricks: float64[rows, calls], P(win the tower) and the asker's mean tricks, -1 of a pass.
        order: of equals the earlier one is best.
        mix: the equilibrium's.
    """
    rows = np.arange(len(towers))
    best = np.full(len(towers), order[0])
    for call in order[1:]:
        tower, most = towers[:, call], towers[rows, best]
        better = (tower > most) | ((tower == most) & (tricks[:, call] > tricks[rows, best]))
        best = np.where(better, call, best)
    if mix is None:
        return best
    usual = mix.shares.argmax(1)
    costs = _rounded(towers.max(1) - towers[rows, usual])
    return np.where((mix.met >= HARDLY_EVER) & (costs <= INDIFFERENT), usual, best)


def _best_discard(value: _Value, hands: Ints, up: int) -> Ints:
    """Which card, counted from the lowest: as `Weighing.discards` ranks them."""
    moved = in_play_order(np.array([1 << card for card in range(4 * 13)], dtype=np.int64), suit_of(up))
    merit = np.stack(
        [
            -moved[np.array([mask_cards(int(hand)) for hand in hands])].astype(np.float64),
            value.tricks.round(_MERIT_DIGITS),
            value.tower.round(_MERIT_DIGITS),
        ]
    )
    return np.lexsort(merit, axis=1)[:, -1].astype(np.int64)


def _rounded(values: Floats) -> Floats:
    return np.round(values, DIGITS)


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    """Calls, suits and cards as small numbers."""
    small = [name for name in map(str, table) if name.rpartition("_")[2] in ("call", "suit", "discard")]
    return table.astype({"hand": np.int64, "up": np.int8} | dict.fromkeys(small, np.int8))
