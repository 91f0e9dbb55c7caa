"""What the calls and contracts of many hands are worth: counts of layouts made into the asker's numbers.

One hand is a batch of one. Contracts are told apart by whether the asker is the bidder and by a place among
`solver.towers_and_bowers.upcard.named_suits`, `ACCEPTED` being the up-card's suit.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding
from towerlab.analysis.towers_and_bowers.solutions.contracts import contract_rows, names_of, trick_shares, worth_columns
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide
from towerlab.analysis.towers_and_bowers.upcard.answers import (
    ACCEPT,
    DIGITS,
    PASS,
    BidderContract,
    ContractValue,
    Mix,
    PassValue,
    UpcardAnswer,
    View,
    recommended,
    rounded,
)
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import SUITS, card_text, mask_cards, suit_of, to_play_order
from towerlab.games.towers_and_bowers import tricks_to_deal_next
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from towerlab.solver.towers_and_bowers.bidding.strategies import payoffs
from towerlab.solver.towers_and_bowers.bidding.views import (
    DealerViews,
    NondealerViews,
    dealer_views,
    layout_hands,
    nondealer_views,
)
from towerlab.solver.towers_and_bowers.open_bidding import OpenBidding, count_endings, value_of_endings

ACCEPTED: Final = 3
Contract = tuple[bool, int]
Counts = Mapping[bool, NDArray[Any]]
_MERIT_DIGITS: Final = 10  # discards that differ by less are equal


class Numbers(NamedTuple):
    """Of a contract for the asker, arrays of one shape: the fields of `ContractValue`."""

    make: Floats
    sweep: Floats
    swept: Floats
    tricks: Floats
    tower: Floats

    def at(self, places: Ints) -> Numbers:
        """Those of one place of the last axis, a hand each."""
        return Numbers(*(np.take_along_axis(of, places[:, None], -1)[:, 0] for of in self))

    def rows(self, rows: slice) -> Numbers:
        """Those of some hands."""
        return Numbers(*(of[rows] for of in self))


@dataclass(frozen=True)
class Values:
    """Both decisions of one seat: every contract as if reached, by whether the asker is the bidder.

    Attributes:
        suits: of shape [hands, 3], by the suit named.
        accepted: of shape [hands]; of a dealing asker [hands, discards].
        passing: float64[hands], P(win the tower) of a pass in the first and the second round, None where it cannot be.
        likelihood: float64[hands] of both rounds, how often the other's bids lead there.
        off_path: bool[hands, 4], contracts that the other's bids lead to too seldom: all layouts count alike.
        layouts: how many hands of the other were counted for each.
    """

    suits: Mapping[bool, Numbers]
    accepted: Mapping[bool, Numbers]
    passing: tuple[Floats, Floats | None]
    likelihood: tuple[Floats, Floats]
    off_path: Mapping[bool, Bools]
    layouts: int

    def of_hand(self, row: int) -> Values:
        """A batch of one of these hands."""
        one = slice(row, row + 1)
        first, second = self.passing
        return Values(
            {by: numbers.rows(one) for by, numbers in self.suits.items()},
            {by: numbers.rows(one) for by, numbers in self.accepted.items()},
            (first[one], None if second is None else second[one]),
            (self.likelihood[0][one], self.likelihood[1][one]),
            {by: off[one] for by, off in self.off_path.items()},
            self.layouts,
        )

    def asked(self, side: StoredSide) -> Values:
        """Values of classes (`StoredBidding.hands`) in the suits and cards of the questions they stand for.

        Stored bids are all made at least with a floor: nothing is off the path.
        """
        suits = {by: Numbers(*map(side.suits, numbers)) for by, numbers in self.suits.items()}
        accepted = {
            by: Numbers(*map(side.discards, numbers)) if numbers.tower.ndim == 2 else numbers
            for by, numbers in self.accepted.items()
        }
        return replace(self, suits=suits, accepted=accepted, off_path={})


def count_layouts(
    view: View, way: NondealerBids | DealerBids | None, bidding: OpenBidding, allow_discard_upcard: bool = False
) -> DealerViews | NondealerViews:
    """The layouts that a view leaves, a batch of one hand, as the other bids with each; all alike without a way."""
    hands, fits = np.array([view.hand], dtype=np.int64), None
    if view.known is not None:
        fits = view.known.among(layout_hands(view.hand, view.up))
    if isinstance(way, NondealerBids) or (way is None and view.dealer):
        return dealer_views(hands, view.up, way, bidding, allow_discard_upcard, fits)
    return nondealer_views(hands, view.up, way, bidding, allow_discard_upcard, fits)


def open_values(
    views: NondealerViews | DealerViews,
    bidding: OpenBidding,
    cards: int,
    next_deal: float,
    tie_to_bidder: bool = False,
    same_deal: float | None = None,
) -> Values:
    """Both see all cards from the call on, all layouts alike: the views' fields ``open_…``.

    Args:
        views, bidding: layouts counted, and the bidding with all cards seen.
        cards, next_deal, tie_to_bidder: hand size n, W(n - 1), option `tie_to`.
        same_deal: W(n) where a hand can be thrown in.
    """
    dealer, accepted = isinstance(views, DealerViews), {True: _open_accepted(views), False: views.open_accepted}
    first = _mine(value_of_endings(views.open_passed, next_deal, same_deal), dealer)
    if isinstance(views, DealerViews):
        second = None if same_deal is None else _rounded(np.full(len(first), same_deal))
    else:
        left = np.stack([count_endings(row, bidding.dealer_names) for row in views.open_fewest])
        second = _mine(value_of_endings(left, next_deal, same_deal), dealer)
    counts, ones = (dict.fromkeys((True, False), views.open_named), accepted), np.ones(len(first))
    suits, taken = (_numbers(of, dealer, cards, next_deal, tie_to_bidder) for of in counts)
    return Values(suits, taken, (first, second), (ones, ones), {}, int(views.open_passed[0].sum()))


def weighted_values(
    views: NondealerViews | DealerViews, cards: int, next_deal: float, tie_to_bidder: bool = False
) -> Values:
    """The other bids in a known way; where that never leads all layouts count alike; arguments as `open_values`."""
    as_bidder, as_defender = payoffs(cards, next_deal, tie_to_bidder)
    layouts, dealer = views.open_passed.sum(1), isinstance(views, DealerViews)
    with np.errstate(invalid="ignore"):  # where the other never passes a pass has no value
        if isinstance(views, DealerViews):
            suits, accepted = {True: views.left, False: views.named}, {True: views.own, False: views.theirs}
            later = _dot(views.named, as_bidder).sum(1) + _dot(views.left, as_defender).min(1)
            first, second = later / views.own[:, 0].sum(1), None
        else:
            suits, accepted = {True: views.named, False: views.left}, {True: views.accepted, False: views.answered}
            left = _dot(views.left, as_defender).sum(1)
            later = np.maximum(_dot(views.named, as_bidder).max(1), left)
            first, second = (_dot(views.answered, as_defender) + later) / layouts, left / views.left.sum((1, 2))
    reach = {}
    for by, named in suits.items():
        taken = accepted[by].sum(-1).reshape(len(layouts), -1)[:, 0]
        reach[by] = np.column_stack([named.sum(-1), taken]) / layouts[:, None]
    off_path, alike = {by: often <= 0.0 for by, often in reach.items()}, _open_accepted(views)
    for by, off in off_path.items():
        suits[by] = np.where(off[:, :ACCEPTED, None], views.open_named, suits[by])
        never = off[:, ACCEPTED].reshape((-1,) + (1,) * (accepted[by].ndim - 1))
        accepted[by] = alike if never.all() else np.where(never, alike, accepted[by])
    found = [_numbers(of, dealer, cards, next_deal, tie_to_bidder) for of in (suits, accepted)]
    passing = _mine(first, dealer), None if second is None else _mine(second, dealer)
    likelihood = reach[True][:, ACCEPTED], reach[True][:, 0]
    return Values(found[0], found[1], passing, likelihood, off_path, int(layouts[0]))


def solved_values(stored: StoredBidding, side: StoredSide, dealer: bool) -> Values:
    """The solution of the whole hand, hands hidden to the end, for one seat."""
    assert stored.worth is not None and stored.tricks is not None
    cards, names = stored.cards, list(contract_rows(stored.cards))
    worth = dict(zip(worth_columns(cards), stored.worth[side.rows].T.astype(np.float64), strict=True))
    own, needed = trick_shares(stored.tricks[side.rows]), int(tricks_to_deal_next(cards, False))

    def numbers(asker_bids: bool, rows: list[str]) -> Numbers:
        shares, tower = own[:, [names.index(row) for row in rows]], np.stack([worth[row] for row in rows], axis=1)
        return _of_shares(shares, asker_bids, needed, _rounded(tower))

    suits, taken = {}, {}
    for bids in (True, False):
        suits[bids] = Numbers(*map(side.suits, numbers(bids, names_of(cards, dealer, bids, accepted=False))))
        accepted = numbers(bids, names_of(cards, dealer, bids, accepted=True))
        taken[bids] = Numbers(*(side.discards(of) if dealer else of[:, 0] for of in accepted))
    passing = _rounded(worth["answer_pass" if dealer else "pass"]), None if dealer else _rounded(worth["name_pass"])
    likelihood, layouts = _comes(stored, side, dealer)
    return Values(suits, taken, passing, likelihood, {}, layouts)


def _comes(stored: StoredBidding, side: StoredSide, dealer: bool) -> tuple[tuple[Floats, Floats], int]:
    """How often the other's calls lead to each round, float64[hands]; how many hands the other can hold."""
    deals, asked = make_deals(stored.cards, stored.up), stored.hands[side.rows]
    every = StoredSide(stored, stored.up, deals.hands)
    way = (every.nondealer() if dealer else every.dealer()).paths()
    meets = (asked[:, None] & deals.hands) == 0
    reach = np.stack([way.first, way.second], axis=1)
    often = np.stack([others @ reach / others.sum() for others in meets])  # each alone: the same to the last bit
    return (often[:, 0] if dealer else np.ones(len(asked)), often[:, 1]), int(meets[0].sum())


def _numbers(counts: Counts, dealer: bool, cards: int, next_deal: float, tie_to_bidder: bool) -> dict[bool, Numbers]:
    """From weights by the non-dealer's tricks, the last axis."""
    values, needed = payoffs(cards, next_deal, tie_to_bidder), int(tricks_to_deal_next(cards, tie_to_bidder))
    made = {}
    for asker_bids, tricks in counts.items():
        share = tricks[..., : cards + 1] / tricks.sum(-1, keepdims=True)
        tower = _mine(_dot(share, values[asker_bids == dealer][: cards + 1]), dealer)
        made[asker_bids] = _of_shares(share[..., ::-1] if dealer else share, asker_bids, needed, tower)
    return made


def _of_shares(own: Floats, asker_bids: bool, needed: int, tower: Floats) -> Numbers:
    """From how likely the asker takes 0 … n tricks, the last axis."""
    bidder = own if asker_bids else own[..., ::-1]
    tricks = _dot(own, np.arange(own.shape[-1]))
    make, sweep, swept, tricks = map(_rounded, (bidder[..., needed:].sum(-1), own[..., -1], own[..., 0], tricks))
    return Numbers(make, sweep, swept, tricks, tower)


def _mine(nondealer: Floats, dealer: bool) -> Floats:
    """The asker's P(win the tower)."""
    return _rounded(1 - nondealer if dealer else nondealer)


def _open_accepted(views: NondealerViews | DealerViews) -> NDArray[Any]:
    """All layouts alike; of a dealing asker by the discard, whoever bids."""
    return views.open_own if isinstance(views, DealerViews) else views.open_accepted


def discard_order(numbers: Numbers, hands: Ints, up: int) -> Ints:
    """int64[hands, discards], places of the cards to discard, the best one first.

    Best is most P(win the tower), then most tricks, then the lowest card in play order.

    Args:
        numbers: by the discard.
        hands: int64[hands], dealt cards; one discard more is the up-card.
        up: the up-card.
    """
    count = numbers.tower.shape[1]
    moved = _play_order(suit_of(up))
    cards = np.array([[*mask_cards(int(hand)), up][:count] for hand in hands])
    merit = np.stack(
        [-moved[cards].astype(np.float64), numbers.tricks.round(_MERIT_DIGITS), numbers.tower.round(_MERIT_DIGITS)]
    )
    order: Ints = np.lexsort(merit, axis=1)[:, ::-1]
    return order


@functools.cache
def _play_order(trump: int) -> Ints:
    """int64[52], every card in play order."""
    return np.array([int(to_play_order(1 << card, trump, True)) for card in range(4 * 13)])


def actions_of(view: View, values: Values) -> dict[str, ContractValue | PassValue]:
    """The asker's calls, of a batch of one hand."""
    calls: dict[str, ContractValue | PassValue] = {}
    if view.second_round:
        calls |= {suit: contract_of(view, values, (True, place)) for suit, place in view.suits.items()}
    else:
        calls[ACCEPT] = contract_of(view, values, (True, ACCEPTED))
    passing = values.passing[view.second_round]
    return calls if passing is None else calls | {PASS: PassValue(rounded(float(passing[0])))}


def contract_of(view: View, values: Values, contract: Contract) -> ContractValue:
    """A contract's value, of a batch of one hand: with a dealer's best discard."""
    (asker_bids, place), discard = contract, None
    numbers = (values.accepted if place == ACCEPTED else values.suits)[asker_bids]
    if place != ACCEPTED:
        numbers = numbers.at(np.array([place]))
    elif numbers.tower.ndim == 2:
        best = _order(view, numbers)[:1]
        numbers, discard = numbers.at(best), card_text([*mask_cards(view.hand), view.up][best[0]])
    make, sweep, swept, tricks, tower = (float(number[0]) for number in numbers)
    return ContractValue(make, sweep, swept, tricks, tower, discard)


def make_answer(
    view: View,
    values: Values,
    deal_value: float | None,
    method: str,
    *,
    mix: Mix | None = None,
    against: str | None = None,
    likelihood: float | None = None,
    model_error: float | None = None,
) -> UpcardAnswer:
    """The answer to a question, of a batch of one hand; for the arguments see `UpcardAnswer`."""
    actions = actions_of(view, values)
    recommend, mix = recommended(actions, mix)
    suits = ({} if view.second_round else {SUITS[suit_of(view.up)]: ACCEPTED}) | view.suits
    contracts = []
    for bidder, (suit, place) in itertools.product((True, False), suits.items()):
        value, off = contract_of(view, values, (bidder, place)), values.off_path.get(bidder)
        never = off is not None and bool(off[0, place])
        contracts.append(BidderContract("me" if bidder else "them", suit, value, never))
    return UpcardAnswer(
        cards=view.cards,
        seat=view.seat,
        up=view.up,
        hand=view.hand,
        second_round=view.second_round,
        layouts=values.layouts,
        deal_value=deal_value,
        actions=actions,
        contracts=tuple(contracts),
        recommend=recommend,
        method=method,
        mix=mix,
        against=against,
        likelihood=likelihood,
        model_error=model_error,
        known=view.known,
    )


def discard_values(view: View, values: Values, asker_bids: bool) -> dict[str, float]:
    """P(the dealing asker wins the tower) by the card discarded, the best one first, of a batch of one hand."""
    cards, numbers = [*mask_cards(view.hand), view.up], values.accepted[asker_bids]
    return {card_text(cards[place]): rounded(numbers.tower[0, place]) for place in _order(view, numbers).tolist()}


def _order(view: View, numbers: Numbers) -> Ints:
    """`discard_order` of one hand."""
    order: Ints = discard_order(numbers, np.array([view.hand], dtype=np.int64), view.up)[0]
    return order


def _dot(rows: Floats, values: Floats | Ints) -> Floats:
    """Sums of products over the last axis, the same to the last bit however many rows there are (`@` is not)."""
    summed: Floats = (rows * values).sum(-1)
    return summed


def _rounded(values: Floats) -> Floats:
    """As values are reported."""
    return np.asarray(np.round(values, DIGITS), dtype=np.float64)
